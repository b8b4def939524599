#include "arena/game_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "arena/decision_log.h"
#include "base/json_members.h"
#include "match/match_fold.h"

namespace openseat::arena {
namespace {

// What a player itself did wrong; everything else makes a game void.
constexpr std::array<std::string_view, 7> kOwnPlay = {"schema",  "parse", "refused", "declined",
                                                      "cut-off", "late",  "crashed"};

// The seat that could not answer, if that is why the match is over.
std::optional<SeatIndex> CulpritOf(const Match& match) {
  for (SeatIndex seat = 0; seat < match.seats(); ++seat) {
    if (!match.outcome()->winners.Contains(seat) && !match.seat(seat).failure().empty()) return seat;
  }
  return std::nullopt;
}

json::Object EventToReplay(const StoredEvent& event) {
  json::Object shown{{"seq", event.seq},
                     {"time", event.event.time.time_since_epoch().count()},
                     {"kind", EventKindName(event.event.kind).value_or("unknown")}};
  std::string payload = event.event.payload;
  if (event.event.kind == EventKind::kModel) {
    // decisions.jsonl has the prompts.
    if (Result<json::Value> parsed = json::Parse(payload); parsed && parsed->is_object()) {
      if (parsed->get_object().erase("prompt") > 0) payload = json::Write(*parsed);
    }
  }
  shown["payload"] = payload;
  return shown;
}

std::optional<EventKind> KindNamed(std::string_view name) {
  for (int number = 1; number < 64; ++number) {
    const auto kind = static_cast<EventKind>(number);
    if (EventKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

Result<StoredEvent> ParseEvent(const json::Value& value, Seq expected) {
  const auto wrong = [&](const std::string& what) {
    return Fail(ErrorCode::kInvalid, "event " + std::to_string(expected) + ": " + what, "events");
  };
  if (!value.is_object()) return wrong("it must be an object");
  const json::Object& object = value.get_object();
  if (json::WholeOf(object, "seq") != expected) return wrong("\"seq\" must be " + std::to_string(expected));
  const json::Value* time = json::Find(object, "time");
  if (time == nullptr || !time->is_int64()) return wrong("\"time\" must be microseconds since 1970");
  const std::optional<EventKind> kind = KindNamed(json::TextOf(object, "kind"));
  if (!kind)
    return wrong("\"kind\" must be that of a journal's event; got \"" + std::string(json::TextOf(object, "kind")) +
                 "\"");
  return StoredEvent{expected,
                     {*kind, Time(Duration(time->get_int64())), std::string(json::TextOf(object, "payload"))}};
}

// The figures of all seats, and their sums.
void AddFigures(std::vector<SeatFigures> figures, GameLine& line) {
  line.cost = 0;
  line.tokens = 0;
  for (const SeatFigures& seat : figures) {
    const TokenFigures& tokens = seat.tokens;
    line.tokens += tokens.input + tokens.cached + tokens.created + tokens.output;
    if (!seat.cost) line.cost.reset();
    if (line.cost) *line.cost += *seat.cost;
  }
  line.by_seat = std::move(figures);
}

}  // namespace

GameEnd EndOf(const Match& match, const std::optional<Interruption>& interruption) {
  const Outcome& outcome = *match.outcome();
  GameEnd end;
  end.reason = outcome.reason;
  if (interruption) {
    end.cause = interruption->cause;
    end.code = interruption->code;
    return end;
  }
  for (const SeatIndex seat : outcome.winners) end.winners.push_back(seat);
  if (!match.forfeited()) {
    end.result = end.winners.empty() ? GameResult::kDraw : GameResult::kWin;
    return end;
  }
  end.culprit = CulpritOf(match);
  if (!end.culprit) {
    end.winners.clear();
    end.cause = outcome.reason;
    end.code = "timeout";
    return end;
  }
  const json::Object& failure = match.seat(*end.culprit).failure();
  const std::string_view code = json::TextOf(failure, "code");
  end.code = code.empty() ? "unknown" : std::string(code);
  end.cause = json::TextOf(failure, "reason");
  end.forfeit = !end.winners.empty() && std::ranges::find(kOwnPlay, code) != kOwnPlay.end();
  if (end.forfeit) {
    end.result = GameResult::kWin;
  } else {
    end.winners.clear();
    end.permanent = json::BoolOf(failure, "permanent", false);
  }
  return end;
}

GameLine LineOf(const PlayedGame& played) {
  GameLine line;
  line.game = played.planned.number;
  line.pair = played.planned.pair;
  line.game_id = played.planned.game_id;
  line.seed = played.planned.seed;
  line.seats = played.agents;
  line.result = played.end.result;
  line.winners = played.end.winners;
  line.forfeit = played.end.forfeit;
  line.cause = played.end.cause;
  if (line.cause && played.end.culprit) line.cause = played.agents[*played.end.culprit] + ": " + *line.cause;
  line.code = played.end.code;
  line.culprit = played.end.culprit;
  line.reason = played.end.reason;
  line.started = played.started;
  line.seconds = played.seconds;
  return line;
}

Result<GameRecord> MakeRecord(const PlayedGame& played, const std::vector<StoredEvent>& events, bool observe) {
  GameRecord record;
  record.line = LineOf(played);
  DecisionLog log(played.planned.number, *played.game, played.agents);
  std::optional<MatchFold> fold;
  for (const StoredEvent& event : events) {
    if (!observe) {
      log.Add(event, nullptr);
      continue;
    }
    if (!fold) {
      Result<MatchFold> begun = MatchFold::Begin(played.table, *played.game, event);
      if (!begun) return Fail(begun.error());
      fold.emplace(std::move(*begun));
      continue;
    }
    // The log sees the state before the event, as the player did who chose.
    log.Add(event, fold->state());
    if (Result<MatchFold::Step> step = fold->Apply(event); !step) return Fail(step.error());
  }
  record.line.turns = log.turns();
  log.Finish(record.line);
  AddFigures(log.TakeFigures(), record.line);
  record.decisions = log.TakeDecisions();
  if (!observe) return record;
  record.training = log.TakeTraining();
  json::Array shown;
  for (const StoredEvent& event : events) shown.push_back(EventToReplay(event));
  record.replay = {{"game", played.planned.number},
                   {"table", played.table.str()},
                   {"game_id", played.planned.game_id},
                   {"events", std::move(shown)}};
  return record;
}

std::optional<ModelUse> UseOf(const Event& event) {
  const Result<json::Value> payload = json::Parse(event.payload);
  if (!payload || json::TextOf(*payload, "step") != "answer") return std::nullopt;
  const json::Object& step = payload->get_object();
  return ModelUse{json::WholeOf(step, "tokens_in").value_or(0) + json::WholeOf(step, "tokens_out").value_or(0),
                  json::NumberOf(step, "cost", 0)};
}

Result<RecordedGame> ParseReplay(const json::Value& line) {
  RecordedGame recorded{
      TableId(std::string(json::TextOf(line, "table"))), std::string(json::TextOf(line, "game_id")), {}};
  const json::Value* events = json::Find(line, "events");
  if (recorded.table.str().empty() || recorded.game_id.empty() || events == nullptr || !events->is_array()) {
    return Fail(ErrorCode::kInvalid, "a replay has \"table\", \"game_id\" and \"events\"", "events");
  }
  for (const json::Value& value : events->get_array()) {
    Result<StoredEvent> event = ParseEvent(value, recorded.events.size() + 1);
    if (!event) return Fail(event.error());
    recorded.events.push_back(std::move(*event));
  }
  return recorded;
}

}  // namespace openseat::arena
