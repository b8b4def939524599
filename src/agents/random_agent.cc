#include "agents/random_agent.h"

#include <algorithm>
#include <utility>

#include "base/json_members.h"
#include "base/secure_random.h"
#include "schema/generate/generate.h"

namespace openseat {
namespace {

// Games' names for giving up. A random player would do it within a few choices.
constexpr std::string_view kGivingUp = "concede";

// Per decision: how many actions are tried if no data can be generated for those before.
constexpr std::size_t kMaxTried = 16;
constexpr std::uint64_t kLeastSteps = 5'000;

Duration FromMs(double ms) {
  return Duration(static_cast<std::int64_t>(ms * 1000));
}

Result<RandomAgentOptions> ReadRandomAgentOptions(const json::Object& options) {
  RandomAgentOptions read;
  const std::optional<std::uint64_t> seed = json::WholeOf(options, "seed");
  read.seed = seed ? *seed : SecureRandom64();
  const json::Value* delay = json::Find(options, "delay_ms");
  if (delay != nullptr && delay->is_array()) {
    const json::Array& range = delay->get_array();
    read.delay_min = FromMs(range[0].to_number<double>());
    read.delay_max = FromMs(range[1].to_number<double>());
    if (read.delay_min > read.delay_max) {
      return Fail(ErrorCode::kInvalid, "delay_ms must be [least, most]; got " + json::Write(*delay), "delay_ms");
    }
  } else {
    read.delay_min = read.delay_max = FromMs(json::NumberOf(options, "delay_ms", 0));
  }
  read.act_every = FromMs(json::NumberOf(options, "act_every_ms", 0));
  read.invalid = json::NumberOf(options, "invalid", 0);
  read.answer = json::BoolOf(options, "answer", true);
  return read;
}

}  // namespace

AgentKind RandomKind() {
  return {.kind = "random",
          .title = "Random bot",
          .description = "Chooses at random, with data that fits.",
          .plays_from = PlaysFrom::kHere,
          .named_by = Namer::kPlayer,
          .options = R"({
        "type": "object",
        "properties": {
          "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615, "x-namedBy": "player",
            "description": "The same seed chooses the same; a fresh one by default."},
          "delay_ms": {"type": ["number", "array"], "minimum": 0, "maximum": 86400000,
            "items": {"type": "number", "minimum": 0, "maximum": 86400000}, "minItems": 2, "maxItems": 2,
            "description": "How long it waits before it answers, in milliseconds; or [least, most]."},
          "act_every_ms": {"type": "number", "minimum": 0, "maximum": 86400000,
            "description": "Chooses unasked, too, about this often, in milliseconds; 0: never."},
          "invalid": {"type": "number", "minimum": 0, "maximum": 1,
            "description": "The share of its choices that are wrong on purpose, as a model's may be."},
          "answer": {"type": "boolean", "description": "Whether it answers decisions at all; true by default."}
        },
        "additionalProperties": false
      })",
          .make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            const Result<RandomAgentOptions> read = ReadRandomAgentOptions(options);
            if (!read) return Fail(read.error());
            return std::make_unique<RandomAgent>(*read);
          }};
}

RandomAgent::RandomAgent(const RandomAgentOptions& options) : options_(options), rng_(options.seed) {}

void RandomAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  if (options_.act_every > Duration(0)) {
    act_timer_.Set(seat.scheduler(), options_.act_every, [this] { ActUnasked(); });
  }
}

Duration RandomAgent::Delay() {
  return Duration(rng_.Between(options_.delay_min.count(), options_.delay_max.count()));
}

void RandomAgent::OnDecision(const Decision&) {
  if (!options_.answer) return;
  const Duration delay = Delay();
  if (delay == Duration(0)) {
    Answer();
  } else {
    answer_timer_.Set(seat_->scheduler(), delay, [this] { Answer(); });
  }
}

void RandomAgent::OnDecisionEnded(DecisionId, DecisionEnd) {
  answer_timer_.Cancel();
}

void RandomAgent::Answer() {
  const Decision* decision = seat_->decision();
  if (decision == nullptr || seat_->awaiting() != nullptr) return;
  const DecisionId id = decision->id;
  Result<Choice> choice = Pick(decision->actions);
  if (!choice) {
    // The decision was open above, so the only possible failure is that it has just ended.
    static_cast<void>(seat_->GiveUp(id, choice.error().message, {{"code", "unable"}}));
    return;
  }
  choice->decision = id;
  // A refusal comes back as the next attempt.
  static_cast<void>(seat_->Choose(std::move(*choice)));
}

void RandomAgent::ActUnasked() {
  act_timer_.Set(seat_->scheduler(), options_.act_every, [this] { ActUnasked(); });
  if (seat_->decision() != nullptr || seat_->awaiting() != nullptr || seat_->actions().empty()) return;
  if (Result<Choice> choice = Pick(seat_->actions())) static_cast<void>(seat_->Choose(std::move(*choice)));
}

// One of the actions, starting at a random one, for which data can be generated.
Result<Choice> RandomAgent::Pick(const ActionSet& actions) {
  const std::size_t count = actions.size();
  if (count == 0) return Fail(ErrorCode::kNoSuchAction, "there is no action to choose");
  const std::size_t start = rng_.Below(count);
  Error last{ErrorCode::kSchema, {}, {}};
  std::uint64_t steps = schema::kCallSteps;
  for (std::size_t i = 0; i < std::min(count, kMaxTried); ++i) {
    const Action& action = *actions.all()[(start + i) % count];
    if (action.name == kGivingUp && count > 1) continue;
    Choice choice;
    choice.action = action.name;
    if (action.compiled()) {
      // An action that takes too much leaves something for the others.
      schema::Budget budget(std::max(steps / 2, kLeastSteps));
      steps -= std::min(steps, budget.granted());
      Result<json::Value> data = schema::Generate(*action.compiled(), rng_, {.budget = &budget});
      if (!data) {
        last = std::move(data).error();
        continue;
      }
      choice.data = std::move(*data);
    }
    return options_.invalid > 0 && rng_.Chance(options_.invalid) ? Spoil(std::move(choice)) : std::move(choice);
  }
  return Fail(std::move(last));
}

// Typical mistakes of models: truncated JSON, prose, an empty object, another type, an unknown action.
Choice RandomAgent::Spoil(Choice choice) {
  choice.unchecked = true;
  const std::string good = choice.data.is_null() ? "{}" : json::Write(choice.data);
  switch (rng_.Below(5)) {
    case 0:
      choice.raw = good.substr(0, good.size() / 2);
      break;
    case 1:
      choice.raw = "I would like to " + choice.action;
      break;
    case 2:
      choice.raw = "{}";
      break;
    case 3:
      choice.raw = "[" + good + "]";
      break;
    default:
      choice.action += "_please";
      break;
  }
  return choice;
}

}  // namespace openseat
