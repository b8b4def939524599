#include "protocols/narrative/narrative_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/external/external_agent.h"
#include "agents/storyteller/storyteller.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/digest.h"
#include "games/narrative/narrative.h"
#include "games/tictactoe/tictactoe.h"
#include "net/other_servers.h"
#include "net/server.h"
#include "net/shard.h"
#include "net/test_client.h"
#include "testing/memory_journal.h"

namespace openseat::narrative {
namespace {

using ::testing::HasSubstr;

// A narrator that thinks until the test has it give up, and says when it was asked.
class Thinker final : public Agent {
 public:
  Thinker(std::promise<void>& asked, Task& give_up) : asked_(asked), give_up_(give_up) {}
  std::string_view kind() const override { return "thinker"; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision& decision) override {
    give_up_ = [seat = seat_, id = decision.id] { EXPECT_TRUE(seat->GiveUp(id, "no idea")); };
    asked_.set_value();
  }

 private:
  std::promise<void>& asked_;
  Task& give_up_;
  Seat* seat_ = nullptr;
};

// The other servers of a cluster, as a test wants them. A request with the header Passed-On is from one of them.
class FakeOthers final : public net::OtherServers {
 public:
  explicit FakeOthers(Scheduler& home) : home_(home) {}
  bool IsPassedOn(const net::HttpRequest& request) const override { return request.headers.Has("Passed-On"); }
  bool HaveAll() const override { return true; }
  Serving Served() const override {
    ++looked;
    return std::exchange(serving, serving_next.value_or(serving));
  }
  void AskAll(const net::HttpRequest& /*request*/, std::string target,
              std::function<void(std::vector<Answer>)> done) const override {
    Task answer = [this, target = std::move(target), done = std::move(done)] {
      asked = target;
      done(answers);
    };
    if (!are_held) return home_.Post(std::move(answer));
    held.push_back(std::move(answer));
  }
  std::function<void()> PassOn(const std::string& node, const net::HttpRequest& request,
                               std::function<void(net::HttpResponse)> done) const override {
    done(net::HttpResponse::Text(201,
                                 node + " " + request.body + std::string(request.headers.Get("X-Openseat-Private"))));
    return [] {};
  }

  // Of the shards' thread, between requests.
  std::vector<Answer> answers{};
  mutable std::string asked{};
  bool are_held = false;  // the answers, from now on
  mutable std::vector<Task> held{};
  mutable Serving serving{.shards = ~std::uint64_t{0}, .takes = 64};
  std::optional<Serving> serving_next{};  // after the next look
  mutable int looked = 0;                 // how often what this server serves was

