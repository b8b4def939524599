#include "protocols/neuro/lenient_json.h"

#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace openseat::neuro {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr char32_t kReplacement = 0xFFFD;

bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
class Mender {
 public:
  Mender(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

  MendedDocument Run() {
    out_.text.reserve(text_.size() + 16);
    if (text_.front() != '{' && text_.front() != '[') return GiveUp();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (IsSpace(c)) {
        out_.text += c;
        ++at_;
        continue;
      }
      switch (c) {
        case '{':
        case '[':
          if (open_.size() == max_depth_) return GiveUp();
          open_.push_back(c);
          Structural(c);
          break;
        case '}':
        case ']':
          if (last_ == ',') {
            out_.text.resize(comma_at_);
            out_.mends |= kMendComma;
          }
          open_.pop_back();
          Structural(c);
          if (open_.empty()) {
            out_.consumed = at_;
            return std::move(out_);
          }
          break;
        case ',':
          comma_at_ = out_.text.size();
          Structural(c);
          break;
        case ':':
          Structural(c);
          break;
        case '"':
          if (!String()) return GiveUp();
          last_ = '"';
          break;
        default:
          Word();
          last_ = 'w';
      }
    }
    out_.consumed = text_.size();
    return std::move(out_);
  }

 private:
  // What cannot be mended stays as it is, to its end.
  MendedDocument GiveUp() const { return {.text = std::string(text_), .consumed = text_.size(), .mends = 0}; }

  void Structural(char c) {
    out_.text += c;
    last_ = c;
    ++at_;
  }

  std::size_t SkipSpaces(std::size_t at) const {
    while (at < text_.size() && IsSpace(text_[at])) ++at;
    return at;
  }

  enum class Quote { kCloses, kWithin, kHopeless };

  // Whether the quote at `at` ends the string that it stands in. Strings that were never escaped are real, and one can
  // tell by what follows: a colon behind a name; a bracket, or a comma and the start of something, behind a value.
  Quote Judge(std::size_t at, bool is_name) const {
    std::size_t next = SkipSpaces(at + 1);
    if (next == text_.size()) return Quote::kCloses;
    if (is_name) return text_[next] == ':' ? Quote::kCloses : Quote::kWithin;
    const bool in_object = open_.back() == '{';
    if (text_[next] == (in_object ? '}' : ']')) return Quote::kCloses;
    // Here a comma is missing rather than an escape, and guessing would swallow the next member.
    if (text_[next] == ':') return Quote::kHopeless;
    if (text_[next] != ',') return Quote::kWithin;
    next = SkipSpaces(next + 1);
    if (next == text_.size()) return Quote::kCloses;
    constexpr std::string_view kItemStarts = "\"{[]-0123456789tfnNI";
    const std::string_view starts = in_object ? std::string_view("\"}") : kItemStarts;
    return starts.find(text_[next]) != std::string_view::npos ? Quote::kCloses : Quote::kWithin;
  }

