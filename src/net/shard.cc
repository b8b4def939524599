#include "net/shard.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <span>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/log.h"
#include "base/loop_bill.h"
#include "base/secure_random.h"
#include "net/shard_impl.h"

namespace openseat::net {
namespace {

thread_local const ShardImpl* current_shard = nullptr;

// A buffer that has grown beyond this is freed rather than kept.
constexpr std::size_t kKeptBufferBytes = 64u << 10;
constexpr std::size_t kKeptBuffers = 64;

// Turns longer than this are counted,
constexpr auto kStall = std::chrono::milliseconds(1);
// longer than this give the sockets a chance before their next task,
constexpr auto kLongTurn = std::chrono::milliseconds(5);
// and longer than this cause a warning.
constexpr auto kLongStall = std::chrono::milliseconds(50);
// What was posted waits for the sockets no longer than this, plus a turn; what is posted together is cheaper.
constexpr auto kMailWaits = std::chrono::milliseconds(1);
// What takes less is not charged: looking who is to wait would take longer.
constexpr auto kCharged = std::chrono::microseconds(100);
// What was posted is charged from here on: a move of a large game may take one.
constexpr auto kLongMail = std::chrono::milliseconds(2);
// What was posted goes before what is deferred, which waits no longer than this for it.
constexpr auto kDeferredWaits = std::chrono::milliseconds(10);
// Then some of it is read, for a sixteenth of the time since, within these bounds.
constexpr int kDeferredShare = 16;
constexpr auto kLeastDeferred = std::chrono::milliseconds(1);
constexpr auto kMostDeferred = std::chrono::milliseconds(20);
constexpr auto kBetweenWarnings = std::chrono::seconds(1);

// Reading the clock takes as long as a small task. If many tasks wait, it is read once for this many; but after a group
// took long it is read for each of the next ones, so that a task that takes long again is named.
constexpr std::size_t kMany = 16;
constexpr std::size_t kTasksALook = 4;
constexpr std::size_t kWatchedLooks = 10'000;

}  // namespace

// One thread runs the loop and all its sockets, so Asio need not lock per descriptor; posting from other threads stays
// safe under this hint.
ShardImpl::ShardImpl(std::size_t index, Worker& worker, FairTime& fair_time, Stalls stalls)
    : index_(index),
      worker_(worker),
      fair_time_(fair_time),
      stalls_(stalls),
      io_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      timer_(io_),
      read_buffer_(std::make_unique_for_overwrite<char[]>(kReadBufferSize)),
      clients_(std::make_unique<ConnectionRegistry>(*this, WebSocketTimes{})) {}

ShardImpl::~ShardImpl() {
  Clear();
}

bool ShardImpl::IsCurrent() const {
  return current_shard == this;
}

void ShardImpl::Run() {
  current_shard = this;
  running_ = true;
  const auto keep_running = asio::make_work_guard(io_);
  io_.run();
  running_ = false;
  current_shard = nullptr;
}

void ShardImpl::RequestStop() {
  io_.stop();
}

void ShardImpl::Clear() {
  clients_->CutAll("the program is stopping");
  unflushed_.clear();
  flushing_.clear();
  next_flush_ = 0;
  // A task that is being destroyed may post or set timers once more.
  for (;;) {
    std::exchange(deferred_, {}).clear();
    std::vector<BilledTask> dying;
    {
      const std::lock_guard lock(mutex_);
      dying.swap(mailbox_);
      wake_sent_ = true;  // nothing drains any more
    }
    if (dying.empty() && timers_.empty() && batch_.empty() && deferred_.empty()) break;
    dying.clear();
    std::exchange(batch_, {}).clear();
    next_ = 0;
    timers_.Clear();
  }
}

void ShardImpl::Post(Task task) {
  BilledTask mail(std::move(task));
  {
    const std::lock_guard lock(mutex_);
    mailbox_.push_back(std::move(mail));
    has_mail_.store(true, std::memory_order_relaxed);
    if (std::exchange(wake_sent_, true)) return;
  }
  asio::post(io_, [this] { Drain(); });
}

void ShardImpl::Drain() {
  RunMail(kLongTurn);
  {
    const std::lock_guard lock(mutex_);
    wake_sent_ = next_ < batch_.size() || !mailbox_.empty();
    if (!wake_sent_) return;
  }
  // The sockets' turn; then the rest, before what was posted since. Only one Drain is ever posted, so that they have
  // theirs between any two.
  asio::post(io_, [this] { Drain(); });
}

void ShardImpl::RunMail(Span share) {
  if (next_ == batch_.size()) {
    batch_.clear();
    next_ = 0;
    const std::lock_guard lock(mutex_);
    batch_.swap(mailbox_);
    has_mail_.store(false, std::memory_order_relaxed);
  }
  running_mail_ = true;
  mail_waited_ = Span(0);
  {
    Turn turn(*this);
    flush_coming_ = true;
    const bool many = batch_.size() - next_ >= kMany;
    bool looked = true;  // at the clock, after the task before
    while (next_ < batch_.size()) {
      BilledTask mail = std::move(batch_[next_++]);
      const auto begun = turn.last();
      const Span cpu = CpuBefore(begun);
      charged_ = Span(0);
      mail();
      const bool look = !many || watched_ > 0 || next_ % kTasksALook == 0 || next_ == batch_.size();
      // Otherwise it is not known how long this one took.
      const bool alone = std::exchange(looked, look);
      if (!look) continue;
      const Span lasted = turn.TaskDone();
      Span took = turn.last() - begun - charged_;
      if (mail.payer() != nullptr && alone && took >= kLongMail) {
        took = std::min(took, CpuTime() - cpu - charged_);
        if (took >= kLongMail) mail.payer()->Spend(fair_time(), took, turn.last());
      }
      if (lasted >= share) break;
    }
    FlushAll(turn);
  }
  running_mail_ = false;
}

ShardImpl::Turn::~Turn() {
  const Span took = this->took();
  if (took >= kStall) {
    TaskDone();
    shard_.NoteStall(took, std::min(took, CpuTime() - shard_.turn_cpu_), suspect_);
  }
  if (shard_.running_mail_) return;
  const bool waits = shard_.next_ < shard_.batch_.size() || shard_.has_mail_.load(std::memory_order_relaxed);
  shard_.mail_waited_ = waits ? shard_.mail_waited_ + took : Span(0);
  if (shard_.mail_waited_ >= kMailWaits) shard_.RunMail(std::min<Span>(shard_.mail_waited_, kLongTurn));
}

ShardImpl::Charge::~Charge() {
  Span took = Clock::now() - start_;
  shard_.charged_ += took;
  if (took < kCharged && share_->remembered() < kCharged) {
    share_->SpendLittle();
    return;
  }
  // How long the thread ran, not how long it took by the clock: other threads may have had the core.
  if (took >= kCharged) took = std::min(took, CpuTime() - cpu_);
  share_->Spend(shard_.fair_time(), took, start_);
}

ShardImpl::Span ShardImpl::CpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

ShardImpl::Span ShardImpl::Turn::TaskDone() {
  const Clock::time_point now = Clock::now();
  const Span took = now - last_;
  last_ = now;
  if (took >= kStall) shard_.watched_ = kWatchedLooks;
  if (took >= kStall && took > longest_) {
    longest_ = took;
    suspect_ = WorkNote::Get();
  }
  if (shard_.watched_ > 0) --shard_.watched_;
  WorkNote::Clear();
  return now - start_;
}

void ShardImpl::NoteStall(Span took, Span ran, std::string_view table) {
  using Seconds = std::chrono::duration<double>;
  if (stalls_.took != nullptr) stalls_.took->Observe(Seconds(took).count());
  if (stalls_.ran != nullptr) stalls_.ran->Observe(Seconds(ran).count());
  if (took < kLongStall) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_warned_ < kBetweenWarnings) {
    ++unsaid_stalls_;
    return;
  }
  last_warned_ = now;
  using std::chrono::duration_cast, std::chrono::milliseconds;
  log::Warn("shard {} was blocked for {} ms, of which it worked for {} ms{}{}", index_,
            duration_cast<milliseconds>(took).count(), duration_cast<milliseconds>(ran).count(),
            table.empty() ? std::string(": no table is known as the cause")
                          : ", mostly because of the table " + std::string(table),
            unsaid_stalls_ == 0 ? std::string()
                                : " (and " + std::to_string(unsaid_stalls_) + " times since the last warning)");
  unsaid_stalls_ = 0;
}

