#include "store/sqlite_registry.h"

#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop_bill.h"
#include "base/worker.h"
#include "store/registry_answer.h"
#include "store/registry_database.h"

namespace openseat::store {
namespace {

// A pending call that changes something.
struct Write {
  std::function<void(RegistryDatabase&)> run;
  Billed<std::function<void(const Error* lost)>> answer;  // `lost`: why nothing of it was kept
};

}  // namespace

struct SqliteRegistry::Threads {
  Threads(RegistryDatabase read, RegistryDatabase write) : reading(std::move(read)), writing(std::move(write)) {}

  template <typename T, typename Body>
  void Reading(Scheduler& scheduler, Done<T> done, Body body) {
    reader.Post([this, &scheduler, done = std::move(done), body = std::move(body)]() mutable {
      PostAnswer<T>(scheduler, done, body(reading));
    });
  }

  template <typename T, typename Body>
  void Writing(Scheduler& scheduler, Done<T> done, Body body) {
    const auto result = std::make_shared<Result<T>>();
    Add({[result, body = std::move(body)](RegistryDatabase& database) mutable { *result = body(database); },
         [result, &scheduler, done = std::move(done)](const Error* lost) {
           if (lost != nullptr && result->has_value()) *result = Fail(*lost);
           PostAnswer<T>(scheduler, done, std::move(*result));
         }});
  }

  // What Watch tells of.
  template <typename T, typename Body>
  void Changing(Scheduler& scheduler, Done<T> done, Body body) {
    Writing<T>(scheduler, std::move(done), [this, body = std::move(body)](RegistryDatabase& database) mutable {
      changing = true;
      return body(database);
    });
  }

  void Add(Write write) {
    bool first = false;
    {
      const std::lock_guard lock(mutex);
      first = waiting.empty();
      waiting.push_back(std::move(write));
    }
    const LoopBill bill(kNobody);
    if (first) writer.Post([this] { CommitWaiting(); });
  }

  // On the writer.
  void CommitWaiting() {
    std::vector<Write> batch;
    {
      const std::lock_guard lock(mutex);
      batch.swap(waiting);
    }
    Result<void> kept = writing.Begin();
    if (kept) {
      for (Write& write : batch) write.run(writing);
      kept = writing.Commit();
    }
    for (Write& write : batch) write.answer(kept ? nullptr : &kept.error());
    if (std::exchange(changing, false) && changed) changed();
  }

