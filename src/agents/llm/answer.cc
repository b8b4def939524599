#include "agents/llm/answer.h"

#include <algorithm>
#include <utility>

#include "core/action_data.h"
#include "schema/providers/project.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kMaxIssues = 16;

// Where the objects of a text end. A brace within what another one takes for a string needs a look of its own; all
// others are found in one.
class Objects {
 public:
  explicit Objects(std::string_view text) : text_(text), ends_(text.size(), kUnknown) {}

  // The end of the object that begins at `begin`; npos if it has none.
  std::size_t End(std::size_t begin) {
    if (ends_[begin] == kUnknown) Scan(begin);
    return ends_[begin];
  }
  // Bytes that were read elsewhere count as well, and each reading as some bytes more.
  void Spend(std::size_t bytes) { left_ -= std::min(left_, kReading + bytes); }
  bool exhausted() const { return left_ == 0; }

 private:
  static constexpr std::size_t kUnknown = 0;  // no object ends there
  static constexpr std::size_t kReading = 64;
  // Of a text, beyond its own length: a short one may be read often, a long one little more than once.
  static constexpr std::size_t kMostReread = 256u << 10;

  void Scan(std::size_t begin) {
    std::vector<std::size_t> open;
    std::size_t i = begin;
    for (; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        for (++i; i < text_.size() && text_[i] != '"'; ++i) i += text_[i] == '\\' ? 1 : 0;
      } else if (text_[i] == '{') {
        open.push_back(i);
      } else if (text_[i] == '}') {
        ends_[open.back()] = i + 1;
        open.pop_back();
        if (open.empty()) break;
      }
    }
    for (const std::size_t at : open) ends_[at] = std::string_view::npos;
    Spend(std::min(i + 1, text_.size()) - begin);
  }

  std::string_view text_;
  std::vector<std::size_t> ends_;
  std::size_t left_ = text_.size() + kMostReread;
};

// The last object in a text that ends with its answer; nullopt if there is none. `member`: what the object must have.
std::optional<std::pair<std::size_t, std::size_t>> LastObject(std::string_view text, std::string_view member) {
  std::optional<std::pair<std::size_t, std::size_t>> last;
  std::size_t at = text.find('{');
  if (at == std::string_view::npos) return last;
  Objects objects(text);
  while (at != std::string_view::npos && !objects.exhausted()) {
    const std::size_t end = objects.End(at);
    if (end == std::string_view::npos) {
      at = text.find('{', at + 1);
      continue;
    }
    const auto object = schema::ParseStrict(text.substr(at, end - at));
    objects.Spend(end - at);
    const bool fits = object && (member.empty() || json::Find(*object, member) != nullptr);
    if (fits) last = {at, end};
    at = text.find('{', object ? end : at + 1);
  }
  return last;
}

}  // namespace

struct Judge {
  const AnswerForm& form;
  const JudgeRules& rules;
  Judgement out;

  void Read(std::string_view text) {
    text = TakeThoughts(text);
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
        return;
      }
    }
    if (rules.clean) rules.clean(value);
    TakeReasoning(value);
    if (form.shape() == AnswerForm::Shape::kChoice) return WeighChoice(std::move(value));
    Weigh(std::move(value));
  }

  // What is left of a text without the thoughts that it begins with.
  std::string_view TakeThoughts(std::string_view text) {
    constexpr std::string_view kOpen = "<think>";
    constexpr std::string_view kClose = "</think>";
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    if (const std::size_t end = text.find(kClose, begin);
        text.substr(begin).starts_with(kOpen) && end != std::string_view::npos) {
      out.reasoning = text.substr(begin + kOpen.size(), end - begin - kOpen.size());
      text.remove_prefix(end + kClose.size());
    }
    if (form.thinking() != Thinking::kFree) return text;
    const std::string_view member = form.shape() == AnswerForm::Shape::kChoice   ? "choice"
                                    : form.shape() == AnswerForm::Shape::kAction ? "action"
                                                                                 : "";
    const auto last = LastObject(text, member);
    if (!last) return text;
    out.reasoning += text.substr(0, last->first);
    return text.substr(last->first, last->second - last->first);
  }

  // Removes the member that only says why.
  void TakeReasoning(json::Value& value) {
    json::Object* object = value.if_object();
    if (object == nullptr || (form.shape() == AnswerForm::Shape::kBare && !form.has_reasoning())) return;
    const json::Value* said = object->if_contains("reasoning");
    if (said == nullptr) return;
    if (said->is_string()) out.reasoning += json::View(said->get_string());
    object->erase("reasoning");
  }

  void WeighChoice(json::Value value) {
    json::Object* object = value.if_object();
    json::Value* id = object == nullptr ? nullptr : object->if_contains("choice");
    if (id != nullptr && json::IsInteger(*id)) *id = json::Write(*id);
    const LegalChoice* chosen =
        id != nullptr && id->is_string() ? form.FindChoice(json::View(id->get_string())) : nullptr;
    if (chosen == nullptr) {
      out.issues = form.envelope()->Validate(value, kMaxIssues);
      out.read = std::move(value);
      return;
    }
    out.label = chosen->label;
    Choice choice;
    choice.action = chosen->choice.action;
    choice.data = chosen->choice.data;
    out.choice.emplace(std::move(choice));
  }

  void Weigh(json::Value value) {
    const bool bare = form.shape() == AnswerForm::Shape::kBare;
    Choice choice;
    if (bare) {
      choice.action = form.actions().all().front()->name;
      choice.data = std::move(value);
    } else {
      out.issues = form.envelope()->Validate(value, kMaxIssues);
      if (!out.issues.empty()) {
        out.read = std::move(value);
        return;
      }
      choice.action = std::string(json::View(value.get_object().at("action").get_string()));
      if (json::Value* data = value.get_object().if_contains("data")) choice.data = std::move(*data);
    }
    if (choice.action == form.pass() && !form.pass().empty()) {
      out.choice.emplace(std::nullopt);
      return;
    }
    const ActionPtr action = form.actions().Find(choice.action);
    // A bare answer is the object itself, so null is not short for one.
    schema::Budget budget;
    if (!(bare && choice.data.is_null())) FillInData(*action, choice.data, budget);
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
    if (form.shape() == AnswerForm::Shape::kBare) {
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
