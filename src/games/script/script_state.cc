#include "games/script/script_state.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "base/work_note.h"
#include "core/plain_words.h"
#include "games/script/script_game.h"
#include "schema/measure.h"
#include "schema/schema.h"

namespace openseat::games {
namespace {

using Held = std::shared_ptr<const Position>;

bool IsNoData(const json::Value& data) {
  return data.is_null() || (data.is_object() && data.get_object().empty());
}

// As JSON, but with all characters as they are.
void AppendReadable(const json::Value& value, std::string& out) {
  if (const json::Array* list = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (i > 0) out += ',';
      AppendReadable((*list)[i], out);
    }
    out += ']';
  } else if (const json::Object* object = value.if_object()) {
    out += '{';
    for (const auto& member : *object) {
      if (out.back() != '{') out += ',';
      AppendReadable(json::Value(member.key()), out);
      out += ':';
      AppendReadable(member.value(), out);
    }
    out += '}';
  } else if (value.is_string() && std::ranges::none_of(value.get_string(), [](char c) {
               return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
             })) {
    out.append("\"").append(json::View(value.get_string())).append("\"");
  } else {
    out += json::Write(value);
  }
}

// "board: [[1,2],[3,4]]" for a model: a list of lists as rows, texts without quotes.
void AppendValue(std::string_view name, const json::Value& value, std::string& out) {
  out += "- " + std::string(name) + ": ";
  const json::Array* rows = value.if_array();
  const bool is_table = rows != nullptr && !rows->empty() &&
                        std::ranges::all_of(*rows, [](const json::Value& row) { return row.is_array(); });
  if (value.is_string()) {
    out += json::View(value.get_string());
  } else if (!is_table) {
    AppendReadable(value, out);
  } else {
    for (const json::Value& row : *rows) {
      out += "\n    ";
      AppendReadable(row, out);
    }
  }
  out += "\n";
}

// The same position after a failure of the script.
Held Failed(const Position& before, std::string fault, std::size_t seats) {
  auto position = std::make_shared<Position>(before);
  if (before.later != nullptr) position->later = std::make_shared<Lazy<Position>>();
  FaultWatch::Note(fault);
  position->fault = std::move(fault);
  position->awaited = {};
  position->choices.clear();
  position->described.clear();
  // Everybody reads the reason, and what a script throws may quote a secret.
  position->outcome = Outcome{{}, std::vector<double>(seats, 0.0), "the game's script failed"};
  return position;
}

bool OfferTheSame(const SeatChoices& one, const SeatChoices& other) {
  return one.seat == other.seat &&
         std::ranges::equal(one.choices, other.choices, {}, &ScriptChoice::move, &ScriptChoice::move);
}
bool OfferTheSame(const Position& one, const Position& other) {
  return std::ranges::equal(one.choices, other.choices, [](const SeatChoices& mine, const SeatChoices& yours) {
    return OfferTheSame(mine, yours);
  });
}

// How the seat, which plays ahead from the redealt state, can tell it from the real one; "" if it cannot. The others
// may be awaited or not: redeal may take back what they have chosen.
std::string_view HowRedealDiffers(const Position& real, const Position& redealt, SeatIndex seat) {
  if (real.outcome && !redealt.outcome) return "the game is over in the given state, but not in the returned one";
  if (!real.outcome && redealt.outcome) return "the game is over in the returned state, but not in the given one";
  const SeatChoices* given = real.Of(seat);
  const SeatChoices* returned = redealt.Of(seat);
  if (given != nullptr && returned == nullptr) return "the given state awaits the seat, and the returned one does not";
  if (given == nullptr && returned != nullptr) return "the returned state awaits the seat, and the given one does not";
  if (given != nullptr && !OfferTheSame(*given, *returned)) return "actions offers the seat something else in each";
  return "";
}

// "game.js:3:37: apply: x is not defined".
std::string FaultText(const Error& error) {
  return (error.path.empty() ? "" : error.path + ": ") + error.message;
}

}  // namespace

std::size_t ScriptState::Memory() const {
  const Position& position = at();
  std::size_t bytes = sizeof(Position) + position.state_text.size() + schema::MemoryOf(position.state);
  for (const json::Value& seen : position.observed) bytes += schema::MemoryOf(seen);
  for (const LogLine& line : position.log.lines) bytes += sizeof(LogLine) + line.text.size();
  return bytes;
}