  RegistryDatabase reading;  // the reader's
  RegistryDatabase writing;  // the writer's, as are these two
  std::function<void()> changed;
  bool changing = false;  // something that `changed` is told of
  std::mutex mutex;
  std::vector<Write> waiting;
  // Last: they use all of the above. The reader goes first, since it may still call the writer.
  Worker writer;
  Worker reader;
};

Result<std::unique_ptr<SqliteRegistry>> SqliteRegistry::Open(const std::string& path, const Clock& clock) {
  Result<RegistryDatabase> writing = RegistryDatabase::Open(path, clock);
  if (!writing) return Fail(writing.error());
  Result<RegistryDatabase> reading = RegistryDatabase::Open(path, clock);
  if (!reading) return Fail(reading.error());
  return std::unique_ptr<SqliteRegistry>(
      new SqliteRegistry(std::make_unique<Threads>(std::move(*reading), std::move(*writing)), clock));
}

SqliteRegistry::SqliteRegistry(std::unique_ptr<Threads> threads, const Clock& clock)
    : threads_(std::move(threads)), clock_(clock) {}
SqliteRegistry::~SqliteRegistry() = default;

void SqliteRegistry::CreateAccount(std::string name, Scheduler& scheduler, Done<Account> done) {
  threads_->Writing<Account>(scheduler, std::move(done), [name = std::move(name)](RegistryDatabase& database) {
    return database.CreateAccount(name);
  });
}
void SqliteRegistry::ListAccounts(Scheduler& scheduler, Done<std::vector<Account>> done) {
  threads_->Reading<std::vector<Account>>(scheduler, std::move(done),
                                          [](RegistryDatabase& database) { return database.ListAccounts(); });
}
void SqliteRegistry::FindAccount(std::string id_or_name, Scheduler& scheduler, Done<Account> done) {
  threads_->Reading<Account>(scheduler, std::move(done), [name = std::move(id_or_name)](RegistryDatabase& database) {
    return database.FindAccount(name);
  });
}
void SqliteRegistry::DeleteAccount(AccountId id, Scheduler& scheduler, Done<Account> done) {
  threads_->Writing<Account>(scheduler, std::move(done),
                             [id = std::move(id)](RegistryDatabase& database) { return database.DeleteAccount(id); });
}

void SqliteRegistry::CreateKey(NewKey wanted, Scheduler& scheduler, Done<CreatedKey> done) {
  threads_->Writing<CreatedKey>(scheduler, std::move(done), [wanted = std::move(wanted)](RegistryDatabase& database) {
    return database.CreateKey(wanted);
  });
}
void SqliteRegistry::ListKeys(bool with_minted, Scheduler& scheduler, Done<std::vector<ApiKey>> done) {
  threads_->Reading<std::vector<ApiKey>>(
      scheduler, std::move(done), [with_minted](RegistryDatabase& database) { return database.ListKeys(with_minted); });
}
void SqliteRegistry::Authenticate(std::string secret, Scheduler& scheduler, Done<ApiKey> done) {
  threads_->Reading<ApiKey>(scheduler, std::move(done), [this, secret = std::move(secret)](RegistryDatabase& database) {
    Result<ApiKey> key = database.FindBySecret(secret);
    if (!key) return key;
    const Time now = clock_.Now();
    if (IsUseDue(*key, now)) {
      key->last_used = now;
      // A failed last-use note does not fail the call.
      threads_->Add({[id = key->id](RegistryDatabase& writing) { static_cast<void>(writing.TouchKey(id).has_value()); },
                     [](const Error*) {}});
    }
    return key;
  });
}
void SqliteRegistry::RevokeKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) {
  threads_->Writing<ApiKey>(scheduler, std::move(done),
                            [id = std::move(id)](RegistryDatabase& database) { return database.RevokeKey(id); });
}
void SqliteRegistry::ForgetKey(KeyId id, Scheduler& scheduler, Done<ApiKey> done) {
  threads_->Writing<ApiKey>(scheduler, std::move(done),
                            [id = std::move(id)](RegistryDatabase& database) { return database.ForgetKey(id); });
}

void SqliteRegistry::SaveDeck(StoredDeck deck, Scheduler& scheduler, Done<StoredDeck> done, std::size_t most) {
  if (Result<void> checked = CheckDeckSize(deck.list); !checked) {
    return PostAnswer<StoredDeck>(scheduler, done, Fail(checked.error()));
  }
  threads_->Writing<StoredDeck>(scheduler, std::move(done), [deck = std::move(deck), most](RegistryDatabase& database) {
    return database.SaveDeck(deck, most);
  });
}
void SqliteRegistry::FindDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) {
  threads_->Reading<StoredDeck>(scheduler, std::move(done),
                                [id = std::move(id)](RegistryDatabase& database) { return database.FindDeck(id); });
}
void SqliteRegistry::ListDecks(DeckFilter filter, Scheduler& scheduler, Done<std::vector<StoredDeck>> done) {
  threads_->Reading<std::vector<StoredDeck>>(
      scheduler, std::move(done),
      [filter = std::move(filter)](RegistryDatabase& database) { return database.ListDecks(filter); });
}
void SqliteRegistry::DeleteDeck(DeckId id, Scheduler& scheduler, Done<StoredDeck> done) {
  threads_->Writing<StoredDeck>(scheduler, std::move(done),
                                [id = std::move(id)](RegistryDatabase& database) { return database.DeleteDeck(id); });
}

