#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "protocols/chimera/chimera_test_support.h"

namespace openseat::chimera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ChimeraTest, ListsTheGames) {
  Client alex = Connect(first_);
  EXPECT_THAT(
      Say(alex, R"({"type":"request","operation":"list-games","id":7})"),
      ElementsAre(HasSubstr(R"({"type":"response","id":7,"result":{"games":[{"id":"tictactoe","description":)")));
  EXPECT_THAT(Ask(alex, "list-games", "{}"), HasSubstr(R"("id":"p1-wins")")) << "hidden ones where the server has them";
  EXPECT_THAT(Ask(alex, "list-games", "null"), HasSubstr(R"("id":"p1-wins")"));
  EXPECT_EQ(CodeOf(Ask(alex, "list-games", R"({"all":true})")), -32602);
}

TEST_F(ChimeraTest, APrivateMatchIsNamedByItsInvitation) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  Client eve = Connect(second_);
  const std::string created = Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex","private":true})");
  const std::string name = Member(created, "match-id");
  const std::string id = name.substr(0, name.find('.'));
  ASSERT_EQ(name.size(), id.size() + 27) << name;
  // A client that was not invited cannot tell it from a match that does not exist.
  const auto spectate = [](std::string_view match) {
    return R"({"game":"tictactoe","spectator-name":null,"match-id":")" + std::string(match) + "\"}";
  };
  for (const std::string& guess : {id, id + ".", id + ".aaaaaaaaaaaaaaaaaaaaaaaaaa", name + "a"}) {
    std::string nobody = guess;
    nobody.replace(0, id.size(), "none");
    for (const bool joins : {true, false}) {
      const auto ask = [&](const std::string& match) {
        return joins ? Ask(eve, "join-match", Params(match, "Eve")) : Ask(eve, "spectate-match", spectate(match));
      };
      std::string told = ask(guess);
      EXPECT_EQ(CodeOf(told), -40102) << guess;
      told.replace(told.find(id), id.size(), "none");
      EXPECT_EQ(told, ask(nobody));
    }
  }
  EXPECT_EQ(CodeOf(Ask(eve, "join-match", Params(id, "Alex", R"(,"token":")" + Token(created) + "\""))), -40102)
      << "a player's token is no invitation";
  EXPECT_THAT(Ask(eve, "spectate-match", spectate(name)), HasSubstr(R"("result":{})"));
  EXPECT_THAT(Ask(sam, "join-match", Params(name, "Sam")), HasSubstr(R"("result":{})"));
  // All are told the name that they know.
  for (Client* client : {&alex, &eve}) {
    EXPECT_THAT(client->socket->Take(), ElementsAre(HasSubstr(R"("match-id":")" + name + "\"")));
  }
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move(id, "[0,0]"))), -40105);
  EXPECT_THAT(Ask(alex, "game-action", Move(name, "[0,0]")), HasSubstr("updated"));
  EXPECT_THAT(Ask(sam, "create-match", R"({"game":"tictactoe","player-name":"Sam"})"), HasSubstr(name)) << "says where";
  // A dropped player comes back by the same name.
  Drop(alex);
  Client again = Connect(first_);
  EXPECT_THAT(Return(again, name, Token(created)), ElementsAre(HasSubstr(R"("result":{})"), HasSubstr(name)));
}

TEST_F(ChimeraTest, WhatIsMadeFromElsewhereIsPrivateUnlessItSaysOtherwise) {
  const Caller elsewhere{.local = false};
  Client alex = Connect(first_, elsewhere);
  Client sam = Connect(first_, elsewhere);
  Client owner = Connect(second_, {.local = false, .owner = true});
  const std::string name =
      Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), "match-id");
  EXPECT_THAT(name, HasSubstr("."));
  const std::string open =
      Member(Ask(sam, "create-match", R"({"game":"tictactoe","player-name":"Sam","private":false})"), "match-id");
  EXPECT_THAT(open, ::testing::Not(HasSubstr(".")));
  EXPECT_THAT(Ask(owner, "join-match", Params(name.substr(0, name.find('.')), "Olga")), HasSubstr(R"("result":{})"))
      << "the operator needs no invitation";
  Client kim = Connect(first_);
  EXPECT_EQ(CodeOf(Ask(kim, "create-match", R"({"game":"tictactoe","player-name":"Kim","private":1})")), -32602);
}

