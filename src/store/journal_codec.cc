#include "store/journal_codec.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/check.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

void PutVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// Maps small differences of either sign to small numbers. Wraps around, as the differences do.
std::uint64_t ZigZag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
std::uint64_t UnZigZag(std::uint64_t value) {
  return (value >> 1) ^ (0 - (value & 1));
}

// Reads a varint from the front of `in`; accepts only a number's shortest form.
std::optional<std::uint64_t> TakeVarint(std::string_view& in) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < in.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint8_t>(in[i]);
    const bool last = byte < 0x80;
    if (i == 9 && byte > 1) return std::nullopt;
    if (last && byte == 0 && i > 0) return std::nullopt;
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if (last) {
      in.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

template <std::size_t kBytes>
std::array<unsigned char, kBytes> LittleEndian(std::uint64_t value) {
  std::array<unsigned char, kBytes> out;
  for (std::size_t i = 0; i < kBytes; ++i) out[i] = static_cast<unsigned char>(value >> (8 * i));
  return out;
}

std::array<unsigned char, kChunkTrailerBytes> Checksum(const ChunkPlace& place, std::string_view data) {
  uLong crc = crc32_z(0, nullptr, 0);
  for (const std::uint64_t number : {place.table_key, place.first_seq, place.count}) {
    const auto bytes = LittleEndian<8>(number);
    crc = crc32_z(crc, bytes.data(), bytes.size());
  }
  crc = crc32_z(crc, reinterpret_cast<const unsigned char*>(data.data()), data.size());
  return LittleEndian<kChunkTrailerBytes>(crc);
}

}  // namespace

void ChunkBuilder::Add(const Event& event) {
  OPENSEAT_CHECK(event.payload.size() <= kMaxPayloadBytes, "the writer refuses larger payloads");
  if (count_ == 0) data_.push_back(static_cast<char>(kChunkVersion));
  const std::int64_t time = event.time.time_since_epoch().count();
  data_.push_back(static_cast<char>(event.kind));
  PutVarint(data_, ZigZag(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(last_time_)));
  PutVarint(data_, event.payload.size());
  data_.append(event.payload);
  last_time_ = time;
  ++count_;
}

std::string_view ChunkBuilder::Finish(std::uint64_t table_key, Seq first_seq) {
  OPENSEAT_CHECK(count_ > 0, "a chunk has at least one record");
  const auto checksum = Checksum({table_key, first_seq, count_}, data_);
  data_.append(checksum.begin(), checksum.end());
  return data_;
}

Result<std::vector<Event>> DecodeRecords(std::uint64_t count, std::string_view records) {
  // A record takes at least three bytes: a larger count is refused before memory is allocated.
  if (count > records.size() / 3) {
    return Fail(ErrorCode::kParse, "a chunk of " + std::to_string(records.size()) + " bytes cannot hold " +
                                       std::to_string(count) + " records");
  }
  std::vector<Event> events;
  events.reserve(count);
  std::uint64_t time = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto wrong = [i](const char* what) {
      return Fail(ErrorCode::kParse, "record " + std::to_string(i) + " of the chunk " + what);
    };
    if (records.empty()) return wrong("is missing");
    const auto kind = static_cast<std::uint8_t>(records.front());
    if (kind == 0) return wrong("has the invalid kind 0");
    records.remove_prefix(1);
    const auto difference = TakeVarint(records);
    if (!difference) return wrong("has an invalid time");
    const auto size = TakeVarint(records);
    if (!size) return wrong("has an invalid length");
    if (*size > records.size() || *size > kMaxPayloadBytes) return wrong("is longer than the chunk");
    time += UnZigZag(*difference);
    events.push_back({static_cast<EventKind>(kind), Time(Duration(static_cast<std::int64_t>(time))),
                      std::string(records.substr(0, *size))});
    records.remove_prefix(*size);
  }
  if (!records.empty()) {
    return Fail(ErrorCode::kParse, std::to_string(records.size()) + " bytes follow the last record of the chunk");
  }
  return events;
}

Result<std::vector<Event>> DecodeChunk(const ChunkPlace& place, std::string_view data) {
  if (data.size() < kChunkHeaderBytes + kChunkTrailerBytes) {
    return Fail(ErrorCode::kParse, "a chunk of " + std::to_string(data.size()) + " bytes is too short");
  }
  // Before the checksum, which a later version may compute differently.
  if (const auto version = static_cast<std::uint8_t>(data.front()); version != kChunkVersion) {
    return Fail(ErrorCode::kUnsupported, "the chunk has version " + std::to_string(version) +
                                             "; this program supports version " + std::to_string(kChunkVersion));
  }
  const std::string_view covered = data.substr(0, data.size() - kChunkTrailerBytes);
  const auto checksum = Checksum(place, covered);
  const std::string_view found = data.substr(covered.size());
  if (!std::equal(checksum.begin(), checksum.end(), found.begin(),
                  [](unsigned char a, char b) { return a == static_cast<unsigned char>(b); })) {
    return Fail(ErrorCode::kParse, "the checksum does not match: the chunk is torn or was edited");
  }
  return DecodeRecords(place.count, covered.substr(kChunkHeaderBytes));
}

}  // namespace openseat::store
