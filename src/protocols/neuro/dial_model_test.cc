// Whatever the backend, the table and the network do, in any order: a seat that dials out sends only what a game may
// send. A model of the backend reads every message and checks it against the API.
#include <gtest/gtest.h>
#include <algorithm>

#include <map>
#include <set>

#include "base/rng.h"
#include "net/fake_socket.h"
#include "protocols/neuro/action_check.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/dial_agent.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

// One connection as the backend knows it.
// But for what other testers miss: the API does not want additionalProperties.
bool IsSound(const CheckedAction& checked) {
  return std::ranges::all_of(checked.issues,
                             [](const Issue& issue) { return issue.diagnostic == Diagnostic::kSchemaAdditional; });
}

class BackendModel {
 public:
  void Read(const std::string& text) {
    const std::vector<Decoded> documents = DecodeClient(text);
    ASSERT_EQ(documents.size(), 1u) << text;
    EXPECT_TRUE(documents[0].issues.empty()) << text;
    ASSERT_TRUE(documents[0].message.has_value()) << text;
    const ClientMessage& message = *documents[0].message;
    EXPECT_EQ(message.game, "Game");
    EXPECT_EQ(std::holds_alternative<StartupMessage>(message.body), messages_++ == 0)
        << "startup is the first: " << text;
    if (const auto* registering = std::get_if<RegisterMessage>(&message.body)) {
      EXPECT_FALSE(registering->actions.empty()) << text;
      bool again = false;
      for (const ActionDefinition& action : registering->actions) {
        schema::Budget budget;
        EXPECT_TRUE(IsSound(CheckAction(action, budget))) << text;
        again = !registered_.insert(action.name).second || again;
      }
      EXPECT_TRUE(asked_again_ || !again) << "registered twice: " << text;
      // What is asked for within a second of the last time comes later.
      if (again) asked_again_ = false;
    } else if (const auto* gone = std::get_if<UnregisterMessage>(&message.body)) {
      EXPECT_FALSE(gone->action_names.empty()) << text;
      for (const std::string& name : gone->action_names) {
        EXPECT_EQ(registered_.erase(name), 1u) << "never registered: " << text;
        forced_.erase(name);
      }
    } else if (const auto* force = std::get_if<ForceMessage>(&message.body)) {
      EXPECT_FALSE(force->action_names.empty()) << text;
      EXPECT_FALSE(force->query.empty()) << text;
      EXPECT_TRUE(forced_.empty() || refused_) << "a force while one is open: " << text;
      EXPECT_TRUE(owed_.empty()) << "a force while a result is due: " << text;
      for (const std::string& name : force->action_names) EXPECT_TRUE(registered_.contains(name)) << text;
      forced_ = {force->action_names.begin(), force->action_names.end()};
      refused_ = false;
      ++forces;
    } else if (const auto* result = std::get_if<ResultMessage>(&message.body)) {
      EXPECT_EQ(owed_.erase(result->id), 1u) << "not asked, or answered before: " << text;
      EXPECT_TRUE(result->success || !result->message.empty()) << "refused without a message: " << text;
      if (result->success) {
        forced_.clear();
      } else {
        refused_ = true;
      }
      ++results;
    }
  }

  std::string Action(Rng& rng) {
    std::vector<std::string> names(registered_.begin(), registered_.end());
    names.emplace_back("fly");
    const std::string name = names[rng.Below(names.size())];
    const std::string id = std::to_string(++last_id_);
    owed_.insert(id);
    std::string text;
    switch (rng.Below(5)) {
      case 0:
        EncodeAction(id, name, std::nullopt, text);
        break;
      case 1:
        EncodeAction(id, name, "{no JSON", text);
        break;
      case 2:
        EncodeAction(id, name, R"({"cell":9})", text);
        break;
      default:
        EncodeAction(id, name, R"({"cell":1})", text);
        break;
    }
    return text;
  }
  void AskAgain() { asked_again_ = true; }
  const std::set<std::string>& owed() const { return owed_; }

  std::size_t forces = 0;
  std::size_t results = 0;

 private:
  std::size_t messages_ = 0;
  std::uint64_t last_id_ = 0;
  bool asked_again_ = false;
  std::set<std::string> registered_;
  std::set<std::string> forced_;
  bool refused_ = false;
  std::set<std::string> owed_;
};

