#include "testing/memory_registry.h"

#include <algorithm>
#include <utility>

namespace openseat::testing {
namespace {

template <typename T>
void Answer(Scheduler& scheduler, Registry::Done<T> done, Result<T> result) {
  if (!done) return;
  scheduler.Post([done = std::move(done), given = std::move(result)]() mutable { done(std::move(given)); });
}

Error Missing(const std::string& what, const std::string& id, std::string path = {}) {
  return {ErrorCode::kNotFound, "there is no " + what + " \"" + id + "\"", std::move(path)};
}

// The element with that id; nullptr if it is unknown.
template <typename T, typename Id>
T* Find(std::vector<T>& all, const Id& id) {
  const auto found = std::ranges::find(all, id, &T::id);
  return found == all.end() ? nullptr : &*found;
}

template <typename T>
Result<T> Take(std::vector<T>& all, T* element) {
  T taken = std::move(*element);
  all.erase(all.begin() + (element - all.data()));
  return taken;
}

}  // namespace

Result<void> MemoryRegistry::CheckOwner(const AccountId& account) const {
  if (account.empty() || std::ranges::find(accounts_, account, &Account::id) != accounts_.end()) return {};
  return Fail(Missing("account", account.str(), "account"));
}

MemoryRegistry::KeptKey* MemoryRegistry::FindKey(const KeyId& id) {
  const auto found = std::ranges::find_if(keys_, [&](const KeptKey& kept) { return kept.key.id == id; });
  return found == keys_.end() ? nullptr : &*found;
}

void MemoryRegistry::CreateAccount(std::string name, Scheduler& scheduler, Done<Account> done) {
  const auto create = [&]() -> Result<Account> {
    if (Result<void> checked = CheckName("name", name); !checked) return Fail(checked.error());
    for (const Account& account : accounts_) {
      if (FoldName(account.name) != FoldName(name)) continue;
      return Fail(ErrorCode::kConflict, "there is already an account \"" + account.name + "\"", "name");
    }
    accounts_.push_back({AccountId(NewRegistryId('a')), name, clock_.Now()});
    return accounts_.back();
  };
  Answer<Account>(scheduler, std::move(done), create());
}

void MemoryRegistry::ListAccounts(Scheduler& scheduler, Done<std::vector<Account>> done) {
  std::vector<Account> accounts = accounts_;
  std::ranges::sort(accounts, {}, [](const Account& account) { return FoldName(account.name); });
  Answer<std::vector<Account>>(scheduler, std::move(done), std::move(accounts));
}

void MemoryRegistry::FindAccount(std::string id_or_name, Scheduler& scheduler, Done<Account> done) {
  const Account* found = Find(accounts_, AccountId(id_or_name));
  for (const Account& account : accounts_) {
    if (found == nullptr && FoldName(account.name) == FoldName(id_or_name)) found = &account;
  }
  Answer<Account>(scheduler, std::move(done),
                  found != nullptr ? Result<Account>(*found) : Fail(Missing("account", id_or_name)));
}

void MemoryRegistry::DeleteAccount(AccountId id, Scheduler& scheduler, Done<Account> done) {
  Account* account = Find(accounts_, id);
  if (account == nullptr) {
    Answer<Account>(scheduler, std::move(done), Fail(Missing("account", id.str())));
    return;
  }
  for (KeptKey& kept : keys_) {
    if (kept.key.account == id && !kept.key.revoked) kept.key.revoked = clock_.Now();
  }
  std::erase_if(decks_, [&](const StoredDeck& deck) { return deck.account == id; });
  Answer<Account>(scheduler, std::move(done), Take(accounts_, account));
}

void MemoryRegistry::CreateKey(NewKey wanted, Scheduler& scheduler, Done<CreatedKey> done) {
  const auto create = [&]() -> Result<CreatedKey> {
    if (Result<void> checked = CheckLabel("label", wanted.label); !checked) return Fail(checked.error());
    if (Result<void> owner = CheckOwner(wanted.account); !owner) return Fail(owner.error());
    CreatedKey made;
    made.secret = NewKeySecret();
    made.key.id = KeyId(NewRegistryId('k'));
    made.key.label = wanted.label;
    made.key.hint = made.secret.substr(0, kKeyHintLength);
    made.key.account = wanted.account;
    made.key.minted = wanted.minted;
    made.key.created = clock_.Now();
    keys_.push_back({made.key, made.secret});
    return made;
  };
  Answer<CreatedKey>(scheduler, std::move(done), create());
}

void MemoryRegistry::ListKeys(bool with_minted, Scheduler& scheduler, Done<std::vector<ApiKey>> done) {
  std::vector<ApiKey> keys;
  for (auto kept = keys_.rbegin(); kept != keys_.rend(); ++kept) {
    if (with_minted || !kept->key.minted) keys.push_back(kept->key);
  }
  Answer<std::vector<ApiKey>>(scheduler, std::move(done), std::move(keys));
}

void MemoryRegistry::Authenticate(std::string secret, Scheduler& scheduler, Done<ApiKey> done) {
  const auto find = [&]() -> Result<ApiKey> {
    for (KeptKey& kept : keys_) {
      if (kept.secret != secret) continue;
      if (kept.key.revoked) {
        return Fail(ErrorCode::kDenied, "this API key was revoked at " + FormatIso8601(*kept.key.revoked));
      }
      kept.key.last_used = clock_.Now();
      return kept.key;
    }
    return Fail(ErrorCode::kNotFound, "unknown API key");
  };
  Answer<ApiKey>(scheduler, std::move(done), find());
}

void MemoryRegistry::RevokeKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) {
  KeptKey* kept = FindKey(id);
  if (kept != nullptr && !kept->key.revoked) kept->key.revoked = clock_.Now();
  Answer<ApiKey>(scheduler, std::move(done),
                 kept != nullptr ? Result<ApiKey>(kept->key) : Fail(Missing("API key", id.str())));
}

