#include "games/netrunner/sample.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/check.h"
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/decks.h"
#include "games/netrunner/engine/engine.h"
#include "games/netrunner/engine/values.h"
#include "games/netrunner/text/log.h"
#include "games/netrunner/text/prompt_text.h"
#include "games/netrunner/wire/position.h"

namespace openseat::games::netrunner {
namespace {

constexpr std::uint16_t kAgendas = TypeBit(CardType::kAgenda);
constexpr std::uint16_t kIces = TypeBit(CardType::kIce);
constexpr std::uint16_t kUpgrades = TypeBit(CardType::kUpgrade);
// What a remote server has one of.
constexpr std::uint16_t kMainCards = kAgendas | TypeBit(CardType::kAsset);
constexpr std::uint16_t kAnyType = 0xFFFF;

// An open question of the opponent depends on cards that are drawn here. It is asked again of those that were drawn,
// and where that comes to something else than this question, others are drawn.
constexpr int kDraws = 1000;

class Sampler {
 public:
  Sampler(const State& state, const std::vector<LogEntry>& log, const SampleTerms& terms, Rng& rng)
      : s_(state), log_(log), terms_(terms), viewer_(terms.viewer), rng_(rng) {}

  State Draw() {
    Forget();
    PinSources();
    ArrangeHidden();
    DrawOwnDeck();
    s_.rng = Rng(rng_.Next());
    const State before = s_;
    for (int left = kDraws; left > 0; --left) {
      s_ = before;
      DrawOpponent();
      if (AsksTheSame(before)) break;
    }
    s_.log = {};
    return Renumbered(s_);
  }

 private:
  Side opponent() const { return Other(viewer_); }

  // What no rule looks at any more, but what came before has left in the state.
  void Forget() {
    s_.answer = 0;
    s_.answered = {};
    s_.selected = {};
    if (s_.prompt.side != viewer_) s_.prompt.selected = {};
    if (!s_.run.active) s_.run.accessed = {};
  }

  // Programs under way belong to cards that everybody has seen at work.
  void PinSources() {
    const auto pin = [&](Inst inst) {
      if (inst != kNoInst) pinned_.Insert(inst);
    };
    for (const Step& step : s_.stack) {
      if (const auto* program = std::get_if<ProgramStep>(&step)) pin(program->source);
      if (const auto* breaking = std::get_if<BreakStep>(&step)) pin(breaking->card);
    }
    for (const Waiting& waiting : s_.waiting) pin(waiting.source);
    for (const Lingering& effect : s_.lingering) pin(effect.source);
    if (s_.prompt.side == viewer_) pin(s_.prompt.card);
  }

  // Whether the viewer knows which card it is.
  bool Known(Inst inst) const {
    const CardState& card = s_[inst];
    if (pinned_.Contains(inst) || CanSee(s_, inst, viewer_)) return true;
    if (viewer_ != Side::kRunner || card.side != Side::kCorp) return false;
    // A card in R&D has a number since the Runner accessed it there.
    return card.zone == Zone::kDeck ? card.id != 0 && card.id < kFirstSearchId : card.known;
  }

  // The order of what is hidden, and the numbers there, tell nothing.
  void ArrangeHidden() {
    PlayerState& player = s_.Of(opponent());
    std::ranges::stable_partition(player.hand, [&](Inst inst) { return Known(inst); });
    const auto known_end = std::ranges::find_if(player.hand, [&](Inst inst) { return !Known(inst); });
    std::sort(player.hand.begin(), known_end, [&](Inst a, Inst b) { return s_[a].id < s_[b].id; });
    std::ranges::stable_partition(player.discard, [&](Inst inst) { return CanSee(s_, inst, viewer_); });

    // Nor whether the Corp's last install is one of the cards that the Runner knew in HQ.
    if (viewer_ == Side::kRunner) {
      s_.undo.known = {};
      s_.undo.id = 0;
    }
    std::set<std::uint16_t> taken{s_.run.ice_id, s_.undo.id};
    for (const Lingering& effect : s_.lingering) taken.insert(effect.id);
    for (std::size_t i = 0; i < s_.card_count; ++i) {
      const CardState& card = s_.cards[i];
      const bool apart = card.side == opponent() && (card.zone == Zone::kHand || card.zone == Zone::kDiscard) &&
                         !Known(static_cast<Inst>(i));
      if (!apart) taken.insert(card.id);
    }
    std::uint16_t next = 1;
    for (const CardList* list : {&player.hand, &player.discard}) {
      for (const Inst inst : *list) {
        if (Known(inst)) continue;
        while (taken.contains(next)) ++next;
        s_[inst].id = next++;
      }
    }
  }

