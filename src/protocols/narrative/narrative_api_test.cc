#include "protocols/narrative/narrative_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "agents/external/external_agent.h"
#include "agents/storyteller/storyteller.h"
#include "base/budget.h"
#include "base/clock.h"
#include "games/narrative/narrative.h"
#include "net/server.h"
#include "net/shard.h"
#include "net/test_client.h"
#include "testing/memory_journal.h"

namespace openseat::narrative {
namespace {

using ::testing::HasSubstr;

// A narrator that thinks without end, and says when it was asked.
class Thinker final : public Agent {
 public:
  explicit Thinker(std::promise<void>& asked) : asked_(asked) {}
  std::string_view kind() const override { return "thinker"; }
  void OnSeated(Seat&) override {}
  void OnDecision(const Decision&) override { asked_.set_value(); }

 private:
  std::promise<void>& asked_;
};

// Stories told by the storyteller, over HTTP.
class NarrativeApiTest : public ::testing::Test {
 protected:
  struct Answer {
    int status = 0;
    json::Value body;
    const json::Value& data() const { return body.at("data"); }
    std::string code() const { return std::string(json::TextOf(body.at("error"), "code")); }
  };

  NarrativeApiTest() {
    api_.AddRoutes(router_);
    server_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {});
    shards_.Start();
  }
  // What lives on the shards is destroyed when they have stopped.
  void TearDown() override {
    shards_.Stop();
    server_.reset();
  }

  Answer Ask(const std::string& method, const std::string& path, const std::string& body = "",
             const std::string& header = "") {
    net::TestClient client(server_->port());
    const net::TestClient::Answer got = client.Request(
        method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + (header.empty() ? "" : header + "\r\n") +
        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    Answer answer{got.status, nullptr};
    if (Result<json::Value> value = json::Parse(got.body)) answer.body = *std::move(value);
    return answer;
  }
  // Makes a new story; returns its id.
  std::string Begin(const std::string& more = "") {
    const Answer made = Ask("POST", "/api/games", R"({"scenario":"whispering-woods","player":"Ana")" + more + "}");
    EXPECT_EQ(made.status, 201) << json::Write(made.body);
    return std::string(json::TextOf(made.data(), "id"));
  }
  Answer Turn(const std::string& story, const std::string& body, const std::string& header = "") {
    return Ask("POST", "/api/games/" + story + "/turns", body, header);
  }
  // The first choice on offer.
  std::string Choice(const std::string& story) {
    const Answer game = Ask("GET", "/api/games/" + story);
    const json::Value& turn = game.data().at("turn");
    return std::string(json::TextOf(turn.at("choices").at(0), "id"));
  }

  std::promise<void> asked_;  // the thinker was
  net::Shards shards_{1};
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&shards_.at(0)}};
  const std::unique_ptr<Game> narrative_ = games::MakeNarrative();
  const std::array<const Game*, 1> games_{narrative_.get()};
  const AgentKinds kinds_{{StorytellerKind(),
                           {.kind = "external",
                            .title = "Agent",
                            .description = "Somebody.",
                            .plays_from = PlaysFrom::kOutside,
                            .options = R"({"type":"object","properties":{"token_sha256":{"x-namedBy":"server"},
            "key_sha256":{"x-namedBy":"server"}}})",
                            .make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
                              return std::make_unique<ExternalAgent>(*ParseExternalAgentOptions(options));
                            }},
                           {.kind = "thinker",
                            .title = "Thinker",
                            .description = "Never answers.",
                            .plays_from = PlaysFrom::kHere,
                            .options = R"({"type":"object"})",
                            .make = [this](const json::Object&) -> Result<std::unique_ptr<Agent>> {
                              return std::make_unique<Thinker>(asked_);
                            }}}};
  Lobby lobby_{games_,     MatchRules{}, std::chrono::seconds(300),
               directory_, journal_,     [this](const AgentSpec& spec) { return kinds_.Make(spec); }};
  NarrativeApi api_{
      directory_,
      journal_,
      lobby_,
      kinds_,
      [](Scheduler&, AgentSpec named, const std::function<void(Result<AgentSpec>)>& done) { done(std::move(named)); },
      [](Scheduler&, const AgentSpec&) {},
      {}};
  net::Router router_;
  std::unique_ptr<net::Server> server_;
};