class DialModel : public ::testing::Test, public SeatHost {
 protected:
  void OnChoice(Seat&, const PendingChoice& choice) override { pending_ = choice.id; }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd) override {}
  void OnRefused(Seat&, const Choice&, const Error&) override {}

  void Play(std::uint64_t seed) {
    Rng rng(seed);
    seat_ = std::make_unique<Seat>(0, "Alex", static_cast<SeatHost&>(*this), scheduler_, transcript_, SeatRules{});
    seat_->SetBriefing({"Game", "The rules."});
    seat_->SetAgent(std::make_unique<DialAgent>(
        DialAgentOptions{.url = "ws://backend", .game = {}},
        [this](Scheduler&, const std::string&, std::unique_ptr<net::WebSocketSession> session,
               std::function<void(Error)> failed) {
          dialed_ = std::move(session);
          failed_ = std::move(failed);
        }));
    for (int step = 0; step < 150 && !HasFailure(); ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      Step(rng);
      Settle();
      // Everything is answered except what the table has yet to judge.
      EXPECT_LE(model_ ? model_->owed().size() : 0u, pending_ ? 1u : 0u);
    }
    seat_->End();
    Settle();
    EXPECT_EQ(session_ ? socket_->closed_with : net::close_code::kNormal, net::close_code::kNormal);
    session_.reset();
    dialed_.reset();
    failed_ = nullptr;
    pending_.reset();
    if (model_) {
      forces_ += model_->forces;
      results_ += model_->results;
    }
    model_.reset();
    seat_.reset();
  }

  void Settle() {
    scheduler_.Run();
    if (!socket_) return;
    for (const std::string& text : socket_->Take()) model_->Read(text);
  }
  void Break() {
    session_->OnClosed({.code = net::close_code::kAbnormal});
    session_.reset();
    socket_.reset();
    forces_ += model_->forces;
    results_ += model_->results;
    model_.reset();
  }
  static ActionPtr MakeAction(const std::string& name, Rng& rng) {
    auto action = std::make_shared<Action>();
    action->name = name;
    action->description = "Does it";
    if (rng.Chance(0.7)) {
      action->schema = *json::Parse(R"({"type":"object","properties":{"cell":{"enum":[0,1,2]}},"required":["cell"],
                                       "additionalProperties":false})");
    }
    return action;
  }

  void Step(Rng& rng) {
    constexpr std::array<const char*, 4> kNames = {"move", "Pass!", "pass", "drop card"};
    const std::string name = kNames[rng.Below(kNames.size())];
    switch (rng.Below(12)) {
      case 0:
      case 1: {
        Decision decision;
        decision.query = "Your turn.";
        if (rng.Chance(0.5)) decision.sight = std::make_shared<Sight>("A state.");
        if (rng.Chance(0.3)) decision.time_limit = std::chrono::seconds(30);
        decision.actions.Put(MakeAction(name, rng));
        if (rng.Chance(0.5)) decision.actions.Put(MakeAction("move", rng));
        seat_->Ask(std::move(decision));
        break;
      }
      case 2:
        seat_->AddAction(MakeAction(name, rng));
        break;
      case 3:
        seat_->RemoveAction(name);
        break;
      case 4:
      case 5:
        if (pending_) {
          Verdict verdict;
          constexpr std::array<Verdict::Kind, 5> kKinds = {Verdict::Kind::kAccepted, Verdict::Kind::kAccepted,
                                                           Verdict::Kind::kRefused, Verdict::Kind::kTimedOut,
                                                           Verdict::Kind::kLost};
          verdict.kind = kKinds[rng.Below(kKinds.size())];
          if (verdict.kind == Verdict::Kind::kRefused) verdict.message = "no";
          const ChoiceId id = *std::exchange(pending_, std::nullopt);
          seat_->Settle(id, verdict);
        }
        break;
      case 6:
        seat_->Tell({.message = "Something happened.", .silent = rng.Chance(0.5)});
        break;
      case 7:
        scheduler_.Advance(Duration(rng.Between(1, 70'000'000)));
        break;
      case 8:
        if (session_ && rng.Chance(0.3)) Break();
        break;
      default:
        Backend(rng);
        break;
    }
  }

  void Backend(Rng& rng) {
    if (!session_ && dialed_) {
      if (rng.Chance(0.3)) {
        dialed_.reset();
        std::exchange(failed_, nullptr)({ErrorCode::kIo, "nobody listens", {}});
        return;
      }
      session_ = std::move(dialed_);
      socket_ = std::make_shared<net::FakeSocket>(scheduler_, ++sockets_);
      model_ = std::make_unique<BackendModel>();
      session_->OnOpen(socket_);
      return;
    }
    if (!session_) return;
    if (rng.Chance(0.1)) {
      model_->AskAgain();
      session_->OnText(R"({"command":"actions/reregister_all"})");
    } else if (rng.Chance(0.1)) {
      session_->OnText("nonsense");
    } else {
      session_->OnText(model_->Action(rng));
    }
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Transcript transcript_{journal_, scheduler_, TableId("table")};
  std::unique_ptr<net::WebSocketSession> dialed_;
  std::function<void(Error)> failed_;
  std::unique_ptr<net::WebSocketSession> session_;
  std::shared_ptr<net::FakeSocket> socket_;
  std::unique_ptr<BackendModel> model_;
  std::uint64_t sockets_ = 0;
  std::optional<ChoiceId> pending_;
  std::size_t forces_ = 0;
  std::size_t results_ = 0;
  std::unique_ptr<Seat> seat_;
};

TEST_F(DialModel, NothingThatHappensMakesItBreakTheApi) {
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) Play(seed);
  EXPECT_GT(forces_, 1000u);
  EXPECT_GT(results_, 1000u);
}

}  // namespace
}  // namespace openseat::neuro