  void DrawOwnDeck() {
    CardList& deck = s_.Of(viewer_).deck;
    const bool searching = std::ranges::any_of(deck, [&](Inst inst) { return CanSee(s_, inst, viewer_); });
    if (searching) {
      // All its cards are seen, but not in their order; where the Runner has accessed some, not which.
      const bool offered = std::ranges::any_of(deck, [&](Inst inst) { return s_[inst].id >= kFirstSearchId; });
      for (const Inst inst : deck) {
        if (offered && s_[inst].id < kFirstSearchId) s_[inst].id = 0;
      }
      std::ranges::sort(deck, {}, [&](Inst inst) { return std::pair(s_[inst].card, s_[inst].id); });
      Shuffle(deck);
      return;
    }
    std::vector<CardId> cards;
    for (const Inst inst : deck) {
      if (!Known(inst)) cards.push_back(s_[inst].card);
    }
    std::ranges::sort(cards);
    Shuffle(cards);
    for (const Inst inst : deck) {
      if (Known(inst)) continue;
      s_[inst].card = cards.back();
      cards.pop_back();
    }
  }

  template <typename List>
  void Shuffle(List& list) {
    for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[rng_.Below(left)]);
  }

  // --- The opponent's cards ---

  struct Slot {
    Inst inst;
    std::uint16_t types;  // what it may be
  };

  void DrawOpponent() {
    const std::vector<Slot> board = BoardSlots();
    std::vector<Inst> rest;
    PlayerState& player = s_.Of(opponent());
    for (const CardList* list : {&player.hand, &player.discard, &player.deck}) {
      for (const Inst inst : *list) {
        const bool on_board = std::ranges::any_of(board, [&](const Slot& slot) { return slot.inst == inst; });
        if (!Known(inst) && !on_board) rest.push_back(inst);
      }
    }
    std::vector<CardId> pool = terms_.known_decks ? LeftOfDeck(board, rest) : LikelyDeck(board, rest.size());
    for (const Slot& slot : board) s_[slot.inst].card = Take(pool, slot);
    Shuffle(pool);
    for (const Inst inst : rest) {
      s_[inst].card = pool.back();
      pool.pop_back();
    }
  }

  // The places for which not every card will do, those for which the fewest do first. A server's root has upgrades, and
  // a remote one an agenda or asset.
  std::vector<Slot> BoardSlots() {
    std::vector<Slot> slots;
    for (const Step& step : s_.stack) {
      const auto* corp = std::get_if<InstallCorpStep>(&step);
      const auto* runner = std::get_if<InstallRunnerStep>(&step);
      const Inst inst = corp != nullptr ? corp->card : runner != nullptr ? runner->card : kNoInst;
      if (inst != kNoInst && !Known(inst)) slots.push_back({inst, TypeBit(s_.Def(inst).type)});
    }
    if (opponent() == Side::kRunner) return slots;
    std::vector<Slot> roots;
    for (const Inst inst : s_.corp().installed) {
      if (!Known(inst) && IsIce(s_, inst)) slots.push_back({inst, kIces});
    }
    for (Server server = kHqServer; server < s_.next_remote; ++server) {
      bool has_main = IsCentral(server);
      std::vector<Inst> hidden;
      for (const Inst inst : RootOf(s_, server)) {
        if (!Known(inst)) {
          hidden.push_back(inst);
        } else if ((TypeBit(s_.Def(inst).type) & kMainCards) != 0) {
          has_main = true;
        }
      }
      if (hidden.empty()) continue;
      // An advanced card is likelier the agenda than an upgrade in the same server.
      const Inst advanced = *std::ranges::max_element(hidden, {}, [&](Inst inst) { return s_[inst].advancement; });
      const Inst main = s_[advanced].advancement > 0 ? advanced : hidden[rng_.Below(hidden.size())];
      for (const Inst inst : hidden) {
        if (has_main || inst != main) {
          slots.push_back({inst, kUpgrades});
        } else {
          roots.push_back({inst, kMainCards | kUpgrades});
        }
      }
    }
    std::ranges::stable_sort(roots, std::greater<>(), [&](const Slot& slot) { return s_[slot.inst].advancement > 0; });
    slots.insert(slots.end(), roots.begin(), roots.end());
    return slots;
  }

