// CardDef: a card as data: its printed facts and its abilities, written in a small vocabulary of events, conditions,
// costs, modifiers and instructions. docs/netrunner.md explains how to write a card; effects.h has the functions that
// make programs readable. A CardDef never changes after the card table is built; any thread may read it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

// Events that abilities trigger on. Each turn counts how often each has happened ("first time each turn").
enum class Event : std::uint8_t {
  kNone,
  kTurnBegins,        // side: whose
  kTurnEnds,          // side: whose; the discard phase is over
  kInstalled,         // card
  kProgramInstalled,  // card; only counted
  kRezzed,            // card
  kAdvanced,          // card; n: its advancement counters before
  kScored,            // card; n: the server it was scored from
  kStolen,            // card
  kEncounter,         // card: the ice
  kApproachServer,
  kRunSuccessful,
  kBreachHq,       // only counted
  kAccessed,       // card
  kAccessTrashed,  // card: the Runner trashed the accessed card
  kRunEnds,
  kTagsTaken,  // n
  kBasicDraw,  // only counted: the basic action, once it has drawn
  kCount
};

// A number that an ability needs: base + times * a count of something.
enum class Count : std::uint8_t {
  kNone,
  kVirusHere,             // virus counters on the source
  kAdvancementHere,       // advancement counters on the source
  kCreditsHere,           // credits on the source
  kNoted,                 // what kNote stored in this resolution
  kPointsScoredThisTurn,  // printed points of the agendas that the Corp scored
  kAccessesThisRun,
  kInstalledIcebreakers,
  kSuccessfulRunThisTurn  // 0 or 1
};
struct Amount {
  // NOLINTNEXTLINE(google-explicit-constructor): a plain number is an amount
  constexpr Amount(int fixed = 0) : base(static_cast<std::int8_t>(fixed)) {}
  constexpr Amount(int fixed, int factor, Count what)
      : base(static_cast<std::int8_t>(fixed)), times(static_cast<std::int8_t>(factor)), of(what) {}
  std::int8_t base = 0;
  std::int8_t times = 0;
  Count of = Count::kNone;
};
constexpr Amount PerOne(int factor, Count what) {
  return {0, factor, what};
}

// Conditions. "Here" is the source, "it" the event's card.
enum class If : std::uint8_t {
  kItIsThis,
  kItIsVirus,      // a virus program
  kOwnTurn,        // the event's side is the controller's
  kFirstThisTurn,  // the event happened for the first time this turn
  kRunHere,        // the run is, or was, on the source's server
  kDuringRunHere,  // a run on its server is in progress
  kRunOnCentral,
  kRunOnHqOrRnd,
  kRunOnRnd,
  kRunWasSuccessful,
  kStoleThisRun,
  kAccessedThisRun,
  kScoredFromHere,  // the event's server is the source's
  kRunnerTagged,
  kSuccessfulRunThisTurn,  // by the Runner
  kSuccessfulRunLastTurn,  // during the Runner's last turn
  kFacedownInArchives,
  kIceAtLeast,          // n, installed
  kHadNoAdvancement,    // kAdvanced: it had none before
  kAdvancementAtLeast,  // n, on the source
  kVirusAtLeast,        // n, on the source
  kInRemote,            // the source protects, or is in, a remote server
  kInstalledHere,       // the source is installed
  kNoCreditsHere,
  kCorpCreditsAtLeast,   // n
  kHqAtLeast,            // n cards
  kGripAtLeast,          // n cards
  kRunnerCanPay,         // n credits, including hosted ones
  kRunnerClicksAtLeast,  // n
  kRunnerCreditsAtMost,  // n, in the credit pool
  kAnyTargets,
  kTargetCostOdd,       // the (first) target's printed cost
  kTargetInstallable,   // the Runner could install the (first) target now and pay for it
  kProgramInstalled,    // the Runner has a program installed
  kNoProgramInstalled,  // … and none
  kEncountering,        // an ice is being encountered
  kEncounteringHost,    // … and it hosts the source
  kNewCentral,          // a central server not run yet this turn
  kFirstBreachOfHq,     // HQ is being breached for the first time this turn
  kNoProgramThisTurn,   // no program was installed yet this turn
  kNoBasicDrawThisTurn  // the basic draw action was not taken yet this turn
};
struct Condition {
  // NOLINTNEXTLINE(google-explicit-constructor): a condition by its name
  constexpr Condition(If what, int number = 0) : kind(what), n(static_cast<std::int8_t>(number)) {}
  If kind;
  std::int8_t n;
};
using Conditions = std::vector<Condition>;

