// Attackers: what strangers try, each once. The tests try them one by one and look what the server says; a Horde tries
// all of them at once. None expects anything: to be refused or cut off is an answer like another.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/real_server.h"

namespace openseat::tests {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// --- Schemas that ask for much: to compile, to make data for, to check data against ---

json::Value TwoPatternsThatNoTextMatches();
json::Value FiftyPatterns();
json::Value APatternAndItsNegation();
json::Value ManyLongStrings();
// What compiling alone may take: tables of states, repetitions of nothing, groups that double one another.
std::vector<json::Value> PatternsThatAreHardToCompile();
json::Value SchemaAsLargeAsItMayBe();

// Registers so many actions at once, and unregisters them again.
void RegisterActions(WireGame& game, std::size_t count);
// Has the game force one of so many names.
void ForceOneOf(WireGame& game, std::size_t count);
void UnregisterActions(WireGame& game, std::size_t count);

// --- Sessions ---

// The frame of a game's startup, and of a request for a match that is made with another shard's help.
std::string StartupFrame(const std::string& game);
std::string CreateMatchFrame();
// Sends `first` and so many empty frames at once, and reads to the end of the connection: the close frame, or opcode
// -1.
net::TestClient::Frame FloodWithEmptyFrames(const RealServer& server, std::string_view path, const std::string& first,
                                            std::size_t empty_frames);

// Tables by the thousand, of games on connections of 64 each, which go when this does.
class Swarm {
 public:
  Swarm(const RealServer& server, std::size_t tables);
  // Of the tables that came about.
  const std::vector<std::string>& ids() const { return ids_; }

 private:
  std::vector<std::unique_ptr<WireClient>> connections_;
  std::vector<std::string> ids_;
};

// --- Bodies, messages and answers ---

std::string PostHead(std::string_view path, std::size_t length);
// `headers`: more of them, each with its line break.
std::string UpgradeHead(std::string_view path, std::string_view headers = {}, std::string_view host = "127.0.0.1");
// So much of a body of 8 MiB.
std::unique_ptr<net::TestClient> BeginBody(const RealServer& server, std::string_view path, std::size_t bytes);
// So much of a message that goes on.
std::unique_ptr<WireClient> BeginMessage(const RealServer& server, std::string_view path, std::size_t bytes);

// Chimera clients that ask and never read.
class GreedyReaders {
 public:
  GreedyReaders(const RealServer& server, std::size_t count);
  // How many were let in.
  std::size_t size() const { return clients_.size(); }
  // All ask on and on, until the server has ended the connection of each. False where it takes no more for ten seconds.
  bool AskUntilCutOff();

 private:
  std::vector<std::unique_ptr<net::TestClient>> clients_;
};

// --- The disk ---

// A game that talks: contexts of so many bytes each.
void Talk(WireGame& game, std::size_t contexts, std::size_t bytes);

// --- All of them ---

// Another process, which tries everything at once, again and again: at the lowest priority, and on the cores on which
// the caller's thread may run.
class Horde {
 public:
  // It waits for Begin. REQUIRES that the caller has no other thread yet: it forks.
  explicit Horde(const RealServer& server);
  ~Horde();  // ends it
  Horde(const Horde&) = delete;
  Horde& operator=(const Horde&) = delete;

  void Begin();
  // Whether every attacker has been through once.
  bool AllHaveTried() const;
  // "patterns 12, long strings 3, …": how often each has been through.
  std::string Text() const;

 private:
  struct Counts;
  [[noreturn]] static void Attack(const RealServer& server, int begin, Counts& counts);

  Counts* const counts_;  // shared with the process
  int begin_ = -1;        // the end of a pipe that it reads
  pid_t pid_ = -1;
};

}  // namespace openseat::tests
