// For tests: environments of hosted games, and sockets to them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/make_agent.h"
#include "agents/random_agent.h"
#include "games/connectm/connectm.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "net/fake_socket.h"
#include "protocols/openenv/session.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::openenv {

// An agent of another host, which anyone may name elsewhere.
inline AgentKind FarKind() {
  return {.kind = "far",
          .title = "Far",
          .description = "For this test.",
          .plays_from = PlaysFrom::kElsewhere,
          .named_by = Namer::kPlayer,
          .options = R"({"type": "object", "properties": {}, "additionalProperties": false})",
          .make = [](const json::Object&) -> Result<std::unique_ptr<Agent>> {
            return Fail(ErrorCode::kUnsupported, "not here");
          }};
}

// Two schedulers stand for two shards: sockets may land on either.
class OpenEnvTest : public ::testing::Test {
 protected:
  struct Client {
    std::shared_ptr<net::FakeSocket> socket;
    std::unique_ptr<Session> session;
  };

  Client Connect(testing::FakeScheduler& shard, const std::string& game,
                 const std::shared_ptr<Payer>& payer = nullptr) {
    Client client{std::make_shared<net::FakeSocket>(shard, ++sockets_),
                  std::make_unique<Session>(environments_, *environments_.FindGame(game), Namer::kPlayer, payer)};
    client.session->OnOpen(client.socket);
    return client;
  }
  void Run() {
    for (int i = 0; i < 40; ++i) {
      first_.Run();
      second_.Run();
    }
  }
  void Drop(Client& client) {
    client.session->OnClosed({.code = net::close_code::kAbnormal});
    client.session.reset();
    Run();
  }
  // The answers that came, as text.
  std::vector<std::string> Say(Client& client, const std::string& text) {
    client.session->OnText(text);
    Run();
    return client.socket->Take();
  }
  // The one answer's `data`.
  json::Value Ask(Client& client, const std::string& text) {
    const auto answers = Say(client, text);
    EXPECT_THAT(answers, ::testing::SizeIs(1)) << text;
    return answers.empty() ? json::Value() : json::Parse(answers.front())->at("data");
  }
  json::Value Reset(Client& client, const std::string& arguments = "{}") {
    return Ask(client, R"({"type": "reset", "data": )" + arguments + "}");
  }
  json::Value Step(Client& client, const std::string& choice) {
    return Ask(client, R"({"type": "step", "data": {"choice": )" + choice + "}}");
  }
  static std::string FirstId(const json::Value& data) {
    return json::Write(data.at("observation").at("choices").as_array().at(0).at("id"));
  }
  // Plays the first legal choice to the end; the last answer.
  json::Value PlayOut(Client& client, json::Value data) {
    for (int turn = 0; turn < 300 && data.at("done") == json::Value(false); ++turn) data = Step(client, FirstId(data));
    return data;
  }

  testing::FakeScheduler first_;
  testing::FakeScheduler second_;
  testing::MemoryJournal journal_;
  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> rps_ = games::MakeRockPaperScissors();
  const std::unique_ptr<Game> connectm_ = games::MakeConnectM();
  const std::vector<const Game*> games_{tictactoe_.get(), rps_.get(), connectm_.get()};
  TableDirectory directory_{{&first_, &second_}};
  Lobby lobby_{games_, MatchRules{}, std::chrono::minutes(5), directory_, journal_, MakeLocalAgent};
  const AgentKinds kinds_{{RandomKind(), FarKind()}};
  std::vector<double> judged_;  // what the next choices give away; then nothing
  std::vector<ChoiceJudge::Question> asked_;
  bool judge_holds_ = false;      // what is asked gets no answer
  bool judge_drops_ = false;      // or is given up later
  std::size_t judge_takes_ = 99;  // so many questions, then it refuses
  static MatchRules RulesWhere(const Game& slow) {
    MatchRules rules;
    rules.takes_long = [&slow](const Game& game) { return &game == &slow; };
    return rules;
  }
  Environments environments_{lobby_,
                             kinds_,
                             RulesWhere(*connectm_),
                             {&first_, &second_},
                             journal_,
                             MakeLocalAgent,
                             {.can = [](const Game& game) -> Result<void> {
                                if (game.info().id == "rps") return Fail(ErrorCode::kUnsupported, "not here");
                                return {};
                              },
                              .judge = [this](ChoiceJudge::Question question, Scheduler& scheduler,
                                              std::function<void(Result<double>)> judged) -> Result<void> {
                                if (asked_.size() >= judge_takes_)
                                  return Fail(ErrorCode::kBusy, "many wait for the judge");
                                const double loss = asked_.size() < judged_.size() ? judged_[asked_.size()] : 0;
                                asked_.push_back(std::move(question));
                                const Result<double> answer =
                                    judge_drops_ ? Result<double>(Fail(ErrorCode::kBusy, "others asked less"))
                                                 : Result<double>(loss);
                                if (!judge_holds_)
                                  scheduler.Post([answer, judged = std::move(judged)] { judged(answer); });
                                return {};
                              }}};
  std::uint64_t sockets_ = 0;
};

}  // namespace openseat::openenv
