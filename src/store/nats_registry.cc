#include "store/nats_registry.h"

#include <utility>
#include <variant>

#include "base/check.h"
#include "store/registry_answer.h"

namespace openseat::store {
namespace {

template <typename T>
Result<T> OutcomeAs(Result<RegistryOutcome> outcome) {
  if (!outcome) return Fail(std::move(outcome.error()));
  return std::get<T>(std::move(*outcome));
}

}  // namespace

template <typename T>
void NatsRegistry::Write(std::string command, bool patient, Scheduler& scheduler, Done<T> done) {
  RegistryLog::Call call;
  call.command = std::move(command);
  call.answer = [&scheduler, done = std::move(done)](RegistryReplica&, Result<RegistryOutcome> outcome) {
    PostAnswer<T>(scheduler, done, OutcomeAs<T>(std::move(outcome)));
  };
  call.patient = patient;
  log_->Submit(std::move(call));
}

template <typename T, typename Body>
void NatsRegistry::Read(Scheduler& scheduler, Done<T> done, Body body) {
  log_->Look([&scheduler, done = std::move(done), body = std::move(body)](RegistryReplica& replica, Instant) {
    PostAnswer<T>(scheduler, done, body(replica.database()));
  });
}

template <typename T, typename Body>
void NatsRegistry::ReadAll(bool patient, Scheduler& scheduler, Done<T> done, Body body) {
  log_->Submit({.answer =
                    [&scheduler, done = std::move(done), body = std::move(body)](RegistryReplica& replica,
                                                                                 const Result<RegistryOutcome>& all) {
                      PostAnswer<T>(scheduler, done, all ? body(replica) : Result<T>(Fail(all.error())));
                    },
                .patient = patient});
}

template <typename T, typename Body>
void NatsRegistry::Find(Scheduler& scheduler, Done<T> done, Body body) {
  log_->Look(
      [this, &scheduler, done = std::move(done), body = std::move(body)](RegistryReplica& replica, Instant) mutable {
        Result<T> found = body(replica);
        const bool missing = !found && found.error().code == ErrorCode::kNotFound;
        if (!missing) return PostAnswer<T>(scheduler, done, std::move(found));
        ReadAll(false, scheduler, std::move(done), std::move(body));
      });
}

Result<std::unique_ptr<NatsRegistry>> NatsRegistry::Open(const NatsRegistryOptions& options, const Clock& clock) {
  Result<std::unique_ptr<RegistryLog>> log = RegistryLog::Open(options.log);
  if (!log) return Fail(log.error());
  return std::unique_ptr<NatsRegistry>(new NatsRegistry(std::move(*log), options, clock));
}

NatsRegistry::NatsRegistry(std::unique_ptr<RegistryLog> log, const NatsRegistryOptions& options, const Clock& clock)
    : key_age_(options.key_age), clock_(clock), log_(std::move(log)) {}
NatsRegistry::~NatsRegistry() = default;

Result<void> NatsRegistry::Writable() const {
  return log_->Writable();
}

void NatsRegistry::CreateAccount(std::string name, Scheduler& scheduler, Done<Account> done) {
  // The bytes of a command are UTF-8: what is not would become another name.
  if (Result<void> checked = CheckName("name", name); !checked) {
    return PostAnswer<Account>(scheduler, done, Fail(checked.error()));
  }
  Write(CreateAccountCommand(clock_.Now(), name), false, scheduler, std::move(done));
}

void NatsRegistry::ListAccounts(Scheduler& scheduler, Done<std::vector<Account>> done) {
  Read(scheduler, std::move(done), [](RegistryDatabase& database) { return database.ListAccounts(); });
}

void NatsRegistry::FindAccount(std::string id_or_name, Scheduler& scheduler, Done<Account> done) {
  Find(scheduler, std::move(done),
       [name = std::move(id_or_name)](RegistryReplica& replica) { return replica.database().FindAccount(name); });
}

void NatsRegistry::DeleteAccount(AccountId id, Scheduler& scheduler, Done<Account> done) {
  Write(DeleteAccountCommand(clock_.Now(), id), false, scheduler, std::move(done));
}

void NatsRegistry::CreateKey(NewKey wanted, Scheduler& scheduler, Done<CreatedKey> done) {
  if (Result<void> checked = CheckLabel("label", wanted.label); !checked) {
    return PostAnswer<CreatedKey>(scheduler, done, Fail(checked.error()));
  }
  std::string secret = NewKeySecret();
  std::string command = CreateKeyCommand(clock_.Now(), wanted, secret);
  log_->Submit({.command = std::move(command),
                .answer = [&scheduler, done = std::move(done), secret = std::move(secret)](
                              RegistryReplica&, Result<RegistryOutcome> outcome) {
                  Result<ApiKey> key = OutcomeAs<ApiKey>(std::move(outcome));
                  PostAnswer<CreatedKey>(
                      scheduler, done,
                      key ? CreatedKey{std::move(*key), secret} : Result<CreatedKey>(Fail(key.error())));
                }});
}

void NatsRegistry::ListKeys(bool with_minted, Scheduler& scheduler, Done<std::vector<ApiKey>> done) {
  Read(scheduler, std::move(done),
       [with_minted](RegistryDatabase& database) { return database.ListKeys(with_minted); });
}

void NatsRegistry::Authenticate(std::string secret, Scheduler& scheduler, Done<ApiKey> done) {
  const Time now = clock_.Now();
  log_->Look([this, &scheduler, done = std::move(done), secret = std::move(secret), now](RegistryReplica& replica,
                                                                                         Instant known) mutable {
    if (known + key_age_ >= SystemClock().Monotonic())
      return PostAnswer<ApiKey>(scheduler, done, FindKey(replica, secret, now));
    ReadAll(false, scheduler, std::move(done),
            [this, secret = std::move(secret), now](RegistryReplica& all) { return FindKey(all, secret, now); });
  });
}

Result<ApiKey> NatsRegistry::FindKey(RegistryReplica& replica, const std::string& secret, Time now) {
  Result<ApiKey> key = replica.database().FindBySecret(secret);
  if (!key) return key;
  if (IsUseDue(*key, now)) {
    key->last_used = now;
    // A failed last-use note does not fail the call.
    log_->Submit(
        {.command = TouchKeyCommand(now, key->id), .answer = [](RegistryReplica&, const Result<RegistryOutcome>&) {}});
  }
  return key;
}

void NatsRegistry::RevokeKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) {
  Write(RevokeKeyCommand(clock_.Now(), id), false, scheduler, std::move(done));
}