TEST_F(ChimeraTest, AMatchIsPlayedAcrossShardsWithASpectator) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  Client eve = Connect(second_);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), "match-id");
  EXPECT_EQ(Ask(eve, "spectate-match", R"({"game":"tictactoe","match-id":")" + id + R"(","spectator-name":null})"),
            R"({"type":"response","id":"r","result":{}})");
  const auto joined =
      Say(sam, R"({"type":"request","id":1,"operation":"join-match","params":)" + Params(id, "Sam") + "}");
  EXPECT_THAT(joined, ElementsAre(HasSubstr(R"("id":1,"result":{},"token":")"), HasSubstr(R"("event":"start")")));
  EXPECT_THAT(alex.socket->Take(),
              ElementsAre(HasSubstr(
                  R"("event":"start","data":{"match-id":")" + id +
                  R"(","match-status":"in-progress","game-id":"tictactoe","game-state":{"X":"Alex","O":"Sam")")));
  EXPECT_THAT(eve.socket->Take(), ElementsAre(HasSubstr(R"("event":"start")")));

  EXPECT_EQ(CodeOf(Ask(sam, "game-action", Move(id, "[0,0]"))), -50100);
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move(id, "[100000000000000000000,0]"))), -50103) << "it is valid JSON";
  const auto moved =
      Say(alex, R"({"type":"request","id":2,"operation":"game-action","params":)" + Move(id, "[0,0]") + "}");
  EXPECT_THAT(moved, ElementsAre(R"({"type":"response","id":2,"result":{"updated":{"position":[0,0],"value":"X"}}})",
                                 HasSubstr(R"("event":"update")")));
  EXPECT_THAT(sam.socket->Take(), ElementsAre(HasSubstr(R"("event":"update")")));
  EXPECT_EQ(CodeOf(Ask(sam, "game-action", Move(id, "[0,0]"))), -50103);
  EXPECT_EQ(CodeOf(Ask(sam, "game-action", Move(id, "7"))), -50102);
  EXPECT_EQ(CodeOf(Ask(sam, "game-action", R"({"match-id":")" + id + R"(","action":"fly","data":{}})")), -50101);
  Ask(sam, "game-action", Move(id, "[1,0]"));
  Ask(alex, "game-action", Move(id, "[0,1]"));
  Ask(sam, "game-action", Move(id, "[1,1]"));
  alex.socket->Take();
  const auto won =
      Say(alex, R"({"type":"request","id":3,"operation":"game-action","params":)" + Move(id, "[0,2]") + "}");
  EXPECT_THAT(won, ElementsAre(HasSubstr("updated"), HasSubstr(R"("event":"end")")));
  EXPECT_THAT(won.back(), HasSubstr(R"("match-status":"done","game-id":"tictactoe","match-winner":"Alex")"));
  EXPECT_THAT(eve.socket->Take().back(), HasSubstr(R"("event":"end")"));
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move(id, "[2,2]"))), -40105)
      << "after the end the players are out of the match";
  EXPECT_THAT(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), HasSubstr("match-id"));
}

TEST_F(ChimeraTest, WhoAsksForItIsToldWhatItMayDo) {
  const auto actions = [](const std::vector<std::string>& messages) {
    const json::Value data = json::Parse(messages.back())->at("data");
    const json::Value* list = json::Find(data, "match-actions");
    return list == nullptr ? "none" : json::Write(*list);
  };
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const std::string id =
      Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex","actions":true})"), "match-id");
  const auto joined = Say(sam, R"({"type":"request","id":1,"operation":"join-match","params":)" +
                                   Params(id, "Sam", R"(,"actions":false)") + "}");
  EXPECT_EQ(actions(joined), "none");
  const std::string token(json::Parse(joined.front())->at("token").as_string());
  const std::string first = actions(alex.socket->Take());
  EXPECT_THAT(first, HasSubstr(R"([{"name":"move","description":)"));
  EXPECT_THAT(first, HasSubstr("[0,0]"));
  const auto moved =
      Say(alex, R"({"type":"request","id":2,"operation":"game-action","params":)" + Move(id, "[0,0]") + "}");
  EXPECT_EQ(actions(moved), "[]") << "it is the other's turn";
  // A returning player may ask for it, too.
  Drop(sam);
  sam = Connect(first_);
  const auto back = Say(sam, R"({"type":"request","id":3,"operation":"join-match","params":)" +
                                 Params(id, "Sam", R"(,"actions":true,"token":")" + token + "\"") + "}");
  EXPECT_THAT(actions(back), ::testing::AllOf(HasSubstr("[0,1]"), ::testing::Not(HasSubstr("[0,0]"))));
  Client kim = Connect(first_);
  EXPECT_THAT(Ask(kim, "join-match", Params(id, "Kim", R"(,"actions":1)")), HasSubstr("must be true or false; got 1"));
}

