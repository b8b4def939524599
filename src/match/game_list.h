// GameList: the games that a server offers, and those that it offers no longer, whose matches go on. Games are added
// and withdrawn while the server runs: scripts (docs/scripts.md). Any thread.
#pragma once

#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "core/game.h"

namespace openseat {

class GameList {
 public:
  // All games outlive the list.
  explicit GameList(std::span<const Game* const> games);

  // Those that are offered, in the order in which people are shown them.
  std::vector<const Game*> Offered() const;
  // nullptr if no game with that id is offered.
  const Game* FindOffered(std::string_view id) const;
  // The same, for matches that exist: also a game that was withdrawn.
  const Game* Find(std::string_view id) const;

  // From now on this game is the one of its id, for new matches; another one keeps its place.
  void Offer(const Game& game);
  // No new matches of the game of this id; `game`, if it is not null, is known, as the game of its id, for old ones.
  void Withdraw(std::string_view id, const Game* game = nullptr);

 private:
  struct Entry {
    const Game* game = nullptr;
    bool offered = false;
  };
  // REQUIRES the lock.
  Entry* EntryOf(std::string_view id);
  Entry Copy(std::string_view id) const;

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace openseat
