#include "agents/llm/prompt.h"

namespace openseat::llm {
namespace {

constexpr std::size_t kPerMessage = 4;  // what marks where one begins and who says it

}  // namespace

// Four ASCII characters a token, as the published rule of thumb has it; other scripts have one a character or less.
std::size_t EstimateTokens(std::string_view text) {
  std::size_t ascii = 0;
  std::size_t others = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      ++ascii;
    } else if (byte >= 0xC0) {
      ++others;
    }
  }
  return (ascii + 3) / 4 + others;
}

std::size_t EstimateTokens(const Prompt& prompt) {
  std::size_t tokens = EstimateTokens(prompt.system) + kPerMessage;
  for (const Message& message : prompt.messages) tokens += EstimateTokens(message.text) + kPerMessage;
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
