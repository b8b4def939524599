// Reading members of JSON that others wrote, where what is missing or of another type is as good as absent. TextOf is
// in json.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace openseat::json {

// The member, where it is of that kind; nullptr, or nothing, where it is not.
const Object* FindObject(const Object& object, std::string_view name);
std::optional<std::string> FindText(const Object& object, std::string_view name);
std::optional<double> FindNumber(const Object& object, std::string_view name);
// The number, or the truth, of a member; `fallback` where there is no such member, or one of another type.
double NumberOf(const Object& object, std::string_view name, double fallback);
bool BoolOf(const Object& object, std::string_view name, bool fallback);
// The number of a member that has no fraction and fits; nothing else.
std::optional<std::uint64_t> WholeOf(const Object& object, std::string_view name);

}  // namespace openseat::json
