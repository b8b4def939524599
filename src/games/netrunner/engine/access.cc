// Breaching a server and accessing its cards.
#include "games/netrunner/cards/card_table.h"
#include "games/netrunner/engine/engine.h"

namespace openseat::games::netrunner {
namespace {

bool Interactive(const State& state, Inst inst) {
  return state.Def(inst).type == CardType::kAgenda;
}

CardList Unaccessed(const State& state, const CardList& cards) {
  CardList left;
  for (const Inst inst : cards) {
    if (!state.run.accessed.Contains(inst)) left.push_back(inst);
  }
  return left;
}

}  // namespace

void Engine::Resolve(BreachStep& step) {
  using enum BreachStep::Phase;
  RunState& run = s_.run;
  if (step.phase == kStart) {
    step.phase = kOffer;
    run.breaching = true;
    Log(LogKind::kBreach, Side::kRunner);
    LastLog().server = run.server;
    if (run.server == kArchivesServer) TurnArchivesFaceup();
    if (run.server == kHqServer) Emit(Event::kBreachHq, Side::kRunner);
    if (run.server == kHqServer || run.server == kRndServer) {
      run.accesses_left = static_cast<std::int8_t>(AccessLimit(s_, run.server));
    }
    return;
  }
  if (run.ended) {
    run.breaching = false;
    Pop();
    return;
  }
  if (step.phase == kOffer) {
    // A single candidate is accessed without asking: `answered` is then that option.
    const bool any = !IsCentral(run.server)          ? OfferRemote()
                     : run.server == kArchivesServer ? OfferArchives()
                                                     : OfferAccess();
    if (!any) {
      run.breaching = false;
      Pop();
      return;
    }
    step.phase = kChosen;
    return;
  }
  step.phase = kOffer;
  switch (s_.answered.text) {
    case OptionText::kCardFromHand:
      --run.accesses_left;
      Push(AccessStep{.card = RandomFromHq()});
      return;
    case OptionText::kCardFromDeck:
      --run.accesses_left;
      Push(AccessStep{.card = NextInRnd()});
      return;
    case OptionText::kEverythingElse:
      return AccessRest();
    case OptionText::kCard:
    case OptionText::kUnrezzedUpgrade:
      Push(AccessStep{.card = s_.answered.card()});
      return;
    default:
      Push(AccessStep{.card = s_.selected[0]});
  }
}

// HQ and R&D: cards from there up to the limit, and the root.
bool Engine::OfferAccess() {
  const RunState& run = s_.run;
  FixedVector<PromptOption, 64> options;
  if (run.accesses_left > 0) {
    if (run.server == kHqServer && !Unaccessed(s_, s_.corp().hand).empty())
      options.push_back(PromptOption(OptionText::kCardFromHand));
    if (run.server == kRndServer && NextInRnd() != kNoInst) options.push_back(PromptOption(OptionText::kCardFromDeck));
  }
  for (const Inst inst : Unaccessed(s_, RootOf(s_, run.server))) {
    options.push_back({s_[inst].faceup ? OptionText::kCard : OptionText::kUnrezzedUpgrade, inst});
  }
  if (options.empty()) return false;
  if (options.size() == 1) {
    s_.answered = options[0];
    return true;
  }
  Ask(PromptKind::kChoice, Side::kRunner, Message::kChooseAccess);
  s_.prompt.options = options;
  return true;
}

bool Engine::OfferArchives() {
  FixedVector<PromptOption, 64> options;
  bool rest = false;
  for (const Inst inst : Unaccessed(s_, s_.corp().discard)) {
    if (Interactive(s_, inst)) {
      options.push_back({OptionText::kCard, inst});
    } else {
      rest = true;
    }
  }
  for (const Inst inst : Unaccessed(s_, RootOf(s_, kArchivesServer))) {
    options.push_back({s_[inst].faceup ? OptionText::kCard : OptionText::kUnrezzedUpgrade, inst});
  }
  if (rest) options.push_back(PromptOption(OptionText::kEverythingElse));
  if (options.empty()) return false;
  if (options.size() == 1) {
    s_.answered = options[0];
    return true;
  }
  Ask(PromptKind::kChoice, Side::kRunner, Message::kChooseAccessInArchives);
  s_.prompt.options = options;
  return true;
}

bool Engine::OfferRemote() {
  const CardList root = Unaccessed(s_, RootOf(s_, s_.run.server));
  if (root.empty()) return false;
  if (root.size() == 1) {
    s_.answered = {OptionText::kCard, root[0]};
    return true;
  }
  AskSelect(Side::kRunner, Message::kChooseAccessInRemote, kNoInst, root, 1, 1);
  return true;
}

Inst Engine::RandomFromHq() {
  const CardList left = Unaccessed(s_, s_.corp().hand);
  return left[s_.rng.Below(left.size())];
}

Inst Engine::NextInRnd() const {
  const CardList& deck = s_.corp().deck;
  for (std::size_t i = deck.size(); i-- > 0;) {
    if (!s_.run.accessed.Contains(deck[i])) return deck[i];
  }
  return kNoInst;
}

// Cards in Archives that offer no choice.
void Engine::AccessRest() {
  for (const Inst inst : s_.corp().discard) {
    if (s_.run.accessed.Contains(inst) || Interactive(s_, inst)) continue;
    s_.run.accessed.Insert(inst);
    ++s_.run.accesses;
  }
}

void Engine::Resolve(AccessStep& step) {
  using enum AccessStep::Phase;
  RunState& run = s_.run;
  const Inst inst = step.card;
  if (step.phase == kOnAccess) {
    step.phase = kOffer;
    ++run.accesses;
    run.accessed.Insert(inst);
    run.accessing = inst;
    if (s_[inst].id == 0) FreshId(inst);
    s_[inst].known = s_[inst].zone == Zone::kHand || s_[inst].zone == Zone::kInstalled;
    step.id = s_[inst].id;
    Log(LogKind::kAccess, Side::kRunner, inst);
    LastLog().server = run.server;
    LastLog().seen_by = s_[inst].zone == Zone::kDeck ? 2 : 3;
    Emit(Event::kAccessed, Side::kRunner, inst);
    return;
  }
  const bool there = s_[inst].id == step.id;
  if (run.ended || !there || step.phase == kAccessed) {
    run.accessing = kNoInst;
    Pop();
    return;
  }
  if (step.phase == kOffer) {
    step.phase = kOffered;
    if (s_[inst].zone == Zone::kDiscard && !Interactive(s_, inst)) {
      step.phase = kAccessed;
      return;
    }
    OfferAccessChoices(inst);
    return;
  }
  if (step.phase == kPaidToTrash) {
    step.phase = kAccessed;
    Log(LogKind::kTrash, Side::kRunner, inst, s_.Def(inst).trash);
    TrashAccessed(inst);
    return;
  }
  step.phase = kAccessed;
  switch (s_.answered.text) {
    case OptionText::kPayToTrash:
      step.phase = kPaidToTrash;
      return PayCredits(Side::kRunner, s_.Def(inst).trash);
    case OptionText::kAccessAbility:
      for (std::size_t i = 0; i < s_.Def(s_.answered.card()).abilities.size(); ++i) {
        if (s_.Def(s_.answered.card()).abilities[i].use == Use::kAccess) return Use(s_.answered.card(), i);
      }
      return;
    case OptionText::kSteal:
      return Steal(inst);
    default:
      return;
  }
}

void Engine::OfferAccessChoices(Inst inst) {
  const CardDef& def = s_.Def(inst);
  const bool may_trash = !s_.run.cannot_steal_or_trash && s_[inst].zone != Zone::kDiscard;
  Ask(PromptKind::kChoice, Side::kRunner, Message::kAccessed, inst);
  if (may_trash) {
    ForEachActive(s_, Side::kRunner, [&](Inst card) {
      const std::vector<Ability>& abilities = s_.Def(card).abilities;
      for (std::size_t i = 0; i < abilities.size(); ++i) {
        if (abilities[i].use == Use::kAccess && CanUse(s_, card, i)) AddOption(OptionText::kAccessAbility, card);
      }
    });
    if (def.trash >= 0 && Spendable(s_, Side::kRunner) >= def.trash) {
      AddOption(OptionText::kPayToTrash, static_cast<std::uint8_t>(def.trash));
    }
  }
  const bool steal = def.type == CardType::kAgenda && !s_.run.cannot_steal_or_trash;
  AddOption(steal ? OptionText::kSteal : OptionText::kNoAction);
}

void Engine::Steal(Inst inst) {
  ++s_.run.stolen;
  const int points = s_.Def(inst).points;
  Log(LogKind::kSteal, Side::kRunner, inst, points);
  Move(inst, Zone::kScore, true);
  // It is in the Runner's score area, but remains the Corp's card.
  s_.corp().score.erase(s_.corp().score.IndexOf(inst));
  s_.runner().score.push_back(inst);
  Emit(Event::kStolen, Side::kRunner, inst);
}

}  // namespace openseat::games::netrunner
