#include "store/registry_database.h"

#include <utility>

#include "base/check.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "store/database_file.h"
#include "store/registry_file.h"
#include "store/registry_format.h"

namespace openseat::store {
namespace {

Time TimeOf(std::int64_t micros) {
  return Time(Duration(micros));
}
std::optional<Time> MaybeTime(std::int64_t micros) {
  if (micros == 0) return std::nullopt;
  return TimeOf(micros);
}
std::string Text(const Statement& row, int column) {
  return std::string(row.Bytes(column));
}

constexpr const char* kAccountById = "SELECT id, name, created FROM accounts WHERE id = ?1";
Result<std::size_t> ReadCount(const Statement& row) {
  return static_cast<std::size_t>(row.Int(0));
}

Result<Account> ReadAccount(const Statement& row) {
  return Account{AccountId(Text(row, 0)), Text(row, 1), TimeOf(row.Int(2))};
}

constexpr const char* kKeyById =
    "SELECT id, label, hint, account, minted, created, last_used, revoked FROM keys WHERE id = ?1";
constexpr const char* kKeyByHash =
    "SELECT id, label, hint, account, minted, created, last_used, revoked FROM keys WHERE hash = ?1";
constexpr const char* kKeysOfPeople =
    "SELECT id, label, hint, account, minted, created, last_used, revoked FROM keys WHERE minted = 0 "
    "ORDER BY created DESC, rowid DESC";
constexpr const char* kAllKeys =
    "SELECT id, label, hint, account, minted, created, last_used, revoked FROM keys ORDER BY created DESC, rowid DESC";
Result<ApiKey> ReadKey(const Statement& row) {
  return ApiKey{.id = KeyId(Text(row, 0)),
                .label = Text(row, 1),
                .hint = Text(row, 2),
                .account = AccountId(Text(row, 3)),
                .minted = row.Int(4) != 0,
                .created = TimeOf(row.Int(5)),
                .last_used = MaybeTime(row.Int(6)),
                .revoked = MaybeTime(row.Int(7))};
}

constexpr const char* kDeckById =
    "SELECT id, account, name, game, side, format, identity, cards, notes, created, changed FROM decks WHERE id = ?1";
// Filters are texts: "" matches all games, and all sides.
constexpr const char* kDecks =
    "SELECT id, account, name, game, side, format, identity, cards, notes, created, changed FROM decks "
    "WHERE (?1 = '' OR game = ?1) AND (?2 = '' OR side = ?2) ORDER BY name COLLATE NOCASE, rowid";
constexpr const char* kDecksOfAccount =
    "SELECT id, account, name, game, side, format, identity, cards, notes, created, changed FROM decks "
    "WHERE account = ?3 AND (?1 = '' OR game = ?1) AND (?2 = '' OR side = ?2) ORDER BY name COLLATE NOCASE, rowid";

std::string WriteCards(const std::map<std::string, int>& cards) {
  json::Object object;
  for (const auto& [code, count] : cards) object[code] = count;
  return json::Write(object);
}

Error DamagedCards(const DeckId& deck) {
  return {ErrorCode::kIo, "the registry's cards of deck " + deck.str() + " are damaged", {}};
}

Result<StoredDeck> ReadDeck(const Statement& row) {
  StoredDeck deck{.id = DeckId(Text(row, 0)),
                  .account = AccountId(Text(row, 1)),
                  .list = {.name = Text(row, 2),
                           .game = Text(row, 3),
                           .side = Text(row, 4),
                           .format = Text(row, 5),
                           .identity = Text(row, 6),
                           .cards = {},
                           .notes = Text(row, 8)},
                  .created = TimeOf(row.Int(9)),
                  .changed = TimeOf(row.Int(10))};
  const Result<json::Value> cards = json::Parse(row.Bytes(7));
  if (!cards || !cards->is_object()) return Fail(DamagedCards(deck.id));
  for (const auto& [code, count] : cards->get_object()) {
    if (!count.is_int64()) return Fail(DamagedCards(deck.id));
    deck.list.cards.emplace(json::View(code), static_cast<int>(count.get_int64()));
  }
  return deck;
}

constexpr const char* kWebhookById = "SELECT id, url, key, created FROM webhooks WHERE id = ?1";
Result<WebhookTarget> ReadWebhook(const Statement& row) {
  return WebhookTarget{WebhookId(Text(row, 0)), Text(row, 1), Text(row, 2), TimeOf(row.Int(3))};
}

constexpr const char* kOutboxById = "SELECT sequence, memory FROM webhooks WHERE id = ?1";
Result<WebhookOutbox> ReadMemory(const Statement& row) {
  return WebhookOutbox{static_cast<std::uint64_t>(row.Int(0)), Text(row, 1), {}};
}
Result<StoredDelivery> ReadDelivery(const Statement& row) {
  return StoredDelivery{static_cast<std::uint64_t>(row.Int(0)), Text(row, 1), Text(row, 2), Text(row, 3),
                        TimeOf(row.Int(4))};
}

constexpr const char* kGames =
    "SELECT v.game, v.version, g.version IS v.version, v.saved FROM game_versions v LEFT JOIN games g ON g.id = v.game "
    "ORDER BY v.game, v.version";
constexpr const char* kOfferedGame =
    "SELECT g.id, g.version, 1, v.saved FROM games g JOIN game_versions v ON v.game = g.id AND v.version = g.version "
    "WHERE g.id = ?1";
Result<StoredGame> ReadStoredGame(const Statement& row) {
  return StoredGame{.id = Text(row, 0),
                    .version = static_cast<int>(row.Int(1)),
                    .offered = row.Int(2) != 0,
                    .saved = TimeOf(row.Int(3))};
}

constexpr const char* kGameFiles = "SELECT files FROM game_versions WHERE game = ?1 AND version = CAST(?2 AS INTEGER)";
Result<std::vector<StoredFile>> ReadFiles(const Statement& row) {
  const Result<json::Value> list = json::Parse(row.Bytes(0));
  std::vector<StoredFile> files;
  if (list && list->is_array()) {
    for (const json::Value& each : list->get_array()) {
      files.push_back({std::string(json::TextOf(each, "name")), std::string(json::TextOf(each, "text"))});
    }
  }
  if (files.empty()) return Fail(ErrorCode::kIo, "the registry's files of a game are damaged");
  return files;
}

constexpr const char* kShared = "SELECT text FROM shared WHERE name = ?1";
Result<std::string> ReadText(const Statement& row) {
  return Text(row, 0);
}

std::string NoAccount(const std::string& id) {
  return "there is no account " + Quote(id);
}
std::string NoKey(const KeyId& id) {
  return "there is no API key " + Quote(id.str());
}
std::string NoDeck(const DeckId& id) {
  return "there is no deck " + Quote(id.str());
}
std::string NoGame(const std::string& id) {
  return "no game " + Quote(id) + " was uploaded";
}
std::string NoWebhook(const WebhookId& id) {
  return "there is no webhook target " + Quote(id.str());
}

}  // namespace

bool IsUseDue(const ApiKey& key, Time now) {
  return !key.last_used || now - *key.last_used >= Duration(kLastUsedStepMicros);
}

Result<RegistryDatabase> RegistryDatabase::Open(const std::string& path, const Clock& clock) {
  if (Result<void> whole = CheckRegistryMark(path); !whole) return Fail(whole.error());
  Result<Database> database = OpenForWriting(RegistryFormat(), path);
  if (!database) return Fail(database.error());
  RegistryDatabase registry(std::move(*database), true, clock, NewRegistryId);
  if (Result<void> set = registry.DeleteForGood(); !set) return OpenFailure(RegistryFormat(), path, set.error());
  registry.UseMark(path);
  return registry;
}

Result<RegistryDatabase> RegistryDatabase::OpenToRead(const std::string& path, const Clock& clock) {
  if (Result<void> whole = CheckRegistryMark(path); !whole) return Fail(whole.error());
  Result<Database> database = OpenRegistryForReading(path);
  if (!database) return Fail(database.error());
  return RegistryDatabase(std::move(*database), false, clock, NewRegistryId);
}

Result<RegistryDatabase> RegistryDatabase::InMemory(std::string_view image, const Clock& clock, NewId new_id) {
  Result<Database> database = OpenInMemory(RegistryFormat(), image);
  if (!database) return Fail(database.error());
  RegistryDatabase registry(std::move(*database), false, clock, std::move(new_id));
  if (Result<void> set = registry.DeleteForGood(); !set) return Fail(registry.FileError(set.error()));
  return registry;
}

Result<void> RegistryDatabase::DeleteForGood() {
  return database_.Execute("PRAGMA secure_delete = ON");
}

void RegistryDatabase::UseMark(const std::string& path) {
  Result<MarkFile> mark = OpenRegistryMark(path);
  if (!mark) {
    log::Warn("registry: {}, so lost changes cannot be detected", mark.error().message);
    return;
  }
  mark_ = std::make_unique<MarkFile>(std::move(*mark));
  const Result<std::optional<Mark>> claim = ReadRegistryMark(path);
  if (claim && *claim && (*claim)->last != 0) return;
  // It claims nothing yet, and may claim only what is synced: a change of its own is, with everything before it.
  Result<void> counted = Begin();
  if (counted) counted = CommitCounted(true);
  if (counted) return;
  Rollback();
  log::Warn("registry: cannot write its mark yet: {}", counted.error().message);
}

Result<void> RegistryDatabase::CommitCounted(bool changed) {
  Mark mark;
  if (mark_ && changed) {
    if (Result<void> counted = database_.Execute(kCountChange); !counted) return counted;
    const Result<std::uint64_t> changes = RegistryChanges(database_);
    if (!changes) return Fail(changes.error());
    mark = {*changes, clock_->Now()};
  }
  Result<void> done = database_.Execute("COMMIT");
  if (!done) return done;
  begun_ = false;
  // What another process committed may not be synced before a change of this one is.
  if (mark.last != 0) mark_->Write(mark);
  return {};
}

Result<void> RegistryDatabase::CheckBegun() const {
  if (database_.in_transaction()) return {};
  return Fail(FileError({ErrorCode::kIo, "an earlier change of the same commit failed", {}}));
}

Error RegistryDatabase::FileError(const Error& error) const {
  return {ErrorCode::kIo, (in_file_ ? "the registry's file: " : "the registry: ") + error.message, {}};
}

Result<std::string> RegistryDatabase::Image() {
  Result<std::string> image = database_.Image();
  if (!image) return Fail(FileError(image.error()));
  return image;
}

Result<Statement*> RegistryDatabase::Prepared(const char* sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    Result<Statement> statement = database_.Prepare(sql);
    if (!statement) return Fail(FileError(statement.error()));
    found = statements_.emplace(sql, std::move(*statement)).first;
  }
  return &found->second;
}

