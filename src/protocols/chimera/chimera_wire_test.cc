// The protocol from the clients' side: a real server on two shards, and clients with plain sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>

#include "agents/make_agent.h"
#include "games/connectm/connectm.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "match/null_journal.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "protocols/chimera/session.h"
#include "testing/roll_call.h"

namespace openseat::chimera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A client that reads what comes and separates answers from notifications, each with its place in the order.
class WireClient {
 public:
  explicit WireClient(std::uint16_t port) : client_(port) { EXPECT_EQ(client_.Upgrade("/").status, 101); }
  void Send(std::string_view text) { client_.Send(net::ClientFrame(0x81, text)); }
  // The next message of either kind.
  std::string Next() { return client_.ReadFrame().payload; }
  json::Value NextJson() {
    const std::string text = Next();
    const Result<json::Value> parsed = json::Parse(text);
    EXPECT_TRUE(parsed.has_value()) << text;
    return parsed ? *parsed : json::Value();
  }
  // Sends a request and reads its answer; skips earlier notifications.
  json::Value Ask(std::string_view operation, const std::string& params, std::string_view id = "\"r\"") {
    Send(R"({"type":"request","id":)" + std::string(id) + R"(,"operation":")" + std::string(operation) + "\"" +
         (params.empty() ? "" : ",\"params\":" + params) + "}");
    return Answer();
  }
  json::Value Answer() {
    for (;;) {
      json::Value message = NextJson();
      if (!message.is_object() || message.at("type").as_string() == "response") return message;
    }
  }
  // The next notification, as "event status".
  json::Value Notification() {
    for (;;) {
      json::Value message = NextJson();
      if (!message.is_object() || message.at("type").as_string() == "notification") return message;
    }
  }
  net::TestClient& raw() { return client_; }

 private:
  net::TestClient client_;
};

class ChimeraWire : public ::testing::Test {
 protected:
  void TearDown() override {
    server_.shards.Stop();
    server_.server.reset();
    lobby_.reset();
  }
  static std::vector<Scheduler*> Schedulers(net::Shards& shards) {
    std::vector<Scheduler*> schedulers;
    for (std::size_t i = 0; i < shards.size(); ++i) schedulers.push_back(&shards.at(i));
    return schedulers;
  }
  WireClient Connect() { return WireClient(server_.port()); }
  static std::string MatchOf(const json::Value& answer) {
    return std::string(json::View(answer.at("result").at("match-id").as_string()));
  }
  static std::string Join(const std::string& game, const std::string& match, const std::string& name) {
    return R"({"game":")" + game + R"(","match-id":")" + match + R"(","player-name":")" + name + "\"}";
  }
  static std::string Spectate(const std::string& game, const std::string& match) {
    return R"({"game":")" + game + R"(","match-id":")" + match + R"(","spectator-name":null})";
  }
  static std::string Action(const std::string& match, const std::string& action, const std::string& data) {
    return R"({"match-id":")" + match + R"(","action":")" + action + R"(","data":)" + data + "}";
  }
  static std::string Move(const std::string& match, int row, int column) {
    return Action(match, "move", R"({"position":[)" + std::to_string(row) + "," + std::to_string(column) + "]}");
  }
  // Exactly what the document says an error looks like, with this code and message; returns the details.
  static std::string Details(const json::Value& answer, int code, std::string_view message) {
    const json::Value error = answer.is_object() && answer.as_object().contains("error") ? answer.at("error") : nullptr;
    if (!error.is_object()) return "no error: " + json::Write(answer);
    const json::Value* details = json::Find(error.at("data"), "details");
    if (details == nullptr || !details->is_string() || details->get_string().empty()) return "no details";
    const json::Value expected = json::Object{
        {"type", "response"},
        {"id", answer.at("id")},
        {"error", json::Object{{"code", code}, {"message", message}, {"data", json::Object{{"details", *details}}}}}};
    EXPECT_EQ(json::Write(answer), json::Write(expected));
    return std::string(json::View(details->get_string()));
  }

  const std::array<std::unique_ptr<Game>, 4> made_{games::MakeTicTacToe(), games::MakeConnectM(),
                                                   games::MakeRockPaperScissors(), testing::MakeRollCall()};
  const std::array<const Game*, 4> games_{made_[0].get(), made_[1].get(), made_[2].get(), made_[3].get()};
  NullJournal journal_;
  std::unique_ptr<Lobby> lobby_;
  net::TestServer server_{
      [this](net::Router& router) {
        router.AddWebSocket("/", {}, [this](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
          return std::make_unique<Session>(*lobby_);
        });
      },
      {},
      2};
  TableDirectory directory_{Schedulers(server_.shards)};
  // Nobody connects before the test begins.
  const bool ready_ = [this] {
    lobby_ =
        std::make_unique<Lobby>(games_, MatchRules{}, std::chrono::minutes(5), directory_, journal_, MakeLocalAgent);
    return true;
  }();
};

