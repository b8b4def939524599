#include "testing/state_checks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "schema/generate/generate.h"
#include "testing/json_fuzz.h"

namespace openseat::testing {
namespace {

std::string Text(SeatIndex seat, const PlayedChoice& choice) {
  std::string data = json::Write(choice.data);
  if (data.size() > 200) data.resize(200);
  return "seat " + std::to_string(seat) + ": " + choice.action + " " + data;
}

const ActionSpec* Find(const std::vector<ActionSpec>& actions, std::string_view name) {
  const auto found =
      std::find_if(actions.begin(), actions.end(), [&](const ActionSpec& action) { return action.name == name; });
  return found == actions.end() ? nullptr : &*found;
}

// Whether the schema says that data is an object, as all data is.
bool SaysObject(const json::Value& schema) {
  if (const json::Value* type = json::Find(schema, "type")) return *type == "object";
  const json::Value* any = json::Find(schema, "anyOf");
  const json::Array* branches = any == nullptr ? nullptr : any->if_array();
  return branches != nullptr && std::all_of(branches->begin(), branches->end(), SaysObject);
}

std::string Short(const json::Value& value) {
  return json::Excerpt(value, 60);
}

std::string Text(const std::vector<ActionSpec>& actions) {
  std::string text;
  for (const ActionSpec& action : actions) text += action.name + json::Write(action.schema) + action.description;
  return text;
}

std::string Text(const std::vector<LegalChoice>& choices) {
  std::string text;
  for (const LegalChoice& choice : choices) {
    text += std::to_string(choice.move) + ": " + choice.label + ", " + choice.choice.action + " " +
            json::Write(choice.choice.data) + "\n";
  }
  return text;
}

// Where a state and a sample differ first: "numbers[1] is 3, in the sample 5".
std::string Difference(const json::Value& one, const json::Value& other, const std::string& path = "") {
  const auto* const members = one.if_object();
  if (members != nullptr && other.is_object()) {
    const auto deeper = [&](std::string_view name) {
      const json::Value* mine = json::Find(one, name);
      const json::Value* yours = json::Find(other, name);
      const std::string below = path + (path.empty() ? "" : ".") + std::string(name);
      if (mine != nullptr && yours != nullptr) return Difference(*mine, *yours, below);
      return mine == nullptr ? below + " is there only in the sample: " + Short(*yours)
                             : below + " is not there in the sample: " + Short(*mine);
    };
    for (const auto& member : *members) {
      const json::Value* yours = json::Find(other, json::KeyOf(member));
      if (yours == nullptr || !json::Equal(member.value(), *yours)) return deeper(json::KeyOf(member));
    }
    for (const auto& member : other.get_object()) {
      if (json::Find(one, json::KeyOf(member)) == nullptr) return deeper(json::KeyOf(member));
    }
  }
  const auto* const items = one.if_array();
  if (items != nullptr && other.is_array() && items->size() == other.get_array().size()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (json::Equal((*items)[i], other.get_array()[i])) continue;
      return Difference((*items)[i], other.get_array()[i], path + "[" + std::to_string(i) + "]");
    }
  }
  std::size_t begin = 0;  // of what is shown of long texts
  if (one.is_string() && other.is_string()) {
    const std::string_view mine = json::View(one.get_string());
    begin = static_cast<std::size_t>(std::ranges::mismatch(mine, json::View(other.get_string())).in1 - mine.begin());
    begin -= std::min<std::size_t>(begin, 30);
    while (begin > 0 && (static_cast<unsigned char>(mine[begin]) & 0xC0) == 0x80) --begin;
  }
  const auto shown = [begin](const json::Value& value) {
    return value.is_string() ? "\"" + Ellipsize(json::View(value.get_string()).substr(begin), 60) + "\"" : Short(value);
  };
  return path + (path.empty() ? "it" : "") + " is " + shown(one) + ", in the sample " + shown(other);
}

// Of a view: JSON, or "".
json::Value Parts(const std::string& view) {
  return json::Parse(view).value_or(json::Value(view));
}
json::Value Parts(const std::vector<std::string>& lines) {
  json::Array list;
  for (const std::string& line : lines) list.emplace_back(line);
  return list;
}

json::Value OutcomeJson(const GameState& state) {
  const std::optional<Outcome> outcome = state.GetOutcome();
  if (!outcome) return nullptr;
  json::Array winners;
  for (const SeatIndex seat : outcome->winners) winners.emplace_back(seat);
  return json::Object{{"winners", std::move(winners)},
                      {"reason", outcome->reason},
                      {"scores", json::Array(outcome->scores.begin(), outcome->scores.end())}};
}

bool IsEmptyData(const json::Value& data) {
  return data.is_null() || (data.is_object() && data.get_object().empty());
}

// How many of the samples are copied and played on.
constexpr double kPlayedOn = 0.5;
constexpr int kLongestGame = 10'000;

}  // namespace