TEST_F(ChimeraTest, EveryRefusalHasItsCode) {
  Client alex = Connect(first_);
  Client sam = Connect(first_);
  Client kim = Connect(first_);
  EXPECT_EQ(CodeOf(Ask(alex, "create-match", R"({"game":"chess","player-name":"Alex"})")), -40100);
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move("no-match", "[0,0]"))), -40105);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), "match-id");
  EXPECT_EQ(CodeOf(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})")), -40101);
  EXPECT_EQ(CodeOf(Ask(alex, "join-match", Params(id, "Alex"))), -40101);
  // A player is told so before anything else is checked.
  EXPECT_EQ(CodeOf(Ask(alex, "create-match", R"({"game":"chess","player-name":"Alex"})")), -40101);
  EXPECT_EQ(CodeOf(Ask(alex, "create-match", "{}")), -40101);
  EXPECT_EQ(CodeOf(Ask(alex, "join-match", "[]")), -40101);
  EXPECT_EQ(CodeOf(Ask(alex, "spectate-match", "[]")), -32602);
  EXPECT_EQ(CodeOf(Ask(sam, "join-match", Params("no-match", "Sam"))), -40102);
  EXPECT_EQ(CodeOf(Ask(sam, "join-match", R"({"game":"connectm","match-id":")" + id + R"(","player-name":"Sam"})")),
            -40102);
  EXPECT_EQ(CodeOf(Ask(sam, "join-match", Params(id, "Alex"))), -40103);
  EXPECT_EQ(CodeOf(Ask(sam, "spectate-match", R"({"game":"tictactoe","match-id":"no","spectator-name":"S"})")), -40102);
  EXPECT_EQ(
      CodeOf(Ask(sam, "spectate-match", R"({"game":"tictactoe","match-id":")" + id + R"(","spectator-name":""})")),
      -32602);
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move(id, "[0,0]"))), -50100) << "it waits for players";
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", R"({"match-id":")" + id + R"(","action":"fly","data":{}})")), -50101)
      << "while it waits, too";
  Ask(sam, "join-match", Params(id, "Sam"));
  EXPECT_EQ(CodeOf(Ask(kim, "join-match", Params(id, "Kim"))), -40102);
  EXPECT_EQ(CodeOf(Ask(kim, "game-action", Move(id, "[0,0]"))), -40105);
}

TEST_F(ChimeraTest, NonsenseIsAnsweredWithWhatWasExpected) {
  Client alex = Connect(first_);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"nonsense", R"("id":null,"error":{"code":-32700,"message":"Parse error","data":{"details":)"},
      {"[]", R"("id":null,"error":{"code":-32600,"message":"Incorrect request")"},
      {"{}", R"("details":"the member \"type\" is missing")"},
      {R"({"type":"response","id":"a"})", R"("id":"a","error":{"code":-32600)"},
      {R"({"type":"request"})", R"("details":"the member \"id\" is missing")"},
      {R"({"type":"request","id":{}})", R"("id":null,"error":{"code":-32600)"},
      {R"({"type":"request","id":"a"})", R"("details":"the member \"operation\" is missing")"},
      {R"({"type":"request","id":"a","operation":"dance"})",
       R"("id":"a","error":{"code":-32601,"message":"No such operation")"},
      {R"({"type":"request","id":"a","operation":"create-match"})",
       R"("error":{"code":-32602,"message":"Incorrect parameters","data":{"details":"the parameter \"game\" is missing"}})"},
      {R"({"type":"request","id":"a","operation":"create-match","params":[]})", R"("code":-32602)"},
      {R"({"type":"request","id":"a","operation":"create-match","params":{"game":"tictactoe","player-name":7}})",
       R"(must be a string; got integer)"},
      {R"({"type":"request","id":"a","operation":"create-match","params":{"game":"tictactoe","player-name":""}})",
       R"(must not be empty)"},
      {R"({"type":"request","id":"a","operation":"game-action","params":{"match-id":"m","action":"move"}})",
       R"(the parameter \"data\" is missing)"},
      {R"({"type":"request","id":"a","operation":"create-match","params":{"game":"tictactoe","player-name":"A","options":{"size":9}}})",
       R"("code":-32602)"},
  };
  for (const auto& [message, expected] : cases)
    EXPECT_THAT(Say(alex, message), ElementsAre(HasSubstr(expected))) << message;
}

