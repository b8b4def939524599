// The messages of violations: "`position[0]` must be one of 0, 1, 2; got 7".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/validate/program.h"

namespace openseat::schema {

// A location in the instance: a list from the innermost member outwards, on the stack of the validation.
struct InstancePath {
  const InstancePath* outer = nullptr;
  std::string_view name;
  std::size_t index = 0;
  bool is_index = false;
  bool is_property_name = false;  // not the member called `name`, but its name (propertyNames)
};

// A name as JSON, cut if it is long.
std::string QuotedName(std::string_view name);
std::string PathForPeople(const InstancePath* path);  // "position[0]"; cut if it is long
std::string PathAsPointer(const InstancePath* path);  // "/position/0"
// "`position[0]`", or "the value" for the root.
std::string Subject(const InstancePath* path);

// What was expected and what came, as the predicate of a sentence.
std::string ExpectedType(std::uint8_t types, const json::Value& got);
std::string ExpectedNumber(const Program& program, const Instruction& instruction, const json::Value& got);
std::string ExpectedLength(Op op, std::uint64_t limit, std::size_t got);
std::string ExpectedEnum(const Enum& values, const json::Value& got);
// "1 item", "3 items".
std::string Counted(std::uint64_t count, std::string_view singular, std::string_view plural);
// The keyword of an instruction that has exactly one.
std::string_view KeywordOf(Op op);

}  // namespace openseat::schema
