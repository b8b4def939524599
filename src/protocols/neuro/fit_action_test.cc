#include "protocols/neuro/fit_action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "protocols/neuro/action_check.h"

namespace openseat::neuro {
namespace {

using ::testing::IsEmpty;

json::Value Fitted(std::string_view schema) {
  schema::Budget budget(kFitSteps);
  return *FitSchema(*json::Parse(schema), budget);
}

ActionDefinition Put(FittedActions& fitted, const Action& action, std::uint64_t steps = kFitSteps) {
  schema::Budget budget(steps);
  return fitted.Put(action, budget);
}

// "a0", "a1", …
json::Array Names(const std::string& prefix, int count) {
  json::Array names;
  for (int i = 0; i < count; ++i) names.emplace_back(prefix + std::to_string(i));
  return names;
}

Action MakeAction(std::string name, std::optional<std::string_view> schema = std::nullopt) {
  return Action(std::move(name), "Does it", schema ? std::optional(*json::Parse(*schema)) : std::nullopt);
}

TEST(FitAction, NamesBecomeLowerCaseWords) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"move", "move"},
      {"drop_info", "drop_info"},
      {"end-turn", "end-turn"},
      {"Play Card!", "play_card"},
      {"  a__b--c ", "a_b-c"},
      {"_x_", "x"},
      {"über", "ber"},
      {"", "action"},
      {"!!!", "action"},
      {"a/b.c", "a_b_c"},
      {"Größe 3", "gr_e_3"},
      {"a-_b", "a-b"},
      {std::string(80, 'a'), std::string(64, 'a')},
      {std::string(63, 'a') + " b", std::string(63, 'a')},
  };
  for (const auto& [name, expected] : cases) {
    EXPECT_EQ(FitName(name), expected) << name;
    EXPECT_TRUE(IsGoodActionName(FitName(name))) << name;
  }
}

TEST(FitAction, KeywordsThatTheApiAdvisesAgainstAreLeftOutWhereverASchemaStands) {
  EXPECT_EQ(json::Write(Fitted(R"({"type":"object","title":"T","additionalProperties":false,"properties":{
              "title":{"type":"string","description":"d","minLength":1},
              "list":{"type":"array","items":{"oneOf":[],"type":"integer"},"uniqueItems":true,"maxItems":3},
              "pair":{"prefixItems":[{"$comment":"c","type":"null"}]}},"required":["title"]})")),
            R"({"type":"object","properties":{"title":{"type":"string","minLength":1},)"
            R"("list":{"type":"array","items":{"type":"integer"},"maxItems":3},)"
            R"("pair":{"prefixItems":[{"type":"null"}]}},"required":["title"]})");
  // Values are not schemas.
  EXPECT_EQ(json::Write(Fitted(R"({"enum":[{"title":1}],"const":{"if":2},"default":{"not":3}})")),
            R"({"enum":[{"title":1}],"const":{"if":2},"default":{"not":3}})");
  EXPECT_EQ(json::Write(Fitted("true")), "true");
}

TEST(FitAction, AlternativesBecomeOneSchemaThatAllowsAllOfThem) {
  EXPECT_EQ(
      json::Write(Fitted(R"({"anyOf":[
              {"type":"object","properties":{"card":{"enum":["a","b"]},"server":{"const":"hq"}},
               "required":["card","server"],"additionalProperties":false},
              {"type":"object","properties":{"card":{"enum":["b","c"]}},"required":["card"]}]})")),
      R"({"type":"object","properties":{"card":{"enum":["a","b","c"]},"server":{"const":"hq"}},"required":["card"]})");
  EXPECT_EQ(json::Write(Fitted(R"({"oneOf":[{"type":"string"},{"type":"integer"}]})")), "{}");
  EXPECT_EQ(json::Write(Fitted(R"({"anyOf":[{"enum":["a"]},{"type":"string"}]})")), "{}")
      << "a list of values would forbid the other strings";
  EXPECT_EQ(json::Write(Fitted(R"({"type":"integer","anyOf":[{"minimum":2,"type":"number"},{"minimum":2}]})")),
            R"({"type":"integer","minimum":2})");
  EXPECT_EQ(json::Write(Fitted(R"({"type":"string","anyOf":[]})")), R"({"type":"string"})");
  EXPECT_EQ(json::Write(Fitted(R"({"type":"string","oneOf":[true,{"minLength":2}]})")), R"({"type":"string"})");
}

