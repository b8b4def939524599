// ShardImpl: the event loop behind a Shard, and what the connections of one shard share: the read buffer, pools of
// outgoing buffers and frame decoders, and the list of connections with something to write. Internal.
//
// Everything but Post, IsCurrent and index is called on the shard's thread, or while no shard runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/loop_bill.h"
#include "base/loop_share.h"
#include "base/metrics.h"
#include "base/work_note.h"
#include "base/worker.h"
#include "net/connection.h"
#include "net/io.h"
#include "net/shard.h"
#include "net/timer_queue.h"
#include "net/tls.h"
#include "net/websocket_codec.h"

namespace openseat::net {

class ShardImpl final : public Shard {
 public:
  // The fair time (LoopShare) of all shards.
  using FairTime = std::atomic<std::int64_t>;

  // Where turns of more than a millisecond are counted; null: nowhere.
  struct Stalls {
    Histogram* took = nullptr;  // by the clock
    Histogram* ran = nullptr;   // by the processor time of the thread, or up to kCpuAge more
  };

  // `worker` and `fair_time` outlive it.
  ShardImpl(std::size_t index, Worker& worker, FairTime& fair_time, Stalls stalls);
  ~ShardImpl() override;

  using Span = std::chrono::steady_clock::duration;

  // One turn of the loop, from when it calls us until we return to it: new events wait that long. Every function that
  // Asio calls makes one. If posted tasks have waited for a millisecond of turns, it ends with some of them, for as
  // long: what somebody has begun goes on before all other sockets have had their turns.
  class Turn {
   public:
    explicit Turn(ShardImpl& shard) : shard_(shard), start_(Clock::now()), last_(start_) {
      WorkNote::Clear();
      shard.turn_cpu_ = shard.CpuBefore(start_);
    }
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // A task of the turn is done, or several since the last call. Returns how long the turn has lasted.
    Span TaskDone();
    // When TaskDone was called last, or else the start.
    std::chrono::steady_clock::time_point last() const { return last_; }
    Span took() const { return Clock::now() - start_; }
    Span SinceTask() const { return Clock::now() - last_; }

   private:
    using Clock = std::chrono::steady_clock;

    ShardImpl& shard_;
    const Clock::time_point start_;
    Clock::time_point last_;  // for TaskDone
    Span longest_{0};
    std::string suspect_;  // the note of the longest one, if it took long
  };

  // Charges what is done until its end to a share, and what is posted or offloaded meanwhile as well (LoopBill).
  class Charge {
   public:
    Charge(ShardImpl& shard, LoopSharePtr share)
        : shard_(shard), share_(std::move(share)), bill_(share_), start_(Clock::now()), cpu_(shard.CpuBefore(start_)) {}
    ~Charge();
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

   private:
    using Clock = std::chrono::steady_clock;

    ShardImpl& shard_;
    const LoopSharePtr share_;
    const LoopBill bill_;
    const Clock::time_point start_;
    const Span cpu_;  // CpuBefore the start
  };
  // What somebody sent is read at once, and charged to them. If that usually takes long, or what comes of it, Defer has
  // it read later: after the turns of all sockets, one at a time, those who have used least first.
  static bool MustWait(const LoopShare& share) { return share.IsLong(); }
  void Defer(LoopSharePtr share, Task read);

  const Clock& clock() const override { return clock_; }
  void Post(Task task) override;
  void OffloadFor(std::string_view owner, Task work) override { worker_.Post(std::move(work), owner); }
  TimerId After(Duration delay, Task task) override;
  bool Cancel(TimerId timer) override;
  std::size_t index() const override { return index_; }
  bool IsCurrent() const override;

  IoContext& io() { return io_; }
  // Aborts if another thread touches what only the loop's thread may touch, instead of letting it corrupt memory.
  void CheckThread() const {
    OPENSEAT_CHECK(IsCurrent() || !running_.load(std::memory_order_relaxed),
                   "only Post may be called from other threads");
  }
  // Runs the loop on this thread until RequestStop.
  void Run();
  void RequestStop();  // any thread
  // Destroys the remaining tasks and connections. REQUIRES that nothing runs.
  void Clear();

  // One buffer for the connection that is reading at the moment.
  char* read_buffer() { return read_buffer_.get(); }
  static constexpr std::size_t kReadBufferSize = 64u << 10;