// A search may meet the same fault many times.
void LogFault(const ScriptRules& rules, const std::string& fault) {
  if (!rules.logs_faults) return;
  static std::mutex mutex;
  static std::string last;
  const std::string_view table = WorkNote::Get();
  std::string line = rules.info.game.id + (table.empty() ? "" : ", table " + std::string(table)) + ": " + fault;
  const std::lock_guard lock(mutex);
  if (line == last) return;
  last = std::move(line);
  log::From("the script of " + rules.info.game.id).Warn("{}", last);  // players cause them
}

Result<Position> ReadAnswer(const ScriptRules& rules, const Result<json::Value>& answer, std::size_t seats,
                            const Position::Words& random) {
  if (!answer) return tl::unexpected(answer.error());
  Result<Position> read = ReadPosition(rules.info, *answer, seats, random);
  if (!read && read.error().path.empty()) read.error().path = rules.script->PlaceOf(read.error().message);
  return read;
}

bool ScriptStanding::operator==(const ScriptStanding& other) const {
  return held == other.held || (held->state_text == other.held->state_text && held->random == other.held->random &&
                                held->log == other.held->log && held->fault == other.held->fault);
}

std::vector<ActionSpec> ScriptState::Actions(SeatIndex seat) const {
  const SeatChoices* choices = at().awaited.Contains(seat) ? told().Of(seat) : nullptr;
  return choices == nullptr ? std::vector<ActionSpec>() : choices->actions;
}

std::size_t ScriptState::Moves(SeatIndex seat, std::span<Move> out) const {
  const SeatChoices* choices = at().Of(seat);
  if (choices == nullptr) return 0;
  for (std::size_t i = 0; i < std::min(out.size(), choices->choices.size()); ++i) out[i] = choices->choices[i].move;
  return choices->choices.size();
}

std::string ScriptState::MoveLabel(SeatIndex seat, Move move) const {
  const ScriptChoice& choice = Find(told(), seat, move);
  return choice.label.empty() ? GameState::MoveLabel(seat, move) : choice.label;
}

json::Value ScriptState::Apply(SeatIndex seat, std::string_view action, const json::Value& data) {
  return Play(seat, AsListed(seat, action, data), false);
}

std::vector<std::string> ScriptState::News(const GameState& before, Viewer viewer) const {
  const ScriptLog& was = static_cast<const ScriptState&>(before).at().log;
  return LinesFrom(was.dropped + was.lines.size(), viewer);
}

json::Value ScriptState::Serialize() const {
  json::Object saved{{"names", NamesJson()}, {"state", at().state}, {"random", ToJson(at().random)}};
  json::Array lines;
  for (const LogLine& line : at().log.lines) {
    json::Object one{{"text", line.text}};
    if (line.to) {
      json::Array to;
      for (const SeatIndex seat : *line.to) to.emplace_back(seat);
      one["to"] = std::move(to);
    }
    lines.emplace_back(std::move(one));
  }
  saved["log"] = std::move(lines);
  saved["dropped"] = at().log.dropped;
  if (!at().fault.empty()) saved["fault"] = at().fault;
  return saved;
}

const Position& ScriptState::told() const {
  return at().later == nullptr ? at() : at().later->Get([this] { return AskAll(); });
}

const ScriptChoice& ScriptState::Find(const Position& position, SeatIndex seat, Move move) {
  const SeatChoices* choices = position.Of(seat);
  OPENSEAT_CHECK(choices != nullptr, "a move is one of an awaited seat");
  const auto found = std::ranges::lower_bound(choices->choices, move, {}, &ScriptChoice::move);
  OPENSEAT_CHECK(found != choices->choices.end() && found->move == move, "a move is one that Moves lists");
  return *found;
}

const ScriptChoice* ScriptState::Listed(SeatIndex seat, std::string_view action, const json::Value& data) const {
  const SeatChoices* choices = at().Of(seat);
  if (choices == nullptr) return nullptr;
  const auto found = std::ranges::find_if(choices->choices, [&](const ScriptChoice& each) {
    const PlayedChoice choice = ChoiceOf(rules().info, each);
    return choice.action == action && (json::Equal(choice.data, data) || (IsNoData(choice.data) && IsNoData(data)));
  });
  return found == choices->choices.end() ? nullptr : &*found;
}

PlayedChoice ScriptState::AsListed(SeatIndex seat, std::string_view action, const json::Value& data) const {
  const ScriptChoice* listed = Listed(seat, action, data);
  return listed == nullptr ? PlayedChoice{std::string(action), data} : ChoiceOf(rules().info, *listed);
}

json::Object ScriptState::Input() const {
  return {{"state", at().state}, {"names", NamesJson()}, {"random", ToJson(at().random)}};
}

