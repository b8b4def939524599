// Whole matches between a seat that dials out and our own Neuro server as its backend, in one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "agents/make_agent.h"
#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "protocols/neuro/dial_agent.h"
#include "protocols/neuro/neuro_server.h"
#include "protocols/neuro/session.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

using ::testing::IsEmpty;

// One end of a connection between two sessions: what is sent here arrives there.
class Pipe final : public net::WebSocket, public std::enable_shared_from_this<Pipe> {
 public:
  Pipe(Scheduler& scheduler, std::uint64_t id) : scheduler_(scheduler), id_(id) {}
  static void Connect(const std::shared_ptr<Pipe>& one, const std::shared_ptr<Pipe>& other) {
    one->other_ = other;
    other->other_ = one;
  }
  void Open(std::unique_ptr<net::WebSocketSession> session) {
    session_ = std::move(session);
    session_->OnOpen(shared_from_this());
  }
  net::SendStatus SendText(std::string_view message) override {
    if (closed_) return net::SendStatus::kClosed;
    scheduler_.Post([other = other_.lock(), text = std::string(message)] {
      if (other && other->session_) other->session_->OnText(text);
    });
    return net::SendStatus::kTaken;
  }
  net::SendStatus SendBinary(std::string_view) override { return net::SendStatus::kTaken; }
  void Ping(std::string_view) override {}
  void Close(std::uint16_t code, std::string_view reason) override {
    if (std::exchange(closed_, true)) return;
    scheduler_.Post([self = shared_from_this(), other = other_.lock(), code, text = std::string(reason)] {
      for (const auto& end : {other, self}) {
        if (!end) continue;
        end->closed_ = true;
        if (const auto session = std::move(end->session_)) session->OnClosed({.code = code, .reason = text});
      }
    });
  }
  Scheduler& scheduler() override { return scheduler_; }
  std::uint64_t id() const override { return id_; }
  const std::string& peer() const override { return peer_; }

 private:
  Scheduler& scheduler_;
  const std::uint64_t id_;
  const std::string peer_ = "127.0.0.1";
  std::weak_ptr<Pipe> other_;
  std::unique_ptr<net::WebSocketSession> session_;
  bool closed_ = false;
};

class DialMatchTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Agent>> MakeAgent(const AgentSpec& spec) {
    if (spec.kind != "neuro") return MakeLocalAgent(spec);
    Result<DialAgentOptions> options = ReadDialAgentOptions(spec.options);
    if (!options) return Fail(options.error());
    return std::make_unique<DialAgent>(
        std::move(*options), [this](Scheduler&, const std::string&, std::unique_ptr<net::WebSocketSession> session,
                                    const std::function<void(Error)>&) {
          auto here = std::make_shared<Pipe>(scheduler_, ++pipes_);
          auto there = std::make_shared<Pipe>(scheduler_, ++pipes_);
          Pipe::Connect(here, there);
          live_.push_back(here);
          live_.push_back(there);
          there->Open(std::make_unique<Session>(backend_, "", "me"));
          here->Open(std::move(session));
        });
  }
  // All diagnostics of all of the backend's tables.
  std::vector<std::string> Diagnostics() {
    std::vector<std::string> keys;
    backend_tables_.Visit(
        scheduler_,
        [&](Table& table) {
          for (const json::Value& entry : table.Diagnostics()) {
            std::string key = entry.at("key").as_string().c_str();
            // The judge comes first, so a choice is unregistered after its result; and schemas are kept plain.
            if (key == "perf/unregister/after_result" || key == "prot/schema/additionalProperties") continue;
            keys.push_back(std::move(key) + ": " + entry.at("message").as_string().c_str());
          }
        },
        [] {});
    scheduler_.Run();
    return keys;
  }
  const Match& Play(const std::string& game, std::vector<PlannedSeat> seats) {
    std::optional<MatchRef> made;
    lobby_.Create(scheduler_, game, nullptr, std::move(seats), [&](Result<MatchRef> ref) { made = *ref; });
    scheduler_.Advance(std::chrono::seconds(10));
    const Match* found = nullptr;
    lobby_.OnMatch(*made, [&](Match& match) { found = &match; }, [] {});
    scheduler_.Run();
    return *found;
  }

  const std::array<std::unique_ptr<Game>, 5> made_{games::MakeTicTacToe(), games::MakeConnectM(),
                                                   games::MakeRockPaperScissors(), games::MakeChicken(),
                                                   games::MakePlayerOneWins()};
  const std::array<const Game*, 5> games_{made_[0].get(), made_[1].get(), made_[2].get(), made_[3].get(),
                                          made_[4].get()};
  testing::FakeScheduler scheduler_;
  std::vector<std::shared_ptr<Pipe>> live_;
  std::uint64_t pipes_ = 0;

  testing::MemoryJournal backend_journal_;
  TableDirectory backend_tables_{{&scheduler_}};
  double invalid_ = 0;
  NeuroServer backend_{NeuroProfiles{}, backend_tables_, backend_journal_, {.by_default = [this](const std::string&) {
                         return std::move(*MakeLocalAgent({"random", {{"seed", 7}, {"invalid", invalid_}}}));
                       }}};

  testing::MemoryJournal journal_;
  TableDirectory tables_{{&scheduler_}};
  Lobby lobby_{games_,  MatchRules{}, std::chrono::minutes(5),
               tables_, journal_,     [this](const AgentSpec& spec) { return MakeAgent(spec); }};
};

