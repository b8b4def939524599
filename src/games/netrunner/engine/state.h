// State: a whole game of Netrunner as one plain value without pointers: cards are indices, zones are ordered lists
// of them, and what is being resolved is a stack of steps. A copy is a copy of bytes. docs/netrunner.md has the
// overview.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "base/rng.h"
#include "games/netrunner/cards/card_def.h"
#include "games/netrunner/engine/fixed_vector.h"
#include "games/netrunner/engine/log_entry.h"
#include "games/netrunner/engine/steps.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

constexpr std::size_t kMaxDeck = 60;  // cards in one deck
constexpr std::size_t kMaxCards = 2 * (kMaxDeck + 1);

// A set of cards of this game.
class InstSet {
 public:
  bool Contains(Inst inst) const { return (words_[At(inst) / 64] >> (At(inst) % 64) & 1) != 0; }
  void Insert(Inst inst) { words_[At(inst) / 64] |= std::uint64_t{1} << (At(inst) % 64); }
  bool operator==(const InstSet&) const = default;

 private:
  std::array<std::uint64_t, 2> words_{};
};
static_assert(kMaxCards <= 128);

// The bit of CardState::used for an ability or trigger. The table of cards sees to it that a card has at most four of
// each.
constexpr std::uint8_t UsedBit(ProgramRef program) {
  return static_cast<std::uint8_t>(1u << (program.index + (program.list == ProgramRef::List::kTrigger ? 4u : 0u)));
}

struct CardState {
  CardId card = kNoCard;
  Side side = Side::kCorp;
  Zone zone = Zone::kNone;
  Server server = kNoServer;  // installed Corp cards
  Inst host = kNoInst;
  bool faceup = false;  // Corp: rezzed, or faceup in Archives. Runner cards always are
  bool new_this_turn : 1 = false;
  bool rezzed_this_turn : 1 = false;
  bool known : 1 = false;  // facedown or in HQ, and the Runner has seen which card it is
  std::uint8_t used = 0;   // abilities and triggers used this turn: UsedBit
  std::uint8_t virus = 0;
  std::uint8_t advancement = 0;
  std::uint16_t credits = 0;
  // The object's public number; a card that moves to another zone is a new object. 0 in a deck, until it is seen.
  std::uint16_t id = 0;
  std::uint16_t since = 0;  // when it became active, to find the older of two unique cards

  bool operator==(const CardState&) const = default;
};

using CardList = FixedVector<Inst, kMaxDeck + 1>;

struct PlayerState {
  Inst identity = kNoInst;
  std::int16_t credits = 5;
  std::int8_t clicks = 0;
  bool kept = false;  // answered the mulligan
  bool mulliganed = false;
  CardList deck;  // the top is the last
  CardList hand;
  CardList discard;
  CardList score;
  CardList play;
  CardList removed;
  CardList installed;  // in order of installation; ice on one server from the innermost outwards

  bool operator==(const PlayerState&) const = default;
};

// A trigger that waits for its turn.
struct Waiting {
  Inst source = kNoInst;
  std::uint8_t trigger = 0;
  Inst card = kNoInst;  // the event's
  Event event = Event::kNone;
  std::int16_t n = 0;

  bool operator==(const Waiting&) const = default;
};

// A lingering effect, or a trigger that waits for its event (kDelay).
struct Lingering {
  bool delayed = false;
  Modifier modifier = Modifier::kMemory;
  Until until = Until::kEncounterEnds;
  Server server = kNoServer;
  std::int16_t amount = 0;
  Inst source = kNoInst;  // delayed: the trigger's card
  std::uint8_t trigger = 0;
  Inst target = kNoInst;  // kStrength: the affected card
  std::uint16_t id = 0;   // of the source or target at that time; a newer object of the same card is not affected

  bool operator==(const Lingering&) const = default;
};

enum class RunPhase : std::uint8_t { kInitiation, kApproachIce, kEncounterIce, kMovement, kSuccess };

