#include "attack/attacks_of_games.h"

#include <utility>

namespace openseat::tests {
namespace {

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string out;
  out.reserve(bytes);
  while (out.size() + piece.size() <= bytes) out += piece;
  return out;
}

// The response; what the client is told before it is skipped. Null if the connection ended.
json::Value Answer(WireClient& client, std::string_view operation, const json::Value& params) {
  json::Value message = client.Ask(operation, params);
  while (message.is_object() && json::TextOf(message, "type") != "response") message = client.Next();
  return message;
}

bool IsResult(const json::Value& answer) {
  return json::Find(answer, "result") != nullptr;
}

bool IsRefusal(const json::Value& answer) {
  return json::Find(answer, "error") != nullptr;
}

// The name of a match that was made.
std::string MatchOf(const json::Value& answer) {
  const json::Value* result = json::Find(answer, "result");
  return result == nullptr ? std::string() : std::string(json::TextOf(*result, "match-id"));
}

// Reads up to a message that contains `part`; false if the connection ends.
bool SkipTo(WireClient& client, const std::string& part) {
  for (;;) {
    const json::Value message = client.Next();
    if (message.is_null()) return false;
    if (json::Write(message).find(part) != std::string::npos) return true;
  }
}

// A narrator who tells a story of the greatest length to a random player.
class LongStory {
 public:
  explicit LongStory(const RealServer& server) : narrator_(server) {
    net::TestClient client(server.port());
    const std::string body = R"({"game":"narrative","options":{"turns":200},"seats":[{},{"agent":{"kind":"random"}}]})";
    const auto made = json::Parse(client.Request(PostHead("/api/v1/matches", body.size()) + body).body);
    match_ = json::Object{{"game", "narrative"}, {"match-id", made ? json::TextOf(*made, "match-id") : ""}};
    json::Object join = match_;
    join["player-name"] = "Narrator";
    Answer(narrator_, "join-match", join);
  }

  const json::Object& match() const { return match_; }
  // Tells one turn; false if it is refused.
  bool Tell() {
    const json::Object action{{"match-id", match_.at("match-id")}, {"action", "narrate"}, {"data", LongNarration()}};
    for (;;) {
      const json::Value answer = Answer(narrator_, "game-action", action);
      if (IsResult(answer)) return true;
      // The player has not chosen yet.
      const json::Value* error = json::Find(answer, "error");
      if (error == nullptr || error->at("code") != json::Value(-50100)) return false;
    }
  }

 private:
  WireClient narrator_;
  json::Object match_;
};

}  // namespace

// --- Neuro games ---

std::vector<std::string> NeuroTextsOfNothingButValues() {
  constexpr std::size_t kBytes = 4 * kMiB - 100;
  return {
      "[" + Repeated("1,", kBytes) + "1]",
      "[" + Repeated("{},", kBytes) + "{}]",
      "[" + Repeated("[[],{}],", kBytes) + "0]",
      Repeated("[", kBytes),
      Repeated("{},", kBytes),
      R"({"command":"context","game":"Attacker","data":{"message":"m","more":[)" + Repeated("-1e5,", kBytes) + "1]}}",
      // Not JSON, because a comma is missing, and too long to be repaired, which would take as long.
      R"({"command":"context","game":"Attacker" "data":{"message":")" + Repeated("\xFF", kBytes) + "\"}}",
  };
}

std::string ListOfNumbers() {
  return "[" + Repeated("1,", kMiB - 500) + "1]";
}

std::vector<std::string> TextsThatAreHardToRepair() {
  std::string quotes = R"({"a":)" + std::string(120, '[') + '"';
  while (quotes.size() < 240 * kKiB) quotes += R"(" q)";
  return {quotes + R"(":)", quotes + R"(\x":)",
          R"({"a":)" + std::string(120, '[') + "}" + std::string(240 * kKiB, ' ')};
}

