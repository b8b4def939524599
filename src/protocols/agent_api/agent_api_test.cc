#include "protocols/agent_api/agent_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "base/rng.h"
#include "net/test_client.h"
#include "protocols/agent_api/test_api.h"

namespace openseat::agent_api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

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
  // A prompt's options are gone once it is answered.
  const std::vector<MadeSeat> others = Match("netrunner", {"external", "external"});
  const std::string keep = R"({"choice":"Keep","eid":1})";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Post("choice", others[0].key, keep).status, 200);
  EXPECT_EQ(Post("choice", others[0].key, R"({"choice":"Mulligan","eid":1})").status, 400);
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
  const auto get = [this](const std::string& key) {
    return Ask("GET", "/game/state", key, "", "X-Forwarded-For: 203.0.113.9");
  };
  EXPECT_EQ(get(seats[0].key).status, 200);
  EXPECT_EQ(get(seats[0].key).status, 200);
  const Answer limited = get(seats[0].key);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.count("retry-after"), 1u);
  EXPECT_NE(limited.message(), "none");
  EXPECT_EQ(get(seats[1].key).status, 200) << "others are not held up";
}

TEST_F(LimitedAgentApiTest, AProgramOnThisMachineAsksAsOftenAsItLikes) {
  const std::vector<MadeSeat> seats = Match("tictactoe", {"external", "external"});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Get("state", seats[0].key).status, 200);
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