TEST(FitAction, NestedAlternativesCostWhatTheyHold) {
  std::string nested = R"({"type":"string"})";
  for (int i = 0; i < 60; ++i) nested = R"({"anyOf":[)" + nested + "]}";
  EXPECT_EQ(json::Write(Fitted(nested)), R"({"type":"string"})");
}

TEST(FitAction, AlternativesCostWhatTheyHold) {
  const auto steps_for = [](int count) {
    json::Array left = Names("left_", count);
    json::Array right = Names("right_", count);
    left.emplace_back("both");
    right.emplace_back("both");
    json::Array alternatives{json::Object{{"required", std::move(left)}}, json::Object{{"required", std::move(right)}}};
    for (int i = 0; i < count; ++i) alternatives.push_back(json::Object{{"required", {"both", "more"}}, {"const", 1}});
    schema::Budget budget(kFitSteps);
    EXPECT_EQ(json::Write(*FitSchema(json::Object{{"anyOf", std::move(alternatives)}}, budget)),
              R"({"required":["both"]})");
    return budget.granted() - budget.left();
  };
  EXPECT_LT(steps_for(2000), 3 * steps_for(1000));
}

TEST(FitAction, AThousandValuesAreUnitedAndMoreAreLeftOut) {
  const auto values_of = [](int count) {
    json::Array alternatives;
    for (json::Value& name : Names("v", count)) alternatives.push_back(json::Object{{"const", std::move(name)}});
    return Fitted(json::Write(json::Object{{"anyOf", std::move(alternatives)}}));
  };
  EXPECT_EQ(values_of(1000).at("enum").as_array().size(), 1000u);
  EXPECT_EQ(json::Write(values_of(1001)), "{}");
}