std::vector<Move> MovesOf(const GameState& state, SeatIndex seat) {
  std::vector<Move> moves(state.Moves(seat, {}));
  state.Moves(seat, moves);
  return moves;
}

bool SchemaCache::Accepts(const json::Value& schema, const json::Value& data, Complaints& complaints) {
  if (schema.is_null()) return IsEmptyData(data);
  const schema::Schema* compiled = Compiled(schema, complaints);
  return compiled != nullptr && compiled->IsValid(data);
}

const schema::Schema* SchemaCache::Compiled(const json::Value& schema, Complaints& complaints) {
  std::shared_ptr<const schema::Schema>& compiled = compiled_[json::Write(schema)];
  if (compiled == nullptr) {
    auto result = schema::Schema::Compile(schema);
    if (!result) {
      complaints.Add("a schema does not compile: " + result.error().message);
      return nullptr;
    }
    compiled = *std::move(result);
  }
  return compiled.get();
}

const ActionSpec* StateChecks::InCatalogue(std::string_view action) const {
  return Find(game_.info().actions, action);
}

void StateChecks::Check(const GameState& state, const GameState& start) {
  const std::unique_ptr<GameState> before = state.Clone();
  CheckCopies(state, start);
  CheckOutcome(state);
  for (SeatIndex seat = 0; seat < state.names().size(); ++seat) {
    CheckActions(state, seat);
    CheckMoves(state, seat);
    CheckQuestions(state, seat);
    CheckFuzzed(state, seat);
    CheckGenerated(state, seat);
    CheckSecrets(state, seat);
    CheckSample(state, seat);
  }
  const std::string_view first = game_.info().actions.front().name;
  for (const SeatIndex stranger : {static_cast<SeatIndex>(state.names().size()), SeatIndex{63}, SeatIndex{64}, ~0u}) {
    if (stranger < state.names().size()) continue;
    const Result<void> valid = state.Validate(stranger, first, nullptr);
    Expect(!valid && valid.error().code == ErrorCode::kNotYourTurn,
           "a seat that does not exist must be told kNotYourTurn");
  }
  Expect(state.Equals(*before), "looking at a state changed it");
}

void StateChecks::CheckCopies(const GameState& state, const GameState& start) {
  const std::unique_ptr<GameState> clone = state.Clone();
  Expect(clone->Equals(state) && state.Equals(*clone), "a clone is not equal");
  CheckLooks(state, *clone, "a clone");
  const std::unique_ptr<GameState> assigned = start.Clone();
  assigned->Assign(state);
  Expect(assigned->Equals(state), "an assigned state is not equal");
  CheckLooks(state, *assigned, "an assigned state");

  const std::string saved = json::Write(state.Serialize());
  const auto read = json::Parse(saved);
  const auto restored = read ? game_.Restore(*read) : Fail(read.error());
  if (!restored) {
    complaints_.Add("its own saved state is refused: " + restored.error().message);
    return;
  }
  Expect((*restored)->Equals(state), "a restored state is not equal");
  CheckLooks(state, **restored, "a restored state");
}

void StateChecks::ExpectSame(const json::Value& one, const json::Value& other, const std::string& complaint) {
  if (!json::Equal(one, other)) complaints_.Add(complaint + Difference(one, other));
}