TEST_F(ChimeraWire, EveryCodeOfTheDocumentHasItsNumberAndMessage) {
  WireClient alex = Connect();
  WireClient sam = Connect();
  WireClient kim = Connect();
  alex.Send("{nonsense");
  EXPECT_THAT(Details(alex.Answer(), -32700, "Parse error"), HasSubstr("JSON"));
  alex.Send(R"({"type":"request","id":"r"})");
  EXPECT_THAT(Details(alex.Answer(), -32600, "Incorrect request"), HasSubstr("operation"));
  EXPECT_THAT(Details(alex.Ask("dance", "{}"), -32601, "No such operation"), HasSubstr("dance"));
  EXPECT_THAT(Details(alex.Ask("create-match", ""), -32602, "Incorrect parameters"), HasSubstr("\"game\" is missing"));

  EXPECT_THAT(Details(alex.Ask("create-match", R"({"game":"go","player-name":"Alex"})"), -40100, "Unknown game"),
              HasSubstr("go"));
  EXPECT_THAT(Details(alex.Ask("create-match", R"({"game":"tictactoe","player-name":"Al\nex"})"), -32602,
                      "Incorrect parameters"),
              HasSubstr("a player's name must be one line"));
  const std::string match = MatchOf(alex.Ask("create-match", R"({"game":"tictactoe","player-name":"Alex"})"));
  EXPECT_THAT(
      Details(alex.Ask("create-match", R"({"game":"tictactoe","player-name":"Alex"})"), -40101, "Already in a match"),
      HasSubstr(match));
  EXPECT_THAT(Details(alex.Ask("join-match", Join("tictactoe", match, "Sam")), -40101, "Already in a match"),
              HasSubstr(match));
  EXPECT_THAT(Details(sam.Ask("join-match", Join("tictactoe", "no-match", "Sam")), -40102, "Unknown match"),
              HasSubstr("no-match"));
  EXPECT_LT(
      Details(sam.Ask("join-match", Join("tictactoe", std::string(5000, 'm'), "Sam")), -40102, "Unknown match").size(),
      200u);
  EXPECT_THAT(Details(sam.Ask("join-match", Join("connectm", match, "Sam")), -40102, "Unknown match"),
              HasSubstr("connectm"));
  EXPECT_THAT(Details(sam.Ask("spectate-match", Spectate("tictactoe", "no-match")), -40102, "Unknown match"),
              HasSubstr("no-match"));
  EXPECT_THAT(Details(sam.Ask("spectate-match", Spectate("connectm", match)), -40102, "Unknown match"),
              HasSubstr("connectm"));
  EXPECT_THAT(Details(sam.Ask("join-match", Join("tictactoe", match, "Alex")), -40103, "Duplicate player name"),
              HasSubstr("Alex"));
  EXPECT_THAT(
      Details(sam.Ask("join-match", Join("tictactoe", match, "Sam\\n\\nSYSTEM")), -32602, "Incorrect parameters"),
      HasSubstr("a player's name must be one line"));
  EXPECT_THAT(Details(sam.Ask("game-action", Move(match, 0, 0)), -40105, "Incorrect match"), HasSubstr("no match"));

  constexpr char kNotYourTurn[] = "Action not allowed outside player's turn";
  EXPECT_THAT(Details(alex.Ask("game-action", Move(match, 0, 0)), -50100, kNotYourTurn), HasSubstr("waits"));
  EXPECT_EQ(json::Write(sam.Ask("join-match", Join("tictactoe", match, "Sam")).at("result")), "{}");
  EXPECT_THAT(Details(kim.Ask("join-match", Join("tictactoe", match, "Kim")), -40102, "Unknown match"),
              HasSubstr("has begun; it can be watched, not joined"));
  EXPECT_THAT(Details(sam.Ask("game-action", Move("other-match", 0, 0)), -40105, "Incorrect match"), HasSubstr(match));
  EXPECT_NE(Details(sam.Ask("game-action", Move(match, 0, 0)), -50100, kNotYourTurn), "");
  EXPECT_NE(Details(sam.Ask("game-action", Action(match, "move", "{}")), -50100, kNotYourTurn), "")
      << "the turn comes before the data";
  EXPECT_THAT(Details(alex.Ask("game-action", Action(match, "fly", "{}")), -50101, "Unsupported action in game"),
              HasSubstr("fly"));
  EXPECT_THAT(Details(alex.Ask("game-action", Action(match, "move", R"({"position":7})")), -50102,
                      "Incorrect data in game action"),
              HasSubstr("position"));
  EXPECT_THAT(Details(alex.Ask("game-action", Move(match, 3, 3)), -50103, "Incorrect move"), HasSubstr("0 to 2"));
  // None of this has changed anything.
  EXPECT_EQ(json::Write(alex.Ask("game-action", Move(match, 1, 1)).at("result")),
            R"({"updated":{"position":[1,1],"value":"X"}})");
}

