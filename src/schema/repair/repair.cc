#include "schema/repair/repair.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "schema/repair/mender.h"
#include "schema/repair/strict.h"

namespace openseat::schema {
namespace {

constexpr int kMaxCandidates = 16;  // opening braces at which to look for an object
// No further object is looked for once those before it have read so many bytes.
constexpr std::size_t kMostReread = 128u << 10;

struct FixInfo {
  Fix fix;
  std::string_view name;
};
constexpr std::array<FixInfo, 21> kFixes{{
    {Fix::kFence, "fence"},
    {Fix::kProse, "prose"},
    {Fix::kReasoning, "reasoning"},
    {Fix::kStringified, "stringified"},
    {Fix::kComment, "comment"},
    {Fix::kTrailingComma, "trailing-comma"},
    {Fix::kMissingComma, "missing-comma"},
    {Fix::kPunctuation, "punctuation"},
    {Fix::kQuotes, "quotes"},
    {Fix::kSmartQuotes, "smart-quotes"},
    {Fix::kInnerQuotes, "inner-quotes"},
    {Fix::kUnquoted, "unquoted"},
    {Fix::kLiteral, "literal"},
    {Fix::kNumber, "number"},
    {Fix::kControl, "control"},
    {Fix::kEscape, "escape"},
    {Fix::kBrackets, "brackets"},
    {Fix::kMissingValue, "missing-value"},
    {Fix::kTruncated, "truncated"},
    {Fix::kDuplicate, "duplicate"},
    {Fix::kUtf8, "utf8"},
}};

bool IsBlank(std::string_view text) {
  for (const char c : text) {
    if (!IsSpace(c)) return false;
  }
  return true;
}

// Whether the brace at `at` begins an object and not a remark.
bool LooksLikeObject(std::string_view text, std::size_t at) {
  ++at;
  const auto skip = [&] {
    while (at < text.size() && (IsSpace(text[at]) || static_cast<unsigned char>(text[at]) < 0x20)) ++at;
  };
  skip();
  if (at >= text.size()) return true;
  const std::string_view rest = text.substr(at);
  if (rest.front() == '}' || rest.front() == ',' || QuoteAt(rest).kind != QuoteKind::kNone || StartsWith(rest, "//") ||
      StartsWith(rest, "/*") || rest.front() == '#' || StartsWith(rest, "\\\"")) {
    return true;
  }
  std::size_t length = 0;
  while (at < text.size() && length < kMaxLookAhead && IsNameChar(text[at])) {
    ++at;
    ++length;
  }
  if (length == 0) return false;
  skip();
  return at >= text.size() || text[at] == ':' || text[at] == '=';
}

// Removes one level of escaping.
std::string Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case '"':
      case '\\':
      case '/':
        out += text[i];
        break;
      default:
        out += '\\';
        out += text[i];
    }
  }
  return out;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Examines what is around an object: fences and prose. An enclosing list, or a second object, is an error.
Result<void> CheckAround(std::string_view before, std::string_view behind, FixSet& fixes) {
  if (Trimmed(before).ends_with('[')) {
    return Fail(ErrorCode::kParse, "expected one JSON object, but it is in a list");
  }
  for (std::string_view part : {before, behind}) {
    if (const std::size_t fence = part.find(kFenceMark); fence != std::string_view::npos) {
      fixes.Add(Fix::kFence);
      if (!IsBlank(part.substr(0, fence))) fixes.Add(Fix::kProse);
      part.remove_prefix(fence + kFenceMark.size());
      while (!part.empty() && IsNameChar(part.front())) part.remove_prefix(1);  // "json"
      while (!part.empty() && (IsSpace(part.front()) || part.front() == '`')) part.remove_prefix(1);
    }
    if (!IsBlank(part)) fixes.Add(Fix::kProse);
  }
  for (std::size_t at = behind.find('{'); at != std::string_view::npos; at = behind.find('{', at + 1)) {
    if (LooksLikeObject(behind, at)) {
      return Fail(ErrorCode::kParse, "expected one JSON object, but there is more than one");
    }
  }
  return {};
}

}  // namespace

