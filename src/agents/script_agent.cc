#include "agents/script_agent.h"

#include <algorithm>
#include <utility>

#include "agents/options.h"
#include "base/json_document.h"
#include "base/json_members.h"
#include "base/text.h"

namespace openseat {
namespace {

constexpr std::string_view kForm = "a script is {\"action\": data, …} or a list of {\"action\", \"data\"}";

Result<Script::Step> ParseStep(const json::Value& source, std::size_t index) {
  const std::string where = "steps[" + std::to_string(index) + "]";
  const json::Object* object = source.if_object();
  const json::Value* action = object == nullptr ? nullptr : json::Find(*object, "action");
  if (action == nullptr || !action->is_string()) {
    return Fail(ErrorCode::kInvalid,
                where + " must be {\"action\": name, \"data\": {…}}; got " + json::Excerpt(source, 200), where);
  }
  if (auto known = agents::CheckKnown(*object, "script", {"action", "data"}); !known) return Fail(known.error());
  const json::Value* data = json::Find(*object, "data");
  return Script::Step{std::string(json::View(action->get_string())), data == nullptr ? json::Value() : *data};
}

// Whether the open decision takes it, offered or not (ActionSpec::offered).
bool Takes(const Decision& decision, const std::string& action) {
  if (decision.actions.Find(action) != nullptr) return true;
  const std::vector<ActionSpec> legal = decision.sight->Actions();
  return std::ranges::find(legal, action, &ActionSpec::name) != legal.end();
}

}  // namespace

Result<Script> ParseScript(const json::Value& source) {
  Script script;
  const json::Array* steps = source.if_array();
  if (const json::Value* named = json::Find(source, "steps"); named != nullptr && named->is_array()) {
    steps = &named->get_array();
    const json::Object& options = source.get_object();
    if (auto known = agents::CheckKnown(options, "script", {"steps", "loop", "otherwise"}); !known)
      return Fail(known.error());
    const auto loop = agents::BoolOption(options, "loop", false);
    if (!loop) return Fail(loop.error());
    script.loop = *loop;
    const auto otherwise = agents::TextOption(options, "otherwise", "wait");
    if (!otherwise) return Fail(otherwise.error());
    if (*otherwise != "wait" && *otherwise != "random") {
      return Fail(ErrorCode::kInvalid, "otherwise must be \"wait\" or \"random\"; got " + Quote(*otherwise),
                  "otherwise");
    }
    script.otherwise_random = *otherwise == "random";
  }
  if (steps != nullptr) {
    for (std::size_t i = 0; i < steps->size(); ++i) {
      Result<Script::Step> step = ParseStep((*steps)[i], i);
      if (!step) return Fail(step.error());
      script.steps.push_back(std::move(*step));
    }
  } else if (const json::Object* object = source.if_object()) {
    for (const auto& member : *object) {
      script.steps.push_back({std::string(member.key().data(), member.key().size()), member.value()});
    }
  } else {
    return Fail(ErrorCode::kInvalid, std::string(kForm) + "; got " + std::string(json::TypeName(source)));
  }
  if (script.steps.empty()) return Fail(ErrorCode::kInvalid, "the script has no steps");
  return script;
}

Result<Script> LoadScript(const std::string& path) {
  const Result<std::string> text = json::ReadFile(path);
  if (!text) return Fail(text.error());
  Result<json::Value> source = json::ParseDocument(*text);
  if (!source) return Fail(source.error().code, path + ": " + source.error().message + "; " + std::string(kForm), path);
  Result<Script> script = ParseScript(*source);
  if (!script) return Fail(script.error().code, path + ": " + script.error().message, script.error().path);
  return script;
}

AgentKind ScriptKind() {
  return {.kind = "script",
          .title = "Script",
          .description = "Takes given actions in a given order.",
          .plays_from = PlaysFrom::kHere,
          .named_by = Namer::kAdmin,
          .options = R"({
        "type": "object",
        "properties": {
          "script": {
            "description": "{action: data, …}, or a list of {\"action\", \"data\"}, or {\"steps\": such a list, \"loop\", \"otherwise\": \"wait\" or \"random\"}."},
          "file": {"type": "string", "minLength": 1, "x-namedBy": "owner",
            "description": "Instead: the name of a file with it."},
          "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615,
            "description": "Of what it answers at random; 0 by default."}
        },
        "additionalProperties": false
      })",
          .bare = "file",
          .make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            const json::Value* given = json::Find(options, "script");
            const std::string file(json::TextOf(options, "file"));
            if ((given == nullptr) == file.empty()) {
              return Fail(ErrorCode::kInvalid,
                          "the agent \"script\" needs a file, as in script:FILE, or the script itself", "script");
            }
            Result<Script> script = given != nullptr ? ParseScript(*given) : LoadScript(file);
            if (!script) return Fail(script.error());
            return std::make_unique<ScriptAgent>(std::move(*script), json::WholeOf(options, "seed").value_or(0));
          }};
}

ScriptAgent::ScriptAgent(Script script, std::uint64_t seed)
    : script_(std::move(script)), fallback_(RandomAgentOptions{.seed = seed}) {}

void ScriptAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  fallback_.OnSeated(seat);
  Play();
}

void ScriptAgent::OnDecision(const Decision& decision) {
  const bool ours = next_ < script_.steps.size() && Takes(decision, script_.steps[next_].action);
  if (ours) {
    step_sent_ = false;
    Play();
  } else if (script_.otherwise_random) {
    fallback_.OnDecision(decision);
  }
}

void ScriptAgent::Play() {
  if (step_sent_ || next_ >= script_.steps.size() || seat_->awaiting() != nullptr) return;
  const Script::Step& step = script_.steps[next_];
  const Decision* decision = seat_->decision();
  if (decision != nullptr ? !Takes(*decision, step.action) : seat_->actions().Find(step.action) == nullptr) return;
  Choice choice;
  choice.action = step.action;
  choice.data = step.data;
  step_sent_ = true;
  // A refusal within a decision comes back as its next attempt. Otherwise nothing asks again: the step is skipped, and
  // the next one waits for an event, so that a looping script does not run in circles.
  if (!seat_->Choose(std::move(choice)) && decision == nullptr) Skip();
}

void ScriptAgent::OnVerdict(const Choice& choice, const Verdict& verdict) {
  if (!step_sent_) return;
  // Refused within a decision: the decision is asked again or ends, and then the script goes on.
  if (!verdict.accepted() && choice.decision) return;
  Advance();
}

void ScriptAgent::OnDecisionEnded(DecisionId, DecisionEnd end) {
  if (step_sent_ && end != DecisionEnd::kSettled) Advance();
}

void ScriptAgent::Skip() {
  step_sent_ = false;
  ++next_;
  if (next_ == script_.steps.size() && script_.loop) next_ = 0;
}

void ScriptAgent::Advance() {
  Skip();
  Play();
}

}  // namespace openseat
