#include "agents/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/random_agent.h"

namespace openseat {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A kind with an option that everyone may set; it makes no agent.
AgentKind Kind(std::string name, Namer named_by) {
  return {.kind = std::move(name),
          .title = "Somebody",
          .description = "For this test.",
          .game = "chess",
          .plays_from = PlaysFrom::kElsewhere,
          .named_by = named_by,
          .options = R"({
            "type": "object",
            "properties": {
              "seed": {"type": "integer", "x-namedBy": "player"},
              "url": {"type": "string", "description": "Where to.", "x-namedBy": "player"},
              "speed": {"type": ["integer", "string"], "minimum": 1, "maximum": 9},
              "file": {"type": "string", "x-namedBy": "owner"},
              "hash": {"type": "string", "x-namedBy": "server"}
            },
            "required": ["url"],
            "additionalProperties": false
          })",
          .bare = "url",
          .make = [](const json::Object&) -> Result<std::unique_ptr<Agent>> {
            return Fail(ErrorCode::kUnsupported, "not here");
          }};
}

const AgentKinds& TestKinds() {
  static const AgentKinds kinds(
      {RandomKind(), Kind("one", Namer::kPlayer), Kind("two", Namer::kAdmin), Kind("three", Namer::kOwner)});
  return kinds;
}

Error Refused(const AgentSpec& spec, Namer namer) {
  const Result<void> fits = TestKinds().Check(spec, namer);
  return fits ? Error{ErrorCode::kInvalid, "accepted", {}} : fits.error();
}

TEST(AgentKinds, TextNamesAnAgentWithItsOptions) {
  const auto options = [](std::string_view text) { return TestKinds().Parse(text)->options; };
  EXPECT_EQ(TestKinds().Parse("random")->kind, "random");
  EXPECT_EQ(options("random:seed=7,invalid=0.5"), (json::Object{{"seed", 7}, {"invalid", 0.5}}));
  EXPECT_EQ(options("one:ws://h/?a=b,speed=3"), (json::Object{{"url", "ws://h/?a=b"}, {"speed", 3}}));
  EXPECT_EQ(options("one:speed=fast,here"), (json::Object{{"speed", "fast"}, {"url", "here"}}));
  EXPECT_EQ(options("one:url=a=b"), (json::Object{{"url", "a=b"}}));
  EXPECT_EQ(options("one:7"), (json::Object{{"url", "7"}})) << "text, by its schema";
  EXPECT_EQ(options("one:"), json::Object());
}