TEST_F(NarrativeApiTest, AStoryIsBegunPlayedAndReadAgain) {
  const std::string story = Begin();
  const Answer game = Ask("GET", "/api/games/" + story);
  ASSERT_EQ(game.status, 200) << json::Write(game.body);
  EXPECT_EQ(game.data().at("player"), json::Value("Ana"));
  EXPECT_EQ(game.data().at("narrator").at("kind"), json::Value("storyteller"));
  EXPECT_EQ(game.data().at("turnNumber"), json::Value(1)) << "the opening";
  const Answer chosen = Turn(story, R"({"choiceId":")" + Choice(story) + "\"}");
  EXPECT_EQ(chosen.status, 200) << json::Write(chosen.body);
  EXPECT_EQ(Turn(story, R"({"text":"I look around."})").status, 200);
  const Answer turns = Ask("GET", "/api/games/" + story + "/turns");
  ASSERT_EQ(turns.status, 200);
  EXPECT_EQ(turns.data().at("turns").as_array().size(), 3u);
  const Answer listed = Ask("GET", "/api/games");
  EXPECT_THAT(json::Write(listed.body), HasSubstr(story));
}

TEST_F(NarrativeApiTest, ATurnWithAKeyCountsOnce) {
  const std::string story = Begin();
  const std::string header = "Idempotency-Key: turn one";
  const Answer first = Turn(story, R"({"text":"I wait."})", header);
  const Answer again = Turn(story, R"({"text":"I wait."})", header);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json::Write(first.data()), json::Write(again.data()));
  EXPECT_EQ(Ask("GET", "/api/games/" + story).data().at("turnNumber"), json::Value(2));
}

TEST_F(NarrativeApiTest, WhatIsWrongChangesNothing) {
  EXPECT_EQ(Ask("POST", "/api/games", "{}").status, 400);
  EXPECT_EQ(Ask("POST", "/api/games", R"({"scenario":"whispering-woods","narrator":{"kind":"robot"}})").status, 400);
  EXPECT_EQ(Ask("GET", "/api/games/no-such-story").status, 404);
  EXPECT_EQ(Turn("no-such-story", R"({"text":"I wait."})").status, 404);
  const std::string story = Begin();
  EXPECT_EQ(Turn(story, "{}").status, 400);
  EXPECT_GE(Turn(story, R"({"choiceId":"none"})").status, 400);
  EXPECT_EQ(Ask("GET", "/api/games/" + story).data().at("turnNumber"), json::Value(1));
  EXPECT_EQ(Ask("DELETE", "/api/games/" + story).status, 405);
}

TEST_F(NarrativeApiTest, ATurnWaitsWhileItsAddressHasRecordedFarTooMuch) {
  const std::string story = Begin();
  Budget budget;
  const Instant now = SystemClock().Monotonic();
  const std::shared_ptr<Payer> payer = budget.PayerOf("192.0.2.7", now);
  payer->AddRecorded(1u << 30, now);
  std::promise<void> set;
  lobby_.Visit(shards_.at(0), [&](Match& match) { match.CountFor(payer); }, [&set] { set.set_value(); });
  set.get_future().wait();
  const Answer refused = Turn(story, R"({"text":"I look around."})");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "RATE_LIMITED");
  EXPECT_THAT(json::Write(refused.body), HasSubstr("match_bytes_per_second_per_address"));
  EXPECT_EQ(Ask("GET", "/api/games/" + story).status, 200);
}

TEST_F(NarrativeApiTest, WhoWaitsForAStoryThatLeavesIsAnswered) {
  const auto begin = [this] {
    return Ask("POST", "/api/games", R"({"scenario":"whispering-woods","player":"Ana","narrator":{"kind":"thinker"}})",
               "Idempotency-Key: one");
  };
  std::future<Answer> waits = std::async(std::launch::async, begin);
  asked_.get_future().wait();
  std::promise<void> left;
  lobby_.Leave([](const TableId&) { return true; }, [&left] { left.set_value(); });
  left.get_future().wait();
  const Answer answer = waits.get();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.code(), "UNAVAILABLE");
  EXPECT_EQ(begin().status, 201) << "the story that was begun, from its record";
  EXPECT_EQ(journal_.Tables(10)->size(), 1u);
}

// From elsewhere /api/games needs the admin token, so nobody who makes a story there is a stranger.
TEST_F(NarrativeApiTest, AStoryIsNeverAStrangers) {
  const Answer made =
      Ask("POST", "/api/games", R"({"scenario":"whispering-woods","player":"Ana"})", "X-Forwarded-For: 192.0.2.7");
  ASSERT_EQ(made.status, 201) << json::Write(made.body);
  const TableId id{std::string(json::TextOf(made.data(), "id"))};
  std::promise<std::string> opened;
  shards_.at(0).Post([&] {
    const Result<TableRecord> record = journal_.Find(id);
    opened.set_value(record ? record->opened_payload : record.error().message);
  });
  const std::string payload = opened.get_future().get();
  EXPECT_THAT(payload, HasSubstr("whispering-woods"));
  EXPECT_THAT(payload, ::testing::Not(HasSubstr("of_stranger")));
}

