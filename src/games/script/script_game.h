// A game written in JavaScript as a Game like any other. docs/writing_games.md is for those who write scripts,
// docs/scripts.md says how they run.
//
// A state holds all that the script says about it (position.h), asked in one call of the script when the state is made;
// so looking at a state runs nothing. This is not so for states that ApplyMove and Sample make, since who looks ahead
// needs no words: what people see and read of them is asked when somebody first wants it. Sample is the only place that
// calls redeal: what the seat could tell from its state, it does not return. If the script fails after a
// choice, the game is over: the state stays as it was, nobody wins. What failed is in the log and in FaultOf; the
// outcome's reason, which everybody reads, does not quote it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/game.h"
#include "games/script/script.h"

namespace openseat::games {

// The game of this id as it was in that version; nullptr if there is none. It outlives the game that asks. Called by
// Game::OfVersion on any thread.
using OlderScripts = std::function<const Game*(const std::string& id, int version)>;

// files[0] is the script. Errors: the script's faults, with the file and line as path.
Result<std::unique_ptr<Game>> MakeScriptGame(std::vector<ScriptFile> files, OlderScripts older = {},
                                             const ScriptLimits& limits = {});

// GameInfo::rules_version of the game of these files.
int ScriptVersion(const std::vector<ScriptFile>& files);

// Whether the game is one of MakeScriptGame.
bool IsScript(const Game& game);
// REQUIRES a game of MakeScriptGame.
const std::vector<ScriptFile>& FilesOf(const Game& game);
// Why the script failed at this state; "" if it did not. REQUIRES a state of a game of MakeScriptGame.
const std::string& FaultOf(const GameState& state);
// GameState::View, or why the script cannot say it. REQUIRES the same.
Result<std::string> ViewOf(const GameState& state, Viewer viewer);

// For a check, what a match would not notice at this state: that evaluate fails, a function keeps something outside of
// the state, an answer has a member that nobody reads, or redeal is missing. `choice` is one of `seat`'s that is about
// to be applied; nullptr if the game is over. Errors: what is wrong, with the place as path. REQUIRES a state of a game
// of MakeScriptGame that has not failed.
Result<void> Examine(const GameState& state, SeatIndex seat, const PlayedChoice* choice);
// For a check: whether setup draws with random. Errors: what is wrong with how it does, with the place as path.
// REQUIRES a game of MakeScriptGame.
Result<bool> SetupDraws(const Game& game, const json::Value& options, std::uint64_t seed,
                        const std::vector<std::string>& names);
// While it lives, what scripts fail with on this thread, in matches and in states that search plays ahead from: the
// first.
class FaultWatch {
 public:
  FaultWatch();
  ~FaultWatch();
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;

  // "game.js:3:5: apply: x is not defined"; "" if nothing failed.
  const std::string& fault() const { return fault_; }
  // A script failed. On any thread.
  static void Note(const std::string& fault);

 private:
  std::string fault_;
};
// Where the script's function is written ("game.js:12:5"); "" if that is not known. REQUIRES a game of MakeScriptGame.
std::string PlaceOf(const Game& game, std::string_view function);

}  // namespace openseat::games
