// SharedReads: what callers of a seat read that is long. It is written on a thread that serves no requests, once for
// all who ask while the seat sees the same, and kept for those who ask next.
//
// One thread: its seat's scheduler.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/scheduler.h"
#include "core/seat_view.h"

namespace openseat {

class SharedReads {
 public:
  using Text = std::shared_ptr<const std::string>;  // never null
  // On any thread.
  using Write = std::function<std::string(const SeatView& view)>;
  using Got = std::function<void(const Text& text)>;

  // Gives `got` what `write` makes of the view, now or later. `what` names it. What is kept of the latest one counts
  // for `payer`, who asks; null: for nobody. While the same is written from another view, nothing else is: then `again`
  // runs instead once that is done, so that a seat has one text of a kind written at a time, however fast it changes.
  // Both are destroyed without running if the program stops first.
  void Read(Scheduler& scheduler, const std::shared_ptr<Payer>& payer, std::string_view what, SeatView view,
            Write write, Got got, Task again);

 private:
  struct Slot;
  std::map<std::string, std::shared_ptr<Slot>, std::less<>> slots_;
};

}  // namespace openseat
