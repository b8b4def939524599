// Decks: the teaching decks, the deck-building rules, and random legal decks for testing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "games/netrunner/cards/card_def.h"

namespace openseat::games::netrunner {

struct Deck {
  CardId identity = kNoCard;
  std::vector<CardId> cards;  // the top first, if the order matters

  bool operator==(const Deck&) const = default;
};

// A deck by how many there are of each card, at least one: what judging it costs does not depend on the copies.
struct CountedDeck {
  CardId identity = kNoCard;
  std::map<CardId, std::int64_t> cards;

  bool operator==(const CountedDeck&) const = default;
};
CountedDeck Counted(const Deck& deck);

enum class TeachingDeck : std::uint8_t { kBeginnerCorp, kBeginnerRunner, kIntermediateCorp, kIntermediateRunner };
Deck MakeTeachingDeck(TeachingDeck which);

struct DeckFault {
  std::string message;
  CardId card = kNoCard;  // the card concerned, if it is a single card
};

// Everything that makes the deck illegal: side, identity, size, copies, influence and agenda points. The
// teaching decks' identities are not allowed in other decks.
std::vector<DeckFault> DeckFaults(const CountedDeck& deck, Side side);
// kInvalid with the first problem.
Result<void> ValidateDeck(const Deck& deck, Side side);

// A legal deck of minimum size, with a random identity of the side.
Deck RandomDeck(Side side, Rng& rng);

// A random card that the deck may still have by its identity, of one of `types` (bits 1 << CardType): within the
// copies, the influence and the most agenda points of a deck of `size` cards, as long as there is such a card, else
// within the copies.
CardId RandomCardFor(const Deck& deck, std::uint16_t types, std::size_t size, Rng& rng);

// The minimum and maximum agenda points for a Corp deck with so many cards.
struct PointsRange {
  int least;
  int most;
};
PointsRange AgendaPointsFor(std::size_t cards);

}  // namespace openseat::games::netrunner
