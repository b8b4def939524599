// A part of repair.h that its other half uses. Internal to the module.
#pragma once

#include <string_view>

#include "base/json.h"

namespace openseat::schema {

// Whether an object in `text` has a duplicate name. REQUIRES `value` to be json::Parse's result for `text`.
bool RepeatsNames(std::string_view text, const json::Value& value);

}  // namespace openseat::schema
