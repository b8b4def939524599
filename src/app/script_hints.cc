#include "app/script_hints.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "games/script/script_game.h"

namespace openseat::app {
namespace {

// What a complaint of the checks for all games means to somebody who writes a script.
struct Hint {
  std::string_view part;      // of the complaint
  std::string_view function;  // of the script, where the mistake is looked for first
  std::string_view words;     // instead of the part; "": the part
  std::string_view text;      // what to do
};
constexpr std::string_view kRedealTells =
    "redeal(state, seat, random) must return a state that this seat cannot tell from the real one: show less, or let "
    "redeal copy what the seat knows. Draw again what others have chosen already; do not take it away.";
constexpr std::string_view kOtherDraw =
    "It must not depend on what the seat does not know: collect all that is hidden from it, sort it, then shuffle and "
    "deal it.";
constexpr std::string_view kAnyoneWatches =
    "Any player may also watch as a spectator: show spectators (viewer is null) only what every seat may know.";
constexpr Hint kHints[] = {
    {"a sample differs for its seat in what it sees", "observe", "observe shows a seat what redeal draws again",
     kRedealTells},
    {"a sample differs for its seat in its view", "view", "view shows a seat what redeal draws again", kRedealTells},
    {"a sample differs for its seat in its description", "describe", "describe tells a seat what redeal draws again",
     kRedealTells},
    {"a sample differs for its seat in the outcome", "redeal",
     "redeal returns a state that differs for the seat in the outcome",
     "If the game is over, everybody knows how: let redeal return the state as it is, or copy all that outcome reads."},
    {"a sample differs for its seat in", "redeal", "redeal returns a state that differs for the seat in", kRedealTells},
    {"spectators see what a seat must not know", "observe",
     "observe shows spectators what redeal draws again for a seat", kAnyoneWatches},
    {"the spectators' view has what a seat must not know", "view",
     "view shows spectators what redeal draws again for a seat", kAnyoneWatches},
    {"samples of two states that the seat cannot tell apart differ", "redeal",
     "redeal returns different states for two states that the seat cannot tell apart, with the same random numbers",
     kOtherDraw},
    {"samples of two states that the seat cannot tell apart save differently", "redeal",
     "redeal draws differently for two states that the seat cannot tell apart", kOtherDraw},
    {"cannot be seen, and is not a secret in a sample", "redeal", "",
     "Say in observe who has chosen already (not what), and let redeal(state, seat, random) draw the choices of the "
     "others again."},
    {"is not a secret in a sample", "redeal", "",
     "redeal(state, seat, random) must draw again what others have chosen and the seat cannot see, and add no choice "
     "of those who have not chosen."},
    {"is not a secret in the log", "apply", "",
     "Write no line of the log before all have chosen, or none that says what was chosen."},
    {"is not a secret", "", "",
     "While others still have to choose, nothing may show what this seat has chosen: not observe, view, describe, "
     "actions, the log or who is awaited."},
    {"two choices that are offered have the label", "", "",
     "label(data, names) must call each choice of the seat something else: people choose by it."},
    {"a choice changed nothing", "apply", "",
     "apply must return another state than before: count the turns, for example."},
    {"the same choices led to another state", "apply", "",
     "What a function keeps outside of the state is gone when the next one runs: keep all of it in the state."},
};

void Replace(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

std::string InWords(const Game& game, const std::string& complaint) {
  const std::size_t end = complaint.find(": ");
  std::string what = complaint.substr(end == complaint.npos ? 0 : end + 2);
  const auto* const hint =
      std::ranges::find_if(kHints, [&](const Hint& each) { return what.find(each.part) != what.npos; });
  if (hint != std::end(kHints)) {
    if (!hint->words.empty()) Replace(what, hint->part, hint->words);
    if (const std::string place = games::PlaceOf(game, hint->function); !place.empty()) what = place + ": " + what;
  }
  Replace(what, "in the sample", "after redeal");
  Replace(what, "a sample", "a state that redeal returns");
  if (end != complaint.npos) what += "\n  with " + complaint.substr(0, end);
  if (hint != std::end(kHints)) what.append("\n  ").append(hint->text);
  return what;
}

}  // namespace openseat::app