TimerId ShardImpl::After(Duration delay, Task task) {
  CheckThread();
  const Instant deadline = clock_.Monotonic() + std::max(delay, Duration(0));
  const TimerId timer = timers_.Add(deadline, std::move(task));
  // A canceled timer leaves the wake-up armed: an unnecessary wake-up is cheaper than two system calls per round trip.
  if (!armed_ || deadline < *armed_) ArmTimer();
  return timer;
}

bool ShardImpl::Cancel(TimerId timer) {
  CheckThread();
  return timers_.Cancel(timer);
}

void ShardImpl::ArmTimer() {
  armed_ = timers_.next();
  timer_.expires_at(*armed_);
  timer_.async_wait([this](IoError error) {
    if (error) return;
    Turn turn(*this);
    RunTimers(turn);
  });
}

void ShardImpl::RunTimers(Turn& turn) {
  armed_.reset();
  const Instant now = clock_.Monotonic();
  const std::uint64_t mark = timers_.mark();
  flush_coming_ = true;
  while (Task task = timers_.PopDue(now, mark)) {
    task();
    if (turn.TaskDone() >= kLongTurn) break;
  }
  FlushAll(turn);
  if (!timers_.empty() && (!armed_ || timers_.next() < *armed_)) ArmTimer();
}

void ShardImpl::Defer(LoopSharePtr share, Task read) {
  CheckThread();
  if (deferred_.empty()) last_deferred_ = std::chrono::steady_clock::now();
  const DeferredKey key(share->used(), ++last_number_);
  deferred_.emplace(key, Deferred{std::move(share), std::move(read)});
  RunDeferredSoon();
}

