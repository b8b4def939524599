#include "protocols/mcp/reads.h"

#include <atomic>
#include <utility>

#include "base/budget.h"
#include "protocols/mcp/protocol.h"

namespace openseat::mcp {

std::size_t Reads::SizeOf(const Table& table) {
  return table.SightOf(Viewer::Spectator())->observation_text().size();
}

std::size_t Reads::SizeOf(const Table& table, const SeatView& view) {
  return SizeOf(table) + (view.game == nullptr ? WrittenBytes(view.actions(), kLong) : 0);
}

std::string Reads::OwnerOf(const Call& call) {
  return AddressKey(call.caller().from);
}

std::shared_ptr<void> Reads::Enter(const CallPtr& call) {
  std::shared_ptr<void> place = Place(*call);
  if (place == nullptr) {
    static_cast<void>(RefuseFor(call->payer().get(), Limit::kMcpReads, kMostOfOne));
    call->Refuse({code::kInternalError, "the server is busy: one address may have " + std::to_string(kMostOfOne) +
                                            " transcripts and large states read at once, and all together " +
                                            std::to_string(kMost) + "; try again when one is answered"});
  }
  return place;
}

void Reads::Answer(const CallPtr& call, std::size_t bytes, std::function<json::Object()> make) {
  if (!call->open()) return;
  if (bytes <= kLong) return call->Answer(make());
  std::shared_ptr<void> place = Enter(call);
  if (place == nullptr) return;
  Elsewhere(call, std::move(place), [make = std::move(make)](const Call& reading) -> Finish {
    return [message = reading.Write(make())](Call& read) mutable { read.AnswerWritten(std::move(message)); };
  });
}

void Reads::Elsewhere(const CallPtr& call, std::shared_ptr<void> place, std::function<Finish(const Call& call)> work) {
  const auto gone = std::make_shared<std::atomic<bool>>(false);
  call->OnCancelled([gone] { *gone = true; });
  // Calls live on the server's scheduler, and are destroyed there.
  home_.OffloadFor(OwnerOf(*call), [&home = home_, kept = CallPtr(call), gone, place = std::move(place),
                                    work = std::move(work)]() mutable {
    Finish finish = *gone ? Finish() : work(*kept);
    home.Post([kept = std::move(kept), finish = std::move(finish), place = std::move(place)] {
      if (finish) finish(*kept);
    });
  });
}

}  // namespace openseat::mcp