TEST(AgentKinds, TextThatNamesNoneIsRefused) {
  const auto message = [](std::string_view text, Namer namer) {
    return TestKinds().Parse(text, namer).error().message;
  };
  EXPECT_EQ(message("", Namer::kOwner), "an agent is one of random, one:URL, two:URL, three:URL; got \"\"");
  EXPECT_EQ(message("robot:x=1", Namer::kPlayer), "no agent \"robot\"; available: random, one:URL");
  EXPECT_EQ(TestKinds().Parse("robot").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(message("random:seed", Namer::kOwner), HasSubstr("name=value,…; got \"seed\""));
  EXPECT_THAT(message("random:=1", Namer::kOwner), HasSubstr("got \"=1\""));
  EXPECT_THAT(message("one:here,there", Namer::kOwner), HasSubstr("got \"there\""));
}

TEST(AgentKinds, WhatIsLongIsNotRepeated) {
  const std::string much(1u << 20, '\x7f');
  const std::pair<Error, const char*> cases[] = {
      {TestKinds().Parse(much.substr(0, 60'000), Namer::kPlayer).error(), "available: random, one:URL"},
      {TestKinds().Parse("random:" + much.substr(0, 60'000), Namer::kPlayer).error(), "name=value,…"},
      {TestKinds().Parse("random:" + much, Namer::kPlayer).error(), "at most 65536 bytes"},
      {Refused({much, {}}, Namer::kPlayer), "available: random, one:URL"},
      {Refused({"random", {{much, 1}}}, Namer::kPlayer), "has the options seed"},
      {Refused({"random", {{"seed", much}}}, Namer::kPlayer), "must be"},
  };
  for (const auto& [error, expected] : cases) {
    EXPECT_THAT(error.message, HasSubstr(expected));
    EXPECT_LT(error.message.size() + error.path.size(), 1u << 10) << expected;
  }
}

TEST(AgentKinds, OptionsAreHeldAgainstTheSchema) {
  const auto message = [](json::Object options) {
    return Refused({"random", std::move(options)}, Namer::kOwner).message;
  };
  EXPECT_TRUE(TestKinds().Check({"random", {{"seed", 18446744073709551615u}, {"delay_ms", json::Array{1, 2.5}}}},
                                Namer::kAdmin));
  EXPECT_THAT(message({{"sped", 1}}), HasSubstr("has the options seed, delay_ms, act_every_ms, invalid, answer; got"));
  EXPECT_EQ(message({{"invalid", 2}}), "the agent \"random\": `invalid` must be at most 1; got 2");
  EXPECT_THAT(message({{"seed", -1}}), HasSubstr("`seed` must be at least 0; got -1"));
  EXPECT_THAT(message({{"seed", 1e300}}), HasSubstr("`seed` must be at most"));
  EXPECT_THAT(message({{"seed", "x"}}), HasSubstr("`seed` must be an integer"));
  EXPECT_THAT(message({{"delay_ms", json::Array{1}}}), HasSubstr("at least 2 items"));
  EXPECT_THAT(message({{"answer", 1}}), HasSubstr("true or false"));
  EXPECT_EQ(Refused({"random", {{"seed", -1}}}, Namer::kOwner).path, "seed");
  // What a schema cannot express.
  const auto made = TestKinds().Make({"random", {{"delay_ms", json::Array{5, 2}}}});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "delay_ms must be [least, most]; got [5,2]");
  EXPECT_EQ(Refused({"one", {}}, Namer::kPlayer).message, "the agent \"one\" needs the url: Where to.");
  EXPECT_EQ(Refused({"one", {}}, Namer::kPlayer).path, "url");
}

TEST(AgentKinds, NobodyNamesWhatIsNotTheirs) {
  const json::Object with_url{{"url", "x"}};
  EXPECT_TRUE(TestKinds().Check({"one", with_url}, Namer::kPlayer));
  EXPECT_EQ(Refused({"two", with_url}, Namer::kPlayer).code, ErrorCode::kDenied);
  EXPECT_EQ(Refused({"two", with_url}, Namer::kPlayer).message,
            "the agent \"two\" cannot be named here; available: random, one:URL");
  EXPECT_TRUE(TestKinds().Check({"two", with_url}, Namer::kAdmin));
  EXPECT_EQ(Refused({"three", with_url}, Namer::kAdmin).code, ErrorCode::kDenied);
  EXPECT_TRUE(TestKinds().Check({"three", with_url}, Namer::kOwner));
  const auto option = [](const char* name, Namer namer) {
    return Refused({"one", {{"url", "x"}, {name, "1"}}}, namer).message;
  };
  EXPECT_EQ(option("speed", Namer::kPlayer), "speed cannot be named here: it is for the operator of the server");
  EXPECT_EQ(option("speed", Namer::kAdmin), "accepted");
  EXPECT_EQ(option("file", Namer::kAdmin),
            "file cannot be named here: it is for the server's command line and configuration");
  EXPECT_EQ(option("file", Namer::kOwner), "accepted");
  EXPECT_EQ(option("hash", Namer::kOwner), "hash cannot be chosen: the server makes it");
  EXPECT_EQ(option("hash", Namer::kServer), "accepted");
}

TEST(AgentKinds, SomePlayOnlyOneGame) {
  const AgentKinds kinds({Kind("chess-bot", Namer::kPlayer)});
  EXPECT_TRUE(kinds.CheckGame({"chess-bot", {}}, "chess"));
  for (const std::string_view other : {"go", ""}) {
    const Result<void> refused = kinds.CheckGame({"chess-bot", {}}, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "the agent \"chess-bot\" plays only chess");
  }
  EXPECT_TRUE(kinds.CheckGame({"unknown", {}}, "go")) << "Check says so";
}

TEST(AgentKinds, AreDescribedToEachAsTheyMayNameThem) {
  const json::Object told = TestKinds().Describe(*TestKinds().Find("one"), Namer::kPlayer);
  EXPECT_EQ(json::Write(told),
            R"({"kind":"one","title":"Somebody","description":"For this test.","plays_from":"elsewhere",)"
            R"("named_by":"player","takes_seed":true,"game":"chess","bare":"url","options_schema":{"type":"object",)"
            R"("properties":{"seed":{"type":"integer"},"url":{"type":"string","description":"Where to."}},)"
            R"("required":["url"],"additionalProperties":false}})");
  const std::string spec = json::Write(TestKinds().SpecSchema(Namer::kAdmin));
  EXPECT_THAT(spec, HasSubstr(R"("kind":{"const":"two"},"seed")"));
  EXPECT_THAT(spec, HasSubstr(R"("required":["kind","url"])"));
  EXPECT_THAT(spec, Not(HasSubstr("three")));
  EXPECT_THAT(spec, Not(HasSubstr("hash")));
}

TEST(AgentKinds, AGameHasAnOpponent) {
  AgentKind engine = Kind("engine", Namer::kPlayer);
  engine.game = "draughts";
  engine.bare = "";
  AgentKind secret = Kind("secret", Namer::kAdmin);
  secret.game = "go";
  secret.bare = "";
  const AgentKinds kinds({RandomKind(), Kind("one", Namer::kPlayer), secret, engine});
  EXPECT_EQ(kinds.OpponentAt("draughts"), "engine");
  EXPECT_EQ(kinds.OpponentAt("chess"), "random") << "it needs a url";
  EXPECT_EQ(kinds.OpponentAt("go"), "random") << "players may not name it";
  EXPECT_EQ(kinds.OpponentAt(""), "random");
  EXPECT_TRUE(TestKinds().TakesSeed("random"));
  EXPECT_FALSE(TestKinds().TakesSeed("robot"));
}

}  // namespace
}  // namespace openseat
