// What strangers try as games at `openseat relay`. Each function makes one round of an attack; none has expectations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attack/attackers.h"

namespace openseat::tests {

// Another machine's game that has sent its startup message.
std::unique_ptr<WireClient> BeginAtRelay(const RealServer& relay, std::string_view headers);
// Registers 2,000 names that all fit to the same one: with --repair names, each needs a suffix of its own. `name`: the
// number of the last one that was used.
void RegisterNamesThatAreHardToTellApart(WireClient& game, int& name);
// Alternatives whose lists must be compared: with --repair schemas, they become one schema.
void RegisterSchemasThatAreHardToFit(WireClient& game);
// Registers 2,000 short names with each message.
void RegisterVeryManyActions(WireClient& game, int messages);
// Registers an action of 3.9 MB, and forces it with as much.
void HoldALargeActionAndForce(WireClient& game, const std::string& name);
// Opens this many connections of one address; those that were let in.
std::vector<std::unique_ptr<net::TestClient>> CrowdTheRelay(const RealServer& relay, std::string_view headers,
                                                            std::size_t count);

}  // namespace openseat::tests
