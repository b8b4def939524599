// Games as they are written with published SDKs, one case per SDK, each with its habits: what comes before the result,
// what is sent again after a reconnect, how an unknown action is answered. Each plays ten minutes under every profile
// with a random agent. It must never be stranded, and be told only what is true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agents/random_agent.h"
#include "net/fake_socket.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/remote_table.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

enum class Before : std::uint8_t { kNothing, kUnregister, kContext, kForce };  // what comes before a good result
enum class Back : std::uint8_t { kNothing, kActions, kAll, kNever };           // what is sent after a reconnect

struct Habit {
  const char* sdk;
  Before before_result = Before::kNothing;
  bool unregisters_after = false;  // … the result
  bool registers_each_turn = false;
  Back back = Back::kNever;  // kNever: its connection is not broken, because it would not come back
  bool silent_back = false;  // without a startup
  Duration back_after = seconds(3);
  bool narrow = true;    // the schema offers free cells only; otherwise, the game refuses the others
  bool explains = true;  // a failing result says why
  const char* result = "action/result";
  bool ignores_names = false;       // any action but "say" is a move
  bool silent_on_unknown = false;   // an action that it does not know gets no result
  bool accepts_unknown = false;     // an action that it does not know gets a successful result
  bool accepts_wrong = false;       // likewise for wrong data, but then it waits for better data
  std::set<std::string> told = {};  // diagnostics that it deserves, besides those of a broken connection
};

// Nine cells, which are taken one by one; then a new board. An action "say" may be taken at any time.
class HabitGame {
 public:
  HabitGame(const Habit& habit, testing::FakeScheduler& scheduler, RemoteTable& table)
      : habit_(habit), scheduler_(scheduler), table_(table) {}

  void Connect(bool again) {
    socket_ = std::make_shared<net::FakeSocket>(scheduler_, ++sockets_);
    table_.Attach(std::make_unique<Link>(socket_, scheduler_), scheduler_.clock().Monotonic());
    read_ = 0;
    if (again && habit_.silent_back) {
      table_.ResumeSilently();
    } else {
      Send("startup", "");
    }
    if (!again) RegisterSay();
    if (again && habit_.back != Back::kNothing) {
      if (!habit_.silent_back) RegisterSay();
      if (registered_) Register();
      if (habit_.back == Back::kAll && waits_) Force();
    }
    if (!again) Turn();
  }
  void Break() {
    table_.Detach(socket_->id(), {.code = net::close_code::kAbnormal, .cause = net::Closing::Cause::kLost});
    socket_.reset();
    outbox_.clear();
  }
  // What was sent to it, one network latency later; and what it sent.
  void Exchange() {
    if (!socket_) return;
    std::vector<std::string> outbox;
    outbox.swap(outbox_);
    for (const std::string& text : outbox) {
      bool first = true;
      for (Decoded& decoded : DecodeClient(text))
        table_.OnMessage(text, std::move(decoded), std::exchange(first, false));
    }
    for (; read_ < socket_->sent.size(); ++read_) Read(socket_->sent[read_]);
    if (turn_at_ && scheduler_.clock().Monotonic() >= *turn_at_) Turn();
  }
  int moves() const { return moves_; }

