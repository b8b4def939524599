// What a model is told, whichever provider serves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/tokens.h"

namespace openseat::llm {

enum class Role : std::uint8_t { kUser, kAssistant };

struct Message {
  Role role = Role::kUser;
  std::vector<std::string> parts;  // never empty
  // The parts, with a blank line between them.
  std::string text() const;
  bool operator==(const Message&) const = default;
};

struct Prompt {
  std::string system;
  std::vector<Message> messages;  // begins and ends with kUser; roles alternate
  // The last part of the history, which the next prompt will have at the same place, for providers that cache what
  // prompts begin with; nullopt if there is no history.
  struct Place {
    std::size_t message = 0;
    std::size_t part = 0;
  };
  std::optional<Place> stable_end;
};

// The tokens that mark where a message begins and who says it.
inline constexpr std::size_t kTokensPerMessage = 4;

using openseat::EstimateTokens;
std::size_t EstimateTokens(const Prompt& prompt);

// Adds a part to the last message if the role is the same.
void AddMessage(std::vector<Message>& messages, Role role, std::string_view text);
// Adds all of them, part by part.
void AddMessages(std::vector<Message>& messages, const std::vector<Message>& more);

}  // namespace openseat::llm
