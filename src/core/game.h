// Game and GameState: the contract of a hosted game. docs/adding_a_game.md walks through the smallest real one.
//
// A GameState is a value: it can be cloned, compared, written and restored. It has no clock, no I/O, no closures and no
// global state. Its randomness comes from an Rng seeded in Game::NewGame, so that the same options, seed, names and
// choices give the same state on every machine. One thread at a time may change a state; while no thread changes it,
// several may read it at once, so const functions cache nothing. A Game is immutable: any thread may use it, and it
// outlives its states.
//
// There are two ways to play, and they agree (testing/game_conformance.h checks it):
//   choices  an action's name and its JSON data, as they come from outside: Validate, then Apply;
//   moves    a small number for each choice, without text or memory: Moves, then ApplyMove. For search and playouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/lazy.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/time.h"
#include "core/action.h"
#include "core/ids.h"
#include "core/seat_set.h"

namespace openseat {

// An action in terms of the rules.
struct ActionSpec {
  std::string name;
  std::string description;  // for the player
  json::Value schema;       // of the data, an object; null: the action takes none (then null and {} are both accepted)
  // Any seat may use it at any moment, even after the end. It asks something: it changes neither the state nor whose
  // turn it is.
  bool any_time = false;
  // Whether a decision offers it. False for what nobody should pick from a list (giving up), and for another name of
  // what is offered: both are legal all the same.
  bool offered = true;
};

// A choice in terms of the rules.
struct PlayedChoice {
  std::string action;
  json::Value data;
};

// A choice's number: at one state and seat each move stands for a different choice. Each game numbers its choices in
// its own way (the column, the cell), with the same number for the same choice in every state.
using Move = std::uint32_t;

// A legal choice as it is offered to a seat's agent.
struct LegalChoice {
  Move move = 0;
  PlayedChoice choice;
  std::string label;  // for people: "Row 1, column 3"
};

// Who looks at a state: a seat, or a spectator.
class Viewer {
 public:
  static constexpr Viewer Spectator() { return Viewer(); }
  static constexpr Viewer Seat(SeatIndex seat) {
    Viewer viewer;
    viewer.seat_ = seat;
    return viewer;
  }
  constexpr std::optional<SeatIndex> seat() const { return seat_; }
  constexpr bool operator==(const Viewer&) const = default;

 private:
  constexpr Viewer() = default;
  std::optional<SeatIndex> seat_;
};

struct Outcome {
  SeatSet winners;             // empty: a draw
  std::vector<double> scores;  // one per seat, on the game's own scale: higher is better
  std::string reason;          // "three in a row": the end of a sentence for people

  bool operator==(const Outcome&) const = default;
};

struct GameInfo {
  std::string id;           // "tictactoe": in URLs and messages
  std::string title;        // "Tic-Tac-Toe"
  std::string description;  // one sentence
  std::string rules;        // Markdown: everything that a player needs to know, for a language model or a person
  std::string guide{};      // how to play it well, for the same readers, as Markdown; may be empty
  SeatIndex min_seats = 2;
  SeatIndex max_seats = 2;
  std::vector<std::string> roles;   // the name of each seat in the game ("X", "O"); one per seat up to max_seats
  json::Value options_schema;       // of NewGame's options; every option may be left out
  std::vector<ActionSpec> actions;  // the catalog: every action that can ever occur, with schemas for any state
  // The version of these rules: 1, 2 … Increase it whenever an earlier journal could lead to a different match. It is
  // in every match's journal (docs/adding_a_game.md).
  int rules_version = 1;
  // Whether a state contains anything that one of its seats may not see. If not, all see the same.
  bool hides = false;
  bool hidden = false;        // not listed unless requested
  std::size_t max_moves = 0;  // Moves never writes more, whatever the options
  // Whether Moves lists every legal choice of the actions that are offered; false if data is free (a text), and Moves
  // lists examples.
  bool moves_complete = true;
  bool draws = false;  // whether players may agree on a draw
  // Whether a turn consists of several choices that count together or not at all: then GameState::Whole says when a
  // turn is done.
  bool whole_turns = false;
  // A match in which nothing happens for this long ends; nullopt: the server's rules decide.
  std::optional<Duration> rest{};
  // About how many bytes of memory a match takes with all that its seats are shown, if that is more than the few KiB of
  // any match. What grows is in GameState::Memory.
  std::size_t match_memory = 0;
};

class GameState {
 public:
  virtual ~GameState() = default;