 private:
  void Send(std::string_view command, const std::string& data) {
    std::string text = R"({"command":")" + std::string(command) + R"(","game":"Game")";
    if (!data.empty()) text += ",\"data\":" + data;
    outbox_.push_back(text + "}");
  }
  void RegisterSay() {
    Send("actions/register",
         R"({"actions":[{"name":"say","description":"Says something.","schema":{"type":"object",)"
         R"("properties":{"text":{"type":"string"},"loud":{"type":"boolean"}},"required":["text"]}}]})");
  }
  void Register() {
    std::string cells;
    for (int i = 0; i < 9; ++i) {
      if (!habit_.narrow || !taken_.contains(i)) cells += (cells.empty() ? "" : ",") + std::to_string(i);
    }
    Send("actions/register", R"({"actions":[{"name":"play","description":"Takes a cell.","schema":{"type":"object",)"
                             R"("properties":{"cell":{"enum":[)" +
                                 cells + R"(]}},"required":["cell"]}}]})");
    registered_ = true;
  }
  void Unregister() {
    if (!registered_ || habit_.registers_each_turn) return;
    Send("actions/unregister", R"({"action_names":["play"]})");
    registered_ = false;
  }
  void Force() {
    waits_ = true;
    Send("actions/force", R"({"state":"a board","query":"Your turn.","action_names":["play"]})");
  }
  void Turn() {
    turn_at_.reset();
    if (!registered_ || habit_.registers_each_turn) Register();
    Force();
  }
  void Result(const std::string& id, bool success, const std::string& message) {
    Send(habit_.result, R"({"id":")" + id + R"(","success":)" + (success ? "true" : "false") +
                            (message.empty() ? "" : R"(,"message":")" + message + '"') + "}");
  }
  void Refuse(const std::string& id, const std::string& why) { Result(id, false, habit_.explains ? why : ""); }

  void Read(const std::string& text) {
    const openseat::Result<ServerMessage> message = DecodeServer(text);
    ASSERT_TRUE(message) << text;
    const auto* action = std::get_if<ActionMessage>(&*message);
    if (action == nullptr) return;
    const bool plays = action->name == "play" || habit_.ignores_names;
    const bool known = action->name == "say" || (plays && registered_);
    if (!known) {
      if (habit_.silent_on_unknown) return;
      if (habit_.accepts_unknown) return Result(action->id, true, "");
      return Refuse(action->id, "There is no such action now.");
    }
    const openseat::Result<json::Value> data = json::Parse(action->data.value_or("{}"));
    if (habit_.accepts_wrong && (!data || !data->is_object() || data->get_object().empty())) {
      return Result(action->id, true, "");
    }
    if (!data || !data->is_object()) return Refuse(action->id, "The data must be an object.");
    if (action->name == "say") {
      const json::Value* said = json::Find(data->get_object(), "text");
      if (said == nullptr || !said->is_string()) return Refuse(action->id, "text must be a text.");
      return Result(action->id, true, "You said it.");
    }
    const json::Value* cell = json::Find(data->get_object(), "cell");
    if (cell == nullptr || !cell->is_number()) return Refuse(action->id, "cell must be a number.");
    const int number = cell->to_number<int>();
    if (taken_.contains(number)) return Refuse(action->id, "That cell is taken.");
    Play(action->id, number);
  }
  void Play(const std::string& id, int cell) {
    if (taken_.size() == 8) {
      taken_.clear();
    } else {
      taken_.insert(cell);
    }
    ++moves_;
    waits_ = false;
    if (habit_.before_result == Before::kUnregister) Unregister();
    if (habit_.before_result == Before::kContext) Send("context", R"({"message":"A cell was taken.","silent":false})");
    if (habit_.before_result == Before::kForce) Turn();
    Result(id, true, "You took it.");
    if (habit_.unregisters_after) Unregister();
    if (habit_.before_result == Before::kForce) return;
    Send("context", R"({"message":"The other one took a cell, too.","silent":false})");
    turn_at_ = scheduler_.clock().Monotonic() + milliseconds(200);
  }

  const Habit& habit_;
  testing::FakeScheduler& scheduler_;
  RemoteTable& table_;
  std::shared_ptr<net::FakeSocket> socket_;
  std::uint64_t sockets_ = 0;
  std::size_t read_ = 0;
  std::vector<std::string> outbox_;
  std::set<int> taken_;
  bool registered_ = false;
  bool waits_ = false;  // for an answer to its force
  std::optional<Instant> turn_at_;
  int moves_ = 0;
};

std::vector<Habit> Habits() {
  return {
      {.sdk = "Plain"},
      {.sdk = "Unity",
       .before_result = Before::kUnregister,
       .back = Back::kActions,
       .silent_back = true,
       .told = {"prot/reconnect/no_startup", "prot/reconnect/no_force", "perf/register/identical_duplicate"}},
      {.sdk = "Godot",
       .before_result = Before::kUnregister,
       .back = Back::kNothing,
       .silent_back = true,
       .told = {"prot/reconnect/no_startup", "prot/reconnect/no_force"}},
      {.sdk = "TypeScript", .unregisters_after = true, .narrow = false},
      {.sdk = "Python", .before_result = Before::kUnregister, .narrow = false},
      {.sdk = "C",
       .unregisters_after = true,
       .narrow = false,
       .explains = false,
       .result = "action:result",
       .ignores_names = true,
       .told = {"prot/command/misspelt", "prot/result/error_nomessage", "prot/result/unknown_action"}},
      {.sdk = "Cpp",
       .before_result = Before::kUnregister,
       .back = Back::kNothing,
       .silent_back = true,
       .told = {"prot/reconnect/no_startup", "prot/reconnect/no_force"}},
      {.sdk = "Java",
       .before_result = Before::kUnregister,
       .narrow = false,
       .accepts_unknown = true,
       .accepts_wrong = true,
       .told = {"prot/result/unknown_action", "prot/result/accepted_invalid"}},
      {.sdk = "JavaNextForceFirst",
       .before_result = Before::kForce,
       .registers_each_turn = false,
       .narrow = false,
       .told = {"prot/force/while_pending_result", "prot/force/multiple"}},
      {.sdk = "Lua",
       .before_result = Before::kUnregister,
       .back = Back::kNothing,
       .silent_back = true,
       .narrow = false,
       .told = {"prot/reconnect/no_startup", "prot/reconnect/no_force"}},
      {.sdk = "RenPy",
       .unregisters_after = true,
       .back = Back::kActions,
       .back_after = seconds(1),
       .told = {"prot/reconnect/no_force"}},
      {.sdk = "GameMaker", .silent_on_unknown = true, .told = {"perf/timeout/action_result"}},
      {.sdk = "CSharp",
       .before_result = Before::kUnregister,
       .back = Back::kActions,
       .silent_back = true,
       .back_after = seconds(30),
       .told = {"prot/reconnect/no_startup", "prot/reconnect/no_force", "perf/register/identical_duplicate"}},
      {.sdk = "Kotlin",
       .registers_each_turn = true,
       .back = Back::kActions,
       .back_after = seconds(2),
       .told = {"perf/register/identical_duplicate", "prot/v1/register/conflict", "prot/reconnect/no_force"}},
      {.sdk = "Rust",
       .before_result = Before::kContext,
       .unregisters_after = true,
       .back = Back::kAll,
       .told = {"prot/context/while_pending"}},
  };
}

struct Meeting {
  Habit habit;
  Profile profile;
};

std::vector<Meeting> Meetings() {
  std::vector<Meeting> all;
  for (const Habit& habit : Habits()) {
    for (const Profile profile : {Profile::kDocument, Profile::kProduction, Profile::kChaos}) {
      all.push_back({habit, profile});
    }
  }
  return all;
}

void PlayTenMinutes(const Habit& habit, Profile profile, std::uint64_t seed) {
  testing::FakeScheduler scheduler;
  testing::MemoryJournal journal;
  NeuroProfiles profiles;
  profiles.start = profile;
  profiles.seed = seed;
  const RemoteAgents agents{.by_default = [seed](const std::string&) {
    return std::make_unique<RandomAgent>(RandomAgentOptions{.seed = seed, .invalid = 0.2});
  }};
  RemoteTable table(TableId("game-1"), "Game", profiles, agents, scheduler, journal);
  HabitGame game(habit, scheduler, table);
  game.Connect(false);

  // A connection breaks every 97 s, in whatever state the game is.
  constexpr Duration kStep = milliseconds(20);
  constexpr Duration kMostWait = minutes(2);
  Duration longest{0};
  Duration waited{0};
  Duration broken{0};
  int moves = 0;
  for (Duration now{0}; now < minutes(10); now += kStep) {
    scheduler.Advance(kStep);
    game.Exchange();
    scheduler.Run();
    if (habit.back != Back::kNever && now % seconds(97) == Duration(0) && now > Duration(0)) {
      game.Break();
      broken = habit.back_after;
    } else if (broken > Duration(0)) {
      broken -= kStep;
      if (broken <= Duration(0)) game.Connect(true);
    }
    waited = game.moves() == moves ? waited + kStep : Duration(0);
    moves = game.moves();
    longest = std::max(longest, waited);
  }
  EXPECT_LT(longest, kMostWait) << "stranded for " << longest.count() / 1'000'000 << " s";
  const int at_once = habit.silent_on_unknown ? 100 : 300;  // 20 s are lost for each action without a result
  EXPECT_GT(moves, profile == Profile::kDocument ? at_once : 40);

  std::set<std::string> allowed = habit.told;
  allowed.insert({"prot/force/refused", "prot/force/gave_up", "prot/context/while_pending", "prot/force/emptied"});
  // Advice that no published client follows, and that the games of this test earn.
  allowed.insert({"prot/schema/additionalProperties", "perf/result/vague_error", "perf/unregister/after_result"});
  if (habit.back != Back::kNever) allowed.insert({"prot/close/abnormal", "prot/result/duplicate"});
  for (const json::Value& found : table.Diagnostics()) {
    EXPECT_TRUE(allowed.contains(found.at("key").as_string().c_str())) << json::Write(found);
  }
}

class SdkHabits : public ::testing::TestWithParam<Meeting> {};

TEST_P(SdkHabits, TenMinutesWithoutBeingStrandedOrWronglyAccused) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PlayTenMinutes(GetParam().habit, GetParam().profile, seed);
  }
}

INSTANTIATE_TEST_SUITE_P(TenMinutes, SdkHabits, ::testing::ValuesIn(Meetings()),
                         [](const ::testing::TestParamInfo<Meeting>& meeting) {
                           return std::string(meeting.param.habit.sdk) + "_" +
                                  std::string(ProfileName(meeting.param.profile));
                         });

}  // namespace
}  // namespace openseat::neuro