void NatsRegistry::ForgetKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) {
  Write(ForgetKeyCommand(clock_.Now(), id), false, scheduler, std::move(done));
}

void NatsRegistry::SaveDeck(StoredDeck deck, Scheduler& scheduler, Done<StoredDeck> done, std::size_t most) {
  if (Result<void> checked = CheckDeckSize(deck.list); !checked) {
    return PostAnswer<StoredDeck>(scheduler, done, Fail(checked.error()));
  }
  Write(SaveDeckCommand(clock_.Now(), deck, most), false, scheduler, std::move(done));
}

void NatsRegistry::FindDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) {
  Find(scheduler, std::move(done),
       [id = std::move(id)](RegistryReplica& replica) { return replica.database().FindDeck(id); });
}

void NatsRegistry::ListDecks(DeckFilter filter, Scheduler& scheduler, Done<std::vector<StoredDeck>> done) {
  Read(scheduler, std::move(done),
       [filter = std::move(filter)](RegistryDatabase& database) { return database.ListDecks(filter); });
}

void NatsRegistry::DeleteDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) {
  Write(DeleteDeckCommand(clock_.Now(), id), false, scheduler, std::move(done));
}

void NatsRegistry::SaveWebhook(WebhookTarget target, Scheduler& scheduler, Done<WebhookTarget> done) {
  if (Result<void> checked = CheckWebhookSize(target); !checked) {
    return PostAnswer<WebhookTarget>(scheduler, done, Fail(checked.error()));
  }
  Write(SaveWebhookCommand(clock_.Now(), target), false, scheduler, std::move(done));
}

