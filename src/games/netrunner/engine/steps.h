// Steps: what a game is resolving, one type for each kind, with what it acts on by name. `phase` is how far a step has
// come; a step that asks at most one question has a bool for it. docs/netrunner.md, "The stack of steps".
//
// A step is plain bytes, as it lies in the State. To add one: a type here and in the list of Step, Engine::Resolve for
// it, and its members in wire/position.cc; a type that is missing in one of these does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "games/netrunner/cards/card_def.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

// Names one of a card's programs.
struct ProgramRef {
  enum class List : std::uint8_t { kPlay, kAbility, kTrigger, kSubroutine };
  List list = List::kPlay;
  std::uint8_t index = 0;

  static constexpr ProgramRef Play() { return {}; }
  static constexpr ProgramRef Ability(std::size_t index) { return {List::kAbility, static_cast<std::uint8_t>(index)}; }
  static constexpr ProgramRef Trigger(std::size_t index) { return {List::kTrigger, static_cast<std::uint8_t>(index)}; }
  static constexpr ProgramRef Subroutine(std::size_t index) {
    return {List::kSubroutine, static_cast<std::uint8_t>(index)};
  }
  bool operator==(const ProgramRef&) const = default;
};

enum class WindowKind : std::uint8_t {
  kBeforeAction,
  kInitiation,
  kApproach,
  kEncounter,
  kBeforeJackOut,
  kMovement,
  kPostDiscard
};

// The bottom of every stack: the mulligans, then turn after turn.
struct GameStep {
  enum class Phase : std::uint8_t { kAskCorp, kCorpAnswered, kAskRunner, kRunnerAnswered, kTurns };
  Phase phase = Phase::kAskCorp;

  bool operator==(const GameStep&) const = default;
};

struct TurnStep {
  // kPhase12 and kPostDiscard are the windows that open only on request.
  enum class Phase : std::uint8_t {
    kBeforeTurn,
    kBegins,
    kPhase12,
    kTriggers,
    kDraw,
    kOpponentsWindow,
    kAction,
    kDiscard,
    kDiscarded,
    kPostDiscard,
    kEnds,
    kOver
  };
  Side side;
  Phase phase = Phase::kBeforeTurn;

  bool operator==(const TurnStep&) const = default;
};

struct DiscardHandStep {
  Side side;
  bool asked = false;

  bool operator==(const DiscardHandStep&) const = default;
};

// Closes when a side passes right after the other.
struct WindowStep {
  WindowKind window;
  Side priority;
  bool other_passed = false;  // just now

  bool operator==(const WindowStep&) const = default;
};

// An event or operation.
struct PlayCardStep {
  enum class Phase : std::uint8_t { kPay, kResolve, kResolved };
  Inst card;
  Phase phase = Phase::kPay;

  bool operator==(const PlayCardStep&) const = default;
};

// The Corp's action against a resource of its choice.
struct TrashResourceStep {
  bool asked = false;

  bool operator==(const TrashResourceStep&) const = default;
};

struct InstallRunnerStep {
  enum class Phase : std::uint8_t { kStart, kRoomChosen, kHostChosen, kPaid };
  Inst card;
  bool is_action = false;  // then its click is paid with the rest
  Inst host = kNoInst;
  bool has_room = false;  // the Runner has answered what to trash for it
  Phase phase = Phase::kStart;
  std::int16_t cost = 0;  // paid

  bool operator==(const InstallRunnerStep&) const = default;
};

struct InstallCorpStep {
  enum class Phase : std::uint8_t { kStart, kServerChosen, kIceChosen };
  Inst card;
  Server server = kNoServer;    // until the Corp has chosen
  bool is_action = false;       // then its click is paid with the rest
  Inst inward_of = kNoInst;     // directly inward of this ice, ignoring all costs
  std::uint8_t must_trash = 0;  // ice, to pay for the rest
  Phase phase = Phase::kStart;

  bool operator==(const InstallCorpStep&) const = default;
};

// The Runner pays during a run in which other credits than those of the pool can be spent.
struct PayStep {
  enum class Phase : std::uint8_t { kStart, kDecided, kAsked };
  std::int16_t credits;
  std::uint8_t from_card = 0;  // kDecided: how many come from the card that lends credits
  Phase phase = Phase::kStart;

  bool operator==(const PayStep&) const = default;
};

// Trashes programs until the rest fits into the memory.
struct TrimMemoryStep {
  bool asked = false;

  bool operator==(const TrimMemoryStep&) const = default;
};

struct ProgramStep {
  Inst source;
  ProgramRef program;
  std::uint8_t first_target;  // where its targets begin in State::targets
  Inst it = kNoInst;          // the event's card
  Event event = Event::kNone;
  std::uint8_t next = 0;  // instruction
  bool asked = false;     // by the instruction before `next`
  std::int16_t noted = 0;

  bool operator==(const ProgramStep&) const = default;
};

// The triggers that wait since one event.
struct TriggersStep {
  std::uint8_t first;  // of them, in State::waiting
  bool asked = false;

  bool operator==(const TriggersStep&) const = default;
};

// Subroutines of the encountered ice are chosen, paid for and broken.
struct BreakStep {
  enum class Phase : std::uint8_t { kChoosing, kChosen, kPaid };
  Inst card;               // by_clicks: the ice itself
  bool by_clicks = false;  // or by the card's ability
  std::uint8_t ability = 0;
  std::uint8_t chosen = 0;  // subroutines, one bit each
  bool done = false;        // the Runner chooses no more
  Phase phase = Phase::kChoosing;

  bool operator==(const BreakStep&) const = default;
};

// An icebreaker matches the strength of the encountered ice and breaks all its subroutines, one ability after another.
struct AutoBreakStep {
  Inst card;

  bool operator==(const AutoBreakStep&) const = default;
};

// The run of State::run. Once it is to end, all phases before kOver are skipped.
struct RunStep {
  enum class Phase : std::uint8_t {
    kInitiation,
    kNextIce,
    kApproached,
    kPassed,
    kBeforeJackOut,
    kOfferJackOut,
    kMoveOn,
    kAfterMovement,
    kSuccess,
    kBreach,
    kOver,
    kAfterRun
  };
  Phase phase = Phase::kInitiation;

  bool operator==(const RunStep&) const = default;
};

struct EncounterStep {
  enum class Phase : std::uint8_t { kTriggers, kWindow, kSubroutines };
  Inst ice;
  std::uint8_t next = 0;  // subroutine to resolve, if it is not broken
  Phase phase = Phase::kTriggers;

  bool operator==(const EncounterStep&) const = default;
};

struct BreachStep {
  enum class Phase : std::uint8_t { kStart, kOffer, kChosen };
  Phase phase = Phase::kStart;

  bool operator==(const BreachStep&) const = default;
};

struct AccessStep {
  enum class Phase : std::uint8_t { kOnAccess, kOffer, kOffered, kPaidToTrash, kAccessed };
  Inst card;
  std::uint16_t id = 0;  // the card's, when it was accessed: the object may be gone later
  Phase phase = Phase::kOnAccess;

  bool operator==(const AccessStep&) const = default;
};

using Step = std::variant<GameStep, TurnStep, DiscardHandStep, WindowStep, PlayCardStep, TrashResourceStep,
                          InstallRunnerStep, InstallCorpStep, PayStep, TrimMemoryStep, ProgramStep, TriggersStep,
                          BreakStep, RunStep, EncounterStep, BreachStep, AccessStep, AutoBreakStep>;
static_assert(sizeof(Step) <= 12);  // a state holds, and each copy of it copies, room for 40

}  // namespace openseat::games::netrunner
