#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/audit_log.h"
#include "app/commands.h"
#include "app/config.h"
#include "app/data_dir.h"
#include "base/text.h"
#include "protocols/registry_api/registry_json.h"
#include "store/registry_database.h"
#include "store/registry_format.h"

namespace openseat::app {
namespace {

struct KeyFlags {
  std::string data_dir;
  std::string label;
  std::string account;
  std::string id;
  bool creates = false;  // the command may make the default data directory
  bool reads = false;    // it changes nothing
  bool minted = false;
  bool json = false;
};

const SystemClock kClock;

std::string DirOf(const KeyFlags& flags) {
  return flags.data_dir.empty() ? DefaultDataDir() : flags.data_dir;
}

// The key is made or revoked, even if the audit log cannot be written.
void Record(const KeyFlags& flags, const std::string& what) {
  const Result<void> written = AuditCommand(DirOf(flags), "openseat key " + what);
  if (!written) PrintError(written.error().message);
}

Result<store::RegistryDatabase> OpenRegistry(const KeyFlags& flags) {
  const std::string dir = DirOf(flags);
  // A name with a typo would get a directory with keys that open nothing.
  if (std::error_code error; !std::filesystem::exists(dir, error) && (!flags.data_dir.empty() || !flags.creates)) {
    return Fail(ErrorCode::kNotFound, "there is no data directory " + dir + "; `openseat serve" +
                                          (flags.data_dir.empty() ? "" : " --data-dir " + dir) + "` makes it");
  }
  const std::string path = dir + "/" + store::kRegistryFileName;
  if (flags.reads) return store::RegistryDatabase::OpenToRead(path, kClock);
  if (Result<void> made = OpenDataDir(dir); !made) return Fail(made.error());
  return store::RegistryDatabase::Open(path, kClock);
}

std::string State(const ApiKey& key) {
  if (key.revoked) return "revoked " + FormatIso8601(*key.revoked);
  if (key.last_used) return "used " + FormatIso8601(*key.last_used);
  return "never used";
}

Result<void> Create(const KeyFlags& flags, store::RegistryDatabase& registry) {
  NewKey wanted;
  wanted.label = flags.label;
  if (!flags.account.empty()) {
    const Result<Account> account = registry.FindAccount(flags.account);
    if (!account) return Fail(account.error());
    wanted.account = account->id;
  }
  const Result<CreatedKey> made = registry.CreateKey(wanted);
  if (!made) return Fail(made.error());
  Record(flags, "create " + made->key.id.str());
  if (flags.json) {
    std::puts(json::Write(json::Object{{"key", registry_api::KeyJson(made->key)}, {"secret", made->secret}}).c_str());
  } else {
    std::printf("%s\n", made->secret.c_str());
    std::fprintf(stderr, "This is key %s, in %s. It is not shown again; `openseat key revoke %s` ends it.\n",
                 made->key.id.str().c_str(), DirOf(flags).c_str(), made->key.id.str().c_str());
  }
  return {};
}

Result<void> List(const KeyFlags& flags, store::RegistryDatabase& registry) {
  const Result<std::vector<ApiKey>> keys = registry.ListKeys(flags.minted);
  if (!keys) return Fail(keys.error());
  if (keys->empty() && !flags.json) std::puts("there is no API key yet; `openseat key create` makes one");
  for (const ApiKey& key : *keys) {
    if (flags.json) {
      std::puts(json::Write(registry_api::KeyJson(key)).c_str());
    } else {
      std::printf("%s  %s…  %s  %-32s %s\n", key.id.str().c_str(), key.hint.c_str(), FormatIso8601(key.created).c_str(),
                  State(key).c_str(), Printable(key.label).c_str());
    }
  }
  return {};
}

Result<void> Revoke(const KeyFlags& flags, store::RegistryDatabase& registry) {
  const Result<ApiKey> key = registry.RevokeKey(KeyId(flags.id));
  if (!key) return Fail(key.error());
  Record(flags, "revoke " + key->id.str());
  if (flags.json) {
    std::puts(json::Write(registry_api::KeyJson(*key)).c_str());
  } else {
    std::printf("%s is %s\n", key->id.str().c_str(), State(*key).c_str());
  }
  return {};
}

using KeyAction = Result<void> (*)(const KeyFlags&, store::RegistryDatabase&);

int Run(const KeyFlags& flags, KeyAction action) {
  Result<store::RegistryDatabase> registry = OpenRegistry(flags);
  const Result<void> done = registry ? action(flags, *registry) : Result<void>(Fail(registry.error()));
  if (done) return kDone;
  PrintError(done.error().message);
  const ErrorCode code = done.error().code;
  return code == ErrorCode::kNotFound || code == ErrorCode::kInvalid ? kUsage : kFailed;
}

}  // namespace

void AddKey(cli::Command program) {
  auto flags = std::make_shared<KeyFlags>();
  cli::Command key = program.AddCommand("key", "Makes, lists and revokes API keys, even while the server runs");
  const auto add = [&](const char* name, const char* description, KeyAction action) {
    cli::Command command = key.AddCommand(name, description);
    command.AddOption("--data-dir", &flags->data_dir, "The server's data directory",
                      {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
    command.AddOption("--json", &flags->json, "One JSON object a line, for programs");
    command.SetRun([flags, action] {
      flags->creates = action == Create;
      flags->reads = action == List;
      return Run(*flags, action);
    });
    return command;
  };
  cli::Command create = add("create", "Makes a key and prints its secret, once", Create);
  create.AddOption("--label", &flags->label, "What it is for", {.type = "TEXT"});
  create.AddOption("--account", &flags->account, "Whose it is: an account's name or id", {.type = "ACCOUNT"});
  cli::Command list = add("list", "Lists keys, newest first, without their secrets", List);
  list.AddOption("--minted", &flags->minted, "Include keys that were made for one seat of one match");
  cli::Command revoke = add("revoke", "Revokes a key: it is refused from the next call on", Revoke);
  revoke.AddOption("id", &flags->id, "The key's id (k-…), not its secret", {.type = "ID", .required = true});
  key.SetFooter(
      "Examples:\n"
      "  openseat key create --label \"my bot\"\n"
      "  openseat key list\n"
      "  openseat key revoke k-k3fq2ab7cd");
}

}  // namespace openseat::app
