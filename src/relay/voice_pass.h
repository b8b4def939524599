// The voice socket of a game, passed through to that of the upstream: every message unchanged, both ways. Nothing is
// held: voice that is late is of no use. Without an upstream that has voice, the game is told so when it asks.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/scheduler.h"
#include "net/websocket.h"
#include "protocols/neuro/dial_agent.h"

namespace openseat::relay {

// Where an upstream has the voice of a game, by the rule that its clients follow: without the query, ".../game" gets
// "/<name>/voice", ".../game/<name>" gets "/voice", anything else "/game/<name>/voice"; the query comes back.
std::string VoiceUrl(const std::string& upstream, std::string_view game);

// `dial` lives until it was called. `payer`: whose budget the second connection counts in; may be null.
std::unique_ptr<net::WebSocketSession> MakeVoicePass(const std::string& upstream, std::string_view game,
                                                     const neuro::Dial& dial, std::shared_ptr<Payer> payer);

}  // namespace openseat::relay
