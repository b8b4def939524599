#include "protocols/mcp/play.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "protocols/mcp/play_test_support.h"
#include "protocols/mcp/test_exchange.h"

namespace openseat::mcp {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A tool's answer, taken apart.
struct ToolAnswer {
  bool answered = false;
  bool error = false;
  std::string text;
  json::Object structured;

  std::string Member(std::string_view name) const {
    const json::Value* value = json::Find(structured, name);
    return value != nullptr && value->is_string() ? std::string(json::View(value->get_string())) : std::string();
  }
  std::string Decision() const {
    const json::Value* decision = json::Find(structured, "decision");
    return decision == nullptr ? std::string() : std::string(json::View(decision->at("id").as_string()));
  }
};

class PlayTest : public ::testing::Test {
 protected:
  // `ask_others`: as in a cluster.
  explicit PlayTest(PlayWorld::AskOthers ask_others = {})
      : play_(PlayWorld{.home = hall_.scheduler,
                        .lobby = hall_.lobby,
                        .directory = hall_.directory,
                        .journal = hall_.journal,
                        .kinds = Hall::Kinds(),
                        .reads = reads_,
                        .seat_tools = {Echo()},
                        .ask_others = std::move(ask_others)}) {
    play_.AddTo(server_);
    session_->version = "2025-11-25";
  }
  // Starts a call, which is answered at once or later.
  std::shared_ptr<Heard> Begin(const std::string& tool, json::Object arguments, json::Object meta = {}) {
    json::Object params{{"name", tool}, {"arguments", std::move(arguments)}};
    if (!meta.empty()) params["_meta"] = std::move(meta);
    const json::Object message{
        {"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", "tools/call"}, {"params", std::move(params)}};
    auto decoded = DecodeMessage(json::Write(message));
    auto envelope = ReadEnvelope(*decoded, nullptr);
    auto heard = std::make_shared<Heard>();
    last_ = server_.Handle({std::move(*decoded), std::move(*envelope), session_, std::nullopt, caller_}, heard);
    if (hangs_up_) last_.lock()->HungUp();
    hall_.scheduler.Run();
    return heard;
  }
  static ToolAnswer Read(const Heard& heard) {
    ToolAnswer out;
    if (heard.answer.empty()) return out;
    out.answered = true;
    const json::Value message = *json::Parse(heard.answer);
    const json::Value* result = json::Find(message.as_object(), "result");
    if (result == nullptr) {
      out.error = true;
      out.text = heard.answer;
      return out;
    }
    if (const json::Value* error = json::Find(result->as_object(), "isError")) out.error = error->as_bool();
    out.text = std::string(json::View(result->at("content").as_array().at(0).at("text").as_string()));
    if (const json::Value* more = json::Find(result->as_object(), "structuredContent")) {
      out.structured = more->as_object();
    }
    return out;
  }
  // Waits for the answer as long as a host would.
  ToolAnswer Call(const std::string& tool, json::Object arguments) {
    const auto heard = Begin(tool, std::move(arguments));
    for (int i = 0; i < 600 && heard->answer.empty(); ++i) hall_.scheduler.Advance(std::chrono::milliseconds(100));
    return Read(*heard);
  }

  // Returns the seat and what it was given; refuses if that is nothing.
  static SeatTool Echo() {
    Tool tool;
    tool.name = "echo_seat";
    tool.input_schema = json::Parse(R"({"type":"object","properties":{"text":{"type":"string"}},"required":[],
        "additionalProperties":false})")
                            ->as_object();
    return {std::move(tool), [](Table&, ExternalAgent& agent, const json::Object& arguments,
                                const std::function<void(Result<json::Object>)>& done) {
              if (!arguments.contains("text")) return done(Fail(ErrorCode::kInvalid, "there is no text"));
              done(json::Object{{"seat", agent.seat()->index()}, {"text", arguments.at("text")}});
            }};
  }

