// ReadPacket: one WebSocket message of a game, held against the shapes of vicky.md. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/check_table.h"
#include "checker/proposals.h"
#include "protocols/neuro/messages.h"

namespace openseat::checker {

struct Finding {
  Check check;
  std::string detail;  // one sentence, with the member's path
  bool operator==(const Finding&) const = default;
};

struct Packet {
  // nullopt where nothing usable is in the message, which is a finding then. Of a message that strictness refuses as
  // fatal it may be set all the same.
  std::optional<neuro::ClientMessage> message;
  std::vector<Finding> findings;  // in the packet's order, at most kMaxFindings
  static constexpr std::size_t kMaxFindings = 50;
};

// A command of `proposals` becomes a ProposalMessage, whatever its data.
Packet ReadPacket(std::string_view text, Strictness strictness, const Proposals& proposals);

}  // namespace openseat::checker
