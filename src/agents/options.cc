#include "agents/options.h"

#include <algorithm>

#include "base/text.h"

namespace openseat::agents {

Result<void> CheckKnown(const json::Object& options, std::string_view agent,
                        std::initializer_list<std::string_view> known) {
  for (const auto& member : options) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return Fail(ErrorCode::kInvalid,
                "the agent " + Quote(agent) + " has the options " + Listing(known) + "; got " + Quote(name),
                Ellipsize(name, kQuotedBytes));
  }
  return {};
}

Result<double> NumberOption(const json::Object& options, std::string_view name, double fallback, double low,
                            double high) {
  const json::Value* value = json::Find(options, name);
  if (value == nullptr) return fallback;
  if (value->is_number()) {
    const double number = value->to_number<double>();
    if (number >= low && number <= high) return number;
  }
  std::string message = std::string(name) + " must be a number from ";
  json::WriteNumber(low, message);
  message += " to ";
  json::WriteNumber(high, message);
  return Fail(ErrorCode::kInvalid, message + "; got " + json::Excerpt(*value), std::string(name));
}

Result<bool> BoolOption(const json::Object& options, std::string_view name, bool fallback) {
  const json::Value* value = json::Find(options, name);
  if (value == nullptr) return fallback;
  if (value->is_bool()) return value->get_bool();
  return Fail(ErrorCode::kInvalid, std::string(name) + " must be true or false; got " + json::Excerpt(*value),
              std::string(name));
}

Result<std::string> TextOption(const json::Object& options, std::string_view name, std::string fallback) {
  const json::Value* value = json::Find(options, name);
  if (value == nullptr) return fallback;
  if (value->is_string()) return std::string(json::View(value->get_string()));
  return Fail(ErrorCode::kInvalid, std::string(name) + " must be a string; got " + json::Excerpt(*value),
              std::string(name));
}

}  // namespace openseat::agents
