// Mender: rewrites the object that begins at a brace as valid JSON. Internal to the module; use repair.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/text.h"
#include "schema/repair/repair.h"

namespace openseat::schema {

inline constexpr std::size_t kMaxLookAhead = 64;  // of an unquoted name
inline constexpr std::string_view kFenceMark = "```";

inline bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
// `sign` is not empty. Nearly always the first byte decides, which std::string_view leaves to a call of memcmp.
inline bool StartsWith(std::string_view text, std::string_view sign) {
  return !text.empty() && text.front() == sign.front() && text.starts_with(sign);
}
// For a name without quotes; non-ASCII bytes count as letters here.
inline bool IsNameChar(char c) {
  return IsAlphanumeric(c) || c == '_' || c == '$' || c == '-' || c == '.' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
// The first byte from `at` on that is a double quote, a backslash or a control character; text.size() if there is
// none. Most of an answer is skipped here, so eight bytes are examined together.
std::size_t SkipPlain(std::string_view text, std::size_t at);

enum class QuoteKind : std::uint8_t { kNone, kDouble, kSingle, kBacktick, kSmartDouble, kSmartSingle };

struct Quote {
  QuoteKind kind = QuoteKind::kNone;
  std::size_t size = 0;  // bytes
};

// The quote at the start of `text`.
Quote QuoteAt(std::string_view text);

// Rewrites the object that begins at a brace as valid JSON, member by member, in one pass and without recursion.
class Mender {
 public:
  // `begin` is the position of the brace. `text` and `limits` must outlive it. REQUIRES valid UTF-8.
  Mender(std::string_view text, std::size_t begin, const json::Limits& limits);

  // Call once. Errors: kParse, kTooLarge.
  Result<void> Run();

  std::string& out() { return out_; }
  // The position after the object.
  std::size_t at() const { return at_; }
  const FixSet& fixes() const { return fixes_; }

 private:
  enum class Want : std::uint8_t { kName, kColon, kValue, kComma };
  struct Level {
    char bracket;
    Want want;
    bool after_comma = false;
    std::size_t count = 0;         // members written
    std::size_t member_out = 0;    // where in out_ the last member, or its name, begins, including its comma
    std::size_t member_begin = 0;  // where in text_
    bool last_is_text = false;
  };

  bool AtEnd() const {
    return at_ >= text_.size() || (text_[at_] == kFenceMark.front() && text_.substr(at_).starts_with(kFenceMark));
  }
  char Here() const { return text_[at_]; }
  std::string_view Rest() const { return text_.substr(at_); }
  Level& Top() { return open_.back(); }

  void Fault(ErrorCode code, std::string message);
  void Unexpected();

  void Push(char bracket);
  // Writes the closing bracket of the innermost level.
  void Close();
  // Removes the unfinished member: its name and any part of its value.
  void DropMember();
  // Records where a member begins, and separates it from the previous one.
  void BeginMember();
  // Whether the next sign after this one is a comma.
  bool CommaFollows() const;
  // A closing bracket where the innermost level may end. Returns false if `c` is not one.
  bool Closing(char c);
  void SkipBlank();
  // Replaces a full-width sign with the ASCII one.
  bool Take(std::string_view sign);

  // --- The parts of an object ---

  void Name();
  void Colon();
  void Value();
  void Comma();

  // End of text: closes what is open, and removes what has no meaning yet.
  void Truncate();

  // --- Texts ---

  void AppendControl(unsigned char c);
  // A text that begins with `opening`.
  void Text(Quote opening, bool is_name);

  // Whether a text may end before `next`: what follows looks like the rest of an object, not of a sentence.
  bool EndsAt(std::size_t next, bool is_name) const;
  // Whether a name in quotes, and its colon, stand at `at`.
  bool IsNameAt(std::size_t at) const;

  void Escape();
  // A run of \xNN. Some clients write the bytes of UTF-8 so; elsewhere each means a code point below 256.
  void HexEscapes();
  std::optional<char> HexByteAt(std::size_t at) const;
  void UnicodeEscape();

  // --- Numbers and words ---

  // Whether only blanks are between `end` and what may follow a value.
  bool ValueEndsAt(std::size_t end) const;

  // Returns false if it is not a number; nothing was consumed then.
  bool Number();

  // The number that `token` means, in JSON's form; empty if it is only the beginning of one.
  static bool Normalize(std::string_view token, std::string& number);

  // The JSON form of a word of another language, or of JSON.
  static std::optional<std::string_view> Literal(std::string_view word);

  // A value without quotes: a literal, or a text.
  void Word();

  std::string_view text_;
  std::size_t at_;
  const json::Limits& limits_;
  std::string out_;
  std::vector<Level> open_;  // the outermost is an object
  std::size_t arrays_ = 0;   // among them
  FixSet fixes_;
  std::optional<Error> failure_;
};

}  // namespace openseat::schema
