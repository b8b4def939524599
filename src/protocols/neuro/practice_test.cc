#include "protocols/neuro/practice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace openseat::neuro {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Forced {
  std::optional<std::string> state{};
  std::string query{};
  bool ephemeral_context = false;
  Priority priority = Priority::kLow;
};

// A game that talks to a Practice.
class TalkingGame {
 public:
  TalkingGame() { Say(StartupMessage{}); }

  void Wait(Duration duration) { now_ += duration; }
  void Say(decltype(ClientMessage::body) body, std::string game = "Chess") {
    practice_.Saw({std::move(game), std::move(body)}, now_);
  }
  void Tell(std::string message) { Say(ContextMessage{.message = std::move(message)}); }
  void Register(const std::vector<std::string>& names, std::string_view schema = {},
                const std::string& description = "Does it.") {
    RegisterMessage message;
    for (const std::string& name : names) {
      message.actions.push_back(
          {name, description, schema.empty() ? std::nullopt : std::optional(json::Parse(schema).value())});
    }
    Say(message);
  }
  void Unregister(std::string name) { Say(UnregisterMessage{{std::move(name)}}); }
  void Force(std::string name, const Forced& force = {.state = "The state.", .query = "Your turn."}) {
    Say(ForceMessage{force.state, force.query, force.ephemeral_context, force.priority, {std::move(name)}});
  }
  void Answer(const std::string& action, bool success = true, std::string message = {}) {
    practice_.Sent("id", action);
    Say(ResultMessage{"id", success, std::move(message)});
  }
  // A turn as the official SDKs play it.
  void Turn(const std::string& action) {
    Register({action});
    Force(action);
    practice_.Sent("id", action);
    Unregister(action);
    Say(ResultMessage{"id", true, "You did it."});
  }

  std::vector<Diagnostic> found_;
  Practice practice_{[this](Diagnostic rule, const std::string&) { found_.push_back(rule); }};

