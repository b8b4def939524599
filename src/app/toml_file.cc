#include "app/toml_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/json_document.h"

namespace openseat::app {
namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;
// Of a dotted key, and of brackets in brackets. The TOML library recurses for each.
constexpr std::size_t kMaxDepth = 32;

// Behind the end of the string that begins at `at`; a line's end ends one that is not closed.
std::size_t EndOfString(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool many_lines = text.substr(at, 3) == std::string(3, quote);
  for (at += many_lines ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (many_lines && text.substr(at, 3) == std::string(3, quote)) {
      // Up to two quotes may stand before those that end it.
      return std::min({text.find_first_not_of(quote, at), at + 5, text.size()});
    } else if (!many_lines && text[at] == quote) {
      return at + 1;
    } else if (!many_lines && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

// Refuses a text that would make the TOML library recurse without end.
Result<void> CheckDepth(std::string_view text, const std::string& path) {
  std::size_t dots = 0;  // since a key or value began
  std::size_t open = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = EndOfString(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') ++dots;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') dots = 0;
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (dots >= kMaxDepth || open > kMaxDepth) {
      const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
      const std::string most = std::to_string(kMaxDepth);
      return Fail(
          ErrorCode::kParse,
          path + ":" + std::to_string(line) + ": " +
              (open > kMaxDepth ? "brackets nest at most " + most + " deep" : "a key has at most " + most + " parts"),
          path);
    }
    ++at;
  }
  return {};
}

}  // namespace

Result<toml::table> ReadTomlFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Fail(ErrorCode::kInvalid, path + " is a directory; expected a TOML file", path);
  }
  const Result<std::string> text = json::ReadFile(path, kMaxFileBytes);
  if (!text) return Fail(text.error());
  if (Result<void> checked = CheckDepth(*text, path); !checked) return Fail(checked.error());
  // Debian's build of the library throws; its exceptions end here.
  try {
    return toml::parse(*text, path);
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    return Fail(ErrorCode::kParse,
                path + (line > 0 ? ":" + std::to_string(line) : "") + ": " + std::string(error.description()), path);
  }
}

}  // namespace openseat::app
