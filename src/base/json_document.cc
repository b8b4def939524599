#include "base/json_document.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/stream_parser.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/file.h"

namespace openseat::json {
namespace {

constexpr std::size_t kPiece = 64u << 10;  // bytes read at once
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The position where `text` stops being JSON. simdjson does not report it; Boost.JSON's own parser, which is slower,
// does.
std::optional<std::size_t> PlaceOfError(std::string_view text) {
  boost::json::stream_parser parser;
  boost::json::error_code error;
  const std::size_t read = parser.write(text.data(), text.size(), error);
  if (error) return read;
  parser.finish(error);
  if (error) return text.size();
  return std::nullopt;
}

std::string LineAndColumn(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::string_view on_line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto column =
      std::ranges::count_if(on_line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes) {
  const Result<int> file = OpenRegularFile(path, O_RDONLY, Pipes::kRead);
  if (!file) return Fail(file.error());
  std::string text;
  ssize_t got = 0;
  do {
    const std::size_t begin = text.size();
    text.resize(begin + kPiece);
    got = read(*file, text.data() + begin, kPiece);
    text.resize(begin + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  } while (text.size() <= max_bytes && (got > 0 || (got < 0 && errno == EINTR)));
  Result<std::string> result;
  if (got < 0) {
    result = Fail(FileError("read", path));
  } else if (text.size() > max_bytes) {
    result = Fail(ErrorCode::kTooLarge, "\"" + path + "\" has more than " + std::to_string(max_bytes) + " bytes", path);
  } else {
    result = std::move(text);
  }
  close(*file);
  return result;
}

Result<Value> ParseDocument(std::string_view text, const Limits& limits) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Result<Value> value = Parse(text, limits);
  if (value || value.error().code != ErrorCode::kParse || text.empty()) return value;
  Error error = std::move(value).error();
  if (const std::optional<std::size_t> place = PlaceOfError(text)) {
    error.message = LineAndColumn(text, *place) + ": " + error.message;
  }
  return Fail(std::move(error));
}

}  // namespace openseat::json