void StateChecks::CheckLooks(const GameState& a, const GameState& b, std::string_view what) {
  const std::string prefix = std::string(what) + " differs in ";
  Expect(a.names() == b.names(), prefix + "its names");
  Expect(json::Write(a.Serialize()) == json::Write(b.Serialize()), prefix + "what it saves");
  Expect(a.Awaited() == b.Awaited(), prefix + "who is awaited");
  Expect(a.GetOutcome() == b.GetOutcome(), prefix + "its outcome");
  Expect(json::Write(a.Observe(Viewer::Spectator())) == json::Write(b.Observe(Viewer::Spectator())),
         prefix + "what spectators see");
  Expect(a.View(Viewer::Spectator()) == b.View(Viewer::Spectator()), prefix + "the spectators' view");
  if (a.names() != b.names()) return;
  for (SeatIndex seat = 0; seat < a.names().size(); ++seat) {
    Expect(json::Write(a.Observe(Viewer::Seat(seat))) == json::Write(b.Observe(Viewer::Seat(seat))),
           prefix + "what a seat sees");
    Expect(a.View(Viewer::Seat(seat)) == b.View(Viewer::Seat(seat)), prefix + "a seat's view");
    Expect(a.Describe(seat) == b.Describe(seat), prefix + "its description");
    Expect(Text(a.Actions(seat)) == Text(b.Actions(seat)), prefix + "its actions");
    Expect(MovesOf(a, seat) == MovesOf(b, seat), prefix + "its moves");
  }
}

void StateChecks::CheckOutcome(const GameState& state) {
  const std::optional<Outcome> outcome = state.GetOutcome();
  const SeatSet awaited = state.Awaited();
  Expect(outcome.has_value() == awaited.empty(), "there is an outcome exactly when nobody is awaited");
  for (const SeatIndex seat : awaited) Expect(seat < state.names().size(), "a seat is awaited that does not exist");
  if (!outcome) return;
  Expect(!outcome->reason.empty(), "the outcome needs a reason");
  if (outcome->scores.size() != state.names().size()) {
    complaints_.Add("the outcome needs one score a seat");
    return;
  }
  const double best = *std::max_element(outcome->scores.begin(), outcome->scores.end());
  for (const SeatIndex seat : outcome->winners) {
    Expect(seat < outcome->scores.size() && outcome->scores[seat] == best, "a winner has not the highest score");
  }
  const auto top = std::count(outcome->scores.begin(), outcome->scores.end(), best);
  // A player alone can lose.
  const bool is_alone = state.names().size() == 1;
  Expect(!outcome->winners.empty() || top > 1 || is_alone, "nobody won, though one score is the highest");
}

void StateChecks::CheckActions(const GameState& state, SeatIndex seat) {
  const std::vector<ActionSpec> actions = state.Actions(seat);
  bool must_choose = false;
  for (const ActionSpec& action : actions) {
    const ActionSpec* known = InCatalogue(action.name);
    Expect(known != nullptr && known->any_time == action.any_time, "the catalog has no such action: " + action.name);
    Expect(Find(actions, action.name) == &action, "two actions have the same name: " + action.name);
    Expect(!action.description.empty(), "an action needs a description: " + action.name);
    Expect(action.schema.is_null() || SaysObject(action.schema),
           "the schema must say that data is an object (\"type\": \"object\"): " + action.name);
    must_choose = must_choose || !action.any_time;
  }
  Expect(must_choose == state.Awaited().Contains(seat), "exactly the awaited seats have actions other than questions");
  Expect(state.Observe(Viewer::Seat(seat)).is_object(), "an observation must be an object");
  Expect(!state.Describe(seat).empty(), "a description must not be empty");
}