 private:
  Scheduler& home_;
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
    return AskAt(*server_, method, path, body, header);
  }
  static Answer AskAt(const net::Server& server, const std::string& method, const std::string& path,
                      const std::string& body, const std::string& header) {
    net::TestClient client(server.port());
    const net::TestClient::Answer got = client.Request(
        method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + (header.empty() ? "" : header + "\r\n") +
        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    Answer answer{got.status, nullptr};
    if (Result<json::Value> value = json::Parse(got.body)) answer.body = *std::move(value);
    return answer;
  }
  void OnShard(const std::function<void()>& run) {
    std::promise<void> ran;
    shards_.at(0).Post([&] {
      run();
      ran.set_value();
    });
    ran.get_future().wait();
  }
  // This is a server of a cluster from now on, which serves all shards and makes all stories. Before the first request.
  void JoinCluster() {
    OnShard([this] { api_.SetCluster({.others = &others_, .maker = [this](const std::string&) { return maker_; }}); });
  }
  void SetMaker(std::optional<std::string> server) {
    OnShard([&] { maker_ = std::move(server); });
  }
  // What another server says about a key.
  void OthersSay(const json::Object& told) {
    OnShard([&] { others_.answers = {{"two", json::Write(told)}}; });
  }
  Answer BeginUnder(const std::string& key, const std::string& more = "") {
    return Ask("POST", "/api/games", kStory, "Idempotency-Key: " + key + more);
  }
  std::size_t stories() {
    std::size_t made = 0;
    OnShard([&] { made = journal_.Tables(10)->size(); });
    return made;
  }
  // Another server, which makes stories of the same lobby. The shards have stopped when it is gone.
  class OtherServer {
   public:
    explicit OtherServer(NarrativeApiTest& test)
        : shards_(test.shards_),
          api_(
              test.directory_, test.journal_, test.lobby_, test.kinds_,
              [](Scheduler&, AgentSpec named, const std::function<void(Result<AgentSpec>)>& done) {
                done(std::move(named));
              },
              [](Scheduler&, const AgentSpec&) {}, {}) {
      api_.AddRoutes(router_);
      server_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {});
    }
    ~OtherServer() {
      shards_.Stop();
      server_.reset();
    }
    OtherServer(const OtherServer&) = delete;
    OtherServer& operator=(const OtherServer&) = delete;

    Answer BeginUnder(const std::string& key, const std::string& story = kStory) {
      return AskAt(*server_, "POST", "/api/games", story, "Idempotency-Key: " + key);
    }

   private:
    net::Shards& shards_;
    NarrativeApi api_;
    net::Router router_;
    std::unique_ptr<net::Server> server_;
  };
  // What a server of the cluster is told of a key.
  json::Value ToldOf(const std::string& key) {
    const Answer told = Ask("GET", "/narrative/key?key=" + key, "", "Passed-On: yes");
    EXPECT_EQ(told.status, 200);
    return told.body;
  }
  static constexpr const char* kStory = R"({"scenario":"whispering-woods","player":"Ana"})";
  static constexpr const char* kThought =
      R"({"scenario":"whispering-woods","player":"Ana","narrator":{"kind":"thinker"}})";

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
  Task give_up_;              // it does, on its shard
  net::Shards shards_{1};
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&shards_.at(0)}};
  const std::unique_ptr<Game> narrative_ = games::MakeNarrative();
  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::array<const Game*, 2> games_{narrative_.get(), tictactoe_.get()};
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
                              return std::make_unique<Thinker>(asked_, give_up_);
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
      {.rate = {.per_second = 0.001, .burst = 3}}};
  net::Router router_;
  std::unique_ptr<net::Server> server_;

  FakeOthers others_{shards_.at(0)};
  std::optional<std::string> maker_ = "";
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

TEST_F(NarrativeApiTest, TheListComesInPagesWithTheNewestFirst) {
  std::vector<std::string> made;
  for (int i = 0; i < 5; ++i) made.push_back(Begin());
  OnShard([this] {
    // Not a story.
    lobby_.Create(shards_.at(0), "tictactoe", nullptr, {}, [](const Result<MatchRef>& match) { EXPECT_TRUE(match); });
  });
  std::vector<std::string> listed;
  std::vector<std::size_t> pages;
  std::string cursor;
  do {
    const Answer page = Ask("GET", "/api/games?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
    ASSERT_EQ(page.status, 200) << json::Write(page.body);
    EXPECT_FALSE(page.data().at("scenarios").as_array().empty());
    pages.push_back(page.data().at("games").as_array().size());
    for (const json::Value& game : page.data().at("games").as_array()) {
      listed.emplace_back(json::TextOf(game, "id"));
    }
    cursor = json::TextOf(page.data(), "next");
  } while (!cursor.empty() && pages.size() < 10);
  EXPECT_EQ(pages, (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(listed, std::vector<std::string>(made.rbegin(), made.rend()));
  EXPECT_EQ(json::Find(Ask("GET", "/api/games").data(), "next"), nullptr) << "that is all";
  for (const char* query : {"limit=0", "limit=x", "cursor=x", "cursor=1"}) {
    const Answer wrong = Ask("GET", std::string("/api/games?") + query);
    EXPECT_EQ(wrong.status, 400) << query;
    EXPECT_EQ(wrong.code(), "INVALID_REQUEST") << query;
  }
}

TEST_F(NarrativeApiTest, OnlyStrangersAreToldToWait) {
  const std::string turn = "/api/games/no-such-story/turns";
  const std::string body = R"({"text":"I look around."})";
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Ask("POST", turn, body).status, 404);
  const std::string elsewhere = "X-Forwarded-For: 192.0.2.7";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask("POST", turn, body, elsewhere).status, 404);
  const Answer limited = Ask("POST", turn, body, elsewhere);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.code(), "RATE_LIMITED");
  EXPECT_EQ(Ask("POST", turn, body, "X-Forwarded-For: 192.0.2.8").status, 404) << "somebody else";
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
  const auto begin = [this] { return Ask("POST", "/api/games", kThought, "Idempotency-Key: one"); };
  std::future<Answer> waits = std::async(std::launch::async, begin);
  asked_.get_future().wait();
  std::promise<void> left;
  lobby_.Leave([](const TableId&) { return true; }, [&left] { left.set_value(); });
  left.get_future().wait();
  const Answer answer = waits.get();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.code(), "UNAVAILABLE");
  EXPECT_EQ(begin().status, 503) << "its opening is told elsewhere";
  EXPECT_EQ(stories(), 1u);
}

