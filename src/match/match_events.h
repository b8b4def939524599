// What a hosted match writes to its journal and reads back: the payloads of its events (core/journal.h says what they
// contain). Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/agent.h"
#include "core/ids.h"
#include "core/journal.h"
#include "core/seat.h"
#include "core/seat_set.h"
#include "match/around.h"

namespace openseat {

struct MatchSpec;

// A player or agent took a seat.
struct SeatedPlayer {
  std::string name;
  std::string token_hash;          // SHA-256 of the token that resumes it; "" if an agent joined
  std::optional<AgentSpec> agent;  // who plays it; none: a client (match/client_agent.h)
  std::string account{};           // of a player who has signed in: resumes the seat, too
};

// What the fold needs of it; the rest is for readers.
struct PlayedEvent {
  SeatIndex seat = 0;
  std::string action;
  json::Value data;
  std::optional<Duration> clock;  // what the seat has left
  std::string retry{};            // Choice::retry
};

// An offer that was made, agreed to or declined, or the rematch that came of one.
struct OfferEvent {
  Offer offer = Offer::kTakeBack;
  SeatIndex seat = 0;
  bool accept = false;
  std::optional<MatchName> match;
};

struct TakenBackEvent {
  SeatIndex seat = 0;
  std::size_t choices = 0;
  json::Value state;  // GameState::Serialize
};

// Who plays a taken seat from now on.
struct HandedOverEvent {
  SeatIndex seat = 0;
  AgentSpec agent;
};

// An end that did not come from the rules.
struct EndedEvent {
  SeatSet winners;
  std::string reason;
  // Who gave up, if a request did that its client may repeat.
  SeatIndex seat = 0;
  std::string retry{};
};

std::string OpenedPayload(const MatchSpec& spec);
std::string JoinedPayload(SeatIndex seat, const SeatedPlayer& player);
// `clock`: what the seat has left of its game_time.
std::string PlayedPayload(SeatIndex seat, const PendingChoice& pending, const json::Value& result,
                          std::optional<Duration> clock = std::nullopt);
std::string OfferPayload(const OfferEvent& offer);
std::string TakenBackPayload(const TakenBackEvent& taken);
std::string ChatPayload(SeatIndex seat, std::string_view text);
std::string HandedOverPayload(const HandedOverEvent& handed);
std::string EndedPayload(const EndedEvent& ended);

// The readers return kParse for what no match wrote. The caller handles the spec's id and game.
Result<MatchSpec> ReadOpened(const json::Value& payload);
// The version of its game's rules that a match is played under, from its first event: 1 if it does not say.
Result<int> ReadRulesVersion(const json::Value& opened);
Result<SeatedPlayer> ReadJoined(const json::Value& payload);
Result<PlayedEvent> ReadPlayed(const json::Value& payload);
Result<OfferEvent> ReadOffer(const json::Value& payload);
Result<TakenBackEvent> ReadTakenBack(const json::Value& payload);
Result<ChatLine> ReadChat(const json::Value& payload, Time time);
Result<HandedOverEvent> ReadHandedOver(const json::Value& payload);
Result<EndedEvent> ReadEnded(const json::Value& payload);

// The invitation of the match with this first event; "" for a public one, or no match's.
std::string InviteOf(std::string_view opened_payload);

// The agents that sit, or will sit, at the match according to these events, all of them, whatever its game. What no
// match wrote is skipped.
std::vector<AgentSpec> AgentsOf(const std::vector<StoredEvent>& events);
// The same by seat, with every seat that was planned or taken; no kind: a person's.
std::map<SeatIndex, AgentSpec> AgentsBySeat(const std::vector<StoredEvent>& events);

}  // namespace openseat
