#include "match/game_list.h"

namespace openseat {

GameList::GameList(std::span<const Game* const> games) {
  for (const Game* game : games) entries_.push_back({game, true});
}

std::vector<const Game*> GameList::Offered() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Game*> offered;
  for (const Entry& entry : entries_) {
    if (entry.offered) offered.push_back(entry.game);
  }
  return offered;
}

GameList::Entry* GameList::EntryOf(std::string_view id) {
  for (Entry& entry : entries_) {
    if (entry.game->info().id == id) return &entry;
  }
  return nullptr;
}

GameList::Entry GameList::Copy(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.game->info().id == id) return entry;
  }
  return {};
}

const Game* GameList::FindOffered(std::string_view id) const {
  const Entry found = Copy(id);
  return found.offered ? found.game : nullptr;
}

const Game* GameList::Find(std::string_view id) const {
  return Copy(id).game;
}

void GameList::Offer(const Game& game) {
  const std::lock_guard lock(mutex_);
  if (Entry* entry = EntryOf(game.info().id)) {
    *entry = {&game, true};
  } else {
    entries_.push_back({&game, true});
  }
}

void GameList::Withdraw(std::string_view id, const Game* game) {
  const std::lock_guard lock(mutex_);
  if (Entry* entry = EntryOf(id)) {
    entry->offered = false;
  } else if (game != nullptr) {
    entries_.push_back({game, false});
  }
}

}  // namespace openseat
