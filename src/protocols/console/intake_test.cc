#include "protocols/console/intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "agents/make_agent.h"
#include "agents/random_agent.h"
#include "agents/script_agent.h"
#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "match/match.h"
#include "match/replay.h"
#include "net/http.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/memory_registry.h"

namespace openseat::console {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Accepts any deck except those called "illegal".
class AnyDeck final : public DeckRules {
 public:
  std::string_view game() const override { return "netrunner"; }
  const std::vector<std::string>& formats() const override { return formats_; }
  Result<DeckList> FromText(std::string_view) const override { return DeckList(); }
  Result<DeckList> FromJson(const json::Value&) const override { return DeckList(); }
  Result<DeckList> Complete(DeckList list) const override { return list; }
  std::vector<DeckProblem> Check(const DeckList& list) const override {
    if (list.name == "illegal") return {{"too few cards", ""}};
    return {};
  }
  std::string ToText(const DeckList&) const override { return ""; }
  json::Value ToOption(const DeckList& list) const override { return json::Object{{"identity", list.identity}}; }
  json::Array Cards() const override { return {}; }

 private:
  const std::vector<std::string> formats_{"system-gateway"};
};

class IntakeTest : public ::testing::Test {
 protected:
  Result<WantedMatch> Read(std::string_view body) {
    return ReadWantedMatch(json::Parse(body)->as_object(), *lobby_, kinds_);
  }
  Result<WantedMatch> Prepared(std::string_view body) {
    Result<WantedMatch> wanted = Read(body);
    if (!wanted) return wanted;
    const auto match = std::make_shared<WantedMatch>(std::move(*wanted));
    Result<void> result = Fail(ErrorCode::kTimeout, "nothing came");
    intake_.PrepareMatch(scheduler_, match, [&](const Result<void>& prepared) { result = prepared; });
    scheduler_.Run();
    if (!result) return Fail(result.error());
    return *match;
  }
  static std::string Error(const Result<WantedMatch>& wanted) { return wanted ? "accepted" : wanted.error().message; }
  StoredDeck Save(const char* name, const char* side) {
    StoredDeck saved;
    StoredDeck deck;
    deck.list = {
        .name = name, .game = "netrunner", .side = side, .format = "", .identity = "30001", .cards = {}, .notes = ""};
    registry_.SaveDeck(deck, scheduler_, [&](const Result<StoredDeck>& done) { saved = *done; });
    scheduler_.Run();
    return saved;
  }

  // The kinds as in the table of agents, by who may name them.
  static AgentKind FromOutside(std::string kind) {
    return {.kind = std::move(kind),
            .title = "Agent",
            .description = "Somebody.",
            .plays_from = PlaysFrom::kOutside,
            .options = R"({"type":"object","properties":{"url":{"type":"string"},"key":{},"account":{},
                "target":{"x-namedBy":"server"},"key_sha256":{"x-namedBy":"server"}}})",
            .make = {}};
  }

  const AgentKinds kinds_{{RandomKind(), ScriptKind(), FromOutside("external"), FromOutside("webhook")}};
  const std::unique_ptr<Game> netrunner_ = games::MakeNetrunner();
  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::array<const Game*, 2> games_{netrunner_.get(), tictactoe_.get()};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  testing::MemoryRegistry registry_{scheduler_.clock()};
  TableDirectory directory_{{&scheduler_}};
  std::unique_ptr<Lobby> lobby_ =
      std::make_unique<Lobby>(games_, MatchRules{}, std::chrono::seconds(300), directory_, journal_, MakeLocalAgent);
  const AnyDeck rules_;
  const Intake intake_{registry_, {&rules_}, [](std::string_view url, std::string_view) -> Result<void> {
                         if (url.starts_with("https://")) return {};
                         return Fail(ErrorCode::kInvalid, "not there", "url");
                       }};
};

TEST_F(IntakeTest, AMemberThatNobodyReadsIsAMistake) {
  EXPECT_EQ(Error(Read(R"({"game":"tictactoe","speed":3})")),
            "a match has no member \"speed\"; its members are game, options, private, seed, terms, seats");
  EXPECT_EQ(Error(Read(R"({"game":"tictactoe","seats":[{"agents":{"kind":"random"}}]})")),
            "a seat has no member \"agents\"; its members are role, name, deck, agent");
}

