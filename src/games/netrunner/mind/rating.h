// How good each choice looks to the side that is asked, in credits: a rule of thumb that looks no further than a turn
// ahead. The rollouts play by it, and search tries first what it rates highest.
#pragma once

#include <span>

#include "games/netrunner/engine/command.h"
#include "games/netrunner/mind/forecast.h"

namespace openseat::games::netrunner::mind {

// REQUIRES ratings.size() == commands.size(), and that these are all commands of the side that is asked.
void Rate(const State& state, std::span<const Command> commands, std::span<float> ratings);

// --- Parts of it ---

// What a card is worth in the hand of its side.
float HandWorth(const State& state, Inst inst);
// What an installed card of the Runner is worth to the Runner.
float RigWorth(const State& state, Inst inst, SubtypeSet covered);

class CorpRater {
 public:
  explicit CorpRater(const State& state) : s_(state), calculator_(state, Side::kCorp) {}
  float Rate(const Command& command) const;
  float InstallWorth(Inst inst, Server server) const;
  // So many counters more on that card.
  float AdvanceWorth(Inst inst, int counters, bool by_click) const;
  // What the Corp loses, on average, to a Runner who breaches that server.
  float Threat(Server server) const;
  float RezWorth(Inst inst) const;
  float RigWorthOf(Inst inst) const { return RigWorth(s_, inst, calculator_.covered()); }

 private:
  float DrawWorth() const;
  float PlayWorth(Inst inst) const;
  float AbilityWorth(Inst inst, std::size_t index) const;
  float PurgeWorth() const;
  float TrashResourceWorth() const;
  float InstallIce(Inst inst, Server server) const;
  float InstallAgenda(Inst inst, Server server) const;
  float InstallAsset(Inst inst, Server server) const;
  float InstallUpgrade(Server server, const CardFacts& facts) const;
  float RezIce(Inst inst) const;
  float RezRoot(Inst inst) const;
  // The chance that a Runner who wants to gets in, with one more ice.
  float Entering(Server server, Inst more_ice = kNoInst) const;
  Inst MainCard(Server server) const;
  Server BestRemote() const;
  float HiddenPoints() const;  // the most valuable agenda in HQ

  const State& s_;
  RunCalculator calculator_;
};

class RunnerRater {
 public:
  explicit RunnerRater(const State& state) : s_(state), calculator_(state, Side::kRunner) {}
  float Rate(const Command& command) const;
  // A run there, with more credits to spend and more accesses than usual.
  float RunWorth(Server server, float credits = 0, float accesses = 0, bool dearer_ice = false) const;
  // A run that this card is about to make.
  float RunWorthWith(Inst card, Server server) const;
  // The rest of the run.
  float GoOnWorth() const;
  float AccessWorth(Server server) const { return calculator_.AccessWorth(server, 0); }
  float CardAccessWorth(Inst inst) const { return calculator_.CardAccessWorth(inst); }
  float InstallWorth(Inst inst) const;
  SubtypeSet covered() const { return calculator_.covered(); }

 private:
  float DrawWorth() const;
  float PlayWorth(Inst inst) const;
  float AbilityWorth(Inst inst, std::size_t index) const;
  float EncounterWorth(const Command& command) const;
  float BestRun(Servers servers, float credits, float accesses, bool dearer_ice) const;
  float MoreAccesses(Inst card) const;

  const State& s_;
  RunCalculator calculator_;
};

// The answers to a prompt: an option or a card.
float RateAnswer(const State& state, const Command& command, const CorpRater* corp, const RunnerRater* runner);

}  // namespace openseat::games::netrunner::mind
