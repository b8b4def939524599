// MemoryRegistry: the Registry contract without a disk, for tests. One thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.h"

namespace openseat::testing {

class MemoryRegistry : public Registry {
 public:
  // `clock` outlives it.
  explicit MemoryRegistry(const Clock& clock) : clock_(clock) {}

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

  // Keeps a deck as it is, like one that an earlier version of the program saved.
  void KeepDeck(StoredDeck deck) { decks_.push_back(std::move(deck)); }

 private:
  struct KeptKey {
    ApiKey key;
    std::string secret;
  };

  Result<void> CheckOwner(const AccountId& account) const;
  KeptKey* FindKey(const KeyId& id);

  const Clock& clock_;
  std::vector<Account> accounts_;
  std::vector<KeptKey> keys_;  // oldest first
  std::vector<StoredDeck> decks_;
  std::map<WebhookId, WebhookTarget> webhooks_;
  std::map<WebhookId, WebhookOutbox> outboxes_;
  struct KeptGame {
    StoredGame game;
    std::vector<StoredFile> files;
  };
  std::map<std::pair<std::string, int>, KeptGame> games_;
  std::map<std::string, std::string> shared_;
  std::function<void()> changed_;
};

}  // namespace openseat::testing