TEST_F(NarrativeApiTest, OneServerMakesTheStoriesOfAKey) {
  JoinCluster();
  SetMaker("two");
  const net::TestClient::Answer passed =
      net::TestClient(server_->port())
          .Request("POST /api/games HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: one\r\nContent-Length: " +
                   std::to_string(std::string_view(kStory).size()) + "\r\n\r\n" + kStory);
  EXPECT_EQ(passed.status, 201);
  EXPECT_EQ(passed.body, "two " + std::string(kStory) + "0");
  // Servers that do not agree, or a key that moves.
  EXPECT_EQ(BeginUnder("one", "\r\nPassed-On: yes").status, 503);
  SetMaker(std::nullopt);
  const Answer moves = BeginUnder("one");
  EXPECT_EQ(moves.status, 503);
  EXPECT_EQ(moves.code(), "UNAVAILABLE");
  EXPECT_EQ(stories(), 0u);
  // Without a key, any server does.
  Begin();
  EXPECT_EQ(stories(), 1u);
  // As private as where it came from.
  SetMaker("");
  const Answer made = BeginUnder("one", "\r\nPassed-On: yes\r\nX-Openseat-Private: 1");
  EXPECT_EQ(made.status, 201) << json::Write(made.body);
  EXPECT_NE(json::TextOf(made.data(), "invite"), "");
  OnShard([this] { EXPECT_EQ(others_.asked, "/narrative/key?key=one"); });
  EXPECT_EQ(json::Write(BeginUnder("one").body), json::Write(made.body));
  EXPECT_EQ(stories(), 2u);
}

TEST_F(NarrativeApiTest, AKeyIsNewOnlyIfAllServersSaySo) {
  JoinCluster();
  OthersSay({{"known", 0}, {"making", true}});
  EXPECT_EQ(BeginUnder("one").status, 503);
  // A story on its way between servers, or a server that gives no answer.
  OnShard([this] { others_.serving.shards = 0xffff; });
  OthersSay({{"known", 0xff0000}});
  EXPECT_EQ(BeginUnder("one").status, 503);
  OnShard([this] { others_.answers = {{"two", std::nullopt}}; });
  EXPECT_EQ(BeginUnder("one").status, 503);
  EXPECT_EQ(stories(), 0u);
  OthersSay({{"known", ~std::uint64_t{0xffff}}});
  EXPECT_EQ(BeginUnder("one").status, 201);
  EXPECT_EQ(stories(), 1u);
}

