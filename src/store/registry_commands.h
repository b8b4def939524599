// The commands of a cluster's registry: what a node was asked to write, as one JSON object each. docs/cluster.md, "The
// registry". Every node applies them in the same order, so a command's effect depends on nothing but the command and
// what was applied before it. The meaning of a command never changes: a new meaning is a new command.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "core/registry.h"
#include "store/registry_database.h"

namespace openseat::store {

// What a command answers with.
using RegistryOutcome = std::variant<std::monostate, Account, ApiKey, StoredDeck, WebhookTarget, WebhookId, StoredGame,
                                     std::size_t, std::string>;

// --- Commands as text. `at` is when the node was asked. ---

std::string CreateAccountCommand(Time at, std::string_view name);                      // Account
std::string DeleteAccountCommand(Time at, const AccountId& id);                        // Account
std::string CreateKeyCommand(Time at, const NewKey& wanted, std::string_view secret);  // ApiKey; has only the hash
std::string TouchKeyCommand(Time at, const KeyId& id);                                 // nothing
std::string RevokeKeyCommand(Time at, const KeyId& id);                                // ApiKey
std::string ForgetKeyCommand(Time at, const KeyId& id);                                // ApiKey
std::string SaveDeckCommand(Time at, const StoredDeck& deck, std::size_t most);        // StoredDeck
std::string DeleteDeckCommand(Time at, const DeckId& id);                              // StoredDeck
std::string SaveWebhookCommand(Time at, const WebhookTarget& target);                  // WebhookTarget
std::string ForgetWebhookCommand(Time at, const WebhookId& id);                        // WebhookTarget
std::string AddToOutboxCommand(Time at, const WebhookId& id, std::string_view memory,
                               const std::vector<StoredDelivery>& added);                 // WebhookId
std::string TakeFromOutboxCommand(Time at, const WebhookId& id, std::uint64_t sequence);  // WebhookId
std::string SaveGameCommand(Time at, std::string_view id, int version,
                            const std::vector<StoredFile>& files);                                // StoredGame
std::string WithdrawGameCommand(Time at, std::string_view id);                                    // StoredGame
std::string KeepGameVersionsCommand(Time at, std::string_view id, const std::vector<int>& kept);  // std::size_t
std::string ReplaceSharedCommand(Time at, std::string_view name, std::string_view before,
                                 std::string_view text);  // std::string

// --- Applying ---

// When the node was asked; kParse if the command does not say it.
Result<Time> TimeOfCommand(const json::Value& command);
// Applies it to the database, whose clock says TimeOfCommand. The outer error means that the registry cannot go on:
// kUnsupported for a command that this program does not know, kParse for one without its members, kIo.
Result<Result<RegistryOutcome>> ApplyCommand(RegistryDatabase& database, const json::Value& command);
// Whether it is about what Registry::Watch tells of.
bool IsWatched(const json::Value& command);

}  // namespace openseat::store
