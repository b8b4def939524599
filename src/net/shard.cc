#include "net/shard.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <span>
#include <thread>

#include "base/check.h"
#include "base/secure_random.h"
#include "net/shard_impl.h"

namespace openseat::net {
namespace {

thread_local const ShardImpl* current_shard = nullptr;

// A buffer that has once grown beyond this is freed rather than kept.
constexpr std::size_t kKeptBufferBytes = 64u << 10;
constexpr std::size_t kKeptBuffers = 64;
// Tasks, and timers that are due, run so long before sockets have their turn: what comes in thousands at once (a server
// of games that ends, and their tables with it) makes nobody wait for all of it.
constexpr Duration kTurn = std::chrono::milliseconds(2);
constexpr std::size_t kTasksBetweenLooks = 16;  // at the clock

}  // namespace

// One thread runs the loop and all its sockets, so that Asio need not lock per descriptor; posting from other threads
// stays safe under this hint.
ShardImpl::ShardImpl(std::size_t index)
    : index_(index),
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
  // A dying task may post or set timers once more.
  for (;;) {
    std::vector<Task> dying;
    {
      const std::lock_guard lock(mutex_);
      dying.swap(mailbox_);
      wake_sent_ = true;  // nobody comes to drain any more
    }
    std::vector<Task> rest = std::exchange(batch_, {});
    next_ = 0;
    if (dying.empty() && rest.empty() && timers_.empty()) break;
    rest.clear();
    dying.clear();
    timers_.Clear();
  }
}

void ShardImpl::Post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    mailbox_.push_back(std::move(task));
    if (std::exchange(wake_sent_, true)) return;
  }
  asio::post(io_, [this] { Drain(); });
}

void ShardImpl::Drain() {
  if (batch_.empty()) {
    const std::lock_guard lock(mutex_);
    batch_.swap(mailbox_);
  }
  flush_coming_ = true;
  const Instant end = clock_.Monotonic() + kTurn;
  while (next_ < batch_.size()) {
    std::exchange(batch_[next_++], Task())();
    if (next_ % kTasksBetweenLooks == 0 && clock_.Monotonic() >= end) break;
  }
  if (next_ == batch_.size()) {
    batch_.clear();
    next_ = 0;
  }
  FlushAll();
  {
    const std::lock_guard lock(mutex_);
    wake_sent_ = !batch_.empty() || !mailbox_.empty();
    if (!wake_sent_) return;
  }
  asio::post(io_, [this] { Drain(); });
}

TimerId ShardImpl::After(Duration delay, Task task) {
  CheckThread();
  const Instant deadline = clock_.Monotonic() + std::max(delay, Duration(0));
  const TimerId timer = timers_.Add(deadline, std::move(task));
  // A timer that is cancelled leaves the wake-up armed: a vain wake is cheaper than two system calls a round trip.
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
    if (!error) RunTimers();
  });
}

void ShardImpl::RunTimers() {
  armed_.reset();
  const Instant now = clock_.Monotonic();
  const std::uint64_t mark = timers_.mark();
  flush_coming_ = true;
  std::size_t done = 0;
  while (Task task = timers_.PopDue(now, mark)) {
    task();
    if (++done % kTasksBetweenLooks == 0 && clock_.Monotonic() >= now + kTurn) break;
  }
  FlushAll();
  if (!timers_.empty() && (!armed_ || timers_.next() < *armed_)) ArmTimer();
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
  if (std::exchange(flush_coming_, true)) return;
  asio::post(io_, [this] { FlushAll(); });
}

void ShardImpl::FlushAll() {
  // What a flush (a closed connection's session, say) makes others send goes into the next round.
  for (int round = 0; round < 4 && !unflushed_.empty(); ++round) {
    flushing_.swap(unflushed_);
    for (const auto& connection : flushing_) connection->Flush();
    flushing_.clear();
  }
  flush_coming_ = !unflushed_.empty();
  if (flush_coming_) asio::post(io_, [this] { FlushAll(); });
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
  std::vector<std::unique_ptr<ShardImpl>> shards;
  std::vector<std::thread> threads;
  bool started = false;
  std::atomic<bool> running = false;
  std::atomic<bool> first_here = false;  // RunFirstHere is at work and will join

  void StartFrom(std::size_t first) {
    OPENSEAT_CHECK(!started, "shards are started once");
    started = true;
    running = true;
    for (std::size_t i = first; i < shards.size(); ++i)
      threads.emplace_back([shard = shards[i].get()] { shard->Run(); });
  }

  // Joins every thread but the caller's own, and clears what is left where the caller is none of them.
  void Join() {
    bool inside = false;
    for (const auto& shard : shards) inside = inside || shard->IsCurrent();
    if (inside) return;
    for (std::thread& thread : threads) {
      if (thread.joinable()) thread.join();
    }
    for (const auto& shard : shards) shard->Clear();
  }
};

Shards::Shards(std::size_t count) : impl_(std::make_unique<Impl>()) {
  if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < count; ++i) impl_->shards.push_back(std::make_unique<ShardImpl>(i));
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
  const auto left = std::make_shared<Left>(Left{size(), std::move(done)});  // touched on shard 0 alone
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