void ShardImpl::RunDeferredSoon() {
  if (std::exchange(deferred_coming_, true)) return;
  asio::post(io_, [this] {
    deferred_coming_ = false;
    RunDeferred();
    if (!deferred_.empty()) RunDeferredSoon();
  });
}

void ShardImpl::RunDeferred() {
  const auto begun = std::chrono::steady_clock::now();
  const bool mail = next_ < batch_.size() || has_mail_.load(std::memory_order_relaxed);
  if (mail && begun - last_deferred_ < kDeferredWaits) return;
  // With the mail that runs in between.
  const Span share = std::clamp<Span>((begun - last_deferred_) / kDeferredShare, kLeastDeferred, kMostDeferred);
  while (!deferred_.empty()) {
    RunOneDeferred();
    last_deferred_ = std::chrono::steady_clock::now();
    if (last_deferred_ - begun >= share) break;
  }
}

void ShardImpl::RunOneDeferred() {
  auto next = deferred_.extract(deferred_.begin());
  // If others of the same share were served meanwhile, this one goes back in the queue.
  for (Span used; (used = next.mapped().share->used()) > next.key().first;
       next = deferred_.extract(deferred_.begin())) {
    next.key().first = used;
    deferred_.insert(std::move(next));
  }
  const std::int64_t used = next.key().first.count();
  std::int64_t time = fair_time_.load(std::memory_order_relaxed);
  while (time < used && !fair_time_.compare_exchange_weak(time, used, std::memory_order_relaxed)) {
  }
  const Turn turn(*this);
  const Charge charge(*this, std::move(next.mapped().share));
  Task read = std::move(next.mapped().read);
  read();
}

