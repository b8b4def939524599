#include "protocols/agent_api/agent_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "agents/external/seat_token.h"
#include "agents/make_agent.h"
#include "base/clock.h"
#include "base/rng.h"
#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "net/http_client.h"
#include "net/server.h"
#include "net/test_client.h"
#include "protocols/agent_api/webhook_agent.h"
#include "testing/memory_journal.h"
#include "testing/memory_registry.h"

namespace openseat::agent_api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;
  json::Value body;

  std::string message() const {
    const json::Value* text = json::Find(body, "message");
    return text != nullptr && text->is_string() ? std::string(json::View(text->get_string())) : "none";
  }
};

struct Hook {
  std::string event;
  std::uint64_t sequence = 0;
  std::string id;
  json::Value body;
};

// A server with hosted games, driven from outside, and a receiver of webhooks next to it.
class AgentApiTest : public ::testing::Test {
 protected:
  explicit AgentApiTest(RateLimit limit = {.per_second = 1e6, .burst = 1e6})
      : guesses_(limit, clock_, [](std::string_view, std::string_view) {}),
        api_(directory_, registry_, clock_, limit, &guesses_) {
    api_.AddRoutes(router_);
    // The way games connect.
    router_.AddWebSocket("/game/:name", {},
                         [](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
                           return Fail(ErrorCode::kUnsupported, "not here");
                         });
    hook_router_.Add(net::Method::kPost, "/hook", {}, [this](const net::HttpRequest& request, net::HttpReply reply) {
      Result<json::Value> body = json::Parse(request.body);
      const std::lock_guard lock(mutex_);
      hooks_.push_back({std::string(request.headers.Get("X-Event-Type")),
                        std::stoull(std::string(request.headers.Get("X-Openseat-Sequence"))),
                        std::string(request.headers.Get("webhook-id")), body ? *std::move(body) : json::Value()});
      EXPECT_EQ(request.headers.Get("X-Agent-API-Key"), "secret");
      EXPECT_EQ(hooks_.back().body.at("event"), json::Value(hooks_.back().event));
      std::move(reply).Send(net::HttpResponse::Text(200, ""));
    });
    server_ = *net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {});
    hook_server_ = *net::Server::Listen(shards_, hook_router_, {net::ListenAddress{}}, {});
    shards_.Start();
  }
  // What lives on the shards is destroyed when they have stopped.
  void TearDown() override {
    shards_.Stop();
    hook_server_.reset();
    server_.reset();
  }

  template <typename T>
  T OnShard(const std::function<void(std::promise<T>&)>& run) {
    std::promise<T> promise;
    shards_.at(0).Post([&] { run(promise); });
    return promise.get_future().get();
  }

  struct MadeSeat {
    std::string token;
    std::string key;
  };
  // kinds: "external", "webhook", "account" (played by the account's key), "random", "" for an open seat.
  std::vector<MadeSeat> Match(const std::string& game, const std::vector<std::string>& kinds) {
    std::vector<PlannedSeat> seats;
    std::vector<SeatSecrets> secrets(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      PlannedSeat& seat = seats.emplace_back();
      if (kinds[i].empty()) continue;
      seat.name = kinds[i] + std::to_string(i);
      seat.agent.kind = kinds[i] == "account" ? "external" : kinds[i];
      if (kinds[i] == "account") seat.agent.options["account"] = account_;
      if (kinds[i] == "webhook") seat.agent.options["url"] = HookUrl();
      if (kinds[i] == "webhook") seat.agent.options["key"] = "secret";
      if (kinds[i] != "random") secrets[i] = MintSeat(seat.agent.options);
    }
    match_ = OnShard<std::string>([&](std::promise<std::string>& made) {
      lobby_.Create(shards_.at(0), game, nullptr, seats, [&](const Result<MatchRef>& match) {
        ASSERT_TRUE(match) << match.error().message;
        made.set_value(match->id.str());
      });
    });
    std::vector<MadeSeat> out;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const auto seat = static_cast<SeatIndex>(i);
      out.push_back({SeatToken{TableId(match_), seat, secrets[i].token}.Text(),
                     SeatToken{TableId(match_), seat, secrets[i].key}.Text()});
    }
    return out;
  }
  std::string HookUrl() const { return "http://127.0.0.1:" + std::to_string(hook_server_->port()) + "/hook"; }
  std::string Account(const std::string& name) {
    return OnShard<std::string>([&](std::promise<std::string>& made) {
      registry_.CreateAccount(name, shards_.at(0),
                              [&](const Result<openseat::Account>& account) { made.set_value(account->id.str()); });
    });
  }
  CreatedKey Key(const std::string& account) {
    return OnShard<CreatedKey>([&](std::promise<CreatedKey>& made) {
      registry_.CreateKey({.label = "", .account = AccountId(account)}, shards_.at(0),
                          [&](const Result<CreatedKey>& key) { made.set_value(*key); });
    });
  }

  Answer Ask(const std::string& method, const std::string& path, const std::string& key, const std::string& body = "",
             const std::string& header = "") {
    net::TestClient client(server_->port());
    const net::TestClient::Answer got = client.Request(
        method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + (key.empty() ? "" : "X-JNet-API: " + key + "\r\n") +
        (header.empty() ? "" : header + "\r\n") + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    Answer answer{got.status, got.headers, nullptr};
    if (Result<json::Value> value = json::Parse(got.body)) answer.body = *std::move(value);
    return answer;
  }
  Answer Get(const std::string& what, const std::string& key) { return Ask("GET", "/game/" + what, key); }
  Answer Post(const std::string& what, const std::string& key, const std::string& body,
              const std::string& header = "") {
    return Ask("POST", "/game/" + what, key, body, header);
  }
  // A waiting agent may be asked a moment later.
  json::Value WaitForTurn(const std::string& key) {
    for (;;) {
      Answer state = Get("state?wait=20", key);
      const json::Value* actions = json::Find(state.body, "available-actions");
      if (state.status != 200 || actions == nullptr) return state.body;
      const bool over = state.body.at("phase") == json::Value("game-over");
      if (over || actions->at("can-act") == json::Value(true)) return state.body;
    }
  }
  // Everything that was delivered once a game has ended.
  std::vector<Hook> HooksToTheEnd() {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (!hooks_.empty() && hooks_.back().event == "game-ended") return hooks_;
      }
      std::this_thread::yield();
    }
  }

  const SystemClock clock_;
  net::Shards shards_{1};
  net::HttpClients http_{shards_};
  testing::MemoryRegistry registry_{clock_};
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&shards_.at(0)}};
  WebhookWorld webhooks_{directory_, registry_, http_, {}};
  const std::unique_ptr<Game> netrunner_ = games::MakeNetrunner();
  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::array<const Game*, 2> games_{netrunner_.get(), tictactoe_.get()};
  Lobby lobby_{games_,
               MatchRules{},
               std::chrono::seconds(300),
               directory_,
               journal_,
               [this](const AgentSpec& spec) -> Result<std::unique_ptr<Agent>> {
                 if (spec.kind == "external") {
                   return std::make_unique<ExternalAgent>(*ParseExternalAgentOptions(spec.options));
                 }
                 if (spec.kind != "webhook") return MakeLocalAgent(spec);
                 return std::make_unique<WebhookAgent>(*ParseWebhookAgentOptions(spec.options, {}), webhooks_);
               }};
  Guesses guesses_;
  AgentApi api_;
  net::Router router_;
  net::Router hook_router_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::Server> hook_server_;
  std::string account_;
  std::string match_;
  std::mutex mutex_;
  std::vector<Hook> hooks_;
};

