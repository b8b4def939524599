// What playing well needs to know of a card, read from its definition once: nothing here knows a card by its title.
// Amounts that depend on the position are what one may expect of them.
#pragma once

#include <array>
#include <cstdint>

#include "games/netrunner/cards/card_def.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner::mind {

constexpr int kMostSubroutines = 4;

// What a subroutine does to the Runner when it resolves.
struct SubroutineFacts {
  float ends = 0;                            // chance that it ends the run
  std::int8_t ends_if_credits_at_most = -1;  // … or ends it if the Runner has so few; -1: not so
  int damage = 0;
  int tags = 0;
  int credits_lost = 0;
  std::int8_t pays_instead = 0;  // credits for which the Runner avoids the rest; 0: cannot
  bool trashes_program = false;  // or another installed card
  bool no_stealing = false;
  float corp_gains = 0;  // in credits
};

struct IceFacts {
  int subroutines = 0;
  std::array<SubroutineFacts, kMostSubroutines> each{};
  int tags_on_encounter = 0;  // that the Runner takes to go on
  int tags_on_rez = 0;
  bool by_clicks = false;
  bool ends = false;  // some subroutine may end the run
};

// An icebreaker, or another card that breaks.
struct BreakerFacts {
  bool breaks = false;
  std::int8_t credits = 0;  // each use
  int virus = 0;
  int at_once = 0;  // subroutines
  bool interface = false;
  bool on_host_only = false;
  bool one_shot = false;    // it is trashed for it
  SubtypeSet subtypes = 0;  // 0: any
  int boost = 0;            // strength
  bool boost_per_breaker = false;
  std::int8_t boost_credits = 0;
};

struct CardFacts {
  IceFacts ice;
  BreakerFacts breaker;
  int weakens_ice = 0;   // strength, for each virus counter
  float upkeep = 0;      // credits that it is worth over its life on the table, beyond the clicks it takes
  float hosted = 0;      // credits that come with it
  float click_gain = 0;  // credits that a click on it takes
  int trap_damage = 0;   // to a Runner who accesses it, without counters
  int trap_per_counter = 0;
  int trap_tags = 0;
  int threat_per_counter = 0;  // damage at the start of the Corp's turn
  float guards = 0;            // how much an upgrade protects its server, in credits of the Runner
  float punishes = 0;          // … and costs after a theft
  float extra_accesses = 0;
  float rez_draws = 0;  // cards that it draws when rezzed
  bool drips = false;   // it gives something when its controller's turn begins
};

const CardFacts& FactsOf(CardId card);

}  // namespace openseat::games::netrunner::mind
