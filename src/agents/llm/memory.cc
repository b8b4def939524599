#include "agents/llm/memory.h"

#include <utility>

namespace openseat::llm {

void Memory::Add(Role role, std::string text, bool ephemeral) {
  const std::size_t tokens = EstimateTokens(text) + kTokensPerMessage;
  entries_.push_back({{role, {std::move(text)}}, tokens, ephemeral});
  tokens_ += tokens;
  while (tokens_ > budget_ && !entries_.empty()) Forget();
}

void Memory::DropEphemeral() {
  std::deque<Entry> kept;
  tokens_ = 0;
  for (Entry& entry : entries_) {
    if (entry.ephemeral) continue;
    tokens_ += entry.tokens;
    kept.push_back(std::move(entry));
  }
  entries_ = std::move(kept);
}

std::vector<Message> Memory::Recall(std::size_t tokens) {
  if (tokens_ > tokens) {
    while (!entries_.empty() && tokens_ > tokens / 4 * 3) Forget();
  }
  while (!entries_.empty() && entries_.front().message.role == Role::kAssistant) Forget();
  std::vector<Message> out;
  for (const Entry& entry : entries_) AddMessage(out, entry.message.role, entry.message.parts.front());
  return out;
}

void Memory::Forget() {
  tokens_ -= entries_.front().tokens;
  entries_.pop_front();
}

}  // namespace openseat::llm
