#include "agents/llm/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

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
  EXPECT_TRUE(form.bare());
  EXPECT_EQ(form.schema(), *json::Parse(kMoveData));
  EXPECT_THAT(form.Describe(), HasSubstr("the action \"move\": does move"));
  EXPECT_THAT(form.Describe(), HasSubstr(kMoveData));
  const Judgement good = JudgeAnswer(form, R"({"x": 1})");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ((**good.choice).action, "move");
  EXPECT_EQ(json::Write((**good.choice).data), R"({"x":1})");
  EXPECT_TRUE(good.strict);
}

TEST(AnswerForm, SeveralActionsAreAnsweredByName) {
  const AnswerForm form(Set({Make("move", kMoveData), Make("pass"), Make("odd", R"({"type":"array"})")}));
  EXPECT_FALSE(form.bare());
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
}

TEST(AnswerForm, DoingNothingIsAnAnswerWhereItMayBe) {
  const AnswerForm form(Set({Make("move", kMoveData), Make("do_nothing", kMoveData)}), true);
  EXPECT_EQ(form.pass(), "do_nothing_");
  const Judgement judged = JudgeAnswer(form, R"({"action":"do_nothing_"})");
  ASSERT_TRUE(judged.ok());
  EXPECT_FALSE(judged.choice->has_value());
  EXPECT_FALSE(AnswerForm(Set({Make("move", kMoveData)}), true).bare());
}

TEST(AnswerForm, AnActionWithoutAUsableSchemaTakesAnything) {
  const AnswerForm form(Set({Make("free", R"({"type":"object","properties":{"a":{"type":"nonsense"}}})")}));
  EXPECT_TRUE(JudgeAnswer(form, R"({"a":[1]})").ok());
  const AnswerForm list(Set({Make("list", R"({"type":"array","items":{"type":"integer"}})")}));
  EXPECT_FALSE(list.bare()) << "an answer is an object";
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
  EXPECT_FALSE(prose.mend_error.empty());
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