void MemoryRegistry::ForgetKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) {
  KeptKey* kept = FindKey(id);
  Result<ApiKey> result = kept != nullptr ? Result<ApiKey>(kept->key) : Fail(Missing("API key", id.str()));
  if (kept != nullptr) keys_.erase(keys_.begin() + (kept - keys_.data()));
  Answer<ApiKey>(scheduler, std::move(done), std::move(result));
}

void MemoryRegistry::SaveDeck(StoredDeck deck, Scheduler& scheduler, Done<StoredDeck> done, std::size_t most) {
  const auto save = [&]() -> Result<StoredDeck> {
    if (Result<void> checked = CheckDeckSize(deck.list); !checked) return Fail(checked.error());
    if (Result<void> owner = CheckOwner(deck.account); !owner) return Fail(owner.error());
    deck.changed = clock_.Now();
    if (deck.id.empty()) {
      const auto owned = static_cast<std::size_t>(std::ranges::count(decks_, deck.account, &StoredDeck::account));
      if (Result<void> room = CheckDeckCount(owned, most); !room) return Fail(room.error());
      deck.id = DeckId(NewRegistryId('d'));
      deck.created = deck.changed;
      decks_.push_back(deck);
      return deck;
    }
    StoredDeck* before = Find(decks_, deck.id);
    if (before == nullptr) return Fail(Missing("deck", deck.id.str()));
    deck.created = before->created;
    *before = deck;
    return deck;
  };
  Answer<StoredDeck>(scheduler, std::move(done), save());
}

void MemoryRegistry::FindDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) {
  const StoredDeck* deck = Find(decks_, id);
  Answer<StoredDeck>(scheduler, std::move(done),
                     deck != nullptr ? Result<StoredDeck>(*deck) : Fail(Missing("deck", id.str())));
}

void MemoryRegistry::ListDecks(DeckFilter filter, Scheduler& scheduler, Done<std::vector<StoredDeck>> done) {
  std::vector<StoredDeck> decks;
  for (const StoredDeck& deck : decks_) {
    if (!filter.game.empty() && deck.list.game != filter.game) continue;
    if (!filter.side.empty() && deck.list.side != filter.side) continue;
    if (filter.account && deck.account != *filter.account) continue;
    decks.push_back(deck);
  }
  std::ranges::stable_sort(decks, {}, [](const StoredDeck& deck) { return FoldName(deck.list.name); });
  Answer<std::vector<StoredDeck>>(scheduler, std::move(done), std::move(decks));
}

void MemoryRegistry::DeleteDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) {
  StoredDeck* deck = Find(decks_, id);
  Answer<StoredDeck>(scheduler, std::move(done),
                     deck != nullptr ? Take(decks_, deck) : Fail(Missing("deck", id.str())));
}

void MemoryRegistry::SaveWebhook(WebhookTarget target, Scheduler& scheduler, Done<WebhookTarget> done) {
  const auto save = [&]() -> Result<WebhookTarget> {
    if (Result<void> checked = CheckWebhookSize(target); !checked) return Fail(checked.error());
    if (target.id.empty()) {
      target.id = WebhookId(NewRegistryId('w'));
      target.created = clock_.Now();
    } else if (const auto before = webhooks_.find(target.id); before != webhooks_.end()) {
      target.created = before->second.created;
    } else {
      return Fail(Missing("webhook target", target.id.str()));
    }
    webhooks_[target.id] = target;
    return target;
  };
  Answer<WebhookTarget>(scheduler, std::move(done), save());
}

void MemoryRegistry::FindWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) {
  const auto found = webhooks_.find(id);
  Answer<WebhookTarget>(
      scheduler, std::move(done),
      found != webhooks_.end() ? Result<WebhookTarget>(found->second) : Fail(Missing("webhook target", id.str())));
}

void MemoryRegistry::ForgetWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) {
  const auto found = webhooks_.extract(id);
  outboxes_.erase(id);
  Answer<WebhookTarget>(scheduler, std::move(done),
                        found ? Result<WebhookTarget>(found.mapped()) : Fail(Missing("webhook target", id.str())));
}

void MemoryRegistry::KeepWebhooks(std::vector<WebhookId> kept, Scheduler& scheduler, Done<std::size_t> done) {
  const auto needless = [&](const auto& entry) { return std::ranges::find(kept, entry.first) == kept.end(); };
  std::erase_if(outboxes_, needless);
  Answer<std::size_t>(scheduler, std::move(done), std::erase_if(webhooks_, needless));
}

