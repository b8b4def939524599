// Decks: the teaching decks, what makes a deck legal, and random legal decks for testing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "games/netrunner/card_def.h"

namespace openseat::games::netrunner {

struct Deck {
  CardId identity = kNoCard;
  std::vector<CardId> cards;  // the top first, where the order counts

  bool operator==(const Deck&) const = default;
};

enum class TeachingDeck : std::uint8_t { kBeginnerCorp, kBeginnerRunner, kIntermediateCorp, kIntermediateRunner };
Deck MakeTeachingDeck(TeachingDeck which);

struct DeckFault {
  std::string message;
  CardId card = kNoCard;  // what it is about, where it is one card
};

// Everything that keeps the deck from being played with: side, identity, size, copies, influence and agenda points. The
// identities of the teaching decks are not for decks of one's own.
std::vector<DeckFault> DeckFaults(const Deck& deck, Side side);
// kInvalid with the first of them.
Result<void> ValidateDeck(const Deck& deck, Side side);

// A legal deck of a random identity of the side, of the smallest size.
Deck RandomDeck(Side side, Rng& rng);

// A random card that the deck may still have by its identity, of one of `types` (bits 1 << CardType): within the copies,
// the influence and the most agenda points of a deck of `size` cards, as long as there is such a card, else within the
// copies.
CardId RandomCardFor(const Deck& deck, std::uint16_t types, std::size_t size, Rng& rng);

// The agenda points that a Corp deck of so many cards needs, at least and at most.
struct PointsRange {
  int least;
  int most;
};
PointsRange AgendaPointsFor(std::size_t cards);

}  // namespace openseat::games::netrunner
