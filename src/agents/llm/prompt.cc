#include "agents/llm/prompt.h"

namespace openseat::llm {
std::size_t EstimateTokens(const Prompt& prompt) {
  std::size_t tokens = EstimateTokens(prompt.system) + kTokensPerMessage;
  for (const Message& message : prompt.messages) tokens += EstimateTokens(message.text) + kTokensPerMessage;
  return tokens;
}

void AddMessage(std::vector<Message>& messages, Role role, std::string_view text) {
  if (!messages.empty() && messages.back().role == role) {
    messages.back().text += "\n\n";
    messages.back().text += text;
  } else {
    messages.push_back({role, std::string(text)});
  }
}

}  // namespace openseat::llm
