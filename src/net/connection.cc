#include "net/connection.h"

#include <algorithm>
#include <utility>

#include "net/shard_impl.h"

namespace openseat::net {

Connection::Connection(ConnectionRegistry& registry) : registry_(&registry) {
  registry.Enter(*this);
}
Connection::~Connection() {
  Leave();
}
void Connection::Leave() {
  if (registry_ != nullptr) std::exchange(registry_, nullptr)->Leave(*this);
}

ConnectionRegistry::ConnectionRegistry(ShardImpl& shard, const WebSocketTimes& times, NetMetrics* metrics,
                                       Duration shortest)
    : shard_(shard),
      times_(times),
      metrics_(metrics),
      period_(std::clamp<Duration>(shortest / 8, std::chrono::milliseconds(5), std::chrono::seconds(1))),
      now_(shard.clock().Monotonic()) {}

ConnectionRegistry::~ConnectionRegistry() {
  CutAll("the program is stopping");
}

void ConnectionRegistry::Enter(Connection& connection) {
  connection.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &connection;
  first_ = &connection;
  if (size_++ == 0) now_ = shard_.clock().Monotonic();
  if (!std::exchange(looking_, true)) {
    timer_.Set(shard_, period_, [this] { Look(); });
  }
}

void ConnectionRegistry::Leave(Connection& connection) {
  if (cursor_ == &connection) cursor_ = connection.next_;
  if (connection.previous_ != nullptr) connection.previous_->next_ = connection.next_;
  if (connection.next_ != nullptr) connection.next_->previous_ = connection.previous_;
  if (first_ == &connection) first_ = connection.next_;
  connection.previous_ = connection.next_ = nullptr;
  if (--size_ == 0 && when_empty_) shard_.Post(std::exchange(when_empty_, Task()));
}

template <typename Visit>
void ConnectionRegistry::ForEach(Visit visit) {
  cursor_ = first_;
  while (cursor_ != nullptr) {
    Connection* connection = cursor_;
    cursor_ = connection->next_;
    visit(*connection);
  }
}

void ConnectionRegistry::Look() {
  now_ = shard_.clock().Monotonic();
  ForEach([](Connection& connection) { connection.OnTick(); });
  looking_ = size_ > 0;
  if (looking_) timer_.Set(shard_, period_, [this] { Look(); });
}

void ConnectionRegistry::BeginShutdown() {
  shutting_down_ = true;
  ForEach([](Connection& connection) { connection.BeginShutdown(); });
}

void ConnectionRegistry::CutAll(std::string_view reason) {
  ForEach([reason](Connection& connection) { connection.Cut(reason); });
}

void ConnectionRegistry::AddHeld(std::vector<HeldMemory>& out) const {
  for (const Connection* each = first_; each != nullptr; each = each->next_) {
    if (each->held() > 0) out.push_back({.address = AddressOf(each->holder()), .bytes = each->held()});
  }
}

std::size_t ConnectionRegistry::CutHolders(const MemoryCuts& cuts, std::size_t most, const std::string& reason) {
  std::size_t cut = 0;
  ForEach([&](Connection& connection) {
    if (cut == most || connection.held() == 0) return;
    const auto least = cuts.find(AddressOf(connection.holder()));
    if (least == cuts.end() || connection.held() < least->second) return;
    ++cut;
    connection.CutForMemory(reason);
  });
  return cut;
}

void ConnectionRegistry::CutAfter(Duration grace) {
  grace_timer_.Set(shard_, grace, [this] { CutAll("the server was shut down"); });
}

void ConnectionRegistry::WhenEmpty(Task task) {
  if (size_ == 0) {
    task();
  } else {
    when_empty_ = std::move(task);
  }
}

}  // namespace openseat::net