TEST_F(IntakeTest, WhatIsLongIsNotRepeated) {
  const std::string much = "\"" + std::string(900u << 10, '\x7f') + "\"";
  const std::pair<std::string, const char*> cases[] = {
      {R"({"game":)" + much + "}", "available: "},
      {R"({"game":[)" + much + "]}", "game must be a string"},
      {"{" + much + ":1}", "its members are game"},
      {R"({"game":"netrunner","seed":)" + much + "}", "seed must be a whole number"},
      {R"({"game":"netrunner","terms":{)" + much + ":1}}", "terms are move_time"},
      {R"({"game":"netrunner","terms":{"grace":)" + much + "}}", "terms.grace must be"},
      {R"({"game":"netrunner","seats":[{"role":)" + much + "}]}", "is one of Corp, Runner"},
      {R"({"game":"netrunner","seats":[{"agent":{"kind":)" + much + "}}]}", "no agent"},
      {R"({"game":"netrunner","seats":[{"agent":{"kind":"random",)" + much + ":1}}]}", "has the options seed"},
  };
  for (const auto& [body, expected] : cases) {
    const Result<WantedMatch> wanted = Read(body);
    EXPECT_THAT(Error(wanted), HasSubstr(expected));
    EXPECT_LT(net::HttpResponse::FromError(wanted.error()).body.size(), 8u << 10) << expected;
  }
}

TEST_F(IntakeTest, SeatsGoByRoleAndTheOthersByOrder) {
  const Result<WantedMatch> wanted = Read(R"({"game":"netrunner","seats":[
      {"role":"runner","name":"Ana","agent":{"kind":"external"}},{"name":"Ben"}]})");
  ASSERT_TRUE(wanted) << wanted.error().message;
  ASSERT_THAT(wanted->seats, SizeIs(2));
  EXPECT_EQ(wanted->seats[0].name, "Ben");
  EXPECT_EQ(wanted->seats[1].name, "Ana");
  const json::Array seats = SeatsOf(*wanted, netrunner_->info(), TableId("t"));
  EXPECT_EQ(seats[0].at("role"), json::Value("Corp"));
  EXPECT_EQ(seats[1].at("role"), json::Value("runner"));
  EXPECT_THAT(std::string(seats[1].at("api-key").as_string()), ::testing::StartsWith("t.1."));
  EXPECT_FALSE(seats[0].as_object().contains("token"));
}

TEST_F(IntakeTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(Error(Read(R"({"game":"go"})")), HasSubstr("no game \"go\"; available: "));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","private":"yes"})")), HasSubstr("private must be true or false"));
  for (const char* bad : {"-1", "1.5", "\"7\"", "9007199254740992"}) {
    EXPECT_THAT(Error(Read(R"({"game":"netrunner","seed":)" + std::string(bad) + "}")),
                HasSubstr("seed must be a whole number from 0 to 2^53 - 1; got " + std::string(bad)));
  }
  EXPECT_LT(Error(Read(R"({"game":"netrunner","seed":")" + std::string(1000, '9') + "\"}")).size(), 200u);
  EXPECT_EQ(Read(R"({"game":"netrunner","seed":9007199254740991})")->seed, 9007199254740991U);
  EXPECT_FALSE(Read(R"({"game":"netrunner"})")->seed.has_value());
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"role":"judge"}]})")), HasSubstr("one of Corp, Runner"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"role":"corp"},{"role":"Corp"}]})")), HasSubstr("two seats"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"agent":{"kind":"external","key_sha256":"x"}}]})")),
              HasSubstr("cannot be chosen"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"agent":{"kind":"webhook","target":"w-1"}}]})")),
              HasSubstr("cannot be chosen"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"deck":7}]})")), HasSubstr("deck must be a string"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"agent":{"kind":"script","file":"/etc/passwd"}}]})")),
              HasSubstr("file cannot be named here"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"agent":{"kind":"robot"}}]})")),
              HasSubstr("no agent \"robot\"; available: random, script, external, webhook"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"agent":{"kind":"open"}}]})")),
              HasSubstr("leave \"agent\" out"));
  const auto path = [&](std::string_view seats) {
    return Read(R"({"game":"netrunner","seats":)" + std::string(seats) + "}").error().path;
  };
  EXPECT_EQ(path("[{},7]"), "seats[1]");
  EXPECT_EQ(path(R"([{},{"agent":"random"}])"), "seats[1].agent");
  EXPECT_EQ(path(R"([{"agent":{"kind":"robot"}}])"), "seats[0].agent.kind");
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"agent":{"kind":"random","seed":-1}}]})")),
              HasSubstr("`seed` must be at least 0; got -1"));
  EXPECT_THAT(Error(Read(R"({"game":"netrunner","seats":[{"agent":{"kind":"random","sed":1}}]})")),
              HasSubstr("got \"sed\""));
}