TEST_F(NarrativeApiTest, AStoryThatAnotherServerMadeAnswersItsKey) {
  JoinCluster();
  const std::string story = Begin();
  const std::string digest = Sha256Hex(kStory).substr(0, 32);
  OthersSay({{"known", 0}, {"id", story}, {"digest", digest}});
  const Answer found = BeginUnder("one");
  ASSERT_EQ(found.status, 201) << json::Write(found.body);
  EXPECT_EQ(json::TextOf(found.data(), "id"), story);
  // It is known here now.
  OthersSay({{"known", 0}});
  EXPECT_EQ(json::Write(BeginUnder("one").body), json::Write(found.body));
  OthersSay({{"known", 0}, {"id", story}, {"digest", std::string(32, 'x')}});
  EXPECT_EQ(BeginUnder("two").code(), "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(stories(), 1u);
}

TEST_F(NarrativeApiTest, KeysOfStoriesThatCameHereAreKnown) {
  JoinCluster();
  EXPECT_EQ(BeginUnder("mine").status, 201);
  OtherServer other(*this);
  const Answer theirs = other.BeginUnder("theirs");
  EXPECT_EQ(theirs.status, 201);
  OnShard([this] { ++others_.serving.takes; });
  EXPECT_EQ(json::Write(BeginUnder("theirs").body), json::Write(theirs.body));
  EXPECT_EQ(stories(), 2u);
  const json::Value told = ToldOf("theirs");
  EXPECT_EQ(told.at("known"), json::Value(~std::uint64_t{0}));
  EXPECT_EQ(json::TextOf(told, "digest"), Sha256Hex(kStory).substr(0, 32));
  EXPECT_EQ(Ask("GET", "/narrative/key?key=theirs").status, 404) << "only other servers are told";
}

// Stories that come while keys are searched are searched, too.
TEST_F(NarrativeApiTest, KeysAreSearchedAgainIfStoriesCameMeanwhile) {
  JoinCluster();
  OnShard([this] {
    others_.serving_next = others_.serving;
    ++others_.serving_next->takes;
  });
  EXPECT_EQ(BeginUnder("one").status, 201);
}

TEST_F(NarrativeApiTest, AStoryWhoseOpeningFailedIsForgotten) {
  JoinCluster();
  OtherServer other(*this);
  std::future<Answer> waits = std::async(std::launch::async, [&other] { return other.BeginUnder("one", kThought); });
  asked_.get_future().wait();
  EXPECT_NE(json::TextOf(ToldOf("one"), "id"), "");
  OnShard([this] { give_up_(); });
  EXPECT_GE(waits.get().status, 400);
  const json::Value told = ToldOf("one");
  EXPECT_EQ(json::Find(told, "id"), nullptr) << json::Write(told);
  EXPECT_EQ(json::Find(told, "making"), nullptr);
  EXPECT_EQ(told.at("known"), json::Value(~std::uint64_t{0}));
  EXPECT_EQ(BeginUnder("one").status, 201) << "it was forgotten here, too";
}

TEST_F(NarrativeApiTest, RequestsUnderOneNewKeyMakeOneStory) {
  JoinCluster();
  EXPECT_EQ(ToldOf("none").at("known"), json::Value(~std::uint64_t{0}));
  OnShard([this] {
    others_.are_held = true;
    others_.looked = 0;
  });
  std::array<std::future<Answer>, 2> begun;
  for (auto& each : begun) each = std::async(std::launch::async, [this] { return BeginUnder("one"); });
  // Each of them looks whether stories came here, and the first one what it can say of the key.
  for (int looked = 0; looked < 3;) OnShard([&] { looked = others_.looked; });
  OnShard([this] {
    EXPECT_EQ(others_.held.size(), 1u);
    for (const Task& answer : others_.held) answer();
  });
  const Answer first = begun[0].get();
  EXPECT_EQ(first.status, 201) << json::Write(first.body);
  EXPECT_EQ(json::Write(begun[1].get().body), json::Write(first.body));
  EXPECT_EQ(stories(), 1u);
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
