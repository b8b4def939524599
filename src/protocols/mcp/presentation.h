// Presentation: a seat's view as a host gets it: where the seat stands, what is new, and what may be chosen, each
// choice by an id.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seat_view.h"

namespace openseat::mcp {

enum class Status { kYourTurn, kMayAct, kWaiting, kOver };
// All REQUIRE a seat's view.
Status StatusOf(const SeatView& view);
// What the seat has to answer now; null where nothing is asked, or its answer awaits its verdict.
const Decision* AskedOf(const SeatView& view);
// Whether something that it was told asks for an answer, though nothing has to be chosen.
bool WantsAnswer(const SeatView& view);

// How much is shown: nothing, for who only looks up what an id stands for; what happened and what is asked (its
// question says how things stand); also how things stand while nothing is asked; or everything: the state as JSON, and
// each choice's action and data. Of a game elsewhere, only everything has more than about 64 KiB of actions: it is to
// be made on a thread that serves no requests (reads.h).
enum class Detail { kIds, kNone, kText, kAll };

// One thing that can be chosen.
struct Option {
  std::string id;      // "1", "2" … within its decision
  std::string action;  // its name
  json::Value data;    // null: it takes none
  std::string label;   // what it is, in the game's words; where the game is elsewhere, the action and its data
};

// A view as a host gets it. `epoch` marks this process: a decision's id of another one is never taken for ours.
class Presentation {
 public:
  Presentation(const SeatView& view, std::string_view epoch, Detail detail = Detail::kNone);

  // Enough to play by.
  const std::string& text() const { return text_; }
  // The same, by the schema below.
  const json::Object& structured() const& { return structured_; }
  json::Object structured() && { return std::move(structured_); }
  // Adds a member to it.
  void Put(std::string_view name, json::Value value) { structured_[name] = std::move(value); }
  const std::vector<Option>& options() const { return options_; }
  // "" where nothing may be chosen; "free" and the epoch outside of decisions.
  const std::string& decision() const { return decision_; }

 private:
  void AddHead(const SeatView& view, Status status);
  void AddOpenSeats(const SeatView& view);
  void AddEvents(const SeatView& view);
  // How things stand, as a text: once.
  void AddState(std::string_view text);
  void AddDecision(const SeatView& view);
  // What may be chosen: the game's choices, or else the actions, whose choices are listed as far as there are few, with
  // the labels of those that the game knows.
  void AddChoices(const SeatView& view, Detail detail);
  void AddActions(const SeatView& view, const std::vector<LegalChoice>& known, Detail detail);
  // `shown`: whether it is written, too.
  void AddOption(Option option, Detail detail, bool shown = true);

  std::string text_;
  json::Object structured_;
  json::Array choices_;  // of it
  std::vector<Option> options_;
  std::string decision_;
};

json::Value PresentationSchema();

// Without control characters, and at most `max_bytes`: for text of others that is shown to a model.
std::string CleanText(std::string_view text, std::size_t max_bytes);

}  // namespace openseat::mcp
