#include "store/registry_commands.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/text.h"

namespace openseat::store {
namespace {

using Outcome = Result<RegistryOutcome>;

json::Object Begin(std::string_view name, Time at) {
  return {{"do", name}, {"at", at.time_since_epoch().count()}};
}

std::string OfOne(std::string_view name, Time at, std::string_view id) {
  json::Object command = Begin(name, at);
  command["id"] = id;
  return json::Write(command);
}

// Reads a command's members. One that is missing, or has another type, is remembered.
class Members {
 public:
  explicit Members(const json::Value& command) : command_(command) {}

  std::string Text(std::string_view name) {
    const json::Value* found = Get(name);
    if (found == nullptr || !found->is_string()) return Miss<std::string>(name);
    return std::string(json::View(found->get_string()));
  }
  std::int64_t Int(std::string_view name) {
    const json::Value* found = Get(name);
    if (found == nullptr || !found->is_int64()) return Miss<std::int64_t>(name);
    return found->get_int64();
  }
  int Small(std::string_view name) {
    const std::int64_t found = Int(name);
    return std::in_range<int>(found) ? static_cast<int>(found) : Miss<int>(name);
  }
  bool Bool(std::string_view name) {
    const json::Value* found = Get(name);
    if (found == nullptr || !found->is_bool()) return Miss<bool>(name);
    return found->get_bool();
  }
  const json::Array& List(std::string_view name) {
    static const json::Array kNothing;
    const json::Value* found = Get(name);
    if (found == nullptr || !found->is_array()) {
      Miss<int>(name);
      return kNothing;
    }
    return found->get_array();
  }
  const json::Object& Map(std::string_view name) {
    static const json::Object kNothing;
    const json::Value* found = Get(name);
    if (found == nullptr || !found->is_object()) {
      Miss<int>(name);
      return kNothing;
    }
    return found->get_object();
  }
  template <typename T>
  T Miss(std::string_view name) {
    if (missing_.empty()) missing_ = name;
    return {};
  }
  const std::string& missing() const { return missing_; }

 private:
  const json::Value* Get(std::string_view name) const { return json::Find(command_, name); }