std::string ScriptState::AheadInput(SeatIndex seat, const PlayedChoice& choice, bool wants_label) const {
  std::string text = "[" + at().state_text + "," + std::to_string(seat) + ",";
  text +=
      json::Write(json::Value(choice.action)) + "," + (choice.data.is_null() ? "{}" : json::Write(choice.data)) + ",";
  text += json::Write(NamesJson()) + "," + json::Write(ToJson(at().random));
  return text + (wants_label ? ",true]" : ",false]");
}

std::vector<std::string> ScriptState::LinesFrom(std::size_t first, Viewer viewer) const {
  const ScriptLog& log = at().log;
  std::vector<std::string> lines;
  for (std::size_t i = first > log.dropped ? first - log.dropped : 0; i < log.lines.size(); ++i) {
    const LogLine& line = log.lines[i];
    if (!line.to || (viewer.seat() && line.to->Contains(*viewer.seat()))) lines.push_back(line.text);
  }
  return lines;
}

void ScriptState::Fail(std::string fault) {
  position().held = Failed(at(), std::move(fault), names().size());
}

// If the script fails, nothing is seen, and the choices have the words of info.actions.
Position ScriptState::AskAll() const {
  const Result<json::Value> answer = rules().script->Call("look", Input());
  Result<Position> read = ReadAnswer(rules(), answer, names().size(), at().random);
  // After a fault of the script, nothing is offered any more.
  if (read && at().fault.empty() && !OfferTheSame(at(), *read)) {
    read = tl::unexpected(Error{ErrorCode::kInvalid,
                                "actions differ between a state and the same state as JSON; a state has plain values "
                                "only: no toJSON, undefined, NaN or Infinity",
                                rules().script->PlaceOf("actions")});
  }
  if (read) return *std::move(read);
  LogFault(rules(), "the game's script failed: " + FaultText(read.error()));
  Position none = at();
  none.later = nullptr;
  FaultWatch::Note(FaultText(read.error()));
  none.observed.assign(none.viewers, json::Object());
  for (SeatChoices& seat : none.choices) {
    for (const ActionSpec& action : rules().info.game.actions) {
      if (std::ranges::any_of(seat.choices, [&](const ScriptChoice& each) {
            return ChoiceOf(rules().info, each).action == action.name;
          })) {
        seat.actions.push_back(action);
      }
    }
  }
  return none;
}

json::Value ScriptState::Play(SeatIndex seat, const PlayedChoice& choice, bool is_brief) {
  // Of several seats that choose at the same time, nobody may read what another chose.
  const bool is_told = !rules().info.game.hides && at().awaited.size() == 1;
  const std::size_t seats = names().size();
  const auto ask = [&] {
    if (is_brief) return rules().script->CallWith("ahead", AheadInput(seat, choice, is_told));
    json::Object input = Input();
    if (is_told) input["label"] = true;
    input["seat"] = seat;
    input["action"] = json::Object{{"name", choice.action},
                                   {"data", choice.data.is_null() ? json::Value(json::Object()) : choice.data}};
    return rules().script->Call("apply", input);
  };
  const Result<json::Value> answer = ask();
  Result<Position> next = ReadAnswer(rules(), answer, seats, at().random);
  Result<void> logged;
  if (next) {
    next->log = at().log;
    const json::Value* lines = json::Find(*answer, "log");
    if (lines != nullptr && lines->is_array() && !lines->get_array().empty()) {
      logged = ReadLog(*lines, seats, next->log);
      if (!logged) logged.error().path = rules().script->PlaceOf("apply");
    } else if (is_told) {
      const std::string_view label = json::TextOf(*answer, "label");
      next->log.Add({LineOf(name(seat) + ": " + (label.empty() ? InPlainWords(choice) : std::string(label))), {}});
    }
  }
  if (!next || !logged) {
    Fail(FaultText(next ? logged.error() : next.error()));
    LogFault(rules(), "the game's script failed: " + at().fault);
    return json::Object();
  }
  position().held = std::make_shared<const Position>(*std::move(next));
  const json::Value* result = json::Find(*answer, "result");
  return result == nullptr || result->is_null() ? json::Value(json::Object()) : *result;
}