std::string ShardImpl::BorrowBuffer() {
  if (buffers_.empty()) return {};
  std::string buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void ShardImpl::ReturnBuffer(std::string buffer) {
  if (buffer.capacity() > kKeptBufferBytes || buffers_.size() >= kKeptBuffers) return;
  buffer.clear();
  buffers_.push_back(std::move(buffer));
}

std::unique_ptr<MessageDecoder> ShardImpl::BorrowDecoder() {
  if (decoders_.empty()) return std::make_unique<MessageDecoder>();
  auto decoder = std::move(decoders_.back());
  decoders_.pop_back();
  return decoder;
}

void ShardImpl::ReturnDecoder(std::unique_ptr<MessageDecoder> decoder) {
  if (decoder->reusable() && decoders_.size() < kKeptBuffers) decoders_.push_back(std::move(decoder));
}

void ShardImpl::FlushLater(std::shared_ptr<Connection> connection) {
  unflushed_.push_back(std::move(connection));
  if (!flush_coming_) FlushSoon();
}

void ShardImpl::FlushAll(const Turn& turn) {
  // What a flush (such as the session of a closed connection) causes others to send comes behind.
  const auto left = [this] { return next_flush_ < flushing_.size() || !unflushed_.empty(); };
  for (bool more = left(); more;) {
    if (next_flush_ == flushing_.size()) {
      flushing_.clear();
      next_flush_ = 0;
      flushing_.swap(unflushed_);
    }
    const std::shared_ptr<Connection> connection = std::move(flushing_[next_flush_++]);
    connection->Flush();
    more = left();
    // Tasks that take little time may leave much to send, such as a story to each of its spectators.
    if (more && turn.SinceTask() >= kLongTurn) return FlushSoon();
  }
  flush_coming_ = false;
}

void ShardImpl::FlushSoon() {
  flush_coming_ = true;
  if (std::exchange(flush_posted_, true)) return;
  asio::post(io_, [this] {
    flush_posted_ = false;
    const Turn turn(*this);
    FlushAll(turn);
  });
}

Result<std::shared_ptr<TlsContext>> ShardImpl::ClientTls() {
  if (client_tls_ == nullptr) {
    auto made = TlsContext::ForClients();
    if (!made) return made;
    client_tls_ = std::move(*made);
  }
  return client_tls_;
}

std::uint32_t ShardImpl::NextMask() {
  if (masks_.empty()) {
    masks_.resize(1024);
    SecureRandom(std::as_writable_bytes(std::span(masks_)));
  }
  const std::uint32_t mask = masks_.back();
  masks_.pop_back();
  return mask;
}

struct Shards::Impl {
  Worker worker;
  ShardImpl::FairTime fair_time = 0;
  std::vector<std::unique_ptr<ShardImpl>> shards;
  std::vector<std::thread> threads;
  bool started = false;
  std::atomic<bool> running = false;
  std::atomic<bool> first_here = false;  // RunFirstHere is running and will join

  void StartFrom(std::size_t first) {
    OPENSEAT_CHECK(!started, "shards are started once");
    started = true;
    running = true;
    for (std::size_t i = first; i < shards.size(); ++i)
      threads.emplace_back([shard = shards[i].get()] { shard->Run(); });
  }

  // Joins every thread but the caller's own, and clears what is left if the caller is none of the shards' threads.
  void Join() {
    bool inside = false;
    for (const auto& shard : shards) inside = inside || shard->IsCurrent();
    if (inside) return;
    for (std::thread& thread : threads) {
      if (thread.joinable()) thread.join();
    }
    worker.Stop();
    for (const auto& shard : shards) shard->Clear();
  }
};

Shards::Shards(std::size_t count, Metrics* metrics) : impl_(std::make_unique<Impl>()) {
  ShardImpl::Stalls stalls;
  if (metrics != nullptr) {
    const std::vector<double> bounds = {0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
    stalls.took = &metrics->AddHistogram("openseat_loop_stall_seconds",
                                         "Turns of an event loop that took more than a millisecond: meanwhile nothing "
                                         "else on that shard was served.",
                                         bounds);
    stalls.ran = &metrics->AddHistogram("openseat_loop_stall_cpu_seconds",
                                        "Processor time of these turns, up to a millisecond too much: without what "
                                        "they waited for a core or a disk.",
                                        bounds);
  }
  if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < count; ++i)
    impl_->shards.push_back(std::make_unique<ShardImpl>(i, impl_->worker, impl_->fair_time, stalls));
}

Shards::~Shards() {
  Stop();
}

std::size_t Shards::size() const {
  return impl_->shards.size();
}
Shard& Shards::at(std::size_t index) {
  return *impl_->shards.at(index);
}

bool Shards::running() const {
  return impl_->running;
}

void Shards::Start() {
  impl_->StartFrom(0);
}

void Shards::Stop() {
  impl_->running = false;
  for (const auto& shard : impl_->shards) shard->RequestStop();
  if (!impl_->first_here) impl_->Join();
}

void Shards::CloseClients(Duration grace, Task done) {
  struct Left {
    std::size_t shards;
    Task done;
  };
  const auto left = std::make_shared<Left>(Left{size(), std::move(done)});  // touched only on shard 0
  for (const auto& shard : impl_->shards) {
    shard->Post([this, shard = shard.get(), grace, left] {
      shard->clients().BeginShutdown();
      shard->clients().CutAfter(grace);
      shard->clients().WhenEmpty([this, left] {
        at(0).Post([left] {
          if (--left->shards == 0) left->done();
        });
      });
    });
  }
}

void Shards::RunFirstHere() {
  impl_->first_here = true;
  impl_->StartFrom(1);
  // A stop that came before this call stands: a stopped io_context does not run.
  impl_->shards.front()->Run();
  impl_->Join();
  impl_->first_here = false;
}

}  // namespace openseat::net
