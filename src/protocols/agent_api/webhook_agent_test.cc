#include "protocols/agent_api/webhook_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/external/seat_token.h"
#include "base/rng.h"
#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "match/match.h"
#include "match/match_fold.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/memory_registry.h"

namespace openseat::agent_api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Calls wait until the test answers them.
class Receivers final : public net::HttpCaller {
 public:
  struct Waiting {
    net::HttpCall call;
    net::HttpDone done;
  };
  net::HttpCallId Call(Scheduler&, net::HttpCall call, net::HttpDone done) override {
    last_ = last_.Next();
    waiting.emplace(last_, Waiting{std::move(call), std::move(done)});
    return last_;
  }
  void Cancel(Scheduler&, net::HttpCallId call) override { waiting.erase(call); }

  std::map<net::HttpCallId, Waiting> waiting;

 private:
  net::HttpCallId last_;
};

// What one receiver was sent, each once, in the order of first arrival.
struct Received {
  std::vector<std::string> events;
  std::map<std::uint64_t, std::pair<std::string, std::string>> known;  // id and body
  bool asked = false;                                                  // since the seat acted last

  void Take(const net::HttpCall& call) {
    const std::uint64_t sequence = std::stoull(std::string(call.headers.Get("X-Openseat-Sequence")));
    const std::pair<std::string, std::string> content(call.headers.Get("webhook-id"), call.body);
    if (const auto found = known.find(sequence); found != known.end()) {
      EXPECT_EQ(found->second, content) << "a delivery that comes again is the same";
      return;
    }
    EXPECT_EQ(sequence, known.size() + 1) << "none is lost or out of order";
    known.emplace(sequence, content);
    events.emplace_back(call.headers.Get("X-Event-Type"));
    if (AsksForAnswer(events.back())) asked = true;
  }
};

// Its outboxes may be unreadable.
class OutboxRegistry final : public testing::MemoryRegistry {
 public:
  using MemoryRegistry::MemoryRegistry;
  void ReadOutbox(WebhookId id, Scheduler& scheduler, Done<WebhookOutbox> done) override {
    if (readable) return MemoryRegistry::ReadOutbox(std::move(id), scheduler, std::move(done));
    scheduler.Post([done = std::move(done)] { done(Fail(ErrorCode::kIo, "the outbox cannot be read")); });
  }

  void AddToOutbox(WebhookId id, std::string memory, std::vector<StoredDelivery> added, Scheduler& scheduler,
                   Done<WebhookId> done) override {
    added_at_once.push_back(added.size());
    MemoryRegistry::AddToOutbox(std::move(id), std::move(memory), std::move(added), scheduler,
                                [this, done = std::move(done)](const Result<WebhookId>& kept) {
                                  if (!done) return;
                                  if (!holds) return done(kept);
                                  held.push_back([done, kept] { done(kept); });
                                });
  }
  // From now on, calls are answered at once; and those that were not.
  void Answer() {
    holds = false;
    for (const auto& answer : std::exchange(held, {})) answer();
  }

  bool readable = true;
  bool holds = false;  // who adds to an outbox waits for an answer
  std::vector<std::function<void()>> held;
  std::vector<std::size_t> added_at_once;
};