std::vector<Fix> FixSet::List() const {
  std::vector<Fix> list;
  for (const FixInfo& info : kFixes) {
    if ((bits_ >> static_cast<unsigned>(info.fix) & 1u) != 0) list.push_back(info.fix);
  }
  return list;
}

std::string_view FixName(Fix fix) {
  for (const FixInfo& info : kFixes) {
    if (info.fix == fix) return info.name;
  }
  return "";
}

Result<RepairedDocument> RepairDocument(std::string_view text, const FixSet& allowed, const json::Limits& limits) {
  if (!text.starts_with('{')) return Fail(ErrorCode::kParse, "expected a JSON object");
  Mender mender(text, 0, limits);
  if (Result<void> done = mender.Run(); !done) return Fail(done.error());
  if (!mender.fixes().IsWithin(allowed)) return Fail(ErrorCode::kParse, "not valid JSON, and not repaired");
  return RepairedDocument{std::move(mender.out()), mender.at(), mender.fixes()};
}

Result<Repaired> Repair(std::string_view text, const json::Limits& limits) {
  if (text.size() > limits.max_bytes) {
    return Fail(ErrorCode::kTooLarge, "the answer is larger than " + std::to_string(limits.max_bytes) + " bytes");
  }
  FixSet fixes;
  std::string owned;
  if (!IsValidUtf8(text)) {
    owned = SanitizeUtf8(text);
    text = owned;
    fixes.Add(Fix::kUtf8);
  }
  if (Trimmed(text).starts_with("<think>")) {
    if (const std::size_t end = text.find("</think>"); end != std::string_view::npos) {
      text.remove_prefix(end + std::string_view("</think>").size());
      fixes.Add(Fix::kReasoning);
    }
  }
  std::string inner;
  if (const std::string_view trimmed = Trimmed(text);
      trimmed.size() > 2 && trimmed.front() == '"' && trimmed.back() == '"') {
    if (const auto whole = json::Parse(trimmed, limits); whole && whole->is_string()) {
      inner = std::string(json::View(whole->get_string()));
      text = inner;
      fixes.Add(Fix::kStringified);
    }
  }
  Error last{ErrorCode::kParse, "there is no JSON object in the answer", {}};
  int candidates = 0;
  std::size_t looked_at = 0;
  for (std::size_t at = text.find('{');
       at != std::string_view::npos && candidates < kMaxCandidates && looked_at < kMostReread;
       at = text.find('{', at + 1)) {
    if (!LooksLikeObject(text, at)) continue;
    ++candidates;
    FixSet mended = fixes;
    std::size_t name = at + 1;
    while (name < text.size() && IsSpace(text[name])) ++name;
    if (text.substr(name).starts_with("\\\"")) {
      inner = Unescape(text.substr(at));
      text = inner;
      at = 0;
      fixes.Add(Fix::kStringified);
      mended = fixes;
    }
    Mender mender(text, at, limits);
    Result<void> done = mender.Run();
    if (done) {
      mended.Add(mender.fixes());
      done = CheckAround(text.substr(0, at), text.substr(mender.at()), mended);
      if (!done) return Fail(done.error());
      Repaired repaired;
      repaired.text = std::move(mender.out());
      Result<json::Value> value = json::Parse(repaired.text, limits);
      if (!value) return Fail(value.error());
      repaired.value = std::move(*value);
      if (RepeatsNames(repaired.text, repaired.value)) mended.Add(Fix::kDuplicate);
      repaired.fixes = mended.List();
      return repaired;
    }
    looked_at += mender.at() - at;
    last = done.error();
    if (last.code == ErrorCode::kTooLarge) break;
  }
  return Fail(std::move(last));
}

}  // namespace openseat::schema