template <typename Body>
auto RegistryDatabase::Whole(Body body) -> decltype(body()) {
  if (!begun_) {
    if (const Result<void> begun = Begin(); !begun) return Fail(begun.error());
    auto result = body();
    if (!result) {
      Rollback();
    } else if (const Result<void> kept = Commit(); !kept) {
      result = Fail(kept.error());
    }
    return result;
  }
  // Outside of the transaction that has ended, this would be kept, though its caller is told that it was not.
  if (const Result<void> begun = CheckBegun(); !begun) return Fail(begun.error());
  if (const Result<void> begun = database_.Execute("SAVEPOINT whole"); !begun) return Fail(FileError(begun.error()));
  auto result = body();
  if (result) {
    const Result<void> kept = database_.Execute("RELEASE whole");
    if (kept) return result;
    result = Fail(FileError(kept.error()));
  }
  // Some failures have already ended the whole transaction. If a half cannot be undone, all of it is.
  if (database_.in_transaction() && !database_.Execute("ROLLBACK TO whole; RELEASE whole")) {
    static_cast<void>(database_.Execute("ROLLBACK").has_value());
  }
  return result;
}

Result<void> RegistryDatabase::Run(const char* sql, std::initializer_list<std::string_view> texts,
                                   std::initializer_list<std::int64_t> numbers) {
  if (!begun_) return Whole([&] { return Run(sql, texts, numbers); });
  if (const Result<void> begun = CheckBegun(); !begun) return Fail(begun.error());
  const Result<Statement*> statement = Prepared(sql);
  if (!statement) return Fail(statement.error());
  int parameter = 0;
  for (const std::string_view text : texts) (*statement)->BindText(++parameter, text);
  for (const std::int64_t number : numbers) (*statement)->Bind(++parameter, number);
  if (Result<void> run = (*statement)->Run(); !run) return Fail(FileError(run.error()));
  return {};
}

