// Little schemas that ask for much: to compile, to make data for, to check data against. Whoever plays beside does not
// wait, and the game is told what was wrong with it.
#include <chrono>
#include <string>
#include <vector>

#include "attack/attack.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

constexpr auto kNoticed = std::chrono::seconds(1);  // a neighbor would; today's program let it wait for five and more

class SchemaCpu : public Attack {
 protected:
  // Everything that was found wrong with a game's messages, as JSON.
  std::string DiagnosticsOf(const std::string& game) {
    const json::Value listed = server().Get("/api/v1/tables");
    for (const json::Value& table : listed.at("tables").as_array()) {
      if (table.at("game") != json::Value(game)) continue;
      const std::string id(json::View(table.at("id").as_string()));
      return json::Write(server().Get("/api/v1/tables/" + id + "/diagnostics"));
    }
    return {};
  }
  // Asks until a diagnostic of the game says `what`; the diagnostics then.
  std::string WaitForDiagnostic(const std::string& game, const std::string& what) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
      std::string found = DiagnosticsOf(game);
      if (found.find(what) != std::string::npos || std::chrono::steady_clock::now() > deadline) return found;
    }
  }
  // The loops were never held up for long, by what they say themselves, and nobody noticed anything.
  void ExpectPeace() {
    neighbor().WaitForTrips(20);
    const Neighbor::Report report = neighbor().Stop();
    EXPECT_LT(report.longest(), kNoticed);
    EXPECT_EQ(server().Metric("openseat_loop_stall_seconds_count"),
              server().Metric(R"(openseat_loop_stall_seconds_bucket{le="0.5"})"));
    EXPECT_LT(server().PeakResidentBytes(), 200u << 20);
  }
  static json::Value Pattern(const std::string& pattern) { return json::Object{{"pattern", pattern}}; }
  static json::Value OfString(json::Object more) {
    more["type"] = "string";
    return json::Object{
        {"type", "object"}, {"properties", json::Object{{"a", std::move(more)}}}, {"required", json::Array{"a"}}};
  }
};

TEST_F(SchemaCpu, TwoPatternsThatNoTextMatches) {
  Start();
  WireGame game(server(), "Attacker");
  game.Register(
      "go", OfString({{"minLength", 300}, {"allOf", json::Array{Pattern("^(a|b|ab)*a$"), Pattern("^(a|b|ab)*b$")}}}));
  for (std::size_t i = 0; i < Scaled(10); ++i) game.Force("go");
  EXPECT_THAT(WaitForDiagnostic("Attacker", "needs more than"), HasSubstr("agent/gave_up"));
  // It may go on with what can be answered.
  game.Register("rest", nullptr);
  game.Force("rest");
  EXPECT_EQ(game.NextAction().at("name"), json::Value("rest"));
  ExpectPeace();
}