std::string TextThatIsLargeJson() {
  return "[1" + Repeated(",1", 4'000'000) + "]";
}

void RegisterPatternsThatTakeMuchMemory(WireGame& game) {
  const std::string words = Repeated("ab|", 900);
  json::Array patterns;
  for (int i = 0; i < 20; ++i) patterns.push_back(json::Object{{"pattern", words + std::to_string(i)}});
  json::Array actions;
  for (int i = 0; i < 50; ++i) {
    actions.push_back(json::Object{
        {"name", "action " + std::to_string(i)}, {"description", ""}, {"schema", json::Object{{"anyOf", patterns}}}});
  }
  game.Send("actions/register", json::Object{{"actions", std::move(actions)}});
}

json::Array RegisterLongActions(WireGame& game) {
  constexpr int kMessages = 5;
  constexpr int kEach = 100;
  const json::Value schema = json::Object{
      {"type", "object"},
      {"properties", json::Object{{"x", json::Object{{"type", "string"}, {"title", std::string(1'700, '\x7f')}}}}},
      {"required", json::Array{"x"}}};
  json::Array names;
  for (int message = 0; message < kMessages; ++message) {
    json::Array actions;
    for (int i = 0; i < kEach; ++i) {
      const std::string name = "go_" + std::to_string(kEach * message + i);
      names.push_back(json::Value(name));
      actions.push_back(json::Object{{"name", name}, {"description", "an action of a test"}, {"schema", schema}});
    }
    game.Send("actions/register", json::Object{{"actions", std::move(actions)}});
  }
  return names;
}

std::vector<std::unique_ptr<WireGame>> SendLargeForces(const RealServer& server, const std::string& name,
                                                       std::size_t count) {
  const json::Value force = json::Object{
      {"query", "?"}, {"state", std::string(3'900'000, 'x')}, {"action_names", json::Array{json::Value("go")}}};
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t k = 0; k < count; ++k) {
    games.push_back(std::make_unique<WireGame>(server, name + " " + std::to_string(k)));
    games.back()->Register("go", nullptr);
    games.back()->Send("actions/force", force);
  }
  return games;
}

std::vector<std::unique_ptr<WireGame>> SendContextsThatWait(const RealServer& server, const std::string& name,
                                                            std::size_t count) {
  const json::Value context = json::Object{{"message", std::string(2'000'000, 'x')}, {"silent", true}};
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t k = 0; k < count; ++k) {
    auto game = std::make_unique<WireGame>(server, name + " " + std::to_string(k));
    game->Register("go", nullptr);
    game->Force("go");
    if (!game->NextAction().is_object()) break;
    for (int i = 0; i < 4; ++i) game->Send("context", context);
    games.push_back(std::move(game));
  }
  return games;
}

net::TestClient::Frame SendByDrips(const RealServer& server, std::string_view path) {
  WireClient client(server, path);
  client.raw().Send(net::ClientFrame(0x81, std::string(100, 'x')).substr(0, 20));
  for (;;) {
    net::TestClient::Frame frame = client.raw().ReadFrame();
    if (frame.opcode == 8 || frame.opcode == -1) return frame;
  }
}

// --- Stories ---

SpectatorsSaw WatchALongStory(const RealServer& server, std::size_t spectators, std::size_t turns) {
  SpectatorsSaw saw;
  LongStory story(server);
  for (int turn = 0; turn < 14; ++turn) saw.turns += story.Tell() ? 1 : 0;
  std::vector<std::unique_ptr<WireClient>> watching;
  for (std::size_t i = 0; i < spectators; ++i) {
    watching.push_back(std::make_unique<WireClient>(server));
    json::Object watch = story.match();
    watch["spectator-name"] = nullptr;
    saw.spectators += IsResult(watching.back()->Ask("spectate-match", watch)) ? 1 : 0;
  }
  for (std::size_t turn = 0; turn < turns; ++turn) saw.turns += story.Tell() ? 1 : 0;
  return saw;
}

SpectatorsSaw WatchAStoryOfStrangers(const RealServer& server, std::size_t spectators, int turns) {
  SpectatorsSaw saw;
  Storytellers story(server);
  if (!story.Ready()) return saw;
  const auto tell = [&saw, &story](int count) {
    for (int turn = 0; turn < count && story.TellLongTurns(1); ++turn) ++saw.turns;
  };
  tell(14);
  const json::Object watch{{"game", "narrative"}, {"match-id", story.match()}, {"spectator-name", nullptr}};
  std::vector<std::unique_ptr<WireClient>> watching;
  for (std::size_t i = 0; i < spectators; ++i) {
    watching.push_back(std::make_unique<WireClient>(server));
    saw.spectators += IsResult(watching.back()->Ask("spectate-match", watch)) ? 1 : 0;
  }
  tell(turns);
  story.End();
  return saw;
}

Storytellers::Storytellers(const RealServer& server) : server_(server), narrator_(server), player_(server) {
  const json::Value made =
      Answer(narrator_, "create-match",
             json::Object{{"game", "narrative"}, {"player-name", "Teller"}, {"options", json::Object{{"turns", 200}}}});
  match_ = MatchOf(made);
  refused_ = IsRefusal(made);
  if (refused_) return;
  const json::Value joined = Answer(
      player_, "join-match", json::Object{{"game", "narrative"}, {"match-id", match_}, {"player-name", "Player"}});
  token_ = std::string(json::TextOf(joined, "token"));
  refused_ = IsRefusal(joined);
}

json::Value Storytellers::Narrate(json::Object narration) {
  return Answer(narrator_, "game-action",
                json::Object{{"match-id", match_}, {"action", "narrate"}, {"data", std::move(narration)}});
}

std::vector<std::string> Storytellers::NarrateThousandsOfNames(std::size_t round) {
  json::Object names;
  for (std::size_t k = 0; k < 9'900; ++k) names[std::to_string(round * 9'900 + k)] = 1;
  std::vector<std::string> answers;
  for (const char* member : {"relationshipDeltas", "factionDeltas", "worldStateChanges"}) {
    json::Object narration = ShortNarration();
    narration[member] = names;
    answers.push_back(json::Write(Narrate(std::move(narration))));
  }
  return answers;
}

bool Storytellers::TellLongTurns(int turns) {
  json::Object narration = ShortNarration();
  narration["narrative"] = std::string(10'000, 'x');
  json::Array said;
  for (int i = 0; i < 20; ++i) {
    said.push_back(json::Object{{"npcId", "npc.kiera"}, {"response", std::string(1'000, 'x')}, {"emotion", "calm"}});
  }
  narration["npcResponses"] = std::move(said);
  const json::Object say{{"match-id", match_}, {"action", "say"}, {"data", json::Object{{"text", "y"}}}};
  for (const int last = told_ + turns; told_ < last; ++told_) {
    const json::Value narrated = Narrate(narration);
    refused_ = refused_ || IsRefusal(narrated);
    if (!IsResult(narrated)) return false;
    if (!SkipTo(player_, "\"turn\":" + std::to_string(told_ + 1) + ",\"maxTurns\"")) return false;
    player_.Send(
        json::Write(json::Object{{"type", "request"}, {"id", "say"}, {"operation", "game-action"}, {"params", say}}));
    if (!SkipTo(narrator_, "\"pending\"")) return false;
  }
  return true;
}

json::Value Storytellers::TakeTheSeatAgain() const {
  WireClient again(server_);
  return Answer(
      again, "join-match",
      json::Object{{"game", "narrative"}, {"match-id", match_}, {"player-name", "Player"}, {"token", token_}});
}

void Storytellers::End() {
  Answer(narrator_, "forfeit-match", json::Object{{"match-id", match_}});
}

json::Object Storytellers::ShortNarration() {
  return {{"narrative", "x"},
          {"emotion", "neutral"},
          {"choices", json::Array{json::Object{{"id", "a1b2c3d4-e5f6-7890-abcd-ef1234567890"}, {"label", "Go on"}}}}};
}

bool GiveUpALargeMatch(WireClient& client) {
  json::Array facts(4'900, json::Object{{"a", 0}});
  const json::Object narration{
      {"narrative", "x"},
      {"emotion", "sad"},
      {"choices", json::Array{json::Object{{"id", "00000000-0000-4000-8000-000000000001"}, {"label", "x"}}}},
      {"worldStateChanges", json::Object{{"a", std::move(facts)}}}};
  const json::Object request{
      {"game", "narrative"},
      {"player-name", "Eve"},
      {"options", json::Object{{"begun", json::Array{json::Object{{"narration", narration}}}}, {"turns", 200}}}};
  const json::Value answer = client.Ask("create-match", request);
  const json::Value* result = json::Find(answer, "result");
  if (result == nullptr) return false;
  // The answer, and that it is over.
  json::Value told = client.Ask("forfeit-match", json::Object{{"match-id", result->at("match-id")}});
  for (int missing = 2; told.is_object();) {
    if (json::TextOf(told, "type") == "response" || json::TextOf(told, "event") == "end") --missing;
    if (missing == 0) break;
    told = client.Next();
  }
  return true;
}

// --- Voice ---

std::string VoiceText(std::string_view text) {
  return net::ClientFrame(0x81, text);
}

std::string Spoken(std::uint16_t speaker, std::size_t samples) {
  std::string payload{'\x01', '\0', static_cast<char>(speaker & 0xFF), static_cast<char>(speaker >> 8)};
  for (std::size_t i = 0; i < samples; ++i) payload += std::string("\x00\x00\x00\x3E", 4);  // 0.125
  return net::ClientFrame(0x82, payload);
}

std::string BeginVoice(net::TestClient& game) {
  if (game.Request(UpgradeHead(kVoicePath)).status != 101) return "";
  game.Send(VoiceText(R"({"command":"voice/start","game":"A"})"));
  std::string answer = game.ReadFrame().payload;
  game.Send(VoiceText(R"({"command":"voice/speakers/register","data":{"speakers":[{"id":7,"name":"../Ann"}]}})"));
  return answer;
}

std::vector<net::TestClient::Frame> SpeakTooMuch(const RealServer& server) {
  std::vector<net::TestClient::Frame> ends;
  net::TestClient large(server.port());
  BeginVoice(large);
  large.Send(Spoken(7, 80'000));
  ends.push_back(large.ReadFrame());

  // One SDK never finishes its audio messages: they grow into each other.
  net::TestClient unfinished(server.port());
  BeginVoice(unfinished);
  std::string piece = Spoken(7, 960);
  piece[0] = 0x02;
  unfinished.Send(piece);
  piece[0] = 0x00;
  for (int i = 0; i < 80; ++i) unfinished.Send(piece);
  ends.push_back(unfinished.ReadFrame());
  return ends;
}

void SpeakNonsense(net::TestClient& game) {
  for (const char* text : {"", "{", "[]", R"({"command":"actions/force"})",
                           R"({"command":"voice/speakers/register","data":{"speakers":{}}})"}) {
    game.Send(VoiceText(text));
  }
  game.Send(net::ClientFrame(0x82, ""));
  game.Send(net::ClientFrame(0x82, std::string("\x02\x00\x07\x00\x00\x00\x00\x00", 8)));
  std::string many = R"({"command":"voice/speakers/register","data":{"speakers":[)";
  for (int i = 0; i < 1000; ++i) many += (i == 0 ? "" : ",") + std::string("{\"id\":") + std::to_string(i) + "}";
  game.Send(VoiceText(many + "]}}"));
}

}  // namespace openseat::tests
