#include "app/script_check.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/script_files.h"
#include "base/rng.h"
#include "base/text.h"
#include "core/judge.h"
#include "games/script/script_game.h"
#include "testing/game_conformance.h"

namespace openseat::app {
namespace {

constexpr std::size_t kMostComplaints = 5;
constexpr std::size_t kLongestGame = 2000;  // choices
constexpr int kConformanceGames = 2;
constexpr SeatIndex kManySeats = 6;

std::vector<std::string> NamesFor(SeatIndex seats) {
  std::vector<std::string> names;
  for (SeatIndex seat = 0; seat < seats; ++seat) names.push_back("Player" + std::to_string(seat + 1));
  return names;
}

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
constexpr std::string_view kAnyoneWatches =
    "Any player may also watch as a spectator: show spectators (viewer is null) only what every seat may know.";
constexpr Hint kHints[] = {
    {"a sample differs for its seat in what it sees", "observe", "observe shows a seat what redeal draws again",
     kRedealTells},
    {"a sample differs for its seat in its view", "view", "view shows a seat what redeal draws again", kRedealTells},
    {"a sample differs for its seat in its description", "describe", "describe tells a seat what redeal draws again",
     kRedealTells},
    {"a sample differs for its seat in", "redeal", "redeal returns a state that differs for the seat in", kRedealTells},
    {"spectators see what a seat must not know", "observe",
     "observe shows spectators what redeal draws again for a seat", kAnyoneWatches},
    {"the spectators' view has what a seat must not know", "view",
     "view shows spectators what redeal draws again for a seat", kAnyoneWatches},
    {"samples of two states that the seat cannot tell apart differ", "redeal",
     "redeal returns different states for two states that the seat cannot tell apart, with the same random numbers",
     "It must not depend on what the seat does not know: collect all that is hidden from it, sort it, then shuffle and "
     "deal it."},
    {"cannot be seen, and is not a secret in a sample", "redeal", "",
     "Say in observe who has chosen already (not what), and let redeal(state, seat, random) draw the choices of the "
     "others again."},
    {"is not a secret in a sample", "redeal", "",
     "redeal(state, seat, random) must draw again, or take away, what others have chosen and the seat cannot see."},
    {"is not a secret", "", "",
     "While others still have to choose, nothing may show what this seat has chosen: not observe, view, describe, "
     "actions, the log or who is awaited."},
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

// "seed 1, after 3 choices: a sample differs …", with the words of docs/writing_games.md, the place first.
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

// What shows at many places of the games is one mistake: the place and the function, or the whole sentence.
std::string_view KindOf(std::string_view complaint) {
  const std::size_t place = SizeOfPlace(complaint);
  return complaint.substr(0, complaint.find_first_of(place == 0 ? "\n" : "\n :(.", place));
}

// What all games of a check have found.
struct Found {
  ScriptReport& report;
  bool is_endless = false;  // each call takes as long as calls may
  bool redeals = false;     // redeal returned another state than it was given
  int logs_left = 30;       // lines of the log that are looked at closely
  std::map<std::string, std::pair<std::string, std::uint64_t>>
      starts{};  // what is seen of the first states; state, seed

  void Add(const std::string& complaint) {
    is_endless = is_endless || complaint.find("did not finish within") != complaint.npos;
    const auto is_same = [&](const std::string& known) { return KindOf(known) == KindOf(complaint); };
    if (std::ranges::none_of(report.complaints, is_same)) report.complaints.push_back(complaint);
  }
  bool full() const { return is_endless || report.complaints.size() >= kMostComplaints; }
};

// A random game, with its choices for a person to follow.
class ScriptGameRun {
 public:
  using Budget = std::shared_ptr<std::atomic<std::int64_t>>;
  ScriptGameRun(const Game& game, const json::Value& options, SeatIndex seats, std::uint64_t seed, Budget budget,
                Found& found)
      : game_(game),
        options_(options),
        seats_(seats),
        seed_(seed),
        budget_(std::move(budget)),
        found_(found),
        report_(found.report),
        rng_(seed) {}

  void Play() {
    auto begun = game_.NewGame(options_, seed_, NamesFor(seats_));
    if (!begun) return Complain(PlaceAndMessage(begun.error()), nullptr);
    std::shared_ptr<const GameState> state = std::move(*begun);
    if (!game_.info().hides) CheckStart(*state);
    while (!state->Awaited().empty() && choices_.size() < kLongestGame) {
      Measure(*state);
      if (found_.full()) return;
      const std::shared_ptr<const GameState> before = state;
      const SeatIndex seat = Pick(state->Awaited());
      const PlayedChoice choice = ChoiceOf(*state, seat);
      choices_.push_back("seat " + std::to_string(seat) + " " + choice.action + " " + json::Write(choice.data));
      const std::int64_t left = budget_ == nullptr ? 0 : budget_->load();
      // As in a match: with all that people see and read.
      Result<Ruling> ruling = Judge(*state, seat, choice.action, choice.data);
      if (budget_ != nullptr) report_.steps = std::max(report_.steps, left - *budget_);
      if (!ruling)
        return Complain("a choice that `actions` offers is refused: " + ruling.error().message, before.get());
      state = std::move(ruling->next);
      if (!games::FaultOf(*state).empty()) return Complain(games::FaultOf(*state), before.get());
      // All of the beginning, and less and less of what follows.
      if (choices_.size() % (1 + choices_.size() / 50) != 0) continue;
      Examine(*before, seat, &choice);
      if (game_.info().hides) CheckLog(*before, *state, seat, choice);
    }
    if (!state->Awaited().empty()) {
      Complain("the game is not over after " + std::to_string(kLongestGame) + " random choices", nullptr);
    } else {
      Examine(*state, 0, nullptr);
    }
    Measure(*state);
    if (const std::optional<Outcome> outcome = state->GetOutcome()) CountEnding(*outcome);
    ++report_.games;
    report_.choices += choices_.size();
    report_.longest = std::max(report_.longest, choices_.size());
  }

 private:
  void CountEnding(const Outcome& outcome) {
    std::string winners;
    for (const SeatIndex seat : outcome.winners) winners += (winners.empty() ? "seat " : ", ") + std::to_string(seat);
    const std::string ending = (winners.empty() ? "a draw" : winners + " won") + ": " + outcome.reason;
    const auto found = report_.endings.find(ending);
    if (found != report_.endings.end()) {
      ++found->second;
    } else if (report_.endings.size() < ScriptReport::kMostEndings) {
      report_.endings.emplace(ending, 1);
    }
  }

  SeatIndex Pick(const SeatSet& awaited) {
    auto turn = awaited.begin();
    for (std::uint64_t skip = rng_.Below(awaited.size()); skip > 0; --skip) ++turn;
    return *turn;
  }

  PlayedChoice ChoiceOf(const GameState& state, SeatIndex seat) {
    std::vector<Move> moves(state.Moves(seat, {}));
    state.Moves(seat, moves);
    return state.ToChoice(seat, moves[rng_.Below(moves.size())]);
  }

  void Measure(const GameState& state) {
    const json::Value saved = state.Serialize();
    report_.state_bytes = std::max(report_.state_bytes, json::Write(*json::Find(saved, "state")).size());
    CheckView(state, Viewer::Spectator());
    for (SeatIndex seat = 0; seat < seats_; ++seat) {
      // Of many seats, one after the other.
      if (seats_ <= kManySeats || choices_.size() % seats_ == seat) CheckView(state, Viewer::Seat(seat));
      report_.observation_bytes =
          std::max(report_.observation_bytes, json::Write(state.Observe(Viewer::Seat(seat))).size());
    }
  }

  void CheckView(const GameState& state, Viewer viewer) {
    if (found_.is_endless) return;
    const Result<std::string> view = games::ViewOf(state, viewer);
    if (view) report_.view_bytes = std::max(report_.view_bytes, view->size());
    if (!view) Complain(PlaceAndMessage(view.error()), &state);
  }

  void Examine(const GameState& state, SeatIndex seat, const PlayedChoice* choice) {
    if (found_.is_endless) return;
    const Result<void> examined = games::Examine(state, seat, choice);
    if (!examined) Complain(PlaceAndMessage(examined.error()), &state);
  }

  // What only chance makes, and nobody sees, is a secret.
  void CheckStart(const GameState& state) {
    std::string seen = json::Write(state.Observe(Viewer::Spectator())) + state.View(Viewer::Spectator());
    for (const SeatIndex seat : state.Awaited()) {
      for (const LegalChoice& choice : OfferedTo(state, seat)) seen += choice.label + json::Write(choice.choice.data);
    }
    const json::Value saved = state.Serialize();
    const std::string text = json::Write(*json::Find(saved, "state"));
    const auto& [other, seed] = found_.starts.try_emplace(std::move(seen), text, seed_).first->second;
    if (other == text) return;
    Complain(At("setup") +
                 "setup draws with random what nobody sees, and search must not see it either: export redeal, which "
                 "draws it again. With seed " +
                 std::to_string(seed) + " the state is " + Ellipsize(other, 300),
             &state);
  }

  // What a seat reads of a choice must not tell it a value that stays hidden from it. Such a value, changed alone,
  // changes the line, and nothing else that the seat sees afterwards; but it changes the state.
  void CheckLog(const GameState& before, const GameState& after, SeatIndex seat, const PlayedChoice& choice) {
    const auto reader = static_cast<SeatIndex>(rng_.Below(seats_));
    json::Value saved = before.Serialize();
    const json::Value drawn = before.Sample(reader, rng_)->Serialize();
    const json::Value& redealt = *json::Find(drawn, "state");
    json::Value& state = saved.get_object()["state"];
    if (json::Equal(state, redealt)) return;
    found_.redeals = true;
    const std::vector<std::string> read = after.News(before, Viewer::Seat(reader));
    // The state after the choice, had it been made in this one.
    const auto played = [&]() -> std::unique_ptr<GameState> {
      auto restored = game_.Restore(saved);
      if (!restored || !(*restored)->Validate(seat, choice.action, choice.data)) return nullptr;
      (*restored)->Apply(seat, choice.action, choice.data);
      return games::FaultOf(**restored).empty() ? *std::move(restored) : nullptr;
    };
    const json::Value real = std::exchange(state, redealt);
    const auto other = played();
    state = real;
    const bool is_told = other != nullptr && other->News(before, Viewer::Seat(reader)) != read;
    if (!is_told || found_.logs_left-- <= 0) return;
    EachChanged(state, redealt, "state", [&](const std::string& path, const json::Value& value) {
      const auto changed = played();
      if (changed == nullptr || LooksOtherwise(*changed, after, reader)) return false;
      const std::vector<std::string> instead = changed->News(before, Viewer::Seat(reader));
      const json::Value now = after.Serialize();
      const json::Value then = changed->Serialize();
      if (instead == read || json::Equal(*json::Find(now, "state"), *json::Find(then, "state"))) return false;
      const auto lines = [](const std::vector<std::string>& all) {
        return all.empty() ? std::string("nothing") : "\"" + Ellipsize(all.back(), 100) + "\"";
      };
      Complain(At("apply") + "apply tells seat " + std::to_string(reader) +
                   " in the log what observe does not show it, " + path + ": it reads " + lines(read) + ", and " +
                   lines(instead) + " if that were " + Ellipsize(json::Write(value), 60) +
                   "\n  Give the line to the seats that know it, {text, to: [seat]}; or keep in the state what this "
                   "seat has learned, for observe and redeal.",
               &before);
      return true;
    });
  }

  static bool LooksOtherwise(const GameState& one, const GameState& other, SeatIndex seat) {
    const Viewer viewer = Viewer::Seat(seat);
    return one.Awaited() != other.Awaited() || one.GetOutcome() != other.GetOutcome() ||
           !json::Equal(one.Observe(viewer), other.Observe(viewer)) || one.Describe(seat) != other.Describe(seat) ||
           one.View(viewer) != other.View(viewer);
  }

  // Calls `look` with each value of `now` that differs in `other`, after it has been changed to that, until it returns
  // true.
  using Look = std::function<bool(const std::string& path, const json::Value& value)>;
  static bool EachChanged(json::Value& now, const json::Value& other, const std::string& path, const Look& look) {
    if (json::Equal(now, other)) return false;
    if (now.is_object() && other.is_object()) {
      for (auto& member : now.get_object()) {
        const json::Value* changed = json::Find(other, json::KeyOf(member));
        const std::string below = path + "." + std::string(json::KeyOf(member));
        if (changed != nullptr && EachChanged(member.value(), *changed, below, look)) return true;
      }
      return false;
    }
    if (now.is_array() && other.is_array() && now.get_array().size() == other.get_array().size()) {
      for (std::size_t i = 0; i < now.get_array().size(); ++i) {
        const std::string below = path + "[" + std::to_string(i) + "]";
        if (EachChanged(now.get_array()[i], other.get_array()[i], below, look)) return true;
      }
      return false;
    }
    const json::Value kept = std::exchange(now, other);
    const bool is_found = look(path, other);
    now = kept;
    return is_found;
  }

  std::string At(std::string_view function) const {
    const std::string place = games::PlaceOf(game_, function);
    return place.empty() ? place : place + ": ";
  }

  void Complain(const std::string& what, const GameState* state) {
    std::string text = what + "\n  with " + std::to_string(seats_) + " seats, seed " + std::to_string(seed_) +
                       ", after " + std::to_string(choices_.size()) + " choices";
    if (!choices_.empty()) text += "; the last: " + choices_.back();
    if (state != nullptr) {
      const json::Value saved = state->Serialize();
      if (const json::Value* its = json::Find(saved, "state")) {
        text += "\n  in the state " + json::Write(*its).substr(0, 2000);
      }
    }
    found_.Add(text);
  }

  const Game& game_;
  const json::Value& options_;
  const SeatIndex seats_;
  const std::uint64_t seed_;
  const Budget budget_;
  Found& found_;
  ScriptReport& report_;
  Rng rng_;
  std::vector<std::string> choices_;
};

}  // namespace

ScriptReport CheckScript(const Game& game, const json::Value& options, int games,
                         std::shared_ptr<std::atomic<std::int64_t>> budget,
                         const std::function<void(const std::string&)>& progress, std::uint64_t seed) {
  ScriptReport report;
  report.game = game.info().id;
  Found found{report};
  // Random games use a third of the budget, those with the fewest seats half of it: the rest is for what follows.
  const bool is_one = game.info().min_seats == game.info().max_seats;
  const std::int64_t share = budget == nullptr ? 0 : *budget / (is_one ? 3 : 6);
  std::int64_t left = budget == nullptr ? 0 : budget->load();
  for (const SeatIndex seats : {game.info().min_seats, game.info().max_seats}) {
    // What many see takes long.
    const int most = seats > kManySeats ? (games + 3) / 4 : games;
    found.starts.clear();
    left -= share;
    for (int i = 0; i < most && !found.full(); ++i) {
      if (budget != nullptr && i > 0 && *budget < left) {
        report.notes.push_back("only " + std::to_string(i) + " of " + std::to_string(most) + " random games with " +
                               std::to_string(seats) +
                               " seats were played: they take many steps; `openseat games check` has no limit");
        break;
      }
      if (progress) progress("random game " + std::to_string(i + 1) + " of " + std::to_string(most));
      ScriptGameRun(game, options, seats, seed + static_cast<std::uint64_t>(i), budget, found).Play();
    }
    if (is_one) break;
  }
  if (!report.complaints.empty()) return report;
  if (progress) progress("secrets, copies and refusals");
  // Each state is looked at by each seat, in the samples of each other one.
  const bool is_large = game.info().max_seats > kManySeats;
  const std::vector<std::string> complaints =
      testing::CheckGame(game, {.options = options,
                                .games = is_large ? 1 : kConformanceGames,
                                .max_choices = is_large ? 12 : 40,
                                .fuzzed_choices = 4,
                                .moves_tried = 2,
                                .fuzzed_saves = 0,  // a script need not know wrong states
                                .played_on = 4,
                                .played_to_the_end = 0.02,
                                .max_complaints = kMostComplaints});
  for (const std::string& complaint : complaints) {
    // The default description is made of what observe shows.
    const bool is_default =
        games::PlaceOf(game, "describe").empty() && complaint.find("in its description") != complaint.npos;
    if (!is_default) found.Add(InWords(game, complaint));
  }
  if (game.info().hides && !found.redeals) {
    report.notes.emplace_back("redeal returned each state as it was: to the check, nothing in this game is a secret");
  }
  return report;
}

std::size_t SizeOfPlace(std::string_view complaint) {
  const std::size_t size = complaint.find(": ");
  if (size == complaint.npos) return 0;
  std::size_t at = size;
  for (int number = 0; number < 2; ++number) {
    const std::size_t end = at;
    while (at > 0 && IsDigit(complaint[at - 1])) --at;
    if (at == end || at < 2 || complaint[--at] != ':') return 0;
  }
  return size + 2;
}

json::Object ToJson(const ScriptReport& report) {
  json::Array complaints;
  for (const std::string& complaint : report.complaints) complaints.emplace_back(complaint);
  json::Object endings;
  for (const auto& [ending, games] : report.endings) endings[ending] = games;
  json::Array notes;
  for (const std::string& note : report.notes) notes.emplace_back(note);
  return {{"ok", report.complaints.empty()},     {"game", report.game},
          {"complaints", std::move(complaints)}, {"games", report.games},
          {"choices", report.choices},           {"longest", report.longest},
          {"state_bytes", report.state_bytes},   {"observation_bytes", report.observation_bytes},
          {"view_bytes", report.view_bytes},     {"steps", report.steps},
          {"endings", std::move(endings)},       {"notes", std::move(notes)}};
}

}  // namespace openseat::app
