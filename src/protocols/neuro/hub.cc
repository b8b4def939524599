#include "protocols/neuro/hub.h"

#include <iterator>
#include <limits>
#include <utility>

#include "base/secure_random.h"

namespace openseat::neuro {
namespace {}  // namespace

TableId MakeTableId(std::string_view game) {
  constexpr std::size_t kMaxSlug = 32;
  std::string slug;
  for (const char c : game) {
    if (slug.size() == kMaxSlug) break;
    if (c >= 'A' && c <= 'Z') {
      slug += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  if (slug.empty()) slug = "game";
  return TableId(slug + "-" + SecureToken(6));
}

TablePlace Hub::Take(Waiting::iterator waiting) {
  TablePlace place{waiting->second, nullptr, std::get<1>(waiting->first), false};
  waiting_.erase(waiting);
  Entry& entry = entries_.at(place.id);
  entry.released = 0;
  place.home = entry.home;
  return place;
}

void Hub::Claim(Scheduler& asker, std::string game, std::string owner, Claimed claimed) {
  scheduler_.Post([this, &asker, game = std::move(game), owner = std::move(owner), claimed = std::move(claimed)] {
    TablePlace place;
    // The one that lost its connection last is the most likely one.
    const auto after = waiting_.upper_bound({owner, game, std::numeric_limits<std::uint64_t>::max()});
    const auto last = after == waiting_.begin() ? waiting_.end() : std::prev(after);
    if (last != waiting_.end() && std::get<0>(last->first) == owner && std::get<1>(last->first) == game) {
      place = Take(last);
    } else {
      int draws = 0;
      do {
        place = {MakeTableId(game), &asker, game, true, owner};
        // A node of a cluster that has no part of it now plays on without a record.
      } while ((!journal_.Owns(place.id) && ++draws < kNameDraws) ||
               !entries_.try_emplace(place.id, Entry{&asker, game, owner}).second);
    }
    asker.Post([claimed, place = std::move(place)] { claimed(place); });
  });
}

void Hub::ClaimSilent(Scheduler& asker, std::string owner, Claimed claimed) {
  scheduler_.Post([this, &asker, owner = std::move(owner), claimed = std::move(claimed)] {
    const auto is_owners = [&](Waiting::iterator waiting) {
      return waiting != waiting_.end() && std::get<0>(waiting->first) == owner;
    };
    const auto first = waiting_.lower_bound({owner, "", 0});
    std::optional<TablePlace> place;
    if (is_owners(first) && !is_owners(std::next(first))) place = Take(first);
    asker.Post([claimed, place = std::move(place)] { claimed(place); });
  });
}

void Hub::Release(TableId id) {
  scheduler_.Post([this, id = std::move(id)] {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.released != 0) return;
    Entry& entry = found->second;
    entry.released = ++releases_;
    if (!entry.owner.empty()) waiting_.emplace(Place{entry.owner, entry.game, entry.released}, id);
  });
}

void Hub::Forget(Scheduler& asker, TableId id, std::function<void()> forgotten) {
  scheduler_.Post([this, &asker, id = std::move(id), forgotten = std::move(forgotten)] {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.released == 0) return;
    const Entry& entry = found->second;
    waiting_.erase({entry.owner, entry.game, entry.released});
    entries_.erase(found);
    asker.Post([forgotten] { forgotten(); });
  });
}

}  // namespace openseat::neuro
