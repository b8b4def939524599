// Registry: the port to what outlives all tables: accounts, API keys, decks, the targets of webhooks, uploaded games,
// and what all servers of a cluster share. Implementations: store/sqlite_registry.h, store/nats_registry.h (of a
// cluster), testing/memory_registry.h. docs/formats/registry.md says what is stored and how.
//
// Every call may be made on any thread and returns at once; `done` runs on the given scheduler, which must live until
// then. A call sees everything that was answered before it was made. In a cluster, lists, FindAccount, FindDeck and
// FindShared see what this node has applied (docs/cluster.md). `done` may be empty if nothing waits for the answer; an
// error is logged then. In addition to the errors listed, every call may fail with kIo.
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

// The registry makes all ids: short, random, not secret. They may appear in URLs, journals and logs.
using AccountId = StringId<struct AccountTag>;
using KeyId = StringId<struct KeyTag>;
using DeckId = StringId<struct DeckTag>;
using WebhookId = StringId<struct WebhookTag>;

struct Account {
  AccountId id;
  std::string name;  // unique, ignoring case
  Time created;
};

struct ApiKey {
  KeyId id;
  std::string label;    // for people
  std::string hint;     // how the secret begins: "osk_k3fq"
  AccountId account;    // the owner; empty: nobody
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

// The only time that the secret is available.
struct CreatedKey {
  ApiKey key;
  std::string secret;  // "osk_…"
};

struct StoredDeck {
  DeckId id;          // empty: not stored yet
  AccountId account;  // the owner; empty: everybody
  DeckList list;
  Time created;
  Time changed;
};

// Where an agent is told of events. The key is stored in plain text, since it is sent along; no API shows it.
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

// What a webhook's target has yet to be told, and the state from which its sender continues after a restart.
struct WebhookOutbox {
  std::uint64_t sequence = 0;           // of the last delivery that was ever stored
  std::string memory;                   // as passed with that delivery
  std::vector<StoredDelivery> waiting;  // in order
};

// A file of a game that is written as a script (docs/scripts.md).
struct StoredFile {
  std::string name;
  std::string text;

  bool operator==(const StoredFile&) const = default;
};

// A version of an uploaded game.
struct StoredGame {
  std::string id;
  int version = 0;
  bool offered = false;  // the one of its id that new matches are played by
  Time saved;

  bool operator==(const StoredGame&) const = default;
};

// All entries, or only those selected.
struct DeckFilter {
  std::string game{};
  std::string side{};
  std::optional<AccountId> account{};  // an empty id: those without an owner
};

class Registry {
 public:
  template <typename T>
  using Done = std::function<void(Result<T>)>;

  virtual ~Registry() = default;

  // --- Accounts ---

  // kInvalid if CheckAccountName rejects the name, kConflict if it is taken.
  virtual void CreateAccount(std::string name, Scheduler& scheduler, Done<Account> done) = 0;
  virtual void ListAccounts(Scheduler& scheduler, Done<std::vector<Account>> done) = 0;  // by name
  // By id or name. kNotFound.
  virtual void FindAccount(std::string id_or_name, Scheduler& scheduler, Done<Account> done) = 0;
  // Removes the account with its keys, which are revoked, and its decks. kNotFound.
  virtual void DeleteAccount(AccountId id, Scheduler& scheduler, Done<Account> done) = 0;

  // --- API keys ---