TEST_F(ChimeraTest, AMessageWithTooManyValuesIsToldThatNoSettingChangesThat) {
  Client alex = Connect(first_);
  std::string message = "[1";
  for (int i = 0; i < 10'000; ++i) message += ",1";
  EXPECT_THAT(Say(alex, message + "]"),
              ElementsAre(AllOf(HasSubstr("at most 10000 values"), HasSubstr("messages of Chimera is fixed"))));
}

TEST_F(ChimeraTest, AThousandRequestsInOneWriteAreAnsweredInOrder) {
  Client alex = Connect(first_);
  for (int i = 0; i < 1000; ++i) {
    const char* operation = i % 2 == 0 ? "list-games" : "join-match";
    alex.session->OnText(R"({"type":"request","id":)" + std::to_string(i) + R"(,"operation":")" + operation +
                         R"(","params":)" + (i % 2 == 0 ? "{}" : Params("none", "Alex")) + "}");
  }
  for (int i = 0; i < 600; ++i) Run();
  const auto answers = alex.socket->Take();
  ASSERT_EQ(answers.size(), 1000u);
  for (int i = 0; i < 1000; ++i)
    EXPECT_THAT(answers[static_cast<std::size_t>(i)], HasSubstr("\"id\":" + std::to_string(i) + ","));
}

TEST_F(ChimeraTest, SaysThatTheJournalCannotBeWrittenAndGoesOnOnceItCan) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  // All that Alex is told then, with what came before.
  const auto told = [&](std::string_view operation, const std::string& params) {
    std::string all;
    for (const std::string& message : Say(alex, R"({"type":"request","id":"r","operation":")" + std::string(operation) +
                                                    R"(","params":)" + params + "}")) {
      all += message + "\n";
    }
    return all;
  };
  const Error full{ErrorCode::kIo, "the disk has no room left for the journal", {}};
  const auto refused =
      HasSubstr(R"("error":{"code":-32603,"message":"Server error: the journal cannot be written now",)"
                R"("data":{"details":"the disk has no room left for the journal"}})");
  journal_.failing = full;
  EXPECT_THAT(told("create-match", R"({"game":"tictactoe","player-name":"Alex"})"), refused);
  journal_.failing.reset();
  const std::string match = Begin(alex, sam).first;
  journal_.failing = full;
  EXPECT_THAT(told("game-action", Move(match, "[0,0]")), refused);
  journal_.failing.reset();
  EXPECT_THAT(told("game-action", Move(match, "[0,0]")), ::testing::Not(HasSubstr("error")));
}

TEST_F(ChimeraTest, EmptyFramesToABusySessionAreNotFree) {
  Client alex = Connect(first_, {}, Paying({.max_waiting_items = 50}));
  alex.session->OnText(R"({"type":"request","id":1,"operation":"create-match","params":)"
                       R"({"game":"tictactoe","player-name":"Alex"}})");
  int taken = 0;
  while (alex.socket->closed_with == 0 && taken < 1'000) {
    alex.session->OnText("");
    ++taken;
  }
  EXPECT_EQ(taken, 51) << "one more than may wait";
  EXPECT_EQ(alex.socket->closed_with, net::close_code::kPolicy);
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_waiting_items"} 1)"));
}