  // Reads the string at at_ into its plain bytes and writes it anew. False: hopeless.
  bool String() {
    const bool is_name = open_.back() == '{' && last_ != ':';
    plain_.clear();
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        const Quote quote = Judge(at_, is_name);
        if (quote == Quote::kHopeless) return false;
        ++at_;
        if (quote == Quote::kCloses) {
          if (!IsValidUtf8(plain_)) out_.mends |= kMendUtf8;
          json::WriteString(plain_, out_.text);
          return true;
        }
        out_.mends |= kMendQuote;
        plain_ += c;
      } else if (c == '\\') {
        Escape();
      } else {
        if (static_cast<unsigned char>(c) < 0x20) out_.mends |= kMendControl;
        plain_ += c;
        ++at_;
      }
    }
    // Not closed: written as it came, so that the parser says so.
    out_.text += '"';
    return true;
  }

  void Escape() {
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (const auto known = kNames.find(c); c != '\0' && known != std::string_view::npos) {
      plain_ += kMeanings[known];
      at_ += 2;
    } else if (c == 'u' && UnicodeEscape()) {
    } else if (c == 'x' && HexByte(at_)) {
      HexEscapes();
    } else {
      out_.mends |= kMendBadEscape;
      // \' means the apostrophe; of anything else the backslash was probably meant (a Windows path, a formula).
      if (c != '\'') plain_ += '\\';
      ++at_;
    }
  }

  std::optional<char32_t> Unit(std::size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return std::nullopt;
    char32_t unit = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const int digit = HexValue(text_[i]);
      if (digit < 0) return std::nullopt;
      unit = unit * 16 + static_cast<char32_t>(digit);
    }
    return unit;
  }

  bool UnicodeEscape() {
    const auto unit = Unit(at_);
    if (!unit) return false;
    at_ += 6;
    if (*unit < 0xD800 || *unit > 0xDFFF) {
      AppendUtf8(plain_, *unit);
      return true;
    }
    const auto low = Unit(at_);
    if (*unit < 0xDC00 && low && *low >= 0xDC00 && *low <= 0xDFFF) {
      at_ += 6;
      AppendUtf8(plain_, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
      return true;
    }
    out_.mends |= kMendSurrogate;
    AppendUtf8(plain_, kReplacement);
    return true;
  }

  std::optional<char> HexByte(std::size_t at) const {
    if (at + 4 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'x') return std::nullopt;
    const int high = HexValue(text_[at + 2]);
    const int low = HexValue(text_[at + 3]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<char>(high * 16 + low);
  }

  // A run of \xNN. One SDK writes the bytes of UTF-8 so; elsewhere the escape means a code point below 256.
  void HexEscapes() {
    out_.mends |= kMendHexEscape;
    std::string bytes;
    while (const auto byte = HexByte(at_)) {
      bytes += *byte;
      at_ += 4;
    }
    if (IsValidUtf8(bytes)) {
      plain_ += bytes;
    } else {
      for (const char byte : bytes) AppendUtf8(plain_, static_cast<unsigned char>(byte));
    }
  }

  // A number or a bare word.
  void Word() {
    constexpr std::string_view kEnds = " \n\r\t,:{}[]\"";
    const std::size_t end = std::min(text_.find_first_of(kEnds, at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "NaN" || word == "Infinity" || word == "-Infinity") {
      out_.mends |= kMendNotANumber;
      out_.text += "null";
      return;
    }
    out_.text += word;
    if (IsHugeInteger(word)) out_.text += ".0";
  }

  static bool IsHugeInteger(std::string_view word) {
    const bool negative = word.front() == '-';
    const std::string_view digits = word.substr(negative ? 1 : 0);
    if (digits.size() < 19) return false;
    for (const char c : digits) {
      if (!IsDigit(c)) return false;
    }
    const auto overflows = [&]<typename Number>(Number number) {
      return std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc::result_out_of_range;
    };
    return negative ? overflows(std::int64_t{}) : overflows(std::uint64_t{});
  }

  std::string_view text_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::vector<char> open_;    // the brackets that are open, innermost last
  char last_ = '\0';          // the last token's first character; 'w' for a word
  std::size_t comma_at_ = 0;  // in out_.text, where last_ is a comma
  std::string plain_;         // the string being read
  MendedDocument out_;
};

}  // namespace

std::string DescribeMends(std::uint16_t mends) {
  struct Name {
    Mend mend;
    std::string_view words;
  };
  static constexpr std::array<Name, 10> kNames = {{
      {kMendByteOrderMark, "a byte order mark"},
      {kMendNul, "NUL bytes around the document"},
      {kMendHexEscape, "\\xNN escapes"},
      {kMendBadEscape, "escapes that JSON does not have"},
      {kMendControl, "control characters within a string"},
      {kMendSurrogate, "half of a surrogate pair"},
      {kMendUtf8, "bytes that are no UTF-8"},
      {kMendQuote, "quotes within a string that were not escaped"},
      {kMendComma, "a comma before a closing bracket"},
      {kMendNotANumber, "NaN or Infinity as a number"},
  }};
  std::string out;
  for (const Name& name : kNames) {
    if ((mends & name.mend) == 0) continue;
    if (!out.empty()) out += ", ";
    out += name.words;
  }
  return out;
}

std::string_view SkipBetweenDocuments(std::string_view text, std::uint16_t& mends) {
  while (!text.empty()) {
    if (IsSpace(text.front())) {
      text.remove_prefix(1);
    } else if (text.front() == '\0') {
      mends |= kMendNul;
      text.remove_prefix(1);
    } else if (text.starts_with(kByteOrderMark)) {
      mends |= kMendByteOrderMark;
      text.remove_prefix(kByteOrderMark.size());
    } else {
      break;
    }
  }
  return text;
}

MendedDocument MendDocument(std::string_view text, std::size_t max_depth) {
  return Mender(text, max_depth).Run();
}

}  // namespace openseat::neuro