TEST_F(IntakeTest, AWebhooksKeyGoesToTheRegistryAlone) {
  const Result<WantedMatch> match = Prepared(
      R"({"game":"netrunner","seats":[{"agent":{"kind":"webhook","url":"https://a.example/","key":"secret"}}]})");
  ASSERT_TRUE(match) << match.error().message;
  const std::string spec = json::Write(match->seats[0].agent.options);
  EXPECT_THAT(spec, ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(spec, ::testing::Not(HasSubstr("a.example")));
  ASSERT_THAT(match->targets, SizeIs(1));
  std::string key;
  const auto look = [&] {
    key = "none";
    registry_.FindWebhook(match->targets[0], scheduler_, [&](const Result<WebhookTarget>& found) {
      if (found) key = found->key;
    });
    scheduler_.Run();
  };
  look();
  EXPECT_EQ(key, "secret");
  intake_.Forget(scheduler_, *match);
  scheduler_.Run();
  look();
  EXPECT_EQ(key, "none");
  EXPECT_THAT(Error(Prepared(R"({"game":"netrunner","seats":[{"agent":{"kind":"webhook","url":"ftp://x"}}]})")),
              "not there");
  EXPECT_THAT(Error(Prepared(R"({"game":"netrunner","seats":[{"agent":{"kind":"webhook"}}]})")),
              HasSubstr("url must be a string"));
}

TEST_F(IntakeTest, WhatWasPutAwayForAnAgentThatIsNotSeatedIsForgotten) {
  std::optional<AgentSpec> spec;
  intake_.PrepareAgent(scheduler_, {"webhook", {{"url", "https://a.example/"}, {"key", "secret"}}},
                       [&](const Result<AgentSpec>& prepared) { spec = *prepared; });
  scheduler_.Run();
  ASSERT_TRUE(spec);
  const WebhookId target(std::string(json::View(spec->options.at("target").as_string())));
  const auto known = [&] {
    bool is_there = false;
    registry_.FindWebhook(target, scheduler_,
                          [&](const Result<WebhookTarget>& found) { is_there = found.has_value(); });
    scheduler_.Run();
    return is_there;
  };
  EXPECT_TRUE(known());
  intake_.Forget(scheduler_, AgentSpec{"external", {}});
  EXPECT_TRUE(known());
  intake_.Forget(scheduler_, *spec);
  EXPECT_FALSE(known());
}

TEST_F(IntakeTest, WhatWasPutAwayForNobodyWhoIsSeatedIsForgotten) {
  const auto prepare = [&] {
    std::optional<AgentSpec> spec;
    intake_.PrepareAgent(scheduler_, {"webhook", {{"url", "https://a.example/"}, {"key", "secret"}}},
                         [&](const Result<AgentSpec>& prepared) { spec = *prepared; });
    scheduler_.Run();
    return *spec;
  };
  const auto known = [&](const AgentSpec& spec) {
    bool is_there = false;
    registry_.FindWebhook(WebhookId(std::string(json::View(spec.options.at("target").as_string()))), scheduler_,
                          [&](const Result<WebhookTarget>& found) { is_there = found.has_value(); });
    scheduler_.Run();
    return is_there;
  };
  const AgentSpec seated = prepare();
  const AgentSpec gone = prepare();
  intake_.ForgetOthers(scheduler_, {{"random", {}}, seated, {"external", {{"target", "none of its options"}}}});
  EXPECT_TRUE(known(seated));
  EXPECT_FALSE(known(gone));
  intake_.ForgetOthers(scheduler_, {});
  EXPECT_FALSE(known(seated));
}

TEST_F(IntakeTest, AnAccountsKeyTakesThePlaceOfTheSeats) {
  std::string id;
  registry_.CreateAccount("Ana", scheduler_, [&](const Result<Account>& made) { id = made->id.str(); });
  scheduler_.Run();
  const Result<WantedMatch> match =
      Prepared(R"({"game":"netrunner","seats":[{"agent":{"kind":"external","account":"ana"}}]})");
  ASSERT_TRUE(match) << match.error().message;
  EXPECT_EQ(match->seats[0].agent.options.at("account"), json::Value(id));
  EXPECT_FALSE(match->seats[0].agent.options.contains("key_sha256"));
  const json::Array seats = SeatsOf(*match, netrunner_->info(), TableId("t"));
  EXPECT_TRUE(seats[0].as_object().contains("token"));
  EXPECT_FALSE(seats[0].as_object().contains("api-key"));
  EXPECT_THAT(Error(Prepared(R"({"game":"netrunner","seats":[{"agent":{"kind":"external","account":"eve"}}]})")),
              HasSubstr("eve"));
}

TEST_F(IntakeTest, StoredDecksAreFoundByIdAndName) {
  const StoredDeck corp = Save("Fast Advance", "corp");
  Save("Big Rig", "runner");
  Save("illegal", "runner");
  const Result<WantedMatch> match = Prepared(R"({"game":"netrunner","seats":[{"role":"corp","deck":")" + corp.id.str() +
                                             R"("},{"role":"runner","deck":"big rig"}]})");
  ASSERT_TRUE(match) << match.error().message;
  EXPECT_EQ(json::Write(match->options),
            R"({"format":"system-gateway","decks":{"corp":{"identity":"30001"},"runner":{"identity":"30001"}}})");
  EXPECT_THAT(Error(Prepared(R"({"game":"netrunner","seats":[{"role":"corp","deck":"big rig"}]})")),
              HasSubstr("is the runner's"));
  EXPECT_THAT(Error(Prepared(R"({"game":"netrunner","seats":[{"role":"runner","deck":"illegal"}]})")),
              HasSubstr("too few cards"));
  EXPECT_THAT(Error(Prepared(R"({"game":"netrunner","seats":[{"role":"runner","deck":"none"}]})")),
              HasSubstr("no deck \"none\""));
  EXPECT_THAT(Error(Prepared(R"({"game":"tictactoe","seats":[{"deck":"big rig"}]})")), HasSubstr("no deck"));
}