// The current run, or the last one.
struct RunState {
  bool active = false;
  bool ended = false;  // it must end: the rest of it is skipped
  bool successful = false;
  bool vanished = false;  // its server is gone
  bool cannot_steal_or_trash = false;
  bool jacked_out = false;
  Server server = kNoServer;
  RunPhase phase = RunPhase::kInitiation;
  std::uint8_t position = 0;  // ice not passed yet; the current one is the position-th from the server
  std::uint8_t accesses = 0;
  std::uint8_t stolen = 0;
  std::uint8_t passed = 2;  // the side that has passed in the window; 2: none
  Inst source = kNoInst;    // the card that made the run
  std::int16_t bad_publicity_credits = 0;
  // The encounter.
  Inst ice = kNoInst;
  std::uint16_t ice_id = 0;
  std::uint8_t broken = 0;  // subroutines, one bit each
  std::uint8_t fired = 0;
  // The breach.
  bool breaching = false;
  std::int8_t accesses_left = 0;  // from HQ or R&D
  Inst accessing = kNoInst;
  InstSet accessed;

  bool operator==(const RunState&) const = default;
};

enum class PromptKind : std::uint8_t {
  kNone,
  kMulligan,
  kStartTurn,
  kPhase12,
  kAction,
  kWindow,
  kJackOut,
  kPostDiscard,
  kChoice,  // one of `options`
  kSelect   // cards of `candidates`, one at a time
};

// Prompt messages; docs/netrunner.md lists the sentences.
enum class Message : std::uint8_t {
  kNone,
  kKeepHand,
  kOfProgram,  // the text of the asking instruction
  kChooseServer,
  kInstallWhere,
  kChooseHost,
  kTrashForMemory,
  kTrashPrograms,  // although there is room
  kTrimMemory,
  kTrashIceToInstall,
  kDiscardDown,
  kBreakSubroutine,
  kPayFrom,
  kAccessed,
  kChooseAccess,
  kChooseAccessInRemote,
  kChooseAccessInArchives,
  kChooseTrigger,
  kTrashResource
};

enum class OptionText : std::uint8_t {
  kLabel,  // n: of the asking instruction's option
  kKeep,
  kMulligan,
  kYes,
  kNo,
  kDone,
  kCard,           // n: card; its title
  kServer,         // n
  kWaiting,        // n: which of the waiting triggers
  kSubroutine,     // n: of the encountered ice
  kCredits,        // n
  kPayToTrash,     // n: credits
  kAccessAbility,  // n: card
  kSteal,
  kNoAction,
  kCardFromHand,
  kCardFromDeck,
  kUnrezzedUpgrade,  // n: card
  kEverythingElse,
  kNothing  // a search that finds nothing
};
struct PromptOption {
  constexpr PromptOption() = default;
  constexpr explicit PromptOption(OptionText what, std::uint8_t number = 0) : text(what), n(number) {}
  constexpr PromptOption(OptionText what, Inst card) : text(what), n(static_cast<std::uint8_t>(card)) {}

  OptionText text = OptionText::kYes;
  std::uint8_t n = 0;

  // Whether n is a card.
  bool names_card() const {
    return text == OptionText::kCard || text == OptionText::kAccessAbility || text == OptionText::kUnrezzedUpgrade;
  }
  // REQUIRES names_card().
  Inst card() const { return Inst{n}; }

  bool operator==(const PromptOption&) const = default;
};

// The question to one side; the other is not asked.
struct Prompt {
  PromptKind kind = PromptKind::kNone;
  Side side = Side::kCorp;
  Message message = Message::kNone;
  Inst card = kNoInst;  // the card whose ability asks, or the accessed card
  ProgramRef program;   // kOfProgram: of the card, with the instruction that asks
  std::uint8_t instruction = 0;
  std::int16_t n = 0;  // a number in the message
  FixedVector<PromptOption, 64> options;
  // kSelect
  InstSet candidates;
  std::uint8_t min = 0;
  std::uint8_t max = 0;
  CardList selected;

