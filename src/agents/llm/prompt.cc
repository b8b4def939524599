#include "agents/llm/prompt.h"

namespace openseat::llm {

std::string Message::text() const {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : "\n\n") + part;
  return all;
}

std::size_t EstimateTokens(const Prompt& prompt) {
  std::size_t tokens = EstimateTokens(prompt.system) + kTokensPerMessage;
  for (const Message& message : prompt.messages) tokens += EstimateTokens(message.text()) + kTokensPerMessage;
  return tokens;
}

void AddMessage(std::vector<Message>& messages, Role role, std::string_view text) {
  if (!messages.empty() && messages.back().role == role) {
    // Providers refuse empty parts.
    std::vector<std::string>& parts = messages.back().parts;
    if (parts.back().empty()) {
      parts.back() = text;
    } else if (!text.empty()) {
      parts.emplace_back(text);
    }
  } else {
    messages.push_back({role, {std::string(text)}});
  }
}

void AddMessages(std::vector<Message>& messages, const std::vector<Message>& more) {
  for (const Message& message : more) {
    for (const std::string& part : message.parts) AddMessage(messages, message.role, part);
  }
}

}  // namespace openseat::llm