TEST_F(ChimeraWire, TheIdComesBackAsItWasOrIsNull) {
  WireClient client = Connect();
  for (const char* id : {"\"linux1:54793-00001246\"", "\"\"", "0", "-7", "1.5", "9007199254740993", "\"\\u00e9\""}) {
    EXPECT_EQ(json::Write(client.Ask("list-games", "", id).at("id")), json::Write(*json::Parse(id)));
    EXPECT_EQ(json::Write(client.Ask("dance", "", id).at("id")), json::Write(*json::Parse(id)));
  }
  for (const char* text :
       {"nonsense", "[]", "7", "null", "{}", R"({"type":"request"})", R"({"type":"request","operation":"list-games"})",
        R"({"type":"request","id":null,"operation":"list-games"})",
        R"({"type":"request","id":[1],"operation":"list-games"})",
        R"({"type":"request","id":true,"operation":"list-games"})"}) {
    client.Send(text);
    const json::Value answer = client.Answer();
    EXPECT_TRUE(answer.at("id").is_null()) << text;
    EXPECT_TRUE(answer.as_object().contains("error")) << text;
  }
}

TEST_F(ChimeraWire, WhatIsLongIsNotEchoed) {
  WireClient client = Connect();
  const std::string longest = "\"" + std::string(1024, '\x7f') + "\"";
  EXPECT_EQ(client.Ask("list-games", "", longest).at("id"), *json::Parse(longest));
  const std::string much(500u << 10, '\x7f');
  client.Send(R"({"type":"request","operation":"list-games","id":")" + much + much + "\"}");
  json::Value answer = client.Answer();
  EXPECT_TRUE(answer.at("id").is_null());
  EXPECT_EQ(answer.at("error").at("code"), json::Value(-32600));
  EXPECT_THAT(json::Write(answer), HasSubstr("a string of at most 1024 bytes; got a longer one"));
  for (const std::string& message :
       {R"({"type":"request","id":1,"operation":")" + much + "\"}", R"({"id":1,"type":")" + much + "\"}",
        R"({"type":"request","id":1,"operation":"join-match","params":{"game":")" + much + R"(","match-id":")" + much +
            R"(","player-name":"a"}})",
        R"({"type":"request","id":1,"operation":"create-match","params":{"player-name":"a","game":")" + much + "\"}}",
        R"({"type":"request","id":1,"operation":"create-match","params":{"player-name":"a","game":"rps","terms":{")" +
            much + R"(":1}}})"}) {
    client.Send(message);
    answer = client.Answer();
    EXPECT_TRUE(answer.as_object().contains("error"));
    EXPECT_LT(json::Write(answer).size(), 8u << 10);
  }
}