  bool operator==(const Prompt&) const = default;
};

struct TurnLog {
  std::array<std::uint8_t, static_cast<std::size_t>(Event::kCount)> events{};
  std::uint8_t centrals_run = 0;  // bits of the central servers for which a run was announced
  bool made_run = false;
  bool successful_run = false;
  std::uint8_t points_scored = 0;

  bool operator==(const TurnLog&) const = default;
};

enum class Ending : std::uint8_t { kNone, kAgenda, kFlatline, kDecked, kConcede, kTie };

// What `undo` takes back: a side's last click, while nothing new was seen since.
struct UndoState {
  enum class What : std::uint8_t { kNothing, kCredit, kAdvance, kRemoveTag, kInstall };
  What what = What::kNothing;
  Inst card = kNoInst;
  bool new_remote = false;     // kInstall: it created its server
  std::int16_t cost = 0;       // credits
  std::uint8_t this_turn = 0;  // clicks that were taken back
  // kInstall by the Corp: the cards in HQ that the Runner knew before. If the installed one is among them, it gets its
  // number of then again, so that nobody learns that it was this one. 0 if it knew none.
  InstSet known{};
  std::uint16_t id = 0;

  bool operator==(const UndoState&) const = default;
};
constexpr std::uint8_t kMostUndone = 10;  // clicks a turn

// The version of the rules: GameInfo::rules_version. 2 added auto-break, undo, and installs that cannot be canceled.
constexpr std::uint8_t kRulesVersion = 2;

struct State {
  // --- For the whole game ---
  std::uint8_t rules = kRulesVersion;
  std::uint8_t card_count = 0;
  std::uint8_t points_to_win = 7;
  bool all_windows = false;
  Ending ending = Ending::kNone;
  std::uint8_t winner = 2;  // a side; 2: none
  std::array<CardState, kMaxCards> cards{};
  std::array<PlayerState, 2> players{};
  std::uint8_t tags = 0;
  std::uint8_t bad_publicity = 0;
  std::uint8_t core_damage = 0;
  std::uint8_t next_remote = kFirstRemote;
  std::uint16_t next_id = 1;
  std::uint16_t next_since = 1;
  Rng rng{0};

  // --- For the turn ---
  std::uint16_t turn = 0;  // counts the Corp's
  Side active = Side::kRunner;
  bool in_turn = false;  // the active player has started it
  bool main_phase = false;
  bool corp_skips_windows = false;  // before the Runner's actions, for the rest of this turn
  bool ran_last_turn = false;       // the Runner, successfully
  UndoState undo;
  TurnLog log_of_turn;
  RunState run;

  // --- For what is being resolved ---
  FixedVector<Step, 40> stack;  // the last one continues first
  FixedVector<Waiting, 64> waiting;
  CardList targets;
  FixedVector<Lingering, 48> lingering;
  Prompt prompt;
  std::int16_t answer = 0;  // to the last choice: the option's index
  PromptOption answered;    // … and the option
  CardList selected;        // by the last select
  bool dirty = false;       // the next checkpoint must look at the board

  GameLog log;

  const CardState& operator[](Inst inst) const { return cards[At(inst)]; }
  CardState& operator[](Inst inst) { return cards[At(inst)]; }
  const PlayerState& corp() const { return players[0]; }
  PlayerState& corp() { return players[0]; }
  const PlayerState& runner() const { return players[1]; }
  PlayerState& runner() { return players[1]; }
  const PlayerState& Of(Side side) const { return players[At(side)]; }
  PlayerState& Of(Side side) { return players[At(side)]; }
  const CardDef& Def(Inst inst) const;
  bool over() const { return ending != Ending::kNone; }

  bool operator==(const State&) const = default;
};
static_assert(std::is_trivially_copyable_v<State>);

}  // namespace openseat::games::netrunner
