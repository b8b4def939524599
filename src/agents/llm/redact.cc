#include "agents/llm/redact.h"

#include <algorithm>

#include "base/json.h"

namespace openseat::llm {
namespace {

constexpr std::string_view kMark = "[redacted]";
// Shorter ones occur in other words; nobody has a key like that.
constexpr std::size_t kShortest = 6;

bool IsKeyChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsKeyChar(c) || c == '.' || c == '~') {
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

void ReplaceAll(std::string& text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + kMark.size())) {
    text.replace(at, what.size(), kMark);
  }
}

// Words that begin as the providers' keys do, also those that a server shows in part.
void ReplaceLookalikes(std::string& text) {
  for (const std::string_view prefix : {std::string_view("sk-"), std::string_view("AIza")}) {
    std::size_t at = 0;
    while ((at = text.find(prefix, at)) != std::string::npos) {
      std::size_t end = at;
      while (end < text.size() && (IsKeyChar(text[end]) || text[end] == '*')) ++end;
      const bool begins = at == 0 || !IsKeyChar(text[at - 1]);
      if (begins && end - at >= 12) {
        text.replace(at, end - at, kMark);
        at += kMark.size();
      } else {
        at = end;
      }
    }
  }
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
  secrets_.push_back(PercentEncoded(secret));
}

std::string Redactor::operator()(std::string_view text) const {
  std::string out(text);
  for (const std::string& secret : secrets_) ReplaceAll(out, secret);
  ReplaceLookalikes(out);
  return out;
}

}  // namespace openseat::llm
