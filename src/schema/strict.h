// A part of repair.h that its other half uses. The module's own.
#pragma once

#include <string_view>

#include "base/json.h"

namespace openseat::schema {

// Whether an object in `text` has a name twice. REQUIRES `value` to be what json::Parse made of `text`.
bool RepeatsNames(std::string_view text, const json::Value& value);

}  // namespace openseat::schema
