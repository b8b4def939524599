#include "agents/llm/redact.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "base/json.h"
#include "net/percent.h"

namespace openseat::llm {
namespace {

constexpr std::string_view kMark = "[redacted]";
// Shorter ones occur in ordinary words, and no real key is that short.
constexpr std::size_t kShortest = 6;
constexpr int kMaxLevels = 4;  // of strings within strings

bool IsKeyChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// In linear time, unlike string_view::find: a provider that writes the text knows the secret.
void FindAll(std::string_view text, std::string_view what, std::vector<Range>& out) {
  for (std::size_t from = 0;;) {
    const void* found = ::memmem(text.data() + from, text.size() - from, what.data(), what.size());
    if (found == nullptr) return;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    from = at + what.size();
    out.push_back({at, from});
  }
}

// Words that begin as the providers' keys do, including those that a server shows in part.
void FindLookalikes(std::string_view text, std::vector<Range>& out) {
  for (const std::string_view prefix : {std::string_view("sk-"), std::string_view("AIza")}) {
    std::size_t at = 0;
    while ((at = text.find(prefix, at)) != std::string_view::npos) {
      std::size_t end = at;
      while (end < text.size() && (IsKeyChar(text[end]) || text[end] == '*')) ++end;
      const bool begins = at == 0 || !IsKeyChar(text[at - 1]);
      if (begins && end - at >= 12) out.push_back({at, end});
      at = end;
    }
  }
}

// A text with its escapes undone.
struct Decoded {
  std::string text;
  std::vector<std::uint32_t> from;  // where each of its bytes began, and where the last one ended
};

// The value of the hexadecimal digits of `text` at `at`; -1 if there is none.
int HexAt(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  if (at + digits > text.size()) return -1;
  const char* end = text.data() + at + digits;
  const auto read = std::from_chars(text.data() + at, end, value, 16);
  return read.ec == std::errc() && read.ptr == end ? value : -1;
}

// Undoes one level of escaping. Keys are ASCII, so other characters stay as they are written.
Decoded Unescaped(const Decoded& in) {
  const std::string_view text = in.text;
  Decoded out;
  out.text.reserve(text.size());
  out.from.reserve(text.size() + 1);
  std::size_t i = 0;
  const auto take = [&](std::size_t end) {
    out.text.append(text, i, end - i);
    out.from.insert(out.from.end(), in.from.begin() + static_cast<std::ptrdiff_t>(i),
                    in.from.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
  };
  while (i < text.size()) {
    take(std::min(text.find('\\', i), text.size()));
    if (i + 1 >= text.size()) break;
    const char kind = text[i + 1];
    const std::size_t digits = kind == 'u' ? 4 : kind == 'x' ? 2 : 0;
    const int code = digits == 0 ? static_cast<unsigned char>(kind) : HexAt(text, i + 2, digits);
    if (code < 0 || (digits != 0 && code >= 0x80)) {
      take(i + 1);
      continue;
    }
    out.text += static_cast<char>(code);
    out.from.push_back(in.from[i]);
    i += 2 + digits;
  }
  take(text.size());
  out.from.push_back(in.from.back());
  return out;
}

// `text` with a mark in place of each range; overlapping ranges get one.
std::string Marked(std::string_view text, std::vector<Range> ranges) {
  std::ranges::sort(ranges, {}, &Range::begin);
  std::string out;
  std::size_t done = 0;
  for (const Range& range : ranges) {
    if (range.begin >= done) {
      out += text.substr(done, range.begin - done);
      out += kMark;
    }
    done = std::max(done, range.end);
  }
  return out += text.substr(done);
}

}  // namespace

Redactor::Redactor(const Model& model) {
  Add(model.api_key);
  for (const auto& [name, value] : model.headers) {
    Add(value);
    if (const std::size_t space = value.find(' '); space != std::string::npos) Add(value.substr(space + 1));
  }
  if (model.proxy) {
    const std::size_t at = model.proxy->rfind('@');
    const std::size_t colon = model.proxy->rfind(':', at);
    if (at != std::string::npos && colon != std::string::npos) Add(model.proxy->substr(colon + 1, at - colon - 1));
  }
  std::sort(secrets_.begin(), secrets_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

void Redactor::Add(std::string_view secret) {
  if (secret.size() < kShortest) return;
  std::string quoted;
  json::WriteString(secret, quoted);
  secrets_.emplace_back(secret);
  secrets_.push_back(quoted.substr(1, quoted.size() - 2));
  secrets_.push_back(net::PercentEncode(secret));
}

std::string Redactor::Plain(std::string_view text) const {
  std::vector<Range> found;
  for (const std::string& secret : secrets_) FindAll(text, secret, found);
  FindLookalikes(text, found);
  return Marked(text, std::move(found));
}

std::string Redactor::operator()(std::string_view text) const {
  std::string out = Plain(text);
  if (out.find('\\') == std::string::npos) return out;
  Decoded decoded;
  decoded.text = out;
  decoded.from.resize(out.size() + 1);
  std::iota(decoded.from.begin(), decoded.from.end(), 0);
  std::vector<Range> found;  // in `out`
  for (int level = 0; level < kMaxLevels && decoded.text.find('\\') != std::string::npos; ++level) {
    decoded = Unescaped(decoded);
    std::vector<Range> here;
    for (const std::string& secret : secrets_) FindAll(decoded.text, secret, here);
    FindLookalikes(decoded.text, here);
    for (const Range& range : here) found.push_back({decoded.from[range.begin], decoded.from[range.end]});
  }
  return Marked(out, std::move(found));
}

void Redactor::RedactAll(json::Value& value) const {
  if (json::String* text = value.if_string()) {
    if (std::string clean = (*this)(json::View(*text)); clean != json::View(*text)) *text = clean;
  } else if (json::Array* list = value.if_array()) {
    for (json::Value& each : *list) RedactAll(each);
  } else if (json::Object* object = value.if_object()) {
    bool renamed = false;
    for (auto& member : *object) {
      RedactAll(member.value());
      renamed = renamed || (*this)(json::View(member.key())) != json::View(member.key());
    }
    if (!renamed) return;
    json::Object clean;
    for (auto& member : *object) clean[(*this)(json::View(member.key()))] = std::move(member.value());
    *object = std::move(clean);
  }
}

}  // namespace openseat::llm
