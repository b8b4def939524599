#include "games/netrunner/decks.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {
namespace {

struct Copies {
  int count;
  std::string_view code;
};

constexpr std::array kBeginnerCorp = {Copies{2, "30037"}, Copies{2, "30039"}, Copies{2, "30040"}, Copies{1, "30042"},
                                      Copies{2, "30045"}, Copies{2, "30046"}, Copies{2, "30047"}, Copies{2, "30064"},
                                      Copies{3, "30067"}, Copies{2, "30069"}, Copies{2, "30070"}, Copies{2, "30071"},
                                      Copies{3, "30072"}, Copies{2, "30073"}, Copies{2, "30074"}, Copies{3, "30075"}};
constexpr std::array kIntermediateCorp = {Copies{2, "30068"}, Copies{2, "30056"}, Copies{2, "30057"},
                                          Copies{1, "30065"}, Copies{1, "30058"}, Copies{2, "30054"}};
constexpr std::array kBeginnerRunner = {Copies{2, "30006"}, Copies{2, "30012"}, Copies{1, "30013"}, Copies{1, "30014"},
                                        Copies{2, "30015"}, Copies{1, "30018"}, Copies{2, "30020"}, Copies{2, "30021"},
                                        Copies{2, "30026"}, Copies{2, "30027"}, Copies{3, "30028"}, Copies{2, "30029"},
                                        Copies{3, "30030"}, Copies{2, "30032"}, Copies{2, "30033"}, Copies{1, "30034"}};
constexpr std::array kIntermediateRunner = {Copies{2, "30011"}, Copies{2, "30002"}, Copies{2, "30022"},
                                            Copies{2, "30024"}, Copies{2, "30008"}};

CardId Known(std::string_view code) {
  const std::optional<CardId> card = FindCard(code);
  OPENSEAT_CHECK(card, "the teaching decks contain known cards");
  return *card;
}

void Add(Deck& deck, std::span<const Copies> list) {
  for (const Copies& copies : list) deck.cards.insert(deck.cards.end(), copies.count, Known(copies.code));
}

bool IsNeutral(Faction faction) {
  return faction == Faction::kNeutralCorp || faction == Faction::kNeutralRunner;
}

}  // namespace

CountedDeck Counted(const Deck& deck) {
  CountedDeck counted;
  counted.identity = deck.identity;
  for (const CardId card : deck.cards) ++counted.cards[card];
  return counted;
}

Deck MakeTeachingDeck(TeachingDeck which) {
  const bool corp = which == TeachingDeck::kBeginnerCorp || which == TeachingDeck::kIntermediateCorp;
  Deck deck;
  deck.identity = Known(corp ? "30077" : "30076");
  Add(deck, corp ? std::span<const Copies>(kBeginnerCorp) : std::span<const Copies>(kBeginnerRunner));
  if (which == TeachingDeck::kIntermediateCorp) Add(deck, kIntermediateCorp);
  if (which == TeachingDeck::kIntermediateRunner) Add(deck, kIntermediateRunner);
  return deck;
}

PointsRange AgendaPointsFor(std::size_t cards) {
  const int steps = static_cast<int>(cards / 5);
  return {2 * steps + 2, 2 * steps + 3};
}

std::vector<DeckFault> DeckFaults(const CountedDeck& deck, Side side) {
  std::vector<DeckFault> faults;
  const auto fault = [&faults](std::string message, CardId card = kNoCard) {
    faults.push_back({std::move(message), card});
  };
  const CardDef& identity = CardOf(deck.identity);
  const std::string whose = side == Side::kCorp ? "the Corp's deck" : "the Runner's deck";
  if (identity.type != CardType::kIdentity || identity.side != side) {
    fault(whose + " needs an identity of that side; got " + std::string(identity.title), deck.identity);
    return faults;
  }
  const bool own = identity.influence_limit >= 0;
  if (!own) fault(std::string(identity.title) + " is for the teaching decks only", deck.identity);
  std::size_t size = 0;
  for (const auto& [card, count] : deck.cards) size += static_cast<std::size_t>(count);
  if (size < static_cast<std::size_t>(identity.min_deck) || size > kMaxDeck) {
    fault(whose + " has " + std::to_string(identity.min_deck) + " to " + std::to_string(kMaxDeck) + " cards; got " +
          std::to_string(size));
  }
  std::int64_t influence = 0;
  std::int64_t points = 0;
  for (const auto& [card, count] : deck.cards) {
    const CardDef& def = CardOf(card);
    const std::string title(def.title);
    if (def.side != side || def.type == CardType::kIdentity) {
      fault(title + " cannot be in " + whose, card);
      continue;
    }
    if (count > def.limit) {
      fault(whose + " may have " + std::to_string(def.limit) + " of " + title + "; got " + std::to_string(count), card);
    }
    points += count * def.points;
    if (def.faction == identity.faction || IsNeutral(def.faction)) continue;
    if (def.influence < 0) {
      fault(title + " can only be in a deck of its own faction", card);
    } else {
      influence += count * def.influence;
    }
  }
  if (own && influence > identity.influence_limit) {
    fault(whose + " may have " + std::to_string(identity.influence_limit) + " influence; got " +
          std::to_string(influence));
  }
  const PointsRange range = AgendaPointsFor(std::max(size, static_cast<std::size_t>(identity.min_deck)));
  if (side == Side::kCorp && (points < range.least || points > range.most)) {
    fault("a Corp deck of " + std::to_string(size) + " cards needs " + std::to_string(range.least) + " or " +
          std::to_string(range.most) + " agenda points; got " + std::to_string(points));
  }
  return faults;
}

