// DecisionLog: reads the events of one game in order, and makes the lines of decisions.jsonl and training.jsonl of
// them, and the figures of each seat. docs/formats/run.md describes the lines. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arena/game_line.h"
#include "base/json.h"
#include "core/game.h"
#include "core/journal.h"

namespace openseat::arena {

// One line of decisions.jsonl.
struct DecisionRecord {
  SeatIndex seat = 0;
  json::Object line;
};

class DecisionLog {
 public:
  // `agents` are named by seat. `game` outlives it.
  DecisionLog(std::uint64_t number, const Game& game, std::vector<std::string> agents);

  // `state` is the one before the event, for observations and choices; nullptr: the lines have none.
  void Add(const StoredEvent& event, const GameState* state);
  // After the last event; each result is from here.
  void Finish(const GameLine& end);
  std::uint64_t turns() const { return turns_; }
  std::vector<SeatFigures> TakeFigures() { return std::move(figures_); }
  std::vector<DecisionRecord> TakeDecisions() { return std::move(decisions_); }
  std::vector<json::Object> TakeTraining() { return std::move(training_); }

 private:
  // A decision of a seat that is not settled yet.
  struct Open {
    std::size_t place = 0;  // in decisions_
    Time asked;
    std::optional<json::Value> model;
    json::Value observation;
    json::Value choices;
    json::Value prompt;
    json::Array answers;
    json::Array failures;
    json::Array refusals;
    bool unusable = false;  // the last answer was
    std::optional<double> cpu_ms;
  };

  Open& OpenAt(SeatIndex seat, Time time, const GameState* state);
  void Look(Open& open, SeatIndex seat, const GameState* state) const;
  void AddModel(SeatIndex seat, json::Object step, Time time, const GameState* state);
  void AddAnswer(SeatIndex seat, Open& open, json::Object step);
  void AddRefusal(SeatIndex seat, const json::Object& refusal, Time time, const GameState* state);
  // `choice` is null if nothing was chosen.
  void Close(SeatIndex seat, Time time, json::Value choice, std::string_view verdict);

  const std::uint64_t number_;
  const Game& game_;
  const std::vector<std::string> agents_;
  std::vector<std::optional<Open>> open_;  // by seat
  std::vector<SeatFigures> figures_;       // by seat
  std::vector<DecisionRecord> decisions_;
  std::vector<json::Object> training_;
  std::uint64_t turns_ = 0;
  Time last_;
};

}  // namespace openseat::arena
