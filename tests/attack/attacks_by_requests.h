// What strangers try over HTTP: large answers, uploads, games, searches, guesses, foreign pages. Each function makes
// one round of an attack, of the size that the caller wants, and tells what came back; none has expectations.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attack/attackers.h"

namespace openseat::tests {

// `line`: "GET /path". `headers`: whole lines.
net::TestClient::Answer AskOnce(const RealServer& server, std::string_view line, std::string_view headers = {},
                                std::string_view body = {});

// --- Large answers ---

// The id of a new match of that game between two random agents, "" if it is refused.
std::string MakeRandomMatch(const RealServer& server, const std::string& game);
// As above, once it has ended; "" if it does not within a minute.
std::string PlayRandomMatch(const RealServer& server, const std::string& game);

struct LargeAnswers {
  std::size_t whole = 0;       // with status 200
  std::size_t compressed = 0;  // of these
  std::size_t refused = 0;     // one for each client: then it stops
};
// This many clients send the request, each so many times before it reads.
LargeAnswers AskAtOnce(const RealServer& server, const std::string& ask, std::size_t clients, std::size_t rounds);
// This many clients ask for a match's transcript, each so many times before it reads.
LargeAnswers AskForTranscripts(const RealServer& server, const std::string& match, std::size_t clients,
                               std::size_t rounds);
// Each client asks for six views of a replay before it reads. All statuses, in that order.
std::vector<int> AskForReplays(const RealServer& server, const std::string& match, std::size_t clients);

// --- Uploads ---

// Sends 4 MiB that are no request of OpenEnv; the status. `from`: a header line.
int UploadThroughAProxy(const RealServer& server, std::string_view from);

// --- Games ---

// Each choice uses most of the steps of a call.
std::string SlowGame();
// The same for forks: 60 choices of a third of the steps.
std::string LongSlowGame();
std::string GameFiles(const std::string& text, const std::string& name = "game.js");
// Bodies that are not a list of files, and files that are not a game.
std::vector<std::string> BodiesThatAreNoFiles();
std::vector<std::string> FilesThatAreNoGames();
// The requests that somebody may try who has no right to upload games; the statuses.
std::vector<int> TryToUpload(const RealServer& server, std::string_view headers);
// Connections that have asked for checks of slow games, and wait.
std::vector<std::unique_ptr<net::TestClient>> AskForChecks(const RealServer& server, std::size_t count);
// Forks a match before its last choices, so many times; the answers.
std::vector<json::Value> ForkLate(const RealServer& server, const std::string& match, std::size_t count);

// --- Searches ---

// Matches of two search agents that think for ten minutes a choice; their ids.
std::vector<std::string> FillWithSearches(const RealServer& server, std::size_t count);
// Ends them.
void EndSearches(const RealServer& server, const std::vector<std::string>& matches);

// --- Guesses ---

// States of sign-ins that nobody began; the statuses. `from`: a header line.
std::vector<int> GuessSignIns(const RealServer& server, std::string_view from, std::size_t count);
// Sign-ins that are begun, and not ended.
std::vector<int> BeginSignIns(const RealServer& server, std::string_view from, std::size_t count);
// Codes for a seat; the answers.
std::vector<std::string> GuessSeatCodes(WireClient& client, std::size_t count);

// --- Foreign pages ---

inline constexpr std::array kSockets{"/",        "/game",        "/game/x", "/neuro",
                                     "/chimera", "/api/v1/live", "/voice",  "/openenv/tictactoe/ws"};
inline constexpr std::array kRequestsOfPages{
    "GET /api/v1/tables", "POST /api/v1/matches", "POST /mcp",   "GET /game/state", "GET /",
    "GET /openapi.json",  "POST /api/games",      "GET /metrics"};
// Opens every socket and makes every request as a page of another site; the statuses.
std::vector<int> ActAsForeignPage(const RealServer& server);

}  // namespace openseat::tests