Result<void> ScriptState::CheckShape(const CatalogEntry& entry, const json::Value& data) const {
  if (entry.members.empty()) return CheckNoData(data);
  if (!data.is_object()) {
    return openseat::Fail(ErrorCode::kIncorrectData, "data must be an object; got " + json::Excerpt(data));
  }
  for (const DataMember& member : entry.members) {
    const json::Value* value = json::Find(data, member.name);
    if (value == nullptr) {
      return openseat::Fail(ErrorCode::kIncorrectData,
                            "data needs the member \"" + member.name + "\"; got " + json::Excerpt(data), member.name);
    }
    const bool known = member.values.empty() || std::ranges::any_of(member.values, [&](const json::Value& each) {
                         return json::Equal(each, *value);
                       });
    if (!known) {
      constexpr std::size_t kMostNamed = 12;
      std::string values;
      for (std::size_t i = 0; i < std::min(kMostNamed, member.values.size()); ++i) {
        values += (i == 0 ? "" : ", ") + json::Excerpt(member.values[i]);
      }
      if (member.values.size() > kMostNamed) {
        values +=
            " … " + json::Excerpt(member.values.back()) + " (" + std::to_string(member.values.size()) + " values)";
      }
      return openseat::Fail(ErrorCode::kIncorrectData,
                            member.name + " must be one of " + values + "; got " + json::Excerpt(*value), member.name);
    }
  }
  for (const auto& each : data.get_object()) {
    const std::string name(json::KeyOf(each));
    if (std::ranges::find(entry.members, name, &DataMember::name) == entry.members.end()) {
      return openseat::Fail(ErrorCode::kIncorrectData, "data has the unexpected member " + Quote(name),
                            Ellipsize(name, kQuotedBytes));
    }
  }
  return {};
}

std::optional<Error> ScriptState::Refusal(SeatIndex seat, const CatalogEntry& entry, const json::Value& data) const {
  if (!rules().script->Has("validate")) return std::nullopt;
  json::Object input = Input();
  input["seat"] = seat;
  input["action"] = json::Object{{"name", entry.name}, {"data", data}};
  const Result<json::Value> answer = rules().script->Call("validate", input);
  if (!answer) return Error{ErrorCode::kIncorrectMove, "the game's script cannot say whether this is legal", {}};
  if (json::TextOf(*answer, "reason").empty()) return std::nullopt;
  return Error{ErrorCode::kIncorrectMove, Ellipsize(json::TextOf(*answer, "reason"), 300),
               Ellipsize(json::TextOf(*answer, "path"), kQuotedBytes)};
}

// Why data of the right shape is refused: as the script says, else by what is possible.
Error ScriptState::WhyNot(SeatIndex seat, const CatalogEntry& entry, const json::Value& data) const {
  if (std::optional<Error> no = Refusal(seat, entry, data)) return *std::move(no);
  std::string possible;
  std::size_t count = 0;
  for (const ScriptChoice& each : at().Of(seat)->choices) {
    const PlayedChoice choice = ChoiceOf(rules().info, each);
    if (choice.action != entry.name) continue;
    if (++count <= 12) possible += (possible.empty() ? "" : ", ") + json::Excerpt(choice.data);
  }
  if (count == 0) return {ErrorCode::kIncorrectMove, entry.name + " is not possible now", {}};
  return {ErrorCode::kIncorrectMove,
          json::Excerpt(data) + " is not possible now; possible: " + possible + (count > 12 ? " and others" : ""),
          {}};
}

Result<void> ScriptState::Validate(SeatIndex seat, std::string_view action, const json::Value& data) const {
  const Result<const ActionSpec*> spec = CheckAction(rules().info.game, *this, seat, action);
  if (!spec) return openseat::Fail(spec.error());
  if (Listed(seat, action, data) != nullptr) return {};
  const CatalogEntry& entry = *rules().info.Find(action);
  if (auto shape = CheckShape(entry, data); !shape) return shape;
  const std::vector<ActionSpec>& now = told().Of(seat)->actions;
  const auto offered = std::ranges::find(now, action, &ActionSpec::name);
  if (offered == now.end() || entry.complete()) return tl::unexpected(WhyNot(seat, entry, data));
  // Free data: the schema of this moment decides.
  const auto schema = schema::Schema::Compile(offered->schema);
  if (!schema) return openseat::Fail(ErrorCode::kIncorrectData, schema.error().message);
  const auto violations = (*schema)->Validate(data, 1);
  if (violations.empty()) {
    if (std::optional<Error> no = Refusal(seat, entry, data)) return tl::unexpected(*std::move(no));
    return {};
  }
  return openseat::Fail(ErrorCode::kIncorrectData, violations.front().message, violations.front().instance_path);
}

std::string ScriptState::Describe(SeatIndex seat) const {
  if (at().fault.empty() && !told().described.empty()) return told().described[seat];
  std::string text = "You are **" + name(seat) + "** (" + rules().info.game.roles[seat] + ").\n\n";
  for (const auto& member : told().Seen(Viewer::Seat(seat)).get_object()) {
    AppendValue(json::KeyOf(member), member.value(), text);
  }
  if (const auto& outcome = at().outcome) {
    const bool won = outcome->winners.Contains(seat);
    return text +
           (outcome->winners.empty() ? "\nNobody wins: "
            : won                    ? "\nYou won: "
                                     : "\nYou lost: ") +
           outcome->reason + ".\n";
  }
  if (at().awaited.Contains(seat)) return text;
  text += "\nYou wait for ";
  bool first = true;
  for (const SeatIndex other : at().awaited) {
    text += (first ? "" : ", ") + name(other);
    first = false;
  }
  return text + ".\n";
}

