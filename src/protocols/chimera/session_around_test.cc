// What clients do around the board, and the ways back to a seat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "agents/make_agent.h"
#include "games/tictactoe/tictactoe.h"
#include "net/fake_socket.h"
#include "protocols/chimera/session.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::chimera {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class SessionAroundTest : public ::testing::Test {
 protected:
  struct Client {
    std::shared_ptr<net::FakeSocket> socket;
    std::unique_ptr<Session> session;
  };

  static MatchRules WhereBotsCost() {
    MatchRules rules;
    rules.costs = [](const AgentSpec& agent) { return agent.kind == "random"; };
    return rules;
  }
  Client Connect(std::function<bool(const TableId&)> elsewhere = nullptr, bool local = true) {
    Client client{
        std::make_shared<net::FakeSocket>(scheduler_, ++sockets_),
        std::make_unique<Session>(lobby_,
                                  Caller{.local = local,
                                         .who = "key k-1",
                                         .audit = [this](std::string_view what) { audit_.emplace_back(what); },
                                         .elsewhere = std::move(elsewhere)},
                                  &guesses_)};
    client.session->OnOpen(client.socket);
    return client;
  }
  void Run() {
    for (int i = 0; i < 20; ++i) scheduler_.Run();
  }
  // The first message after a request: its answer. The others wait in `told_`.
  std::string Ask(Client& client, std::string_view operation, const json::Object& params) {
    client.socket->Take();
    client.session->OnText(
        json::Write(json::Object{{"type", "request"}, {"id", 1}, {"operation", operation}, {"params", params}}));
    Run();
    told_ = client.socket->Take();
    if (told_.empty()) return "no answer";
    const std::string answer = told_.front();
    told_.erase(told_.begin());
    return answer;
  }
  static std::string At(const std::string& answer, std::string_view member) {
    return json::Parse(answer)->at("result").at(member).as_string().c_str();
  }
  static std::string TokenOf(const std::string& answer) { return json::Parse(answer)->at("token").as_string().c_str(); }
  json::Object Player(std::string_view name, bool table = true) {
    json::Object params{{"game", "tictactoe"}, {"player-name", name}, {"table", table}};
    if (!match_.empty()) params["match-id"] = match_;
    return params;
  }
  json::Object InMatch(json::Object more = {}) {
    more["match-id"] = match_;
    return more;
  }
  void Begin(Client& ann, Client& ben) {
    const std::string made = Ask(ann, "create-match", Player("Ann"));
    match_ = At(made, "match-id");
    anns_ = TokenOf(made);
    EXPECT_THAT(Ask(ben, "join-match", Player("Ben", false)), HasSubstr("result"));
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::array<const Game*, 1> games_{tictactoe_.get()};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&scheduler_}};
  Lobby lobby_{games_, WhereBotsCost(), std::chrono::minutes(5), directory_, journal_, MakeLocalAgent};
  std::vector<std::string> audit_;
  std::vector<std::string> wrong_;
  Guesses guesses_{RateLimit{.per_second = 1, .burst = 3}, scheduler_.clock(),
                   [this](std::string_view what, std::string_view, std::string_view who) {
                     wrong_.emplace_back(what);
                     EXPECT_EQ(who, "key k-1");
                   }};
  std::uint64_t sockets_ = 0;
  std::string match_;
  std::string anns_;
  std::vector<std::string> told_;
};

TEST_F(SessionAroundTest, OnlyWhoAsksForItIsToldWhatIsAroundTheBoard) {
  Client ann = Connect();
  Client ben = Connect();
  Begin(ann, ben);
  EXPECT_THAT(ann.socket->Take(), Contains(HasSubstr(R"("scope":"table")")));
  EXPECT_THAT(told_, Not(Contains(HasSubstr(R"("scope":"table")"))));
  EXPECT_THAT(Ask(ben, "say", InMatch({{"text", "hello"}})), HasSubstr(R"("result":{})"));
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(ann.socket->Take(), ElementsAre(HasSubstr(R"("event":"chat")")));
  Client eve = Connect();
  EXPECT_THAT(Ask(eve, "spectate-match",
                  {{"game", "tictactoe"}, {"match-id", match_}, {"spectator-name", nullptr}, {"table", true}}),
              HasSubstr("result"));
  EXPECT_THAT(told_, Contains(HasSubstr(R"("text":"hello")")));
  EXPECT_THAT(ann.socket->Take(), ElementsAre(HasSubstr(R"("spectators":1)")));
  EXPECT_THAT(Ask(eve, "say", InMatch({{"text", "hi"}})), HasSubstr("-40105")) << "spectators do not talk";
  EXPECT_THAT(Ask(eve, "offer", InMatch({{"offer", "draw"}})), HasSubstr("-40105"));
}

