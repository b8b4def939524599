// Small schemas that take much work: to compile, to generate data for, to check data against. Other players do not
// wait, and the game is told what is wrong with its schema.
#include <memory>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_of_games.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class SchemaCpu : public Attack {
 protected:
  // Checks that the loops report no long delay, and that nobody noticed anything.
  void ExpectPeace() {
    ExpectUnnoticed(20);
    ExpectNoStall();
    ExpectMemoryBelow(200u << 20);
  }
};

TEST_F(SchemaCpu, TwoPatternsThatNoTextMatches) {
  Start();
  WireGame game(server(), "Attacker");
  game.Register("go", TwoPatternsThatNoTextMatches());
  for (std::size_t i = 0; i < Scaled(10); ++i) game.Force("go");
  EXPECT_THAT(WaitForDiagnostic("Attacker", "needs more than"), HasSubstr("agent/gave_up"));
  // It may continue with forces that can be answered.
  game.Register("rest", nullptr);
  game.Force("rest");
  EXPECT_EQ(game.NextAction().at("name"), json::Value("rest"));
  ExpectPeace();
}

TEST_F(SchemaCpu, FiftyPatternsOnTwoConnections) {
  Start();
  std::vector<std::unique_ptr<WireGame>> games;
  for (const char* name : {"Attacker 0", "Attacker 1"}) {
    games.push_back(std::make_unique<WireGame>(server(), name));
    games.back()->Register("go", FiftyPatterns());
    for (std::size_t i = 0; i < Scaled(10); ++i) games.back()->Force("go");
  }
  for (const char* name : {"Attacker 0", "Attacker 1"}) {
    EXPECT_THAT(WaitForDiagnostic(name, "needs more than"), HasSubstr("needs more than"));
  }
  ExpectPeace();
}

TEST_F(SchemaCpu, APatternAndItsNegation) {
  Start();
  WireGame game(server(), "Attacker");
  game.Register("go", APatternAndItsNegation());
  for (std::size_t i = 0; i < Scaled(10); ++i) game.Force("go");
  EXPECT_THAT(WaitForDiagnostic("Attacker", "agent/gave_up"), HasSubstr("agent/gave_up"));
  ExpectPeace();
}

TEST_F(SchemaCpu, ManyLongStrings) {
  Start();
  WireGame game(server(), "Attacker");
  game.Register("go", ManyLongStrings());
  for (std::size_t i = 0; i < Scaled(10); ++i) game.Force("go");
  EXPECT_THAT(WaitForDiagnostic("Attacker", "needs more than"), HasSubstr("to generate a value"));
  ExpectPeace();
}

TEST_F(SchemaCpu, PatternsThatAreHardToCompile) {
  Start();
  WireGame game(server(), "Attacker");
  const std::vector<json::Value> schemas = PatternsThatAreHardToCompile();
  for (std::size_t i = 0; i < Scaled(5) * schemas.size(); ++i) {
    const std::string name = "go_" + std::to_string(i);
    game.Register(name, schemas[i % schemas.size()]);
    game.Force(name);
  }
  game.Register("rest", nullptr);
  game.Force("rest");
  for (json::Value action = game.NextAction(); action.is_object(); action = game.NextAction()) {
    if (action.at("name") == json::Value("rest")) break;
    game.Accept(action);
  }
  ExpectPeace();
}

// No schemas, but very many actions and names.
TEST_F(SchemaCpu, MoreActionsThanAnyGameHas) {
  Start();
  WireGame game(server(), "Attacker");
  RegisterActions(game, 30'000);
  for (std::size_t i = 0; i < Scaled(2); ++i) {
    ForceOneOf(game, 30'000);
    game.Accept(game.NextAction());
  }
  UnregisterActions(game, 30'000);
  game.Register("rest", nullptr);
  game.Force("rest");
  EXPECT_EQ(game.NextAction().at("name"), json::Value("rest"));
  EXPECT_THAT(DiagnosticsOf("Attacker"), HasSubstr("must have at most 2000 items; got 30000"));
  ExpectPeace();
}

// No schemas either, but broken JSON that is hard to repair.
TEST_F(SchemaCpu, MessagesThatAreHardToRepair) {
  Start();
  WireGame game(server(), "Attacker");
  const std::vector<std::string> texts = TextsThatAreHardToRepair();
  for (std::size_t round = 0; round < Scaled(2); ++round) {
    for (const std::string& text : texts) game.client().Send(text);
  }
  game.Register("rest", nullptr);
  game.Force("rest");
  EXPECT_EQ(game.NextAction().at("name"), json::Value("rest"));
  ExpectPeace();
}

// JSON with very many values within a text: the limit on a message's values does not see them.
TEST_F(SchemaCpu, TextsThatAreLargeJson) {
  Start();
  WireGame game(server(), "Attacker");
  std::string text = TextThatIsLargeJson();
  for (std::size_t i = 0; i < Scaled(4); ++i) {
    text += " ";
    game.Send("context", json::Object{{"message", text}, {"silent", true}});
  }
  EXPECT_THAT(WaitForDiagnostic("Attacker", "is a JSON document"), HasSubstr("perf/context/json_dump"));
  ExpectPeace();
}

// The largest allowed schema, again and again: messages after it on the same connection wait, and nobody else does.
TEST_F(SchemaCpu, SchemasAsLargeAsTheyMayBe) {
  Start();
  const json::Value schema = SchemaAsLargeAsItMayBe();
  WireGame game(server(), "Attacker");
  for (std::size_t i = 0; i < Scaled(4); ++i) game.Register("go_" + std::to_string(i), schema);
  game.Register("rest", nullptr);
  game.Force("rest");
  // In order: the force finds its action.
  EXPECT_EQ(game.NextAction().at("name"), json::Value("rest"));
  EXPECT_EQ(DiagnosticsOf("Attacker").find("perf/schema/costly"), std::string::npos) << "large is not hard";
  ExpectPeace();
}

// 18 KB of text each take 2 MB once they are compiled.
TEST_F(SchemaCpu, PatternsThatTakeMuchMemory) {
  Start("[limits.loopback]\nmax_table_bytes_per_address = 67108864\n");
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t k = 0; k < Scaled(6); ++k) {
    games.push_back(std::make_unique<WireGame>(server(), "Attacker " + std::to_string(k)));
    RegisterPatternsThatTakeMuchMemory(*games.back());
  }
  const std::string last = "Attacker " + std::to_string(games.size() - 1);
  EXPECT_THAT(WaitForDiagnostic(last, "max_table_bytes_per_address"), HasSubstr("were not registered"));
  games.clear();
  ExpectUnnoticed(20);
  ExpectNoStall();
  ExpectMemoryBelow(300u << 20);
}

// An agent elsewhere that speaks the Neuro API gets the schemas in its form.
TEST_F(SchemaCpu, SchemasThatAreHardToFitForABackend) {
  net::TestListener backend;
  StartAlone({}, {"--agent", "neuro:ws://127.0.0.1:" + std::to_string(backend.port())});
  WireGame game(server(), "Attacker");
  const auto connection = backend.Accept();
  connection->AnswerUpgrade();
  for (const int members : {20'000, 48'000}) {
    game.Register("go_" + std::to_string(members), AlternativesWithLongLists(members));
    for (net::TestClient::Frame frame; frame.payload.find("go_" + std::to_string(members)) == std::string::npos;) {
      frame = connection->ReadFrame();
      ASSERT_NE(frame.opcode, -1);
    }
  }
  ExpectNoStall();
}

}  // namespace
}  // namespace openseat::tests