TEST_F(NarrativeApiTest, ANarratorFromOutsideIsGivenItsToken) {
  const Answer made =
      Ask("POST", "/api/games", R"({"scenario":"whispering-woods","narrator":{"kind":"external"},"private":true})");
  ASSERT_EQ(made.status, 201) << json::Write(made.body);
  EXPECT_NE(json::TextOf(made.data().at("narrator"), "token"), "");
  EXPECT_NE(json::TextOf(made.data(), "invite"), "");
  // Only those who were invited find it.
  EXPECT_THAT(json::Write(Ask("GET", "/api/games").body), ::testing::Not(HasSubstr("token")));
}

TEST_F(NarrativeApiTest, AStoryIsBranched) {
  const std::string first = Begin(R"(,"turns":5)");
  Turn(first, R"({"choiceId":")" + Choice(first) + "\"}");
  Turn(first, R"({"text":"I wait."})");
  const auto branch = [this](const std::string& id, int turn, const std::string& more = "", const char* key = "") {
    return Ask("POST", "/api/games",
               R"({"from":{"id":")" + id + R"(","turn":)" + std::to_string(turn) + "}" + more + "}", key);
  };
  const Answer made = branch(first, 2, "", "Idempotency-Key: k1");
  ASSERT_EQ(made.status, 201) << json::Write(made.body);
  const std::string second(json::TextOf(made.data(), "id"));
  EXPECT_NE(second, first);
  EXPECT_EQ(json::TextOf(made.data(), "player"), "Ana");
  EXPECT_EQ(made.data().at("turnNumber"), 2);
  EXPECT_EQ(made.data().at("narrator").at("kind"), "storyteller");
  EXPECT_EQ(made.data().at("state").at("maxTurns"), 5);
  const auto turns = [this](const std::string& id) {
    return Ask("GET", "/api/games/" + id + "/turns").data().at("turns").as_array();
  };
  // It has the same beginning and goes its own way; the other story is as it was.
  EXPECT_EQ(turns(second), json::Array({turns(first)[0], turns(first)[1]}));
  EXPECT_EQ(Turn(second, R"({"text":"I run."})").status, 200);
  EXPECT_EQ(turns(second).size(), 3U);
  EXPECT_EQ(json::TextOf(turns(first)[2].at("input"), "text"), "I wait.");
  const Answer repeated = branch(first, 2, "", "Idempotency-Key: k1");
  EXPECT_EQ(json::Write(repeated.data()), json::Write(made.data())) << "though a turn was played since";
  EXPECT_EQ(json::TextOf(branch(second, 3, R"(,"player":"Bo")").data(), "player"), "Bo") << "a branch of a branch";

  // The same turn, told differently: the storyteller does not repeat what was told before.
  const Answer again = Ask("POST", "/api/games", R"({"from":{"id":")" + first + R"(","turn":1,"differently":true}})");
  const json::Value input = turns(first)[1].at("input");
  const std::string third(json::TextOf(again.data(), "id"));
  const Answer retold = Turn(third, R"({"choiceId":")" + std::string(json::TextOf(input, "choiceId")) + "\"}");
  ASSERT_EQ(retold.status, 200) << json::Write(retold.body);
  EXPECT_EQ(retold.data().at("input"), input);
  EXPECT_NE(retold.data().at("turn").at("narrative"), turns(first)[1].at("turn").at("narrative"));

  EXPECT_EQ(branch("no-such-story", 1).code(), "NOT_FOUND");
  EXPECT_EQ(branch("no-such-story", 1, "", "Idempotency-Key: k2").code(), "NOT_FOUND");
  EXPECT_EQ(branch("no-such-story", 1, "", "Idempotency-Key: k2").code(), "NOT_FOUND")
      << "a failure may be tried again";
  EXPECT_EQ(branch(first, 4).code(), "INVALID_REQUEST");
  EXPECT_EQ(branch(first, 0).code(), "INVALID_REQUEST");
  EXPECT_EQ(branch(first, 3, R"(,"turns":3)").code(), "INVALID_REQUEST");
  EXPECT_EQ(branch(first, 1, R"(,"scenario":"last-tram")").code(), "INVALID_REQUEST");
  EXPECT_EQ(branch(first, 1, R"(,"schemaVersion":2)").code(), "INVALID_REQUEST");
}

}  // namespace
}  // namespace openseat::narrative