const Result<std::string>& ScriptState::ViewOf(Viewer viewer) const {
  const std::size_t place = at().PlaceOf(viewer);
  return at().views->Of(place, [&]() -> Result<std::string> {
    if (!rules().script->Has("view")) return std::string();
    json::Object input = Input();
    input["viewer"] = place == 0 ? json::Value(nullptr) : json::Value(place - 1);
    Result<json::Value> view = rules().script->Call("view", input);
    Result<void> checked;
    if (view) checked = CheckView(rules().info, *view, names().size());
    if (!view || !checked) {
      Error error = view ? checked.error() : view.error();
      if (error.path.empty()) error.path = rules().script->PlaceOf("view");
      LogFault(rules(), "the table cannot be drawn: " + FaultText(error));
      return tl::unexpected(std::move(error));
    }
    std::string text = json::Write(*view);
    if (text.size() <= kMostViewBytes) return text;
    return openseat::Fail(ErrorCode::kTooLarge,
                          "view: a view is at most " + std::to_string(kMostViewBytes >> 10) + " KB of JSON; got " +
                              std::to_string(text.size()) + " bytes",
                          rules().script->PlaceOf("view"));
  });
}

Result<double> ScriptState::Evaluate(SeatIndex seat) const {
  const Result<json::Value> answer =
      rules().script->Call("evaluate", json::Object{{"state", at().state}, {"seat", seat}});
  if (!answer) return tl::unexpected(answer.error());
  const json::Value* worth = json::Find(*answer, "worth");
  if (worth != nullptr && worth->is_number()) return std::clamp(worth->to_number<double>(), 0.0, 1.0);
  return openseat::Fail(ErrorCode::kInvalid, "evaluate must return a number", rules().script->PlaceOf("evaluate"));
}

Result<void> ScriptState::Examine(SeatIndex seat, const PlayedChoice* choice) const {
  json::Object input = Input();
  input["seat"] = seat;
  if (choice != nullptr) {
    input["action"] = json::Object{{"name", choice->action}, {"data", choice->data}};
    if (choice->data.is_null()) input["action"].get_object()["data"] = json::Object();
  }
  const Result<json::Value> answer = rules().script->Call("examine", input);
  // It asks for more than any choice of a match, with the steps of one.
  if (answer || answer.error().code == ErrorCode::kTooLarge) return {};
  return tl::unexpected(answer.error());
}

Result<Position> ScriptState::Redealt(SeatIndex seat, const Position::Words& drawing,
                                      const Position::Words& future) const {
  json::Object input = Input();
  input["seat"] = seat;
  input["random"] = ToJson(drawing);
  Result<Position> read = ReadAnswer(rules(), rules().script->Call("redeal", input), names().size(), future);
  if (!read) return read;
  const std::string_view difference = HowRedealDiffers(at(), *read, seat);
  if (difference.empty()) return read;
  return openseat::Fail(
      ErrorCode::kInvalid,
      "redeal(state, " + std::to_string(seat) +
          ") must return a state that this seat cannot tell from the given one: " + std::string(difference),
      rules().script->PlaceOf("redeal"));
}

std::unique_ptr<GameState> ScriptState::Sample(SeatIndex seat, Rng& rng) const {
  std::unique_ptr<GameState> sample = Clone();
  if (!rules().info.game.hides) return sample;
  ScriptStanding& standing = static_cast<ScriptState&>(*sample).position();
  const Position::Words drawing = WordsFrom(rng);
  const Position::Words future = WordsFrom(rng);
  ScriptLog seen;
  for (const std::string& line : Log(Viewer::Seat(seat))) seen.Add({line, {}});
  auto next = std::make_shared<Position>(at());
  if (at().fault.empty()) {
    Result<Position> redealt = Redealt(seat, drawing, future);
    if (!redealt) {
      FaultWatch::Note(FaultText(redealt.error()));
      LogFault(rules(), "nobody can play ahead from what redeal returned: " + FaultText(redealt.error()));
      return nullptr;
    }
    *next = *std::move(redealt);
  }
  next->random = future;
  next->log = std::move(seen);
  standing.held = std::move(next);
  return sample;
}

}  // namespace openseat::games
