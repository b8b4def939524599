// The decoder of journal chunks reads any bytes and returns events or an error. Decoded events are encoded to the same
// bytes. So do the readers of headers of messages on NATS, and of what nodes of a cluster say.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/cluster_plan.h"
#include "store/journal_codec.h"
#include "store/journal_format.h"
#include "store/nats_format.h"
#include "store/registry_codec.h"
#include "store/registry_replica.h"

namespace openseat::store {
namespace {

void DecodeAnything(std::uint64_t count, std::string_view records) {
  const auto events = DecodeRecords(count, records);
  if (!events || events->empty()) return;
  ChunkBuilder builder;
  for (const Event& event : *events) builder.Add(event);
  const std::string data(builder.Finish(1, 1));
  const std::string_view written =
      std::string_view(data).substr(kChunkHeaderBytes, data.size() - kChunkHeaderBytes - kChunkTrailerBytes);
  OPENSEAT_CHECK(written == records, "records have only one form");
  OPENSEAT_CHECK(DecodeChunk({1, 1, count}, data).has_value(), "encoded records can be decoded");
}

void ReadAnyStamp(std::string_view text) {
  const auto stamp = ReadNatsStamp(text);
  if (!stamp) return;
  OPENSEAT_CHECK(ReadNatsStamp(WriteNatsStamp(*stamp)) == *stamp, "a stamp reads back");
}

// A message of a cluster's registry: its header, its packed body, and its text.
void ReadAnyRegistryMessage(std::string_view text) {
  if (const auto stamp = ReadRegistryStamp(text)) {
    OPENSEAT_CHECK(WriteRegistryStamp(*stamp) == text, "a header has only one form");
  }
  if (const auto unpacked = Unpack(text, std::size_t{1} << 20)) {
    OPENSEAT_CHECK(Unpack(Pack(*unpacked), unpacked->size()) == *unpacked, "a body reads back");
  }
  const auto replica = std::move(*RegistryReplica::Make());
  const auto applied = replica->Apply({1, 1, 0, 0}, text);
  OPENSEAT_CHECK(replica->LastOf(1) == (applied ? 1 : 0), "what was applied counts, and nothing else");
}

void ReadAnyBeat(std::string_view text) {
  const auto beat = ReadNodeBeat(text);
  if (!beat) return;
  OPENSEAT_CHECK(ReadNodeBeat(WriteNodeBeat(*beat)) == *beat, "a beat reads back");
}

}  // namespace
}  // namespace openseat::store

// The first byte is the number of records, so that it can match them; the whole input is also tried as a chunk with a
// checksum.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(openseat::store::DecodeChunk({1, 1, 1}, input).has_value());
  openseat::store::ReadAnyStamp(input);
  openseat::store::ReadAnyRegistryMessage(input);
  openseat::store::ReadAnyBeat(input);
  if (!input.empty()) openseat::store::DecodeAnything(bytes[0], input.substr(1));
  return 0;
}