  // --- A value ---

  virtual std::unique_ptr<GameState> Clone() const = 0;
  // Becomes equal to `other`, without allocating where the game can. REQUIRES a state of the same game and options.
  virtual void Assign(const GameState& other) = 0;
  virtual bool Equals(const GameState& other) const = 0;
  // All of it, including secrets: Game::Restore makes an equal state. Never shown to a player.
  virtual json::Value Serialize() const = 0;
  // The players' names, one per seat.
  virtual const std::vector<std::string>& names() const = 0;

  // --- Choices ---

  // The seats that owe a choice now; several if choices are simultaneous. Empty exactly when the game is over.
  virtual SeatSet Awaited() const = 0;
  // What the seat may do now. Schemas list the legal values, so that valid means legal wherever a schema can express
  // it. For a seat that is not awaited, only its any_time actions. REQUIRES seat < names().size().
  virtual std::vector<ActionSpec> Actions(SeatIndex seat) const = 0;
  // Whether Apply may follow; accepts any arguments. Errors, checked in this order, all leaving the state unchanged:
  // kNoSuchAction (the game has no such action), kNotYourTurn, kIncorrectData (the wrong shape: `path` says where),
  // kIncorrectMove (against the rules).
  virtual Result<void> Validate(SeatIndex seat, std::string_view action, const json::Value& data) const = 0;
  // Plays it and returns the action's result for the seat that acted. REQUIRES Validate to accept it.
  virtual json::Value Apply(SeatIndex seat, std::string_view action, const json::Value& data) = 0;
  // Like Apply, without the result: for choices of a match that is played up to where it was. What is only to be looked
  // at may be left until it is.
  virtual void Repeat(SeatIndex seat, std::string_view action, const json::Value& data) { Apply(seat, action, data); }

  // --- What is seen ---

  // The state as this viewer may see it. The only exit together with Describe, View, Log and News: nothing leaves that
  // is not put in here.
  virtual json::Value Observe(Viewer viewer) const = 0;
  // The same for a language model, as Markdown: who it is, what it sees, what is asked. The rules are in GameInfo, and
  // what happened is in News.
  virtual std::string Describe(SeatIndex seat) const = 0;
  // Every line of the game's log from the beginning, as this viewer may read it, if the game keeps one; Observe may
  // show only the latest.
  virtual std::vector<std::string> Log(Viewer viewer) const {
    (void)viewer;
    return {};
  }
  // What happened between `before`, an earlier state of the same game, and this one: sentences that say who did what,
  // oldest first, as this viewer may read them. Empty if the viewer cannot notice it, or if Describe tells it. By
  // default the new lines of the log.
  virtual std::vector<std::string> News(const GameState& before, Viewer viewer) const;
  // Describe in at most about `tokens` tokens (base/tokens.h), if the game can leave out what matters least; other
  // games describe everything.
  virtual std::string DescribeWithin(SeatIndex seat, std::size_t) const { return Describe(seat); }
  // The table as people see it, as the JSON of docs/writing_games.md#a-board; "" if the game does not say: then a page
  // draws what Observe returns. It shows nothing that Observe hides. A game whose View takes long keeps what it made.
  virtual std::string View(Viewer viewer) const {
    (void)viewer;
    return {};
  }
  // Has a value exactly when Awaited() is empty.
  virtual std::optional<Outcome> GetOutcome() const = 0;
  // Whether no turn is half done. In a game of whole_turns, choices are kept only together, once they lead to a state
  // that is whole again; if a seat that is awaited meanwhile cannot answer, none of them counts.
  virtual bool Whole() const { return true; }
  // About how many bytes of memory it takes, if that is more than a few KiB or grows with what players write; else 0.
  virtual std::size_t Memory() const { return 0; }

  // --- Moves ---