void StateChecks::CheckMoves(const GameState& state, SeatIndex seat) {
  const std::vector<Move> moves = MovesOf(state, seat);
  Expect(moves.empty() != state.Awaited().Contains(seat), "exactly the awaited seats have moves");
  Expect(moves.size() <= game_.info().max_moves, "there are more than max_moves moves");
  Expect(std::is_sorted(moves.begin(), moves.end()) && std::adjacent_find(moves.begin(), moves.end()) == moves.end(),
         "moves must be ascending and different");
  if (!moves.empty()) {
    std::vector<Move> room(moves.size(), ~Move{0});
    Expect(state.Moves(seat, std::span(room).first(moves.size() - 1)) == moves.size(),
           "Moves must return how many there are, not how many fit");
    Expect(room.back() == ~Move{0}, "Moves wrote beyond its room");
  }
  const std::vector<ActionSpec> actions = state.Actions(seat);
  std::vector<Move> tried = moves;
  while (tried.size() > options_.moves_tried) {
    tried.erase(tried.begin() + static_cast<std::ptrdiff_t>(rng_.Below(tried.size())));
  }
  for (const Move move : tried) CheckMove(state, seat, move, actions);
  CheckOffered(state, seat, actions);
}

// Who picks from what is offered can always go on.
void StateChecks::CheckOffered(const GameState& state, SeatIndex seat, const std::vector<ActionSpec>& actions) {
  const std::vector<LegalChoice> offered = OfferedTo(state, seat);
  std::map<std::string, std::string> labels;
  Expect(offered.empty() != state.Awaited().Contains(seat), "a seat that is awaited is offered no choice");
  for (const LegalChoice& choice : offered) {
    const ActionSpec* action = Find(actions, choice.choice.action);
    Expect(action != nullptr && action->offered, "offered, though its action is not: " + Text(seat, choice.choice));
    const std::string text = Text(seat, choice.choice);
    const std::string& first = labels.try_emplace(choice.label, text).first->second;
    Expect(!game_.info().moves_complete || first == text,
           "two choices that are offered have the label \"" + choice.label + "\": " + first + ", and " + text);
  }
}

// What is told of a choice that leads to `after`: everything to those who see everything, and to the others nothing
// that they could not notice.
void StateChecks::CheckNews(const GameState& before, const GameState& after, SeatIndex mover, const std::string& text) {
  for (SeatIndex seat = 0; seat < after.names().size(); ++seat) {
    const std::vector<std::string> news = after.News(before, Viewer::Seat(seat));
    for (const std::string& line : news) {
      Expect(!line.empty() && line.find('\n') == std::string::npos, "news must be one line each: " + text);
    }
    if (seat == mover) continue;
    if (!game_.info().hides) {
      Expect(!news.empty(), "seat " + std::to_string(seat) + " is not told of " + text);
    } else if (!news.empty()) {
      const Viewer viewer = Viewer::Seat(seat);
      Expect(json::Write(before.Observe(viewer)) != json::Write(after.Observe(viewer)) ||
                 before.Log(viewer) != after.Log(viewer),
             "seat " + std::to_string(seat) + " is told of what it cannot see: " + text);
    }
  }
}

void StateChecks::CheckMove(const GameState& state, SeatIndex seat, Move move, const std::vector<ActionSpec>& actions) {
  const PlayedChoice choice = state.ToChoice(seat, move);
  const std::string text = Text(seat, choice);
  const Result<void> valid = state.Validate(seat, choice.action, choice.data);
  if (!valid) {
    complaints_.Add("a move's choice is refused: " + text + ": " + valid.error().message);
    return;
  }
  Expect(!state.MoveLabel(seat, move).empty(), "a move has no label: " + text);
  const ActionSpec* now = Find(actions, choice.action);
  const ActionSpec* known = InCatalogue(choice.action);
  if (now == nullptr || known == nullptr) {
    complaints_.Add("a move's action is not among the seat's actions: " + text);
    return;
  }
  Expect(schemas_.Accepts(now->schema, choice.data, complaints_), "legal, but the schema refuses it: " + text);
  Expect(schemas_.Accepts(known->schema, choice.data, complaints_), "legal, but the catalog refuses it: " + text);
  const std::unique_ptr<GameState> applied = state.Clone();
  const std::unique_ptr<GameState> moved = state.Clone();
  applied->Apply(seat, choice.action, choice.data);
  moved->ApplyMove(seat, move);
  Expect(applied->Equals(*moved), "Apply and ApplyMove lead to different states: " + text);
  Expect(!applied->Equals(state), "a choice changed nothing: " + text);
  CheckNews(state, *moved, seat, text);
}