const AgentSpec kDialed{"neuro", {{"url", "ws://backend"}}};

TEST_F(DialMatchTest, EveryGameIsPlayedToItsEndWithNothingToComplainAbout) {
  for (const Game* game : games_) {
    for (int round = 0; round < 3; ++round) {
      const Match& match = Play(game->info().id, {{"Here", {"random", {{"seed", round}}}}, {"There", kDialed}});
      EXPECT_EQ(match.status(), MatchStatus::kDone) << game->info().id;
      EXPECT_FALSE(match.forfeited()) << match.outcome()->reason;
    }
    const Match& both = Play(game->info().id, {{"One", kDialed}, {"Two", kDialed}});
    EXPECT_EQ(both.status(), MatchStatus::kDone) << game->info().id;
    EXPECT_FALSE(both.forfeited()) << both.outcome()->reason;
  }
  EXPECT_THAT(Diagnostics(), IsEmpty());
  EXPECT_EQ(pipes_, 2u * 5u * 5u) << "one connection a seat";
}

TEST_F(DialMatchTest, AnAgentThatIsOftenWrongIsToldAndPlaysOn) {
  invalid_ = 0.3;
  int finished = 0;
  for (int round = 0; round < 10; ++round) {
    const Match& match = Play("tictactoe", {{"Here", {"random", {{"seed", round}}}}, {"There", kDialed}});
    EXPECT_EQ(match.status(), MatchStatus::kDone);
    if (!match.forfeited()) ++finished;
  }
  EXPECT_GE(finished, 8);
}

TEST_F(DialMatchTest, AMatchGoesOnWhenTheConnectionBreaks) {
  std::optional<MatchRef> made;
  lobby_.Create(scheduler_, "tictactoe", nullptr, {{"Here", {}}, {"There", kDialed}},
                [&](Result<MatchRef> ref) { made = *ref; });
  scheduler_.Run();
  Match* match = nullptr;
  lobby_.OnMatch(*made, [&](Match& found) { match = &found; }, [] {});
  scheduler_.Run();
  match->Join("Alex", [](const Result<JoinedSeat>&) {});
  scheduler_.Run();
  for (int cell = 0; cell < 9 && match->status() == MatchStatus::kInProgress; ++cell) {
    static_cast<void>(
        match->seat(0).Choose({.action = "move", .data = json::Object{{"position", json::Array{cell / 3, cell % 3}}}}));
    live_.back()->Close(net::close_code::kAbnormal, "cut");
    scheduler_.Advance(std::chrono::seconds(40));
  }
  EXPECT_EQ(match->status(), MatchStatus::kDone);
  EXPECT_FALSE(match->forfeited()) << match->outcome()->reason;
  EXPECT_GT(pipes_, 4u);
}

}  // namespace
}  // namespace openseat::neuro
