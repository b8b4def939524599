// NatsRegistry: the registry of a cluster, as a stream that every node follows. docs/cluster.md, "The registry", says
// what a call sees of what other nodes wrote, and what happens while NATS has no majority.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "core/registry.h"
#include "store/registry_log.h"

namespace openseat::store {

struct NatsRegistryOptions {
  RegistryLogOptions log;
  // A key is checked against what any node had been answered this long before.
  Duration key_age = std::chrono::milliseconds(500);
};

class NatsRegistry final : public Registry {
 public:
  // Errors: RegistryLog::Open. `clock` outlives it.
  static Result<std::unique_ptr<NatsRegistry>> Open(const NatsRegistryOptions& options, const Clock& clock);
  // Waits for a while until everything is written. What is not then fails with kClosed. REQUIRES that no call is in
  // progress, and that schedulers of unanswered calls still exist.
  ~NatsRegistry() override;

  // Every call may also fail with kTimeout, kBusy, kTooLarge and kUnsupported. Those of webhook agents (FindWebhook and
  // ForgetWebhook to TakeFromOutbox) wait without end, except that a write of theirs fails with kTimeout if this node
  // was so late that it loaded the registry again, and so knows only that the write was done.
  void CreateAccount(std::string name, Scheduler& scheduler, Done<Account> done) override;
  void ListAccounts(Scheduler& scheduler, Done<std::vector<Account>> done) override;
  void FindAccount(std::string id_or_name, Scheduler& scheduler, Done<Account> done) override;
  void DeleteAccount(AccountId id, Scheduler& scheduler, Done<Account> done) override;

  void CreateKey(NewKey wanted, Scheduler& scheduler, Done<CreatedKey> done) override;
  void ListKeys(bool with_minted, Scheduler& scheduler, Done<std::vector<ApiKey>> done) override;
  void Authenticate(std::string secret, Scheduler& scheduler, Done<ApiKey> done) override;
  void RevokeKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) override;
  void ForgetKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) override;

  void SaveDeck(StoredDeck deck, Scheduler& scheduler, Done<StoredDeck> done, std::size_t most = 0) override;
  void FindDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) override;
  void ListDecks(DeckFilter filter, Scheduler& scheduler, Done<std::vector<StoredDeck>> done) override;
  void DeleteDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) override;

  void SaveWebhook(WebhookTarget target, Scheduler& scheduler, Done<WebhookTarget> done) override;
  void FindWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) override;
  void ForgetWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) override;
  // Forgets none, and answers 0: another node may play their matches.
  void KeepWebhooks(std::vector<WebhookId> kept, Scheduler& scheduler, Done<std::size_t> done) override;
  void ReadOutbox(WebhookId id, Scheduler& scheduler, Done<WebhookOutbox> done) override;
  void AddToOutbox(WebhookId id, std::string memory, std::vector<StoredDelivery> added, Scheduler& scheduler,
                   Done<WebhookId> done) override;
  void TakeFromOutbox(WebhookId id, std::uint64_t sequence, Scheduler& scheduler, Done<WebhookId> done) override;

  void SaveGame(std::string id, int version, std::vector<StoredFile> files, Scheduler& scheduler,
                Done<StoredGame> done) override;
  void ListGames(bool latest, Scheduler& scheduler, Done<std::vector<StoredGame>> done) override;
  void ReadGame(std::string id, int version, Scheduler& scheduler, Done<std::vector<StoredFile>> done) override;
  void WithdrawGame(std::string id, Scheduler& scheduler, Done<StoredGame> done) override;
  void KeepGameVersions(std::string id, std::vector<int> kept, Scheduler& scheduler, Done<std::size_t> done) override;

  void FindShared(std::string name, Scheduler& scheduler, Done<std::string> done) override;
  void ReplaceShared(std::string name, std::string before, std::string text, Scheduler& scheduler,
                     Done<std::string> done) override;
  void Watch(std::function<void()> changed) override;

  // Why writing does not work, as far as this node knows.
  Result<void> Writable() const;

 private:
  NatsRegistry(std::unique_ptr<RegistryLog> log, const NatsRegistryOptions& options, const Clock& clock);

  // Sends a command that answers with a T.
  template <typename T>
  void Write(std::string command, bool patient, Scheduler& scheduler, Done<T> done);
  // Reads what this node knows, at once.
  template <typename T, typename Body>
  void Read(Scheduler& scheduler, Done<T> done, Body body);
  // Reads what all nodes know.
  template <typename T, typename Body>
  void ReadAll(bool patient, Scheduler& scheduler, Done<T> done, Body body);
  // Reads what this node knows, and what all nodes know if that is nothing.
  template <typename T, typename Body>
  void Find(Scheduler& scheduler, Done<T> done, Body body);
  // On the replica's thread: what is found for a secret, and a note that it was used.
  Result<ApiKey> FindKey(RegistryReplica& replica, const std::string& secret, Time now);

  const Duration key_age_;
  const Clock& clock_;
  const std::unique_ptr<RegistryLog> log_;
};

}  // namespace openseat::store
