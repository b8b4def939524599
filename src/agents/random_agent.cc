#include "agents/random_agent.h"

#include <algorithm>
#include <utility>

#include "agents/options.h"
#include "base/secure_random.h"
#include "schema/generate.h"

namespace openseat {
namespace {

// What games call giving up. Whoever plays at random would do it within a few choices.
constexpr std::string_view kGivingUp = "concede";

// Of the actions of one decision, where no data can be generated for those before.
constexpr std::size_t kMaxTried = 16;
constexpr std::uint64_t kLeastSteps = 5'000;

constexpr double kDayMs = 24.0 * 60 * 60 * 1000;

Duration FromMs(double ms) {
  return Duration(static_cast<std::int64_t>(ms * 1000));
}

}  // namespace

Result<RandomAgentOptions> ParseRandomAgentOptions(const json::Object& options) {
  using agents::BoolOption;
  using agents::NumberOption;
  RandomAgentOptions parsed;
  if (auto known = agents::CheckKnown(options, "random", {"seed", "delay_ms", "act_every_ms", "invalid", "answer"});
      !known) {
    return Fail(known.error());
  }
  if (const json::Value* seed = json::Find(options, "seed")) {
    if (seed->is_int64() && seed->get_int64() >= 0) {
      parsed.seed = static_cast<std::uint64_t>(seed->get_int64());
    } else if (seed->is_uint64()) {
      parsed.seed = seed->get_uint64();
    } else {
      return Fail(ErrorCode::kInvalid, "seed must be a whole number from 0; got " + json::Write(*seed), "seed");
    }
  } else {
    parsed.seed = SecureRandom64();
  }
  const json::Value* delay = json::Find(options, "delay_ms");
  if (delay != nullptr && delay->is_array()) {
    const json::Array& range = delay->get_array();
    const bool fits =
        range.size() == 2 && range[0].is_number() && range[1].is_number() && range[0].to_number<double>() >= 0 &&
        range[0].to_number<double>() <= range[1].to_number<double>() && range[1].to_number<double>() <= kDayMs;
    if (!fits) {
      return Fail(ErrorCode::kInvalid,
                  "delay_ms must be a number of milliseconds or [min, max]; got " + json::Write(*delay), "delay_ms");
    }
    parsed.delay_min = FromMs(range[0].to_number<double>());
    parsed.delay_max = FromMs(range[1].to_number<double>());
  } else {
    const auto number = NumberOption(options, "delay_ms", 0, 0, kDayMs);
    if (!number) return Fail(number.error());
    parsed.delay_min = parsed.delay_max = FromMs(*number);
  }
  const auto act_every = NumberOption(options, "act_every_ms", 0, 0, kDayMs);
  if (!act_every) return Fail(act_every.error());
  parsed.act_every = FromMs(*act_every);
  const auto invalid = NumberOption(options, "invalid", 0, 0, 1);
  if (!invalid) return Fail(invalid.error());
  parsed.invalid = *invalid;
  const auto answer = BoolOption(options, "answer", true);
  if (!answer) return Fail(answer.error());
  parsed.answer = *answer;
  return parsed;
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
    // The decision was seen open above, so the only failure is that it has just ended.
    static_cast<void>(seat_->GiveUp(id, choice.error().message));
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
      // One that takes too much leaves something to the others.
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

// What models get wrong: JSON that is cut off, prose, an empty object, another type, an action that does not exist.
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