TEST_F(AgentApiTest, WhoHasNoSeatIsToldWhy) {
  EXPECT_EQ(Get("state", "").status, 400);
  EXPECT_EQ(Get("state", "").message(), "No X-JNet-API header specified");
  EXPECT_EQ(Get("state", "nonsense").status, 404);
  EXPECT_EQ(Get("state", "no-table.0." + std::string(26, 'a')).status, 404);
  EXPECT_EQ(Get("state", "osk_" + std::string(36, 'a')).status, 404);
  EXPECT_EQ(Get("state", "osk_" + std::string(36, 'a')).message(), "Unknown X-JNet-API key");

  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "random"});
  EXPECT_EQ(Get("state", match_ + ".0." + std::string(26, 'a')).status, 404);
  EXPECT_EQ(Get("state", match_ + ".1." + std::string(26, 'a')).status, 403) << "nobody from outside sits there";
  EXPECT_EQ(Get("state", match_ + ".7." + std::string(26, 'a')).status, 404);
  EXPECT_EQ(Get("state", seats[0].key).status, 200);
  EXPECT_EQ(Get("state", seats[0].token).status, 200);

  const std::vector<MadeSeat> waiting = Match("tictactoe", {"external", ""});
  EXPECT_EQ(Get("state", waiting[0].key).status, 404);
  EXPECT_EQ(Get("state", waiting[0].key).message(), "The game has not started");
  // The seat before it is open, so nobody sits there yet.
  const std::vector<MadeSeat> second = Match("tictactoe", {"", "external"});
  for (const std::string& key : {second[1].key, second[1].token}) {
    EXPECT_EQ(Get("state", key).status, 404);
    EXPECT_EQ(Get("state", key).message(), "The game has not started");
  }
  EXPECT_EQ(Get("state", match_ + ".1." + std::string(26, 'a')).message(), "Unknown X-JNet-API key");
}

