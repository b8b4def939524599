#include "app/script_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "app/script_files.h"
#include "app/script_hints.h"
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
constexpr int kManyGames = 10;
constexpr std::size_t kUnseenEvery = 7;  // choices
constexpr std::size_t kUnseenUntil = 30;

std::vector<std::string> NamesFor(SeatIndex seats) {
  std::vector<std::string> names;
  for (SeatIndex seat = 0; seat < seats; ++seat) names.push_back("Player" + std::to_string(seat + 1));
  return names;
}

// What shows at many places of the games is one mistake: the place and the function, or the whole sentence.
std::string_view KindOf(std::string_view complaint) {
  const std::size_t place = SizeOfPlace(complaint);
  return complaint.substr(0, complaint.find_first_of(place == 0 ? "\n" : "\n :(.", place));
}

// What all games of a check have found.
struct Found {
  ScriptReport& report;
  bool is_endless = false;               // each call takes as long as calls may
  bool redeals = false;                  // redeal returned another state than it was given
  bool differs = false;                  // a seat saw something else than spectators
  int told = 0;                          // choices of which somebody read
  int untold = 0;                        // and nobody
  int setups = 0;                        // that drew with random
  std::set<std::string> setup_states{};  // of those
  // What earlier games had after so many choices.
  std::map<std::size_t, json::Value> earlier{};
  int logs_left = 30;     // lines of the log that are looked at closely
  int unseen_left = 300;  // values that are tried
  std::map<std::string, std::pair<std::string, std::uint64_t>>
      starts{};  // what is seen of the first states; state, seed

  void Add(const std::string& complaint) {
    is_endless = is_endless || complaint.find("did not finish within") != complaint.npos;
    const auto is_same = [&](const std::string& known) { return KindOf(known) == KindOf(complaint); };
    if (std::ranges::none_of(report.complaints, is_same)) report.complaints.push_back(complaint);
  }
  bool full() const { return is_endless || report.complaints.size() >= kMostComplaints; }
};

// REQUIRES a saved state.
const json::Value& StateIn(const json::Value& saved) {
  return *json::Find(saved, "state");
}
json::Value StateIn(json::Value&& saved) {
  return *json::Find(saved, "state");
}

// As one line, with all characters as they are.
std::string Readable(const json::Value& value) {
  const std::string lines = json::WritePretty(value);
  std::string line;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (lines[at] != '\n') {
      line += lines[at];
      continue;
    }
    while (at + 1 < lines.size() && lines[at + 1] == ' ') ++at;
    if (line.ends_with(',')) line += ' ';
  }
  return line;
}

// "won 3 chips" and "won 12 chips" are one end.
std::string WithoutNumbers(std::string_view text) {
  std::string plain;
  for (const char c : text.substr(0, text.find(": "))) plain += c;
  bool was_digit = false;
  for (const char c : text.substr(plain.size())) {
    if (!IsDigit(c)) plain += c;
    if (IsDigit(c) && !was_digit) plain += 'N';
    was_digit = IsDigit(c);
  }
  return plain;
}

