#include "protocols/neuro/character.h"

#include <algorithm>

namespace openseat::neuro {
namespace {

constexpr Duration kCutShort = std::chrono::milliseconds(300);  // how long a high priority lets her talk on
constexpr Duration kRest = std::chrono::seconds(5);             // after a force was given up for the first time
constexpr int kMostDoublings = 10;

}  // namespace

Character::Character(const Manner& manner, std::uint64_t seed, Stage& stage)
    : manner_(manner), rng_(seed), stage_(stage) {}

Duration Character::Draw(const Span& span) {
  return span.most == Duration(0) ? Duration(0) : Duration(rng_.Between(span.least.count(), span.most.count()));
}

void Character::Begin() {
  if (manner_.unforced.most == Duration(0)) return;
  leisure_timer_.Set(stage_.scheduler(), Draw(manner_.unforced), [this] { BeAtLeisure(); });
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
  Utter(static_cast<int>(rng_.Between(1, manner_.utterances)));
}

void Character::Utter(int left) {
  const Duration takes = Draw(manner_.speech);
  talks_until_ = stage_.scheduler().clock().Monotonic() + takes;
  speech_timer_.Set(stage_.scheduler(), takes, [this, left] {
    talks_until_.reset();
    stage_.Spoke(left <= 1, {});
    if (left > 1) Utter(left - 1);
  });
}

void Character::BeSilent(std::string_view reason) {
  if (!talks_until_) return;
  talks_until_.reset();
  speech_timer_.Cancel();
  stage_.Spoke(true, reason);
}

Duration Character::Finish(Priority priority) {
  if (!talks_until_) return Duration(0);
  const Duration left = std::max(*talks_until_ - stage_.scheduler().clock().Monotonic(), Duration(0));
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
  talks_until_ = stage_.scheduler().clock().Monotonic() + wait;
  speech_timer_.Set(stage_.scheduler(), wait, [this] { BeSilent("shortened"); });
  return wait;
}

void Character::OnContext(bool silent) {
  if (!silent && Happens(manner_.talks_of_context)) Talk();
}

// --- Answering ---

Duration Character::PauseBefore(const OpenForce& force) {
  if (force.again) return Draw(manner_.think);
  if (force.priority <= Priority::kMedium && Happens(manner_.distracted)) Talk();
  const Duration pause = Finish(force.priority) + Draw(manner_.think);
  Trouble(force, pause);
  return pause;
}

void Character::OnAccepted() {
  if (Happens(manner_.talks_of_result)) Talk();
  if (Happens(manner_.hurries)) trouble_timer_.Set(stage_.scheduler(), Duration(0), [this] { stage_.Act(); });
}

// While she takes her time, something else comes first.
void Character::Trouble(const OpenForce& force, Duration pause) {
  const bool stray = Happens(manner_.strays);
  const bool spoil = !stray && !force.last && Happens(manner_.spoils);
  if (!stray && !spoil) return;
  trouble_timer_.Set(stage_.scheduler(), Duration(rng_.Between(0, pause.count())), [this, id = force.id, stray] {
    const std::optional<OpenForce> open = stage_.force();
    if (!open) return;
    if (stray) return stage_.Stray();
    if (open->id == id && !open->last) stage_.Spoil();
  });
}

ActionForm Character::Disguise(std::string& id, const json::Object* object, std::optional<std::string>& data) {
  if (rng_.Chance(0.5)) {
    id += kIdTail;
    for (int i = 0; i < 4; ++i) id += std::to_string(rng_.Below(1'000'000'000));
  }
  if (!data && rng_.Chance(0.5)) data = "{}";
  if (object != nullptr && object->size() > 1 && rng_.Chance(0.5)) {
    json::Object reversed;
    for (auto member = object->end(); member != object->begin();) {
      --member;
      reversed[member->key()] = member->value();
    }
    data = json::Write(reversed);
  }
  return rng_.Chance(0.5) ? ActionForm::kDataFirst : ActionForm::kUsual;
}

// --- Unasked ---

void Character::BeAtLeisure() {
  leisure_timer_.Set(stage_.scheduler(), Draw(manner_.unforced), [this] { BeAtLeisure(); });
  const bool forced = stage_.force().has_value();
  if (manner_.acts_herself) {
    if (rng_.Chance(0.5)) return Talk();
    return forced ? stage_.Stray() : stage_.Act();
  }
  if (talks_until_ || forced) return;
  if (rng_.Chance(0.5)) return Talk();
  stage_.Invite();
}

// --- Messages and pauses ---

std::string SpeechFinished(bool last, std::string_view canceled) {
  std::string out;
  const bool cut = !canceled.empty();
  EncodeSpeechFinished(last, cut ? std::optional(true) : std::nullopt, cut ? std::optional(canceled) : std::nullopt,
                       out);
  return out;
}

Duration RestAfterGivingUp(int before, Duration most) {
  return std::min(kRest * (1 << std::min(before, kMostDoublings)), most);
}

}  // namespace openseat::neuro