  // Outgoing buffers, lent to connections while they have something to send.
  std::string BorrowBuffer();
  void ReturnBuffer(std::string buffer);
  // Frame decoders, lent to connections while they are in the middle of a frame or message.
  std::unique_ptr<MessageDecoder> BorrowDecoder();
  void ReturnDecoder(std::unique_ptr<MessageDecoder> decoder);

  // Has `connection` flushed at the end of this loop turn or, if many have much to send, in one of the next.
  void FlushLater(std::shared_ptr<Connection> connection);

  // Connections that this process opened (those it accepted belong to their server).
  ConnectionRegistry& clients() { return *clients_; }
  // For wss:// connections; read from the system's authorities once.
  Result<std::shared_ptr<TlsContext>> ClientTls();
  // 32 unpredictable random bits: the masking key of a client's frame.
  std::uint32_t NextMask();

 private:
  // What Post wakes.
  void Drain();
  // Runs tasks that were posted before until none is left or this time has passed.
  void RunMail(Span share);
  void RunTimers(Turn& turn);
  void ArmTimer();
  // Sends what connections have to send, until all of it is sent or this takes long: then the rest comes soon.
  void FlushAll(const Turn& turn);
  void FlushSoon();
  static Span CpuTime();  // of this thread
  // How old a reading of it may be: it is a system call. Less than what makes a turn long (LoopShare).
  static constexpr Span kCpuAge = std::chrono::microseconds(250);
  // This thread's time at `now`, the present or a moment ago, or up to kCpuAge earlier.
  Span CpuBefore(std::chrono::steady_clock::time_point now) {
    if (now - cpu_at_ >= kCpuAge) {
      cpu_ = CpuTime();
      cpu_at_ = now;
    }
    return cpu_;
  }
  void RunDeferred();
  void RunOneDeferred();
  void RunDeferredSoon();
  void NoteStall(Span took, Span ran, std::string_view table);

  // What had been used when it was entered, and its number: of one share, the first comes first.
  using DeferredKey = std::pair<Span, std::uint64_t>;
  struct Deferred {
    LoopSharePtr share;
    Task read;
  };

  Span fair_time() const { return Span(fair_time_.load(std::memory_order_relaxed)); }

  const std::size_t index_;
  Worker& worker_;
  FairTime& fair_time_;
  const Stalls stalls_;
  std::chrono::steady_clock::time_point last_warned_{};
  std::uint64_t unsaid_stalls_ = 0;  // since then
  std::size_t watched_ = 0;          // calls of TaskDone left for which each task is looked at
  std::atomic<bool> running_ = false;
  const SystemClock clock_;
  IoContext io_;

  std::mutex mutex_;
  std::vector<BilledTask> mailbox_;  // guarded by mutex_
  bool wake_sent_ = false;           // guarded by mutex_: a Drain is posted, or runs
  std::atomic<bool> has_mail_ = false;
  bool running_mail_ = false;
  Span charged_{0};                // what a task of the mail took that was charged by itself
  Span mail_waited_{0};            // how long turns have taken while mail waits
  std::vector<BilledTask> batch_;  // what RunMail is running; kept for its memory
  std::size_t next_ = 0;           // of batch_

  Span turn_cpu_{0};  // CpuBefore the present turn
  Span cpu_{0};       // the last reading
  std::chrono::steady_clock::time_point cpu_at_{};
  std::map<DeferredKey, Deferred> deferred_;  // by what had been used when it was entered
  std::chrono::steady_clock::time_point last_deferred_{};
  std::uint64_t last_number_ = 0;  // of a DeferredKey
  bool deferred_coming_ = false;

  TimerQueue timers_;
  LoopTimer timer_;
  std::optional<Instant> armed_;  // what timer_ waits for

  std::unique_ptr<char[]> read_buffer_;
  std::vector<std::string> buffers_;
  std::vector<std::unique_ptr<MessageDecoder>> decoders_;
  std::vector<std::shared_ptr<Connection>> unflushed_;
  std::vector<std::shared_ptr<Connection>> flushing_;
  std::size_t next_flush_ = 0;  // of flushing_
  bool flush_coming_ = false;   // at the end of this turn, or posted
  bool flush_posted_ = false;
  std::unique_ptr<ConnectionRegistry> clients_;
  std::vector<std::uint32_t> masks_;
  std::shared_ptr<TlsContext> client_tls_;
};

}  // namespace openseat::net