void MergeEndings(std::map<std::string, int>& endings) {
  constexpr std::size_t kMany = 8;
  if (endings.size() > kMany) {
    std::map<std::string, int> merged;
    for (const auto& [ending, games] : endings) merged[WithoutNumbers(ending)] += games;
    endings = std::move(merged);
  }
  while (endings.size() > ScriptReport::kMostEndings) endings.erase(std::prev(endings.end()));
}

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
    CheckSetup(*state);
    if (!game_.info().hides) CheckStart(*state);
    while (!state->Awaited().empty() && choices_.size() < kLongestGame) {
      Measure(*state);
      if (found_.full()) return;
      if (game_.info().hides && !found_.redeals && choices_.size() % kUnseenEvery == 0 &&
          choices_.size() < kUnseenUntil)
        CheckUnseen(*state);
      const std::shared_ptr<const GameState> before = state;
      const SeatIndex seat = Pick(state->Awaited());
      const PlayedChoice choice = ChoiceOf(*state, seat);
      choices_.push_back("seat " + std::to_string(seat) + " " + choice.action + " " + Readable(choice.data));
      const std::int64_t left = budget_ == nullptr ? 0 : budget_->load();
      // As in a match: with all that people see and read.
      Result<Ruling> ruling = Judge(*state, seat, choice.action, choice.data);
      if (budget_ != nullptr) report_.steps = std::max(report_.steps, left - *budget_);
      if (!ruling)
        return Complain("a choice that `actions` offers is refused: " + ruling.error().message, before.get(), true);
      state = std::move(ruling->next);
      if (!games::FaultOf(*state).empty()) return Complain(games::FaultOf(*state), before.get(), true);
      NoteNews(*before, *state);
      // All of the beginning, and less and less of what follows.
      if (choices_.size() % (1 + choices_.size() / 50) != 0) continue;
      Examine(*before, seat, &choice);
      if (game_.info().hides) {
        CheckRedeals(*before, seat);
        CheckLog(*before, *state, seat, choice);
      }
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
    ++report_.endings[(winners.empty() ? "nobody won" : winners + " won") + ": " + outcome.reason];
  }

  void CheckSetup(const GameState& state) {
    const Result<bool> draws = games::SetupDraws(game_, options_, seed_, NamesFor(seats_));
    if (!draws) return Complain(PlaceAndMessage(draws.error()), nullptr);
    if (!*draws) return;
    ++found_.setups;
    found_.setup_states.insert(json::Write(StateIn(state.Serialize())));
  }

  void NoteNews(const GameState& before, const GameState& after) {
    // While several choose at the same time, nobody may read of it.
    if (before.Awaited().size() > 1 && !after.Awaited().empty()) return;
    bool is_told = false;
    for (SeatIndex seat = 0; seat < seats_ && !is_told; ++seat) {
      is_told = !after.News(before, Viewer::Seat(seat)).empty();
    }
    ++(is_told ? found_.told : found_.untold);
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
    report_.state_bytes = std::max(report_.state_bytes, json::Write(StateIn(saved)).size());
    CheckView(state, Viewer::Spectator());
    for (SeatIndex seat = 0; seat < seats_; ++seat) {
      // Of many seats, one after the other.
      if (seats_ <= kManySeats || choices_.size() % seats_ == seat) CheckView(state, Viewer::Seat(seat));
      const std::string seen = json::Write(state.Observe(Viewer::Seat(seat)));
      report_.observation_bytes = std::max(report_.observation_bytes, seen.size());
      found_.differs = found_.differs || seen != json::Write(state.Observe(Viewer::Spectator())) ||
                       state.View(Viewer::Seat(seat)) != state.View(Viewer::Spectator());
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
    if (!examined) Complain(PlaceAndMessage(examined.error()), &state, choice != nullptr);
  }

  // What only chance makes, and nobody sees, is a secret.
  void CheckStart(const GameState& state) {
    std::string seen = json::Write(state.Observe(Viewer::Spectator())) + state.View(Viewer::Spectator());
    for (const SeatIndex seat : state.Awaited()) seen += Offered(state, seat);
    const json::Value saved = state.Serialize();
    const std::string text = json::Write(StateIn(saved));
    const auto& [other, seed] = found_.starts.try_emplace(std::move(seen), text, seed_).first->second;
    if (other == text) return;
    Complain(At("setup") +
                 "setup draws with random what nobody sees, and search must not see it either: export redeal, which "
                 "draws it again. With seed " +
                 std::to_string(seed) + " the state is " + Ellipsize(other, 300),
             &state);
  }

  // As search draws them: samples of samples. What else is wrong with redeal is said better by Examine.
  void CheckRedeals(const GameState& state, SeatIndex seat) {
    constexpr int kRedeals = 3;
    Rng rng(seed_ + choices_.size());
    std::unique_ptr<GameState> from = state.Clone();
    for (int i = 0; i < kRedeals && report_.complaints.empty(); ++i) {
      const games::FaultWatch watch;
      std::unique_ptr<GameState> sample = from->Sample(seat, rng);
      if (sample == nullptr) return Complain(watch.fault(), from.get());
      from = std::move(sample);
    }
  }

  // What a seat reads of a choice must not tell it a value that stays hidden from it. Such a value, changed alone,
  // changes the line, and nothing else that the seat sees afterwards; but it changes the state.
  void CheckLog(const GameState& before, const GameState& after, SeatIndex seat, const PlayedChoice& choice) {
    const auto reader = static_cast<SeatIndex>(rng_.Below(seats_));
    json::Value saved = before.Serialize();
    const std::unique_ptr<GameState> sample = before.Sample(reader, rng_);
    if (sample == nullptr) return;
    const json::Value drawn = sample->Serialize();
    const json::Value& redealt = StateIn(drawn);
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
      if (instead == read || json::Equal(StateIn(now), StateIn(then))) return false;
      const auto lines = [](const std::vector<std::string>& all) {
        return all.empty() ? std::string("nothing") : "\"" + Ellipsize(all.back(), 100) + "\"";
      };
      Complain(At("apply") + "apply tells seat " + std::to_string(reader) +
                   " in the log what observe does not show it, " + path + ": it reads " + lines(read) + ", and " +
                   lines(instead) + " if that were " + json::Excerpt(value, 60) +
                   "\n  Give the line to the seats that know it, {text, to: [seat]}; or keep in the state what this "
                   "seat has learned, for observe and redeal.",
               &before, true);
      return true;
    });
  }

  // Of a redeal that draws nothing: a value that chance or a choice made, and that a seat does not see. Such a value,
  // taken alone from an earlier game, changes nothing for the seat, but for another one; what setup drew may change
  // nothing for anybody.
  void CheckUnseen(const GameState& state) {
    json::Value saved = state.Serialize();
    json::Value& now = saved.get_object()["state"];
    for (SeatIndex seat = 0; seat < seats_ && !found_.redeals; ++seat) {
      const std::unique_ptr<GameState> sample = state.Sample(seat, rng_);
      if (sample == nullptr) return;
      found_.redeals = !json::Equal(StateIn(sample->Serialize()), now);
    }
    if (found_.redeals) return;
    json::Value& earlier = found_.earlier[choices_.size()];
    const json::Value other = std::exchange(earlier, now);
    if (other.is_null()) return;
    EachChanged(now, other, "state", [&](const std::string& path, const json::Value&) {
      if (found_.unseen_left-- <= 0) return true;
      const auto changed = game_.Restore(saved);
      if (!changed || !games::FaultOf(**changed).empty()) return false;
      std::optional<SeatIndex> blind;
      bool is_seen = choices_.empty();
      for (SeatIndex seat = 0; seat < seats_; ++seat) {
        if (LooksOtherwise(**changed, state, seat) || Offered(**changed, seat) != Offered(state, seat)) {
          is_seen = true;
        } else if (!blind) {
          blind = seat;
        }
      }
      if (!blind || !is_seen) return false;
      Complain(At("redeal") + "redeal returns each state as it is, but seat " + std::to_string(*blind) +
                   " cannot see " + path + ": redeal must draw it again for this seat",
               &state);
      return true;
    });
  }

  static std::string Offered(const GameState& state, SeatIndex seat) {
    std::string all;
    if (!state.Awaited().Contains(seat)) return all;
    for (const LegalChoice& choice : OfferedTo(state, seat)) all += choice.label + json::Write(choice.choice.data);
    return all;
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

  // `is_before`: the state is that before the last choice.
  void Complain(const std::string& what, const GameState* state, bool is_before = false) {
    std::string text = what + "\n  with " + std::to_string(seats_) + " seats, seed " + std::to_string(seed_) +
                       ", after " + std::to_string(choices_.size()) + " choices";
    if (!choices_.empty()) text += "; the last: " + choices_.back();
    if (state != nullptr) {
      text += (is_before ? "\n  before this choice, the state was " : "\n  in the state ") +
              Ellipsize(Readable(StateIn(state->Serialize())), 2000);
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
    found.earlier.clear();
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
  MergeEndings(report.endings);
  if (!report.complaints.empty()) return report;
  if (progress) progress("secrets, copies and refusals");
  // Each state is looked at by each seat, in the samples of each other one.
  const bool is_large = game.info().max_seats > kManySeats;
  const games::FaultWatch watch;
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
  // What a script fails with makes most of the others.
  if (!watch.fault().empty()) found.Add(watch.fault());
  for (const std::string& complaint : watch.fault().empty() ? complaints : std::vector<std::string>()) {
    // The default description is made of what observe shows.
    const bool is_default =
        games::PlaceOf(game, "describe").empty() && complaint.find("in its description") != complaint.npos;
    if (!is_default) found.Add(InWords(game, complaint));
  }
  if (game.info().hides && !found.redeals && found.differs) {
    report.notes.emplace_back("redeal returned each state as it was: to the check, nothing in this game is a secret");
  }
  if (found.setups > 2 && found.setup_states.size() == 1) {
    report.notes.emplace_back(
        "setup uses random, but its state is the same for all seeds: random.shuffle(list) returns a new list");
  }
  if (found.untold > found.told) {
    report.notes.emplace_back(
        "of most choices, nobody reads: in a game with redeal, people read only the log that apply returns");
  }
  if (report.games >= kManyGames && report.endings.size() == 1) {
    report.notes.push_back("all " + std::to_string(report.games) + " games ended the same way, " +
                           report.endings.begin()->first + ": no other end was tested");
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