TEST(FitAction, ASchemaThatTakesTooMuchIsAnError) {
  const json::Value schema = json::Object{
      {"anyOf",
       {json::Object{{"required", Names("left_", 48'000)}}, json::Object{{"required", Names("right_", 48'000)}}}}};
  schema::Budget budget(kFitSteps);
  const Result<json::Value> fitted = FitSchema(schema, budget);
  EXPECT_EQ(fitted.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(fitted.error().message, "the schema needs more than 1000000 steps to be fitted to the Neuro API");
}

TEST(FitAction, ASchemaThatIsNotFittedStaysAsTheGameGaveIt) {
  FittedActions fitted;
  const std::string schema = R"({"type":"object","title":"T"})";
  EXPECT_EQ(json::Write(*Put(fitted, MakeAction("good", schema)).schema), R"({"type":"object"})");
  EXPECT_EQ(json::Write(*Put(fitted, MakeAction("costly", schema), 10).schema), schema);
  const std::string unusable = R"({"type":"object","title":"T","minimum":"one"})";
  EXPECT_EQ(json::Write(*Put(fitted, MakeAction("unusable", unusable)).schema), unusable);
}

TEST(FitAction, TheActionsOfTheHostedGamesFitAsTheyAre) {
  const std::array<std::unique_ptr<Game>, 5> games{games::MakeTicTacToe(), games::MakeConnectM(),
                                                   games::MakeRockPaperScissors(), games::MakeChicken(),
                                                   games::MakePlayerOneWins()};
  for (const auto& game : games) {
    const auto state = *game->NewGame(nullptr, 1, {"A", "B"});
    for (const ActionSpec& spec : state->Actions(0)) {
      Action action;
      action.name = spec.name;
      action.description = spec.description;
      if (!spec.schema.is_null()) action.schema = spec.schema;
      FittedActions fitted;
      const ActionDefinition definition = Put(fitted, action);
      EXPECT_EQ(definition.name, spec.name);
      schema::Budget budget;
      // Only what other testers miss: the API does not want additionalProperties.
      for (const Issue& issue : CheckAction(definition, budget).issues) {
        EXPECT_EQ(issue.diagnostic, Diagnostic::kSchemaAdditional) << game->info().id << ": " << issue.detail;
      }
    }
  }
}

TEST(FitAction, NamesThatWouldBeTheSameAreToldApart) {
  FittedActions fitted;
  EXPECT_EQ(Put(fitted, MakeAction("Go!")).name, "go");
  EXPECT_EQ(Put(fitted, MakeAction("go")).name, "go_2");
  EXPECT_EQ(Put(fitted, MakeAction("GO")).name, "go_3");
  EXPECT_EQ(Put(fitted, MakeAction("go")).name, "go_2") << "it keeps its name";
  EXPECT_EQ(fitted.ActionName("go"), "Go!");
  EXPECT_EQ(fitted.ActionName("go_2"), "go");
  fitted.Remove("go");
  EXPECT_EQ(fitted.ActionName("go"), "go") << "it is unknown by now";
  const std::string long_name(70, 'a');
  EXPECT_EQ(Put(fitted, MakeAction(long_name)).name, std::string(64, 'a'));
  EXPECT_EQ(Put(fitted, MakeAction(long_name + "b")).name, std::string(62, 'a') + "_2");
}

TEST(FitAction, ManyNamesOfOneStemAreToldApartWithoutTryingAllSuffixes) {
  Suffixes suffixes;
  std::set<std::string> names;
  std::size_t tries = 0;
  const auto take = [&](const std::string& stem) {
    return suffixes.Take(stem, [&](const std::string& name) {
      ++tries;
      return names.contains(name);
    });
  };
  const std::string long_stem(kMaxToolName - 4, 'a');
  for (int i = 0; i < 1000; ++i) {
    for (const std::string& stem : {std::string("go"), long_stem + std::to_string(1000 + i)}) {
      names.insert(take(stem));
      const std::string again = take(stem);
      EXPECT_LE(again.size(), kMaxToolName);
      names.insert(again);
    }
  }
  EXPECT_EQ(names.size(), 4000u);
  EXPECT_LT(tries, 3 * names.size());
  names.clear();
  for (int i = 0; i < 2000; ++i) suffixes.Free("go");
  EXPECT_EQ(take("go"), "go");
  names.insert("go");
  EXPECT_EQ(take("go"), "go_2") << "a stem that nobody uses is forgotten";
}

TEST(FitAction, DataThatIsNoObjectTravelsInOne) {
  FittedActions fitted;
  const ActionDefinition definition = Put(fitted, MakeAction("bid", R"({"type":"integer","minimum":1})"));
  EXPECT_EQ(json::Write(*definition.schema),
            R"({"type":"object","properties":{"value":{"type":"integer","minimum":1}},"required":["value"]})");
  EXPECT_EQ(*fitted.Data("bid", R"({"value":7})"), json::Value(7));
  EXPECT_EQ(json::Write(*fitted.Data("bid", R"({"price":7})")), R"({"price":7})") << "the referee will say so";
}

TEST(FitAction, DataMayBeAbsentEmptyOrBroken) {
  FittedActions fitted;
  EXPECT_FALSE(Put(fitted, MakeAction("pass")).schema.has_value());
  EXPECT_TRUE(fitted.Data("pass", std::nullopt)->is_null());
  EXPECT_TRUE(fitted.Data("pass", " \n")->is_null());
  EXPECT_EQ(json::Write(*fitted.Data("pass", "{}")), "{}");
  EXPECT_EQ(fitted.Data("pass", "{oops").error().code, ErrorCode::kParse);
}

TEST(FitAction, AnActionWithoutADescriptionGetsItsName) {
  FittedActions fitted;
  Action action = MakeAction("Jump High");
  action.description.clear();
  EXPECT_EQ(Put(fitted, action).description, "Jump High");
}

}  // namespace
}  // namespace openseat::neuro