void SqliteRegistry::SaveWebhook(WebhookTarget target, Scheduler& scheduler, Done<WebhookTarget> done) {
  threads_->Writing<WebhookTarget>(
      scheduler, std::move(done),
      [target = std::move(target)](RegistryDatabase& database) { return database.SaveWebhook(target); });
}
void SqliteRegistry::FindWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) {
  threads_->Reading<WebhookTarget>(scheduler, std::move(done), [id = std::move(id)](RegistryDatabase& database) {
    return database.FindWebhook(id);
  });
}
void SqliteRegistry::ForgetWebhook(WebhookId id, Scheduler& scheduler, Done<WebhookTarget> done) {
  threads_->Writing<WebhookTarget>(scheduler, std::move(done), [id = std::move(id)](RegistryDatabase& database) {
    return database.ForgetWebhook(id);
  });
}
void SqliteRegistry::KeepWebhooks(std::vector<WebhookId> kept, Scheduler& scheduler, Done<std::size_t> done) {
  threads_->Writing<std::size_t>(scheduler, std::move(done), [kept = std::move(kept)](RegistryDatabase& database) {
    return database.KeepWebhooks(kept);
  });
}
void SqliteRegistry::ReadOutbox(WebhookId id, Scheduler& scheduler, Done<WebhookOutbox> done) {
  threads_->Reading<WebhookOutbox>(
      scheduler, std::move(done), [id = std::move(id)](RegistryDatabase& database) { return database.ReadOutbox(id); });
}
void SqliteRegistry::AddToOutbox(WebhookId id, std::string memory, std::vector<StoredDelivery> added,
                                 Scheduler& scheduler, Done<WebhookId> done) {
  threads_->Writing<WebhookId>(scheduler, std::move(done),
                               [id = std::move(id), memory = std::move(memory), added = std::move(added)](
                                   RegistryDatabase& database) { return database.AddToOutbox(id, memory, added); });
}
void SqliteRegistry::TakeFromOutbox(WebhookId id, std::uint64_t sequence, Scheduler& scheduler, Done<WebhookId> done) {
  threads_->Writing<WebhookId>(scheduler, std::move(done), [id = std::move(id), sequence](RegistryDatabase& database) {
    return database.TakeFromOutbox(id, sequence);
  });
}

void SqliteRegistry::SaveGame(std::string id, int version, std::vector<StoredFile> files, Scheduler& scheduler,
                              Done<StoredGame> done) {
  threads_->Changing<StoredGame>(scheduler, std::move(done),
                                 [id = std::move(id), version, files = std::move(files)](RegistryDatabase& database) {
                                   return database.SaveGame(id, version, files);
                                 });
}
void SqliteRegistry::ListGames(bool, Scheduler& scheduler, Done<std::vector<StoredGame>> done) {
  threads_->Reading<std::vector<StoredGame>>(scheduler, std::move(done),
                                             [](RegistryDatabase& database) { return database.ListGames(); });
}
void SqliteRegistry::ReadGame(std::string id, int version, Scheduler& scheduler, Done<std::vector<StoredFile>> done) {
  threads_->Reading<std::vector<StoredFile>>(
      scheduler, std::move(done),
      [id = std::move(id), version](RegistryDatabase& database) { return database.ReadGame(id, version); });
}
void SqliteRegistry::WithdrawGame(std::string id, Scheduler& scheduler, Done<StoredGame> done) {
  threads_->Changing<StoredGame>(scheduler, std::move(done), [id = std::move(id)](RegistryDatabase& database) {
    return database.WithdrawGame(id);
  });
}
void SqliteRegistry::KeepGameVersions(std::string id, std::vector<int> kept, Scheduler& scheduler,
                                      Done<std::size_t> done) {
  threads_->Changing<std::size_t>(scheduler, std::move(done),
                                  [id = std::move(id), kept = std::move(kept)](RegistryDatabase& database) {
                                    return database.KeepGameVersions(id, kept);
                                  });
}

void SqliteRegistry::FindShared(std::string name, Scheduler& scheduler, Done<std::string> done) {
  threads_->Reading<std::string>(scheduler, std::move(done), [name = std::move(name)](RegistryDatabase& database) {
    return database.FindShared(name);
  });
}
void SqliteRegistry::ReplaceShared(std::string name, std::string before, std::string text, Scheduler& scheduler,
                                   Done<std::string> done) {
  threads_->Changing<std::string>(
      scheduler, std::move(done),
      [name = std::move(name), before = std::move(before), text = std::move(text)](RegistryDatabase& database) {
        return database.ReplaceShared(name, before, text);
      });
}

void SqliteRegistry::Watch(std::function<void()> changed) {
  std::promise<void> done;
  threads_->writer.Post([&] {
    threads_->changed = std::move(changed);
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace openseat::store
