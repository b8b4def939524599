// The registry on disk, in numbers and names. See docs/formats/registry.md; if you change this file, change the page,
// and kRegistryVersion.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace openseat::store {

inline constexpr const char* kRegistryFileName = "registry.db";  // in the data directory
// What was acknowledged, next to it: not "registry.db…", so that deleting all of those is noticed.
inline constexpr const char* kRegistryMarkFileName = "registry.mark";
inline constexpr std::string_view kRegistryMarkHeader = "openseat-registry-mark-1";

// "OReg" in the file's header (PRAGMA application_id).
inline constexpr std::int64_t kRegistryApplicationId = 0x4F526567;
// PRAGMA user_version: the version of the tables below.
inline constexpr std::int64_t kRegistryVersion = 3;

// Times are microseconds since 1970, UTC; 0 means never. An empty account means no owner.
inline constexpr const char* kRegistrySchema = R"(
  CREATE TABLE accounts(
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    created INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE keys(
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    hint TEXT NOT NULL,
    account TEXT NOT NULL,
    minted INTEGER NOT NULL,
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL,
    revoked INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE decks(
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    game TEXT NOT NULL,
    side TEXT NOT NULL,
    format TEXT NOT NULL,
    identity TEXT NOT NULL,
    cards TEXT NOT NULL,
    notes TEXT NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE webhooks(
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    key TEXT NOT NULL,
    created INTEGER NOT NULL,
    sequence INTEGER NOT NULL DEFAULT 0,
    memory TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE TABLE deliveries(
    webhook TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    made INTEGER NOT NULL,
    PRIMARY KEY(webhook, sequence)
  ) STRICT;
  CREATE TABLE game_versions(
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    saved INTEGER NOT NULL,
    files TEXT NOT NULL,
    PRIMARY KEY(game, version)
  ) STRICT;
  CREATE TABLE games(
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE shared(
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
)";

// Not part of the version (DatabaseFormat::indexes). An account's decks are counted and listed again and again,
// whatever the others have.
inline constexpr const char* kRegistryIndexes = "CREATE INDEX IF NOT EXISTS decks_of_account ON decks(account)";

// Upgrades version n to version n + 1.
inline constexpr std::array<const char*, 2> kRegistryUpgrades{R"(
  ALTER TABLE webhooks ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE webhooks ADD COLUMN memory TEXT NOT NULL DEFAULT '';
  CREATE TABLE deliveries(
    webhook TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    made INTEGER NOT NULL,
    PRIMARY KEY(webhook, sequence)
  ) STRICT;
)",
                                                              R"(
  CREATE TABLE game_versions(
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    saved INTEGER NOT NULL,
    files TEXT NOT NULL,
    PRIMARY KEY(game, version)
  ) STRICT;
  CREATE TABLE games(
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE shared(
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
)"};

// The number of changes that the file has committed, for the mark: a text in `shared`. It is not part of the version:
// earlier programs leave it as it is.
inline constexpr const char* kCountChange =
    "INSERT INTO shared(name, text) VALUES('changes', '1') "
    "ON CONFLICT(name) DO UPDATE SET text = CAST(text AS INTEGER) + 1";
inline constexpr const char* kChanges =
    "SELECT coalesce((SELECT CAST(text AS INTEGER) FROM shared WHERE name = 'changes'), 0)";

// A key's last use is written if it is at least this much later than the stored one.
inline constexpr std::int64_t kLastUsedStepMicros = 60'000'000;

}  // namespace openseat::store