  std::vector<CardId> LeftOfDeck(const std::vector<Slot>& board, const std::vector<Inst>& rest) const {
    std::vector<CardId> pool;
    for (const Slot& slot : board) pool.push_back(s_[slot.inst].card);
    for (const Inst inst : rest) pool.push_back(s_[inst].card);
    std::ranges::sort(pool);
    return pool;
  }

  // As many cards as a deck of that identity might have in addition to those that the viewer has seen.
  std::vector<CardId> LikelyDeck(const std::vector<Slot>& board, std::size_t rest) {
    Deck deck{s_[s_.Of(opponent()).identity].card, {}};
    std::size_t size = 0;
    for (std::size_t i = 0; i < s_.card_count; ++i) {
      const CardState& card = s_.cards[i];
      if (card.side != opponent() || card.zone == Zone::kIdentity) continue;
      ++size;
      if (Known(static_cast<Inst>(i))) deck.cards.push_back(card.card);
    }
    std::ranges::sort(deck.cards);
    std::vector<CardId> pool;
    const std::size_t wanted = board.size() + rest;
    const auto add = [&](CardId card) {
      if (pool.size() >= wanted) return;
      pool.push_back(card);
      deck.cards.push_back(card);
    };
    // Those that stand on the board first: they need not be in the hand or deck.
    for (const Slot& slot : board) add(RandomCardFor(deck, slot.types, size, rng_));
    for (const CardId card : NamedByLog()) {
      if (std::ranges::find(deck.cards, card) == deck.cards.end()) add(card);
    }
    if (opponent() == Side::kCorp) {
      const auto points = [&] {
        int sum = 0;
        for (const CardId card : deck.cards) sum += CardOf(card).points;
        return sum;
      };
      while (pool.size() < wanted && points() < AgendaPointsFor(size).least) {
        add(RandomCardFor(deck, kAgendas, size, rng_));
      }
    }
    const auto types = static_cast<std::uint16_t>(kAnyType & ~(kAgendas | TypeBit(CardType::kIdentity)));
    while (pool.size() < wanted) add(RandomCardFor(deck, types, size, rng_));
    std::ranges::sort(pool);
    return pool;
  }

  // The opponent's cards that the viewer has read of.
  std::set<CardId> NamedByLog() const {
    std::set<CardId> named;
    for (const LogEntry& entry : log_) {
      if (!KnowsCard(entry, viewer_)) continue;
      for (const CardId card : {entry.card, entry.other}) {
        if (card == kNoCard) continue;
        const CardDef& def = CardOf(card);
        if (def.side == opponent() && def.type != CardType::kIdentity) named.insert(card);
      }
    }
    return named;
  }

  // A card of the pool that will do there; where it has counters, one that is advanced for what it is, if there is one.
  CardId Take(std::vector<CardId>& pool, const Slot& slot) {
    std::vector<std::size_t> fits;
    std::vector<std::size_t> advanceable;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      const CardDef& def = CardOf(pool[i]);
      if ((slot.types & TypeBit(def.type)) == 0) continue;
      fits.push_back(i);
      if (def.type == CardType::kAgenda || def.advanceable) advanceable.push_back(i);
    }
    if (s_[slot.inst].advancement > 0 && !advanceable.empty()) fits = advanceable;
    OPENSEAT_CHECK(!fits.empty(), "what lies on the board is in the deck");
    const std::size_t taken = fits[rng_.Below(fits.size())];
    const CardId card = pool[taken];
    pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(taken));
    return card;
  }

  // Asks the opponent's open question again, of the cards that were drawn; whether it still is that question.
  bool AsksTheSame(const State& before) {
    if (s_.over() || s_.prompt.side == viewer_) return true;
    Engine(s_).AskAgain();
    return !s_.over() && s_.prompt.side == before.prompt.side && s_.prompt.kind == before.prompt.kind &&
           s_.prompt.message == before.prompt.message && s_.stack.size() == before.stack.size() &&
           s_.log.count == before.log.count;
  }

  State s_;
  const std::vector<LogEntry>& log_;
  const SampleTerms terms_;
  const Side viewer_;
  Rng& rng_;
  InstSet pinned_;
};

}  // namespace

State SampleState(const State& state, const std::vector<LogEntry>& log, const SampleTerms& terms, Rng& rng) {
  return Sampler(state, log, terms, rng).Draw();
}

std::vector<LogEntry> LogSeenBy(std::vector<LogEntry> log, Side viewer) {
  for (LogEntry& entry : log) {
    if (KnowsCard(entry, viewer)) continue;
    entry.card = kNoCard;
    entry.other = kNoCard;
  }
  return log;
}

}  // namespace openseat::games::netrunner
