#include "protocols/neuro/action_check.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "protocols/neuro/schema_advice.h"
#include "schema/inspect.h"

namespace openseat::neuro {
namespace {

// The API's list, without additionalProperties; then older spellings of its keywords.
constexpr auto kUnsupported = std::to_array<std::string_view>({
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "allOf",
    "anyOf",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "if",
    "maxProperties",
    "minProperties",
    "multipleOf",
    "not",
    "oneOf",
    "patternProperties",
    "readOnly",
    "then",
    "title",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
    "definitions",
    "dependencies",
    "$recursiveAnchor",
    "$recursiveRef",
});

constexpr std::size_t kMaxListed = 8;   // keywords per sentence
constexpr std::size_t kMaxReasons = 4;  // of kSchemaConfusing

std::string Quoted(std::string_view text) {
  return Quote(text, kMaxQuoted);
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// "`oneOf` (/properties/a/oneOf), `$ref` (/items/$ref) and 3 more": each keyword once, with its first place.
std::string List(const schema::Inspection& inspection, std::span<const schema::KeywordUse* const> uses) {
  std::vector<std::string_view> listed;
  std::size_t more = 0;
  std::string out;
  for (const schema::KeywordUse* use : uses) {
    if (std::ranges::find(listed, use->keyword) != listed.end()) continue;
    if (listed.size() == kMaxListed) {
      ++more;
      continue;
    }
    if (!listed.empty()) out += ", ";
    listed.push_back(use->keyword);
    out.append("`").append(Ellipsize(use->keyword, kMaxQuoted)).append("` (");
    out.append(Ellipsize(inspection.PointerOf(*use), kMaxQuoted)).append(")");
  }
  if (more > 0) out += " and " + std::to_string(more) + " more";
  return out;
}

class Checker {
 public:
  explicit Checker(schema::Budget& budget) : budget_(budget) {}

  CheckedAction Run(const ActionDefinition& action) {
    Name(action.name);
    if (IsBlank(action.description)) Add(Diagnostic::kNoDescription, "description", "it has no description");
    if (action.schema) Schema(*action.schema);
    return std::move(out_);
  }

 private:
  void Add(Diagnostic diagnostic, std::string path, std::string detail) {
    out_.issues.push_back({diagnostic, std::move(path), std::move(detail)});
  }

  void Name(std::string_view name) {
    if (name.empty()) {
      Add(Diagnostic::kActionName, "name", "its name is empty");
    } else if (!IsGoodActionName(name)) {
      Add(Diagnostic::kActionName, "name", "its name should be lower-case words joined by _ or -; got " + Quoted(name));
    } else if (name.size() > kMaxToolName) {
      Add(Diagnostic::kActionName, "name",
          "its name should have at most " + std::to_string(kMaxToolName) + " characters, as model providers ask; got " +
              std::to_string(name.size()));
    }
  }

  void Schema(const json::Value& source) {
    if (source.is_object() && source.get_object().empty()) {
      Add(Diagnostic::kSchemaEmpty, "schema",
          "its schema is {}, so it takes no data; leave the schema out to say so everywhere");
      return;
    }
    const Result<schema::Inspection> inspected = schema::Inspect(source, budget_);
    if (!inspected) return Costly(inspected.error());
    const schema::Inspection& inspection = *inspected;
    if (inspection.is_schema) {
      RootType(source, inspection);
      Keywords(inspection);
      Additional(source);
    }
    schema::CompileOptions options;
    options.budget = &budget_;
    auto compiled = schema::Schema::Compile(source, options);
    if (!compiled) {
      const Error& error = compiled.error();
      if (budget_.exhausted()) return Costly(error);
      Add(Diagnostic::kSchemaInvalid, "schema",
          "its schema cannot be used: " + error.message +
              (error.path.empty() ? "" : " (at " + Ellipsize(error.path, kMaxQuoted) + ")"));
      return;
    }
    out_.compiled = std::move(*compiled);
    std::string confusing;
    for (const std::string& reason : ConfusingParts(inspection, kMaxReasons)) {
      confusing += (confusing.empty() ? "its schema may confuse: " : "; ") + reason;
    }
    if (!confusing.empty()) Add(Diagnostic::kSchemaConfusing, "schema", std::move(confusing));
  }

  void Costly(const Error& error) {
    Add(Diagnostic::kSchemaCostly, "schema", error.message + "; its data is not checked");
  }

  void RootType(const json::Value& source, const schema::Inspection& inspection) {
    if (inspection.root_types.size() == 1 && inspection.root_types.front() == "object") return;
    std::string got;
    if (source.is_bool()) {
      got = "it is just " + json::Write(source);
    } else if (inspection.root_types.empty()) {
      got = "it says no type";
    } else {
      got = "it says " + json::Excerpt(source.get_object().at("type"), kMaxQuoted);
    }
    Add(Diagnostic::kSchemaTypeObject, "schema", "its schema's root should have \"type\": \"object\"; " + got);
  }

  void Keywords(const schema::Inspection& inspection) {
    std::vector<const schema::KeywordUse*> unsupported;
    std::vector<const schema::KeywordUse*> unknown;
    bool unique_items = false;
    for (const schema::KeywordUse& use : inspection.uses) {
      if (!IsUnsupportedKeyword(use.keyword)) continue;
      unsupported.push_back(&use);
      unique_items |= use.keyword == "uniqueItems";
    }
    for (const schema::KeywordUse& use : inspection.unknown) unknown.push_back(&use);
    if (!unsupported.empty()) {
      Add(Diagnostic::kSchemaUnsupported, "schema",
          "its schema uses keywords that the API advises against: " + List(inspection, unsupported) +
              (unique_items ? "; it is unknown whether uniqueItems is respected" : ""));
    }
    if (!unknown.empty()) {
      Add(Diagnostic::kSchemaUnknownKeyword, "schema",
          "its schema has members that are not keywords of JSON Schema: " + List(inspection, unknown));
    }
  }

  void Additional(const json::Value& source) {
    const json::Value* properties = json::Find(source, "properties");
    if (properties == nullptr || json::Find(source, "additionalProperties") != nullptr) return;
    Add(Diagnostic::kSchemaAdditional, "schema", "its schema's root does not say additionalProperties");
  }

  schema::Budget& budget_;
  CheckedAction out_;
};

}  // namespace

bool IsGoodActionName(std::string_view name) {
  bool after_word = false;  // the last character belonged to a word, so a joint or the end may follow
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool joint = c == '_' || c == '-';
    if (!word && !(joint && after_word)) return false;
    after_word = word;
  }
  return after_word;
}

bool IsUnsupportedKeyword(std::string_view keyword) {
  return std::ranges::find(kUnsupported, keyword) != kUnsupported.end();
}

CheckedAction CheckAction(const ActionDefinition& action, schema::Budget& budget) {
  return Checker(budget).Run(action);
}

}  // namespace openseat::neuro