// Everyone's notifications about a match, without what differs by viewer.
TEST_F(ChimeraWire, EveryoneHearsTheSameInTheSameOrder) {
  std::vector<std::unique_ptr<WireClient>> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(std::make_unique<WireClient>(server_.port()));
  WireClient& alex = *clients[0];
  WireClient& sam = *clients[1];
  const std::string match = MatchOf(alex.Ask("create-match", R"({"game":"tictactoe","player-name":"Alex"})"));
  for (std::size_t i = 2; i < clients.size(); ++i) {
    EXPECT_EQ(json::Write(clients[i]->Ask("spectate-match", Spectate("tictactoe", match)).at("result")), "{}");
  }
  sam.Send(R"({"type":"request","id":1,"operation":"join-match","params":)" + Join("tictactoe", match, "Sam") + "}");
  EXPECT_EQ(sam.NextJson().at("type"), "response") << "the response comes before the start";
  // Alex takes the first row; both ask as soon as the other's move is announced.
  const std::vector<std::pair<int, int>> moves{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}};
  std::vector<std::vector<std::string>> heard(clients.size());
  const auto hear = [&](std::size_t who) { heard[who].push_back(json::Write(clients[who]->Notification())); };
  for (std::size_t who = 0; who < clients.size(); ++who) hear(who);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    WireClient& mover = *clients[i % 2];
    mover.Send(R"({"type":"request","id":2,"operation":"game-action","params":)" +
               Move(match, moves[i].first, moves[i].second) + "}");
    EXPECT_EQ(mover.NextJson().at("type"), "response") << "the response comes before the notification that it causes";
    for (std::size_t who = 0; who < clients.size(); ++who) hear(who);
  }
  for (std::size_t who = 1; who < clients.size(); ++who) EXPECT_EQ(heard[who], heard[0]) << who;
  std::vector<std::string> events;
  for (const std::string& text : heard[0]) {
    const json::Value message = *json::Parse(text);
    EXPECT_EQ(message.at("scope"), "match");
    EXPECT_EQ(message.at("data").at("match-id").as_string(), match.c_str());
    EXPECT_EQ(message.at("data").at("game-id"), "tictactoe");
    events.push_back(std::string(json::View(message.at("event").as_string())) + " " +
                     std::string(json::View(message.at("data").at("match-status").as_string())));
  }
  EXPECT_THAT(events, ElementsAre("start in-progress", "update in-progress", "update in-progress", "update in-progress",
                                  "update in-progress", "end done"));
  EXPECT_THAT(heard[0].back(), HasSubstr(R"("match-winner":"Alex")"));
  for (std::size_t i = 0; i + 1 < heard[0].size(); ++i)
    EXPECT_THAT(heard[0][i], ::testing::Not(HasSubstr("match-winner")));
}

TEST_F(ChimeraWire, ChoicesAtTheSameTimeAreAnnouncedToAllInOneOrder) {
  WireClient alex = Connect();
  WireClient sam = Connect();
  WireClient eve = Connect();
  const std::string match =
      MatchOf(alex.Ask("create-match", R"({"game":"rps","player-name":"Alex","options":{"rounds":9}})"));
  eve.Ask("spectate-match", Spectate("rps", match));
  sam.Ask("join-match", Join("rps", match, "Sam"));
  const auto choose = [&](WireClient& client, const char* hand) {
    client.Send(
        R"({"type":"request","id":"h","operation":"game-action","params":)" +
        Action(match, std::string(games_[2]->info().actions.front().name), R"({"hand":")" + std::string(hand) + "\"}") +
        "}");
  };
  // Paper wins five times; nobody waits for anybody.
  for (int round = 0; round < 5; ++round) {
    choose(alex, "paper");
    choose(sam, "rock");
    EXPECT_TRUE(alex.Answer().as_object().contains("result"));
    EXPECT_TRUE(sam.Answer().as_object().contains("result"));
  }
  const auto rest = [](WireClient& client) {
    std::vector<std::string> events;
    for (;;) {
      const json::Value message = client.Notification();
      events.push_back(json::Write(message.at("data").at("game-state").at("rounds")));
      if (message.at("event") == "end") return events;
    }
  };
  // Alex and Sam have read past some of theirs while they waited for their answers.
  const std::vector<std::string> all = rest(eve);
  for (WireClient* player : {&alex, &sam}) {
    const std::vector<std::string> last = rest(*player);
    ASSERT_LE(last.size(), all.size());
    EXPECT_EQ(last, std::vector<std::string>(all.end() - static_cast<std::ptrdiff_t>(last.size()), all.end()));
  }
}

TEST_F(ChimeraWire, OfManyWhoJoinAtOnceTheFirstGetTheSeats) {
  WireClient alex = Connect();
  const std::string match = MatchOf(alex.Ask("create-match", R"({"game":"tictactoe","player-name":"Alex"})"));
  std::vector<std::unique_ptr<WireClient>> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(std::make_unique<WireClient>(server_.port()));
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i]->Send(R"({"type":"request","id":1,"operation":"join-match","params":)" +
                     Join("tictactoe", match, "Joiner " + std::to_string(i)) + "}");
  }
  int seated = 0;
  for (const auto& client : clients) {
    const json::Value answer = client->Answer();
    if (answer.as_object().contains("result")) {
      ++seated;
    } else {
      EXPECT_THAT(Details(answer, -40102, "Unknown match"), HasSubstr("has begun"));
    }
  }
  EXPECT_EQ(seated, 1);
}

