// Uploads of games by strangers and by programs: who may not, what is too much, and scripts that take all the steps
// that they get.
#include <filesystem>
#include <fstream>
#include <string>

#include "attack/attack.h"
#include "attack/attacks_by_requests.h"

namespace openseat::tests {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class GamesAttack : public OwnedAttack {};

TEST_F(GamesAttack, StrangersUploadNothing) {
  Start();
  const std::string from_elsewhere(kElsewhere);
  EXPECT_THAT(TryToUpload(server(), kElsewhere), Each(401));
  EXPECT_THAT(TryToUpload(server(), "Origin: http://evil.example\r\n"), Each(403));
  EXPECT_EQ(Ask("GET /api/v1/games", from_elsewhere + "Authorization: Bearer " + std::string(kToken) + "\r\n").status,
            200);
  ExpectUnnoticed();
}

TEST_F(GamesAttack, BodiesThatAreNoGames) {
  Start();
  const auto refused = [this](const std::string& body) { return Ask("POST /api/v1/games", {}, body).status; };
  for (const std::string& body : BodiesThatAreNoFiles()) EXPECT_EQ(refused(body), 400) << body;
  for (const std::string& body : FilesThatAreNoGames()) EXPECT_EQ(refused(body), 422) << body.substr(0, 100);
  EXPECT_NE(refused(GameFiles(std::string(3'000'000, ' '))), 201);
  ExpectUnnoticed();
}

TEST_F(GamesAttack, ManyChecksOfSlowGamesAtOnce) {
  Start();
  const auto clients = AskForChecks(server(), 12);
  while (server().Metric("openseat_game_checks_open") < 5) {
  }
  const net::TestClient::Answer refused = Ask("POST /api/v1/games/check", {}, GameFiles(SlowGame()));
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("4 checks of games that wait"));
  ExpectUnnoticed(100);
  ExpectNoStall();
}

// What came before a fork is played again, which takes as long as it took.
TEST_F(GamesAttack, ForksOfALongSlowMatch) {
  const std::string folder = data_dir() + "/scripts";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/slow.js") << LongSlowGame();
  Start({}, {"--games", folder});
  const std::string id = MakeRandomMatch(server(), "slow");
  ASSERT_NE(id, "");
  WaitUntilDone(id);
  for (const json::Value& fork : ForkLate(server(), id, 2)) {
    const std::string forked(json::TextOf(fork, "match-id"));
    ASSERT_NE(forked, "") << json::Write(fork);
    WaitUntilDone(forked);
  }
  ExpectUnnoticed(100);
  ExpectNoStall();
}

}  // namespace
}  // namespace openseat::tests