TEST_F(AgentApiTest, AKeyPlaysAsSoonAsTheMatchIsMade) {
  for (int i = 0; i < 20; ++i) {
    for (const MadeSeat& seat : Match("netrunner", {"external", "external"})) {
      EXPECT_EQ(Get("prompt", seat.key).status, 200);
    }
  }
}

TEST_F(AgentApiTest, ASeatConcedesAtAnyTime) {
  const std::vector<MadeSeat> seats = Match("netrunner", {"external", "external"});
  ASSERT_EQ(Get("prompt", seats[1].key).body.at("prompt").at("can-act"), json::Value(false));
  const Answer conceded = Post("action", seats[1].key, R"({"command":"concede"})");
  EXPECT_EQ(json::Write(conceded.body), R"({"success":true,"command":"concede","side":"runner"})");
  const json::Value state = Get("state", seats[0].key).body;
  EXPECT_EQ(state.at("phase"), json::Value("game-over"));
  EXPECT_EQ(state.at("winner"), json::Value("corp"));
  EXPECT_EQ(state.at("reason"), json::Value("Concede"));
  EXPECT_EQ(Post("action", seats[1].key, R"({"command":"concede"})").status, 500);
}

TEST_F(AgentApiTest, TheLogIsWhole) {
  const std::vector<MadeSeat> seats = Match("netrunner", {"external", "external"});
  for (const MadeSeat& seat : seats) EXPECT_EQ(Post("choice", seat.key, R"({"choice":"Keep"})").status, 200);
  for (int turn = 0; turn < 24; ++turn) {
    const std::string& key = seats[static_cast<std::size_t>(turn) % 2].key;
    const auto act = [&](const std::string& command) {
      return Post("action", key, R"({"command":")" + command + R"("})").status;
    };
    EXPECT_EQ(act("start-turn"), 200);
    while (act("credit") == 200) {
    }
    if (act("end-turn") != 200) break;
    const json::Value prompt = Get("prompt", key).body.at("prompt");
    if (prompt.at("prompt-type") != json::Value("select")) continue;
    for (std::int64_t left = prompt.at("min").to_number<std::int64_t>(); left > 0; --left) {
      const json::Value now = Get("prompt", key).body.at("prompt");
      Post("select", key, json::Write(json::Object{{"card", json::Object{{"cid", now.at("selectable").at(0)}}}}));
    }
  }
  const json::Value messages = Get("log", seats[0].key).body.at("messages");
  EXPECT_GT(messages.as_array().size(), 120u);
  EXPECT_EQ(messages.at(0).at("text"), json::Value("Corp keeps their hand."));
}

