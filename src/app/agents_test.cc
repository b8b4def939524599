#include "app/agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agents/make_agent.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

class NoCalls final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler&, net::HttpCall, net::HttpDone) override { return {}; }
  void Cancel(Scheduler&, net::HttpCallId) override {}
};

std::string Made(std::string_view spec) {
  NoCalls http;
  const llm::Models models(
      {*llm::ParseModelFlag("small=openai:some-model", [](const std::string&) { return std::nullopt; })}, http);
  const auto agent = MakeAgent(*ParseAgentSpec(spec), {.models = models});
  return agent ? std::string((*agent)->kind()) : agent.error().message;
}

TEST(Agents, EveryKindOfTheTableIsMade) {
  EXPECT_EQ(Made("random"), "random");
  EXPECT_EQ(Made("random:seed=7,invalid=0.5"), "random");
  EXPECT_EQ(Made("neuro:ws://127.0.0.1:8000"), "neuro");
  EXPECT_EQ(Made("neuro:url=wss://neuro.example/x?key=1,game=My Game,patience_ms=5000"), "neuro");
  EXPECT_EQ(Made("llm:small"), "llm");
  EXPECT_EQ(Made("storyteller:seed=3,delay_ms=5"), "storyteller");
  EXPECT_EQ(Made("llm:small,voluntary=true,voluntary_every=5"), "llm");
  EXPECT_THAT(Made("script:/no/such/file"), HasSubstr("cannot read"));
}

TEST(Agents, WhatIsWrongIsSaid) {
  EXPECT_EQ(
      Made("robot"),
      "no agent \"robot\"; there are random, script, bot, storyteller, neuro, llm, external and, on a server, webhook");
  EXPECT_THAT(Made("neuro"), HasSubstr("needs the url"));
  EXPECT_THAT(Made("neuro:url=http://127.0.0.1"), HasSubstr("it must begin with ws:// or wss://"));
  EXPECT_EQ(Made("llm:large"), "there is no model \"large\"; there are small");
  EXPECT_THAT(Made("llm:small,base_url=http://127.0.0.1:1"), HasSubstr("got \"base_url\"")) << "an agent names a model";
  EXPECT_THAT(Made("neuro:ws://x,speed=1"), HasSubstr("got \"speed\""));
}

// "the agent "random" has the options a, b; got "zzz"": each of them stands in the help.
TEST(Agents, HelpHasEveryKindAndOption) {
  const std::string help = kAgentHelp;
  for (const std::string kind : {"random", "script", "bot", "storyteller", "llm", "neuro", "external", "webhook"}) {
    EXPECT_THAT(help, HasSubstr("\n  " + kind)) << kind;
  }
  for (const std::string kind : {"random", "bot", "storyteller", "llm", "neuro"}) {
    const std::string said = Made(kind + ":zzz=1");
    const std::string before = " has the options ";
    const std::size_t at = said.find(before);
    ASSERT_NE(at, std::string::npos) << said;
    std::string_view rest = std::string_view(said).substr(at + before.size());
    rest = rest.substr(0, rest.find(';'));
    while (!rest.empty()) {
      const std::string option(rest.substr(0, rest.find(',')));
      EXPECT_THAT(help, HasSubstr(option)) << kind;
      rest.remove_prefix(std::min(rest.size(), option.size() + 2));
    }
  }
}

}  // namespace
}  // namespace openseat::app
