#include "store/nats_format.h"

#include <array>
#include <charconv>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

constexpr std::size_t kStampFields = 11;

std::string TwoDigits(std::size_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

bool IsPlain(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '_';
}

}  // namespace

std::string WriteNatsStamp(const NatsStamp& stamp) {
  std::string out = std::to_string(kNatsFormatVersion);
  const auto add = [&out](auto number) { out += ' ' + std::to_string(number); };
  add(stamp.log.epoch);
  add(stamp.log.claim);
  add(stamp.log.number);
  add(stamp.part);
  add(stamp.parts);
  add(stamp.table_number);
  add(stamp.first_seq);
  add(stamp.count);
  add(stamp.last_time);
  add(stamp.closed ? 1 : 0);
  return out;
}

Result<NatsStamp> ReadNatsStamp(std::string_view text) {
  const auto wrong = [&](const char* what) {
    return Fail(ErrorCode::kParse, "the header \"" + Ellipsize(SanitizeUtf8(text), 300) + "\" of a message " + what);
  };
  std::array<std::uint64_t, kStampFields> numbers{};
  NatsStamp stamp;
  std::string_view rest = text;
  for (std::size_t i = 0; i < kStampFields; ++i) {
    if (i > 0) {
      if (rest.empty() || rest.front() != ' ') return wrong("has too few numbers");
      rest.remove_prefix(1);
    }
    const char* const end = rest.data() + rest.size();
    // A time may be before 1970.
    const auto [stop, error] =
        i == 9 ? std::from_chars(rest.data(), end, stamp.last_time) : std::from_chars(rest.data(), end, numbers[i]);
    if (error != std::errc()) return wrong("has something else than a number");
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    if (i == 0 && numbers[0] != kNatsFormatVersion) {
      return Fail(ErrorCode::kUnsupported, "a message has version " + std::to_string(numbers[0]) +
                                               "; this program supports version " + std::to_string(kNatsFormatVersion));
    }
  }
  if (!rest.empty()) return wrong("has too many numbers");
  stamp.log = {numbers[1], numbers[2], numbers[3]};
  stamp.part = numbers[4];
  stamp.parts = numbers[5];
  stamp.table_number = numbers[6];
  stamp.first_seq = numbers[7];
  stamp.count = numbers[8];
  stamp.closed = numbers[10] == 1;
  if (stamp.part > stamp.parts || (stamp.part == 0) != (stamp.parts == 0) || numbers[10] > 1) {
    return wrong("contradicts itself");
  }
  if (stamp.part > 0 && (stamp.first_seq == 0 || stamp.count == 0 || stamp.first_seq + stamp.count < stamp.count)) {
    return wrong("has no events");
  }
  return stamp;
}

std::optional<std::uint64_t> ReadNatsNumber(std::string_view text) {
  std::uint64_t out = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || stop != text.data() + text.size() || text.empty()) return std::nullopt;
  return out;
}

std::optional<NatsDelivered> ReadNatsDelivered(std::string_view reply) {
  std::vector<std::string_view> tokens;
  while (!reply.empty()) {
    const std::size_t dot = reply.find('.');
    tokens.push_back(reply.substr(0, dot));
    reply.remove_prefix(dot == std::string_view::npos ? reply.size() : dot + 1);
  }
  if (tokens.size() < 9 || tokens[1] != "ACK") return std::nullopt;
  const std::size_t at = tokens.size() >= 11 ? 7 : 5;
  const std::optional<std::uint64_t> position = ReadNatsNumber(tokens[at]);
  const std::optional<std::uint64_t> nanoseconds = ReadNatsNumber(tokens[at + 2]);
  const std::optional<std::uint64_t> left = ReadNatsNumber(tokens[at + 3]);
  if (!position || !nanoseconds || !left) return std::nullopt;
  return NatsDelivered{*position, Time(Duration(static_cast<std::int64_t>(*nanoseconds / 1000))), *left > 0};
}

Result<void> CheckClusterName(std::string_view name) {
  bool plain = !name.empty() && name.size() <= 32;
  for (const char c : name) plain = plain && IsPlain(c);
  if (plain) return {};
  return Fail(ErrorCode::kInvalid, "a cluster's name has 1 to 32 letters, digits, \"-\" and \"_\"; got \"" +
                                       Ellipsize(EscapeControls(SanitizeUtf8(name)), 100) + "\"");
}

NatsShardNames::NatsShardNames(std::string_view cluster, std::size_t shards, std::size_t shard) {
  const std::string count = "j" + std::to_string(shards);
  stream = "openseat_" + std::string(cluster) + "_" + count + "_" + TwoDigits(shard);
  const std::string root = "openseat." + std::string(cluster) + "." + count + "." + TwoDigits(shard) + ".";
  subjects = root + ">";
  claim = root + "claim";
  tables = root + "t.";
}

std::string NatsShardNames::TableSubject(const TableId& table) const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = tables;
  for (const char c : table.str()) {
    if (IsPlain(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'=', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

Result<TableId> NatsShardNames::TableOf(std::string_view table_subject) const {
  std::string id;
  std::string_view rest = table_subject;
  if (rest.starts_with(tables)) {
    rest.remove_prefix(tables.size());
    while (!rest.empty()) {
      if (IsPlain(rest.front())) {
        id += rest.front();
        rest.remove_prefix(1);
        continue;
      }
      if (rest.size() < 3 || rest.front() != '=' || HexValue(rest[1]) < 0 || HexValue(rest[2]) < 0) break;
      id += static_cast<char>(HexValue(rest[1]) * 16 + HexValue(rest[2]));
      rest.remove_prefix(3);
    }
  }
  TableId table(std::move(id));
  // Each name has one subject only.
  if (table.empty() || table.str().size() > kMaxTableIdBytes || TableSubject(table) != table_subject) {
    return Fail(ErrorCode::kParse,
                "\"" + Ellipsize(SanitizeUtf8(table_subject), 300) + "\" is not the subject of a table");
  }
  return table;
}

std::optional<std::string> ReadNatsBase64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

std::string_view ReadNatsHeader(std::string_view headers, std::string_view name) {
  while (!headers.empty()) {
    const std::size_t end = std::min(headers.find("\r\n"), headers.size());
    std::string_view line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + 2, headers.size()));
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
    line.remove_prefix(name.size() + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    return line;
  }
  return {};
}

std::size_t NatsShardOf(const TableId& table, std::size_t shards) {
  const std::string digest = Sha256Hex(table.str()).substr(0, 16);
  std::uint64_t number = 0;
  std::from_chars(digest.data(), digest.data() + digest.size(), number, 16);
  return number % shards;
}

}  // namespace openseat::store
