#include "app/agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/external/seat_token.h"
#include "app/games.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

class NoCalls final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler&, net::HttpCall, net::HttpDone) override { return {}; }
  void Cancel(Scheduler&, net::HttpCallId) override {}
};

std::string Made(std::string_view text) {
  NoCalls http;
  const llm::Models models(
      {*llm::ParseModelFlag("small=openai:some-model", [](const std::string&) { return std::nullopt; })}, http);
  const AgentKinds kinds = AgentsWith({.models = &models});
  const Result<AgentSpec> spec = kinds.Parse(text);
  if (!spec) return spec.error().message;
  const auto agent = kinds.Make(*spec);
  return agent ? std::string((*agent)->kind()) : agent.error().message;
}

TEST(Agents, EveryKindOfTheTableIsMade) {
  EXPECT_EQ(Made("random"), "random");
  EXPECT_EQ(Made("random:seed=7,invalid=0.5"), "random");
  EXPECT_EQ(Made("bot:seed=7"), "bot");
  EXPECT_EQ(Made("search"), "search");
  EXPECT_EQ(Made("search:iterations=200,seed=7,threads=2"), "search");
  EXPECT_EQ(Made("search:level=3"), "search");
  EXPECT_THAT(Made("search:level=9"), HasSubstr("level"));
  EXPECT_EQ(Made("external"), "external");
  EXPECT_EQ(Made("neuro:ws://127.0.0.1:8000"), "neuro");
  EXPECT_EQ(Made("neuro:url=wss://neuro.example/x?key=1,game=My Game,patience_ms=5000"), "neuro");
  EXPECT_EQ(Made("llm:small"), "llm");
  EXPECT_EQ(Made("storyteller:seed=3,delay_ms=5"), "storyteller");
  EXPECT_EQ(Made("llm:small,voluntary=true,voluntary_every=5"), "llm");
  EXPECT_THAT(Made("script:/no/such/file"), HasSubstr("cannot read"));
  EXPECT_THAT(Made("webhook:url=https://a.example/"), HasSubstr("by a server only"));
}

TEST(Agents, WhatIsWrongIsSaid) {
  EXPECT_EQ(Made("robot"),
            "no agent \"robot\"; available: random, script:FILE, cmd:PROGRAM, bot, search, storyteller, llm:MODEL, "
            "neuro:URL, "
            "external, webhook:URL");
  EXPECT_THAT(Made("neuro"), HasSubstr("needs the url"));
  EXPECT_THAT(Made("neuro:url=http://127.0.0.1"), HasSubstr("it must begin with ws:// or wss://"));
  EXPECT_EQ(Made("llm:large"), "there is no model \"large\"; available: small");
  EXPECT_THAT(Made("llm"), HasSubstr("needs the model"));
  EXPECT_THAT(Made("llm:small,base_url=http://127.0.0.1:1"), HasSubstr("got \"base_url\"")) << "an agent names a model";
  EXPECT_THAT(Made("neuro:ws://x,speed=1"), HasSubstr("got \"speed\""));
  EXPECT_THAT(Made("external:token_sha256=x"), HasSubstr("64 lower-case hexadecimal digits"));
}

// An agent that reads the server's files or connects to other hosts says so in the table.
TEST(Agents, TheTableSaysWhatOthersRelyOn) {
  for (const AgentKind& kind : DescribedAgents().all()) {
    EXPECT_TRUE(kind.description.ends_with(".")) << kind.kind;
    EXPECT_NE(kind.title, "") << kind.kind;
    if (!kind.game.empty()) {
      EXPECT_NE(FindGame(kind.game), nullptr) << kind.kind;
    }
  }
  EXPECT_EQ(DescribedAgents().Names(Namer::kPlayer), "random, bot, search, storyteller, llm:MODEL");
  EXPECT_EQ(DescribedAgents().Names(Namer::kAdmin),
            "random, script, bot, search, storyteller, llm:MODEL, neuro:URL, external, webhook:URL");
  EXPECT_EQ(DescribedAgents().OpponentAt("netrunner"), "bot");
}

}  // namespace
}  // namespace openseat::app