void StateChecks::CheckQuestions(const GameState& state, SeatIndex seat) {
  for (const ActionSpec& action : game_.info().actions) {
    if (!action.any_time || !schemas_.Accepts(action.schema, json::Object(), complaints_)) continue;
    const PlayedChoice choice{action.name, json::Object()};
    if (!state.Validate(seat, choice.action, choice.data)) {
      complaints_.Add("a question is refused: " + Text(seat, choice));
      continue;
    }
    const std::unique_ptr<GameState> asked = state.Clone();
    asked->Apply(seat, choice.action, choice.data);
    Expect(asked->Equals(state), "a question changed the state: " + Text(seat, choice));
  }
}

// Something that a player might send by mistake, or a legal choice.
PlayedChoice StateChecks::FuzzedChoice(const GameState& state) {
  std::vector<PlayedChoice> legal;
  for (const SeatIndex seat : state.Awaited()) {
    const std::vector<Move> moves = MovesOf(state, seat);
    if (!moves.empty()) legal.push_back(state.ToChoice(seat, moves[rng_.Below(moves.size())]));
  }
  const std::vector<ActionSpec>& catalog = game_.info().actions;
  PlayedChoice choice{catalog[rng_.Below(catalog.size())].name, json::Object()};
  if (!legal.empty() && rng_.Chance(0.8)) choice = legal[rng_.Below(legal.size())];
  if (rng_.Chance(0.05)) choice.action += "s";
  if (rng_.Chance(0.02)) choice.action.clear();
  if (rng_.Chance(0.7)) choice.data = Mutated(choice.data, rng_);
  if (rng_.Chance(0.15)) choice.data = RandomJson(rng_);
  return choice;
}

void StateChecks::CheckFuzzed(const GameState& state, SeatIndex seat) {
  for (int i = 0; i < options_.fuzzed_choices && !complaints_.full(); ++i) {
    CheckChoice(state, seat, FuzzedChoice(state));
  }
}

// What a random agent that knows only the schemas would send.
void StateChecks::CheckGenerated(const GameState& state, SeatIndex seat) {
  for (const ActionSpec& action : state.Actions(seat)) {
    if (action.schema.is_null()) continue;
    const schema::Schema* compiled = schemas_.Compiled(action.schema, complaints_);
    if (compiled == nullptr) continue;
    auto data = schema::Generate(*compiled, rng_);
    if (data) {
      CheckChoice(state, seat, {action.name, *std::move(data)});
    } else {
      complaints_.Add("no data can be generated for " + action.name + ": " + data.error().message);
    }
  }
}

void StateChecks::CheckChoice(const GameState& state, SeatIndex seat, const PlayedChoice& choice) {
  const Result<void> valid = state.Validate(seat, choice.action, choice.data);
  const std::string text = Text(seat, choice);
  const ActionSpec* known = InCatalogue(choice.action);
  if (known == nullptr) {
    Expect(!valid && valid.error().code == ErrorCode::kNoSuchAction, "not told kNoSuchAction: " + text);
    return;
  }
  if (!known->any_time && !state.Awaited().Contains(seat)) {
    Expect(!valid && valid.error().code == ErrorCode::kNotYourTurn, "not told kNotYourTurn: " + text);
    return;
  }
  if (!valid) {
    const ErrorCode code = valid.error().code;
    Expect(code == ErrorCode::kIncorrectData || code == ErrorCode::kIncorrectMove,
           "told " + std::string(ErrorCodeName(code)) + ": " + text);
    Expect(!valid.error().message.empty(), "refused without a message: " + text);
  }
  const std::vector<ActionSpec> actions = state.Actions(seat);
  const ActionSpec* now = Find(actions, choice.action);
  const bool by_schema = now != nullptr && schemas_.Accepts(now->schema, choice.data, complaints_);
  Expect(valid.has_value() == by_schema,
         std::string(valid ? "legal, but the schema refuses it: " : "the schema accepts it, but it is refused: ") +
             text + (valid ? "" : ": " + valid.error().message));
  if (known->any_time) return;

  // Where both are accepted, {} and null are the same choice.
  const bool no_data = by_schema && IsEmptyData(choice.data);
  const std::vector<Move> moves = MovesOf(state, seat);
  const auto same = std::find_if(moves.begin(), moves.end(), [&](Move move) {
    const PlayedChoice other = state.ToChoice(seat, move);
    return other.action == choice.action &&
           ((no_data && IsEmptyData(other.data)) || json::Equal(other.data, choice.data));
  });
  if (game_.info().moves_complete && known->offered) {
    Expect(valid.has_value() == (same != moves.end()),
           std::string(valid ? "accepted, but no move: " : "a move, but refused: ") + text);
  }
  if (!valid) return;
  const std::unique_ptr<GameState> applied = state.Clone();
  applied->Apply(seat, choice.action, choice.data);
  if (same == moves.end()) return;
  const std::unique_ptr<GameState> moved = state.Clone();
  moved->ApplyMove(seat, *same);
  Expect(applied->Equals(*moved), "Apply and ApplyMove lead to different states: " + text);
}

