// Reads: answers that contain much, such as the state of a long story. They are written on a thread that serves no
// requests, a few at a time. One for each process, so that its limits count everything. On the server's scheduler.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/scheduler.h"
#include "core/seat_view.h"
#include "core/table.h"
#include "protocols/mcp/call.h"
#include "protocols/mcp/places.h"

namespace openseat::mcp {

class Reads {
 public:
  // `home` is the server's scheduler, and outlives it.
  explicit Reads(Scheduler& home) : home_(home) {}

  // About how many bytes of state a viewer of the table sees: what spectators see is written once and shared. On the
  // table's scheduler.
  static std::size_t SizeOf(const Table& table);
  // The same with what the view may choose where the rules are elsewhere, as far as it matters.
  static std::size_t SizeOf(const Table& table, const SeatView& view);
  // Answers with what `make` returns, which contains about `bytes`. It runs at once if that is little, otherwise on
  // another thread, and not at all for a client that has gone. REQUIRES a call that is no task.
  void Answer(const CallPtr& call, std::size_t bytes, std::function<json::Object()> make);
  // Runs `work` on another thread, and what it returns, if anything, here; neither for a client that has gone. `place`
  // is kept until then. The same is REQUIRED.
  using Finish = std::function<void(Call& call)>;
  void Elsewhere(const CallPtr& call, std::shared_ptr<void> place, std::function<Finish(const Call& call)> work);

  // A place for a read that takes long, taken until what is returned is destroyed. Null if the caller, or everyone
  // together, has too many: then the call is refused.
  std::shared_ptr<void> Enter(const CallPtr& call);
  // The same, but the call is not refused.
  std::shared_ptr<void> Place(const Call& call) { return places_.Take(OwnerOf(call)); }
  // Whose turn it is to have something read.
  static std::string OwnerOf(const Call& call);

  static constexpr std::size_t kLong = 64u << 10;  // bytes
  static constexpr std::size_t kMost = 64;         // long reads at the same time
  static constexpr std::size_t kMostOfOne = 4;     // of one address

 private:
  Scheduler& home_;
  Places places_{kMost, kMostOfOne};
};

}  // namespace openseat::mcp