TEST_F(ChimeraTest, WhatWaitsIsLimitedInBytesToo) {
  Client alex = Connect(first_, {}, Paying({.max_waiting_bytes = 10'000}));
  alex.session->OnText(R"({"type":"request","id":1,"operation":"create-match","params":)"
                       R"({"game":"tictactoe","player-name":"Alex"}})");
  const std::string nonsense(4'000, 'x');
  for (int i = 0; i < 2; ++i) alex.session->OnText(nonsense);
  EXPECT_EQ(alex.socket->closed_with, 0);
  alex.session->OnText(nonsense);
  EXPECT_EQ(alex.socket->closed_with, net::close_code::kPolicy);
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="max_waiting_bytes"} 1)"));
}

TEST_F(ChimeraTest, OthersHaveTheirTurnWhileWaitingRequestsAreServed) {
  Client alex = Connect(first_);
  alex.session->OnText(R"({"type":"request","id":"c","operation":"create-match","params":)"
                       R"({"game":"tictactoe","player-name":"Alex"}})");
  for (int i = 0; i < 200; ++i) {
    alex.session->OnText(R"({"type":"request","operation":"list-games","id":)" + std::to_string(i) + "}");
  }
  std::vector<std::size_t> sent;  // each time that others had their turn
  std::function<void()> others = [&] {
    sent.push_back(alex.socket->sent.size());
    if (sent.back() < 201 && sent.size() < 1'000) first_.Post([&] { others(); });
  };
  first_.Post([&] { others(); });
  Run();
  EXPECT_TRUE(std::ranges::any_of(sent, [](std::size_t count) { return count > 1 && count < 201; }));
  const auto answers = alex.socket->Take();
  ASSERT_EQ(answers.size(), 201u);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_THAT(answers[i + 1], HasSubstr("\"id\":" + std::to_string(i) + ","));
}

TEST_F(ChimeraTest, SaysWhatThereIsInsteadOfWhatThereIsNot) {
  Client alex = Connect(first_);
  EXPECT_THAT(
      Ask(alex, "nope", "{}"),
      HasSubstr(
          R"(there is no operation \"nope\"; the operations are list-games, create-match, join-match, spectate-match, game-action, forfeit-match, say, offer, list-seats, hand-on, take-on)"));
  EXPECT_THAT(Ask(alex, "create-match", R"({"game":"nope","player-name":"Alex"})"),
              HasSubstr(R"(there is no game \"nope\"; the games are tictactoe, connectm, p1-wins, rps)"));
}

TEST_F(ChimeraTest, HalfARoundIsNotAnnounced) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  Client eve = Connect(second_);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"rps","player-name":"Alex"})"), "match-id");
  Ask(eve, "spectate-match", R"({"game":"rps","match-id":")" + id + R"(","spectator-name":"Eve"})");
  Ask(sam, "join-match", R"({"game":"rps","match-id":")" + id + R"(","player-name":"Sam"})");
  for (Client* each : {&alex, &sam, &eve}) each->socket->Take();
  const auto hand = [&](Client& client, const char* what) {
    return Say(client, R"({"type":"request","id":1,"operation":"game-action","params":{"match-id":")" + id +
                           R"(","action":"throw","data":{"hand":")" + what + "\"}}}");
  };
  EXPECT_THAT(hand(alex, "rock"), ElementsAre(R"({"type":"response","id":1,"result":{"hand":"rock"}})"));
  EXPECT_THAT(sam.socket->Take(), IsEmpty());
  EXPECT_THAT(eve.socket->Take(), IsEmpty());
  EXPECT_THAT(hand(alex, "rock"), ElementsAre(HasSubstr("-50100")));
  constexpr auto kRound = R"("rounds":[{"p1_hand":"rock")";
  EXPECT_THAT(hand(sam, "paper"), ElementsAre(HasSubstr(R"("result")"), HasSubstr(kRound)));
  EXPECT_THAT(alex.socket->Take(), ElementsAre(HasSubstr(kRound)));
  EXPECT_THAT(eve.socket->Take(), ElementsAre(HasSubstr(kRound)));
}

TEST_F(ChimeraTest, WhoWatchesTwiceOrItsOwnMatchHearsEachEventOnce) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  Client eve = Connect(second_);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), "match-id");
  const std::string watch = R"({"type":"request","id":"w","operation":"spectate-match","params":{"game":"tictactoe",)"
                            R"("match-id":")" +
                            id + R"(","spectator-name":null}})";
  const auto watching = ElementsAre(R"({"type":"response","id":"w","result":{}})");
  EXPECT_THAT(Say(sam, watch), watching);  // before it joins
  EXPECT_THAT(Say(eve, watch), watching);
  EXPECT_THAT(Say(eve, watch), watching);
  Ask(sam, "join-match", Params(id, "Sam", R"(,"actions":true)"));
  EXPECT_THAT(alex.socket->Take(), ElementsAre(HasSubstr("start")));
  EXPECT_THAT(eve.socket->Take(), ElementsAre(HasSubstr("start")));
  EXPECT_THAT(Say(alex, watch), watching);  // after it joined
  EXPECT_THAT(Say(eve, watch), watching);
  EXPECT_THAT(Say(alex, R"({"type":"request","id":2,"operation":"game-action","params":)" + Move(id, "[0,0]") + "}"),
              ElementsAre(HasSubstr("updated"), HasSubstr(R"("event":"update")")));
  EXPECT_THAT(sam.socket->Take(), ElementsAre(HasSubstr("match-actions"))) << "as a player hears it";
  EXPECT_THAT(eve.socket->Take(), ElementsAre(HasSubstr(R"("event":"update")")));
  EXPECT_THAT(Say(sam, R"({"type":"request","id":3,"operation":"forfeit-match","params":{"match-id":")" + id + "\"}}"),
              ElementsAre(HasSubstr("result"), HasSubstr(R"("event":"end")")));
  EXPECT_THAT(alex.socket->Take(), ElementsAre(HasSubstr(R"("event":"end")")));
  EXPECT_THAT(eve.socket->Take(), ElementsAre(HasSubstr(R"("event":"end")")));
}

