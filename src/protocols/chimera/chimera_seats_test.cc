#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "protocols/chimera/chimera_test_support.h"

namespace openseat::chimera {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ChimeraTest, ADroppedPlayerResumesWithItsToken) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const auto [id, token] = Begin(alex, sam);
  sam.socket->Take();
  Drop(alex);
  Client again = Connect(second_);
  EXPECT_EQ(CodeOf(Ask(again, "join-match", Params(id, "Alex", R"(,"token":"wrong")"))), -40102);
  const auto resumed = Return(again, id, token);
  EXPECT_THAT(resumed, ElementsAre(R"({"type":"response","id":1,"result":{}})", HasSubstr(R"("event":"update")")));
  EXPECT_THAT(Ask(again, "game-action", Move(id, "[1,1]")), HasSubstr("updated"));
  Drop(again);
  first_.Advance(MatchRules{}.grace);
  second_.Advance(MatchRules{}.grace);
  Run();
  EXPECT_THAT(sam.socket->Take().back(), HasSubstr(R"("match-winner":"Sam")"));
}

TEST_F(ChimeraTest, WhoComesBackAfterTheEndIsToldAndIsFree) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const auto [id, token] = Begin(alex, sam);
  Drop(alex);
  first_.Advance(MatchRules{}.grace);
  second_.Advance(MatchRules{}.grace);
  Run();
  EXPECT_THAT(sam.socket->Take().back(), HasSubstr(R"("match-reason":"Alex left and did not come back")"));
  Client again = Connect(first_);
  const auto resumed = Return(again, id, token);
  EXPECT_THAT(resumed, ElementsAre(R"({"type":"response","id":1,"result":{}})", HasSubstr(R"("event":"end")")));
  EXPECT_THAT(Ask(again, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), HasSubstr("match-id"));
}

TEST_F(ChimeraTest, WhoAsksForNamesIsToldWhoPlays) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  Client eve = Connect(first_);
  const std::string id =
      Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex","names":true})"), "match-id");
  const auto where = R"({"game":"tictactoe","match-id":")" + id + R"(","spectator-name":null,"names":true})";
  Ask(eve, "spectate-match", where);
  const auto joined =
      Say(sam, R"({"type":"request","id":1,"operation":"join-match","params":)" + Params(id, "Sam") + "}");
  EXPECT_THAT(joined.back(), ::testing::AllOf(HasSubstr("start"), ::testing::Not(HasSubstr("match-players"))));
  constexpr auto kNames = R"("match-players":["Alex","Sam"])";
  EXPECT_THAT(alex.socket->Take(), ElementsAre(HasSubstr(kNames)));
  EXPECT_THAT(eve.socket->Take(), ElementsAre(HasSubstr(kNames)));
  Client late = Connect(second_);
  const auto told = Say(late, R"({"type":"request","id":1,"operation":"spectate-match","params":)" + where + "}");
  EXPECT_THAT(told, ElementsAre(R"({"type":"response","id":1,"result":{}})", HasSubstr(kNames)));
  EXPECT_THAT(Ask(late, "spectate-match",
                  R"({"game":"tictactoe","match-id":")" + id + R"(","spectator-name":null,"names":"yes"})"),
              HasSubstr("must be true or false"));
}

TEST_F(ChimeraTest, APlayerMayGiveUp) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), "match-id");
  const std::string forfeit = R"({"match-id":")" + id + "\"}";
  EXPECT_EQ(CodeOf(Ask(sam, "forfeit-match", forfeit)), -40105);
  EXPECT_EQ(CodeOf(Ask(alex, "forfeit-match", "{}")), -32602);
  Ask(sam, "join-match", Params(id, "Sam"));
  alex.socket->Take();
  sam.socket->Take();
  const auto said = Say(alex, R"({"type":"request","id":1,"operation":"forfeit-match","params":)" + forfeit + "}");
  constexpr auto kEnd = R"("match-winner":"Sam","match-reason":"Alex gave up")";
  EXPECT_THAT(said, ElementsAre(R"({"type":"response","id":1,"result":{}})", HasSubstr(kEnd)));
  EXPECT_THAT(sam.socket->Take(), ElementsAre(HasSubstr(kEnd)));
  EXPECT_EQ(CodeOf(Ask(alex, "forfeit-match", forfeit)), -40105) << "it is in no match any more";
  EXPECT_THAT(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), HasSubstr("match-id"));
}