TEST_F(SchemaCpu, FiftyPatternsOnTwoConnections) {
  Start();
  json::Array patterns;
  for (int i = 0; i < 50; ++i)
    patterns.push_back(
        Pattern("^(a|b|ab)*" + std::string(i % 2 == 0 ? "a" : "b") + "{" + std::to_string(i / 2 + 1) + "}$"));
  const json::Value schema = OfString({{"minLength", 300}, {"allOf", std::move(patterns)}});
  std::vector<std::unique_ptr<WireGame>> games;
  for (const char* name : {"Attacker 0", "Attacker 1"}) {
    games.push_back(std::make_unique<WireGame>(server(), name));
    games.back()->Register("go", schema);
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
  game.Register("go", OfString({{"pattern", "^(a+)+$"}, {"not", Pattern("^(a+)+$")}}));
  for (std::size_t i = 0; i < Scaled(10); ++i) game.Force("go");
  EXPECT_THAT(WaitForDiagnostic("Attacker", "agent/gave_up"), HasSubstr("agent/gave_up"));
  ExpectPeace();
}

TEST_F(SchemaCpu, ManyLongStrings) {
  Start();
  json::Object properties;
  json::Array required;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "p" + std::to_string(i);
    properties[name] = json::Object{{"type", "string"}, {"minLength", 100'000}};
    required.push_back(json::Value(name));
  }
  WireGame game(server(), "Attacker");
  game.Register(
      "go", json::Object{{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}});
  for (std::size_t i = 0; i < Scaled(10); ++i) game.Force("go");
  EXPECT_THAT(WaitForDiagnostic("Attacker", "needs more than"), HasSubstr("to generate a value"));
  ExpectPeace();
}

// What compiling alone may take: tables of states, repetitions of nothing, groups that double one another.
TEST_F(SchemaCpu, PatternsThatAreHardToCompile) {
  Start();
  std::vector<std::string> patterns;
  std::string nested = "a";
  for (int i = 0; i < 49; ++i) nested = "(?:" + std::string(i == 0 ? "" : nested) + "){8}";
  patterns.push_back("^" + nested + "$");
  std::string states = "^";
  for (int i = 0; i < 60; ++i)
    states += "(?:[" + std::string(1, static_cast<char>('A' + i % 26)) + "-z]|" +
              std::string(1, static_cast<char>('a' + i % 26)) + ")*";
  patterns.push_back(states + "$");
  std::string doubling = "^(a)";
  for (int i = 1; i < 90; ++i) doubling += "(\\" + std::to_string(i) + "\\" + std::to_string(i) + ")";
  patterns.push_back(doubling);
  patterns.push_back("^(?=(a+)+$)(a*)*\\b$");
  WireGame game(server(), "Attacker");
  for (std::size_t round = 0; round < Scaled(5); ++round) {
    for (const std::string& pattern : patterns) {
      json::Array all;
      for (int i = 0; i < 100; ++i) all.push_back(Pattern(pattern + "|x{" + std::to_string(i) + "}"));
      const std::string name = "go_" + std::to_string(round) + "_" + std::to_string(pattern.size());
      game.Register(name, OfString({{"minLength", 30}, {"allOf", std::move(all)}}));
      game.Force(name);
    }
  }
  game.Register("rest", nullptr);
  game.Force("rest");
  for (json::Value action = game.NextAction(); action.is_object(); action = game.NextAction()) {
    if (action.at("name") == json::Value("rest")) break;
    game.Accept(action);
  }
  ExpectPeace();
}

// No schema at all, but very many actions, and names of them.
TEST_F(SchemaCpu, MoreActionsThanAnyGameHas) {
  Start();
  json::Array actions;
  json::Array names;
  for (int i = 0; i < 30'000; ++i) {
    const json::Value name(json::Value("a" + std::to_string(i)));
    actions.push_back(json::Object{{"name", name}, {"description", "d"}});
    names.push_back(name);
  }
  WireGame game(server(), "Attacker");
  game.Send("actions/register", json::Object{{"actions", std::move(actions)}});
  for (std::size_t i = 0; i < Scaled(2); ++i) {
    game.Send("actions/force", json::Object{{"query", "Choose."}, {"action_names", names}});
    game.Accept(game.NextAction());
  }
  game.Send("actions/unregister", json::Object{{"action_names", std::move(names)}});
  game.Register("rest", nullptr);
  game.Force("rest");
  EXPECT_EQ(game.NextAction().at("name"), json::Value("rest"));
  EXPECT_THAT(DiagnosticsOf("Attacker"), HasSubstr("must have at most 2000 items; got 30000"));
  ExpectPeace();
}

// As large as a schema may be, again and again: what comes behind such a message waits, and nobody else does.
TEST_F(SchemaCpu, SchemasAsLargeAsTheyMayBe) {
  Start();
  json::Object properties;
  for (int i = 0; i < 12'000; ++i) {
    properties["p" + std::to_string(i)] = json::Object{{"type", "integer"}, {"minimum", i}, {"maximum", i + 10}};
  }
  const json::Value schema = json::Object{{"type", "object"}, {"properties", std::move(properties)}};
  WireGame game(server(), "Attacker");
  for (std::size_t i = 0; i < Scaled(4); ++i) game.Register("go_" + std::to_string(i), schema);
  game.Register("rest", nullptr);
  game.Force("rest");
  // In order: the force finds its action.
  EXPECT_EQ(game.NextAction().at("name"), json::Value("rest"));
  EXPECT_EQ(DiagnosticsOf("Attacker").find("perf/schema/costly"), std::string::npos) << "large is not hard";
  ExpectPeace();
}

}  // namespace
}  // namespace openseat::tests