// Two different choices of one seat must look the same to everyone else while other seats still owe theirs.
void StateChecks::CheckSecrets(const GameState& state, SeatIndex seat) {
  if (!state.Awaited().Contains(seat) || state.Awaited().size() < 2) return;
  const std::vector<Move> moves = MovesOf(state, seat);
  if (moves.size() < 2) return;
  const std::size_t one = rng_.Below(moves.size());
  const std::size_t other = (one + 1 + rng_.Below(moves.size() - 1)) % moves.size();
  const std::unique_ptr<GameState> a = state.Clone();
  const std::unique_ptr<GameState> b = state.Clone();
  a->ApplyMove(seat, moves[one]);
  b->ApplyMove(seat, moves[other]);
  const std::string choice = "seat " + std::to_string(seat) + "'s choice is not a secret ";
  Expect(a->Awaited() == b->Awaited(), choice + "by who is awaited");
  Expect(json::Write(a->Observe(Viewer::Spectator())) == json::Write(b->Observe(Viewer::Spectator())),
         choice + "to spectators");
  Expect(a->View(Viewer::Spectator()) == b->View(Viewer::Spectator()), choice + "in the spectators' view");
  const std::uint64_t seed = rng_.Next();
  for (SeatIndex viewer = 0; viewer < state.names().size(); ++viewer) {
    if (viewer == seat) continue;
    if (a->Log(Viewer::Seat(viewer)) != b->Log(Viewer::Seat(viewer))) {
      complaints_.Add(choice + "in the log");
      continue;
    }
    const std::unique_ptr<GameState> sample = SampleOf(*a, viewer, seed);
    const auto is_as = [&](const GameState& another) {
      const std::unique_ptr<GameState> drawn = SampleOf(another, viewer, seed);
      return sample != nullptr && drawn != nullptr && sample->Equals(*drawn);
    };
    Expect(is_as(*b), choice + "in a sample");
    const bool unseen =
        json::Write(a->Observe(Viewer::Seat(viewer))) == json::Write(state.Observe(Viewer::Seat(viewer)));
    Expect(!unseen || is_as(state),
           "that seat " + std::to_string(seat) + " has chosen cannot be seen, and is not a secret in a sample");
    Expect(json::Write(a->Observe(Viewer::Seat(viewer))) == json::Write(b->Observe(Viewer::Seat(viewer))),
           choice + "in an observation");
    Expect(a->View(Viewer::Seat(viewer)) == b->View(Viewer::Seat(viewer)), choice + "in a view");
    Expect(a->Describe(viewer) == b->Describe(viewer), choice + "in a description");
    Expect(Text(a->Actions(viewer)) == Text(b->Actions(viewer)), choice + "in the actions of another");
  }
}

