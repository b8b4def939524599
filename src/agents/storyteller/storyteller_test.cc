#include "agents/storyteller/storyteller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "agents/storyteller/tale.h"
#include "games/narrative/narrative.h"
#include "games/narrative/result_schema.h"
#include "games/narrative/scenario.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::storyteller {
namespace {

using games::narrative::ResultSchema;
using games::narrative::Scenario;
using games::narrative::Scenarios;
using ::testing::HasSubstr;

json::Object Facts(const Scenario& scenario, int turn, const json::Object& world) {
  return {{"scenario", scenario.id}, {"turn", turn},  {"maxTurns", 200}, {"seed", 3},
          {"player", "Ana"},         {"world", world}};
}

TEST(Storyteller, EverySceneOfEveryScenarioIsValidAndLeadsSomewhere) {
  for (const Scenario& scenario : Scenarios()) {
    const json::Object* tale = FindTale(scenario.id);
    ASSERT_NE(tale, nullptr) << scenario.id;
    const json::Object& scenes = tale->at("scenes").as_object();
    EXPECT_TRUE(scenes.contains(tale->at("opening").as_string()));
    EXPECT_TRUE(scenes.contains(tale->at("last").as_string()));
    for (const auto& [name, scene] : scenes) {
      for (const json::Value& choice : scene.at("choices").as_array()) {
        const json::Value& to = choice.at("to");
        ASSERT_TRUE(scenes.contains(to.as_string())) << to;
        Rng rng(1);
        json::Object facts = Facts(scenario, 5, {{"scene", name}});
        facts["wish"] = json::Object{{"choiceId", "x"}, {"text", choice.at("label")}};
        const json::Object told = Narrate(*tale, facts, "", rng);
        for (int version = 1; version <= games::narrative::kResultVersions; ++version) {
          EXPECT_EQ(schema::Explain(ResultSchema(version).Validate(told)), "");
        }
        EXPECT_EQ(told.at("worldStateChanges").at("scene"), to) << "a choice leads where it says";
      }
      for (const char* list : {"relationships", "factions"}) {
        if (!scene.as_object().contains(list)) continue;
        for (const auto& member : scene.at(list).as_object()) {
          const auto& parties = list == std::string_view("factions") ? scenario.factions : scenario.characters;
          EXPECT_TRUE(std::ranges::find(parties, json::View(member.key()), &games::narrative::Party::id) !=
                      parties.end())
              << member.key();
        }
      }
    }
  }
}

TEST(Storyteller, RepeatsThePlayersOwnWordsAndGoesOn) {
  const Scenario& woods = Scenarios().front();
  json::Object facts = Facts(woods, 2, {{"scene", "edge"}});
  facts["wish"] = json::Object{{"text", "Sing {player}!"}};
  bool repeated = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const json::Object told = Narrate(*FindTale(woods.id), facts, "", rng);
    EXPECT_EQ(schema::Explain(ResultSchema(2).Validate(told)), "");
    repeated = repeated || json::Write(told).find("Sing {player}!") != std::string::npos;
  }
  EXPECT_TRUE(repeated) << "as they are, not filled in";
}

TEST(Storyteller, EndsWithTheLastTurnAndGoesOnFromOthersScenes) {
  const Scenario& woods = Scenarios().front();
  Rng rng(1);
  json::Object facts = Facts(woods, 200, {{"scene", "edge"}});
  EXPECT_TRUE(Narrate(*FindTale(woods.id), facts, "", rng).at("worldStateChanges").as_object().contains("ending"));
  facts = Facts(woods, 9, {{"scene", "a model's own"}});
  EXPECT_EQ(schema::Explain(ResultSchema(2).Validate(Narrate(*FindTale(woods.id), facts, "", rng))), "");
}

TEST(Storyteller, TellsNoParagraphTwice) {
  for (const Scenario& scenario : Scenarios()) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Rng rng(seed);
      std::string told;
      std::set<std::string> paragraphs;
      json::Object world;
      json::Object wish;
      for (int turn = 1; !world.contains("ending"); ++turn) {
        ASSERT_LT(turn, 100) << "the tale ends when everything is told";
        json::Object facts = Facts(scenario, turn, world);
        if (turn > 1) facts["wish"] = wish;
        const json::Object narration = Narrate(*FindTale(scenario.id), facts, told, rng);
        EXPECT_EQ(schema::Explain(ResultSchema(2).Validate(narration)), "");
        const std::string text(json::TextOf(narration, "narrative"));
        for (std::size_t from = 0; from < text.size();) {
          const std::size_t end = std::min(text.find("\n\n", from), text.size());
          EXPECT_TRUE(paragraphs.insert(text.substr(from, end - from)).second) << text.substr(from, end - from);
          from = end + 2;
        }
        told += text + "\n";
        for (const auto& change : narration.at("worldStateChanges").as_object()) world[change.key()] = change.value();
        const json::Array& choices = narration.at("choices").as_array();
        wish = rng.Chance(0.2)
                   ? json::Object{{"text", "I wait, number " + std::to_string(turn) + "."}}
                   : json::Object{{"choiceId", "x"}, {"text", choices[rng.Below(choices.size())].at("label")}};
      }
    }
  }
}

// A game that runs elsewhere can send the storyteller anything.
class AnyTable : public ::testing::Test, public SeatHost {
 protected:
  void OnChoice(Seat& seat, const PendingChoice& pending) override {
    ++chosen_;
    scheduler_.Post([&seat, id = pending.id] { seat.Settle(id, Verdict{}); });
  }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd) override { ++ended_; }
  void OnRefused(Seat&, const Choice&, const Error&) override {}

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Transcript transcript_{journal_, scheduler_, TableId("t")};
  Seat seat_{0, "player", *this, scheduler_, transcript_, SeatRules{}};
  int chosen_ = 0;
  int ended_ = 0;
};

TEST_F(AnyTable, FactsThatAreNoneAreSurvived) {
  auto narrate = std::make_shared<Action>();
  narrate->name = "narrate";
  narrate->schema = *json::Parse(R"({"type":"object"})");
  seat_.AddAction(std::move(narrate));
  seat_.SetAgent(std::make_unique<Storyteller>(StorytellerOptions{}));
  int asked = 0;
  for (const char* facts :
       {R"("seed":-1,"turn":-5)", R"("seed":1e300,"turn":2.5)", R"("seed":"x","turn":null)", R"("seed":{},"wish":7)",
        R"("seed":18446744073709551615,"turn":9223372036854775808,"maxTurns":-1,"world":[],"player":1)"}) {
    Decision decision;
    decision.query = "?";
    decision.sight =
        std::make_shared<Sight>("\nFacts: {\"scenario\":\"whispering-woods\"," + std::string(facts) + "}\n");
    decision.actions = seat_.actions();
    seat_.Ask(std::move(decision));
    scheduler_.Run();
    EXPECT_EQ(ended_, ++asked) << facts;
  }
  EXPECT_EQ(chosen_, asked);
}

TEST(Storyteller, OptionsAreChecked) {
  const AgentKinds kinds({StorytellerKind()});
  EXPECT_TRUE(kinds.Make({"storyteller", {{"seed", 4}, {"delay_ms", 20}}}).has_value());
  const auto wrong = kinds.Make({"storyteller", {{"speed", 4}}});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("speed"));
}

}  // namespace
}  // namespace openseat::storyteller
