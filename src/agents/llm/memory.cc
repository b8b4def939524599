#include "agents/llm/memory.h"

#include <utility>

namespace openseat::llm {
void Memory::Add(Role role, std::string text, bool ephemeral) {
  const std::size_t tokens = EstimateTokens(text) + kTokensPerMessage;
  entries_.push_back({{role, std::move(text)}, tokens, ephemeral});
  tokens_ += tokens;
  while (tokens_ > budget_ && !entries_.empty()) {
    tokens_ -= entries_.front().tokens;
    entries_.pop_front();
  }
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

std::vector<Message> Memory::Recall(std::size_t tokens) const {
  std::size_t first = entries_.size();
  while (first > 0 && entries_[first - 1].tokens <= tokens) tokens -= entries_[--first].tokens;
  while (first < entries_.size() && entries_[first].message.role == Role::kAssistant) ++first;
  std::vector<Message> out;
  for (; first < entries_.size(); ++first) AddMessage(out, entries_[first].message.role, entries_[first].message.text);
  return out;
}

}  // namespace openseat::llm
