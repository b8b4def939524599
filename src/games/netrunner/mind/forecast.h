// The run calculator: what a run would cost and bring, from the definitions of the ice on the way, the installed cards
// that break, and what the side that asks knows. Ice that it does not know is all that it may be.
#pragma once

#include <optional>

#include "games/netrunner/mind/reading.h"

namespace openseat::games::netrunner::mind {

// What passing one ice, or all of them, comes to when the Runner breaks what is worth breaking.
struct Passage {
  float credits = 0;  // spent
  float harm = 0;     // all other costs, in credits
  float stopped = 0;  // chance that the run ends there
  float damage = 0;
  float deadly = 0;  // chance of losing the game there
  int clicks = 0;    // lost to break
  Inst breaker = kNoInst;
  int breaks = 0;  // subroutines that the breaker breaks
};

struct Forecast {
  float enters = 1;  // chance of breaching the server
  float credits = 0;
  float harm = 0;
  float deadly = 0;
};

// What the run is made with.
struct RunTerms {
  float credits = 0;  // that the Runner can spend
  int clicks = 0;     // left once it has begun
  bool dearer_ice = false;
  Inst more_ice = kNoInst;  // a card that the Corp thinks of installing there, outermost
};

class RunCalculator {
 public:
  RunCalculator(const State& state, Side side);

  // A run on this server from now on; in a run on it, from the ice that is not passed yet.
  Forecast Run(Server server, const RunTerms& terms) const;
  // The encounter in progress, if getting in is worth so much.
  Passage Encounter(float worth) const;
  // The ice that is being approached, as if it were rezzed.
  Passage Approach() const;
  // What the Runner can have for a run next turn, if it is not the Runner's turn, or has now.
  RunTerms UsualTerms() const;
  const Unseen& unseen() const { return unseen_; }
  int weakening() const { return weakening_; }
  // The types of ice that the Runner's installed breakers can break.
  SubtypeSet covered() const { return covered_; }

  // What breaching the server brings the Runner, with so many more accesses.
  float AccessWorth(Server server, float more_accesses) const;
  // What one card there brings when accessed.
  float CardAccessWorth(Inst inst) const;

 private:
  struct Tool {
    Inst card;
    const BreakerFacts* facts;
    int strength;
    int boost;
    int virus;
  };
  struct Obstacle {
    const IceFacts* facts;
    SubtypeSet subtypes;
    int strength;
    Inst inst;  // kNoInst: a possible one
    std::uint8_t broken = 0;
  };
  struct Means {
    float credits;
    int clicks;
    float grip;
    int viruses;  // that weaken ice
    float goal;   // what being stopped costs

    bool operator==(const Means&) const = default;
  };

  // What was asked before: several runs of one decision meet the same unknown ice.
  struct Remembered {
    Means means;
    float corp_credits;
    int dearer;
    bool central;
    Passage passage;
  };

  void LookAtRig();
  Passage MeetUnknown(Server server, const Means& means, float corp_credits, int dearer) const;
  Passage Pass(const Obstacle& ice, const Means& means) const;
  void TryBreaking(const Obstacle& ice, const Means& means, const Tool& tool, Passage& best) const;
  void Consider(const Obstacle& ice, const Means& means, unsigned unbroken, Passage candidate, Passage& best) const;
  Passage PassUnknown(Server server, const Means& means, float corp_credits, int dearer) const;
  Obstacle ObstacleOf(Inst inst) const;
  void PassRoot(Server server, Means& means, Forecast& sum) const;
  float UnknownRootWorth(const CardState& card) const;

  const State& s_;
  const Side side_;
  Unseen unseen_;
  FixedVector<Tool, 24> tools_;
  SubtypeSet covered_ = 0;
  int weakening_ = 0;  // strength that virus counters can take from ice
  int programs_ = 0;
  mutable FixedVector<Remembered, 16> remembered_;
};

}  // namespace openseat::games::netrunner::mind
