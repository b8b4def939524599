// Replayer: plays the agent's part of a recording again, to another run of the game, and compares what the game says
// with what it said then. It does no I/O: the owner of the connection hands it what comes (ReplayPort).
//
// What the agent sent is sent again, byte for byte, as soon as the game has said all that it said before it then. So a
// recorded hour takes as long as the game takes to answer. Within the messages between two of the agent's, their order
// does not count as a difference; it is only reported.
//
// One thread: the scheduler's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/scheduler.h"
#include "relay/difference.h"
#include "relay/recording.h"

namespace openseat::relay {

struct ReplayOptions {
  Duration patience = std::chrono::seconds(20);      // for a message that the recording has, and for a connection
  Duration settle = std::chrono::milliseconds(300);  // silence after which an unlike message is taken for the other
  Duration quiet = std::chrono::seconds(1);          // silence that ends the replay
  bool in_time = false;                              // at the recorded pace
  std::size_t max_differences = 10;                  // then it stops
  std::vector<IgnoreRule> ignored{};
};

struct Finding {
  enum class Kind : std::uint8_t { kChanged, kMissing, kUnexpected, kReordered, kNote } kind;
  Seq seq = 0;  // of the recorded message; 0: of no recorded one
  std::string command{};
  std::vector<Change> changes{};  // of kChanged
  std::string text{};             // a sentence, of kNote; else the message, shortened
};
// "#42 actions/force: data.query: \"Your turn\" then, \"Go\" now".
std::string FindingText(const Finding& finding);
json::Object FindingJson(const Finding& finding);

struct ReplayReport {
  std::size_t sent = 0;
  std::size_t same_bytes = 0;  // of the game's messages
  std::size_t same_json = 0;   // equal but for spelling
  std::size_t reordered = 0;   // of those
  std::size_t changed = 0;
  std::size_t missing = 0;
  std::size_t unexpected = 0;
  std::size_t not_reached = 0;  // recorded messages of the game that the replay did not come to
  std::size_t differences() const { return changed + missing + unexpected; }
  bool same() const { return differences() == 0 && not_reached == 0; }
};

class ReplayPort {
 public:
  virtual ~ReplayPort() = default;
  virtual void Send(std::string_view message) = 0;
  // Ends the connection; the game is expected to come back.
  virtual void Cut() = 0;
  virtual void Found(const Finding& finding) = 0;
  // The replay is over. Called once; nothing is called afterwards.
  virtual void Finished() = 0;
};

class Replayer {
 public:
  // All references outlive it.
  Replayer(const Recording& recording, ReplayOptions options, Scheduler& scheduler, ReplayPort& port);

  void Start();
  void OnConnected();
  void OnMessage(std::string_view message, bool binary);
  void OnClosed();
  // The replay stops here.
  void Stop();

  const ReplayReport& report() const { return report_; }
  bool finished() const { return finished_; }

 private:
  // A message of the game that the recording has, and its number among them.
  struct Expected {
    const Cue* cue;
    std::size_t number;
  };
  // What the game said, and that fits none of the expected messages before number `compared`.
  struct Unmatched {
    std::string text;
    std::size_t compared = 0;
  };

  void Advance();
  // Whether to go on with the next cue.
  bool Follow(const Cue& cue);
  bool Satisfied();  // nothing more is expected before the next cue
  void MatchAll();
  bool MatchOne(Unmatched& message);
  void Settle();  // unlike messages are taken for those that are expected
  void GiveUp();  // what is expected does not come
  void Count(const Comparison& comparison);
  void Report(const Finding& finding);
  void Wait();
  void Finish();

  const Recording& recording_;
  const ReplayOptions options_;
  Scheduler& scheduler_;
  ReplayPort& port_;
  std::size_t next_ = 0;           // the cue to follow
  std::deque<Expected> expected_;  // before next_
  std::size_t expected_numbers_ = 0;
  std::deque<Unmatched> unmatched_;
  bool connected_ = false;
  bool started_ = false;
  bool finished_ = false;
  bool paced_ = false;  // the recorded pause before next_ is over
  Instant last_;        // when the last cue was followed
  Instant progress_;    // when that was, or when something expected came
  ReplayReport report_;
  ScopedTimer patience_timer_;
  ScopedTimer settle_timer_;
  ScopedTimer pace_timer_;
};

}  // namespace openseat::relay
