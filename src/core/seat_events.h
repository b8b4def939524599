// Payloads of the journal events of a seat (docs/formats/journal.md), written directly as text: a decision and its
// choice are journaled on every move. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/seat.h"

namespace openseat {

std::string DecisionPayload(SeatIndex seat, const Decision& decision);
std::string ChoicePayload(SeatIndex seat, const PendingChoice& pending);
std::string RefusalPayload(SeatIndex seat, const Choice& choice, const Error& error, std::string_view agent);
std::string VerdictPayload(SeatIndex seat, ChoiceId choice, const Verdict& verdict);

}  // namespace openseat