template <typename T>
Result<std::vector<T>> RegistryDatabase::Rows(const char* sql, std::initializer_list<std::string_view> texts,
                                              Result<T> (*read)(const Statement&)) {
  const Result<Statement*> statement = Prepared(sql);
  if (!statement) return Fail(statement.error());
  const ScopedReset reset(**statement);
  int parameter = 0;
  for (const std::string_view text : texts) (*statement)->BindText(++parameter, text);
  std::vector<T> out;
  for (;;) {
    const Result<bool> row = (*statement)->Step();
    if (!row) return Fail(FileError(row.error()));
    if (!*row) return out;
    Result<T> value = read(**statement);
    if (!value) return Fail(value.error());
    out.push_back(std::move(*value));
  }
}

template <typename T>
Result<T> RegistryDatabase::Row(const char* sql, std::initializer_list<std::string_view> texts,
                                Result<T> (*read)(const Statement&), const std::string& missing) {
  Result<std::vector<T>> rows = Rows<T>(sql, texts, read);
  if (!rows) return Fail(rows.error());
  if (rows->empty()) return Fail(ErrorCode::kNotFound, missing);
  return std::move(rows->front());
}

Result<std::string> RegistryDatabase::FreshId(char letter, const char* sql) {
  for (;;) {
    std::string id = new_id_(letter);
    const Result<Statement*> statement = Prepared(sql);
    if (!statement) return Fail(statement.error());
    const ScopedReset reset(**statement);
    (*statement)->BindText(1, id);
    const Result<bool> taken = (*statement)->Step();
    if (!taken) return Fail(FileError(taken.error()));
    if (!*taken) return id;
  }
}

