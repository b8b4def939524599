// What a profile does besides answering (docs/checker.md): pauses, words, actions next to a force, wrong data.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "checker/wording.h"
#include "protocols/neuro/codec.h"

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

void Checker::Ponder() {
  const neuro::Span& think = profile_.manner.think;
  if (think.most == Duration(0)) return AnswerForce();
  const auto spread = static_cast<std::uint64_t>((think.most - think.least).count());
  const Duration pause = think.least + Duration(static_cast<std::int64_t>(rng_.Below(spread + 1)));
  think_timer_.Set(scheduler_, pause, [this] {
    if (finished_ || !connected_ || !force_ || force_->names.empty() || pending_) return;
    if (!std::exchange(force_->troubled, true) && (Spoil() || Stray())) return;
    AnswerForce();
  });
}

bool Checker::Spoil() {
  if (profile_.manner.spoils == 0 || !rng_.Chance(profile_.manner.spoils)) return false;
  for (const std::string& name : force_->names) {
    Registered* action = Find(name);
    if (action == nullptr || action->compiled == nullptr) continue;
    std::optional<json::Value> wrong = WrongData(*action->compiled);
    if (!wrong) continue;
    SendWith(*action, std::nullopt, true, {.value = std::move(wrong)});
    pending_->wrong = true;
    if (pending_->record) result_.actions[*pending_->record].on_purpose = true;
    return true;
  }
  return false;
}

bool Checker::Stray() {
  if (profile_.manner.strays == 0 || !rng_.Chance(profile_.manner.strays)) return false;
  std::vector<std::string> others;
  for (const Registered& action : actions_) {
    const std::string& name = action.definition.name;
    if (std::ranges::find(force_->names, name) == force_->names.end()) others.push_back(name);
  }
  if (others.empty()) return false;
  if (!SendAction(*Find(others[rng_.Below(others.size())]), std::nullopt, false)) return false;
  pending_->beside = true;
  return true;
}

bool Checker::AfterTrouble(const Pending& pending, const neuro::ResultMessage& result) {
  if (!pending.wrong && !pending.beside) return false;
  if (pending.wrong && result.success) {
    Report(Diagnostic::kResultAcceptedWrong,
           "the game accepted data that the schema of action " + Quote(pending.name) + " refuses");
    if (!finished_) EndForce();  // the game has its answer
  } else if (force_->names.empty() && pending.beside && result.success) {
    EndForce();  // because of what we sent
  } else if (force_->names.empty()) {
    ForceEmptied();
  } else {
    Ponder();
  }
  return true;
}

void Checker::Talk() {
  if (!profile_.speech_finished || !rng_.Chance(profile_.manner.talks_of_result)) return;
  std::string said;
  neuro::EncodeSpeechFinished(true, std::nullopt, std::nullopt, said);
  port_.Send(said);
}

}  // namespace openseat::checker
