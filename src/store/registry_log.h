// RegistryLog: the stream of a cluster's registry, and this node's replica of it. Sends commands, follows the stream,
// applies what it reads, and answers. docs/cluster.md, "The registry".
//
// Three threads: one owns the replica, applies and answers; one follows the stream; one writes snapshots. Every member
// may be called from any thread; functions that are passed in run on the replica's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/loop_bill.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "base/worker.h"
#include "store/nats_link.h"
#include "store/registry_counts.h"
#include "store/registry_replica.h"

namespace openseat::store {

struct RegistryLogOptions {
  NatsLinkOptions link;
  std::string cluster = "openseat";
  // After this, a message that was not read is sent again.
  Duration answer_timeout = std::chrono::seconds(2);
  // After this, a call that is not patient fails.
  Duration write_timeout = std::chrono::seconds(10);
  // How long Open waits for the whole registry, and the destructor for calls without an answer.
  Duration open_timeout = std::chrono::seconds(30);
  Duration close_timeout = std::chrono::seconds(5);
  // How much is in the stream before a snapshot is due.
  std::size_t snapshot_bytes = std::size_t{4} << 20;
  Metrics* metrics = nullptr;  // updated here; outlives the log
};

class RegistryLog {
 public:
  // Connects, makes the stream unless it exists, and reads it up to its end. kInvalid for a name that cannot be used;
  // kIo; kUnsupported if a later version wrote there.
  static Result<std::unique_ptr<RegistryLog>> Open(RegistryLogOptions options);
  // Waits for what has no answer; what still has none fails with kClosed.
  ~RegistryLog();
  RegistryLog(const RegistryLog&) = delete;
  RegistryLog& operator=(const RegistryLog&) = delete;

  using Answer = std::function<void(RegistryReplica& replica, Result<RegistryOutcome> outcome)>;
  struct Call {
    // "": only waits until everything is applied that any node had been answered before this call.
    std::string command{};
    Billed<Answer> answer;
    bool patient = false;  // waits without end, while NATS has no majority
    Instant asked{};       // set by Submit
  };
  // Errors in addition to the command's: kTimeout, kBusy if too many wait, kTooLarge, kClosed, and what stops the log.
  // For a patient command, kTimeout means that it was done, but its result is unknown: this node learned of it from a
  // snapshot.
  void Submit(Call call);
  // Calls `look` with the replica as it is. `known` is the time before which everything is applied that any node had
  // been answered.
  void Look(std::function<void(RegistryReplica& replica, Instant known)> look);

  // As Registry::Watch; on the replica's thread.
  void Watch(std::function<void()> changed);

  // Why writing does not work, as far as this node knows.
  Result<void> Writable() const;

 private:
  // Calls that share a message, which is on its way.
  struct Flight {
    std::vector<Call> calls;  // without an answer: it has been given
    std::string body;
    std::uint64_t number = 0;
    Instant first_sent;
    Instant sent;
  };
  // A snapshot whose parts are being read: whose, and its position.
  using SnapshotKey = std::pair<std::uint64_t, std::uint64_t>;
  struct SnapshotSeen {
    std::set<std::uint64_t> parts;
    std::size_t bytes = 0;
  };

  explicit RegistryLog(RegistryLogOptions options);
  // Runs it on the replica's thread, and waits.
  void Await(const std::function<void()>& task);
  Result<void> Start();

  // --- The follower's thread ---
  void FollowerMain();
  Result<void> LoadAndFollow();
  Result<void> Load();
  void Tick();
  // Tells the other nodes where the stream ends, and finds out whether it has all that any of them has seen.
  void CompareEnd();
  // What they told.
  void OnTold(std::string_view end);

  // --- The replica's thread ---
  void Adopt(std::unique_ptr<RegistryReplica> replica, std::uint64_t position);
  void OnMessage(const NatsMessage& message);
  Result<void> Apply(const NatsMessage& message);
  // At a position that was read before.
  void OnEarlier(const NatsMessage& message);
  void StopOverwritten();
  void OnPart(const RegistryStamp& stamp, const NatsMessage& message);
  // There is a whole snapshot, the latest one.
  void NoteSnapshot(std::size_t bytes, Time written);
  void OnAnswer(std::uint64_t number, const NatsLink::Answer& answer);
  void OnTick();
  void SendNext();
  void Send();
  void WriteSnapshot();
  void FailAll(std::deque<Call>& calls, const Error& error);
  void Stop(const Error& why);  // for good
  // Why nothing is written now although NATS answers.
  std::optional<Error> Lacks() const;
  // A call waited in vain; `sent`: it may still be done.
  Error NotConfirmed(bool sent) const;
  // Says who waits for it: Open, and the destructor.
  void Progress();

  const RegistryLogOptions options_;
  Metrics own_metrics_;  // unless the options name others
  const RegistryCounts counts_;
  const std::string stream_;
  const std::string subjects_;
  const std::string write_subject_;
  const std::string snapshot_subject_;
  const std::string end_subject_;
  std::unique_ptr<NatsLink> link_;

  // The follower's.
  std::uint64_t next_ = 0;   // the position to read next; 0: load first
  bool loaded_now_ = false;  // and nothing was read since
  Instant compared_{};
  std::optional<Instant> lacks_since_;

  // The replica's thread's.
  std::unique_ptr<RegistryReplica> replica_;  // once it is loaded
  std::function<void()> changed_;
  std::uint64_t position_ = 0;  // up to here it is applied
  std::uint64_t session_ = 0;
  std::uint64_t number_ = 0;  // of the session's last message
  Instant known_{};
  std::deque<Call> waiting_;
  std::optional<Flight> flight_;
  std::optional<Error> stopped_;
  std::optional<Instant> full_;     // when NATS last had no room
  std::size_t since_snapshot_ = 0;  // bytes of commands
  std::size_t snapshot_bytes_ = 0;  // of the last one
  std::map<SnapshotKey, SnapshotSeen> snapshots_seen_;

  mutable std::mutex mutex_;
  std::condition_variable progress_;
  bool stopping_ = false;
  std::uint64_t purge_before_ = 0;
  std::uint64_t applied_ = 0;   // position_ for others
  std::uint64_t told_end_ = 0;  // where the stream ended, as far as was heard or written
  std::optional<Error> lacks_;
  bool loaded_ = false;
  bool idle_ = true;
  std::optional<Error> damage_;     // stopped_ for others
  std::optional<Error> unhealthy_;  // of the follower
  std::optional<Error> slow_;       // a message has no answer

  std::thread follower_;
  // Last: they use all of the above.
  Worker snapshots_;
  Worker engine_;
};

}  // namespace openseat::store