Result<void> RegistryDatabase::CheckOwner(const AccountId& account) {
  if (account.empty()) return {};
  const Result<Account> owner = Row<Account>(kAccountById, {account.str()}, ReadAccount, NoAccount(account.str()));
  if (owner) return {};
  Error error = owner.error();
  error.path = "account";
  return Fail(std::move(error));
}

Result<void> RegistryDatabase::Begin() {
  if (Result<void> begun = database_.Execute("BEGIN IMMEDIATE"); !begun) return Fail(FileError(begun.error()));
  begun_ = true;
  changed_before_ = database_.total_changes();
  return {};
}

Result<void> RegistryDatabase::Commit() {
  const Result<void> begun = CheckBegun();
  Result<void> done;
  if (begun) done = CommitCounted(database_.total_changes() != changed_before_);
  if (begun && done) return {};
  Rollback();
  return Fail(begun ? FileError(done.error()) : begun.error());
}

void RegistryDatabase::Rollback() {
  begun_ = false;
  if (database_.in_transaction()) static_cast<void>(database_.Execute("ROLLBACK").has_value());
}

// --- Accounts ---

Result<Account> RegistryDatabase::CreateAccount(const std::string& name) {
  if (Result<void> checked = CheckName("name", name); !checked) return Fail(checked.error());
  return Whole([&]() -> Result<Account> {
    const auto taken = Rows<Account>("SELECT id, name, created FROM accounts WHERE name = ?1", {name}, ReadAccount);
    if (!taken) return Fail(taken.error());
    if (!taken->empty()) {
      return Fail(ErrorCode::kConflict, "there is already an account " + Quote(taken->front().name), "name");
    }
    const Result<std::string> id = FreshId('a', kAccountById);
    if (!id) return Fail(id.error());
    Account account{AccountId(*id), name, TimeOf(Now())};
    const Result<void> run = Run("INSERT INTO accounts(id, name, created) VALUES(?1, ?2, ?3)", {*id, name},
                                 {account.created.time_since_epoch().count()});
    if (!run) return Fail(run.error());
    return account;
  });
}

