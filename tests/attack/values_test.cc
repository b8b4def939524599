// Messages that are short to send and slow to parse: only numbers, brackets, or bytes that are not text. Other players
// do not wait while they are parsed, because they are refused unparsed.
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_of_games.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class ValuesAttack : public Attack {
 protected:
  net::TestClient::Answer Post(const std::string& path, const std::string& body) {
    net::TestClient client(server().port());
    return client.Request(PostHead(path, body.size()) + body);
  }
  void ExpectPeace() {
    ExpectUnnoticed(20);
    ExpectNoStall();
    ExpectMemoryBelow(250 * kMiB);
  }
};

TEST_F(ValuesAttack, NeuroMessagesOfNothingButValues) {
  Start();
  const std::vector<std::string> texts = NeuroTextsOfNothingButValues();
  WireGame game(server(), "Attacker");
  game.Register("go", nullptr);
  game.Force("go");
  game.Accept(game.NextAction());
  const std::size_t rounds = Scaled(2);
  for (std::size_t i = 0; i < rounds; ++i) {
    for (const std::string& text : texts) game.client().Send(text);
  }
  game.Force("go");
  EXPECT_EQ(game.NextAction().at("name"), json::Value("go")) << "the connection is as before";
  const std::string diagnostics = DiagnosticsOf("Attacker");
  EXPECT_THAT(diagnostics, HasSubstr("the limit max_message_values is reached: 100000 values"));
  EXPECT_THAT(diagnostics, HasSubstr("bytes is not repaired"));
  EXPECT_EQ(server().Metric(R"(openseat_refused_total{budget="max_message_values"})"),
            static_cast<double>(rounds * (texts.size() - 1)));
  ExpectPeace();
}

TEST_F(ValuesAttack, TheLimitIsASetting) {
  StartAlone("[limits.loopback]\nmax_message_values = 20\n");
  WireGame game(server(), "Attacker");
  game.Send("context", json::Object{{"message", "m"}, {"more", json::Array(30)}});
  game.Register("go", nullptr);
  game.Force("go");
  EXPECT_EQ(game.NextAction().at("name"), json::Value("go"));
  EXPECT_THAT(DiagnosticsOf("Attacker"), HasSubstr("the limit max_message_values is reached: 20 values"));
}

TEST_F(ValuesAttack, RequestsOfNothingButValues) {
  Start();
  const std::string list = ListOfNumbers();
  WireClient eve(server());
  for (std::size_t i = 0; i < Scaled(5); ++i) {
    eve.Send(R"({"type":"request","id":1,"operation":"list-games","params":{"more":)" + list + "}}");
    EXPECT_THAT(json::Write(eve.Next()), HasSubstr("at most 10000 values"));
    const auto match = Post("/api/v1/matches", R"({"game":"tictactoe","options":)" + list + "}");
    EXPECT_EQ(match.status, 413);
    EXPECT_THAT(match.body, HasSubstr("at most 20000 values"));
    const auto story = Post("/api/games", R"({"scenario":)" + list + "}");
    EXPECT_GE(story.status, 400);
    EXPECT_THAT(story.body, HasSubstr("at most 20000 values"));
    const auto call = Post("/mcp", R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"more":)" + list + "}}");
    EXPECT_EQ(call.status, 400);
    EXPECT_THAT(call.body, HasSubstr("at most 20000 values"));
  }
  ExpectPeace();
}

}  // namespace
}  // namespace openseat::tests