TEST_F(IntakeTest, TheDecksOfAMatchAreOfOneFormat) {
  Save("Mine", "corp");
  StoredDeck other = Save("Taught", "runner");
  other.list.format = "system-gateway-beginner";
  registry_.SaveDeck(other, scheduler_, [](const Result<StoredDeck>&) {});
  scheduler_.Run();
  EXPECT_THAT(Error(Prepared(R"({"game":"netrunner","seats":[{"deck":"Mine"},{"deck":"Taught"}]})")),
              HasSubstr("are of one format"));
}

// What everyone may read about a match, and in its record.
TEST_F(IntakeTest, NobodyReadsAnothersDeck) {
  const json::Value options = *json::Parse(R"({"validate":false,"decks":{
      "corp":{"identity":"30035","cards":["30075"]},"runner":{"identity":"30001","cards":["30030"]}}})");
  Match* match = nullptr;
  const AgentSpec random{"random", {}};
  lobby_->Create(scheduler_, "netrunner", options, {{"A", random}, {"B", random}}, [&](const Result<MatchRef>& made) {
    match = dynamic_cast<Match*>(directory_.Local(scheduler_, made->id));
  });
  scheduler_.Run();
  ASSERT_NE(match, nullptr);
  EXPECT_EQ(json::Write(match->Info().at("options").at("decks")),
            R"({"corp":{"identity":"30035"},"runner":{"identity":"30001"}})");
  const auto opening = [&](std::string_view viewer) {
    std::string decks;
    Result<Replay> replay = Replay::Open(journal_, *netrunner_, match->id(), viewer);
    EXPECT_TRUE(replay->Run(0, [&](const json::Object& step) {
      decks = json::Write(step.at("payload").at("options").at("decks"));
      return false;
    }));
    return decks;
  };
  EXPECT_EQ(opening("spectator"), R"({"corp":{"identity":"30035"},"runner":{"identity":"30001"}})");
  EXPECT_EQ(opening("1"), R"({"corp":{"identity":"30035"},"runner":{"identity":"30001","cards":["30030"]}})");
}

}  // namespace
}  // namespace openseat::console