// Which cards may be chosen.
enum class From : std::uint8_t {
  kHq,
  kGrip,
  kArchives,
  kHqOrArchives,
  kRnd,
  kStack,
  kCorpInstalled,
  kRunnerInstalled,
  kIce  // installed
};
struct Filter {
  From from = From::kHq;
  std::uint16_t types = 0;  // bits 1 << CardType; 0: any
  SubtypeSet subtypes = 0;  // one of them; 0: any
  bool no_agendas = false;
  bool unrezzed = false;
  bool not_this_turn = false;  // not installed this turn
  bool installable = false;    // and paid for by the usual means
};

enum class Who : std::uint8_t { kController, kCorp, kRunner };
enum class DamageKind : std::uint8_t { kNet, kMeat, kCore };

// What changes a number or forbids something, for as long as its source is active or a duration lasts.
enum class Modifier : std::uint8_t {
  kMemory,
  kHandSize,            // of the controller
  kStrength,            // of the source, or of a lingering effect's target
  kInstallCost,         // of the source itself, before it is installed
  kProgramInstallCost,  // of every program
  kIceRezCost,          // of every ice
  kAccesses,            // when breaching the server that the modifier names
  kBasicDraw,           // more cards by the basic action
  kCannotScore,
  kCannotStealOrTrash
};
struct StaticAbility {
  Modifier what;
  Amount amount = 1;
  Conditions when{};
  Server server = kNoServer;   // kAccesses
  bool in_score_area = false;  // it works there, not installed
};

enum class Until : std::uint8_t { kEncounterEnds, kRunEnds, kTurnEnds };

// An instruction of a program. Each operation's comment lists the members it uses.
enum class Op : std::uint8_t {
  kGainCredits,  // who, amount
  kLoseCredits,  // who, amount: from the pool, as much as is there
  kPayCredits,   // who, amount: hosted ones may be spent. REQUIRES they are there
  kGainClicks,   // who, amount
  kLoseClicks,   // who, amount: as many as are left
  kDraw,         // who, amount
  kDamage,       // damage, amount; the trashed cards become the targets
  kGiveTags,     // amount
  kEndRun,
  kPlaceVirus,      // amount, on the source
  kPlaceVirusOnIt,  // amount, on the event's card
  kPlaceCredits,    // amount, on the source
  kTakeCredits,     // amount, from the source to its controller's pool: as many as are there
  kNote,            // amount: kept for Count::kNoted
  kTrashSelf,       // where it still is where it was
  kTrashIt,         // the accessed card, by the Runner
  kMay,             // who, text: asks Yes or No; No ends the program
  kChoose,          // who, text, options: continues at the chosen option's instruction
  kTarget,          // who, text, filter, min, max: the chosen become the targets, added to those there are
  kTrashTargets,
  kTargetsToHand,           // of their owners
  kShuffleTargetsIntoDeck,  // of who; shuffled also without any
  kAdvanceTargets,          // amount: places counters
  kRezTargets,              // ignoring all costs
  kInstallTargets,          // by who, at the usual cost
  kInstallTargetsInward,    // directly inward of the source ice, ignoring all costs
  kSwapTargets,             // two ice
  kSearch,                  // who, text, filter: a card of the own deck becomes the target; it is revealed
  kShuffleDeck,             // who
  kDerezHost,
  kLinger,              // modifier, amount, until, server: on the source, or on the encountered ice (on_ice)
  kDelay,               // event, until: the source's delayed trigger waits for this event, once for each source
  kRun,                 // servers: the Runner chooses one of these, and runs
  kSkipUnless,          // conditions, to: skips `to` instructions unless all hold
  kJump,                // to: skips this many instructions
  kCannotStealOrTrash,  // for the rest of the run
};

