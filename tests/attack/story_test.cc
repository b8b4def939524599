// Stories told by strangers: what a narrator makes up is remembered, shown and sent with every turn.
#include <memory>
#include <string>
#include <utility>

#include "attack/attack.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class StoryAttack : public Attack {
 protected:
  // The response; what the client is told before it is skipped.
  static json::Value Answer(WireClient& client, std::string_view operation, const json::Value& params) {
    json::Value message = client.Ask(operation, params);
    while (message.is_object() && json::TextOf(message.get_object(), "type") != "response") message = client.Next();
    return message;
  }
  // Reads up to a message that contains `part`.
  static void SkipTo(WireClient& client, const std::string& part) {
    for (;;) {
      const json::Value message = client.Next();
      ASSERT_FALSE(message.is_null()) << part;
      if (json::Write(message).find(part) != std::string::npos) return;
    }
  }
  void Begin() {
    Start();
    narrator_ = std::make_unique<WireClient>(server());
    player_ = std::make_unique<WireClient>(server());
    const json::Value made = Answer(
        *narrator_, "create-match",
        json::Object{{"game", "narrative"}, {"player-name", "Teller"}, {"options", json::Object{{"turns", 200}}}});
    match_ = std::string(json::TextOf(made.at("result").get_object(), "match-id"));
    const json::Value joined = Answer(
        *player_, "join-match", json::Object{{"game", "narrative"}, {"match-id", match_}, {"player-name", "Player"}});
    token_ = std::string(json::TextOf(joined.get_object(), "token"));
    ASSERT_NE(token_, "") << json::Write(joined);
  }
  json::Value Act(WireClient& client, std::string_view action, json::Object data) {
    return Answer(client, "game-action",
                  json::Object{{"match-id", match_}, {"action", action}, {"data", std::move(data)}});
  }
  static json::Object Narration() {
    return {{"narrative", "x"},
            {"emotion", "neutral"},
            {"choices", json::Array{json::Object{{"id", "a1b2c3d4-e5f6-7890-abcd-ef1234567890"}, {"label", "Go on"}}}}};
  }

  std::unique_ptr<WireClient> narrator_;
  std::unique_ptr<WireClient> player_;
  std::string match_;
  std::string token_;  // of the player's seat
};

TEST_F(StoryAttack, ThousandsOfNamesInATurn) {
  Begin();
  for (std::size_t i = 0; i < Scaled(20); ++i) {
    json::Object names;
    for (std::size_t k = 0; k < 9'900; ++k) names[std::to_string(i * 9'900 + k)] = 1;
    for (const char* member : {"relationshipDeltas", "factionDeltas", "worldStateChanges"}) {
      json::Object narration = Narration();
      narration[member] = names;
      EXPECT_THAT(json::Write(Act(*narrator_, "narrate", narration)), HasSubstr("must stay below 65536 bytes"));
    }
  }
  EXPECT_TRUE(Act(*narrator_, "narrate", Narration()).at("result").is_object());
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(StoryAttack, ASeatOfALongStoryIsTakenAgainAndAgain) {
  Begin();
  json::Object narration = Narration();
  narration["narrative"] = std::string(10'000, 'x');
  json::Array said;
  for (int i = 0; i < 20; ++i) {
    said.push_back(json::Object{{"npcId", "npc.kiera"}, {"response", std::string(1'000, 'x')}, {"emotion", "calm"}});
  }
  narration["npcResponses"] = std::move(said);
  for (int turn = 0; turn < 30; ++turn) {
    ASSERT_TRUE(Act(*narrator_, "narrate", narration).as_object().contains("result"));
    SkipTo(*player_, "\"turn\":" + std::to_string(turn + 1) + ",\"maxTurns\"");
    player_->Send(json::Write(json::Object{
        {"type", "request"},
        {"id", "say"},
        {"operation", "game-action"},
        {"params", json::Object{{"match-id", match_}, {"action", "say"}, {"data", json::Object{{"text", "y"}}}}}}));
    SkipTo(*narrator_, "\"pending\"");
  }
  for (std::size_t i = 0; i < Scaled(200); ++i) {
    WireClient again(server());
    const json::Value back =
        Answer(again, "join-match",
               json::Object{{"game", "narrative"}, {"match-id", match_}, {"player-name", "Player"}, {"token", token_}});
    ASSERT_TRUE(back.as_object().contains("result")) << json::Write(back);
  }
  ExpectUnnoticed(20);
  ExpectNoStall();
}

}  // namespace
}  // namespace openseat::tests
