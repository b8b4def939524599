// What strangers try as games: Neuro games, players of Chimera, narrators, voices. Each function makes one round of an
// attack, of the size that the caller wants, and tells what came back; none has expectations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attack/attackers.h"

namespace openseat::tests {

// --- Neuro games ---

// JSON that takes a parser very long for its size.
std::vector<std::string> NeuroTextsOfNothingButValues();
// An array of nothing but numbers of about 1 MiB.
std::string ListOfNumbers();
// Broken JSON that takes long to repair.
std::vector<std::string> TextsThatAreHardToRepair();
// 4 MB of JSON, to be sent within a text.
std::string TextThatIsLargeJson();
// Registers 50 actions whose patterns take 2 MB each once they are compiled.
void RegisterPatternsThatTakeMuchMemory(WireGame& game);

// Registers 500 actions of 850 KB in all, nearly each byte of which is written as six; their names.
json::Array RegisterLongActions(WireGame& game);

// Games "`name` 0" and so on, each with a force of 3.9 MB that it does not answer for.
std::vector<std::unique_ptr<WireGame>> SendLargeForces(const RealServer& server, const std::string& name,
                                                       std::size_t count);
// Games that do not say what became of their action, and send four contexts of 2 MB each. Ends at the first that gets
// no action.
std::vector<std::unique_ptr<WireGame>> SendContextsThatWait(const RealServer& server, const std::string& name,
                                                            std::size_t count);

// Part of a message, then nothing; until the server closes the connection. The close frame, or opcode -1.
net::TestClient::Frame SendByDrips(const RealServer& server, std::string_view path);

// --- Stories ---

struct SpectatorsSaw {
  std::size_t spectators = 0;  // how many were let in
  std::size_t turns = 0;       // how many the narrator told, 14 of them before anybody watched
};
// A narrator who tells a story of the greatest length to a random player, and many who watch it.
SpectatorsSaw WatchALongStory(const RealServer& server, std::size_t spectators, std::size_t turns);

// The same of a story that strangers made.
SpectatorsSaw WatchAStoryOfStrangers(const RealServer& server, std::size_t spectators, int turns);

// A narrator and a player of one story, both strangers.
class Storytellers {
 public:
  explicit Storytellers(const RealServer& server);

  // Whether the story began.
  bool Ready() const { return !token_.empty(); }
  // Whether the server refused them something.
  bool refused() const { return refused_; }
  // Its name, with the invitation if it has one.
  const std::string& match() const { return match_; }
  // An action of the narrator; the answer.
  json::Value Narrate(json::Object narration);
  // Narrates 9,900 names that nobody has heard of, in each of three members; the answers.
  std::vector<std::string> NarrateThousandsOfNames(std::size_t round);
  // This many turns of 30 KB, each of which the player answers. False if one is not taken.
  bool TellLongTurns(int turns);
  // Somebody takes the player's seat once more, by its token; the answer.
  json::Value TakeTheSeatAgain() const;
  // The narrator gives up; without that, the story rests.
  void End();
  static json::Object ShortNarration();

 private:
  const RealServer& server_;
  WireClient narrator_;
  WireClient player_;
  std::string match_;
  std::string token_;  // of the player's seat
  int told_ = 0;       // by TellLongTurns
  bool refused_ = false;
};

// Makes a match with options of 40 KB, as somebody elsewhere, and gives it up. False if it is refused.
bool GiveUpALargeMatch(WireClient& client);

// --- Voice ---

inline constexpr std::string_view kVoicePath = "/game/A/voice";

std::string VoiceText(std::string_view text);
// A frame of so many samples.
std::string Spoken(std::uint16_t speaker, std::size_t samples);
// Connects and registers a speaker; the answer to its start, "" if there is none.
std::string BeginVoice(net::TestClient& game);
// A frame that is too large, and one that grows without an end: the close frames.
std::vector<net::TestClient::Frame> SpeakTooMuch(const RealServer& server);
// What is neither audio nor a command.
void SpeakNonsense(net::TestClient& game);

}  // namespace openseat::tests
