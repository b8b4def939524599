// Frame: one WebSocket message on its way through the relay, with what a server would remember of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/neuro/messages.h"

namespace openseat::relay {

// What one document of a game's message changes at a server.
struct Step {
  enum class Kind : std::uint8_t { kStartup, kContext, kRegister, kUnregister, kForce, kResult, kOther };
  Kind kind = Kind::kOther;
  std::string game{};
  std::vector<std::string> names{};  // of actions
  std::string id{};                  // of a result
  bool success = false;              // likewise
};

struct Frame {
  std::string text;  // exactly as it came, unless a repair changed it
  bool binary = false;
  std::vector<Step> steps{};  // of a game's message
  std::size_t bytes = 0;      // that all of this takes in memory, which can be many times its text
};
using FramePtr = std::shared_ptr<const Frame>;
FramePtr MakeFrame(std::string text, bool binary = false, std::vector<Step> steps = {});

// `game`: for documents that do not name their game.
std::vector<Step> StepsOf(const std::vector<neuro::Decoded>& documents, std::string_view game);
// Whether a server that missed the message still knows the game: it has nothing but context.
bool IsOnlyContext(const Frame& frame);
bool BeginsWithStartup(const Frame& frame);

}  // namespace openseat::relay
