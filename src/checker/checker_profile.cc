// What a profile does besides answering (docs/checker.md): pauses, words, actions next to a force, wrong data.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "checker/wording.h"

namespace openseat::checker {
namespace {

using neuro::Diagnostic;

// Data that the schema refuses; nullopt if it takes whatever there is here.
std::optional<json::Value> WrongData(const schema::Schema& schema) {
  const std::array<json::Value, 5> candidates{json::Object{{"openseat_wrong", true}}, json::Array{}, "wrong", 7,
                                              nullptr};
  for (const json::Value& each : candidates) {
    if (!schema.IsValid(each)) return each;
  }
  return std::nullopt;
}

}  // namespace

std::optional<neuro::OpenForce> Checker::force() const {
  if (!force_) return std::nullopt;
  const int most = profile_.force_attempts;
  return neuro::OpenForce{.id = force_->id,
                          .priority = force_->priority,
                          .again = force_->begun,
                          .last = most > 0 && force_->retries % most == most - 1};
}

void Checker::Ponder() {
  Duration pause = character_.PauseBefore(*force());
  force_->begun = true;
  if (force_->crossed) pause += neuro::kCrossedPause;
  if (pause == Duration(0)) return AnswerForce();
  think_timer_.Set(scheduler_, pause, [this] {
    if (!finished_ && connected_ && force_ && !force_->names.empty() && !pending_) AnswerForce();
  });
}

void Checker::Spoil() {
  if (finished_ || !connected_ || !force_ || pending_ || force_->retries > 0) return;
  for (const std::string& name : force_->names) {
    Registered* action = Find(name);
    if (action == nullptr || action->compiled == nullptr) continue;
    std::optional<json::Value> wrong = WrongData(*action->compiled);
    if (!wrong) continue;
    SendWith(*action, std::nullopt, true, {.value = std::move(wrong)});
    pending_->wrong = true;
    if (pending_->record) result_.actions[*pending_->record].on_purpose = true;
    return;
  }
}

// The script is not disturbed, nor are runs that wait for silence.
bool Checker::MaySendBeside() const {
  return connected_ && !finished_ && !pending_ && !probed_ && !(options_.until == Until::kQuiet && complete());
}

void Checker::Act() {
  if (!MaySendBeside() || force_ || !scripted()) return;
  std::vector<std::string> names;
  for (const Registered& action : actions_) names.push_back(action.definition.name);
  SendBeside(std::move(names));
}

void Checker::Stray() {
  if (!MaySendBeside() || !force_) return;
  std::vector<std::string> others;
  for (const Registered& action : actions_) {
    const std::string& name = action.definition.name;
    if (std::ranges::find(force_->names, name) == force_->names.end()) others.push_back(name);
  }
  SendBeside(std::move(others));
}

void Checker::SendBeside(std::vector<std::string> names) {
  if (names.empty()) return;
  if (!SendAction(*Find(names[rng_.Below(names.size())]), std::nullopt, false)) return;
  pending_->beside = true;
}

bool Checker::AfterTrouble(const Pending& pending, const neuro::ResultMessage& result) {
  if (pending.wrong && result.success) {
    Report(Diagnostic::kResultAcceptedWrong,
           "the game accepted data that the schema of action " + Quote(pending.name) + " refuses");
    if (finished_) return true;
    if (!pending.beside) {
      EndForce();  // the game has its answer
      return true;
    }
  }
  if (!pending.beside) return false;
  if (result.success) force_->crossed = true;
  if (force_->names.empty()) {
    ForceEmptied();
  } else {
    Ponder();
  }
  return true;
}

void Checker::LetRest(const std::string& last_message) {
  const Duration rest = neuro::RestAfterGivingUp(force_->given_up++, neuro::kMostRest);
  force_->begun = false;
  resting_ = std::exchange(force_, std::nullopt);
  rest_timer_.Set(scheduler_, rest, [this] { Resume(); });
  Report(Diagnostic::kForceRefused,
         "the game refused " + std::to_string(profile_.force_attempts) +
             " choices of one force, as often as this profile tries; it is asked again in " + Seconds(rest) +
             "; the last refusal said: " + (last_message.empty() ? "nothing" : last_message));
}

void Checker::Resume() {
  if (finished_ || !connected_ || !resting_) return;
  if (pending_) return rest_timer_.Set(scheduler_, neuro::kCrossedPause, [this] { Resume(); });
  if (force_) return resting_.reset();
  force_ = std::exchange(resting_, std::nullopt);
  force_->crossed = false;
  Ponder();
}

void Checker::Spoke(bool last, std::string_view canceled) {
  if (profile_.speech_finished && !finished_ && connected_) port_.Send(neuro::SpeechFinished(last, canceled));
}

}  // namespace openseat::checker
