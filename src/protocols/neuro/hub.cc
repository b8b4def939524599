#include "protocols/neuro/hub.h"

#include <algorithm>
#include <utility>

#include "base/secure_random.h"

namespace openseat::neuro {

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

void Hub::Claim(Scheduler& asker, std::string game, std::string peer, Claimed claimed) {
  scheduler_.Post([this, &asker, game = std::move(game), peer = std::move(peer), claimed = std::move(claimed)] {
    TablePlace place;
    // The one that lost its connection last is the likeliest to be meant.
    const auto waiting = std::find_if(entries_.rbegin(), entries_.rend(),
                                      [&](const Entry& entry) { return !entry.connected && entry.game == game; });
    if (waiting != entries_.rend()) {
      waiting->connected = true;
      waiting->peer = peer;
      place = {waiting->id, waiting->home, game, false};
    } else {
      place = {MakeTableId(game), &asker, game, true};
      entries_.push_back({place.id, &asker, game, peer, true});
    }
    asker.Post([claimed, place = std::move(place)] { claimed(place); });
  });
}

void Hub::ClaimSilent(Scheduler& asker, std::string peer, Claimed claimed) {
  scheduler_.Post([this, &asker, peer = std::move(peer), claimed = std::move(claimed)] {
    Entry* only = nullptr;
    std::size_t candidates = 0;
    for (Entry& entry : entries_) {
      if (entry.connected || entry.peer != peer) continue;
      only = &entry;
      ++candidates;
    }
    std::optional<TablePlace> place;
    if (candidates == 1) {
      only->connected = true;
      place = TablePlace{only->id, only->home, only->game, false};
    }
    asker.Post([claimed, place = std::move(place)] { claimed(place); });
  });
}

void Hub::Release(TableId id) {
  scheduler_.Post([this, id = std::move(id)] {
    const auto found = std::ranges::find(entries_, id, &Entry::id);
    if (found == entries_.end()) return;
    found->connected = false;
    std::rotate(found, found + 1, entries_.end());
  });
}

void Hub::Forget(Scheduler& asker, TableId id, std::function<void()> forgotten) {
  scheduler_.Post([this, &asker, id = std::move(id), forgotten = std::move(forgotten)] {
    const auto found = std::ranges::find(entries_, id, &Entry::id);
    if (found == entries_.end() || found->connected) return;
    entries_.erase(found);
    asker.Post([forgotten] { forgotten(); });
  });
}

}  // namespace openseat::neuro
