#include "match/game_list.h"

#include <gtest/gtest.h>

#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"

namespace openseat {
namespace {

TEST(GameList, OffersAndWithdraws) {
  const auto tictactoe = games::MakeTicTacToe();
  const auto newer = games::MakeTicTacToe();
  const auto rps = games::MakeRockPaperScissors();
  const Game* const first[] = {tictactoe.get()};
  GameList list(first);
  EXPECT_EQ(list.FindOffered("tictactoe"), tictactoe.get());
  EXPECT_EQ(list.Find("chess"), nullptr);
  list.Offer(*rps);
  list.Offer(*newer);
  EXPECT_EQ(list.Offered(), (std::vector<const Game*>{newer.get(), rps.get()})) << "it keeps its place";
  list.Withdraw("tictactoe");
  EXPECT_EQ(list.FindOffered("tictactoe"), nullptr);
  EXPECT_EQ(list.Find("tictactoe"), newer.get());
  EXPECT_EQ(list.Offered(), std::vector<const Game*>{rps.get()});
  list.Offer(*newer);
  EXPECT_EQ(list.FindOffered("tictactoe"), newer.get());
}

TEST(GameList, KnowsAGameThatWasNeverOffered) {
  const auto rps = games::MakeRockPaperScissors();
  GameList list({});
  list.Withdraw("chess");
  list.Withdraw(rps->info().id, rps.get());
  EXPECT_TRUE(list.Offered().empty());
  EXPECT_EQ(list.Find(rps->info().id), rps.get());
}

}  // namespace
}  // namespace openseat