  // kInvalid for a label that is too long, kNotFound if there is no such account.
  virtual void CreateKey(NewKey wanted, Scheduler& scheduler, Done<CreatedKey> done) = 0;
  // Newest first; without the minted ones unless requested.
  virtual void ListKeys(bool with_minted, Scheduler& scheduler, Done<std::vector<ApiKey>> done) = 0;
  // Finds the key with that secret, and notes that it was used. kNotFound if no key has it, kDenied if the key was
  // revoked. Sees at once what another process (`openseat key`) did; in a cluster, what another node did half a second
  // before.
  virtual void Authenticate(std::string secret, Scheduler& scheduler, Done<ApiKey> done) = 0;
  // By id. kNotFound; revoking a revoked key is not an error.
  virtual void RevokeKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) = 0;
  // Deletes all traces: for minted keys, when their match is over. kNotFound.
  virtual void ForgetKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) = 0;

  // --- Decks ---

  // Without an id, stores a new deck; otherwise replaces the deck with that id. kInvalid if CheckDeckSize rejects it,
  // kNotFound if there is no such deck or account, kConflict for a new deck of an account that has `most` decks (0: any
  // number).
  virtual void SaveDeck(StoredDeck deck, Scheduler& scheduler, Done<StoredDeck> done, std::size_t most = 0) = 0;
  virtual void FindDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) = 0;                        // kNotFound
  virtual void ListDecks(DeckFilter filter, Scheduler& scheduler, Done<std::vector<StoredDeck>> done) = 0;  // by name
  virtual void DeleteDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) = 0;                      // kNotFound

  // --- Webhook targets ---

  // Does not check whether the URL may be called. kInvalid if either text is too long.
  virtual void SaveWebhook(WebhookTarget target, Scheduler& scheduler, Done<WebhookTarget> done) = 0;
  virtual void FindWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) = 0;  // kNotFound
  // Removes it with its outbox. kNotFound.
  virtual void ForgetWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) = 0;
  // Forgets all targets except these, with their outboxes, and answers with the number forgotten. Unknown ids are
  // ignored. That of a cluster forgets none: other nodes may need them.
  virtual void KeepWebhooks(std::vector<WebhookId> kept, Scheduler& scheduler, Done<std::size_t> done) = 0;

  // The whole outbox. kNotFound.
  virtual void ReadOutbox(WebhookId id, Scheduler& scheduler, Done<WebhookOutbox> done) = 0;
  // Appends `added`, with increasing sequences, to what waits, and replaces `memory`; both or neither. kNotFound;
  // kConflict if the outbox ever had one of these sequences or a higher one.
  virtual void AddToOutbox(WebhookId id, std::string memory, std::vector<StoredDelivery> added, Scheduler& scheduler,
                           Done<WebhookId> done) = 0;
  // Removes everything up to `sequence`: it was delivered, or given up.
  virtual void TakeFromOutbox(WebhookId id, std::uint64_t sequence, Scheduler& scheduler, Done<WebhookId> done) = 0;

  // --- Uploaded games ---

  // Keeps these files as that version of the game, unless it has it, and offers it instead of any other version. Does
  // not check whether it is a game. kInvalid if CheckGameSize rejects it, kTooLarge if there are kMaxGameVersions.
  virtual void SaveGame(std::string id, int version, std::vector<StoredFile> files, Scheduler& scheduler,
                        Done<StoredGame> done) = 0;
  // All versions, by id and number. `latest`: in a cluster, everything that any node had been answered before.
  virtual void ListGames(bool latest, Scheduler& scheduler, Done<std::vector<StoredGame>> done) = 0;
  virtual void ReadGame(std::string id, int version, Scheduler& scheduler,
                        Done<std::vector<StoredFile>> done) = 0;  // kNotFound
  // The game is not offered any more; its versions are kept. kNotFound if none is offered.
  virtual void WithdrawGame(std::string id, Scheduler& scheduler, Done<StoredGame> done) = 0;
  // Forgets the game's versions, except these and one that is offered, and answers with the number forgotten.
  virtual void KeepGameVersions(std::string id, std::vector<int> kept, Scheduler& scheduler,
                                Done<std::size_t> done) = 0;

  // --- Texts that all servers share, by name: kAdminTokenName, kSessionKeyName; "" is none ---

  virtual void FindShared(std::string name, Scheduler& scheduler, Done<std::string> done) = 0;
  // Replaces the text if it is `before`, and answers with what it is then. kInvalid if CheckLabel rejects `text`.
  virtual void ReplaceShared(std::string name, std::string before, std::string text, Scheduler& scheduler,
                             Done<std::string> done) = 0;

  // `changed` is called, on any thread, after a game or a shared text may have changed, also by another node, until the
  // registry is gone, or another Watch has returned (nullptr: nothing is called). It must not wait for the registry.
  virtual void Watch(std::function<void()> changed) = 0;
};

// --- What all implementations share ---

inline constexpr std::string_view kKeyPrefix = "osk_";
inline constexpr std::size_t kKeySecretLength = 40;  // with the prefix; 180 random bits
inline constexpr std::size_t kKeyHintLength = 8;
inline constexpr std::size_t kMaxNameBytes = 200;
inline constexpr std::size_t kMaxNotesBytes = 16 << 10;
inline constexpr std::size_t kMaxUrlBytes = 2048;
inline constexpr std::size_t kMaxDeckEntries = 1000;
// Earlier versions of this program saved decks with more than kMaxCopies of a card, and commands in the log of a
// cluster may still do so: they are kept and shown.
inline constexpr int kMaxStoredCopies = 1000;
inline constexpr std::size_t kMaxGameBytes = 256 << 10;  // of a version's files together
inline constexpr std::size_t kMaxGameFiles = 32;
inline constexpr std::size_t kMaxGameVersions = 500;  // of all games together

// The hash of the admin token of a cluster: SHA-256, hexadecimal.
inline constexpr std::string_view kAdminTokenName = "admin-token";
// The key that signs the cookies of who signed in.
inline constexpr std::string_view kSessionKeyName = "session-key";

// Whom a key counts as, for limits and records: "key a-2" of its account, whose keys count as one, or "key k-1".
std::string HolderOf(const ApiKey& key);

std::string NewKeySecret();
// An id with this letter and a hyphen in front: "d-k3fq2ab7cd".
std::string NewRegistryId(char letter);
// 1 to 200 bytes of UTF-8 without control characters, no space at either end. `what` starts the error's sentence.
Result<void> CheckName(std::string_view what, std::string_view name);
// The same without a minimum length.
Result<void> CheckLabel(std::string_view what, std::string_view label);
// Limits on all parts of a deck, independent of the game.
Result<void> CheckDeckSize(const DeckList& list, int most_copies = kMaxCopies);
// kConflict if an account that has so many decks may not have another one. `most`: SaveDeck's.
Result<void> CheckDeckCount(std::size_t decks, std::size_t most);
Result<void> CheckWebhookSize(const WebhookTarget& target);
Result<void> CheckGameSize(std::string_view id, const std::vector<StoredFile>& files);
// ASCII letters in lower case: the form in which names are compared.
std::string FoldName(std::string_view name);

}  // namespace openseat
