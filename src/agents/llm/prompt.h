// What a model is told, whichever provider serves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/tokens.h"

namespace openseat::llm {

enum class Role : std::uint8_t { kUser, kAssistant };

struct Message {
  Role role = Role::kUser;
  std::string text;
  bool operator==(const Message&) const = default;
};

struct Prompt {
  std::string system;
  std::vector<Message> messages;  // begins and ends with kUser; roles alternate
};

// The tokens that mark where a message begins and who says it.
inline constexpr std::size_t kTokensPerMessage = 4;

using openseat::EstimateTokens;
std::size_t EstimateTokens(const Prompt& prompt);

// Appends to the last message if the role is the same.
void AddMessage(std::vector<Message>& messages, Role role, std::string_view text);

}  // namespace openseat::llm