Result<void> ValidateDeck(const Deck& deck, Side side) {
  const std::vector<DeckFault> faults = DeckFaults(Counted(deck), side);
  if (faults.empty()) return {};
  return Fail(ErrorCode::kInvalid, faults.front().message);
}

namespace {

class DeckBuilder {
 public:
  DeckBuilder(Side side, Rng& rng) : rng_(rng) {
    std::vector<CardId> identities;
    for (std::size_t i = 0; i < AllCards().size(); ++i) {
      const CardDef& def = AllCards()[i];
      if (def.side != side) continue;
      const CardId card = static_cast<CardId>(i);
      if (def.type != CardType::kIdentity) {
        pool_.push_back(card);
      } else if (def.influence_limit >= 0) {
        identities.push_back(card);
      }
    }
    deck_.identity = identities[rng_.Below(identities.size())];
  }

  Deck Build(Side side) {
    const CardDef& identity = CardOf(deck_.identity);
    const std::size_t size = static_cast<std::size_t>(identity.min_deck);
    if (side == Side::kCorp) {
      const int wanted = AgendaPointsFor(size).least;
      // Sometimes the first choices leave nothing that fits; then it starts over.
      for (int tries = 1; points_ < wanted; ++tries) {
        TryAdd(true, wanted + 1);
        if (tries % 1000 != 0) continue;
        deck_.cards.clear();
        points_ = 0;
      }
    }
    while (deck_.cards.size() < size) TryAdd(false, 0);
    return deck_;
  }

 private:
  void TryAdd(bool agendas, int most_points) {
    const CardId card = pool_[rng_.Below(pool_.size())];
    const CardDef& def = CardOf(card);
    const CardDef& identity = CardOf(deck_.identity);
    if ((def.type == CardType::kAgenda) != agendas || points_ + def.points > most_points + (agendas ? 0 : points_)) {
      return;
    }
    if (std::count(deck_.cards.begin(), deck_.cards.end(), card) >= def.limit) return;
    if (def.faction != identity.faction && !IsNeutral(def.faction)) {
      if (def.influence < 0 || influence_ + def.influence > identity.influence_limit) return;
      influence_ += def.influence;
    }
    points_ += def.points;
    deck_.cards.push_back(card);
  }

  Rng& rng_;
  std::vector<CardId> pool_;
  Deck deck_;
  int influence_ = 0;
  int points_ = 0;
};

}  // namespace

Deck RandomDeck(Side side, Rng& rng) {
  return DeckBuilder(side, rng).Build(side);
}

CardId RandomCardFor(const Deck& deck, std::uint16_t types, std::size_t size, Rng& rng) {
  const CardDef& identity = CardOf(deck.identity);
  const auto foreign = [&](const CardDef& def) { return def.faction != identity.faction && !IsNeutral(def.faction); };
  std::map<CardId, int> copies;
  int influence = 0;
  int points = 0;
  for (const CardId card : deck.cards) {
    ++copies[card];
    const CardDef& def = CardOf(card);
    if (foreign(def)) influence += std::max(def.influence, 0);
    points += def.points;
  }
  const int most = AgendaPointsFor(std::max(size, static_cast<std::size_t>(identity.min_deck))).most;
  // The identities of the teaching decks set no limit.
  const auto too_foreign = [&](const CardDef& def) {
    return identity.influence_limit >= 0 && foreign(def) &&
           (def.influence < 0 || influence + def.influence > identity.influence_limit);
  };
  std::vector<CardId> legal;
  std::vector<CardId> within_copies;
  std::vector<CardId> any;
  for (std::size_t i = 0; i < AllCards().size(); ++i) {
    const CardId card = static_cast<CardId>(i);
    const CardDef& def = AllCards()[i];
    if (def.side != identity.side || (types & TypeBit(def.type)) == 0) continue;
    any.push_back(card);
    const auto held = copies.find(card);
    if (held != copies.end() && held->second >= def.limit) continue;
    within_copies.push_back(card);
    if (too_foreign(def) || (def.points > 0 && points + def.points > most)) continue;
    legal.push_back(card);
  }
  const std::vector<CardId>& from = !legal.empty() ? legal : !within_copies.empty() ? within_copies : any;
  return from[rng.Below(from.size())];
}

}  // namespace openseat::games::netrunner
