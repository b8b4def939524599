#include "agents/llm/answer_form.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "base/tokens.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxChoices = 200;
constexpr std::size_t kMaxLabel = 300;  // bytes
constexpr int kMaxListedDepth = 8;

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

// It is ours, except for the names, and as long as they are.
std::shared_ptr<const schema::Schema> CompiledEnvelope(const json::Value& source) {
  schema::CompileOptions options;
  options.limits.max_bytes = std::numeric_limits<std::size_t>::max();
  options.limits.max_nodes = std::numeric_limits<std::size_t>::max();
  options.limits.max_steps = std::numeric_limits<std::uint64_t>::max();
  auto compiled = schema::Schema::Compile(source, options);
  OPENSEAT_CHECK(compiled.has_value(), "the envelope is a schema");
  return std::move(*compiled);
}

// Whether a schema allows only a list of values, so that nothing in it is free: no text, no number without bounds.
bool IsListed(const json::Value& schema, int depth = 0) {
  const json::Object* object = schema.if_object();
  if (object == nullptr || depth > kMaxListedDepth) return false;
  if (object->contains("enum") || object->contains("const")) return true;
  for (const char* keyword : {"anyOf", "oneOf"}) {
    const json::Value* all = json::Find(*object, keyword);
    if (all == nullptr || !all->is_array()) continue;
    return std::ranges::all_of(all->get_array(), [&](const json::Value& each) { return IsListed(each, depth + 1); });
  }
  const std::string_view type = json::TextOf(*object, "type");
  if (type == "boolean" || type == "null") return true;
  if (type == "integer") return object->contains("minimum") && object->contains("maximum");
  const json::Value* closed = json::Find(*object, "additionalProperties");
  if (type != "object" || closed == nullptr || *closed != json::Value(false)) return false;
  const json::Value* properties = json::Find(*object, "properties");
  return properties == nullptr ||
         (properties->is_object() && std::ranges::all_of(properties->get_object(), [&](const auto& member) {
            return IsListed(member.value(), depth + 1);
          }));
}

std::string OneLine(const std::string& label) {
  return Ellipsize(EscapeControls(label), kMaxLabel);
}

}  // namespace

bool HasListedChoices(const Decision& decision) {
  const Sight& sight = *decision.sight;
  if (sight.game() == nullptr || sight.choices().empty() || sight.choices().size() > kMaxChoices) return false;
  const bool known = std::ranges::all_of(sight.choices(), [&](const LegalChoice& choice) {
    return decision.actions.Find(choice.choice.action) != nullptr;
  });
  return known && (sight.game()->info().moves_complete ||
                   std::ranges::all_of(decision.actions.all(), [](const ActionPtr& action) {
                     return !action->schema || IsListed(*action->schema);
                   }));
}

bool AnswerForm::TooLong(const Decision& decision, std::size_t tokens) {
  return !HasListedChoices(decision) && TooLong(decision.actions, tokens);
}

bool AnswerForm::TooLong(const ActionSet& actions, std::size_t tokens) {
  std::size_t needed = 0;
  for (const ActionPtr& action : actions.all()) {
    needed += EstimateTokens(action->name) + EstimateTokens(action->description);
    if (action->schema) needed += EstimateTokens(json::Write(*action->schema));
    if (needed > tokens) return true;
  }
  return false;
}

AnswerForm AnswerForm::For(const Decision& decision, FormOptions options) {
  if (!options.may_pass && HasListedChoices(decision)) return AnswerForm(decision.actions, decision.sight, options);
  return AnswerForm(decision.actions, options);
}

AnswerForm::AnswerForm(ActionSet actions, std::shared_ptr<const Sight> sight, FormOptions options)
    : actions_(std::move(actions)), shape_(Shape::kChoice), thinking_(options.thinking), sight_(std::move(sight)) {
  json::Array ids;
  for (std::size_t i = 1; i <= sight_->choices().size(); ++i) ids.emplace_back(std::to_string(i));
  schema_ =
      json::Object{{"type", "object"},
                   {"properties", json::Object{{"choice", json::Object{{"type", "string"}, {"enum", std::move(ids)}}}}},
                   {"required", json::Array{"choice"}},
                   {"additionalProperties", false}};
  envelope_ = CompiledEnvelope(schema_);
  AddReasoning();
}

