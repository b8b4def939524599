// Memory: what a seat was told and what it did, in order, as far as it fits. The oldest is forgotten first, whole; what
// is ephemeral is forgotten with its decision.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "agents/llm/prompt.h"

namespace openseat::llm {

class Memory {
 public:
  // More than `budget` tokens are never kept.
  explicit Memory(std::size_t budget) : budget_(budget) {}

  void Add(Role role, std::string text, bool ephemeral = false);
  void DropEphemeral();

  // The latest of it that fits into `tokens`, oldest first, beginning with the user.
  std::vector<Message> Recall(std::size_t tokens) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Message message;
    std::size_t tokens;
    bool ephemeral;
  };

  const std::size_t budget_;
  std::deque<Entry> entries_;
  std::size_t tokens_ = 0;
};

}  // namespace openseat::llm