TEST_F(AgentApiTest, AnAccountsKeyPlaysTheAccountsGames) {
  account_ = Account("ana");
  const CreatedKey key = Key(account_);
  EXPECT_EQ(Get("state", key.secret).status, 403);
  EXPECT_THAT(Get("state", key.secret).message(), HasSubstr("No game for this key"));
  Match("tictactoe", {"account", "random"});
  const std::string first = match_;
  EXPECT_EQ(Get("state", key.secret).body.at("gameid"), json::Value(GameIdOf(TableId(first))));
  Match("tictactoe", {"account", "random"});
  EXPECT_EQ(Get("state", key.secret).body.at("gameid"), json::Value(GameIdOf(TableId(match_)))) << "the newest";
  for (const std::string& game : {first, GameIdOf(TableId(first))}) {
    EXPECT_EQ(Get("state?gameid=" + game, key.secret).body.at("gameid"), json::Value(GameIdOf(TableId(first))));
  }
  EXPECT_EQ(Get("state", Key("").secret).status, 403);
  OnShard<int>([&](std::promise<int>& done) {
    registry_.RevokeKey(key.key.id, shards_.at(0), [&](const Result<ApiKey>&) { done.set_value(0); });
  });
  EXPECT_EQ(Get("state", key.secret).status, 403);
  EXPECT_EQ(Get("state", key.secret).message(), "This key was revoked");
}

TEST_F(AgentApiTest, AnyHostedGameIsPlayedToItsEnd) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  for (int move = 0; move < 5; ++move) {
    const std::string& key = seats[static_cast<std::size_t>(move) % 2].key;
    EXPECT_EQ(WaitForTurn(key).at("phase"), json::Value("main"));
    EXPECT_EQ(Get("prompt", key).body.at("prompt").at("prompt-type"), json::Value("action"));
    const std::string at = std::to_string(move / 2) + "," + std::to_string(move % 2);
    const Answer moved = Post("action", key, R"({"command":"move","args":{"position":[)" + at + "]}}");
    EXPECT_EQ(moved.status, 200);
    EXPECT_EQ(json::Write(moved.body),
              std::string(R"({"success":true,"command":"move","side":")") + (move % 2 == 0 ? "x" : "o") + "\"}");
  }
  const json::Value state = WaitForTurn(seats[1].key);
  EXPECT_EQ(state.at("phase"), json::Value("game-over"));
  EXPECT_EQ(state.at("winner"), json::Value("x"));
  EXPECT_EQ(Post("action", seats[1].key, R"({"command":"move","args":{"position":[2,2]}})").status, 500);
  EXPECT_EQ(Get("actions", seats[1].key).body.at("actions").at("action-type"), json::Value("game-over"));
  EXPECT_FALSE(Get("log", seats[1].key).body.at("messages").as_array().empty());
}