// A match whose seats are told by webhooks, and whose process may be killed at any moment.
class WebhookAgentTest : public ::testing::Test {
 protected:
  void Open(const Game& game, std::uint64_t seed = 1) {
    game_ = &game;
    MatchSpec spec;
    spec.id = id_;
    spec.game = &game;
    spec.seed = seed;
    for (int seat = 0; seat < 2; ++seat) {
      AgentSpec agent{"webhook", {{"target", Target(seat).str()}}};
      spec.seats.push_back({"player " + std::to_string(seat), std::move(agent)});
    }
    match_ = std::make_unique<Match>(std::move(spec), MatchRules{}, scheduler_, journal_, Factory());
    directory_.Add(*match_);
    match_->Open([](const Result<void>& opened) { ASSERT_TRUE(opened); });
    scheduler_.Run();
  }
  WebhookId Target(int seat) {
    WebhookId id;
    registry_.SaveWebhook({.id = {}, .url = "http://127.0.0.1:9/" + std::to_string(seat), .key = "", .created = {}},
                          scheduler_, [&](const Result<WebhookTarget>& saved) { id = saved->id; });
    scheduler_.Run();
    targets_.push_back(id);
    return id;
  }
  AgentFactory Factory() {
    return [this](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
      Result<WebhookAgentOptions> options = ParseWebhookAgentOptions(spec.options, {});
      if (!options) return Fail(options.error());
      return std::make_unique<WebhookAgent>(std::move(*options), world_);
    };
  }
  // kill -9, and another process.
  void Restart() {
    directory_.Remove(*match_);
    match_.reset();
    EXPECT_THAT(receivers_.waiting, IsEmpty());
    scheduler_.Run();
    Result<std::unique_ptr<Match>> recovered =
        Match::Recover(*MatchFold::Of(id_, *game_, *journal_.Read(id_, 0, 1'000'000)),
                       std::make_shared<const MatchSetup>(MatchRules{}, Factory()), scheduler_, journal_);
    ASSERT_TRUE(recovered) << recovered.error().message;
    match_ = std::move(*recovered);
    directory_.Add(*match_);
    scheduler_.Run();
  }
  WebhookOutbox Outbox(SeatIndex seat) {
    WebhookOutbox outbox;
    registry_.ReadOutbox(targets_[seat], scheduler_, [&](Result<WebhookOutbox> read) { outbox = std::move(*read); });
    scheduler_.Run();
    return outbox;
  }
  // An event that this process does not know.
  void AddByAnotherNode(SeatIndex seat) {
    const WebhookOutbox outbox = Outbox(seat);
    registry_.AddToOutbox(targets_[seat], outbox.memory, {{outbox.sequence + 1, "id", "prompt", "{}", Time()}},
                          scheduler_, {});
    scheduler_.Run();
  }
  bool HasWebhook(const WebhookId& id) {
    bool has = false;
    registry_.FindWebhook(id, scheduler_, [&](const Result<WebhookTarget>& found) { has = found.has_value(); });
    scheduler_.Run();
    return has;
  }
  // The receiver of a call accepts it; nullopt if no call is in progress. Returns the call.
  std::optional<net::HttpCall> Deliver(bool answer = true) {
    if (receivers_.waiting.empty()) return std::nullopt;
    auto first = receivers_.waiting.begin();
    net::HttpCall call = first->second.call;
    received_[call.url.back() - '0'].Take(call);
    if (answer) Answer(200);
    return call;
  }
  void Answer(int status) {
    net::HttpDone done = std::move(receivers_.waiting.begin()->second.done);
    receivers_.waiting.erase(receivers_.waiting.begin());
    net::HttpResponse response;
    response.status = status;
    done(response);
    scheduler_.Run();
  }
  void DeliverAll() {
    while (!receivers_.waiting.empty() || scheduler_.timers() > 1) {
      while (Deliver()) {
      }
      if (!Failing()) return;
      scheduler_.Advance(std::chrono::seconds(15));
    }
  }
  bool Failing() {
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      const ExternalAgent& agent = *ExternalAt(*match_, seat);
      if (agent.Deliveries()->at("waiting").to_number<std::uint64_t>() > 0) return true;
    }
    return false;
  }
  // A random legal choice for whichever seat is asked; false if none is. Nothing that follows has run yet.
  bool Act(Rng& rng) {
    for (SeatIndex index = 0; index < 2; ++index) {
      Seat& seat = match_->seat(index);
      if (seat.decision() == nullptr || seat.awaiting() != nullptr) continue;
      std::vector<Move> moves(game_->info().max_moves);
      const std::size_t count = match_->state().Moves(index, moves);
      PlayedChoice choice = match_->state().ToChoice(index, moves[rng.Below(count)]);
      Choice chosen;
      chosen.action = std::move(choice.action);
      chosen.data = std::move(choice.data);
      chosen.decision = seat.decision()->id;
      EXPECT_TRUE(seat.Choose(std::move(chosen)));
      received_[index].asked = false;
      return true;
    }
    return false;
  }

  const TableId id_{"some-match"};
  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::unique_ptr<Game> netrunner_ = games::MakeNetrunner();
  const Game* game_ = nullptr;
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  OutboxRegistry registry_{scheduler_.clock()};
  Receivers receivers_;
  TableDirectory directory_{{&scheduler_}};
  WebhookWorld world_{directory_, registry_, receivers_, {}};
  std::vector<WebhookId> targets_;
  std::unique_ptr<Match> match_;
  std::map<int, Received> received_;
};