enum class Servers : std::uint8_t { kAny, kHqOrRnd, kRnd, kNewCentrals };

struct Option {
  std::string_view label;
  Conditions when;
  std::uint8_t to = 0;  // instructions further
};

struct Instruction {
  Op op = Op::kJump;
  Who who = Who::kController;
  Amount amount = 0;
  std::string_view text{};
  Filter filter{};
  std::uint8_t min = 0;
  std::uint8_t max = 1;
  std::uint8_t to = 0;
  DamageKind damage = DamageKind::kNet;
  Modifier modifier = Modifier::kMemory;
  Until until = Until::kEncounterEnds;
  Event event = Event::kNone;
  Server server = kNoServer;
  bool on_ice = false;
  Servers servers = Servers::kAny;
  Conditions when{};
  std::vector<Option> options{};
};
using Program = std::vector<Instruction>;

constexpr int kAnyNumber = 255;  // of targets

struct Cost {
  std::uint8_t clicks = 0;
  Amount credits = 0;
  std::uint8_t virus = 0;  // counters from the source
  bool trash_self = false;
  bool remove_self = false;  // from the game
};

enum class Use : std::uint8_t {
  kPaid,   // in any paid ability window, or as an action where it costs clicks
  kBreak,  // breaks subroutines of the encountered ice, then runs `effect`
  kAccess  // instead of trashing what the Runner accesses
};

// An ability that its controller uses when they want to.
struct Ability {
  std::string_view label;
  Use use = Use::kPaid;
  Cost cost{};
  Conditions when{};
  bool once_per_turn = false;
  std::uint8_t breaks = 0;  // kBreak: up to so many subroutines
  bool interface = false;   // kBreak: needs the strength of the ice
  SubtypeSet subtypes = 0;  // kBreak: of ice with one of them; 0: any
  Program effect{};
};

struct Trigger {
  Event on;
  Conditions when{};
  Program effect;
  bool once_per_turn = false;  // counts unless declined
  bool delayed = false;        // only after kDelay
  bool persistent = false;     // until the run ends, if the Runner trashes it while accessing it
  bool interactive = false;    // asks something: its controller may want to order it. Set by the table of cards
};

struct Subroutine {
  std::string_view label;
  Program effect;
};

struct CardDef {
  std::string_view code;
  std::string_view title;
  Side side = Side::kCorp;
  Faction faction = Faction::kNeutralCorp;
  CardType type = CardType::kIdentity;
  std::vector<Subtype> subtype_list{};
  bool unique = false;
  int cost = -1;  // to play, install (Runner) or rez (Corp); -1: none
  int strength = -1;
  int memory = 0;
  int advancement = 0;  // requirement of an agenda
  int points = 0;
  int trash = -1;
  int influence = -1;  // a copy, out of faction; -1: only in faction
  int limit = 3;       // copies in a deck
  // Identities.
  int min_deck = 0;
  int influence_limit = -1;  // -1: none
  // What it does, in our words.
  std::string_view text{};

  Conditions play_when{};
  Program play{};
  std::vector<Ability> abilities{};
  std::vector<Trigger> triggers{};
  std::vector<Subroutine> subroutines{};
  std::vector<StaticAbility> statics{};
  bool advanceable = false;       // agendas are anyway
  bool only_on_ice = false;       // installed hosted on an ice
  bool breaks_by_clicks = false;  // the Runner may lose clicks to break its subroutines
  bool spent_in_run = false;      // its credits may be spent during the run it made
  bool trashed_when_empty = false;

  // Derived by the table of cards.
  SubtypeSet subtypes = 0;
  std::string plain_title{};    // in lower case and without marks on letters
  std::uint32_t events = 0;     // bits of the triggers' events
  std::uint32_t modifiers = 0;  // bits of the statics

  bool Has(Subtype subtype) const { return (subtypes >> static_cast<unsigned>(subtype) & 1) != 0; }
};

constexpr SubtypeSet SetOf(Subtype subtype) {
  return SubtypeSet{1} << static_cast<unsigned>(subtype);
}
constexpr std::uint16_t TypeBit(CardType type) {
  return static_cast<std::uint16_t>(1u << static_cast<unsigned>(type));
}

}  // namespace openseat::games::netrunner
