// The actions that the checker sends: the script's, in order, and those requested by a force.
#include <algorithm>
#include <utility>

#include "checker/checker.h"
#include "checker/fake.h"
#include "checker/wording.h"
#include "protocols/neuro/codec.h"
#include "schema/schema.h"

namespace openseat::checker {
namespace {

using neuro::Diagnostic;

bool IsEmptyData(const json::Value& data) {
  return data.is_null() || (data.is_object() && data.get_object().empty());
}

}  // namespace

std::optional<std::size_t> Checker::Sendable() {
  if (finished_ || !connected_ || pending_ || force_) return std::nullopt;
  const auto next = std::ranges::find(steps_, Step::kWaiting);
  if (next == steps_.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(next - steps_.begin());
  if (Find(options_.script[index].action) == nullptr) return std::nullopt;
  return index;
}

void Checker::Settle() {
  if (!Sendable()) {
    sendable_since_.reset();
    settle_timer_.Cancel();
    return;
  }
  const Instant now = scheduler_.clock().Monotonic();
  if (!sendable_since_) sendable_since_ = now;
  const Duration left = *sendable_since_ + options_.max_settle - now;
  settle_timer_.Set(scheduler_, std::clamp(left, Duration(0), options_.settle), [this] { ContinueScript(); });
}

void Checker::ContinueScript() {
  sendable_since_.reset();
  const std::optional<std::size_t> index = Sendable();
  if (!index) return;
  // If no data can be generated for it, the next one's turn comes.
  if (!SendAction(*Find(options_.script[*index].action), index, false)) Settle();
}

void Checker::AnswerForce() {
  // The earliest unsent script entry comes first; otherwise any of the force's actions.
  std::vector<std::string> candidates = force_->names;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::string& name = options_.script[i].action;
    if (steps_[i] != Step::kWaiting || std::ranges::find(candidates, name) == candidates.end()) continue;
    if (Registered* action = Find(name); action != nullptr && SendAction(*action, i, true)) return;
    std::erase(candidates, name);
  }
  while (!candidates.empty() && !finished_) {
    const auto pick = candidates.begin() + static_cast<std::ptrdiff_t>(rng_.Below(candidates.size()));
    if (Registered* action = Find(*pick); action != nullptr && SendAction(*action, std::nullopt, true)) return;
    candidates.erase(pick);
  }
  EndForce();
}

Checker::Data Checker::ChooseData(const Registered& action, const ScriptEntry* entry) {
  Data out;
  if (entry != nullptr && (action.compiled == nullptr || entry->expect == Expectation::kRefused)) {
    if (entry->data && !(action.compiled == nullptr && IsEmptyData(*entry->data))) out.value = *entry->data;
    return out;
  }
  if (action.compiled == nullptr) return out;
  if (entry != nullptr && entry->data) {
    const std::vector<schema::Violation> violations = action.compiled->Validate(*entry->data);
    if (violations.empty()) {
      out.value = *entry->data;
      return out;
    }
    out.replaced = true;
    Report(Diagnostic::kScriptData, "the script's data for action " + Quote(action.definition.name) +
                                        " does not match its schema: " + schema::Explain(violations) +
                                        "; generated data is sent instead");
  }
  Result<json::Value> made = checker::FakeData(*action.compiled, action.definition.name, rng_);
  out.possible = made.has_value();
  if (made) out.value = std::move(*made);
  return out;
}

bool Checker::SendAction(Registered& action, std::optional<std::size_t> script_index, bool forced) {
  const std::string& name = action.definition.name;
  const Data chosen = ChooseData(action, script_index ? &options_.script[*script_index] : nullptr);
  if (!chosen.possible) {
    if (script_index) {
      steps_[*script_index] = Step::kDone;  // as far as possible
      AddUnsent(*script_index);
    }
    Report(Diagnostic::kScriptNoData, "no data could be generated for the schema of action " + Quote(name));
    return false;
  }
  if (finished_) return false;
  SendWith(action, script_index, forced, chosen);
  return true;
}

std::string Checker::Encode(const std::string& name, const std::optional<json::Value>& data, std::string& id,
                            std::optional<std::string>& text) {
  if (options_.data_format == DataFormat::kObject && data) {
    return json::Write(
        json::Object{{"command", "action"}, {"data", json::Object{{"id", id}, {"name", name}, {"data", *data}}}});
  }
  neuro::ActionForm form = neuro::ActionForm::kUsual;
  if (profile_.manner.odd_forms) form = character_.Disguise(id, data ? data->if_object() : nullptr, text);
  std::string packet;
  neuro::EncodeAction(id, name, text ? std::optional<std::string_view>(*text) : std::nullopt, packet, form);
  return packet;
}

void Checker::SendWith(const Registered& action, std::optional<std::size_t> script_index, bool forced,
                       const Data& chosen) {
  const std::string& name = action.definition.name;
  std::string id = options_.id_prefix + std::to_string(++last_id_);
  std::optional<std::string> text;
  if (chosen.value) text = json::Write(*chosen.value);
  std::string packet = Encode(name, chosen.value, id, text);
  pending_ = Pending{std::move(id), name, script_index, std::nullopt, action.unusable, scheduler_.clock().Monotonic()};
  if (script_index) steps_[*script_index] = Step::kSent;
  result_.tested = true;
  practice_.Sent(pending_->id, name);
  if (result_.actions.size() < CheckResult::kMaxActions) {
    pending_->record = result_.actions.size();
    CheckedAction& record = result_.actions.emplace_back();
    record.name = name;
    record.id = pending_->id;
    record.data = text.value_or("");
    record.scripted = script_index.has_value();
    record.forced = forced;
    record.replaced = chosen.replaced;
    record.outcome = CheckedAction::Outcome::kNoResult;
  }
  Log(Level::kDebug, "Sent action: id " + pending_->id + ", name " + name + ", data " + text.value_or("none"));
  result_timer_.Set(scheduler_, options_.result_timeout, [this] {
    Report(Diagnostic::kResultTimeout, "action " + Quote(pending_->name) + " (id " + Quote(pending_->id) +
                                           ") has no result after " + Seconds(options_.result_timeout));
  });
  port_.Send(packet);
}

void Checker::AddUnsent(std::size_t script_index) {
  if (result_.actions.size() == CheckResult::kMaxActions) return;
  CheckedAction& record = result_.actions.emplace_back();
  record.name = options_.script[script_index].action;
  record.scripted = true;
  record.fault = Level::kError;
}

}  // namespace openseat::checker
