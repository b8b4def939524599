// The journal's messages on NATS JetStream: names and headers. Pure functions; see docs/cluster.md. If you change this
// file, change the page, and kNatsFormatVersion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "core/ids.h"
#include "store/fenced_log.h"

namespace openseat::store {

inline constexpr std::uint64_t kNatsFormatVersion = 1;
inline constexpr const char* kNatsHeader = "Openseat";
// The lowest bits of a table's number are its shard's.
inline constexpr std::size_t kNatsShards = 64;
inline constexpr int kNatsShardBits = 6;
static_assert(std::size_t{1} << kNatsShardBits == kNatsShards);
// A chunk of more bytes is cut into parts.
inline constexpr std::size_t kNatsPartBytes = std::size_t{512} << 10;

// The value of a message's header.
struct NatsStamp {
  LogStamp log;
  std::uint64_t part = 0;  // from 1; 0: not a part of a chunk
  std::uint64_t parts = 0;
  std::uint64_t table_number = 0;
  Seq first_seq = 0;
  std::uint64_t count = 0;
  std::int64_t last_time = 0;  // microseconds since 1970
  bool closed = false;

  bool operator==(const NatsStamp&) const = default;
};

std::string WriteNatsStamp(const NatsStamp& stamp);
// kParse for anything that WriteNatsStamp does not write; kUnsupported if a later version wrote it.
Result<NatsStamp> ReadNatsStamp(std::string_view text);

// Digits only; nullopt for anything else.
std::optional<std::uint64_t> ReadNatsNumber(std::string_view text);

// RFC 4648, with padding; nullopt for anything else.
std::optional<std::string> ReadNatsBase64(std::string_view text);

// The value of a message's header in "NATS/1.0\r\nNAME: VALUE\r\n…"; "" if it has none.
std::string_view ReadNatsHeader(std::string_view headers, std::string_view name);

// What the server says of a message that a consumer delivered.
struct NatsDelivered {
  std::uint64_t position = 0;
  Time time;          // when the stream took it
  bool more = false;  // whether others follow it, as far as the server knows
};

// From the subject for replies: $JS.ACK.STREAM.CONSUMER.DELIVERED.POSITION.CONSUMED.TIME.LEFT; newer servers have two
// more tokens in front of STREAM. nullopt for anything else.
std::optional<NatsDelivered> ReadNatsDelivered(std::string_view reply);

// 1 to 32 letters, digits, "-" and "_".
Result<void> CheckClusterName(std::string_view name);

// The names of one shard of a cluster with this many shards.
struct NatsShardNames {
  NatsShardNames(std::string_view cluster, std::size_t shards, std::size_t shard);

  std::string TableSubject(const TableId& table) const;
  // kParse for a subject that TableSubject does not make.
  Result<TableId> TableOf(std::string_view table_subject) const;

  std::string stream;
  std::string subjects;  // all of them
  std::string claim;
  std::string tables;  // what all subjects of tables begin with
};

// The shard of a table.
std::size_t NatsShardOf(const TableId& table, std::size_t shards);

}  // namespace openseat::store
