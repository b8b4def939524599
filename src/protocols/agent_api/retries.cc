#include "protocols/agent_api/retries.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"

namespace openseat::agent_api {

void Retries::Once(const std::string& seat, const std::string& key, const std::string& request,
                   const std::function<void(Answered)>& act, Answered answered) {
  const std::string digest = Sha256Hex(request);
  std::optional<SeatAnswer> known;
  {
    const std::lock_guard lock(mutex_);
    auto found = seats_.find(seat);
    if (found == seats_.end()) {
      if (order_.size() >= kSeats) ForgetOldest();
      order_.push_back(seat);
      found = seats_.try_emplace(seat).first;
    }
    Entries& entries = found->second;
    const auto entry = std::ranges::find(entries, key, &Entry::key);
    if (entry == entries.end()) {
      entries.push_back({key, digest, std::nullopt, {}});
      // Not one that is in progress; a seat has few of these.
      const auto oldest = std::ranges::find_if(entries, [](const Entry& each) { return each.answer.has_value(); });
      if (entries.size() > kKeys && oldest != entries.end()) entries.erase(oldest);
    } else if (entry->request != digest) {
      known = SeatAnswer{400, {{"message", "this Idempotency-Key was used for another request"}}};
    } else if (entry->answer) {
      known = entry->answer;
    } else {
      entry->waiting.push_back(std::move(answered));
      return;
    }
  }
  if (known) return answered(*known);
  act([this, seat, key, answered = std::move(answered)](const SeatAnswer& answer) {
    answered(answer);
    Finish(seat, key, answer);
  });
}

void Retries::ForgetOldest() {
  const auto oldest = std::ranges::find_if(order_, [this](const std::string& seat) {
    return std::ranges::all_of(seats_.at(seat), [](const Entry& each) { return each.answer.has_value(); });
  });
  if (oldest == order_.end()) return;
  seats_.erase(*oldest);
  order_.erase(oldest);
}

void Retries::Finish(const std::string& seat, const std::string& key, const SeatAnswer& answer) {
  std::vector<Answered> waiting;
  {
    const std::lock_guard lock(mutex_);
    const auto found = seats_.find(seat);
    if (found == seats_.end()) return;
    const auto entry = std::ranges::find(found->second, key, &Entry::key);
    if (entry == found->second.end()) return;
    waiting.swap(entry->waiting);
    if (answer.status == 200) {
      entry->answer = answer;
    } else {
      found->second.erase(entry);
    }
  }
  for (const Answered& each : waiting) each(answer);
}

}  // namespace openseat::agent_api
