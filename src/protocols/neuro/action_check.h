// CheckAction: finds what is odd about an action's definition, and compiles its schema. The rules are the API's own
// advice (docs/rules.md lists them); no rule here refuses an action. Pure, any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "protocols/neuro/messages.h"
#include "schema/schema.h"

namespace openseat::neuro {

// Length in bytes up to which model providers accept an action's name as a tool's.
inline constexpr std::size_t kMaxToolName = 64;

struct CheckedAction {
  // nullptr: the action takes no data (no schema, or {}), or its schema cannot be used (kSchemaInvalid or kSchemaCostly
  // says why); its data is not checked then.
  std::shared_ptr<const schema::Schema> compiled;
  // Each diagnostic at most twice. Details are sentences about the action that do not name it; paths are relative to it
  // ("schema").
  std::vector<Issue> issues;
};

// All work is charged to `budget`. If that is not enough, it is exhausted, and kSchemaCostly is among the issues.
CheckedAction CheckAction(const ActionDefinition& action, schema::Budget& budget);

// Lower-case words of a-z and 0-9, joined by single _ or -.
bool IsGoodActionName(std::string_view name);
// Whether the API advises against the keyword. additionalProperties, which other tools ask for, does not count here.
bool IsUnsupportedKeyword(std::string_view keyword);

}  // namespace openseat::neuro
