// Values derived from a state: active abilities, strengths, costs, memory, hand sizes, conditions and amounts.
// They are never stored, so they cannot disagree with the board.
#pragma once

#include "games/netrunner/cards/card_def.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

// The context of a condition or an amount.
struct Context {
  Inst source = kNoInst;
  Inst it = kNoInst;  // the event's card
  Event event = Event::kNone;
  Side side = Side::kCorp;  // the event's
  int n = 0;                // the event's number
  int noted = 0;
  Inst target = kNoInst;  // the first
};

// Calls `visit` with every card whose static and triggered abilities are active: identities, rezzed Corp cards,
// installed Runner cards, agendas that the Corp scored, the card being played.
template <typename Visit>
void ForEachActive(const State& state, Side side, Visit visit) {
  const PlayerState& player = state.Of(side);
  visit(player.identity);
  for (const Inst inst : player.installed) {
    if (state[inst].faceup) visit(inst);
  }
  if (side == Side::kCorp) {
    for (const Inst inst : player.score) visit(inst);
  }
  for (const Inst inst : player.play) visit(inst);
}

bool Holds(const State& state, const Condition& condition, const Context& context);
bool AllHold(const State& state, const Conditions& conditions, const Context& context);
int Evaluate(const State& state, const Amount& amount, const Context& context);

// The sum of a modifier over the side's active cards and lingering effects.
int Total(const State& state, Modifier modifier, Side side);
bool Lingers(const State& state, Modifier modifier);

int Strength(const State& state, Inst inst);
int InstallCost(const State& state, Inst inst);  // of a Runner card
int RezCost(const State& state, Inst inst);
int MemoryLimit(const State& state);
int MemoryUsed(const State& state);
int MaxHandSize(const State& state, Side side);
int Points(const State& state, Side side);
int AccessLimit(const State& state, Server server);  // from HQ or R&D, in the current breach
// What the side can pay with now, including hosted credits.
int Spendable(const State& state, Side side);
// The installed card or event whose credits may be spent in this run; kNoInst if none.
Inst SpendableCard(const State& state);

bool IsIce(const State& state, Inst inst);
bool CanBeAdvanced(const State& state, Inst inst);
// The ice of a server, from the innermost outwards.
CardList IceOn(const State& state, Server server);
int IceCount(const State& state, Server server);
CardList RootOf(const State& state, Server server);
bool ServerExists(const State& state, Server server);
// Whether the Runner is in an encounter.
bool Encountering(const State& state);

// Whether a Runner card in hand or deck can be installed and paid for now.
bool CanInstallRunner(const State& state, Inst inst);
// Whether a Corp card can be installed there (kNewRemote counts as a server) and paid for, after trashing ice.
bool CanInstallCorp(const State& state, Inst inst, Server server);
// The cards of the open prompt, by their public numbers: in the order of the deck they came from they would tell of it.
FixedVector<Inst, kMaxCards> CandidatesByNumber(const State& state);
CardList Candidates(const State& state, const Filter& filter, Side side);

}  // namespace openseat::games::netrunner
