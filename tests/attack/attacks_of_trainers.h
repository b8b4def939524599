// What strangers try over OpenEnv (docs/protocols/openenv.md). Each function makes one round of an attack, of the size
// that the caller wants, and tells what came back; none has expectations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attack/attackers.h"
#include "base/rng.h"

namespace openseat::tests {

inline constexpr std::string_view kEnvironmentPath = "/openenv/connectm/ws";
inline constexpr std::string_view kStoryEnvironmentPath = "/openenv/narrative/ws";
// Of another machine, for which a proxy on this one asks: what it holds does not count for this machine.
inline constexpr std::string_view kTrainerElsewhere = "X-Forwarded-For: 192.0.2.7\r\n";

std::string EnvironmentMessage(std::string_view type, const std::string& data);

// A socket of a trainer elsewhere that has sent the message.
std::unique_ptr<WireClient> SendToAnEnvironment(const RealServer& server, std::string_view path,
                                                const std::string& message);
// 1,024 environments; the same with options of 63 KiB, of nothing but lists.
std::string ManyEnvironments();
std::string ManyEnvironmentsWithOptions();
// 64 recorded episodes whose options are 1 MiB long.
std::string EpisodesWithLongOptions();
// 64 recorded episodes that begin with a narration of 25 kB.
std::string EpisodesThatBeginWithMuch();
// 32 such episodes, which no journal can compress.
std::string EpisodesThatCannotBeCompressed(Rng& rng);

// Plays against a bot that thinks, and sends steps with very long numbers meanwhile. How many were answered: 32.
std::size_t PileUpSteps(const RealServer& server);
// Begins episodes, and hangs up before the answers.
void LeaveInTheMiddle(const RealServer& server);
// Messages that are large, deep, or have very many values.
std::vector<std::string> CostlyEnvironmentMessages();
// Messages of almost 4 MiB that are wrong in one long text: its bytes are control characters.
std::vector<std::string> MessagesThatErrorsWouldQuote();
// Broken JSON of the kinds that made repair or the search for the last object read the same text again and again.
std::vector<std::string> AnswersThatAreHardToRead();
// Sends the message in a new environment; the answer, null if the connection ended. Throws if no environment begins.
json::Value SayInAnEnvironment(const RealServer& server, const std::string& message);
// Answers with each text in turn, each so many times; what the environment says.
std::vector<json::Value> AnswerInAnEnvironment(const RealServer& server, const std::vector<std::string>& texts,
                                               std::size_t times);
// Has 20 choices judged, and hangs up before they are.
void HaveChoicesJudgedAndLeave(const RealServer& server);
// Empty frames to an environment that waits for another player.
net::TestClient::Frame FloodAnEnvironment(const RealServer& server, std::size_t empty_frames);

}  // namespace openseat::tests