  Hall hall_;
  Reads reads_{hall_.scheduler};
  Play play_;
  Server server_{{"openseat", "Openseat", "1", PlayInstructions()}};
  std::shared_ptr<Session> session_ = std::make_shared<Session>();
  Caller caller_;
  std::weak_ptr<openseat::mcp::Call> last_;
  bool hangs_up_ = false;  // the client, as soon as it has asked
  std::int64_t last_id_ = 0;
};

class ClusterPlayTest : public PlayTest {
 protected:
  ClusterPlayTest() : PlayTest([this](const CallPtr&, const auto& done) { done(answers_); }) {}
  static json::Object Table(const std::string& id, int opened) {
    return {{"id", id}, {"seats", json::Array()}, {"after", std::to_string(opened) + ":" + id}};
  }
  static OthersAnswer Answer(const std::string& node, json::Array tables) {
    return {node, json::Object{{"structuredContent", json::Object{{"tables", std::move(tables)}}}}};
  }
  std::vector<std::string> Listed() {
    listed_ = Call("list_tables", {});
    std::vector<std::string> ids;
    for (const json::Value& table : listed_.structured.at("tables").as_array()) {
      ids.emplace_back(json::View(table.at("id").as_string()));
    }
    return ids;
  }

  std::vector<OthersAnswer> answers_;
  ToolAnswer listed_;
};

TEST_F(ClusterPlayTest, EachTableIsListedOnceAndMissingServersAreNamed) {
  const TableId here = hall_.Match("tictactoe", {"external", ""});
  // One moves just now.
  answers_ = {Answer("two", {Table("a", 1), Table("b", 2)}), Answer("three", {Table("b", 2)})};
  EXPECT_THAT(Listed(), ::testing::UnorderedElementsAre(here.str(), "a", "b"));
  EXPECT_FALSE(listed_.structured.contains("unanswered"));
  answers_ = {{"two", std::nullopt}, Answer("three", {}), {"four", json::Object{{"isError", true}}}};
  EXPECT_THAT(Listed(), ::testing::ElementsAre(here.str()));
  EXPECT_EQ(listed_.structured.at("unanswered"), (json::Value(json::Array{"two", "four"})));
  EXPECT_THAT(listed_.text, HasSubstr("two four"));
}

TEST_F(ClusterPlayTest, NoTablesAreNotClaimedWhereServersAreMissing) {
  EXPECT_TRUE(Listed().empty());
  EXPECT_THAT(listed_.text, HasSubstr("There are no tables now"));
  answers_ = {{"two", std::nullopt}};
  EXPECT_TRUE(Listed().empty());
  EXPECT_THAT(listed_.text, ::testing::Not(HasSubstr("There are no tables now")));
}

TEST_F(PlayTest, PlaysAMatchToItsEnd) {
  ToolAnswer view = Call("create_match", {{"game", "tictactoe"}, {"name", "Ada"}});
  ASSERT_FALSE(view.error) << view.text;
  const std::string token = view.Member("token");
  EXPECT_THAT(view.text, HasSubstr(token));
  int acts = 0;
  while (view.Member("status") != "game_over") {
    ASSERT_EQ(view.Member("status"), "your_turn") << view.text;
    view = Call("act", {{"token", token}, {"decision", view.Decision()}, {"choice", "1"}});
    ASSERT_FALSE(view.error) << view.text;
    EXPECT_THAT(view.text, StartsWith("\"move\" was accepted."));
    ASSERT_LT(++acts, 6);
  }
  EXPECT_NE(view.Member("outcome"), "");
}