  const json::Value& command_;
  std::string missing_;
};

template <typename T>
Outcome Wrap(Result<T> result) {
  if (!result) return Fail(std::move(result.error()));
  return RegistryOutcome(std::move(*result));
}

// All of a deck but its id and times.
StoredDeck DeckOf(Members& members) {
  StoredDeck deck{.id = {},
                  .account = AccountId(members.Text("account")),
                  .list = {.name = members.Text("name"),
                           .game = members.Text("game"),
                           .side = members.Text("side"),
                           .format = members.Text("format"),
                           .identity = members.Text("identity"),
                           .cards = {},
                           .notes = members.Text("notes")},
                  .created = {},
                  .changed = {}};
  for (const auto& card : members.Map("cards")) {
    // As int64: what does not fit is refused, and must not become something else.
    const bool fits = card.value().is_int64() && std::in_range<int>(card.value().get_int64());
    const int count = fits ? static_cast<int>(card.value().get_int64()) : members.Miss<int>("cards");
    deck.list.cards.emplace(json::KeyOf(card), count);
  }
  return deck;
}

// Each reads its members, and applies the command unless one is missing.

Outcome CreateAccount(RegistryDatabase& database, Members& members) {
  const std::string name = members.Text("name");
  if (!members.missing().empty()) return {};
  return Wrap(database.CreateAccount(name));
}

Outcome DeleteAccount(RegistryDatabase& database, Members& members) {
  const AccountId id(members.Text("id"));
  if (!members.missing().empty()) return {};
  return Wrap(database.DeleteAccount(id));
}

Outcome CreateKey(RegistryDatabase& database, Members& members) {
  const NewKey wanted{
      .label = members.Text("label"), .account = AccountId(members.Text("account")), .minted = members.Bool("minted")};
  const std::string hash = members.Text("hash");
  const std::string hint = members.Text("hint");
  if (!members.missing().empty()) return {};
  return Wrap(database.AddKey(wanted, hash, hint));
}

Outcome TouchKey(RegistryDatabase& database, Members& members) {
  const KeyId id(members.Text("id"));
  if (!members.missing().empty()) return {};
  if (Result<void> touched = database.TouchKey(id); !touched) return Fail(touched.error());
  return RegistryOutcome();
}

Outcome RevokeKey(RegistryDatabase& database, Members& members) {
  const KeyId id(members.Text("id"));
  if (!members.missing().empty()) return {};
  return Wrap(database.RevokeKey(id));
}

Outcome ForgetKey(RegistryDatabase& database, Members& members) {
  const KeyId id(members.Text("id"));
  if (!members.missing().empty()) return {};
  return Wrap(database.ForgetKey(id));
}

Outcome SaveDeck(RegistryDatabase& database, Members& members) {
  StoredDeck deck = DeckOf(members);
  deck.id = DeckId(members.Text("id"));
  if (!members.missing().empty()) return {};
  return Wrap(database.SaveDeck(std::move(deck)));
}

Outcome SaveNewDeck(RegistryDatabase& database, Members& members) {
  StoredDeck deck = DeckOf(members);
  const std::int64_t most = members.Int("most");
  if (most < 1) members.Miss<int>("most");
  if (!members.missing().empty()) return {};
  return Wrap(database.SaveDeck(std::move(deck), static_cast<std::size_t>(most)));
}

Outcome DeleteDeck(RegistryDatabase& database, Members& members) {
  const DeckId id(members.Text("id"));
  if (!members.missing().empty()) return {};
  return Wrap(database.DeleteDeck(id));
}

Outcome SaveWebhook(RegistryDatabase& database, Members& members) {
  WebhookTarget target{
      .id = WebhookId(members.Text("id")), .url = members.Text("url"), .key = members.Text("key"), .created = {}};
  if (!members.missing().empty()) return {};
  return Wrap(database.SaveWebhook(std::move(target)));
}

Outcome ForgetWebhook(RegistryDatabase& database, Members& members) {
  const WebhookId id(members.Text("id"));
  if (!members.missing().empty()) return {};
  return Wrap(database.ForgetWebhook(id));
}

Outcome AddToOutbox(RegistryDatabase& database, Members& members) {
  const WebhookId id(members.Text("id"));
  const std::string memory = members.Text("memory");
  std::vector<StoredDelivery> added;
  for (const json::Value& each : members.List("added")) {
    Members delivery(each);
    added.push_back({.sequence = static_cast<std::uint64_t>(std::max<std::int64_t>(delivery.Int("sequence"), 0)),
                     .id = delivery.Text("id"),
                     .event = delivery.Text("event"),
                     .body = delivery.Text("body"),
                     .made = Time(Duration(delivery.Int("made")))});
    if (!delivery.missing().empty()) members.Miss<int>("added");
  }
  if (!members.missing().empty()) return {};
  return Wrap(database.AddToOutbox(id, memory, added));
}

Outcome TakeFromOutbox(RegistryDatabase& database, Members& members) {
  const WebhookId id(members.Text("id"));
  const std::int64_t sequence = members.Int("sequence");
  if (!members.missing().empty()) return {};
  return Wrap(database.TakeFromOutbox(id, static_cast<std::uint64_t>(sequence)));
}

Outcome SaveGame(RegistryDatabase& database, Members& members) {
  const std::string id = members.Text("id");
  const int version = members.Small("version");
  std::vector<StoredFile> files;
  for (const json::Value& each : members.List("files")) {
    Members file(each);
    files.push_back({file.Text("name"), file.Text("text")});
    if (!file.missing().empty()) members.Miss<int>("files");
  }
  if (!members.missing().empty()) return {};
  return Wrap(database.SaveGame(id, version, files));
}

Outcome WithdrawGame(RegistryDatabase& database, Members& members) {
  const std::string id = members.Text("id");
  if (!members.missing().empty()) return {};
  return Wrap(database.WithdrawGame(id));
}

Outcome KeepGameVersions(RegistryDatabase& database, Members& members) {
  const std::string id = members.Text("id");
  std::vector<int> kept;
  for (const json::Value& version : members.List("kept")) {
    const bool fits = version.is_int64() && std::in_range<int>(version.get_int64());
    kept.push_back(fits ? static_cast<int>(version.get_int64()) : members.Miss<int>("kept"));
  }
  if (!members.missing().empty()) return {};
  return Wrap(database.KeepGameVersions(id, kept));
}

Outcome ReplaceShared(RegistryDatabase& database, Members& members) {
  const std::string name = members.Text("name");
  const std::string before = members.Text("before");
  const std::string text = members.Text("text");
  if (!members.missing().empty()) return {};
  return Wrap(database.ReplaceShared(name, before, text));
}

struct CommandKind {
  std::string_view name;
  Outcome (*apply)(RegistryDatabase& database, Members& members);
  bool watched = false;
};

constexpr std::array<CommandKind, 17> kCommandKinds{{{"create-account", CreateAccount},
                                                     {"delete-account", DeleteAccount},
                                                     {"create-key", CreateKey},
                                                     {"touch-key", TouchKey},
                                                     {"revoke-key", RevokeKey},
                                                     {"forget-key", ForgetKey},
                                                     {"save-deck", SaveDeck},
                                                     {"save-new-deck", SaveNewDeck},
                                                     {"delete-deck", DeleteDeck},
                                                     {"save-webhook", SaveWebhook},
                                                     {"forget-webhook", ForgetWebhook},
                                                     {"add-to-outbox", AddToOutbox},
                                                     {"take-from-outbox", TakeFromOutbox},
                                                     {"save-game", SaveGame, true},
                                                     {"withdraw-game", WithdrawGame, true},
                                                     {"keep-game-versions", KeepGameVersions, true},
                                                     {"replace-shared", ReplaceShared, true}}};

}  // namespace

std::string CreateAccountCommand(Time at, std::string_view name) {
  json::Object command = Begin("create-account", at);
  command["name"] = name;
  return json::Write(command);
}

std::string DeleteAccountCommand(Time at, const AccountId& id) {
  return OfOne("delete-account", at, id.str());
}

std::string CreateKeyCommand(Time at, const NewKey& wanted, std::string_view secret) {
  json::Object command = Begin("create-key", at);
  command["label"] = wanted.label;
  command["account"] = wanted.account.str();
  command["minted"] = wanted.minted;
  command["hash"] = Sha256Hex(secret);
  command["hint"] = secret.substr(0, kKeyHintLength);
  return json::Write(command);
}

std::string TouchKeyCommand(Time at, const KeyId& id) {
  return OfOne("touch-key", at, id.str());
}

std::string RevokeKeyCommand(Time at, const KeyId& id) {
  return OfOne("revoke-key", at, id.str());
}

std::string ForgetKeyCommand(Time at, const KeyId& id) {
  return OfOne("forget-key", at, id.str());
}

std::string SaveDeckCommand(Time at, const StoredDeck& deck, std::size_t most) {
  // Only a new deck has a limit.
  const bool limited = most != 0 && deck.id.empty();
  json::Object command = Begin(limited ? "save-new-deck" : "save-deck", at);
  if (limited) {
    command["most"] = most;
  } else {
    command["id"] = deck.id.str();
  }
  command["account"] = deck.account.str();
  command["name"] = deck.list.name;
  command["game"] = deck.list.game;
  command["side"] = deck.list.side;
  command["format"] = deck.list.format;
  command["identity"] = deck.list.identity;
  json::Object& cards = command["cards"].emplace_object();
  for (const auto& [code, count] : deck.list.cards) cards[code] = count;
  command["notes"] = deck.list.notes;
  return json::Write(command);
}

std::string DeleteDeckCommand(Time at, const DeckId& id) {
  return OfOne("delete-deck", at, id.str());
}

std::string SaveWebhookCommand(Time at, const WebhookTarget& target) {
  json::Object command = Begin("save-webhook", at);
  command["id"] = target.id.str();
  command["url"] = target.url;
  command["key"] = target.key;
  return json::Write(command);
}

std::string ForgetWebhookCommand(Time at, const WebhookId& id) {
  return OfOne("forget-webhook", at, id.str());
}

std::string AddToOutboxCommand(Time at, const WebhookId& id, std::string_view memory,
                               const std::vector<StoredDelivery>& added) {
  json::Object command = Begin("add-to-outbox", at);
  command["id"] = id.str();
  command["memory"] = memory;
  json::Array& list = command["added"].emplace_array();
  for (const StoredDelivery& delivery : added) {
    list.push_back(json::Object{{"sequence", static_cast<std::int64_t>(delivery.sequence)},
                                {"id", delivery.id},
                                {"event", delivery.event},
                                {"body", delivery.body},
                                {"made", delivery.made.time_since_epoch().count()}});
  }
  return json::Write(command);
}

std::string TakeFromOutboxCommand(Time at, const WebhookId& id, std::uint64_t sequence) {
  json::Object command = Begin("take-from-outbox", at);
  command["id"] = id.str();
  command["sequence"] = static_cast<std::int64_t>(sequence);
  return json::Write(command);
}

std::string SaveGameCommand(Time at, std::string_view id, int version, const std::vector<StoredFile>& files) {
  json::Object command = Begin("save-game", at);
  command["id"] = id;
  command["version"] = version;
  json::Array& list = command["files"].emplace_array();
  for (const StoredFile& file : files) list.push_back(json::Object{{"name", file.name}, {"text", file.text}});
  return json::Write(command);
}

std::string WithdrawGameCommand(Time at, std::string_view id) {
  return OfOne("withdraw-game", at, id);
}

std::string KeepGameVersionsCommand(Time at, std::string_view id, const std::vector<int>& kept) {
  json::Object command = Begin("keep-game-versions", at);
  command["id"] = id;
  json::Array& list = command["kept"].emplace_array();
  for (const int version : kept) list.emplace_back(version);
  return json::Write(command);
}

std::string ReplaceSharedCommand(Time at, std::string_view name, std::string_view before, std::string_view text) {
  json::Object command = Begin("replace-shared", at);
  command["name"] = name;
  command["before"] = before;
  command["text"] = text;
  return json::Write(command);
}

Result<Time> TimeOfCommand(const json::Value& command) {
  Members members(command);
  const std::int64_t at = members.Int("at");
  if (members.missing().empty()) return Time(Duration(at));
  return Fail(ErrorCode::kParse, "a command of the registry has no time");
}

Result<Result<RegistryOutcome>> ApplyCommand(RegistryDatabase& database, const json::Value& command) {
  const std::string_view name = json::TextOf(command, "do");
  const auto* const kind = std::ranges::find(kCommandKinds, name, &CommandKind::name);
  if (kind == kCommandKinds.end()) {
    return Fail(ErrorCode::kUnsupported, "this program does not know the registry's command \"" +
                                             Ellipsize(EscapeControls(name), 100) + "\"; a newer one wrote it");
  }
  Members members(command);
  Outcome outcome = kind->apply(database, members);
  if (!members.missing().empty()) {
    return Fail(ErrorCode::kParse,
                "the registry's command " + Quote(name) + " has no proper \"" + members.missing() + "\"");
  }
  if (!outcome && outcome.error().code == ErrorCode::kIo) return Fail(outcome.error());
  return outcome;
}

bool IsWatched(const json::Value& command) {
  const auto* const kind = std::ranges::find(kCommandKinds, json::TextOf(command, "do"), &CommandKind::name);
  return kind != kCommandKinds.end() && kind->watched;
}

}  // namespace openseat::store
