#include "checker/script.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/json_document.h"
#include "protocols/neuro/action_check.h"

namespace openseat::checker {
namespace {

// The names of the outermost object's members, with duplicates; json::Parse keeps only the last of each.
// REQUIRES valid JSON that is an object.
std::vector<std::string> MemberNames(std::string_view text) {
  std::vector<std::string> names;
  int depth = 0;
  bool name_next = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
      case '[':
        name_next = ++depth == 1;
        break;
      case '}':
      case ']':
        --depth;
        break;
      case ',':
        name_next = depth == 1;
        break;
      case '"': {
        const std::size_t begin = i++;
        while (text[i] != '"') i += text[i] == '\\' ? 2 : 1;
        if (name_next) {
          const Result<json::Value> name = json::Parse(text.substr(begin, i + 1 - begin));
          if (name) names.emplace_back(json::View(name->get_string()));
          name_next = false;
        }
        break;
      }
      default:
        break;
    }
  }
  return names;
}

Result<ScriptEntry> ReadEntry(std::string action, const json::Value& data) {
  constexpr auto kWords = std::to_array<std::pair<std::string_view, Expectation>>(
      {{"accepted", Expectation::kAccepted}, {"refused", Expectation::kRefused}, {"any", Expectation::kAny}});
  const json::Value* expect = json::Find(data, "expect");
  const json::Value* inner = json::Find(data, "data");
  if (expect != nullptr && (expect->is_string() || inner != nullptr) &&
      data.get_object().size() == (inner != nullptr ? 2 : 1)) {
    for (const auto& [word, expectation] : kWords) {
      if (!expect->is_string() || json::View(expect->get_string()) != word) continue;
      return ScriptEntry{std::move(action), inner != nullptr ? std::optional(*inner) : std::nullopt, expectation};
    }
    return Fail(ErrorCode::kInvalid,
                "the action \"" + action + "\": \"expect\" must be \"accepted\", \"refused\" or \"any\"; got " +
                    json::Write(*expect) +
                    R"(. If it is part of the action's data, write {"data": {…}, "expect": "any"})",
                action);
  }
  return ScriptEntry{std::move(action), data, Expectation::kNone};
}

}  // namespace

Result<std::vector<ScriptEntry>> ParseScript(std::string_view text) {
  constexpr std::string_view kForm = "the script must be a JSON object of the form {\"action\": data, …}";
  Result<json::Value> document = json::ParseDocument(text);
  if (!document) {
    return Fail(document.error().code, document.error().message + "; " + std::string(kForm), document.error().path);
  }
  const json::Object* object = document->if_object();
  if (object == nullptr) {
    return Fail(ErrorCode::kInvalid, std::string(kForm) + "; got " + std::string(json::TypeName(*document)));
  }
  std::set<std::string, std::less<>> seen;
  for (std::string& name : MemberNames(text)) {
    if (!seen.insert(name).second) {
      return Fail(ErrorCode::kInvalid, "the action \"" + name + "\" appears twice in the script; list it only once",
                  name);
    }
  }
  std::vector<ScriptEntry> script;
  for (const auto& [name, data] : *object) {
    if (name.empty()) return Fail(ErrorCode::kInvalid, "an action in the script has an empty name");
    Result<ScriptEntry> entry = ReadEntry(std::string(name.data(), name.size()), data);
    if (!entry) return Fail(entry.error());
    script.push_back(std::move(*entry));
  }
  return script;
}

bool DeniedKeywords::Contains(std::string_view keyword) const {
  if (std::ranges::find(names, keyword) != names.end()) return true;
  return neuro && (keyword == "additionalProperties" || neuro::IsUnsupportedKeyword(keyword));
}

Result<DeniedKeywords> ParseDeniedKeywords(std::string_view text) {
  const Result<json::Value> document = json::ParseDocument(text);
  if (!document) return Fail(document.error());
  const json::Array* list = document->if_array();
  if (list == nullptr || !std::ranges::all_of(*list, [](const json::Value& name) { return name.is_string(); })) {
    return Fail(ErrorCode::kInvalid, "the list of denied keywords must be a JSON array of strings");
  }
  DeniedKeywords out;
  for (const json::Value& name : *list) out.names.emplace_back(json::View(name.get_string()));
  return out;
}

}  // namespace openseat::checker