void NatsRegistry::FindWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) {
  ReadAll(true, scheduler, std::move(done),
          [id = std::move(id)](RegistryReplica& replica) { return replica.database().FindWebhook(id); });
}

void NatsRegistry::ForgetWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) {
  Write(ForgetWebhookCommand(clock_.Now(), id), true, scheduler, std::move(done));
}

void NatsRegistry::KeepWebhooks(std::vector<WebhookId>, Scheduler& scheduler, Done<std::size_t> done) {
  PostAnswer<std::size_t>(scheduler, done, std::size_t{0});
}

void NatsRegistry::ReadOutbox(WebhookId id, Scheduler& scheduler, Done<WebhookOutbox> done) {
  ReadAll(true, scheduler, std::move(done),
          [id = std::move(id)](RegistryReplica& replica) { return replica.database().ReadOutbox(id); });
}

void NatsRegistry::AddToOutbox(WebhookId id, std::string memory, std::vector<StoredDelivery> added,
                               Scheduler& scheduler, Done<WebhookId> done) {
  Write(AddToOutboxCommand(clock_.Now(), id, memory, added), true, scheduler, std::move(done));
}

void NatsRegistry::TakeFromOutbox(WebhookId id, std::uint64_t sequence, Scheduler& scheduler, Done<WebhookId> done) {
  Write(TakeFromOutboxCommand(clock_.Now(), id, sequence), true, scheduler, std::move(done));
}

void NatsRegistry::SaveGame(std::string id, int version, std::vector<StoredFile> files, Scheduler& scheduler,
                            Done<StoredGame> done) {
  if (Result<void> checked = CheckGameSize(id, files); !checked) {
    return PostAnswer<StoredGame>(scheduler, done, Fail(checked.error()));
  }
  Write(SaveGameCommand(clock_.Now(), id, version, files), false, scheduler, std::move(done));
}

void NatsRegistry::ListGames(bool latest, Scheduler& scheduler, Done<std::vector<StoredGame>> done) {
  if (!latest) {
    return Read(scheduler, std::move(done), [](RegistryDatabase& database) { return database.ListGames(); });
  }
  ReadAll(false, scheduler, std::move(done), [](RegistryReplica& replica) { return replica.database().ListGames(); });
}

void NatsRegistry::ReadGame(std::string id, int version, Scheduler& scheduler, Done<std::vector<StoredFile>> done) {
  Find(scheduler, std::move(done),
       [id = std::move(id), version](RegistryReplica& replica) { return replica.database().ReadGame(id, version); });
}

void NatsRegistry::WithdrawGame(std::string id, Scheduler& scheduler, Done<StoredGame> done) {
  Write(WithdrawGameCommand(clock_.Now(), id), false, scheduler, std::move(done));
}

void NatsRegistry::KeepGameVersions(std::string id, std::vector<int> kept, Scheduler& scheduler,
                                    Done<std::size_t> done) {
  Write(KeepGameVersionsCommand(clock_.Now(), id, kept), false, scheduler, std::move(done));
}

void NatsRegistry::FindShared(std::string name, Scheduler& scheduler, Done<std::string> done) {
  Read(scheduler, std::move(done),
       [name = std::move(name)](RegistryDatabase& database) { return database.FindShared(name); });
}

void NatsRegistry::ReplaceShared(std::string name, std::string before, std::string text, Scheduler& scheduler,
                                 Done<std::string> done) {
  if (Result<void> checked = CheckLabel("text", text); !checked) {
    return PostAnswer<std::string>(scheduler, done, Fail(checked.error()));
  }
  Write(ReplaceSharedCommand(clock_.Now(), name, before, text), false, scheduler, std::move(done));
}

void NatsRegistry::Watch(std::function<void()> changed) {
  log_->Watch(std::move(changed));
}

}  // namespace openseat::store