TEST_F(ChimeraTest, ARefusalIsJournalledOnceAndNotWithoutEnd) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const std::string id = Begin(alex, sam).first;
  alex.socket->Take();
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move(id, "[7,7]"))), -50103);
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move(id, "\"" + std::string(100'000, 'x') + "\""))), -50102);
  const TableId table(id);
  std::vector<std::string> refusals = journal_.Payloads(table, EventKind::kRefusal);
  ASSERT_EQ(refusals.size(), 2u);
  EXPECT_THAT(refusals[0], HasSubstr(R"({"seat":0,"decision":1,"action":"move","data":{"position":[7,7]},)"
                                     R"("code":"incorrect-move","message":)"));
  EXPECT_THAT(refusals[0], HasSubstr(R"("agent":"client"})"));
  EXPECT_LT(refusals[1].size(), 1'000u);
  EXPECT_THAT(refusals[1], HasSubstr(R"("bytes":100)"));
  for (int i = 0; i < 200; ++i) Ask(alex, "game-action", Move(id, "[7,7]"));
  EXPECT_EQ(journal_.Payloads(table, EventKind::kRefusal).size(), 100u);
  EXPECT_THAT(Ask(alex, "game-action", Move(id, "[0,0]")), HasSubstr("updated"));
  EXPECT_THAT(journal_.Payloads(table, EventKind::kPlayed), ElementsAre(HasSubstr(R"("agent":"client"})")));
  EXPECT_THAT(journal_.Payloads(table, EventKind::kChoice), IsEmpty());
  EXPECT_THAT(journal_.Payloads(table, EventKind::kVerdict), IsEmpty());
}

// As at the published server; other doors take 1.0 for what JSON Schema says it is, an integer.
TEST_F(ChimeraTest, AnIntegerIsWrittenWithoutAFraction) {
  Client alex = Connect(first_);
  Client sam = Connect(first_);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"connectm","player-name":"Alex"})"), "match-id");
  Ask(sam, "join-match", R"({"game":"connectm","match-id":")" + id + R"(","player-name":"Sam"})");
  alex.socket->Take();
  sam.socket->Take();
  const auto drop = [&](Client& client, const char* data) {
    return Ask(client, "game-action", R"({"match-id":")" + id + R"(","action":"drop","data":)" + data + "}");
  };
  EXPECT_EQ(CodeOf(drop(sam, R"({"column":1.0})")), -50100) << "whose turn it is comes first";
  for (const char* data : {R"({"column":1.0})", R"({"column":1e0})", R"({"column":9.0})", R"({"column":-0.0})",
                           R"({"column":1.5})", R"({"column":"1"})", R"({"column":null})"}) {
    EXPECT_EQ(CodeOf(drop(alex, data)), -50102) << data;
  }
  EXPECT_EQ(CodeOf(drop(alex, R"({"column":100000000000000000000})")), -50103);
  EXPECT_THAT(drop(alex, R"({"column":1})"), HasSubstr(R"("result":{"column":1})"));
}

TEST_F(ChimeraTest, ActionsThatOnlyAskAreNotAnnounced) {
  Client alex = Connect(first_);
  Client sam = Connect(first_);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"connectm","player-name":"Alex"})"), "match-id");
  EXPECT_THAT(Ask(alex, "game-action", R"({"match-id":")" + id + R"(","action":"drop_info","data":{}})"),
              HasSubstr("can_drop"))
      << "before the start, too";
  Ask(sam, "join-match", R"({"game":"connectm","match-id":")" + id + R"(","player-name":"Sam"})");
  alex.socket->Take();
  sam.socket->Take();
  EXPECT_THAT(Say(sam, R"({"type":"request","id":1,"operation":"game-action","params":{"match-id":")" + id +
                           R"(","action":"drop_info","data":{}}})"),
              ElementsAre(HasSubstr("can_drop")));
  EXPECT_THAT(alex.socket->Take(), IsEmpty());
}

}  // namespace
}  // namespace openseat::chimera
