// Registry: the port to what outlives all tables: accounts, API keys, decks, and where webhooks go. Implementations:
// store/sqlite_registry.h, testing/memory_registry.h. docs/formats/registry.md says what is kept and how.
//
// Every call may be made on any thread and returns at once; `done` runs on the scheduler that is named, which must live
// until it did. A call sees all that was answered before it was made. `done` may be empty where nobody waits for the
// answer; an error is logged then. Besides the errors that are named, every call may fail with kIo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "base/time.h"
#include "core/deck.h"

namespace openseat {

// All ids are made by the registry: short, random, no secret. They may stand in URLs, journals and logs.
using AccountId = StringId<struct AccountTag>;
using KeyId = StringId<struct KeyTag>;
using DeckId = StringId<struct DeckTag>;
using WebhookId = StringId<struct WebhookTag>;

struct Account {
  AccountId id;
  std::string name;  // unique, compared without case
  Time created;
};

struct ApiKey {
  KeyId id;
  std::string label;    // for people
  std::string hint;     // how the secret begins: "osk_k3fq"
  AccountId account;    // whose it is; empty: nobody's
  bool minted = false;  // made for one seat of one match, and forgotten with it
  Time created;
  std::optional<Time> last_used;  // to the minute
  std::optional<Time> revoked;
};

struct NewKey {
  std::string label{};
  AccountId account{};
  bool minted = false;
};

// The only time that the secret is to be had.
struct CreatedKey {
  ApiKey key;
  std::string secret;  // "osk_…"
};

struct StoredDeck {
  DeckId id;          // empty: not stored yet
  AccountId account;  // whose it is; empty: everybody's
  DeckList list;
  Time created;
  Time changed;
};

// Where an agent is told of events. The key is kept in clear, since it is sent along; no API shows it.
struct WebhookTarget {
  WebhookId id;  // empty: not stored yet
  std::string url;
  std::string key;  // may be empty
  Time created;
};

// An event on its way to a webhook.
struct StoredDelivery {
  std::uint64_t sequence = 0;
  std::string id;
  std::string event;
  std::string body;
  Time made;
};

// What a webhook's target has still to be told, and what whoever tells it needs to go on after a restart.
struct WebhookOutbox {
  std::uint64_t sequence = 0;           // of the last delivery that was ever kept
  std::string memory;                   // as it came with that one
  std::vector<StoredDelivery> waiting;  // in order
};

// Everything, or what is named.
struct DeckFilter {
  std::string game{};
  std::string side{};
  std::optional<AccountId> account{};  // an empty id: those of nobody
};

class Registry {
 public:
  template <typename T>
  using Done = std::function<void(Result<T>)>;

  virtual ~Registry() = default;

  // --- Accounts ---

  // kInvalid for a name that CheckAccountName refuses, kConflict where it is taken.
  virtual void CreateAccount(std::string name, Scheduler& scheduler, Done<Account> done) = 0;
  virtual void ListAccounts(Scheduler& scheduler, Done<std::vector<Account>> done) = 0;  // by name
  // By id or name. kNotFound.
  virtual void FindAccount(std::string id_or_name, Scheduler& scheduler, Done<Account> done) = 0;
  // With its keys, which are revoked, and its decks. kNotFound.
  virtual void DeleteAccount(AccountId id, Scheduler& scheduler, Done<Account> done) = 0;

  // --- API keys ---

  // kInvalid for a label that is too long, kNotFound where there is no such account.
  virtual void CreateKey(NewKey wanted, Scheduler& scheduler, Done<CreatedKey> done) = 0;
  // Newest first; without the minted ones unless asked for.
  virtual void ListKeys(bool with_minted, Scheduler& scheduler, Done<std::vector<ApiKey>> done) = 0;
  // Whose secret it is; notes that it was used. kNotFound where no key has that secret, kDenied where it was revoked.
  // Also sees at once what another process (`openseat key`) did.
  virtual void Authenticate(std::string secret, Scheduler& scheduler, Done<ApiKey> done) = 0;
  // By id. kNotFound; a key that is revoked already is no error.
  virtual void RevokeKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) = 0;
  // As if it had never been: for minted keys, when their match is over. kNotFound.
  virtual void ForgetKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) = 0;

  // --- Decks ---

  // Without an id it is stored anew, else it replaces the one of that id. kInvalid where CheckDeckSize refuses it,
  // kNotFound where there is no such deck or account.
  virtual void SaveDeck(StoredDeck deck, Scheduler& scheduler, Done<StoredDeck> done) = 0;
  virtual void FindDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) = 0;                        // kNotFound
  virtual void ListDecks(DeckFilter filter, Scheduler& scheduler, Done<std::vector<StoredDeck>> done) = 0;  // by name
  virtual void DeleteDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) = 0;                      // kNotFound

  // --- Webhook targets ---

  // Whether the URL may be called is not asked here. kInvalid where either text is too long.
  virtual void SaveWebhook(WebhookTarget target, Scheduler& scheduler, Done<WebhookTarget> done) = 0;
  virtual void FindWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) = 0;  // kNotFound
  // With its outbox. kNotFound.
  virtual void ForgetWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) = 0;
  // Forgets all but these, with their outboxes, and answers how many. Ids that there are not are none to keep.
  virtual void KeepWebhooks(std::vector<WebhookId> kept, Scheduler& scheduler, Done<std::size_t> done) = 0;

  // All of an outbox. kNotFound.
  virtual void ReadOutbox(WebhookId id, Scheduler& scheduler, Done<WebhookOutbox> done) = 0;
  // Puts `added`, whose sequences grow, behind what waits, and `memory` in the place of the former one, both or
  // neither. kNotFound.
  virtual void AddToOutbox(WebhookId id, std::string memory, std::vector<StoredDelivery> added, Scheduler& scheduler,
                           Done<WebhookId> done) = 0;
  // Takes out everything up to `sequence`: it was delivered, or given up.
  virtual void TakeFromOutbox(WebhookId id, std::uint64_t sequence, Scheduler& scheduler, Done<WebhookId> done) = 0;
};

// --- What all implementations share ---

inline constexpr std::string_view kKeyPrefix = "osk_";
inline constexpr std::size_t kKeySecretLength = 40;  // with the prefix; 180 random bits
inline constexpr std::size_t kKeyHintLength = 8;
inline constexpr std::size_t kMaxNameBytes = 200;
inline constexpr std::size_t kMaxNotesBytes = 16 << 10;
inline constexpr std::size_t kMaxUrlBytes = 2048;
inline constexpr std::size_t kMaxDeckEntries = 1000;
inline constexpr int kMaxCopies = 1000;

std::string NewKeySecret();
// An id with this letter in front: "d-k3fq2ab7cd".
std::string NewRegistryId(char letter);
// 1 to 200 bytes of UTF-8 without control characters, no space at either end. `what` begins the sentence.
Result<void> CheckName(std::string_view what, std::string_view name);
// The same without the least length.
Result<void> CheckLabel(std::string_view what, std::string_view label);
// Bounds on all parts of a deck, whatever the game says of it.
Result<void> CheckDeckSize(const DeckList& list);
Result<void> CheckWebhookSize(const WebhookTarget& target);
// ASCII letters in lower case: how names are compared.
std::string FoldName(std::string_view name);

}  // namespace openseat