TEST_F(PlayTest, AnActIsAnsweredAlsoWhereOthersCompleteTheTurn) {
  hall_.Match("narrative", {"external", "external"});
  const std::string narrator = hall_.tokens[0];
  const std::string player = hall_.tokens[1];
  const auto act = [&](const std::string& token, const char* action, std::string_view data) {
    return json::Object{{"token", token},
                        {"decision", Call("get_state", {{"token", token}}).Decision()},
                        {"action", action},
                        {"data", *json::Parse(data)},
                        {"timeout_s", 0}};
  };
  constexpr std::string_view kTurn =
      R"({"narrative":"It rains.","emotion":"sad","choices":[{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","label":"Wait"}]})";
  EXPECT_THAT(Call("act", act(narrator, "narrate", kTurn)).text, StartsWith("\"narrate\" was accepted."));
  const std::shared_ptr<Heard> said = Begin("act", act(player, "say", R"({"text":"I wait."})"));
  EXPECT_FALSE(Read(*said).answered) << "the narrator may be quick";
  hall_.scheduler.Advance(seconds(10));
  EXPECT_FALSE(Read(*said).error) << Read(*said).text;
  EXPECT_THAT(Read(*said).text,
              AllOf(StartsWith("The choice was passed on and is not decided yet"), HasSubstr("wait")));
  EXPECT_THAT(Call("act", act(narrator, "narrate", kTurn)).text, StartsWith("\"narrate\" was accepted."));
  EXPECT_NE(Call("get_state", {{"token", player}}).Decision(), "") << "it counts, and the next turn begins";
}

TEST_F(PlayTest, AnActIsSafeToRepeat) {
  hall_.Match("tictactoe", {"external", "external"});
  const ToolAnswer view = Call("get_state", {{"token", hall_.tokens[0]}});
  const json::Object act{{"token", hall_.tokens[0]}, {"decision", view.Decision()}, {"choice", "5"}, {"timeout_s", 0}};
  EXPECT_FALSE(Call("act", act).error);
  const std::string after = Call("get_state", {{"token", hall_.tokens[1]}}).text;
  const ToolAnswer again = Call("act", act);
  EXPECT_FALSE(again.error) << again.text;
  EXPECT_EQ(Call("get_state", {{"token", hall_.tokens[1]}}).text, after) << "nothing happened twice";
  // Another choice for a decision that is over is refused.
  json::Object other = act;
  other["choice"] = "6";
  EXPECT_THAT(Call("act", other).text, HasSubstr("is not the one that is open now"));
}

TEST_F(PlayTest, AnActWithItsDataIsSafeToRepeat) {
  hall_.Match("tictactoe", {"external", "external"});
  const ToolAnswer view = Call("get_state", {{"token", hall_.tokens[0]}});
  const json::Object act{{"token", hall_.tokens[0]},
                         {"decision", view.Decision()},
                         {"action", "move"},
                         {"data", json::Object{{"position", json::Array{1, 1}}}},
                         {"timeout_s", 0}};
  const ToolAnswer first = Call("act", act);
  EXPECT_FALSE(first.error) << first.text;
  EXPECT_EQ(Call("act", act).text, first.text);
  json::Object other = act;
  other["data"] = json::Object{{"position", json::Array{0, 1}}};
  EXPECT_THAT(Call("act", other).text, HasSubstr("is not the one that is open now"));
}

TEST_F(PlayTest, WhatIsIllegalChangesNothingAndSaysWhatIsLegal) {
  hall_.Match("tictactoe", {"external", "external"});
  const std::string token = hall_.tokens[0];
  const ToolAnswer view = Call("get_state", {{"token", token}});
  const std::vector<std::pair<json::Object, std::string>> wrong{
      {{{"choice", "99"}}, "no choice \"99\""},
      {{{"action", "fly"}}, "\"fly\" was refused"},
      {{{"action", "move"}, {"data", json::Object{{"position", json::Array{7, 7}}}}}, "\"move\" was refused"},
      {{}, "Give either choice"},
      {{{"choice", "1"}, {"action", "move"}}, "Give either choice"}};
  for (auto [arguments, what] : wrong) {
    arguments["token"] = token;
    arguments["decision"] = view.Decision();
    const ToolAnswer refused = Call("act", arguments);
    EXPECT_TRUE(refused.error);
    EXPECT_THAT(refused.text, AllOf(HasSubstr(what), HasSubstr("Legal now:"))) << what;
  }
  EXPECT_THAT(Call("act", {{"token", token}, {"decision", "7.other"}, {"choice", "1"}}).text,
              HasSubstr("that is \"" + view.Decision() + "\""));
  EXPECT_EQ(Call("get_state", {{"token", token}}).text, view.text);
  // Models write JSON in a string where any JSON is expected.
  EXPECT_FALSE(Call("act", {{"token", token},
                            {"decision", view.Decision()},
                            {"action", "move"},
                            {"data", R"({"position":[1,1]})"},
                            {"timeout_s", 0}})
                   .error);
}

