// SqliteRegistry: the registry in one SQLite file. docs/formats/registry.md describes the file.
//
// It has two threads: one reads, one writes. The writer takes what has gathered since its last commit, makes it one
// transaction, and answers when it is durable; readers never wait for it. Other processes may read and write the file
// concurrently.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "core/registry.h"

namespace openseat::store {

class SqliteRegistry final : public Registry {
 public:
  // Opens the file, or creates it with mode 0600 (the directory must exist). Errors: RegistryDatabase::Open. `clock`
  // outlives it.
  static Result<std::unique_ptr<SqliteRegistry>> Open(const std::string& path, const Clock& clock);
  // Carries out what is still waiting. REQUIRES that no call is in progress, and that schedulers of unanswered calls
  // still exist.
  ~SqliteRegistry() override;

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

 private:
  struct Threads;

  SqliteRegistry(std::unique_ptr<Threads> threads, const Clock& clock);

  const std::unique_ptr<Threads> threads_;
  const Clock& clock_;
};

}  // namespace openseat::store
