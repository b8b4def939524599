// Memory: what a seat was told and what it did, in order, as far as it fits. The oldest is forgotten first, whole, and
// a good part of it at a time, so that prompts begin alike for many decisions; what is ephemeral is forgotten with its
// decision.
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

  // What fits into `tokens`, oldest first, beginning with the user. If it has become too much, only the latest three
  // quarters of what would fit are recalled, now and later.
  std::vector<Message> Recall(std::size_t tokens);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Message message;
    std::size_t tokens;
    bool ephemeral;
  };

  void Forget();  // the oldest

  const std::size_t budget_;
  std::deque<Entry> entries_;
  std::size_t tokens_ = 0;
};

}  // namespace openseat::llm
