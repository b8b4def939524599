// Reading an agent's options from JSON, with errors that name the option.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace openseat::agents {

// kInvalid if `options` has a member that is not in `known`.
Result<void> CheckKnown(const json::Object& options, std::string_view agent,
                        std::initializer_list<std::string_view> known);

// Each keeps `fallback` if the member is absent, and fails if it has another type or is out of bounds.
Result<double> NumberOption(const json::Object& options, std::string_view name, double fallback, double low,
                            double high);
Result<bool> BoolOption(const json::Object& options, std::string_view name, bool fallback);
Result<std::string> TextOption(const json::Object& options, std::string_view name, std::string fallback);

}  // namespace openseat::agents