AnswerForm::AnswerForm(ActionSet actions, FormOptions options)
    : actions_(std::move(actions)), thinking_(options.thinking) {
  OPENSEAT_CHECK(!actions_.empty(), "there is something to choose from");
  const Action& first = *actions_.all().front();
  if (actions_.size() == 1 && !options.may_pass && first.schema && IsOfAnObject(*first.schema)) {
    shape_ = Shape::kBare;
    schema_ = *first.schema;
    AddReasoning();
    return;
  }
  json::Array names;
  json::Array all;
  std::unordered_set<std::string> written;  // those in `all`
  bool can_be_parts = true;
  bool data_required = !options.may_pass;
  for (const ActionPtr& action : actions_.all()) {
    names.emplace_back(action->name);
    if (!action->schema) {
      data_required = false;
      continue;
    }
    const auto [schema, is_new] = written.insert(json::Write(*action->schema));
    if (!is_new) continue;
    all.push_back(*action->schema);
    can_be_parts = can_be_parts && schema->find("\"$") == std::string::npos;
  }
  if (options.may_pass) {
    pass_ = "do_nothing";
    while (actions_.Find(pass_) != nullptr) pass_ += '_';
    names.emplace_back(pass_);
  }
  envelope_ = CompiledEnvelope(Envelope(names, std::nullopt, false));
  json::Value data = json::Object();  // anything
  if (all.empty()) {
    data = json::Object{{"type", "object"}, {"properties", json::Object()}, {"additionalProperties", false}};
  } else if (can_be_parts) {
    data = all.size() == 1 ? all.front() : json::Value(json::Object{{"anyOf", std::move(all)}});
  }  // otherwise a schema has references of its own: it cannot be part of another schema and appears only in the prompt
  schema_ = Envelope(names, std::move(data), data_required);
  AddReasoning();
}

// Models write members in the order of the schema, so it must be the first.
void AnswerForm::AddReasoning() {
  if (thinking_ != Thinking::kField) return;
  json::Object& object = schema_.get_object();
  const json::Value* properties = json::Find(object, "properties");
  // A game's own schema may have a member of that name, or say more than a list of members.
  if (properties == nullptr || !properties->is_object() || properties->get_object().contains("reasoning")) return;
  for (const char* keyword : {"anyOf", "oneOf", "allOf", "not", "if", "$ref", "patternProperties", "maxProperties"}) {
    if (object.contains(keyword)) return;
  }
  json::Object longer{{"reasoning", json::Object{{"type", "string"}}}};
  for (const auto& member : properties->get_object()) longer[member.key()] = member.value();
  json::Array required{"reasoning"};
  if (const json::Value* list = json::Find(object, "required"); list != nullptr && list->is_array()) {
    for (const json::Value& name : list->get_array()) required.push_back(name);
  }
  object["properties"] = std::move(longer);
  object["required"] = std::move(required);
  has_reasoning_ = true;
}

const LegalChoice* AnswerForm::FindChoice(std::string_view id) const {
  const std::vector<LegalChoice>& choices = sight_->choices();
  std::size_t place = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), place);
  if (read.ec == std::errc() && read.ptr == id.data() + id.size()) {
    return place >= 1 && place <= choices.size() ? &choices[place - 1] : nullptr;
  }
  const auto found = std::ranges::find_if(
      choices, [&](const LegalChoice& choice) { return EqualsIgnoringCase(OneLine(choice.label), id); });
  return found == choices.end() ? nullptr : &*found;
}

std::string AnswerForm::AnswerText(const std::string& members) const {
  if (thinking_ == Thinking::kFree) {
    return "Think first, in your own words. Then end with your answer, one JSON object: " + members + ".";
  }
  if (!has_reasoning_) return "Your answer is one JSON object: " + members + ".";
  return "Your answer is one JSON object: {\"reasoning\": what matters here and why, in a few sentences, " +
         members.substr(1) + ".";
}

std::string AnswerForm::Describe() const {
  if (shape_ == Shape::kChoice) {
    std::string out = "Your choices:\n";
    std::size_t place = 0;
    for (const LegalChoice& choice : sight_->choices()) {
      out += std::to_string(++place) + ": " + OneLine(choice.label) + "\n";
    }
    return out + AnswerText("{\"choice\": the number of your choice, as a string}");
  }
  if (shape_ == Shape::kBare) {
    const Action& action = *actions_.all().front();
    std::string out = "Your answer is the data of the action \"" + action.name + "\"";
    out += action.description.empty() ? "." : ": " + action.description;
    if (thinking_ == Thinking::kFree) out += "\nThink first, in your own words. Then end with your answer.";
    if (has_reasoning_) out += "\nBegin with \"reasoning\": what matters here and why, in a few sentences.";
    return out + "\nIt is one JSON object that fits this JSON Schema:\n" + json::Write(schema_);
  }
  std::string out = "You may choose one of these actions:\n";
  for (const ActionPtr& action : actions_.all()) {
    out += "- \"" + action->name + "\"";
    if (!action->description.empty()) out += ": " + action->description;
    out += action->schema ? "\n  data fits this JSON Schema: " + json::Write(*action->schema) : "\n  without data";
    out += '\n';
  }
  if (!pass_.empty()) out += "- \"" + pass_ + "\": leave it at that for now\n  without data\n";
  return out + AnswerText("{\"action\": the name, \"data\": the data, if the action takes any}");
}

}  // namespace openseat::llm