Result<std::vector<Account>> RegistryDatabase::ListAccounts() {
  return Rows<Account>("SELECT id, name, created FROM accounts ORDER BY name", {}, ReadAccount);
}

Result<Account> RegistryDatabase::FindAccount(const std::string& id_or_name) {
  // An id takes precedence over a name that looks like one.
  return Row<Account>("SELECT id, name, created FROM accounts WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC",
                      {id_or_name}, ReadAccount, NoAccount(id_or_name));
}

Result<Account> RegistryDatabase::DeleteAccount(const AccountId& id) {
  return Whole([&]() -> Result<Account> {
    Result<Account> account = Row<Account>(kAccountById, {id.str()}, ReadAccount, NoAccount(id.str()));
    if (!account) return account;
    const Result<void> keys =
        Run("UPDATE keys SET revoked = ?2 WHERE account = ?1 AND revoked = 0", {id.str()}, {Now()});
    if (!keys) return Fail(keys.error());
    if (Result<void> decks = Run("DELETE FROM decks WHERE account = ?1", {id.str()}); !decks) {
      return Fail(decks.error());
    }
    if (Result<void> run = Run("DELETE FROM accounts WHERE id = ?1", {id.str()}); !run) return Fail(run.error());
    return account;
  });
}

// --- API keys ---

Result<CreatedKey> RegistryDatabase::CreateKey(const NewKey& wanted) {
  std::string secret = NewKeySecret();
  Result<ApiKey> key = AddKey(wanted, Sha256Hex(secret), secret.substr(0, kKeyHintLength));
  if (!key) return Fail(key.error());
  return CreatedKey{std::move(*key), std::move(secret)};
}

Result<ApiKey> RegistryDatabase::AddKey(const NewKey& wanted, std::string_view hash, const std::string& hint) {
  if (Result<void> checked = CheckLabel("label", wanted.label); !checked) return Fail(checked.error());
  return Whole([&]() -> Result<ApiKey> {
    if (Result<void> owner = CheckOwner(wanted.account); !owner) return Fail(owner.error());
    Result<std::string> id = FreshId('k', kKeyById);
    if (!id) return Fail(id.error());
    ApiKey key{.id = KeyId(std::move(*id)),
               .label = wanted.label,
               .hint = hint,
               .account = wanted.account,
               .minted = wanted.minted,
               .created = TimeOf(Now()),
               .last_used = std::nullopt,
               .revoked = std::nullopt};
    const Result<void> run =
        Run("INSERT INTO keys(id, hash, label, hint, account, minted, created, last_used, revoked) "
            "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0)",
            {key.id.str(), hash, key.label, key.hint, key.account.str()},
            {std::int64_t{wanted.minted}, key.created.time_since_epoch().count()});
    if (!run) return Fail(run.error());
    return key;
  });
}

Result<std::vector<ApiKey>> RegistryDatabase::ListKeys(bool with_minted) {
  return Rows<ApiKey>(with_minted ? kAllKeys : kKeysOfPeople, {}, ReadKey);
}

Result<ApiKey> RegistryDatabase::FindBySecret(std::string_view secret) {
  // Found by its hash, so the search time reveals nothing about the secret.
  Result<ApiKey> key = Row<ApiKey>(kKeyByHash, {Sha256Hex(secret)}, ReadKey, "unknown API key");
  if (key && key->revoked) {
    return Fail(ErrorCode::kDenied, "this API key was revoked at " + FormatIso8601(*key->revoked));
  }
  return key;
}

Result<void> RegistryDatabase::TouchKey(const KeyId& id) {
  return Run("UPDATE keys SET last_used = ?2 WHERE id = ?1 AND last_used < ?2", {id.str()}, {Now()});
}

Result<ApiKey> RegistryDatabase::RevokeKey(const KeyId& id) {
  return Whole([&]() -> Result<ApiKey> {
    if (Result<void> run = Run("UPDATE keys SET revoked = ?2 WHERE id = ?1 AND revoked = 0", {id.str()}, {Now()});
        !run) {
      return Fail(run.error());
    }
    return Row<ApiKey>(kKeyById, {id.str()}, ReadKey, NoKey(id));
  });
}