TEST_F(WebhookAgentTest, WhatWasNotDeliveredIsToldAgainByTheNextProcess) {
  Open(*tictactoe_);
  Deliver(false);  // game-started of the first; that it was accepted is not known
  Restart();
  DeliverAll();
  EXPECT_THAT(received_[0].events, ElementsAre("game-started", "prompt"));
  EXPECT_THAT(received_[1].events, ElementsAre("game-started", "waiting"));
  // The receiver of its decision may have answered as the process ended.
  Restart();
  DeliverAll();
  EXPECT_THAT(received_[0].events, ElementsAre("game-started", "prompt", "prompt"));
  EXPECT_THAT(received_[1].events, ElementsAre("game-started", "waiting"));
}

TEST_F(WebhookAgentTest, APromptThatIsOnItsWayIsNotToldTwice) {
  Open(*tictactoe_);
  Deliver();
  Restart();
  Restart();
  DeliverAll();
  EXPECT_THAT(received_[0].events, ElementsAre("game-started", "prompt"));
  EXPECT_EQ(match_->seat(0).decision()->id, DecisionId(1)) << "the decision keeps its number";
}

TEST_F(WebhookAgentTest, ATargetIsForgottenWhenNobodyNeedsIt) {
  Open(*tictactoe_);
  EXPECT_TRUE(HasWebhook(targets_[0]));
  match_->seat(0).SetAgent(nullptr);
  EXPECT_FALSE(HasWebhook(targets_[0])) << "another agent plays the seat";
  EXPECT_TRUE(HasWebhook(targets_[1]));
  Restart();
  match_->seat(0).SetAgent(nullptr);
  EXPECT_TRUE(HasWebhook(targets_[1])) << "the end of the process is not that of the match";
  match_->Resign(0, "left", {}, [](const Result<void>&) {});
  scheduler_.Run();
  EXPECT_TRUE(HasWebhook(targets_[1])) << "its agent has still to be told of the end";
  match_->Close("the match is over");
  EXPECT_FALSE(HasWebhook(targets_[1])) << "the table is gone for good";
}

TEST_F(WebhookAgentTest, ATargetIsForgottenWhenTheEndWasTold) {
  Open(*tictactoe_);
  match_->Resign(0, "left", {}, [](const Result<void>&) {});
  scheduler_.Run();
  DeliverAll();
  EXPECT_EQ(received_[0].events.back(), "game-ended");
  EXPECT_FALSE(HasWebhook(targets_[0]));
  EXPECT_FALSE(HasWebhook(targets_[1]));
  Restart();
  EXPECT_THAT(receivers_.waiting, IsEmpty());
  EXPECT_THAT(journal_.Payloads(id_, EventKind::kWebhook),
              ::testing::Not(::testing::Contains(::testing::HasSubstr("dropped"))));
}

TEST_F(WebhookAgentTest, WhatTheOwnerBeforeStoredLateIsToldFirst) {
  Open(*tictactoe_);
  DeliverAll();
  // It is the other's turn, so the agent stores nothing of its own when it is back.
  Restart();
  DeliverAll();
  std::vector<std::string> events = received_[1].events;
  AddByAnotherNode(1);
  match_->Resign(1, "left", {}, [](const Result<void>&) {});
  scheduler_.Run();
  DeliverAll();
  events.insert(events.end(), {"prompt", "game-ended"});
  EXPECT_EQ(received_[1].events, events);
  EXPECT_EQ(received_[0].events.back(), "game-ended");
  EXPECT_FALSE(HasWebhook(targets_[1]));
}

TEST_F(WebhookAgentTest, WhatIsStoredLateIsPardonedOnce) {
  Open(*tictactoe_);
  DeliverAll();
  Restart();
  DeliverAll();
  AddByAnotherNode(1);
  Rng rng(1);
  Act(rng);
  scheduler_.Run();
  DeliverAll();
  const std::vector<std::string> before = received_[1].events;
  AddByAnotherNode(1);
  match_->Resign(1, "left", {}, [](const Result<void>&) {});
  scheduler_.Run();
  DeliverAll();
  EXPECT_EQ(received_[1].events, before);
  EXPECT_EQ(Outbox(1).waiting.size(), 1u) << "nothing is taken out";
}

TEST_F(WebhookAgentTest, WhatAnotherNodeTellsIsLeftToIt) {
  Open(*tictactoe_);
  DeliverAll();
  AddByAnotherNode(0);
  Rng rng(1);
  Act(rng);
  scheduler_.Run();
  DeliverAll();
  const std::vector<std::string> before = received_[0].events;
  AddByAnotherNode(0);
  match_->Resign(1, "left", {}, [](const Result<void>&) {});
  scheduler_.Run();
  DeliverAll();
  EXPECT_EQ(received_[0].events, before) << "nothing is sent twice";
  EXPECT_EQ(received_[1].events.back(), "game-ended");
  EXPECT_TRUE(HasWebhook(targets_[0])) << "the target is not forgotten";
  EXPECT_EQ(Outbox(0).waiting.size(), 2u) << "and nothing is taken out";
}

