#include "arena/decision_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json_members.h"

namespace openseat::arena {
namespace {

constexpr std::size_t kMaxChoices = 1000;  // more are not listed

double RoundedMilliseconds(Duration time) {
  return RoundTo(static_cast<double>(time.count()) / 1000, 10);
}

json::Value MemberOrNull(const json::Object& object, std::string_view name) {
  const json::Value* value = json::Find(object, name);
  return value == nullptr ? json::Value() : *value;
}

// {"action", "data"}, where the data is a text.
json::Object ChoiceOf(const json::Object& event) {
  json::Object choice{{"action", json::TextOf(event, "action")}};
  if (const json::Value* raw = json::Find(event, "raw")) {
    choice["data"] = *raw;
  } else if (const json::Value* data = json::Find(event, "data")) {
    choice["data"] = json::Write(*data);
  } else {
    choice["data"] = nullptr;
  }
  return choice;
}

// The same as it is, for a text of its own.
json::Object ChosenOf(const json::Object& event) {
  return {{"action", json::TextOf(event, "action")}, {"data", MemberOrNull(event, "data")}};
}

TokenFigures TokensOf(const json::Object& step) {
  if (const json::Object* usage = json::FindObject(step, "usage")) return TokensIn(*usage);
  return {.input = json::WholeOf(step, "tokens_in").value_or(0),
          .output = json::WholeOf(step, "tokens_out").value_or(0)};
}

// How the game went for a seat: "win", "draw", "loss" or "void".
std::string_view ResultFor(const GameLine& line, SeatIndex seat) {
  if (line.result != GameResult::kWin) return GameResultName(line.result);
  return std::ranges::find(line.winners, seat) != line.winners.end() ? "win" : "loss";
}

// What a game refuses because of the choice, and not because of the moment.
bool IsMistake(std::string_view code) {
  return code == ErrorCodeName(ErrorCode::kNoSuchAction) || code == ErrorCodeName(ErrorCode::kIncorrectData) ||
         code == ErrorCodeName(ErrorCode::kIncorrectMove);
}

}  // namespace

DecisionLog::DecisionLog(std::uint64_t number, const Game& game, std::vector<std::string> agents)
    : number_(number), game_(game), agents_(std::move(agents)), open_(agents_.size()), figures_(agents_.size()) {
  for (SeatFigures& seat : figures_) seat.cost = 0;
}

DecisionLog::Open& DecisionLog::OpenAt(SeatIndex seat, Time time, const GameState* state) {
  if (!open_[seat]) {
    Open& open = open_[seat].emplace();
    open.place = decisions_.size();
    open.asked = time;
    decisions_.push_back({seat, {}});
    Look(open, seat, state);
  }
  return *open_[seat];
}

void DecisionLog::Look(Open& open, SeatIndex seat, const GameState* state) const {
  if (state == nullptr) return;
  open.observation = json::Write(state->Observe(Viewer::Seat(seat)));
  if (state->Moves(seat, {}) > kMaxChoices) return;
  json::Array choices;
  for (const LegalChoice& legal : ChoicesOf(*state, seat)) {
    json::Value data;
    if (!legal.choice.data.is_null()) data = json::Write(legal.choice.data);
    choices.push_back(json::Object{{"id", std::to_string(choices.size() + 1)},
                                   {"label", legal.label},
                                   {"action", legal.choice.action},
                                   {"data", std::move(data)}});
  }
  open.choices = std::move(choices);
}

void DecisionLog::Add(const StoredEvent& stored, const GameState* state) {
  const Event& event = stored.event;
  last_ = event.time;
  const bool ours = event.kind == EventKind::kDecision || event.kind == EventKind::kModel ||
                    event.kind == EventKind::kRefusal || event.kind == EventKind::kPlayed ||
                    event.kind == EventKind::kDecisionEnd;
  if (!ours) return;
  Result<json::Value> parsed = json::Parse(event.payload);
  if (!parsed || !parsed->is_object()) return;
  json::Object& payload = parsed->get_object();
  const std::optional<std::uint64_t> seat_number = json::WholeOf(payload, "seat");
  if (!seat_number || *seat_number >= agents_.size()) return;
  const auto seat = static_cast<SeatIndex>(*seat_number);
  switch (event.kind) {
    case EventKind::kDecision:
      if (open_[seat] && json::WholeOf(payload, "attempt") == 1U) Close(seat, event.time, nullptr, "replaced");
      OpenAt(seat, event.time, state);
      break;
    case EventKind::kModel:
      AddModel(seat, std::move(payload), event.time, state);
      break;
    case EventKind::kRefusal:
      AddRefusal(seat, payload, event.time, state);
      break;
    case EventKind::kPlayed: {
      ++turns_;
      // What came before in the same turn is in the journal only now.
      Open& open = OpenAt(seat, event.time, state);
      if (game_.info().whole_turns) Look(open, seat, state);
      open.cpu_ms = json::FindNumber(payload, "cpu_ms");
      Close(seat, event.time, json::Value(json::Write(ChosenOf(payload))), "accepted");
      break;
    }
    default:
      if (open_[seat]) Close(seat, event.time, nullptr, json::TextOf(payload, "end"));
      break;
  }
}

void DecisionLog::AddModel(SeatIndex seat, json::Object step, Time time, const GameState* state) {
  const std::string_view kind = json::TextOf(step, "step");
  if (kind != "answer" && kind != "failure") return;
  Open& open = OpenAt(seat, time, state);
  if (const json::Value* model = json::Find(step, "model")) open.model = *model;
  if (kind == "answer") return AddAnswer(seat, open, std::move(step));
  open.failures.push_back(json::Object{{"message", MemberOrNull(step, "message")},
                                       {"status", MemberOrNull(step, "status")},
                                       {"wait_ms", MemberOrNull(step, "wait_ms")},
                                       {"permanent", json::BoolOf(step, "permanent", false)}});
}

void DecisionLog::AddAnswer(SeatIndex seat, Open& open, json::Object step) {
  SeatFigures& figures = figures_[seat];
  const std::string_view outcome = json::TextOf(step, "outcome");
  const TokenFigures tokens = TokensOf(step);
  figures.tokens += tokens;
  const std::optional<double> cost = json::FindNumber(step, "cost");
  if (!cost) figures.cost.reset();
  if (figures.cost) *figures.cost += *cost;
  if (open.unusable) ++figures.asked_again;
  open.unusable = outcome != "strict" && outcome != "mended";
  if (outcome == "mended") ++figures.repaired;
  if (outcome == "invalid") ++figures.illegal;
  json::Value fixes = MemberOrNull(step, "fixes");
  if (!fixes.is_array()) fixes = json::Array();
  if (json::Value* prompt = step.if_contains("prompt")) open.prompt = std::move(*prompt);
  open.answers.push_back(json::Object{{"text", json::TextOf(step, "text")},
                                      {"outcome", outcome},
                                      {"reasoning", MemberOrNull(step, "reasoning")},
                                      {"tokens", ToJson(tokens)},
                                      {"cost", MemberOrNull(step, "cost")},
                                      {"ms", RoundTo(json::NumberOf(step, "ms", 0), 10)},
                                      {"stop", MemberOrNull(step, "stop")},
                                      {"fixes", std::move(fixes)}});
}

void DecisionLog::AddRefusal(SeatIndex seat, const json::Object& refusal, Time time, const GameState* state) {
  const std::string_view code = json::TextOf(refusal, "code");
  if (!IsMistake(code)) return;
  Open& open = OpenAt(seat, time, state);
  open.unusable = false;  // what follows is another attempt
  ++figures_[seat].illegal;
  json::Object line = ChoiceOf(refusal);
  line["code"] = code;
  line["message"] = json::TextOf(refusal, "message");
  open.refusals.push_back(std::move(line));
}

void DecisionLog::Close(SeatIndex seat, Time time, json::Value choice, std::string_view verdict) {
  Open open = *std::exchange(open_[seat], std::nullopt);
  const double ms = RoundedMilliseconds(time - open.asked);
  const bool answered = verdict != "withdrawn" && verdict != "replaced";
  if (answered) {
    ++figures_[seat].decisions;
    figures_[seat].latency_ms += ms;
    if (open.cpu_ms) figures_[seat].cpu_ms = figures_[seat].cpu_ms.value_or(0) + *open.cpu_ms;
  }
  if (!open.answers.empty() && open.prompt.is_array()) {
    const json::Object& answer = open.answers.back().get_object();
    json::Array messages = open.prompt.get_array();
    json::Object said{{"role", "assistant"}, {"content", MemberOrNull(answer, "text")}};
    if (const json::Value reasoning = MemberOrNull(answer, "reasoning"); !reasoning.is_null()) {
      said["reasoning_content"] = reasoning;
    }
    messages.push_back(std::move(said));
    training_.push_back(json::Object{{"game", number_},
                                     {"decision", open.place},
                                     {"seat", seat},
                                     {"agent", agents_[seat]},
                                     {"model", open.model ? *open.model : json::Value()},
                                     {"messages", std::move(messages)},
                                     {"choice", choice},
                                     {"verdict", verdict}});
  }
  decisions_[open.place].line = {{"game", number_},
                                 {"decision", open.place},
                                 {"seat", seat},
                                 {"agent", agents_[seat]},
                                 {"model", open.model ? *open.model : json::Value()},
                                 {"game_id", game_.info().id},
                                 {"observation", std::move(open.observation)},
                                 {"choices", std::move(open.choices)},
                                 {"complete", game_.info().moves_complete},
                                 {"prompt", std::move(open.prompt)},
                                 {"answers", std::move(open.answers)},
                                 {"failures", std::move(open.failures)},
                                 {"refusals", std::move(open.refusals)},
                                 {"choice", std::move(choice)},
                                 {"verdict", verdict},
                                 {"ms", ms}};
  if (open.cpu_ms) decisions_[open.place].line["cpu_ms"] = *open.cpu_ms;
}

void DecisionLog::Finish(const GameLine& end) {
  for (SeatIndex seat = 0; seat < open_.size(); ++seat) {
    if (open_[seat]) Close(seat, last_, nullptr, "withdrawn");
  }
  for (json::Object& line : training_) {
    line["game_id"] = end.game_id;
    line["result"] = ResultFor(end, static_cast<SeatIndex>(*json::WholeOf(line, "seat")));
  }
  std::ranges::sort(training_, {}, [](const json::Object& line) { return *json::WholeOf(line, "decision"); });
}

}  // namespace openseat::arena
