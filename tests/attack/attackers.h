// Attackers: what strangers try, each once. The tests run them one by one and check what the server reports; a Horde
// (attack/horde.h) runs all of them at once. They have no expectations: being refused or cut off is an answer like any
// other. More of them, by their doors: attacks_by_requests.h, attacks_of_games.h, attacks_of_trainers.h,
// attacks_on_models.h, attacks_over_mcp.h and attacks_over_relay.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/real_server.h"

namespace openseat::tests {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// --- Schemas that take much work: to compile, to generate data for, to check data against ---

json::Value TwoPatternsThatNoTextMatches();
json::Value FiftyPatterns();
json::Value APatternAndItsNegation();
json::Value ManyLongStrings();
// Patterns that are expensive to compile: tables of states, repetitions of nothing, groups that double each other.
std::vector<json::Value> PatternsThatAreHardToCompile();
json::Value SchemaAsLargeAsItMayBe();
// Two alternatives, each of which requires so many members that the other does not have.
json::Value AlternativesWithLongLists(int members);

// Registers this many actions at once, and unregisters them again.
void RegisterActions(WireGame& game, std::size_t count);
// Has the game force one of this many names.
void ForceOneOf(WireGame& game, std::size_t count);
void UnregisterActions(WireGame& game, std::size_t count);

// --- Sessions ---

// The frame of a game's startup, and of a request for a match that another shard helps to create.
std::string StartupFrame(const std::string& game);
std::string CreateMatchFrame();
// A narration of 25 kB.
json::Object LongNarration();
// Sends `first` and this many empty frames at once, and reads to the end of the connection. Returns the close frame, or
// opcode -1.
net::TestClient::Frame FloodWithEmptyFrames(const RealServer& server, std::string_view path, const std::string& first,
                                            std::size_t empty_frames);

// Thousands of tables, of games on connections of 64 each. The connections end with this object.
class Swarm {
 public:
  Swarm(const RealServer& server, std::size_t tables);
  // The number of tables that were opened.
  const std::vector<std::string>& ids() const { return ids_; }

 private:
  std::vector<std::unique_ptr<WireClient>> connections_;
  std::vector<std::string> ids_;
};

// --- Bodies, messages and answers ---

std::string PostHead(std::string_view path, std::size_t length);
// `headers`: additional headers, each with its line break.
std::string UpgradeHead(std::string_view path, std::string_view headers = {}, std::string_view host = "127.0.0.1");
// This many bytes of an 8 MiB body.
std::unique_ptr<net::TestClient> BeginBody(const RealServer& server, std::string_view path, std::size_t bytes);
// This many bytes of an unfinished message.
std::unique_ptr<WireClient> BeginMessage(const RealServer& server, std::string_view path, std::size_t bytes);

struct Outcomes {
  std::size_t answered = 0;
  std::size_t refused = 0;  // or cut
};

// Messages that do not end, and bodies, of so many bytes: all of them at the same time, a piece of each in turn.
Outcomes SendTogether(const RealServer& server, std::size_t count, std::size_t bytes);

// Sends a ping, and reads until the server has read everything that was sent before: the opcode of its answer, 10
// (pong) or 8 (it closed the connection), or -1 if the connection ended.
int WaitUntilRead(net::TestClient& client);

// So many clients make a request each, at once, and read the beginning of its answer: their statuses, 0 if cut before.
std::vector<int> AskAndLeave(const RealServer& server, std::string_view path, std::size_t count);

// Chimera clients that ask and never read.
class GreedyReaders {
 public:
  GreedyReaders(const RealServer& server, std::size_t count);
  // How many were accepted.
  std::size_t size() const { return clients_.size(); }
  // All of them keep asking until the server has closed every connection. False if it accepts nothing for ten seconds.
  bool AskUntilCutOff();

 private:
  std::vector<std::unique_ptr<net::TestClient>> clients_;
};

// --- The disk ---

// A game that talks: contexts of this many bytes each.
void Talk(WireGame& game, std::size_t contexts, std::size_t bytes);

}  // namespace openseat::tests
