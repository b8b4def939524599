// Payloads of the journal events of a seat (docs/formats/journal.md), written directly as text: a decision and its
// choice are journaled on every move. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/seat.h"

namespace openseat {

std::string DecisionPayload(SeatIndex seat, const Decision& decision);
std::string ChoicePayload(SeatIndex seat, const PendingChoice& pending);
// A refusal costs the journal more than the sender: only the size of a choice of more than `most_bytes` is recorded,
// and no more of the message.
inline constexpr std::size_t kMaxRefusalBytes = 16u << 10;
inline constexpr std::size_t kBriefRefusalBytes = 256;
std::string RefusalPayload(SeatIndex seat, const Choice& choice, const Error& error, std::string_view agent,
                           std::size_t most_bytes = kMaxRefusalBytes);
std::string VerdictPayload(SeatIndex seat, ChoiceId choice, const Verdict& verdict);

}  // namespace openseat
