// The fixture of the sessions' tests: clients on two shards, and a lobby.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/make_agent.h"
#include "games/connectm/connectm.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "net/fake_socket.h"
#include "protocols/chimera/session.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::chimera {

// Two schedulers stand for two shards: clients may land on either.
class ChimeraTest : public ::testing::Test {
 protected:
  struct Client {
    std::shared_ptr<net::FakeSocket> socket;
    std::unique_ptr<Session> session;
  };

  Client Connect(testing::FakeScheduler& shard, const Caller& caller = {},
                 const std::shared_ptr<Payer>& payer = nullptr) {
    Client client{std::make_shared<net::FakeSocket>(shard, ++sockets_),
                  std::make_unique<Session>(*lobby_, caller, nullptr, payer)};
    client.session->OnOpen(client.socket);
    return client;
  }
  std::shared_ptr<Payer> Paying(const PeerLimits& limits) {
    budget_ = std::make_unique<Budget>(BudgetLimits{.others = {}, .loopback = limits}, &metrics_);
    return budget_->PayerOf("127.0.0.1", Instant());
  }
  void Run() {
    for (int i = 0; i < 20; ++i) {
      first_.Run();
      second_.Run();
    }
  }
  std::vector<std::string> Say(Client& client, std::string_view text) {
    client.session->OnText(text);
    Run();
    return client.socket->Take();
  }
  // The one answer to a request with these members.
  std::string Ask(Client& client, std::string_view operation, std::string_view params) {
    const auto answers = Say(client, R"({"type":"request","id":"r","operation":")" + std::string(operation) +
                                         R"(","params":)" + std::string(params) + "}");
    return answers.empty() ? "no answer" : answers.front();
  }
  static std::string Member(std::string_view answer, std::string_view name) {
    return json::Parse(answer)->at("result").at(name).as_string().c_str();
  }
  static std::string Token(std::string_view answer) { return json::Parse(answer)->at("token").as_string().c_str(); }
  static std::int64_t CodeOf(std::string_view answer) { return json::Parse(answer)->at("error").at("code").as_int64(); }
  void Drop(Client& client) {
    client.session->OnClosed({.code = net::close_code::kAbnormal});
    client.session.reset();
    Run();
  }
  std::string Params(std::string_view match, std::string_view player, std::string_view more = {}) {
    return R"({"game":"tictactoe","match-id":")" + std::string(match) + R"(","player-name":")" + std::string(player) +
           "\"" + std::string(more) + "}";
  }
  // Makes a match of Alex, which Sam joins: its id, and Alex's token.
  std::pair<std::string, std::string> Begin(Client& alex, Client& sam) {
    const std::string created = Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})");
    std::string id = Member(created, "match-id");
    Ask(sam, "join-match", Params(id, "Sam"));
    return {std::move(id), json::Parse(created)->at("token").as_string().c_str()};
  }
  // Alex takes the seat again, over another connection.
  std::vector<std::string> Return(Client& alex, std::string_view match, const std::string& token) {
    return Say(alex, R"({"type":"request","id":1,"operation":"join-match","params":)" +
                         Params(match, "Alex", R"(,"token":")" + token + "\"") + "}");
  }
  std::string Move(std::string_view match, std::string_view position) {
    return R"({"match-id":")" + std::string(match) + R"(","action":"move","data":{"position":)" +
           std::string(position) + "}}";
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> connectm_ = games::MakeConnectM();
  const std::unique_ptr<Game> p1_wins_ = games::MakePlayerOneWins();
  const std::unique_ptr<Game> rps_ = games::MakeRockPaperScissors();
  const std::array<const Game*, 4> games_{tictactoe_.get(), connectm_.get(), p1_wins_.get(), rps_.get()};
  testing::FakeScheduler first_;
  testing::FakeScheduler second_;
  testing::MemoryJournal journal_;
  Metrics metrics_;
  std::unique_ptr<Budget> budget_;
  TableDirectory directory_{{&first_, &second_}};
  std::unique_ptr<Lobby> lobby_ =
      std::make_unique<Lobby>(games_, MatchRules{}, std::chrono::seconds(300), directory_, journal_, MakeLocalAgent);
  std::uint64_t sockets_ = 0;
};

}  // namespace openseat::chimera