// The state from which a seat plays ahead is a state like any other. The seat cannot tell it from the real one, and
// nothing went into it except what the seat sees.
void StateChecks::CheckSample(const GameState& state, SeatIndex seat) {
  const std::unique_ptr<GameState> sample = SampleOf(state, seat, rng_.Next());
  Expect(sample != nullptr, "there is no sample of a state");
  if (sample == nullptr) return;
  if (!game_.info().hides) {
    Expect(sample->Equals(state), "the game hides nothing, and a sample is another state");
    Expect(json::Write(state.Observe(Viewer::Seat(seat))) == json::Write(state.Observe(Viewer::Spectator())),
           "the game hides nothing, and a seat sees something else than spectators");
    Expect(state.View(Viewer::Seat(seat)) == state.View(Viewer::Spectator()),
           "the game hides nothing, and a seat's view is not that of spectators");
    return;
  }
  const std::string of = "a sample differs for its seat in ";
  const Viewer viewer = Viewer::Seat(seat);
  Expect(sample->names() == state.names(), of + "the names");
  Expect(sample->Awaited().Contains(seat) == state.Awaited().Contains(seat), of + "whether it is awaited");
  const std::string who = ": seat " + std::to_string(seat) + ", ";
  ExpectSame(OutcomeJson(state), OutcomeJson(*sample), of + "the outcome" + who);
  ExpectSame(state.Observe(viewer), sample->Observe(viewer), of + "what it sees" + who);
  ExpectSame(Parts(state.View(viewer)), Parts(sample->View(viewer)), of + "its view" + who);
  ExpectSame(json::Value(state.Describe(seat)), json::Value(sample->Describe(seat)), of + "its description" + who);
  ExpectSame(Parts(state.Log(viewer)), Parts(sample->Log(viewer)), of + "its log" + who);
  Expect(Text(sample->Actions(seat)) == Text(state.Actions(seat)), of + "its actions");
  // Any player may also watch as a spectator.
  const Viewer spectator = Viewer::Spectator();
  ExpectSame(state.Observe(spectator), sample->Observe(spectator), "spectators see what a seat must not know" + who);
  ExpectSame(Parts(state.View(spectator)), Parts(sample->View(spectator)),
             "the spectators' view has what a seat must not know" + who);
  Expect(Text(ChoicesOf(*sample, seat)) == Text(ChoicesOf(state, seat)), of + "its moves");

  // The sample is a state that the seat cannot tell from the real one: samples of both are the same.
  const std::uint64_t seed = rng_.Next();
  const std::unique_ptr<GameState> one = SampleOf(state, seat, seed);
  const std::unique_ptr<GameState> other = SampleOf(*sample, seat, seed);
  Expect(one != nullptr && other != nullptr, "there is no sample of a sample");
  if (one == nullptr || other == nullptr) return;
  Expect(one->Equals(*other), "samples of two states that the seat cannot tell apart differ");
  Expect(json::Write(one->Serialize()) == json::Write(other->Serialize()),
         "samples of two states that the seat cannot tell apart save differently");
  if (!sample->Equals(state)) sampled_another_ = true;

  // Most of this is slow, so not every sample is played on.
  if (!rng_.Chance(kPlayedOn)) return;
  CheckCopies(*sample, *sample);
  for (int left = rng_.Chance(options_.played_to_the_end) ? kLongestGame : options_.played_on; left > 0; --left) {
    const SeatSet awaited = sample->Awaited();
    if (awaited.empty()) break;
    const std::vector<Move> moves = MovesOf(*sample, awaited.First());
    if (moves.empty()) {
      complaints_.Add("an awaited seat has no moves in what a sample was played on to");
      return;
    }
    sample->ApplyMove(awaited.First(), moves[rng_.Below(moves.size())]);
  }
  CheckCopies(*sample, state);
  CheckOutcome(*sample);
}

std::unique_ptr<GameState> StateChecks::SampleOf(const GameState& state, SeatIndex seat, std::uint64_t seed) {
  Rng rng(seed);
  return state.Sample(seat, rng);
}

void StateChecks::CheckRestored(const GameState& state) {
  const std::unique_ptr<GameState> playing = state.Clone();
  for (int left = options_.played_on; left > 0; --left) {
    CheckCopies(*playing, state);
    CheckOutcome(*playing);
    const SeatSet awaited = playing->Awaited();
    if (awaited.empty()) return;
    const std::vector<Move> moves = MovesOf(*playing, awaited.First());
    if (moves.empty()) {
      complaints_.Add("an awaited seat has no moves");
      return;
    }
    playing->ApplyMove(awaited.First(), moves[rng_.Below(moves.size())]);
  }
}

}  // namespace openseat::testing