TEST_F(ChimeraWire, AGameForSeveralWaitsForAsManyAsItsMatchIsFor) {
  WireClient first = Connect();
  WireClient second = Connect();
  WireClient third = Connect();
  WireClient fourth = Connect();
  EXPECT_THAT(Details(first.Ask("create-match", R"({"game":"roll-call","player-name":"A","players":5})"), -32602,
                      "Incorrect parameters"),
              HasSubstr("2 to 4 players; got 5"));
  EXPECT_THAT(Details(first.Ask("create-match", R"({"game":"roll-call","player-name":"A","players":1})"), -32602,
                      "Incorrect parameters"),
              HasSubstr("2 to 4 players; got 1"));
  for (const char* wrong : {"0", "-1", "65", "2.5", "\"3\"", "null"}) {
    EXPECT_THAT(Details(first.Ask("create-match",
                                  R"({"game":"roll-call","player-name":"A","players":)" + std::string(wrong) + "}"),
                        -32602, "Incorrect parameters"),
                HasSubstr("\"players\" must be a whole number"));
  }
  const std::string match = MatchOf(first.Ask("create-match", R"({"game":"roll-call","player-name":"A","players":3})"));
  EXPECT_TRUE(second.Ask("join-match", Join("roll-call", match, "B")).as_object().contains("result"));
  EXPECT_THAT(Details(first.Ask("game-action", Action(match, "here", "{}")), -50100,
                      "Action not allowed outside player's turn"),
              HasSubstr("waits for players"));
  EXPECT_TRUE(third.Ask("join-match", Join("roll-call", match, "C")).as_object().contains("result"));
  EXPECT_THAT(Details(fourth.Ask("join-match", Join("roll-call", match, "D")), -40102, "Unknown match"),
              HasSubstr("has begun"));
  for (WireClient* client : {&first, &second, &third}) {
    EXPECT_EQ(json::Write(client->Notification().at("data").at("game-state")), R"({"players":["A","B","C"],"here":0})");
  }
  for (WireClient* client : {&first, &second, &third}) {
    EXPECT_TRUE(client->Ask("game-action", Action(match, "here", "{}")).as_object().contains("result"));
  }
  const json::Value end = third.Notification();
  EXPECT_EQ(end.at("event"), "end");
  EXPECT_TRUE(end.at("data").at("match-winner").is_null());
  // Without a number, the minimum that the game needs.
  const std::string two = MatchOf(first.Ask("create-match", R"({"game":"roll-call","player-name":"A"})"));
  second.Ask("join-match", Join("roll-call", two, "B"));
  EXPECT_THAT(Details(third.Ask("join-match", Join("roll-call", two, "C")), -40102, "Unknown match"),
              HasSubstr("has begun"));
}

TEST_F(ChimeraWire, AClientThatNeverReadsIsDroppedAndTheOthersPlayOn) {
  WireClient alex = Connect();
  WireClient sam = Connect();
  WireClient deaf = Connect();
  const std::string request = R"({"type":"request","id":1,"operation":"list-games"})";
  std::string many;
  for (int i = 0; i < 1000; ++i) many += net::ClientFrame(0x81, request);
  for (int i = 0; i < 60; ++i) deaf.raw().Send(many);
  const std::string match = MatchOf(alex.Ask("create-match", R"({"game":"tictactoe","player-name":"Alex"})"));
  EXPECT_TRUE(sam.Ask("join-match", Join("tictactoe", match, "Sam")).as_object().contains("result"));
  EXPECT_TRUE(alex.Ask("game-action", Move(match, 0, 0)).as_object().contains("result"));
  EXPECT_TRUE(sam.Ask("game-action", Move(match, 1, 1)).as_object().contains("result"));
  // Its answers are more than the kernel's buffers and its outbox hold.
  for (int i = 0; i < 100'000 && server_.server->connections() > 2; ++i) alex.Ask("list-games", "");
  EXPECT_EQ(server_.server->connections(), 2u);
}

}  // namespace
}  // namespace openseat::chimera