void MemoryRegistry::ReadOutbox(WebhookId id, Scheduler& scheduler, Done<WebhookOutbox> done) {
  Answer<WebhookOutbox>(
      scheduler, std::move(done),
      webhooks_.contains(id) ? Result<WebhookOutbox>(outboxes_[id]) : Fail(Missing("webhook target", id.str())));
}

void MemoryRegistry::AddToOutbox(WebhookId id, std::string memory, std::vector<StoredDelivery> added,
                                 Scheduler& scheduler, Done<WebhookId> done) {
  const auto add = [&]() -> Result<WebhookId> {
    if (!webhooks_.contains(id)) return Fail(Missing("webhook target", id.str()));
    WebhookOutbox& outbox = outboxes_[id];
    if (!added.empty() && added.front().sequence <= outbox.sequence) {
      return Fail(ErrorCode::kConflict, "the outbox already has event " + std::to_string(added.front().sequence));
    }
    outbox.memory = std::move(memory);
    for (StoredDelivery& delivery : added) {
      outbox.sequence = delivery.sequence;
      outbox.waiting.push_back(std::move(delivery));
    }
    return id;
  };
  Answer<WebhookId>(scheduler, std::move(done), add());
}

void MemoryRegistry::TakeFromOutbox(WebhookId id, std::uint64_t sequence, Scheduler& scheduler, Done<WebhookId> done) {
  if (const auto found = outboxes_.find(id); found != outboxes_.end()) {
    std::erase_if(found->second.waiting, [&](const StoredDelivery& each) { return each.sequence <= sequence; });
  }
  Answer<WebhookId>(scheduler, std::move(done), id);
}

void MemoryRegistry::SaveGame(std::string id, int version, std::vector<StoredFile> files, Scheduler& scheduler,
                              Done<StoredGame> done) {
  const auto save = [&]() -> Result<StoredGame> {
    if (Result<void> checked = CheckGameSize(id, files); !checked) return Fail(checked.error());
    if (games_.size() == kMaxGameVersions && !games_.contains({id, version})) {
      return Fail(ErrorCode::kTooLarge, "too many versions of games");
    }
    for (auto& [of, kept] : games_) kept.game.offered = kept.game.offered && of.first != id;
    const auto [place, is_new] = games_.try_emplace({id, version}, KeptGame{{id, version, true, clock_.Now()}, files});
    place->second.game.offered = true;
    return place->second.game;
  };
  Answer<StoredGame>(scheduler, std::move(done), save());
  if (changed_) changed_();
}

void MemoryRegistry::ListGames(bool, Scheduler& scheduler, Done<std::vector<StoredGame>> done) {
  std::vector<StoredGame> games;
  for (const auto& [of, kept] : games_) games.push_back(kept.game);
  Answer<std::vector<StoredGame>>(scheduler, std::move(done), std::move(games));
}

void MemoryRegistry::ReadGame(std::string id, int version, Scheduler& scheduler, Done<std::vector<StoredFile>> done) {
  const auto found = games_.find({id, version});
  Answer<std::vector<StoredFile>>(
      scheduler, std::move(done),
      found != games_.end() ? Result<std::vector<StoredFile>>(found->second.files) : Fail(Missing("game", id)));
}

void MemoryRegistry::WithdrawGame(std::string id, Scheduler& scheduler, Done<StoredGame> done) {
  const auto withdraw = [&]() -> Result<StoredGame> {
    for (auto& [of, kept] : games_) {
      if (of.first != id || !kept.game.offered) continue;
      kept.game.offered = false;
      return kept.game;
    }
    return Fail(Missing("game", id));
  };
  Answer<StoredGame>(scheduler, std::move(done), withdraw());
  if (changed_) changed_();
}

void MemoryRegistry::KeepGameVersions(std::string id, std::vector<int> kept, Scheduler& scheduler,
                                      Done<std::size_t> done) {
  const std::size_t forgotten = std::erase_if(games_, [&](const auto& each) {
    return each.first.first == id && !each.second.game.offered &&
           std::ranges::find(kept, each.first.second) == kept.end();
  });
  Answer<std::size_t>(scheduler, std::move(done), forgotten);
  if (changed_) changed_();
}

void MemoryRegistry::FindShared(std::string name, Scheduler& scheduler, Done<std::string> done) {
  Answer<std::string>(scheduler, std::move(done), shared_[name]);
}

void MemoryRegistry::ReplaceShared(std::string name, std::string before, std::string text, Scheduler& scheduler,
                                   Done<std::string> done) {
  const auto replace = [&]() -> Result<std::string> {
    if (Result<void> checked = CheckLabel("text", text); !checked) return Fail(checked.error());
    std::string& found = shared_[name];
    if (found == before) found = std::move(text);
    return found;
  };
  Answer<std::string>(scheduler, std::move(done), replace());
  if (changed_) changed_();
}

void MemoryRegistry::Watch(std::function<void()> changed) {
  changed_ = std::move(changed);
}

}  // namespace openseat::testing