TEST_F(PlayTest, ALongWaitForTheTurnIsATask) {
  server_.OfferTasks(hall_.scheduler);
  hall_.Match("tictactoe", {"external", "external"});
  json::Object meta;
  meta[kMetaVersion] = kModernVersion;
  json::Object extensions;
  extensions[kTaskExtension] = json::Object();
  meta[kMetaCapabilities] = json::Object{{"extensions", std::move(extensions)}};
  const auto result = [](const Heard& heard) { return json::Parse(heard.answer)->at("result").as_object(); };
  const auto asked = Begin("wait_for_turn", {{"token", hall_.tokens[1]}}, meta);
  EXPECT_EQ(asked->answer, "");
  hall_.scheduler.Advance(seconds(1));
  const json::Object created = result(*asked);
  EXPECT_EQ(created.at("status"), json::Value("working"));
  const auto look = [&] {
    const json::Object message{{"jsonrpc", "2.0"},
                               {"id", 77},
                               {"method", "tasks/get"},
                               {"params", json::Object{{"taskId", created.at("taskId")}, {"_meta", meta}}}};
    auto decoded = DecodeMessage(json::Write(message));
    auto heard = std::make_shared<Heard>();
    server_.Handle({*decoded, *ReadEnvelope(*decoded, nullptr), session_, std::nullopt, caller_}, heard);
    return result(*heard);
  };
  hall_.scheduler.Advance(seconds(300));
  EXPECT_EQ(look().at("status"), json::Value("working")) << "longer than any request is open";
  const ToolAnswer view = Call("get_state", {{"token", hall_.tokens[0]}});
  Call("act", {{"token", hall_.tokens[0]}, {"decision", view.Decision()}, {"choice", 1}, {"timeout_s", 0}});
  hall_.scheduler.Run();
  const json::Object over = look();
  EXPECT_EQ(over.at("status"), json::Value("completed"));
  EXPECT_EQ(over.at("result").at("structuredContent").at("status"), json::Value("your_turn"));
  // When its turn has come, there is nothing to wait for.
  EXPECT_EQ(Read(*Begin("wait_for_turn", {{"token", hall_.tokens[1]}}, meta)).Member("status"), "your_turn");
}

TEST_F(PlayTest, WaitsForTheTurnAndNoLongerThanItWasTold) {
  hall_.Match("tictactoe", {"external", "external"});
  const auto waiting = Begin("wait_for_turn", {{"token", hall_.tokens[1]}, {"timeout_s", 20}});
  EXPECT_FALSE(Read(*waiting).answered);
  hall_.scheduler.Advance(seconds(19));
  EXPECT_FALSE(Read(*waiting).answered);
  hall_.scheduler.Advance(seconds(1));
  EXPECT_EQ(Read(*waiting).Member("status"), "waiting");
  // And at once when its turn comes.
  const auto next = Begin("wait_for_turn", {{"token", hall_.tokens[1]}, {"timeout_s", 50}});
  const ToolAnswer view = Call("get_state", {{"token", hall_.tokens[0]}});
  Call("act", {{"token", hall_.tokens[0]}, {"decision", view.Decision()}, {"choice", "1"}, {"timeout_s", 0}});
  EXPECT_EQ(Read(*next).Member("status"), "your_turn");
}

TEST_F(PlayTest, TellsOfProgressWhoAskedForIt) {
  hall_.Match("tictactoe", {"external", "external"});
  const auto waiting =
      Begin("wait_for_turn", {{"token", hall_.tokens[1]}, {"timeout_s", 35}}, {{"progressToken", "p"}});
  hall_.scheduler.Advance(seconds(21));
  EXPECT_EQ(waiting->before.size(), 2u);
  EXPECT_THAT(waiting->before.at(0), HasSubstr("waiting for the others"));
  hall_.scheduler.Advance(seconds(14));
  EXPECT_TRUE(Read(*waiting).answered);
  hall_.scheduler.Advance(seconds(60));
  EXPECT_EQ(waiting->before.size(), 3u) << "an answered call tells nothing more";
}

