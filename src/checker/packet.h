// ReadPacket: checks one WebSocket message of a game against the shapes of vicky.md. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/proposals.h"
#include "checker/strictness.h"
#include "protocols/neuro/messages.h"

namespace openseat::checker {

struct Finding {
  neuro::Diagnostic rule;
  std::string detail;  // one sentence, with the member's path
  bool operator==(const Finding&) const = default;
};

struct Packet {
  // nullopt if the message has nothing usable, which is also a finding. May be set even if strictness makes a finding
  // in the message fatal.
  std::optional<neuro::ClientMessage> message;
  std::vector<Finding> findings;  // in the packet's order, at most kMaxFindings
  static constexpr std::size_t kMaxFindings = 50;
};

// A command in `proposals` becomes a ProposalMessage, whatever its data.
Packet ReadPacket(std::string_view text, Strictness strictness, const Proposals& proposals);

}  // namespace openseat::checker
