#include "agents/llm/answer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/action_data.h"
#include "schema/inspect.h"
#include "schema/providers/project.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxIssues = 16;

bool IsOfAnObject(const json::Value& schema) {
  const json::Object* object = schema.if_object();
  if (object == nullptr) return false;
  if (const json::Value* type = json::Find(*object, "type")) return *type == json::Value("object");
  return object->contains("properties");
}

// {"action", "data"} with the names, and with `data` if it is given.
json::Value Envelope(const json::Array& names, std::optional<json::Value> data, bool data_required) {
  json::Object properties{{"action", json::Object{{"type", "string"}, {"enum", names}}}};
  json::Array required{"action"};
  properties["data"] = data ? std::move(*data) : json::Value(json::Object());
  if (data_required) required.emplace_back("data");
  return json::Object{{"type", "object"},
                      {"properties", std::move(properties)},
                      {"required", std::move(required)},
                      {"additionalProperties", false}};
}

}  // namespace

AnswerForm::AnswerForm(ActionSet actions, bool may_pass) : actions_(std::move(actions)) {
  OPENSEAT_CHECK(!actions_.empty(), "there is something to choose from");
  const Action& first = *actions_.all().front();
  bare_ = actions_.size() == 1 && !may_pass && first.schema && IsOfAnObject(*first.schema);
  if (bare_) {
    schema_ = *first.schema;
    return;
  }
  json::Array names;
  json::Array all;
  bool data_required = !may_pass;
  for (const ActionPtr& action : actions_.all()) {
    names.emplace_back(action->name);
    if (!action->schema) {
      data_required = false;
      continue;
    }
    bool known = false;
    for (const json::Value& each : all) known = known || each == *action->schema;
    if (!known) all.push_back(*action->schema);
  }
  if (may_pass) {
    pass_ = "do_nothing";
    while (actions_.Find(pass_) != nullptr) pass_ += '_';
    names.emplace_back(pass_);
  }
  auto envelope = schema::Schema::Compile(Envelope(names, std::nullopt, false));
  OPENSEAT_CHECK(envelope.has_value(), "the envelope is a schema");
  envelope_ = std::move(*envelope);
  json::Value data = json::Object();  // anything
  if (all.empty()) {
    data = json::Object{{"type", "object"}, {"properties", json::Object()}, {"additionalProperties", false}};
  } else if (json::Write(all).find("\"$") == std::string::npos) {
    data = all.size() == 1 ? all.front() : json::Value(json::Object{{"anyOf", std::move(all)}});
  }  // otherwise a schema has references of its own: it cannot be part of another schema and appears only in the prompt
  schema_ = Envelope(names, std::move(data), data_required);
}

std::string AnswerForm::Describe() const {
  std::string out;
  if (bare_) {
    const Action& action = *actions_.all().front();
    out = "Your answer is the data of the action \"" + action.name + "\"";
    out += action.description.empty() ? "." : ": " + action.description;
    return out + "\nIt is one JSON object that fits this JSON Schema:\n" + json::Write(schema_);
  }
  out = "You may choose one of these actions:\n";
  for (const ActionPtr& action : actions_.all()) {
    out += "- \"" + action->name + "\"";
    if (!action->description.empty()) out += ": " + action->description;
    out += action->schema ? "\n  data fits this JSON Schema: " + json::Write(*action->schema) : "\n  without data";
    out += '\n';
  }
  if (!pass_.empty()) out += "- \"" + pass_ + "\": leave it at that for now\n  without data\n";
  return out + "Your answer is one JSON object: {\"action\": the name, \"data\": the data, if the action takes any}.";
}

struct Judge {
  const AnswerForm& form;
  const JudgeRules& rules;
  Judgement out;

  void Read(std::string_view text) {
    json::Value value;
    if (Result<json::Value> parsed = schema::ParseStrict(text)) {
      out.strict = true;
      value = std::move(*parsed);
    } else {
      out.parse_error = std::move(parsed.error().message);
      Result<json::Value> other = json::Parse(text, schema::kAnswerLimits);
      if (other && !other->is_object() && !other->is_string()) {
        // JSON that is not an object needs no repair. A string may contain the object.
        out.strict = true;
        out.parse_error.clear();
        value = std::move(*other);
      } else if (Result<schema::Repaired> repaired = schema::Repair(text)) {
        out.mended = true;
        out.fixes = std::move(repaired->fixes);
        value = std::move(repaired->value);
      } else if (other && other->is_string()) {
        out.strict = true;
        out.parse_error.clear();
        value = std::move(*other);
      } else {
        out.mend_error = std::move(repaired.error().message);
        return;
      }
    }
    if (rules.clean) rules.clean(value);
    Weigh(std::move(value));
  }

  void Weigh(json::Value value) {
    Choice choice;
    if (form.bare_) {
      choice.action = form.actions_.all().front()->name;
      choice.data = std::move(value);
    } else {
      out.issues = form.envelope_->Validate(value, kMaxIssues);
      if (!out.issues.empty()) {
        out.read = std::move(value);
        return;
      }
      choice.action = std::string(json::View(value.get_object().at("action").get_string()));
      if (json::Value* data = value.get_object().if_contains("data")) choice.data = std::move(*data);
    }
    if (choice.action == form.pass_ && !form.pass_.empty()) {
      out.choice.emplace(std::nullopt);
      return;
    }
    const ActionPtr action = form.actions_.Find(choice.action);
    // A bare answer is the object itself, so null is not short for one.
    schema::Budget budget;
    if (!(form.bare_ && choice.data.is_null())) FillInData(*action, choice.data, budget);
    if (action->compiled() && !action->compiled()->IsValid(choice.data, budget)) {
      if (rules.null_leaves_out) schema::Unproject(*action->compiled(), choice.data, budget);
      out.issues = action->compiled()->Validate(choice.data, budget, kMaxIssues);
      // Data that takes too much work to check is left to the table.
      if (!out.issues.empty() && !budget.exhausted()) return InData(std::move(choice));
      out.issues.clear();
    }
    out.choice.emplace(std::move(choice));
  }

  // The issues of the data, as issues of the answer.
  void InData(Choice choice) {
    if (form.bare_) {
      out.read = std::move(choice.data);
      return;
    }
    out.read = json::Object{{"action", choice.action}, {"data", std::move(choice.data)}};
    for (schema::Violation& issue : out.issues) {
      issue.instance_pointer = "/data" + issue.instance_pointer;
      const bool item = issue.instance_path.empty() || issue.instance_path.starts_with('[');
      issue.instance_path = "data" + std::string(item ? "" : ".") + issue.instance_path;
    }
  }
};

bool Judgement::readable() const {
  return strict || (mended && std::ranges::all_of(fixes, [](schema::Fix fix) {
                      return fix == schema::Fix::kFence || fix == schema::Fix::kProse ||
                             fix == schema::Fix::kReasoning || fix == schema::Fix::kComment ||
                             fix == schema::Fix::kTrailingComma;
                    }));
}

Judgement JudgeAnswer(const AnswerForm& form, std::string_view text, const JudgeRules& rules) {
  Judge judge{form, rules, {}};
  judge.Read(text);
  return std::move(judge.out);
}

std::string Complaint(const Judgement& judgement) {
  std::string out;
  if (!judgement.strict && !judgement.mended) out = "- It is not one JSON object: " + judgement.parse_error + "\n";
  for (const schema::Violation& issue : judgement.issues) out += "- " + issue.message + "\n";
  return out;
}

}  // namespace openseat::llm