TEST_F(PlayTest, ACancelledWaitIsForgotten) {
  const TableId id = hall_.Match("tictactoe", {"external", "external"});
  const std::size_t timers = hall_.scheduler.timers();
  const auto waiting = Begin("wait_for_turn", {{"token", hall_.tokens[1]}, {"timeout_s", 50}});
  EXPECT_GT(hall_.scheduler.timers(), timers);
  auto canceled = DecodeMessage(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
                                std::to_string(last_id_) + "}}");
  auto envelope = ReadEnvelope(*canceled, nullptr);
  server_.Handle({std::move(*canceled), std::move(*envelope), session_, std::nullopt}, std::make_shared<Heard>());
  hall_.scheduler.Run();
  EXPECT_EQ(hall_.scheduler.timers(), timers);
  hall_.scheduler.Advance(seconds(60));
  EXPECT_FALSE(Read(*waiting).answered);
}

TEST_F(PlayTest, AWaitWhoseClientHasGoneIsForgotten) {
  hall_.Match("tictactoe", {"external", "external"});
  const std::size_t timers = hall_.scheduler.timers();
  const json::Object wait{{"token", hall_.tokens[1]}, {"timeout_s", 50}};
  Begin("wait_for_turn", wait);
  EXPECT_TRUE(last_.lock()->params().empty()) << "what it needs of its arguments is read";
  last_.lock()->HungUp();
  hall_.scheduler.Run();
  EXPECT_TRUE(last_.expired());
  hangs_up_ = true;
  Begin("wait_for_turn", wait);
  EXPECT_TRUE(last_.expired());
  EXPECT_EQ(hall_.scheduler.timers(), timers);
}

TEST_F(PlayTest, WhatWasChosenCountsThoughTheClientHasGone) {
  hall_.Match("tictactoe", {"external", "external"});
  const ToolAnswer view = Call("get_state", {{"token", hall_.tokens[0]}});
  hangs_up_ = true;
  Begin("act", {{"token", hall_.tokens[0]}, {"decision", view.Decision()}, {"choice", 1}});
  EXPECT_TRUE(last_.expired()) << "and it does not wait for the next turn";
  hangs_up_ = false;
  EXPECT_EQ(Call("get_state", {{"token", hall_.tokens[1]}}).Member("status"), "your_turn");
}

TEST_F(PlayTest, SoManyCallsWaitForASeat) {
  hall_.Match("tictactoe", {"external", "external"});
  const json::Object wait{{"token", hall_.tokens[1]}, {"timeout_s", 50}};
  std::vector<std::shared_ptr<Heard>> waiting;
  for (std::size_t i = 0; i < ExternalAgent::kMostCallers; ++i) {
    waiting.push_back(Begin("wait_for_turn", wait));
    EXPECT_FALSE(Read(*waiting.back()).answered);
  }
  const ToolAnswer refused = Call("wait_for_turn", wait);
  EXPECT_TRUE(refused.error);
  EXPECT_THAT(refused.text, HasSubstr("16 calls that wait for one seat"));
  hall_.scheduler.Advance(seconds(50));
  for (const auto& each : waiting) EXPECT_EQ(Read(*each).Member("status"), "waiting");
}

TEST_F(PlayTest, WrongTokensAreExplained) {
  hall_.Match("tictactoe", {"external", "external"});
  for (const char* tool : {"get_state", "wait_for_turn", "resign"}) {
    const ToolAnswer none = Call(tool, {{"token", "nonsense"}});
    EXPECT_TRUE(none.error) << tool;
    EXPECT_THAT(none.text, HasSubstr("create_match and join_table give tokens")) << tool;
  }
  EXPECT_THAT(Call("get_state", {{"token", "no-match.0.abcdefghijklmnopqrstuvwxyz"}}).text,
              HasSubstr("kept for a few minutes only"));
  std::string wrong = hall_.tokens[0];
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  EXPECT_TRUE(Call("get_state", {{"token", wrong}}).error);
}

