// Reading members of JSON from others, where a member of another type counts as missing. TextOf is in json.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace openseat::json {

// The member if it has that type, else nullptr or nullopt.
const Object* FindObject(const Object& object, std::string_view name);
std::optional<std::string> FindText(const Object& object, std::string_view name);
std::optional<double> FindNumber(const Object& object, std::string_view name);
// The number or boolean in a member; `fallback` if there is no such member, or it has another type.
double NumberOf(const Object& object, std::string_view name, double fallback);
bool BoolOf(const Object& object, std::string_view name, bool fallback);
// The number if it is not negative, has no fraction and fits, else nullopt; the same in a member.
std::optional<std::uint64_t> AsWhole(const Value& number);
std::optional<std::uint64_t> WholeOf(const Object& object, std::string_view name);

}  // namespace openseat::json
