// RegistryDatabase: the registry's file, one call at a time. Used by `openseat key` and by
// SqliteRegistry. docs/formats/registry.md describes the file.
//
// One thread at a time. Any number of these, in any number of processes, may have the same file open: a call sees
// everything committed before it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "core/registry.h"
#include "store/mark.h"
#include "store/sqlite.h"

namespace openseat::store {

// Whether a use of the key is to be recorded: TouchKey.
bool IsUseDue(const ApiKey& key, Time now);

class RegistryDatabase {
 public:
  // Creates the file, mode 0600, if it does not exist (the directory must exist), and its mark. kInvalid if it is
  // another program's or not a file; kUnsupported if a later version wrote it; kParse if it is damaged or lacks what
  // its mark says; kIo. `clock` outlives it.
  static Result<RegistryDatabase> Open(const std::string& path, const Clock& clock);
  // An existing file, for calls that change nothing, also on a read-only file system. Errors: OpenForReading, and
  // kParse if it lacks what its mark says.
  static Result<RegistryDatabase> OpenToRead(const std::string& path, const Clock& clock);
  // Makes an id that begins with the letter: NewRegistryId. Is asked again if the id is taken.
  using NewId = std::function<std::string(char letter)>;
  // Without a file: empty, or what Image returned. Errors as above.
  static Result<RegistryDatabase> InMemory(std::string_view image, const Clock& clock, NewId new_id);
  // All tables, for InMemory.
  Result<std::string> Image();

  // Errors of all below: those of Registry.
  Result<Account> CreateAccount(const std::string& name);
  Result<std::vector<Account>> ListAccounts();
  Result<Account> FindAccount(const std::string& id_or_name);
  Result<Account> DeleteAccount(const AccountId& id);

  Result<CreatedKey> CreateKey(const NewKey& wanted);
  // A key whose secret has this hash (SHA-256, hexadecimal), and begins with this hint.
  Result<ApiKey> AddKey(const NewKey& wanted, std::string_view hash, const std::string& hint);
  Result<std::vector<ApiKey>> ListKeys(bool with_minted);
  // Changes nothing: TouchKey records the use.
  Result<ApiKey> FindBySecret(std::string_view secret);
  Result<void> TouchKey(const KeyId& id);
  Result<ApiKey> RevokeKey(const KeyId& id);
  Result<ApiKey> ForgetKey(const KeyId& id);

  // Takes up to kMaxStoredCopies of a card: a command of the log means the same in every version.
  Result<StoredDeck> SaveDeck(StoredDeck deck, std::size_t most = 0);
  Result<StoredDeck> FindDeck(const DeckId& id);
  Result<std::vector<StoredDeck>> ListDecks(const DeckFilter& filter);
  Result<StoredDeck> DeleteDeck(const DeckId& id);

  Result<WebhookTarget> SaveWebhook(WebhookTarget target);
  Result<WebhookTarget> FindWebhook(const WebhookId& id);
  Result<WebhookTarget> ForgetWebhook(const WebhookId& id);
  Result<std::size_t> KeepWebhooks(const std::vector<WebhookId>& kept);
  Result<WebhookOutbox> ReadOutbox(const WebhookId& id);
  Result<WebhookId> AddToOutbox(const WebhookId& id, const std::string& memory,
                                const std::vector<StoredDelivery>& added);
  Result<WebhookId> TakeFromOutbox(const WebhookId& id, std::uint64_t sequence);

  Result<StoredGame> SaveGame(const std::string& id, int version, const std::vector<StoredFile>& files);
  Result<std::vector<StoredGame>> ListGames();
  Result<std::vector<StoredFile>> ReadGame(const std::string& id, int version);
  Result<StoredGame> WithdrawGame(const std::string& id);
  Result<std::size_t> KeepGameVersions(const std::string& id, const std::vector<int>& kept);

  Result<std::string> FindShared(const std::string& name);
  Result<std::string> ReplaceShared(const std::string& name, const std::string& before, const std::string& text);

  // Several calls as one transaction: everything between Begin and Commit becomes durable together, or not at all.
  // Within it, each call is applied completely or not at all.
  Result<void> Begin();
  Result<void> Commit();
  void Rollback();

 private:
  RegistryDatabase(Database database, bool in_file, const Clock& clock, NewId new_id)
      : database_(std::move(database)), in_file_(in_file), clock_(&clock), new_id_(std::move(new_id)) {}
  // Deleted data, which includes keys, is overwritten.
  Result<void> DeleteForGood();
  // What is committed from now on is in the mark. Without one, which the log says, nothing else changes.
  void UseMark(const std::string& path);
  // If something was `changed`, counts it, for the mark. Errors are SQLite's; the transaction is still open then.
  Result<void> CommitCounted(bool changed);
  // Whether Begin's transaction is still open: some failures end it. Else kIo.
  Result<void> CheckBegun() const;
  // An error of SQLite's, as one of these calls.
  Error FileError(const Error& error) const;

  // The statement with this text, prepared once. The text must be a literal.
  Result<Statement*> Prepared(const char* sql);
  // Runs `body` completely or not at all.
  template <typename Body>
  auto Whole(Body body) -> decltype(body());
  // Runs a statement for its effect, with these texts as its first parameters.
  Result<void> Run(const char* sql, std::initializer_list<std::string_view> texts,
                   std::initializer_list<std::int64_t> numbers = {});
  // Applies `read` to each row.
  template <typename T>
  Result<std::vector<T>> Rows(const char* sql, std::initializer_list<std::string_view> texts,
                              Result<T> (*read)(const Statement&));
  // The one row, or kNotFound with this sentence.
  template <typename T>
  Result<T> Row(const char* sql, std::initializer_list<std::string_view> texts, Result<T> (*read)(const Statement&),
                const std::string& missing);
  Result<void> CheckOwner(const AccountId& account);
  // An id that no row of `sql` has.
  Result<std::string> FreshId(char letter, const char* sql);
  std::int64_t Now() const { return clock_->Now().time_since_epoch().count(); }

  Database database_;
  bool in_file_;
  const Clock* clock_;
  NewId new_id_;
  std::unique_ptr<MarkFile> mark_;               // null: in memory, or it cannot be written
  bool begun_ = false;                           // between Begin and Commit or Rollback
  std::uint64_t changed_before_ = 0;             // Database::total_changes at Begin
  std::map<const char*, Statement> statements_;  // by the address of their text
};

}  // namespace openseat::store