TEST_F(PlayTest, OthersJoinAndResign) {
  const ToolAnswer mine = Call("create_match", {{"game", "tictactoe"}, {"opponents", json::Array{"open"}}});
  ASSERT_FALSE(mine.error) << mine.text;
  const std::string table = mine.Member("table");
  EXPECT_THAT(Call("list_tables", {}).text, HasSubstr(table));
  const ToolAnswer other = Call("join_table", {{"table", table}, {"name", "Bob"}});
  ASSERT_FALSE(other.error) << other.text;
  EXPECT_EQ(other.Member("name"), "Bob");
  EXPECT_TRUE(Call("join_table", {{"table", table}}).error) << "it is full";
  EXPECT_FALSE(Call("say", {{"token", mine.Member("token")}, {"text", "I give up"}}).error);
  EXPECT_FALSE(Call("resign", {{"token", mine.Member("token")}}).error);
  const ToolAnswer over = Call("wait_for_turn", {{"token", other.Member("token")}, {"since", 0}});
  EXPECT_EQ(over.Member("status"), "game_over");
  EXPECT_THAT(over.Member("outcome"), HasSubstr("Bob won"));
  EXPECT_THAT(over.text, HasSubstr("I give up"));
}

TEST_F(PlayTest, APrivateMatchIsForThoseWhoWereInvited) {
  const ToolAnswer mine =
      Call("create_match", {{"game", "tictactoe"}, {"opponents", json::Array{"open"}}, {"private", true}});
  ASSERT_FALSE(mine.error) << mine.text;
  const std::string table = mine.Member("table");
  const std::string invitation = mine.Member("invitation");
  EXPECT_THAT(invitation, StartsWith(table + "."));
  EXPECT_THAT(mine.text, HasSubstr(invitation));
  EXPECT_THAT(Call("list_tables", {}).text, ::testing::Not(HasSubstr(table)));
  const auto like_nobody = [&](const std::string& tool, const char* member, std::string name, std::string other) {
    std::string told = Call(tool, {{member, name}}).text;
    EXPECT_TRUE(Call(tool, {{member, name}}).error) << tool << " " << name;
    told.replace(told.find(table), table.size(), "none");
    EXPECT_EQ(told, Call(tool, {{member, other}}).text);
  };
  like_nobody("join_table", "table", table, "none");
  like_nobody("join_table", "table", table + ".abc", "none.abc");
  const std::string secret(mine.Member("token").size() - table.size() - 3, 'a');
  like_nobody("get_state", "token", table + ".0." + secret, "none.0." + secret);
  like_nobody("get_state", "token", table + ".1." + secret, "none.1." + secret);
  const ToolAnswer other = Call("join_table", {{"table", invitation}, {"name", "Bob"}});
  ASSERT_FALSE(other.error) << other.text;
  EXPECT_EQ(other.Member("name"), "Bob");
}

TEST_F(PlayTest, WhatIsMadeFromElsewhereIsPrivate) {
  session_ = std::make_shared<Session>();
  caller_ = {.local = false};
  const json::Object wanted{{"game", "tictactoe"}, {"opponents", json::Array{"open"}}};
  EXPECT_NE(Call("create_match", wanted).Member("invitation"), "");
  json::Object open = wanted;
  open["private"] = false;
  EXPECT_EQ(Call("create_match", open).Member("invitation"), "");
}

// Others are what other servers of the cluster answered.
TEST_F(PlayTest, TranscriptsHaveTheirPlacesAmongAllLargeReads) {
  const json::Object message{{"jsonrpc", "2.0"},
                             {"id", 1},
                             {"method", "resources/read"},
                             {"params", json::Object{{"uri", "openseat://tables/any/transcript"}}}};
  const auto decoded = DecodeMessage(json::Write(message));
  const auto envelope = ReadEnvelope(*decoded, nullptr);
  const auto heard = std::make_shared<Heard>();
  const ServerInfo info{"openseat", "Openseat", "1", ""};
  const openseat::mcp::Call other(*decoded, *envelope, nullptr, std::make_shared<Heard>(), info, caller_);
  std::vector<std::shared_ptr<void>> places;
  for (std::size_t i = 0; i < Reads::kMostOfOne; ++i) places.push_back(reads_.Place(other));
  server_.Handle({*decoded, *envelope, session_, std::nullopt, caller_}, heard);
  EXPECT_THAT(heard->answer, HasSubstr("one address may have 4 transcripts"));
}