Result<ApiKey> RegistryDatabase::ForgetKey(const KeyId& id) {
  return Whole([&]() -> Result<ApiKey> {
    Result<ApiKey> key = Row<ApiKey>(kKeyById, {id.str()}, ReadKey, NoKey(id));
    if (!key) return key;
    if (Result<void> run = Run("DELETE FROM keys WHERE id = ?1", {id.str()}); !run) return Fail(run.error());
    return key;
  });
}

// --- Decks ---

Result<StoredDeck> RegistryDatabase::SaveDeck(StoredDeck deck, std::size_t most) {
  if (Result<void> checked = CheckDeckSize(deck.list, kMaxStoredCopies); !checked) return Fail(checked.error());
  return Whole([&]() -> Result<StoredDeck> {
    if (Result<void> owner = CheckOwner(deck.account); !owner) return Fail(owner.error());
    deck.changed = TimeOf(Now());
    if (deck.id.empty()) {
      const Result<std::size_t> decks = Row<std::size_t>("SELECT count(*) FROM decks WHERE account = ?1",
                                                         {deck.account.str()}, ReadCount, "no count");
      const Result<void> room = decks ? CheckDeckCount(*decks, most) : Fail(decks.error());
      if (!room) return Fail(room.error());
      Result<std::string> id = FreshId('d', kDeckById);
      if (!id) return Fail(id.error());
      deck.id = DeckId(std::move(*id));
      deck.created = deck.changed;
    } else {
      const Result<StoredDeck> before = Row<StoredDeck>(kDeckById, {deck.id.str()}, ReadDeck, NoDeck(deck.id));
      if (!before) return Fail(before.error());
      deck.created = before->created;
    }
    const DeckList& list = deck.list;
    const std::string cards = WriteCards(list.cards);
    const Result<void> run = Run(
        "INSERT INTO decks(id, account, name, game, side, format, identity, cards, notes, created, changed) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT(id) DO UPDATE SET account = ?2, name = ?3, "
        "game = ?4, side = ?5, format = ?6, identity = ?7, cards = ?8, notes = ?9, changed = ?11",
        {deck.id.str(), deck.account.str(), list.name, list.game, list.side, list.format, list.identity, cards,
         list.notes},
        {deck.created.time_since_epoch().count(), deck.changed.time_since_epoch().count()});
    if (!run) return Fail(run.error());
    return deck;
  });
}

Result<StoredDeck> RegistryDatabase::FindDeck(const DeckId& id) {
  return Row<StoredDeck>(kDeckById, {id.str()}, ReadDeck, NoDeck(id));
}

Result<std::vector<StoredDeck>> RegistryDatabase::ListDecks(const DeckFilter& filter) {
  if (!filter.account) return Rows<StoredDeck>(kDecks, {filter.game, filter.side}, ReadDeck);
  return Rows<StoredDeck>(kDecksOfAccount, {filter.game, filter.side, filter.account->str()}, ReadDeck);
}

Result<StoredDeck> RegistryDatabase::DeleteDeck(const DeckId& id) {
  return Whole([&]() -> Result<StoredDeck> {
    Result<StoredDeck> deck = FindDeck(id);
    if (!deck) return deck;
    if (Result<void> run = Run("DELETE FROM decks WHERE id = ?1", {id.str()}); !run) return Fail(run.error());
    return deck;
  });
}

// --- Webhook targets ---

Result<WebhookTarget> RegistryDatabase::SaveWebhook(WebhookTarget target) {
  if (Result<void> checked = CheckWebhookSize(target); !checked) return Fail(checked.error());
  return Whole([&]() -> Result<WebhookTarget> {
    if (target.id.empty()) {
      Result<std::string> id = FreshId('w', kWebhookById);
      if (!id) return Fail(id.error());
      target.id = WebhookId(std::move(*id));
      target.created = TimeOf(Now());
    } else {
      const Result<WebhookTarget> before = FindWebhook(target.id);
      if (!before) return Fail(before.error());
      target.created = before->created;
    }
    const Result<void> run =
        Run("INSERT INTO webhooks(id, url, key, created) VALUES(?1, ?2, ?3, ?4) "
            "ON CONFLICT(id) DO UPDATE SET url = ?2, key = ?3",
            {target.id.str(), target.url, target.key}, {target.created.time_since_epoch().count()});
    if (!run) return Fail(run.error());
    return target;
  });
}