  // Writes the seat's legal moves in ascending order, as many as fit, and returns how many there are: 0 if the seat is
  // not awaited. any_time actions do not count as moves.
  virtual std::size_t Moves(SeatIndex seat, std::span<Move> out) const = 0;
  // Like Apply(ToChoice(move)), without the result. REQUIRES a move that Moves lists for this seat now.
  virtual void ApplyMove(SeatIndex seat, Move move) = 0;
  // REQUIRES a move that Moves lists for this seat now.
  virtual PlayedChoice ToChoice(SeatIndex seat, Move move) const = 0;
  // The text of that choice for people and models: what it does and costs, with names, in the words of Describe;
  // without Markdown. Where moves are complete, those that are offered have different labels. By default the action and
  // its data in plain words.
  virtual std::string MoveLabel(SeatIndex seat, Move move) const;
  // Whether the move is offered to those who pick from a list (Sight::choices): false if another that is offered comes
  // to the same: another copy of a card, one step instead of two. REQUIRES a move that Moves lists for this seat now.
  virtual bool IsOffered(SeatIndex seat, Move move) const {
    (void)seat;
    (void)move;
    return true;
  }

  // --- Playing ahead ---

  // A state that this seat cannot tell from this one, to be played ahead from: what the seat does not know is drawn
  // from `rng`, among the possibilities that agree with everything it sees. The seat observes the same, has the same
  // actions and moves, and reads the same; two states that it cannot tell apart give equal samples for equal `rng`s.
  // The sample contains nothing else: no future randomness, no history of other seats. A clone if the game hides
  // nothing (GameInfo::hides). nullptr if there is none, this time: only of a script whose redeal fails, or does not
  // keep to this (docs/scripts.md). REQUIRES seat < names().size().
  virtual std::unique_ptr<GameState> Sample(SeatIndex seat, Rng& rng) const {
    (void)seat;
    (void)rng;
    return Clone();
  }

 protected:
  GameState() = default;
  GameState(const GameState&) = default;
  GameState& operator=(const GameState&) = default;
};

class Heuristics;

class Game {
 public:
  virtual ~Game() = default;
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  virtual const GameInfo& info() const = 0;
  // The game under the rules of that version, to continue matches that began under them; nullptr if those rules were
  // not kept. It lives as long as this one.
  virtual const Game* OfVersion(int version) const { return version == info().rules_version ? this : nullptr; }
  // `options` is an object or null (all defaults); `names` are the players', seat by seat, all different. Errors:
  // kInvalid with a sentence, and the option as path.
  virtual Result<std::unique_ptr<GameState>> NewGame(const json::Value& options, std::uint64_t seed,
                                                     std::vector<std::string> names) const = 0;
  // From GameState::Serialize. Accepts any JSON; kInvalid if no state of this game has that form.
  virtual Result<std::unique_ptr<GameState>> Restore(const json::Value& serialized) const = 0;
  // What this viewer may know about a match's options: without secrets of other seats. REQUIRES options that NewGame
  // accepts.
  virtual json::Value PublicOptions(const json::Value& options, Viewer viewer) const {
    (void)viewer;
    return options;
  }
  // What this game knows about playing well (core/heuristics.h); nullptr: search plays at random. Lives as long as the
  // game.
  virtual const Heuristics* heuristics() const { return nullptr; }

  // The action that every question offers, with its schema in `info`; null if there are several. Made once; valid as
  // long as the game. Any thread.
  ActionPtr only_action() const;

 protected:
  Game() = default;

 private:
  const Lazy<std::unique_ptr<const Action>> only_action_;
};

// Every move of the seat with its choice and label, in ascending order.
std::vector<LegalChoice> ChoicesOf(const GameState& state, SeatIndex seat);
// Those of them that are offered.
std::vector<LegalChoice> OfferedTo(const GameState& state, SeatIndex seat);
// Why nobody can play ahead where GameState::Sample gave nothing: kUnsupported.
Error NoSample(const GameInfo& game);
// GameState::News for the seat as one text; "" if there is none.
std::string NewsText(const GameState& before, const GameState& after, SeatIndex seat);

}  // namespace openseat
