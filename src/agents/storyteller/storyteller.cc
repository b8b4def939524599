#include "agents/storyteller/storyteller.h"

#include <string>
#include <string_view>
#include <utility>

#include "agents/storyteller/tale.h"
#include "base/json_members.h"
#include "base/rng.h"
#include "games/narrative/describe.h"

namespace openseat {
namespace {

// What the decision says about the story; kInvalid if it belongs to another game.
Result<json::Object> FactsOf(const Decision& decision) {
  const std::string marker = "\n" + std::string(games::narrative::kFacts);
  const std::string& text = decision.sight->text();
  const std::size_t at = text.rfind(marker);
  if (at == std::string::npos) {
    return Fail(ErrorCode::kInvalid, "the storyteller plays narrative games only");
  }
  const std::size_t begin = at + marker.size();
  Result<json::Value> facts = json::Parse(std::string_view(text).substr(begin, text.find('\n', begin) - begin));
  if (!facts || !facts->is_object()) return Fail(ErrorCode::kInvalid, "the story's facts are not a JSON object");
  return std::move(facts->get_object());
}

Result<Choice> Tell(const Decision& decision, std::uint64_t seed) {
  const Result<json::Object> facts = FactsOf(decision);
  if (!facts) return Fail(facts.error());
  const json::Value* scenario = json::Find(*facts, "scenario");
  const json::Object* tale = scenario != nullptr && scenario->is_string()
                                 ? storyteller::FindTale(json::View(scenario->get_string()))
                                 : nullptr;
  if (tale == nullptr) return Fail(ErrorCode::kNotFound, "the storyteller knows no tale of this scenario");
  // A table whose game runs elsewhere may put anything into the facts.
  const auto number = [&facts](std::string_view name) -> std::uint64_t {
    const json::Value* value = json::Find(*facts, name);
    if (value != nullptr && value->is_uint64()) return value->get_uint64();
    return value != nullptr && value->is_int64() ? static_cast<std::uint64_t>(value->get_int64()) : 0;
  };
  Rng rng(seed ^ number("seed"));
  // Each turn has a generator of its own, so it does not matter which turns were told before.
  Rng own(rng.Next() + number("turn"));
  Choice choice;
  choice.action = "narrate";
  choice.data = storyteller::Narrate(*tale, *facts, decision.sight->text(), own);
  return choice;
}

// One of the choices on offer, without a mark.
Result<Choice> Choose(const ActionPtr& action, std::uint64_t seed, const Decision& decision) {
  Rng rng(seed ^ decision.id.value());
  const json::Value* ids = nullptr;
  if (action->schema) {
    if (const json::Value* properties = json::Find(*action->schema, "properties")) {
      if (const json::Value* id = json::Find(*properties, "choiceId")) ids = json::Find(*id, "enum");
    }
  }
  if (ids == nullptr || !ids->is_array() || ids->get_array().empty()) {
    return Fail(ErrorCode::kInvalid, "the storyteller plays narrative games only");
  }
  Choice choice;
  choice.action = action->name;
  choice.data = json::Object{{"choiceId", ids->get_array()[rng.Below(ids->get_array().size())]}};
  return choice;
}

}  // namespace

void Storyteller::OnDecision(const Decision&) {
  if (options_.delay == Duration(0)) {
    Answer();
  } else {
    timer_.Set(seat_->scheduler(), options_.delay, [this] { Answer(); });
  }
}

void Storyteller::OnDecisionEnded(DecisionId, DecisionEnd) {
  timer_.Cancel();
}

void Storyteller::Answer() {
  const Decision* decision = seat_->decision();
  if (decision == nullptr || seat_->awaiting() != nullptr) return;
  const DecisionId id = decision->id;
  Result<Choice> choice = Fail(ErrorCode::kInvalid, "the storyteller plays narrative games only");
  if (decision->actions.Find("narrate")) {
    choice = Tell(*decision, options_.seed);
  } else if (const ActionPtr action = decision->actions.Find("choose")) {
    choice = Choose(action, options_.seed, *decision);
  }
  if (!choice) {
    static_cast<void>(seat_->GiveUp(id, choice.error().message, {{"code", "unable"}}));  // it was open above
    return;
  }
  choice->decision = id;
  static_cast<void>(seat_->Choose(std::move(*choice)));  // a refusal comes back as the next attempt
}

AgentKind StorytellerKind() {
  return {.kind = "storyteller",
          .title = "Storyteller",
          .description = "Narrates stories from tales that are built in, without a model.",
          .game = "narrative",
          .plays_from = PlaysFrom::kHere,
          .named_by = Namer::kPlayer,
          .options = R"({
            "type": "object",
            "properties": {
              "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615, "x-namedBy": "player",
                "description": "In addition to the story's own seed; 0 by default."},
              "delay_ms": {"type": "number", "minimum": 0, "maximum": 600000,
                "description": "How long it waits before each answer, in milliseconds."}
            },
            "additionalProperties": false
          })",
          .make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            const double delay_ms = json::NumberOf(options, "delay_ms", 0);
            return std::make_unique<Storyteller>(
                StorytellerOptions{.seed = json::WholeOf(options, "seed").value_or(0),
                                   .delay = Duration(static_cast<std::int64_t>(delay_ms * 1000))});
          }};
}

}  // namespace openseat