Result<WebhookTarget> RegistryDatabase::FindWebhook(const WebhookId& id) {
  return Row<WebhookTarget>(kWebhookById, {id.str()}, ReadWebhook, NoWebhook(id));
}

Result<WebhookTarget> RegistryDatabase::ForgetWebhook(const WebhookId& id) {
  return Whole([&]() -> Result<WebhookTarget> {
    Result<WebhookTarget> target = FindWebhook(id);
    if (!target) return target;
    if (Result<void> run = Run("DELETE FROM deliveries WHERE webhook = ?1", {id.str()}); !run) return Fail(run.error());
    if (Result<void> run = Run("DELETE FROM webhooks WHERE id = ?1", {id.str()}); !run) return Fail(run.error());
    return target;
  });
}

Result<std::size_t> RegistryDatabase::KeepWebhooks(const std::vector<WebhookId>& kept) {
  json::Array ids;
  for (const WebhookId& id : kept) ids.emplace_back(id.str());
  const std::string list = json::Write(ids);
  return Whole([&]() -> Result<std::size_t> {
    for (const char* needless : {"DELETE FROM deliveries WHERE webhook NOT IN (SELECT value FROM json_each(?1))",
                                 "DELETE FROM webhooks WHERE id NOT IN (SELECT value FROM json_each(?1))"}) {
      if (Result<void> run = Run(needless, {list}); !run) return Fail(run.error());
    }
    return database_.changes();
  });
}

Result<WebhookOutbox> RegistryDatabase::ReadOutbox(const WebhookId& id) {
  Result<WebhookOutbox> outbox = Row<WebhookOutbox>(kOutboxById, {id.str()}, ReadMemory, NoWebhook(id));
  if (!outbox) return outbox;
  Result<std::vector<StoredDelivery>> waiting = Rows<StoredDelivery>(
      "SELECT sequence, id, event, body, made FROM deliveries WHERE webhook = ?1 ORDER BY sequence", {id.str()},
      ReadDelivery);
  if (!waiting) return Fail(waiting.error());
  outbox->waiting = std::move(*waiting);
  return outbox;
}

Result<WebhookId> RegistryDatabase::AddToOutbox(const WebhookId& id, const std::string& memory,
                                                const std::vector<StoredDelivery>& added) {
  return Whole([&]() -> Result<WebhookId> {
    const Result<WebhookOutbox> outbox = Row<WebhookOutbox>(kOutboxById, {id.str()}, ReadMemory, NoWebhook(id));
    if (!outbox) return Fail(outbox.error());
    std::uint64_t before = outbox->sequence;
    for (const StoredDelivery& delivery : added) {
      if (delivery.sequence <= before) {
        return Fail(ErrorCode::kConflict,
                    "the outbox of " + Quote(id.str()) + " already has event " + std::to_string(delivery.sequence));
      }
      before = delivery.sequence;
      const Result<void> run =
          Run("INSERT INTO deliveries(webhook, id, event, body, sequence, made) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
              {id.str(), delivery.id, delivery.event, delivery.body},
              {static_cast<std::int64_t>(delivery.sequence), delivery.made.time_since_epoch().count()});
      if (!run) return Fail(run.error());
    }
    const std::int64_t last = added.empty() ? 0 : static_cast<std::int64_t>(added.back().sequence);
    const Result<void> run =
        Run("UPDATE webhooks SET memory = ?2, sequence = max(sequence, ?3) WHERE id = ?1", {id.str(), memory}, {last});
    if (!run) return Fail(run.error());
    return id;
  });
}