TEST_F(PlayTest, WhatCannotBeMadeIsExplained) {
  const std::vector<std::pair<json::Object, std::string>> wrong{
      {{{"game", "go"}}, "There is no game \"go\""},
      {{{"game", "netrunner"}, {"role", "referee"}}, "There is no seat \"referee\""},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"random", "random"}}}, "would be 3"},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"script:/etc/passwd"}}}, "cannot be named here"},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"robot"}}}, "available: random"},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"random:seed=x"}}}, "`seed` must be an integer"},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"external"}}}, "cannot be named here"},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"neuro:ws://10.0.0.1:80/"}}}, "cannot be named here"},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"neuro:url=ws://10.0.0.1:80/"}}}, "cannot be named here"},
      {{{"game", "tictactoe"}, {"opponents", json::Array{"random:act_every_ms=0.001"}}}, "cannot be named here"},
      {{{"game", "netrunner"}, {"options", json::Object{{"format", "none"}}}}, "ormat must be"}};
  for (const auto& [arguments, what] : wrong) {
    const ToolAnswer refused = Call("create_match", arguments);
    EXPECT_TRUE(refused.error);
    EXPECT_THAT(refused.text, HasSubstr(what));
  }
  EXPECT_EQ(hall_.journal.Tables(10)->size(), 0u) << "nothing was made";
  EXPECT_THAT(Call("join_table", {{"table", "nowhere"}}).text, HasSubstr("list_tables lists them"));
  EXPECT_THAT(Call("get_rules", {{"game", "netrunner"}}).text, HasSubstr("Corp"));
  EXPECT_TRUE(Call("get_rules", {}).error);
}

TEST_F(PlayTest, AnyWholeNumberIsTaken) {
  hall_.Match("tictactoe", {"external", "external"});
  const json::Array numbers{1.0, std::int64_t{1} << 40, std::numeric_limits<std::uint64_t>::max(), 1e19, 1e300};
  for (const json::Value& number : numbers) {
    const ToolAnswer told = Call("wait_for_turn", {{"token", hall_.tokens[0]}, {"since", number}, {"timeout_s", 0}});
    EXPECT_EQ(told.Member("status"), "your_turn") << json::Write(number);
    const ToolAnswer full = Call("join_table", {{"table", told.Member("table")}, {"seat", number}});
    EXPECT_TRUE(full.error) << json::Write(number);
  }
}

TEST_F(PlayTest, OtherToolsOfASeatTakeItsToken) {
  hall_.Match("tictactoe", {"external", "external"});
  const ToolAnswer told = Call("echo_seat", {{"token", hall_.tokens[1]}, {"text", "hello"}});
  EXPECT_FALSE(told.error) << told.text;
  EXPECT_EQ(told.text, R"({"seat":1,"text":"hello"})");
  EXPECT_EQ(told.structured.at("text"), json::Value("hello"));
  EXPECT_EQ(Call("echo_seat", {{"token", hall_.tokens[1]}}).text, "There is no text.");
  EXPECT_TRUE(Call("echo_seat", {{"token", "no-table.0.secret"}, {"text", "hello"}}).error);
  EXPECT_TRUE(Call("echo_seat", {{"text", "hello"}}).error) << "without a token";
}

TEST_F(PlayTest, RolesMayBeNamed) {
  EXPECT_FALSE(Call("create_match", {{"game", "tictactoe"}, {"opponents", json::Array{"random:seed=7"}}}).error);
  const ToolAnswer runner = Call("create_match", {{"game", "netrunner"}, {"role", "RUNNER"}});
  ASSERT_FALSE(runner.error) << runner.text;
  EXPECT_EQ(runner.structured.at("seat"), json::Value(1));
}

}  // namespace
}  // namespace openseat::mcp
