// LogEntry: one line of the game's log as data; log.h turns it into a sentence for a viewer. The state keeps the last
// kLogLength of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

enum class LogKind : std::uint8_t {
  kKeep,
  kMulligan,
  kStartTurn,  // n: credits, m: cards in hand
  kMandatoryDraw,
  kEndTurn,
  kGainCredit,  // basic action
  kDrawCard,    // basic action; n: cards
  kPurge,
  kRemoveTag,
  kTrashResource,  // card
  kPlay,           // card
  kInstall,        // card, server, hidden: facedown; host: other
  kRez,            // card, n: cost
  kRezFree,        // card
  kDerez,          // card
  kAdvance,        // card, server, hidden: facedown
  kAdvanceBy,      // likewise, n: counters placed by an effect
  kScore,          // card, n: points
  kSteal,          // card, n: points
  kRun,            // server
  kApproach,       // server, n: position, card
  kEncounter,      // card
  kBreak,          // card, n: subroutines, other: ice; cost
  kFire,           // card, n: subroutine
  kPass,           // card
  kApproachServer,
  kSuccess,  // server
  kJackOut,
  kRunEnds,      // server
  kBreach,       // server
  kAccess,       // card, server
  kTrash,        // card, n: cost; by the Runner while accessing
  kTrashed,      // card, m: TrashReason
  kUse,          // card: one of its abilities, n: which; cost
  kDrawn,        // n: cards, by an effect
  kCredits,      // n gained by an effect; negative: lost
  kDamage,       // n, m: kind
  kDamaged,      // card trashed by it
  kTags,         // n
  kDiscard,      // n cards
  kDiscarded,    // card, the Runner's
  kShuffle,      // n cards into the deck
  kToHand,       // card
  kReveal,       // card
  kSwap,         // card, other
  kRemoved,      // card, from the game
  kTakeCredits,  // card, n
  kWin,          // n: Ending
  kConcede,
  kEndRun,         // by a card's text
  kPaid,           // n: credits, because a card's text says so
  kClicks,         // n gained by an effect; negative: lost
  kVirus,          // card, n: virus counters placed
  kPlacedCredits,  // card, n: placed on it
  kUndo            // n: UndoState::What; card, server, hidden: facedown
};

// Why a card is trashed by the rules or an effect.
enum class TrashReason : std::uint8_t { kEffect, kFromHand, kUnique, kMemory, kHostGone, kReplaced, kToInstall };

struct LogEntry {
  LogKind kind = LogKind::kKeep;
  Side side = Side::kCorp;  // the acting side
  CardId card = kNoCard;
  CardId other = kNoCard;
  Server server = kNoServer;
  std::uint8_t seen_by = 3;  // bits of the sides that may know the card; 3 is everyone, including spectators
  std::uint8_t m = 0;
  bool ice = false;  // the hidden card is an ice
  std::int16_t n = 0;
  CardId by = kNoCard;      // the card whose text is being resolved
  std::uint8_t clicks = 0;  // what it cost the side, where the kind does not say it
  std::int16_t cost = 0;    // credits

  bool operator==(const LogEntry&) const = default;
};

constexpr std::size_t kLogLength = 96;

// The last lines.
struct GameLog {
  std::uint32_t count = 0;  // total number of lines
  std::array<LogEntry, kLogLength> lines{};

  void Add(const LogEntry& entry) { lines[count++ % kLogLength] = entry; }
  std::uint32_t first() const { return count > kLogLength ? count - static_cast<std::uint32_t>(kLogLength) : 0; }
  // REQUIRES first() <= number < count.
  const LogEntry& At(std::uint32_t number) const { return lines[number % kLogLength]; }
  // Those that are kept, oldest first.
  std::vector<LogEntry> Kept() const {
    std::vector<LogEntry> kept;
    for (std::uint32_t number = first(); number < count; ++number) kept.push_back(At(number));
    return kept;
  }

  bool operator==(const GameLog&) const = default;
};

}  // namespace openseat::games::netrunner