TEST_F(AgentApiTest, BadInputGetsTheDocumentedErrorAndChangesNothing) {
  const std::vector<MadeSeat> seats = Match("netrunner", {"external", "external"});
  const std::string corp = seats[0].key;
  WaitForTurn(corp);
  const auto position = [&] { return json::Write(Get("state", corp).body); };
  const std::string before = position();
  for (const char* body :
       {"", "{", "[]", "7", "{}", R"({"command":7})", R"({"command":"fly"})", R"({"command":"play","args":{}})",
        R"({"command":"play","args":[1]})", R"({"command":"choice","args":{"choice":"Maybe"}})", "\xff\xfe"}) {
    const Answer answer = Post("action", corp, body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_NE(answer.message(), "none") << body;
  }
  for (const char* body :
       {"", "{}", R"({"choice":"Maybe"})", R"({"choice":{"uuid":"abc-123"}})", R"({"choice":null})"}) {
    EXPECT_EQ(Post("choice", corp, body).status, 400) << body;
  }
  for (const char* body : {"", "{}", R"({"card":{}})", R"({"card":{"cid":7}})", R"({"card":{"cid":"c999"}})"}) {
    EXPECT_EQ(Post("select", corp, body).status, 400) << body;
  }
  // Well-formed, but not possible now.
  for (const char* body : {R"({"command":"credit"})", R"({"command":"end-turn","args":{}})",
                           R"({"command":"play","args":{"card":{"cid":"c999"}}})"}) {
    const Answer answer = Post("action", corp, body);
    EXPECT_EQ(answer.status, 500) << body;
    EXPECT_THAT(answer.message(), HasSubstr("Action failed: "));
    EXPECT_TRUE(answer.body.as_object().contains("command"));
  }
  EXPECT_EQ(Get("state?wait=x", corp).status, 400);
  EXPECT_EQ(Get("state?since=-1", corp).status, 400);
  EXPECT_EQ(position(), before);
  EXPECT_EQ(Post("choice", seats[1].key, R"({"choice":"Keep"})").status, 400) << "the Runner is not asked";
  const Answer kept = Post("choice", corp, R"({"choice":"Keep"})");
  EXPECT_EQ(json::Write(kept.body), R"({"success":true,"side":"corp"})");
}

TEST_F(AgentApiTest, ARetriedActionActsOnce) {
  const std::vector<MadeSeat> seats = Match("netrunner", {"external", "external"});
  for (const MadeSeat& seat : seats) EXPECT_EQ(Post("choice", seat.key, R"({"choice":"Keep"})").status, 200);
  const std::string& corp = seats[0].key;
  EXPECT_EQ(Post("action", corp, R"({"command":"start-turn"})").status, 200);
  const auto credits = [&] { return Get("actions", corp).body.at("actions").at("credits").to_number<int>(); };
  const auto eid = [&] { return Get("actions", corp).body.at("actions").at("eid"); };
  const int before = credits();
  // By the decision's number.
  const std::string body = json::Write(json::Object{{"command", "credit"}, {"eid", eid()}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Post("action", corp, body).status, 200);
  EXPECT_EQ(credits(), before + 1);
  const Answer other =
      Post("action", corp, R"({"command":"draw","eid":)" + json::Write(json::Parse(body)->at("eid")) + "}");
  EXPECT_EQ(other.status, 400);
  EXPECT_THAT(other.message(), HasSubstr("that prompt is over; the current one is " + json::Write(eid())));
  // By a key.
  const std::string header = "Idempotency-Key: one";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Post("action", corp, R"({"command":"credit"})", header).status, 200);
  EXPECT_EQ(credits(), before + 2);
  EXPECT_EQ(Post("action", corp, R"({"command":"draw"})", header).status, 400);
  EXPECT_EQ(Post("action", corp, R"({"command":"credit"})", "Idempotency-Key: two words").status, 400);
  EXPECT_EQ(Post("action", corp, R"({"command":"credit"})", "Idempotency-Key: " + std::string(256, 'k')).status, 400);
  EXPECT_EQ(credits(), before + 2);
  EXPECT_EQ(Post("action", corp, R"({"command":"credit"})").status, 200) << "another one, without either";
}

TEST_F(AgentApiTest, AKeyIsForItsOwnGameAlone) {
  const std::vector<MadeSeat> first = Match("tictactoe", {"external", "external"});
  const std::string id = match_;
  const std::vector<MadeSeat> second = Match("tictactoe", {"external", "external"});
  for (const std::string& gameid : {id, GameIdOf(TableId(id))}) {
    EXPECT_EQ(Get("state?gameid=" + gameid, first[0].key).status, 200);
    EXPECT_EQ(Get("state?gameid=" + gameid, second[0].key).status, 403);
    EXPECT_EQ(Get("state?gameid=" + gameid, second[0].key).message(), "This key is for another game");
    const std::string move = R"({"command":"move","args":{"position":[0,0]}})";
    EXPECT_EQ(Ask("POST", "/game/action?gameid=" + gameid, second[0].key, move).status, 403);
  }
  EXPECT_EQ(Get("state?gameid=nonsense", first[0].key).status, 403);
}

TEST_F(AgentApiTest, NetrunnersEndpointsAreNetrunnersAlone) {
  const std::vector<MadeSeat> chess = Match("tictactoe", {"external", "random"});
  for (const char* path : {"board", "scored", "run", "hand", "deck", "discard", "decklist"}) {
    EXPECT_EQ(Get(path, chess[0].key).status, 404) << path;
    EXPECT_THAT(Get(path, chess[0].key).message(), HasSubstr("is for Netrunner; this is tictactoe"));
  }
  EXPECT_EQ(Post("choice", chess[0].key, R"({"choice":"x"})").status, 404);
  EXPECT_EQ(Post("select", chess[0].key, R"({"card":{"cid":"x"}})").status, 404);
  const std::vector<MadeSeat> seats = Match("netrunner", {"random", "external"});
  for (const char* path :
       {"state", "prompt", "actions", "board", "scored", "run", "hand", "deck", "discard", "decklist", "log"}) {
    EXPECT_EQ(Get(path, seats[1].key).status, 200) << path;
  }
  EXPECT_EQ(Get("hand", seats[1].key).body.at("cards").as_array().size(), 5u);
}

TEST_F(AgentApiTest, WhatReachesNoEndpointIsRefusedInTheSameForm) {
  const auto raw = [&](const std::string& bytes) {
    net::TestClient client(server_->port());
    const net::TestClient::Answer got = client.Request(bytes);
    Answer answer{got.status, got.headers, nullptr};
    if (Result<json::Value> value = json::Parse(got.body)) answer.body = *std::move(value);
    return answer;
  };
  const auto expect = [](const Answer& answer, int status, std::string_view what) {
    EXPECT_EQ(answer.status, status) << what;
    EXPECT_NE(answer.message(), "none") << what;
    EXPECT_EQ(answer.body.is_object() ? answer.body.get_object().size() : 0u, 1u) << what;
  };
  const Answer method = Ask("POST", "/game/state", "");
  expect(method, 404, "a method that is not there");
  EXPECT_EQ(method.headers.at("allow"), "GET, HEAD, OPTIONS");
  expect(Ask("GET", "/game/action", ""), 404, "another one");
  expect(Ask("GET", "/game/nothing", ""), 404, "no such endpoint");
  EXPECT_EQ(Ask("GET", "/game/nothing", "").message(), "no such endpoint");
  expect(raw("BREW /game/state HTTP/1.1\r\nHost: x\r\n\r\n"), 404, "an unknown method");
  expect(raw("POST /game/action HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"), 400, "a body too large");
  expect(raw("GET /game/state HTTP/1.1\r\nHost: x\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"), 400,
         "headers too large");
  expect(raw("GET /game/state?x=" + std::string(9'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 400, "a URL too long");
  expect(raw("GET /game/" + std::string(20'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 400, "a line too long");
  expect(raw("GET /game/state HTTP/1.1\r\n\r\n"), 400, "no Host");
  expect(raw("GET /game/state HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n"), 400, "an expectation");
  EXPECT_EQ(Ask("GET", "/elsewhere", "").message(), "none") << "other paths have their own form";
}

TEST_F(AgentApiTest, ALongPollIsAnsweredWhenSomethingHappens) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  WaitForTurn(seats[0].key);
  const json::Value state = Get("state", seats[1].key).body;
  const std::string version = json::Write(state.at("version"));
  EXPECT_EQ(state.at("phase"), json::Value("waiting"));
  std::promise<void> asking;
  auto polled = std::async(std::launch::async, [&] {
    asking.set_value();
    return Get("state?wait=60&since=" + version, seats[1].key);
  });
  asking.get_future().wait();
  EXPECT_EQ(Post("action", seats[0].key, R"({"command":"move","args":{"position":[0,0]}})").status, 200);
  const Answer woken = polled.get();
  EXPECT_EQ(woken.status, 200);
  EXPECT_GT(woken.body.at("version").to_number<std::uint64_t>(), state.at("version").to_number<std::uint64_t>());
  EXPECT_EQ(Get("state?wait=60&since=0", seats[1].key).status, 200) << "it knows less than there is";
}

TEST_F(AgentApiTest, WhoWaitsIsNotToldWhatItsKeyOpensNoMore) {
  account_ = Account("ana");
  const CreatedKey account_key = Key(account_);
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "account"});
  WaitForTurn(seats[0].key);
  const auto poll = [&](const std::string& key) {
    const std::string version = json::Write(Get("state", key).body.at("version"));
    auto client = std::make_unique<net::TestClient>(server_->port());
    client->Send("GET /game/state?wait=60&since=" + version + " HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + key +
                 "\r\n\r\n");
    Get("state", key);  // by then the other call waits
    return client;
  };
  const auto revoked = poll(account_key.secret);
  OnShard<int>([&](std::promise<int>& done) {
    registry_.RevokeKey(account_key.key.id, shards_.at(0), [&](const Result<ApiKey>&) { done.set_value(0); });
  });
  const auto replaced = poll(seats[1].key);
  // Another agent from outside, with its own secrets.
  OnShard<int>([&](std::promise<int>& done) {
    json::Object options;
    MintSeat(options);
    directory_.Local(shards_.at(0), TableId(match_))
        ->seat(1)
        .SetAgent(std::make_unique<ExternalAgent>(*ParseExternalAgentOptions(options)));
    done.set_value(0);
  });
  const net::TestClient::Answer first = revoked->ReadAnswer();
  EXPECT_EQ(first.status, 403);
  EXPECT_THAT(first.body, HasSubstr("revoked"));
  const net::TestClient::Answer second = replaced->ReadAnswer();
  EXPECT_EQ(second.status, 404);
  EXPECT_THAT(second.body, HasSubstr("Unknown X-JNet-API key"));
}

TEST_F(AgentApiTest, WhoWaitsAtATableThatGoesAwayIsToldToAskAgain) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  WaitForTurn(seats[0].key);
  const std::string version = json::Write(Get("state", seats[1].key).body.at("version"));
  net::TestClient client(server_->port());
  client.Send("GET /game/state?wait=60&since=" + version +
              " HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + seats[1].key + "\r\n\r\n");
  Get("state", seats[1].key);  // by then the other call waits
  OnShard<int>([&](std::promise<int>& done) {
    lobby_.Leave([](const TableId&) { return true; }, [&done] { done.set_value(0); });
  });
  const net::TestClient::Answer answer = client.ReadAnswer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_THAT(answer.body, HasSubstr("ask again"));
}

TEST_F(AgentApiTest, ASeatThatGoesAwayLeavesOpenWhetherTheActionCounted) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  WaitForTurn(seats[0].key);
  const auto answer = OnShard<SeatAnswer>([&](std::promise<SeatAnswer>& done) {
    Table& table = *directory_.Local(shards_.at(0), TableId(match_));
    ActAtSeat("action", table, *ExternalAt(table, 0), R"({"command":"move","args":{"position":[0,0]}})",
              [&done](const SeatAnswer& told) { done.set_value(told); });
    table.seat(0).SetAgent(nullptr);
  });
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(json::Write(answer.body), HasSubstr("whether the action counted is not known"));
}

// Plays randomly, with what the API offers, until the game is over.
TEST_F(AgentApiTest, AWebhookAgentIsToldOfEverythingInOrder) {
  std::set<std::string> seen;
  for (std::uint64_t round = 1; round <= 3; ++round) {
    {
      const std::lock_guard lock(mutex_);
      hooks_.clear();
    }
    const std::vector<MadeSeat> seats = Match("netrunner", {"webhook", "random"});
    Rng rng(round);
    for (;;) {
      const json::Value state = WaitForTurn(seats[0].key);
      const json::Object& actions = state.at("available-actions").as_object();
      if (actions.at("action-type") == json::Value("game-over")) break;
      Answer done;
      if (actions.at("action-type") == json::Value("prompt")) {
        const json::Object& prompt = actions.at("prompt").as_object();
        const json::Array& choices = prompt.at("choices").as_array();
        const json::Array& cards = prompt.at("selectable").as_array();
        if (!cards.empty()) {
          done =
              Post("select", seats[0].key, R"({"card":{"cid":)" + json::Write(cards[rng.Below(cards.size())]) + "}}");
        } else {
          const json::Value& choice = choices[rng.Below(choices.size())];
          done = Post("choice", seats[0].key, R"({"choice":{"uuid":)" + json::Write(choice.at("uuid")) + "}}");
        }
      } else {
        const json::Array& commands = actions.at("available-commands").as_array();
        done = Post("action", seats[0].key, json::Write(commands[rng.Below(commands.size())]));
      }
      ASSERT_EQ(done.status, 200) << done.message() << json::Write(actions);
    }
    const std::vector<Hook> hooks = HooksToTheEnd();
    std::uint64_t sequence = 0;
    std::set<std::string> ids;
    for (const Hook& hook : hooks) {
      ASSERT_EQ(hook.sequence, ++sequence);
      ASSERT_TRUE(ids.insert(hook.id).second);
      ASSERT_EQ(hook.body.at("payload").at("gameid"), json::Value(GameIdOf(TableId(match_))));
      ASSERT_TRUE(hook.body.as_object().contains("timestamp"));
      seen.insert(hook.event);
    }
    EXPECT_EQ(hooks.front().event, "game-started");
    EXPECT_EQ(hooks.back().body.at("payload").at("agent-won"),
              json::Value(Get("state", seats[0].key).body.at("winner") == json::Value("corp")));
    const Answer deliveries = Ask("GET", "/api/v1/tables/" + match_ + "/seats/0/webhooks", "");
    EXPECT_EQ(deliveries.status, 200);
    EXPECT_EQ(deliveries.body.at("state"), json::Value("ok"));
    EXPECT_FALSE(deliveries.body.at("deliveries").as_array().empty());
    EXPECT_EQ(Ask("GET", "/api/v1/tables/" + match_ + "/seats/1/webhooks", "").status, 404);
  }
  EXPECT_THAT(seen, IsSupersetOf({"game-started", "turn-started", "prompt", "checkpoint", "waiting", "opponent-acted",
                                  "run-started", "run-ended", "game-ended"}));
}

class LimitedAgentApiTest : public AgentApiTest {
 protected:
  LimitedAgentApiTest() : AgentApiTest({.per_second = 0.001, .burst = 2}) {}
};

TEST_F(LimitedAgentApiTest, WhoAsksTooOftenIsToldWhenToComeBack) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  EXPECT_EQ(Get("state", seats[0].key).status, 200);
  EXPECT_EQ(Get("state", seats[0].key).status, 200);
  const Answer limited = Get("state", seats[0].key);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.count("retry-after"), 1u);
  EXPECT_NE(limited.message(), "none");
  EXPECT_EQ(Get("state", seats[1].key).status, 200) << "others are not held up";
}

TEST_F(LimitedAgentApiTest, WhoGuessesKeysIsSlowedDown) {
  EXPECT_EQ(Get("state", "guess-1").status, 404);
  EXPECT_EQ(Get("state", "guess-2").status, 404);
  EXPECT_EQ(Get("state", "guess-3").status, 429);
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  EXPECT_EQ(Get("state", seats[0].key).status, 200) << "the holder of a key plays on";
}

}  // namespace
}  // namespace openseat::agent_api
