#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/netrunner/netrunner.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "protocols/openenv/choices.h"
#include "protocols/openenv/codec.h"
#include "schema/schema.h"

namespace openseat::openenv {
namespace {

using ::testing::HasSubstr;

TEST(Catalog, IdsOfFiniteGamesStayBelowItsSize) {
  std::vector<std::unique_ptr<Game>> games;
  games.push_back(games::MakeTicTacToe());
  games.push_back(games::MakeConnectM());
  games.push_back(games::MakeRockPaperScissors());
  games.push_back(games::MakeChicken());
  for (const auto& game : games) {
    const std::size_t size = CatalogOf(game->info());
    ASSERT_GT(size, 0) << game->info().id;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Rng rng(seed);
      auto state = game->NewGame(nullptr, seed, {"a", "b"});
      ASSERT_TRUE(state);
      for (int turn = 0; turn < 300 && !(*state)->Awaited().empty(); ++turn) {
        const SeatIndex seat = (*state)->Awaited().First();
        const std::vector<LegalChoice> choices = OfferedTo(**state, seat);
        ASSERT_FALSE(choices.empty());
        for (const LegalChoice& choice : choices) EXPECT_LT(choice.move, size) << game->info().id;
        (*state)->ApplyMove(seat, choices[rng.Below(choices.size())].move);
      }
    }
  }
  EXPECT_EQ(CatalogOf(games::MakeNetrunner()->info()), 0) << "too many moves for a mask";
}

TEST(OpenEnvCodec, SaysWhatIsWrong) {
  const auto code = [](std::string_view text) {
    const auto request = DecodeRequest(text, {});
    return request ? std::string("none") : std::string(CodeName(request.error().code));
  };
  EXPECT_EQ(code("{"), "INVALID_JSON");
  EXPECT_EQ(code("[]"), "SESSION_ERROR");
  EXPECT_EQ(code(R"({"type":"jump"})"), "UNKNOWN_TYPE");
  EXPECT_EQ(code(R"({"type":"step"})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type":"step","data":[1]})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type":"step","data":{"choice":1,"seat":"X"}})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type":"state","more":1})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type":"reset_many","data":{"count":0}})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type":"reset_many","data":{"count":2,"seeds":[1]}})"), "VALIDATION_ERROR");
  EXPECT_EQ(code(R"({"type": "reset", "data": {}})"), "none");
  EXPECT_EQ(code(R"({"type": "reset"})"), "none");
  EXPECT_EQ(code(R"({"type": "step", "data": {"choice": 3}})"), "none");
  const auto wrong = DecodeRequest(R"({"type":"step","data":{"choice":1,"seat":"X"}})", {});
  EXPECT_THAT(EncodeError(wrong.error()), HasSubstr(R"("errors":[{"type":"value_error","loc":["data","seat"])"));
}

TEST(OpenEnvCodec, RpcCallsAreAnsweredWithErrors) {
  const auto code = [](std::string_view text) {
    return json::Write(AnswerRpc(*json::Parse(text)).at("error").at("code"));
  };
  EXPECT_EQ(code("{}"), "-32600");
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":"tools/list","id":1})"), "-32603");
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":"x","id":1})"), "-32601");
}

}  // namespace
}  // namespace openseat::openenv