TEST_F(ChimeraTest, TheFormerConnectionOfASeatCannotGiveItUp) {
  Client sam = Connect(first_);
  Client alex = Connect(second_);
  const std::string id = Member(Ask(sam, "create-match", R"({"game":"tictactoe","player-name":"Sam"})"), "match-id");
  const std::string joined = Ask(alex, "join-match", Params(id, "Alex"));
  const std::string token = json::Parse(joined)->at("token").as_string().c_str();
  alex.socket->Take();
  // The seat is taken on the match's scheduler, and the former connection has not heard of it yet.
  Client again = Connect(first_);
  again.session->OnText(R"({"type":"request","id":1,"operation":"join-match","params":)" +
                        Params(id, "Alex", R"(,"token":")" + token + "\"") + "}");
  first_.Run();
  alex.session->OnText(R"({"type":"request","id":"r","operation":"forfeit-match","params":{"match-id":")" + id +
                       "\"}}");
  Run();
  const auto said = alex.socket->Take();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(CodeOf(said.front()), -40105);
  EXPECT_THAT(said.front(), HasSubstr("another connection has taken your seat"));
  sam.socket->Take();
  EXPECT_THAT(Ask(sam, "game-action", Move(id, "[0,0]")), HasSubstr("updated")) << "the match goes on";
}

TEST_F(ChimeraTest, TheFormerConnectionOfASeatPlaysAndHearsNoMore) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const auto [id, token] = Begin(alex, sam);
  alex.socket->Take();
  Client again = Connect(second_);
  Return(again, id, token);
  EXPECT_EQ(CodeOf(Ask(alex, "game-action", Move(id, "[0,0]"))), -40105);
  EXPECT_THAT(Ask(again, "game-action", Move(id, "[0,0]")), HasSubstr(R"("updated")"));
  EXPECT_THAT(alex.socket->Take(), IsEmpty());
  EXPECT_THAT(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), HasSubstr("match-id"));
  Drop(alex);  // drops the other match, not this seat
  Run();
  EXPECT_THAT(Ask(again, "game-action", Move(id, "[1,1]")), HasSubstr("-50100")) << "it is Sam's turn";
}

TEST_F(ChimeraTest, ANewConnectionTakesTheSeatFromOneThatSeemsToLive) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const auto [id, token] = Begin(alex, sam);
  Client again = Connect(second_);
  EXPECT_THAT(Ask(again, "join-match", Params(id, "Alex", R"(,"token":")" + token + "\"")), HasSubstr("result"));
  Drop(alex);  // found dead only now
  first_.Advance(MatchRules{}.grace + seconds(1));
  second_.Advance(MatchRules{}.grace + seconds(1));
  Run();
  EXPECT_THAT(Ask(again, "game-action", Move(id, "[0,0]")), HasSubstr("updated"));
}

TEST_F(ChimeraTest, AnIdleEndIsSaidToAll) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  Client eve = Connect(second_);
  const std::string id = Member(Ask(alex, "create-match", R"({"game":"tictactoe","player-name":"Alex"})"), "match-id");
  Ask(sam, "join-match", Params(id, "Sam"));
  Ask(eve, "spectate-match", R"({"game":"tictactoe","match-id":")" + id + R"(","spectator-name":null})");
  for (Client* each : {&alex, &sam, &eve}) each->socket->Take();
  first_.Advance(seconds(3601));
  second_.Advance(seconds(3601));
  Run();
  for (Client* each : {&alex, &sam, &eve}) {
    EXPECT_THAT(each->socket->Take(),
                ElementsAre(::testing::AllOf(
                    HasSubstr(R"("event":"end")"),
                    HasSubstr(R"("match-winner":null,"match-reason":"nothing happened for too long")"))));
  }
}

// A seat that another connection has taken can still be watched.
TEST_F(ChimeraTest, WhoLostItsSeatAndWatchesHearsAsAWatcher) {
  Client alex = Connect(first_);
  Client sam = Connect(second_);
  const auto [id, token] = Begin(alex, sam);
  Ask(alex, "spectate-match", R"({"game":"tictactoe","match-id":")" + id + R"(","spectator-name":null})");
  Client again = Connect(second_);
  Return(again, id, token);
  alex.socket->Take();
  EXPECT_THAT(Ask(again, "game-action", Move(id, "[0,0]")), HasSubstr("updated"));
  EXPECT_THAT(alex.socket->Take(), ElementsAre(HasSubstr(R"("event":"update")")));
}

}  // namespace
}  // namespace openseat::chimera