 private:
  Instant now_{seconds(1'000)};
};

void Times(int times, const std::function<void(int)>& each) {
  for (int i = 0; i < times; ++i) each(i);
}

const std::string kLong(500, 'x');

struct Habit {
  std::string name;
  Diagnostic rule;
  std::function<void(TalkingGame&)> bad;
  std::function<void(TalkingGame&)> fine;  // just below, or the recommended way
};
void PrintTo(const Habit& habit, std::ostream* out) {
  *out << habit.name;
}

std::vector<Habit> AllHabits() {
  using enum Diagnostic;
  using Game = TalkingGame;
  return {
      {"Heading", kContextHeading, [](Game& g) { g.Tell("Now:\n# Rules\nNone."); },
       [](Game& g) { g.Tell("## Rules\n#1 is first\n```\n# a comment\n```"); }},
      {"HeadingInState", kContextHeading, [](Game& g) { g.Force("a", {.state = "# Board", .query = "q"}); },
       [](Game& g) { g.Force("a", {.state = "### Board", .query = "q"}); }},
      {"Dump", kContextDump, [](Game& g) { g.Tell("[\"" + kLong + "\"]"); }, [](Game& g) { g.Tell("[1, 2]"); }},
      {"Flood", kContextFlood,
       [](Game& g) {
         g.Wait(seconds(6));
         Times(11, [&](int i) { g.Tell(std::string(static_cast<std::size_t>(i + 1), 'x')); });
       },
       [](Game& g) { Times(40, [&](int i) { g.Tell(std::string(static_cast<std::size_t>(i + 1), 'x')); }); }},
      {"FloodWithoutTurns", kContextFlood,
       [](Game& g) {
         g.Wait(seconds(6));
         Times(31, [&](int i) {
           g.Wait(milliseconds(1'900));
           g.Tell(std::string(static_cast<std::size_t>(i + 1), 'x'));
         });
       },
       [](Game& g) {
         g.Wait(seconds(6));
         Times(30, [&](int) {
           g.Turn("play_card");
           g.Tell("They played a card.");
           g.Tell("You drew one.");
         });
       }},
      {"Telemetry", kContextTelemetry,
       [](Game& g) {
         g.Wait(seconds(6));
         Times(5, [&](int i) {
           g.Wait(seconds(2));
           g.Tell("You are at " + std::to_string(i * 7));
         });
       },
       [](Game& g) {
         g.Wait(seconds(6));
         Times(9, [&](int i) {
           g.Tell("They played at " + std::to_string(i));
           g.Turn("play_card");
         });
       }},
      {"Repeated", kContextRepeated, [](Game& g) { Times(4, [&](int) { g.Tell(kLong); }); },
       [](Game& g) {
         Times(9, [&](int) {
           g.Tell(kLong);
           g.Wait(seconds(101));
         });
       }},
      {"StateAsContext", kContextState,
       [](Game& g) {
         Times(3, [&](int) {
           g.Tell("It is your turn.");
           g.Force("a", {.query = "q"});
         });
       },
       [](Game& g) {
         Times(9, [&](int) {
           g.Tell("It is your turn.");
           g.Wait(seconds(1));
           g.Force("a", {.query = "q"});
         });
       }},
      {"BlankContext", kContextEmpty, [](Game& g) { g.Tell(" \n"); }, [](Game& g) { g.Tell("."); }},
      {"VagueName", kActionVagueName, [](Game& g) { g.Register({"action_3"}); },
       [](Game& g) { g.Register({"action_card", "play_card_3"}); }},
      {"LongDescription", kActionLongText,
       [](Game& g) { g.Register({"play"}, {}, "Plays it. It is a card. It costs one. You may do it once."); },
       [](Game& g) { g.Register({"play"}, {}, "Plays a card, e.g. the king. It costs 1.5 coins."); }},
      {"ListsActions", kActionListsActions, [](Game& g) { g.Register({"list_my_actions"}); },
       [](Game& g) { g.Register({"show_hand", "take_action"}); }},
      {"Churn", kActionsChurn,
       [](Game& g) {
         g.Wait(seconds(6));
         Times(14, [&](int i) {
           g.Register({std::string(static_cast<std::size_t>(i + 2), 'a')});
           g.Wait(seconds(2));
           g.Tell("Something happens.");
         });
         g.Force("aa");
       },
       [](Game& g) {
         Times(20, [&](int i) { g.Register({std::string(static_cast<std::size_t>(i + 2), 'a')}); });
         g.Wait(seconds(6));
         Times(40, [&](int) {
           g.Turn("play_card");
           g.Wait(milliseconds(1'500));
         });
       }},
      {"SameAgain", kActionsAgain,
       [](Game& g) {
         Times(5, [&](int) {
           g.Register({"wait"});
           g.Unregister("wait");
         });
       },
       [](Game& g) { Times(20, [&](int) { g.Turn("play_card"); }); }},
      {"EnumAgain", kActionsEnumChurn,
       [](Game& g) {
         Times(4, [&](int i) {
           g.Unregister("buy");
           g.Register({"buy"}, R"({"type":"object","properties":{"item":{"enum":[)" + std::to_string(i) + "]}}}");
         });
       },
       [](Game& g) {
         Times(9, [&](int i) {
           g.Unregister("buy");
           g.Register({"buy"}, R"({"type":"object","properties":{"item":{"enum":[)" + std::to_string(i) + "]}}}");
           g.Force("buy");
         });
       }},
      {"Alike", kActionsAlike,
       [](Game& g) { g.Register({"play_card_1", "play_card_2", "play_card_3", "play_card_4", "play_card_5"}); },
       [](Game& g) { g.Register({"move_up", "move_down", "move_left", "move_right", "open_door_1"}); }},
      {"Many", kActionsMany,
       [](Game& g) { Times(41, [&](int i) { g.Register({std::string(static_cast<std::size_t>(i + 2), 'a')}); }); },
       [](Game& g) { Times(40, [&](int i) { g.Register({std::string(static_cast<std::size_t>(i + 2), 'a')}); }); }},
      {"NoQuery", kForceNoQuery, [](Game& g) { g.Force("a", {.state = "s"}); },
       [](Game& g) { g.Force("a", {.query = "q"}); }},
      {"Critical", kForceUrgent,
       [](Game& g) {
         Times(3, [&](int) { g.Force("a", {.state = "s", .query = "q", .priority = Priority::kCritical}); });
       },
       [](Game& g) {
         Times(3, [&](int) {
           g.Force("a", {.state = "s", .query = "q", .priority = Priority::kCritical});
           g.Wait(seconds(40));
         });
       }},
      {"AlwaysHigh", kForceUrgent,
       [](Game& g) { Times(8, [&](int) { g.Force("a", {.state = "s", .query = "q", .priority = Priority::kHigh}); }); },
       [](Game& g) {
         Times(20, [&](int i) {
           g.Force("a", {.state = "s", .query = "q", .priority = i == 0 ? Priority::kLow : Priority::kHigh});
         });
       }},
      {"Remembered", kForceRemembered,
       [](Game& g) { Times(3, [&](int) { g.Force("a", {.state = kLong + kLong, .query = "q"}); }); },
       [](Game& g) {
         Times(9, [&](int) { g.Force("a", {.state = kLong + kLong, .query = "q", .ephemeral_context = true}); });
       }},
      {"LongState", kForceLong, [](Game& g) { g.Force("a", {.state = std::string(8'001, 'x'), .query = "q"}); },
       [](Game& g) { g.Force("a", {.state = std::string(8'000, 'x'), .query = "q", .ephemeral_context = true}); }},
      {"LongList", kForceLong,
       [](Game& g) {
         std::string list;
         Times(61, [&](int) { list += "- one\n"; });
         g.Force("a", {.state = list, .query = "q"});
       },
       [](Game& g) {
         std::string text;
         Times(61, [&](int) { text += "one\n"; });
         g.Force("a", {.state = text, .query = "q"});
       }},
      {"Chained", kForceChained,
       [](Game& g) {
         g.Register({"color", "size", "place"});
         Times(4, [&](int) {
           for (const char* name : {"color", "size", "place"}) {
             g.Force(name);
             g.Answer(name, true, "Chosen.");
           }
         });
       },
       [](Game& g) {
         g.Register({"color", "size", "place"});
         Times(9, [&](int) {
           for (const char* name : {"color", "size", "place"}) {
             g.Force(name);
             g.Answer(name, true, "Chosen.");
             g.Wait(seconds(1));
           }
         });
       }},
      {"NeverForced", kForceNever,
       [](Game& g) {
         g.Register({"wait"});
         g.Wait(seconds(180));
         g.Tell("Still here.");
       },
       [](Game& g) {
         g.Register({"wait"});
         g.Force("wait");
         g.Wait(seconds(180));
         g.Tell("Still here.");
       }},
      {"VagueFailure", kResultVague, [](Game& g) { g.Answer("a", false, "Invalid"); },
       [](Game& g) { g.Answer("a", false, "The cell 3 is taken; choose 1, 5 or 9."); }},
      {"SameFailure", kResultVague,
       [](Game& g) {
         g.Force("a");
         Times(3, [&](int) { g.Answer("a", false, "That is not possible now."); });
       },
       [](Game& g) {
         Times(3, [&](int) {
           g.Force("a");
           Times(2, [&](int) { g.Answer("a", false, "That is not possible now."); });
         });
       }},
      {"SaysNothing", kResultSameText, [](Game& g) { Times(11, [&](int) { g.Answer("a"); }); },
       [](Game& g) {
         Times(20, [&](int) {
           g.Answer("a");
           g.Tell("You opened the door.");
         });
       }},
      {"SaysOneThing", kResultSameText,
       [](Game& g) { Times(5, [&](int i) { g.Answer(std::string(1, static_cast<char>('a' + i)), true, "OK"); }); },
       [](Game& g) { Times(20, [&](int) { g.Answer("play", true, "OK"); }); }},
      {"LongResult", kResultLong, [](Game& g) { g.Answer("a", true, std::string(1'001, 'x')); },
       [](Game& g) { g.Answer("a", true, std::string(1'000, 'x')); }},
      {"UnregistersAfterwards", kUnregisterLate,
       [](Game& g) {
         Times(3, [&](int) {
           g.Register({"play_card"});
           g.Force("play_card");
           g.Answer("play_card", true, "You did it.");
           g.Unregister("play_card");
         });
       },
       [](Game& g) { Times(20, [&](int) { g.Turn("play_card"); }); }},
      {"Identifier", kGameDisplayName, [](Game& g) { g.Say(StartupMessage{}, "my_game"); },
       [](Game& g) {
         g.Say(StartupMessage{}, "chess");
         g.Say(StartupMessage{}, "Half-Life");
       }},
  };
}

class PracticeTest : public ::testing::TestWithParam<Habit> {};

TEST_P(PracticeTest, IsFound) {
  TalkingGame game;
  GetParam().bad(game);
  EXPECT_THAT(game.found_, ElementsAre(GetParam().rule));
  EXPECT_GE(game.practice_.count(GetParam().rule), 1u);
}

TEST_P(PracticeTest, HasNoFalseAlarm) {
  TalkingGame game;
  GetParam().fine(game);
  EXPECT_THAT(game.found_, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Habits, PracticeTest, ::testing::ValuesIn(AllHabits()),
                         [](const auto& each) { return each.param.name; });

TEST(PracticeCountTest, IsReportedOnceAndCounted) {
  TalkingGame game;
  Times(3, [&](int) { game.Tell(""); });
  EXPECT_THAT(game.found_, ElementsAre(Diagnostic::kContextEmpty));
  EXPECT_EQ(game.practice_.count(Diagnostic::kContextEmpty), 3u);
}

TEST(PracticeCountTest, AStartupBeginsANewSession) {
  TalkingGame game;
  Times(9, [&](int) {
    game.Tell(kLong);
    game.Say(StartupMessage{});
  });
  EXPECT_THAT(game.found_, IsEmpty());
}

}  // namespace
}  // namespace openseat::neuro
