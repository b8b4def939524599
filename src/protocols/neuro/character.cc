#include "protocols/neuro/character.h"

#include <algorithm>
#include <utility>

namespace openseat::neuro {
namespace {

constexpr std::string_view kChaosName = "chaos";                // who chose
constexpr Duration kCutShort = std::chrono::milliseconds(300);  // how long a high priority lets her talk on

}  // namespace

Character::Character(const Manner& manner, std::uint64_t seed, Seat& seat, Spoke spoke)
    : manner_(manner), choice_(seed), seat_(seat), spoke_(std::move(spoke)) {}

Duration Character::Draw(const Span& span) {
  return span.most == Duration(0) ? Duration(0) : Duration(rng().Between(span.least.count(), span.most.count()));
}

void Character::Begin() {
  if (manner_.unforced.most == Duration(0)) return;
  leisure_timer_.Set(seat_.scheduler(), Draw(manner_.unforced), [this] { BeAtLeisure(); });
}

void Character::Stop() {
  talks_until_.reset();
  speech_timer_.Cancel();
  leisure_timer_.Cancel();
  trouble_timer_.Cancel();
}

// --- Talking ---

void Character::Talk() {
  if (talks_until_ || manner_.speech.most == Duration(0)) return;
  Utter(static_cast<int>(rng().Between(1, manner_.utterances)));
}

void Character::Utter(int left) {
  const Duration takes = Draw(manner_.speech);
  talks_until_ = seat_.scheduler().clock().Monotonic() + takes;
  speech_timer_.Set(seat_.scheduler(), takes, [this, left] {
    talks_until_.reset();
    spoke_(left <= 1, {});
    if (left > 1) Utter(left - 1);
  });
}

void Character::BeSilent(std::string_view reason) {
  if (!talks_until_) return;
  talks_until_.reset();
  speech_timer_.Cancel();
  spoke_(true, reason);
}

Duration Character::Finish(Priority priority) {
  if (!talks_until_) return Duration(0);
  const Duration left = std::max(*talks_until_ - seat_.scheduler().clock().Monotonic(), Duration(0));
  Duration wait = left;
  switch (priority) {
    case Priority::kLow:
      return left;
    case Priority::kMedium:
      wait = left / 2;
      break;
    case Priority::kHigh:
      wait = std::min(left, kCutShort);
      break;
    case Priority::kCritical:
      BeSilent("interrupted");
      return Duration(0);
  }
  talks_until_ = seat_.scheduler().clock().Monotonic() + wait;
  speech_timer_.Set(seat_.scheduler(), wait, [this] { BeSilent("shortened"); });
  return wait;
}

void Character::OnContext(bool silent) {
  if (!silent && Happens(manner_.talks_of_context)) Talk();
}

// --- Answering ---

Duration Character::PauseBefore(const Decision& decision) {
  if (decision.attempt > 1) return Draw(manner_.think);
  if (decision.priority <= Priority::kMedium && Happens(manner_.distracted)) Talk();
  const Duration pause = Finish(decision.priority) + Draw(manner_.think);
  Trouble(decision, pause);
  return pause;
}

void Character::OnAccepted() {
  if (Happens(manner_.talks_of_result)) Talk();
  if (Happens(manner_.hurries)) trouble_timer_.Set(seat_.scheduler(), Duration(0), [this] { Act(); });
}

// --- Unasked ---

void Character::BeAtLeisure() {
  leisure_timer_.Set(seat_.scheduler(), Draw(manner_.unforced), [this] { BeAtLeisure(); });
  if (manner_.acts_herself) {
    if (rng().Chance(0.5)) return Talk();
    if (seat_.decision() != nullptr) return Stray();
    return Act();
  }
  if (talks_until_ || seat_.decision() != nullptr) return;
  if (rng().Chance(0.5)) return Talk();
  seat_.Invite();
}

// While she takes her time, something else comes first.
void Character::Trouble(const Decision& decision, Duration pause) {
  const bool stray = Happens(manner_.strays);
  const bool spoil = !stray && !decision.last && Happens(manner_.spoils);
  if (!stray && !spoil) return;
  trouble_timer_.Set(seat_.scheduler(), Duration(rng().Between(0, pause.count())), [this, id = decision.id, stray] {
    if (stray) {
      Stray();
    } else {
      Spoil(id);
    }
  });
}

// An action that the pending decision does not offer.
void Character::Stray() {
  const Decision* decision = seat_.decision();
  if (decision == nullptr) return;
  ActionSet others;
  for (const ActionPtr& action : seat_.actions().all()) {
    if (decision->actions.Find(action->name) == nullptr) others.Put(action);
  }
  if (others.empty()) return;
  Result<Choice> choice = choice_.Pick(others);
  if (!choice) return;
  choice->beside = true;
  Choose(std::move(*choice));
}

void Character::Spoil(DecisionId id) {
  const Decision* decision = seat_.decision();
  if (decision == nullptr || decision->id != id || decision->last || decision->attempt > 1) return;
  Result<Choice> choice = choice_.Pick(decision->actions);
  if (choice) Choose(choice_.Spoil(std::move(*choice)));
}

void Character::Act() {
  if (seat_.decision() != nullptr) return;
  Result<Choice> choice = choice_.Pick(seat_.actions());
  if (choice) Choose(std::move(*choice));
}

void Character::Choose(Choice choice) {
  if (seat_.awaiting() != nullptr || !seat_.reachable()) return;
  choice.by = kChaosName;
  static_cast<void>(seat_.Choose(std::move(choice)));
}

}  // namespace openseat::neuro
