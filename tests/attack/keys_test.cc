// One API key that is used from many addresses: what it opens counts for the key, at all doors together.
#include <memory>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_of_trainers.h"
#include "attack/attacks_over_mcp.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kAddresses = 10;

class KeysAttack : public Attack {
 protected:
  double Refused(std::string_view setting) {
    return server().Metric("openseat_refused_total{budget=\"" + std::string(setting) + "\"}");
  }
};

// The answer to a request for a match that waits for another player.
std::string MakeMatch(net::TestClient& client, const std::string& session, const std::string& headers) {
  return client
      .Request(mcp::Legacy(session, "tools/call",
                           R"("name":"create_match","arguments":{"game":"tictactoe","opponents":["open"]})", headers))
      .body;
}

// What a game elsewhere gets: the close reason, or "" if it has a table.
std::string OpenTable(std::vector<std::unique_ptr<WireClient>>& games, const RealServer& server,
                      const std::string& headers) {
  const std::string name = "Game " + std::to_string(games.size());
  WireClient& game = *games.emplace_back(std::make_unique<WireClient>(server, "/", headers));
  game.Send(R"({"command":"startup","game":")" + name + "\"}");
  game.Send(R"({"command":"actions/register","game":")" + name +
            R"(","data":{"actions":[{"name":"go","description":"go"}]}})");
  game.Send(R"({"command":"actions/force","game":")" + name + R"(","data":{"query":"go","action_names":["go"]}})");
  for (;;) {
    const net::TestClient::Frame frame = game.raw().ReadFrame();
    if (frame.opcode == 8) return frame.payload.substr(2);
    if (frame.opcode == -1) return "no reason";
    if (frame.payload.find(R"("action")") != std::string::npos) return {};
  }
}

TEST_F(KeysAttack, MatchesOfOneKeyFromManyAddresses) {
  constexpr int kMost = 12;
  constexpr int kEach = 2;
  Start("[limits]\nmax_matches_per_key = " + std::to_string(kMost) + "\n");
  const std::string key = NewKey("attacker");
  const std::string other_key = NewKey("another");
  net::TestClient client(server().port());
  const std::string session = mcp::Session(client, "{}", mcp::From(1, key));
  int made = 0;
  std::string last;
  for (int i = 0; i < kAddresses * kEach; ++i) {
    last = MakeMatch(client, session, mcp::From(1 + i % kAddresses, key));
    made += last.find("max_matches_per_key") == std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(made, kMost);
  EXPECT_THAT(last, HasSubstr("he limit max_matches_per_key is reached: 12 matches that one key has open"));
  EXPECT_EQ(Refused("max_matches_per_key"), kAddresses * kEach - kMost);

  // No other door opens any more, from whatever address.
  const std::string more = mcp::From(kAddresses + 1, key);
  WireClient player(server(), "/chimera", more);
  const json::Value refused = player.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Eve"}});
  EXPECT_THAT(json::Write(refused), HasSubstr("max_matches_per_key"));
  WireClient trainer(server(), kEnvironmentPath, more);
  trainer.Send(EnvironmentMessage("reset", "{}"));
  const std::string full = json::Write(trainer.Next());
  EXPECT_THAT(full, HasSubstr("CAPACITY_REACHED"));
  EXPECT_THAT(full, HasSubstr("max_matches_per_key"));
  EXPECT_EQ(Refused("max_matches_per_address"), 0);

  // Another key of the same address is not refused.
  const std::string others = mcp::From(1, other_key);
  const std::string other_session = mcp::Session(client, "{}", others);
  EXPECT_THAT(MakeMatch(client, other_session, others), Not(HasSubstr("limit")));
  WireClient guest(server(), "/chimera", others);
  EXPECT_TRUE(guest.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Sam"}})
                  .as_object()
                  .contains("result"));
  ExpectUnnoticed(20);
}

TEST_F(KeysAttack, TablesOfOneKeyFromManyAddresses) {
  constexpr std::size_t kMost = 5;
  Start("[limits]\nmax_tables_per_key = " + std::to_string(kMost) + "\n");
  const std::string key = NewKey("attacker");
  std::vector<std::unique_ptr<WireClient>> games;
  std::size_t opened = 0;
  for (int address = 1; address <= kAddresses; ++address) {
    const std::string reason = OpenTable(games, server(), mcp::From(address, key));
    opened += reason.empty() ? 1 : 0;
    if (!reason.empty()) {
      EXPECT_THAT(reason, HasSubstr("max_tables_per_key"));
    }
  }
  EXPECT_EQ(opened, kMost);
  EXPECT_EQ(Refused("max_tables_per_key"), kAddresses - static_cast<double>(kMost));
  EXPECT_EQ(OpenTable(games, server(), mcp::From(1, NewKey("another"))), "");
  ExpectUnnoticed(20);
}

// Over Chimera, too.
TEST_F(KeysAttack, WhoseKeyItIsThatGuessesMatchesIsRecorded) {
  StartAlone();
  const std::string key = NewKey("guesser");
  WireClient client(server(), "/chimera", mcp::From(44, key));
  const json::Value answer =
      client.Ask("join-match", json::Object{{"game", "tictactoe"}, {"match-id", "no-such"}, {"player-name", "Eve"}});
  EXPECT_THAT(json::Write(answer), HasSubstr("-40102"));
  server().Stop();
  const std::string audit = ReadTextFile(data_dir() + "/audit.log");
  EXPECT_THAT(audit, HasSubstr(R"("what":"match","from":"203.0.113.44","who":"key )"));
  EXPECT_THAT(audit, Not(HasSubstr(key)));
}

}  // namespace
}  // namespace openseat::tests