Result<WebhookId> RegistryDatabase::TakeFromOutbox(const WebhookId& id, std::uint64_t sequence) {
  // Deliveries are numerous and not secret: not worth overwriting on a disk.
  if (in_file_) static_cast<void>(database_.Execute("PRAGMA secure_delete = OFF").has_value());
  const Result<void> run = Run("DELETE FROM deliveries WHERE webhook = ?1 AND sequence <= ?2", {id.str()},
                               {static_cast<std::int64_t>(sequence)});
  if (in_file_) static_cast<void>(DeleteForGood().has_value());
  if (!run) return Fail(run.error());
  return id;
}

// --- Uploaded games ---

Result<StoredGame> RegistryDatabase::SaveGame(const std::string& id, int version,
                                              const std::vector<StoredFile>& files) {
  if (Result<void> checked = CheckGameSize(id, files); !checked) return Fail(checked.error());
  json::Array list;
  for (const StoredFile& file : files) list.push_back(json::Object{{"name", file.name}, {"text", file.text}});
  return Whole([&]() -> Result<StoredGame> {
    const Result<void> kept =
        Run("INSERT INTO game_versions(game, files, version, saved) VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            {id, json::Write(list)}, {version, Now()});
    if (!kept) return Fail(kept.error());
    const Result<std::vector<StoredGame>> all = ListGames();
    if (!all) return Fail(all.error());
    if (all->size() > kMaxGameVersions) {
      return Fail(ErrorCode::kTooLarge, "the server keeps at most " + std::to_string(kMaxGameVersions) +
                                            " versions of uploaded games; delete a game");
    }
    const Result<void> offered = Run(
        "INSERT INTO games(id, version) VALUES(?1, ?2) ON CONFLICT(id) DO UPDATE SET version = ?2", {id}, {version});
    if (!offered) return Fail(offered.error());
    return Row<StoredGame>(kOfferedGame, {id}, ReadStoredGame, NoGame(id));
  });
}

Result<std::vector<StoredGame>> RegistryDatabase::ListGames() {
  return Rows<StoredGame>(kGames, {}, ReadStoredGame);
}

Result<std::vector<StoredFile>> RegistryDatabase::ReadGame(const std::string& id, int version) {
  const std::string number = std::to_string(version);
  return Row<std::vector<StoredFile>>(kGameFiles, {id, number}, ReadFiles,
                                      "there is no version " + number + " of the uploaded game " + Quote(id));
}

Result<StoredGame> RegistryDatabase::WithdrawGame(const std::string& id) {
  return Whole([&]() -> Result<StoredGame> {
    Result<StoredGame> game = Row<StoredGame>(kOfferedGame, {id}, ReadStoredGame, NoGame(id));
    if (!game) return game;
    if (Result<void> run = Run("DELETE FROM games WHERE id = ?1", {id}); !run) return Fail(run.error());
    game->offered = false;
    return game;
  });
}

Result<std::size_t> RegistryDatabase::KeepGameVersions(const std::string& id, const std::vector<int>& kept) {
  json::Array list;
  for (const int version : kept) list.emplace_back(version);
  return Whole([&]() -> Result<std::size_t> {
    const Result<void> run =
        Run("DELETE FROM game_versions WHERE game = ?1 AND version NOT IN (SELECT value FROM json_each(?2)) "
            "AND version NOT IN (SELECT version FROM games WHERE id = ?1)",
            {id, json::Write(list)});
    if (!run) return Fail(run.error());
    return database_.changes();
  });
}

// --- Shared texts ---

Result<std::string> RegistryDatabase::FindShared(const std::string& name) {
  const Result<std::vector<std::string>> found = Rows<std::string>(kShared, {name}, ReadText);
  if (!found) return Fail(found.error());
  return found->empty() ? std::string() : found->front();
}

Result<std::string> RegistryDatabase::ReplaceShared(const std::string& name, const std::string& before,
                                                    const std::string& text) {
  if (Result<void> checked = CheckLabel("text", text); !checked) return Fail(checked.error());
  return Whole([&]() -> Result<std::string> {
    Result<std::string> found = FindShared(name);
    if (!found || *found != before) return found;
    const Result<void> run =
        Run("INSERT INTO shared(name, text) VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET text = ?2", {name, text});
    if (!run) return Fail(run.error());
    return text;
  });
}

}  // namespace openseat::store