TEST_F(SessionAroundTest, PlayersAgreeOnADrawAndMeetAgain) {
  Client ann = Connect();
  Client ben = Connect();
  Begin(ann, ben);
  EXPECT_THAT(Ask(ann, "offer", InMatch({{"offer", "rematch"}})), HasSubstr("-40105"));
  EXPECT_THAT(Ask(ann, "offer", InMatch({{"offer", "peace"}})), HasSubstr("-32602"));
  EXPECT_THAT(Ask(ann, "offer", InMatch({{"offer", "draw"}})), HasSubstr(R"({"agreed":false})"));
  EXPECT_THAT(Ask(ben, "offer", InMatch({{"offer", "draw"}})), HasSubstr(R"({"agreed":true})"));
  EXPECT_THAT(told_, Contains(HasSubstr(R"("match-reason":"the players agreed")")));
  // The players are free, and still hear each other.
  EXPECT_THAT(Ask(ben, "say", InMatch({{"text", "again?"}})), HasSubstr(R"("result":{})"));
  EXPECT_THAT(Ask(ben, "offer", InMatch({{"offer", "rematch"}})), HasSubstr(R"({"agreed":false})"));
  ann.socket->Take();
  // The answer waits for the new match, so news may come first.
  const std::string first = Ask(ann, "offer", InMatch({{"offer", "rematch"}}));
  told_.push_back(first);
  EXPECT_THAT(told_, Contains(HasSubstr(R"({"agreed":true})")));
  EXPECT_THAT(told_, Contains(HasSubstr(R"("next":")")));
  std::size_t in_progress = 0;
  lobby_.Visit(
      scheduler_, [&](Match& match) { in_progress += match.status() == MatchStatus::kInProgress ? 1 : 0; }, [] {});
  Run();
  EXPECT_EQ(in_progress, 1u) << "the rematch has both players";
}

TEST_F(SessionAroundTest, AModelPlaysAgainForTheOperatorAndForNobodyElse) {
  for (const bool local : {false, true}) {
    lobby_.Create(scheduler_, "tictactoe", nullptr, {{}, {"Model", {"random", {{"seed", 1}}}}},
                  [this](const Result<MatchRef>& made) { match_ = made->Name(); });
    Run();
    Client ann = Connect(nullptr, local);
    Ask(ann, "join-match", Player("Ann"));
    Ask(ann, "forfeit-match", InMatch());
    const std::string answer = Ask(ann, "offer", InMatch({{"offer", "rematch"}}));
    told_.push_back(answer);
    EXPECT_THAT(told_, Contains(HasSubstr(local ? R"({"agreed":true})" : "is an agent of the server's operator")));
  }
}

TEST_F(SessionAroundTest, WhoLosesTheSeatToAnotherConnectionIsTold) {
  Client ann = Connect();
  Client ben = Connect();
  Begin(ann, ben);
  ann.socket->Take();
  Client phone = Connect();
  json::Object resume = Player("Ann");
  resume["token"] = anns_;
  EXPECT_THAT(Ask(phone, "join-match", resume), HasSubstr(R"("result":{})"));
  EXPECT_THAT(ann.socket->Take(), ElementsAre(HasSubstr(R"("event":"seat-taken")")));
  EXPECT_THAT(Ask(ann, "say", InMatch({{"text", "me too"}})), HasSubstr("-40105"));
}

TEST_F(SessionAroundTest, AClientLearnsWhatBecameOfItsSeats) {
  Client ann = Connect();
  Client ben = Connect();
  Begin(ann, ben);
  Client later = Connect();
  const auto seat = [&](const std::string& match, std::string_view name, const std::string& token) {
    return json::Value(json::Object{{"match-id", match}, {"player-name", name}, {"token", token}});
  };
  const std::string answer = Ask(
      later, "list-seats",
      {{"seats", json::Array{seat(match_, "Ann", anns_), seat(match_, "Ben", anns_), seat("no-match", "Ann", anns_)}}});
  EXPECT_THAT(answer, HasSubstr(R"({"seats":[{"game":"tictactoe","match-status":"in-progress","names":["Ann","Ben"],)"
                                R"("seat":0,"present":true,"your-turn":true},{"gone":true},{"gone":true}]})"));
  // What this server does not have is not gone if another one of its cluster has it.
  Client at_a_node = Connect([](const TableId& match) { return match == TableId("far-match"); });
  EXPECT_THAT(Ask(at_a_node, "list-seats",
                  {{"seats", json::Array{seat("far-match", "Ann", anns_), seat("no-match", "Ann", anns_)}}}),
              HasSubstr(R"({"seats":[{"elsewhere":true},{"gone":true}]})"));
  EXPECT_THAT(wrong_, ElementsAre("seat token"));
  const json::Object wrong{{"seats", json::Array{seat(match_, "Ben", "x"), seat(match_, "Ann", "y")}}};
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(Ask(later, "list-seats", wrong), HasSubstr(R"([{"gone":true},{"gone":true}])"));
  EXPECT_THAT(Ask(later, "list-seats", wrong), HasSubstr("-40102")) << "it was wrong three times";
  EXPECT_THAT(Ask(later, "list-seats", {{"seats", json::Array{seat(match_, "Ann", anns_)}}}), HasSubstr("-40102"));
  EXPECT_THAT(wrong_, SizeIs(3));
  EXPECT_THAT(Ask(later, "list-seats", {{"seats", 7}}), HasSubstr("-32602"));
  EXPECT_THAT(Ask(later, "list-seats", {{"seats", json::Array{"x"}}}), HasSubstr("-32602"));
  EXPECT_THAT(Ask(later, "list-seats", {{"seats", json::Array(51, seat("a", "b", "c"))}}), HasSubstr("at most 50"));
}

TEST_F(SessionAroundTest, ACodeGivesTheSeatToAnotherDeviceOnce) {
  Client ann = Connect();
  Client ben = Connect();
  Begin(ann, ben);
  EXPECT_THAT(Ask(ben, "hand-on", InMatch({{"token", anns_}})), HasSubstr("-40102")) << "it is not Ben's";
  const std::string answer = Ask(ann, "hand-on", InMatch({{"token", anns_}}));
  const std::string code = At(answer, "code");
  EXPECT_GE(code.size(), 20u);
  Client phone = Connect();
  const std::string taken = Ask(phone, "take-on", {{"code", code}});
  EXPECT_EQ(At(taken, "match-id"), match_);
  EXPECT_EQ(At(taken, "player-name"), "Ann");
  EXPECT_EQ(TokenOf(taken), anns_);
  EXPECT_THAT(audit_, ElementsAre("seat code made", "seat code used"));
  EXPECT_THAT(wrong_, IsEmpty());
  std::string last;
  for (int i = 0; i < 6; ++i) last = Ask(phone, "take-on", {{"code", code}});
  EXPECT_THAT(wrong_, ElementsAre("seat code", "seat code", "seat code"));
  EXPECT_THAT(last, HasSubstr("-40102"));
}

TEST_F(SessionAroundTest, AMatchIsMadeWithItsTerms) {
  Client ann = Connect();
  json::Object params = Player("Ann");
  params["terms"] = json::Object{{"move_time", 0}};
  EXPECT_THAT(Ask(ann, "create-match", params), HasSubstr("terms.move_time"));
  params["terms"] = json::Object{{"game_time", 300}, {"increment", 2}};
  EXPECT_THAT(Ask(ann, "create-match", params), HasSubstr("match-id"));
  EXPECT_THAT(told_, Contains(HasSubstr(R"("terms":{"game_time":300,"increment":2})")));
}

}  // namespace
}  // namespace openseat::chimera
