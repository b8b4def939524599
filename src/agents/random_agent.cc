#include "agents/random_agent.h"

#include <utility>

#include "base/json_members.h"
#include "base/secure_random.h"

namespace openseat {
namespace {

// Of one decision: then it has shown the game enough of its mistakes.
constexpr int kMostSpoiled = 2;

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
      return Fail(ErrorCode::kInvalid, "delay_ms must be [least, most]; got " + json::Excerpt(*delay), "delay_ms");
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
            "description": "The share of its choices that are wrong on purpose, as a model's may be; at most two of a decision, and never the last try."},
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

RandomAgent::RandomAgent(const RandomAgentOptions& options) : options_(options), choice_(options.seed) {}

void RandomAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  if (options_.act_every > Duration(0)) {
    act_timer_.Set(seat.scheduler(), options_.act_every, [this] { ActUnasked(); });
  }
}

Duration RandomAgent::Delay() {
  return Duration(choice_.rng().Between(options_.delay_min.count(), options_.delay_max.count()));
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

void RandomAgent::OnVerdict(const Choice& choice, const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::kRefused && choice.decision) choice_.Refuse(choice);
}

void RandomAgent::OnDecisionEnded(DecisionId, DecisionEnd end) {
  answer_timer_.Cancel();
  // What was refused too often is probably asked again.
  if (end != DecisionEnd::kGaveUp) choice_.Forget();
}

void RandomAgent::MaybeSpoil(Choice& choice) {
  if (options_.invalid > 0 && choice_.rng().Chance(options_.invalid)) choice = choice_.Spoil(std::move(choice));
}

void RandomAgent::Answer() {
  const Decision* decision = seat_->decision();
  if (decision == nullptr || seat_->awaiting() != nullptr) return;
  const DecisionId id = decision->id;
  const bool may_spoil = decision->attempt <= kMostSpoiled && !decision->last;
  // The examples of a hosted game are what may be said; those of a game elsewhere show a form.
  Result<Choice> choice = choice_.Pick(decision->actions, decision->sight->game() != nullptr);
  if (!choice) {
    // The decision was open above, so the only possible failure is that it has just ended.
    static_cast<void>(seat_->GiveUp(id, choice.error().message, {{"code", "unable"}}));
    return;
  }
  if (may_spoil) MaybeSpoil(*choice);
  choice->decision = id;
  // A refusal comes back as the next attempt.
  static_cast<void>(seat_->Choose(std::move(*choice)));
}

void RandomAgent::ActUnasked() {
  act_timer_.Set(seat_->scheduler(), options_.act_every, [this] { ActUnasked(); });
  OnInvited();
}

void RandomAgent::OnInvited() {
  if (seat_->decision() != nullptr || seat_->awaiting() != nullptr || seat_->actions().empty()) return;
  if (!seat_->reachable()) return;
  Result<Choice> choice = choice_.Pick(seat_->actions());
  if (!choice) return;
  MaybeSpoil(*choice);
  static_cast<void>(seat_->Choose(std::move(*choice)));
}

}  // namespace openseat
