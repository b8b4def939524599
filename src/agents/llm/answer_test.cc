#include "agents/llm/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>

#include "base/tokens.h"
#include "core/game_base.h"

namespace openseat::llm {
namespace {

using ::testing::HasSubstr;

ActionPtr Make(std::string name, const char* schema = nullptr) {
  auto action = std::make_shared<Action>();
  action->name = std::move(name);
  action->description = "does " + action->name;
  if (schema != nullptr) {
    action->schema = *json::Parse(schema);
  }
  return action;
}

ActionSet Set(std::initializer_list<ActionPtr> actions) {
  ActionSet set;
  for (const ActionPtr& action : actions) set.Put(action);
  return set;
}

constexpr char kMoveData[] =
    R"({"type":"object","properties":{"x":{"type":"integer","minimum":0,"maximum":2},"note":{"type":"string"}},"required":["x"],"additionalProperties":false})";

TEST(AnswerForm, OneActionIsAnsweredWithItsDataAlone) {
  const AnswerForm form(Set({Make("move", kMoveData)}));
  EXPECT_EQ(form.shape(), AnswerForm::Shape::kBare);
  EXPECT_EQ(form.schema(), *json::Parse(kMoveData));
  EXPECT_THAT(form.Describe(), HasSubstr("the action \"move\": does move"));
  EXPECT_THAT(form.Describe(), HasSubstr(kMoveData));
  const Judgement good = JudgeAnswer(form, R"({"x": 1})");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ((**good.choice).action, "move");
  EXPECT_EQ(json::Write((**good.choice).data), R"({"x":1})");
  EXPECT_TRUE(good.strict);
}

TEST(AnswerForm, SaysWhatIsTooLong) {
  const ActionSet actions = Set({Make("move", kMoveData), Make("pass")});
  const std::size_t needed = EstimateTokens(AnswerForm(actions).Describe());
  EXPECT_FALSE(AnswerForm::TooLong(actions, needed)) << "what fits is never too long";
  EXPECT_FALSE(AnswerForm::TooLong(actions, needed * 3 / 4));
  EXPECT_TRUE(AnswerForm::TooLong(actions, needed / 4));
}

// The answer's form is longer than all names together, and they may be as long as a schema may.
TEST(AnswerForm, TakesNamesHoweverLongAndManyTheyAre) {
  ActionSet longest;
  for (int i = 0; i < 600; ++i) longest.Put(Make(std::to_string(i) + std::string(2'000, '\x01')));
  ActionSet most;
  for (int i = 0; i < 60'000; ++i) most.Put(Make(std::to_string(i)));
  for (const ActionSet& actions : {longest, most}) {
    const std::string& name = actions.all().back()->name;
    const Judgement good = JudgeAnswer(AnswerForm(actions), json::Write(json::Object{{"action", name}}));
    ASSERT_TRUE(good.ok());
    EXPECT_EQ((**good.choice).action, name);
  }
}

TEST(AnswerForm, NamesSchemasOnce) {
  const AnswerForm form(Set({Make("a", kMoveData), Make("b", kMoveData), Make("c", R"({"type":"array"})")}));
  EXPECT_EQ(form.schema().at("properties").at("data").at("anyOf").get_array().size(), 2u);
}

TEST(AnswerForm, SeveralActionsAreAnsweredByName) {
  const AnswerForm form(Set({Make("move", kMoveData), Make("pass"), Make("odd", R"({"type":"array"})")}));
  EXPECT_EQ(form.shape(), AnswerForm::Shape::kAction);
  EXPECT_TRUE(schema::Schema::Compile(form.schema()));
  EXPECT_THAT(json::Write(form.schema()), HasSubstr(R"("enum":["move","pass","odd"])"));
  EXPECT_THAT(form.Describe(), HasSubstr("- \"pass\": does pass\n  without data"));
  for (const char* answer :
       {R"({"action":"pass"})", R"({"action":"pass","data":null})", R"({"action":"pass","data":{}})"}) {
    const Judgement judged = JudgeAnswer(form, answer);
    ASSERT_TRUE(judged.ok()) << answer;
    EXPECT_EQ((**judged.choice).action, "pass");
    EXPECT_TRUE((**judged.choice).data.is_null());
  }
  EXPECT_TRUE(JudgeAnswer(form, R"({"action":"move","data":{"x":2}})").ok());
  EXPECT_TRUE(JudgeAnswer(form, R"({"action":"odd","data":[1]})").ok());

  const Judgement unknown = JudgeAnswer(form, R"({"action":"jump"})");
  EXPECT_FALSE(unknown.ok());
  EXPECT_THAT(Complaint(unknown), HasSubstr("`action` must be one of"));
  const Judgement wrong = JudgeAnswer(form, R"({"action":"move","data":{"x":7}})");
  ASSERT_EQ(wrong.issues.size(), 1u);
  EXPECT_EQ(wrong.issues[0].instance_pointer, "/data/x");
  EXPECT_EQ(wrong.issues[0].instance_path, "data.x");
  EXPECT_FALSE(JudgeAnswer(form, R"({"action":"move"})").ok());
  EXPECT_FALSE(JudgeAnswer(form, R"({"action":"pass","why":"tired"})").ok()) << "nothing else is said";
  const Judgement thoughtful = JudgeAnswer(form, R"({"reasoning":"I am tired.","action":"pass"})");
  ASSERT_TRUE(thoughtful.ok() && thoughtful.strict) << "but thoughts always may be";
  EXPECT_EQ(thoughtful.reasoning, "I am tired.");
}

TEST(AnswerForm, DoingNothingIsAnAnswerWhereItMayBe) {
  const AnswerForm form(Set({Make("move", kMoveData), Make("do_nothing", kMoveData)}), {.may_pass = true});
  EXPECT_EQ(form.pass(), "do_nothing_");
  const Judgement judged = JudgeAnswer(form, R"({"action":"do_nothing_"})");
  ASSERT_TRUE(judged.ok());
  EXPECT_FALSE(judged.choice->has_value());
  EXPECT_EQ(AnswerForm(Set({Make("move", kMoveData)}), {.may_pass = true}).shape(), AnswerForm::Shape::kAction);
}

TEST(AnswerForm, AnActionWithoutAUsableSchemaTakesAnything) {
  const AnswerForm form(Set({Make("free", R"({"type":"object","properties":{"a":{"type":"nonsense"}}})")}));
  EXPECT_TRUE(JudgeAnswer(form, R"({"a":[1]})").ok());
  const AnswerForm list(Set({Make("list", R"({"type":"array","items":{"type":"integer"}})")}));
  EXPECT_EQ(list.shape(), AnswerForm::Shape::kAction) << "an answer is an object";
  EXPECT_TRUE(JudgeAnswer(list, R"({"action":"list","data":[1,2]})").ok());
}

TEST(AnswerForm, AnActionThatTakesNullIsAnsweredWithNullOrNothing) {
  const AnswerForm form(Set({Make("skip", R"({"type":"null"})"), Make("move", kMoveData)}));
  for (const char* text : {R"({"action":"skip","data":null})", R"({"action":"skip"})"}) {
    const Judgement judgement = JudgeAnswer(form, text);
    ASSERT_TRUE(judgement.ok()) << text;
    EXPECT_TRUE((*judgement.choice)->data.is_null()) << text;
  }
}

TEST(JudgeAnswer, MendsOnlyWhatIsNoJson) {
  const AnswerForm form(Set({Make("move", kMoveData)}));
  const Judgement fenced = JudgeAnswer(form, "Sure:\n```json\n{'x': 1,}\n```");
  ASSERT_TRUE(fenced.ok());
  EXPECT_FALSE(fenced.strict);
  EXPECT_TRUE(fenced.mended);
  EXPECT_THAT(fenced.parse_error, HasSubstr("Unexpected token 'S'"));
  EXPECT_THAT(fenced.fixes, ::testing::ElementsAre(schema::Fix::kFence, schema::Fix::kProse,
                                                   schema::Fix::kTrailingComma, schema::Fix::kQuotes));

  const Judgement wrong = JudgeAnswer(form, R"({"x": 9})");
  EXPECT_TRUE(wrong.strict);
  EXPECT_FALSE(wrong.mended);
  EXPECT_FALSE(wrong.ok());
  EXPECT_EQ(Complaint(wrong), "- " + wrong.issues[0].message + "\n");

  const Judgement both = JudgeAnswer(form, "{'x': 9}");
  EXPECT_TRUE(both.mended);
  EXPECT_FALSE(both.ok());
  EXPECT_FALSE(both.issues.empty());

  const Judgement prose = JudgeAnswer(form, "I pass.");
  EXPECT_FALSE(prose.ok());
  EXPECT_FALSE(prose.mended);
  EXPECT_FALSE(prose.mended);
  EXPECT_THAT(Complaint(prose), HasSubstr("not one JSON object: Unexpected token 'I'"));
}

TEST(JudgeAnswer, JsonThatIsNoObjectIsNotMended) {
  const AnswerForm form(Set({Make("move", kMoveData)}));
  for (const char* text : {"[]", "null", "42", "\"str\"", "[{\"x\": 1}]"}) {
    const Judgement judged = JudgeAnswer(form, text);
    EXPECT_FALSE(judged.ok()) << text;
    EXPECT_TRUE(judged.strict && judged.readable()) << text;
    ASSERT_EQ(judged.issues.size(), 1u) << text;
    EXPECT_EQ(judged.issues[0].keyword, "type") << text;
    EXPECT_EQ(json::Write(*judged.read), json::Write(*json::Parse(text)));
  }
  EXPECT_FALSE(JudgeAnswer(form, "```\n[{\"x\": 1}]\n```").ok()) << "an object is asked for, not a list of one";
  EXPECT_TRUE(JudgeAnswer(form, R"("{\"x\": 1}")").ok()) << "the whole object as a text is mended";
}

TEST(JudgeAnswer, TellsJsonAmongOtherThingsFromWhatIsGuessed) {
  const AnswerForm form(Set({Make("move", kMoveData)}));
  for (const char* text : {R"({"x": 9})", "{\"x\": 9, // too much\n}", "Sure:\n```json\n{\"x\": 9}\n```"}) {
    EXPECT_TRUE(JudgeAnswer(form, text).readable()) << text;
  }
  for (const char* text : {"{ x: 'missing quotes'... }", "{\"x\": \"ab", "{ x: missing quotes }", "no"}) {
    EXPECT_FALSE(JudgeAnswer(form, text).readable()) << text;
  }
}

// A game with doors numbered from 10; with `free` a word may be given as well.
class Doors final : public PositionState<Doors, int> {
 public:
  static const GameInfo& Info() {
    static const GameInfo info = [] {
      GameInfo doors;
      doors.id = "doors";
      doors.min_seats = doors.max_seats = 1;
      doors.max_moves = 300;
      return doors;
    }();
    return info;
  }
  explicit Doors(int count) : PositionState(*CheckNames(Info(), {"Ana"}), count) {}

  json::Value Serialize() const override { return nullptr; }
  SeatSet Awaited() const override { return {0}; }
  std::vector<ActionSpec> Actions(SeatIndex) const override { return {}; }
  Result<void> Validate(SeatIndex, std::string_view, const json::Value&) const override { return {}; }
  json::Value Apply(SeatIndex, std::string_view, const json::Value&) override { return nullptr; }
  json::Value Observe(Viewer) const override { return nullptr; }
  std::string Describe(SeatIndex) const override { return "Doors."; }
  std::optional<Outcome> GetOutcome() const override { return std::nullopt; }
  std::size_t Moves(SeatIndex, std::span<Move> out) const override {
    const auto count = static_cast<std::size_t>(position());
    for (std::size_t i = 0; i < count && i < out.size(); ++i) out[i] = static_cast<Move>(10 + i);
    return count;
  }
  void ApplyMove(SeatIndex, Move) override {}
  PlayedChoice ToChoice(SeatIndex, Move move) const override { return {"open", json::Object{{"door", move}}}; }
  std::string MoveLabel(SeatIndex, Move move) const override { return "Open door\n" + std::to_string(move); }
};

class House final : public Game {
 public:
  explicit House(bool complete) : info_(Doors::Info()) { info_.moves_complete = complete; }
  const GameInfo& info() const override { return info_; }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value&, std::uint64_t,
                                             std::vector<std::string>) const override {
    return std::make_unique<Doors>(3);
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value&) const override { return std::make_unique<Doors>(3); }

 private:
  GameInfo info_;
};

Decision AtDoors(const Game& game, int count, std::initializer_list<ActionPtr> actions) {
  Decision decision;
  decision.sight = std::make_shared<Sight>(game, std::make_shared<const Doors>(count), Viewer::Seat(0));
  decision.actions = Set(actions);
  return decision;
}

TEST(AnswerForm, ChoicesThatCanBeListedAreAnsweredByNumber) {
  const House house(true);
  const Decision decision = AtDoors(house, 3, {Make("open", kMoveData)});
  const AnswerForm form = AnswerForm::For(decision);
  ASSERT_EQ(form.shape(), AnswerForm::Shape::kChoice);
  EXPECT_THAT(json::Write(form.schema()), HasSubstr(R"("enum":["1","2","3"])"));
  EXPECT_THAT(form.Describe(), HasSubstr("Your choices:\n1: Open door\\n10\n2: Open door\\n11\n3: "));
  for (const char* text : {R"({"choice": "2"})", R"({"choice": 2})", R"({"choice": "open door\\n11"})",
                           R"({"reasoning": "It is red.", "choice": "2"})", R"({"choice": "2", "sure": true})"}) {
    const Judgement judged = JudgeAnswer(form, text);
    ASSERT_TRUE(judged.ok()) << text;
    EXPECT_TRUE(judged.strict) << text;
    EXPECT_EQ((**judged.choice).action, "open");
    EXPECT_EQ(json::Write((**judged.choice).data), R"({"door":11})");
    EXPECT_EQ(judged.label, "Open door\n11");
  }
  for (const char* text : {R"({"choice": "4"})", R"({"choice": "0"})", R"({"choice": 99999999999999999999})", "{}",
                           R"({"choice": "a window"})", R"({"action": "open", "data": {"door": 11}})", "[]"}) {
    const Judgement judged = JudgeAnswer(form, text);
    EXPECT_FALSE(judged.ok()) << text;
    EXPECT_FALSE(judged.issues.empty()) << text;
  }
}

TEST(AnswerForm, ChoicesAreListedOnlyWhereTheListIsComplete) {
  const House complete(true);
  const House open(false);
  const auto listed = [](const Decision& decision) { return HasListedChoices(decision); };
  EXPECT_TRUE(listed(AtDoors(complete, 200, {Make("open", kMoveData)})));
  EXPECT_FALSE(listed(AtDoors(complete, 201, {Make("open", kMoveData)}))) << "too many";
  EXPECT_FALSE(listed(AtDoors(complete, 0, {Make("open", kMoveData)})));
  EXPECT_FALSE(listed(AtDoors(complete, 3, {Make("close", kMoveData)}))) << "other actions";
  EXPECT_FALSE(listed(AtDoors(open, 3, {Make("open", kMoveData)}))) << "a note may be any text";
  // Nothing in the data is free, so only whole actions are missing from the list, such as giving up.
  EXPECT_TRUE(listed(AtDoors(
      open, 3,
      {Make(
           "open",
           R"({"anyOf":[{"type":"object","properties":{"door":{"enum":[10]}},"additionalProperties":false},{"type":"object","properties":{"door":{"type":"integer","minimum":0,"maximum":3}},"additionalProperties":false}]})"),
       Make("concede")})));
  Decision elsewhere;
  elsewhere.actions = Set({Make("open", kMoveData)});
  EXPECT_FALSE(listed(elsewhere));
}

TEST(AnswerForm, TheReasonsComeFirst) {
  const House house(true);
  const AnswerForm choice =
      AnswerForm::For(AtDoors(house, 1, {Make("open", kMoveData)}), {.thinking = Thinking::kField});
  EXPECT_EQ(
      json::Write(choice.schema()),
      R"({"type":"object","properties":{"reasoning":{"type":"string"},"choice":{"type":"string","enum":["1"]}},"required":["reasoning","choice"],"additionalProperties":false})");
  const AnswerForm bare(Set({Make("move", kMoveData)}), {.thinking = Thinking::kField});
  EXPECT_THAT(json::Write(bare.schema()), HasSubstr(R"("properties":{"reasoning":{"type":"string"},"x":)"));
  const Judgement judged = JudgeAnswer(bare, R"({"reasoning": "why not", "x": 1})");
  ASSERT_TRUE(judged.ok() && judged.strict);
  EXPECT_EQ(json::Write((**judged.choice).data), R"({"x":1})");
  EXPECT_EQ(judged.reasoning, "why not");
  EXPECT_TRUE(JudgeAnswer(bare, R"({"x": 1})").ok()) << "what is left out is not missed";
  for (const char* own : {R"({"type":"object","properties":{"reasoning":{"type":"integer"}}})",
                          R"({"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]}]})"}) {
    const AnswerForm form(Set({Make("say", own)}), {.thinking = Thinking::kField});
    EXPECT_EQ(form.schema(), *json::Parse(own)) << "the game's own";
    EXPECT_FALSE(form.has_reasoning());
  }
  EXPECT_TRUE(JudgeAnswer(AnswerForm(Set({Make("say", R"({"type":"object","properties":{"reasoning":{}}})")}),
                                     {.thinking = Thinking::kField}),
                          R"({"reasoning": 3})")
                  .ok());
}

TEST(JudgeAnswer, FreeThoughtsEndWithTheAnswer) {
  const House house(true);
  const AnswerForm form = AnswerForm::For(AtDoors(house, 3, {Make("open", kMoveData)}), {.thinking = Thinking::kFree});
  for (const char* text :
       {"Door {1} is a trap. {\"choice\": \"1\"} loses, so:\n```json\n{\"choice\": \"2\"}\n```\nThat is it.",
        "I weigh {\"door\": 1, \"worth\": {\"a\": \"}\"}}. {\"choice\": \"2\"}", "It's {odd. {\"choice\": \"2\"}",
        "A 5\" door {costs. {\"choice\": \"2\"}", "{a {b {c {d {e \" {f {g {h {i {j {\"choice\": \"2\"}",
        "<think>{\"choice\": \"3\"}?</think>{\"choice\": \"2\"}"}) {
    const Judgement judged = JudgeAnswer(form, text);
    ASSERT_TRUE(judged.ok()) << text;
    EXPECT_TRUE(judged.strict) << text << ": thinking is no fault";
    EXPECT_TRUE(judged.fixes.empty());
    EXPECT_EQ(json::Write((**judged.choice).data), R"({"door":11})") << text;
    EXPECT_FALSE(judged.reasoning.empty()) << text;
  }
  EXPECT_FALSE(JudgeAnswer(form, "I take the second door.").ok()) << "prose is never searched for moves";
  EXPECT_THAT(form.Describe(), HasSubstr("Think first, in your own words."));
  EXPECT_FALSE(JudgeAnswer(form, std::string(300'000, '{')).ok());
}

TEST(JudgeAnswer, ThoughtsBeforeTheAnswerAreNoRepair) {
  const AnswerForm form(Set({Make("move", kMoveData)}));
  const Judgement judged = JudgeAnswer(form, "\n<think>x must be 1, or {\"x\": 2}</think>\n\n{\"x\": 1}");
  ASSERT_TRUE(judged.ok());
  EXPECT_TRUE(judged.strict);
  EXPECT_THAT(judged.reasoning, HasSubstr("x must be 1"));
}

TEST(JudgeAnswer, TakesAwayNullsWhereTheyStandForNothing) {
  constexpr char kOptional[] =
      R"({"type":"object","properties":{"x":{"type":"integer"},"note":{"type":"string"}},"required":["x"],"additionalProperties":false})";
  const AnswerForm form(Set({Make("move", kOptional)}));
  const Judgement judged = JudgeAnswer(form, R"({"x": 1, "note": null})", {.null_leaves_out = true});
  ASSERT_TRUE(judged.ok());
  EXPECT_EQ(json::Write((**judged.choice).data), R"({"x":1})");
  EXPECT_FALSE(JudgeAnswer(form, R"({"x": 1, "note": null})").ok());
  EXPECT_FALSE(JudgeAnswer(form, R"({"x": 1, "else": null})", {.null_leaves_out = true}).ok()) << "unknown";
  EXPECT_FALSE(JudgeAnswer(form, R"({"x": null})", {.null_leaves_out = true}).ok()) << "required";
}

}  // namespace
}  // namespace openseat::llm
