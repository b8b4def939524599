// WholeLog: every line of a game's log. A State keeps only the latest, to stay small; older lines are
// kept here, in blocks shared by all copies of a game. A value; copies may be read on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "games/netrunner/engine/log_entry.h"

namespace openseat::games::netrunner {

class WholeLog {
 public:
  // Takes over the lines that the state's log will soon drop. Called after each choice; one choice adds far fewer lines
  // than a state keeps.
  void Keep(const GameLog& log) {
    while (log.count - kept_ >= kBlock) {
      auto block = std::make_shared<Block>();
      block->before = std::move(last_);
      for (std::size_t i = 0; i < kBlock; ++i, ++kept_) {
        if (kept_ >= log.first()) block->lines.push_back(log.At(kept_));
      }
      last_ = std::move(block);
    }
  }

  // All lines, oldest first; `log` is that of the last state kept.
  std::vector<LogEntry> All(const GameLog& log) const {
    std::vector<const Block*> blocks;
    for (const Block* block = last_.get(); block != nullptr; block = block->before.get()) blocks.push_back(block);
    std::vector<LogEntry> lines;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      lines.insert(lines.end(), (*block)->lines.begin(), (*block)->lines.end());
    }
    for (std::uint32_t line = kept_; line < log.count; ++line) lines.push_back(log.At(line));
    return lines;
  }

 private:
  static constexpr std::uint32_t kBlock = 32;
  static_assert(2 * kBlock < kLogLength);
  struct Block {
    std::vector<LogEntry> lines;
    std::shared_ptr<const Block> before;
  };

  std::shared_ptr<const Block> last_;
  std::uint32_t kept_ = 0;
};

}  // namespace openseat::games::netrunner
