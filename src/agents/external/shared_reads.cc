#include "agents/external/shared_reads.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop_bill.h"

namespace openseat {
namespace {

// Whether an answer from either would be the same.
bool ShowsTheSame(const SeatView& a, const SeatView& b) {
  if (a.version != b.version || a.ended != b.ended || a.sight != b.sight || a.names != b.names || a.title != b.title ||
      a.decision.has_value() != b.decision.has_value() || a.actions().all() != b.actions().all()) {
    return false;
  }
  return !a.decision || (a.decision->id == b.decision->id && a.decision->attempt == b.decision->attempt);
}

}  // namespace

// One kind of text of the seat. Outlives its SharedReads while it is written.
struct SharedReads::Slot {
  SeatView view;  // what it is written from, without what was told
  Text text;      // null while it is written, and where it is not kept
  Lease kept;     // of the bytes of both
  bool writing = false;
  std::vector<Billed<Got>> waiting;  // for the text
  std::vector<BilledTask> later;     // from another view

  void Begin(const SeatView& from) {
    writing = true;
    text = nullptr;
    kept.Release();
    view = from;
    view.told.clear();
  }
  void Done(const std::shared_ptr<Payer>& payer, const Text& written, std::size_t bytes) {
    writing = false;
    std::optional<Refusal> refused;
    if (payer != nullptr) refused = payer->Adjust(kept, Holding::kTableBytes, bytes);
    if (refused) {
      view = SeatView();
    } else {
      text = written;
    }
    for (Billed<Got>& got : std::exchange(waiting, {})) got(written);
    for (BilledTask& again : std::exchange(later, {})) again();
  }
};

void SharedReads::Read(Scheduler& scheduler, const std::shared_ptr<Payer>& payer, std::string_view what, SeatView view,
                       Write write, Got got, Task again) {
  const auto found = slots_.find(what);
  const std::shared_ptr<Slot> slot =
      found != slots_.end() ? found->second : slots_.emplace(what, std::make_shared<Slot>()).first->second;
  const bool same = (slot->writing || slot->text != nullptr) && ShowsTheSame(slot->view, view);
  if (same && !slot->writing) return got(slot->text);
  if (!same && slot->writing) return slot->later.push_back(std::move(again));
  slot->waiting.push_back(std::move(got));
  if (slot->writing) return;
  slot->Begin(view);
  scheduler.OffloadFor(AddressOf(payer.get()), [&scheduler, payer = payer, slot = slot, view = std::move(view),
                                                write = std::move(write)]() mutable {
    Text text = std::make_shared<const std::string>(write(view));
    const std::size_t bytes = text->size() + WrittenBytes(view.actions(), std::numeric_limits<std::size_t>::max());
    // Callers are forgotten on their scheduler.
    scheduler.Post([payer = std::move(payer), slot = std::move(slot), text = std::move(text), bytes] {
      slot->Done(payer, text, bytes);
    });
  });
}

}  // namespace openseat