TEST_F(WebhookAgentTest, WithoutItsOutboxAnAgentIsToldAllTheSame) {
  Open(*tictactoe_);
  DeliverAll();
  received_.clear();
  registry_.readable = false;
  Restart();
  match_->Resign(1, "left", {}, [](const Result<void>&) {});
  scheduler_.Run();
  DeliverAll();
  ASSERT_FALSE(received_[0].events.empty());
  EXPECT_EQ(received_[0].events.back(), "game-ended");
}

TEST_F(WebhookAgentTest, WhatIsGivenUpBeforeItIsStoredIsNotStored) {
  world_.rules.waiting.items = 3;
  registry_.holds = true;
  Open(*tictactoe_);
  Rng rng(1);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(Act(rng));
    scheduler_.Run();
  }
  EXPECT_THAT(journal_.Payloads(id_, EventKind::kWebhook),
              ::testing::Contains(::testing::HasSubstr("too many events wait")));
  registry_.Answer();
  scheduler_.Run();
  for (SeatIndex seat = 0; seat < 2; ++seat) {
    const json::Object info = *ExternalAt(*match_, seat)->Deliveries();
    EXPECT_EQ(Outbox(seat).waiting.size(), info.at("waiting").to_number<std::size_t>()) << seat;
  }
}

TEST_F(WebhookAgentTest, OneCallStoresOnlySoMuch) {
  world_.rules.kept_bytes = 1;
  registry_.holds = true;
  Open(*tictactoe_);
  Rng rng(1);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(Act(rng));
    scheduler_.Run();
  }
  registry_.added_at_once.clear();
  registry_.Answer();
  scheduler_.Run();
  // What was told at once goes together with what is remembered of it.
  EXPECT_GT(registry_.added_at_once.size(), 4u);
  EXPECT_LE(std::ranges::max(registry_.added_at_once), 2u);
  Restart();
  while (match_->status() != MatchStatus::kDone) {
    Act(rng);
    scheduler_.Run();
    DeliverAll();
  }
  EXPECT_EQ(received_[0].events.back(), "game-ended");
  EXPECT_EQ(received_[1].events.back(), "game-ended");
}

TEST_F(WebhookAgentTest, AKillAtAnyMomentLosesNothing) {
  std::size_t restarts = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    received_.clear();
    targets_.clear();
    Rng rng(seed);
    journal_ = {};
    Open(seed % 2 == 0 ? *netrunner_ : *tictactoe_, seed);
    for (int step = 0; step < 4000 && match_->status() != MatchStatus::kDone; ++step) {
      const std::uint64_t what = rng.Below(40);
      if (what < 16) {
        Deliver();
      } else if (what < 18) {
        if (!receivers_.waiting.empty()) Answer(503);
      } else if (what < 20) {
        scheduler_.Advance(std::chrono::seconds(1));
      } else if (what < 22) {
        Deliver(false);
        Restart();
        ++restarts;
      } else if (what < 23) {
        Act(rng);  // although it is durable, nobody has heard of it
        Restart();
        ++restarts;
      } else if (what < 26) {
        DeliverAll();
        for (SeatIndex seat = 0; seat < 2; ++seat) {
          if (match_->seat(seat).decision() == nullptr) continue;
          ASSERT_TRUE(received_[seat].asked) << "who is asked knows of it; seed " << seed << ", step " << step;
        }
      } else {
        Act(rng);
        scheduler_.Run();
      }
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
    }
    ASSERT_EQ(match_->status(), MatchStatus::kDone);
    Restart();
    DeliverAll();
    for (int seat = 0; seat < 2; ++seat) {
      EXPECT_EQ(received_[seat].events.back(), "game-ended");
      EXPECT_EQ(std::ranges::count(received_[seat].events, "game-ended"), 1);
      EXPECT_EQ(std::ranges::count(received_[seat].events, "game-started"), 1);
      EXPECT_FALSE(HasWebhook(targets_[static_cast<std::size_t>(seat)]));
    }
    directory_.Remove(*match_);
    match_.reset();
    scheduler_.Run();
  }
  EXPECT_GT(restarts, 100u);
}

}  // namespace
}  // namespace openseat::agent_api
