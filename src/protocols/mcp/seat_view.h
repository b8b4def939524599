// SeatView: what whoever plays a seat is told: where it stands, what is new, and what may be chosen, each choice by an
// id. Taken on the table's scheduler; then a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/external/external_agent.h"
#include "core/decision.h"
#include "core/table.h"

namespace openseat::mcp {

struct SeatView {
  enum class Status { kYourTurn, kMayAct, kWaiting, kOver };
  Status status = Status::kWaiting;
  std::string table;
  std::string game;
  std::string name;
  SeatIndex seat = 0;
  std::uint64_t version = 0;
  std::vector<std::string> events;   // told since
  bool wants_answer = false;         // one of them asks for an answer, though nothing has to be chosen
  std::optional<Decision> decision;  // pending
  std::vector<ActionPtr> actions;    // that may be chosen now
  std::string outcome;               // where it is over; "" where nobody knows more
  std::string description;           // the state as a text, where asked for
  json::Value observation;           // the state as JSON, where asked for; null: none
};

enum class Detail { kNone, kText, kAll };

// `since`: what was told up to that version is left out.
SeatView LookAtSeat(Table& table, const ExternalAgent& agent, std::uint64_t since, Detail detail);

// "your_turn", "may_act", "waiting", "game_over".
std::string_view StatusName(SeatView::Status status);

// One thing that can be chosen.
struct Option {
  std::string id;      // "1", "2" … within its decision
  std::string action;  // its name
  json::Value data;    // null: it takes none
};

// A view as a host gets it. `epoch` marks this process: a decision's id of another one is never taken for ours.
class Presentation {
 public:
  Presentation(const SeatView& view, std::string_view epoch);

  // Enough to play by.
  const std::string& text() const { return text_; }
  // The same, by the schema below.
  const json::Object& structured() const { return structured_; }
  const std::vector<Option>& options() const { return options_; }
  // "" where nothing may be chosen; "free" and the epoch outside of decisions.
  const std::string& decision() const { return decision_; }

 private:
  void AddActions(const SeatView& view);

  std::string text_;
  json::Object structured_;
  std::vector<Option> options_;
  std::string decision_;
};

json::Value PresentationSchema();

// Without control characters, and at most `max_bytes`: for text of others that is shown to a model.
std::string CleanText(std::string_view text, std::size_t max_bytes);

}  // namespace openseat::mcp
