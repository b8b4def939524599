// Mender: writes the object that begins at a brace as valid JSON. The module's own; repair.h is for others.
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
#include "schema/repair.h"

namespace openseat::schema {

class FixSet {
 public:
  void Add(Fix fix) { bits_ |= 1u << static_cast<unsigned>(fix); }
  void Add(const FixSet& other) { bits_ |= other.bits_; }
  std::vector<Fix> List() const;

 private:
  std::uint32_t bits_ = 0;
};

inline constexpr std::size_t kMaxLookAhead = 64;  // of an unquoted name
inline constexpr std::string_view kFenceMark = "```";

inline bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
// Of a name without quotes; bytes beyond ASCII are letters here.
inline bool IsNameChar(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '-' ||
         c == '.' || (static_cast<unsigned char>(c) & 0x80) != 0;
}
// The first byte from `at` on that is a double quote, a backslash or a control character; text.size() where there is
// none. Most of an answer is passed over here, so eight bytes are looked at together.
std::size_t SkipPlain(std::string_view text, std::size_t at);

enum class QuoteKind : std::uint8_t { kNone, kDouble, kSingle, kBacktick, kSmartDouble, kSmartSingle };

struct Quote {
  QuoteKind kind = QuoteKind::kNone;
  std::size_t size = 0;  // bytes
};

// The quote that stands at the beginning of `text`.
Quote QuoteAt(std::string_view text);

// Writes the object that begins at a brace as valid JSON, member by member, in one pass and without recursion.
class Mender {
 public:
  // `begin` is where the brace stands. `text` and `limits` outlive it. REQUIRES valid UTF-8.
  Mender(std::string_view text, std::size_t begin, const json::Limits& limits);

  // Call once. Errors: kParse, kTooLarge.
  Result<void> Run();

  std::string& out() { return out_; }
  // Behind the object.
  std::size_t at() const { return at_; }
  const FixSet& fixes() const { return fixes_; }

 private:
  enum class Want : std::uint8_t { kName, kColon, kValue, kComma };
  struct Level {
    char bracket;
    Want want;
    bool after_comma = false;
    std::size_t count = 0;         // members written
    std::size_t member_out = 0;    // where in out_ the last member, or its name, begins with its comma
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
  // Takes back the member that was begun: its name and what there is of its value.
  void DropMember();
  // Notes where a member begins, and separates it from the last.
  void BeginMember();
  bool EnclosedBy(char bracket) const;
  // A closing bracket where the innermost level may end. Returns false where `c` is none.
  bool Closing(char c);
  void SkipBlank();
  // Takes a full-width sign in place of the ASCII one.
  bool Take(std::string_view sign);

  // --- The parts of an object ---

  void Name();
  void Colon();
  void Value();
  void Comma();

  // The text is over: what was begun is closed, and what says nothing yet is taken back.
  void Truncate();

  // --- Texts ---

  void AppendControl(unsigned char c);
  // A text that begins with `opening`.
  void Text(Quote opening, bool is_name);

  // Whether a text may end before `next`: what follows looks like the rest of an object, not of a sentence.
  bool EndsAt(std::size_t next, bool is_name) const;

  void Escape();
  void UnicodeEscape();

  // --- Numbers and words ---

  // Whether nothing but a blank stands between `end` and what may follow a value.
  bool ValueEndsAt(std::size_t end) const;

  // Returns false where it is no number after all: nothing was taken then.
  bool Number();

  // The number that `token` means, as JSON writes it; empty where it is only the beginning of one.
  static bool Normalize(std::string_view token, std::string& number);

  // What a word of another language, or of JSON, is in JSON.
  static std::optional<std::string_view> Literal(std::string_view word);

  // A value without quotes: a literal, or a text.
  void Word();

  std::string_view text_;
  std::size_t at_;
  const json::Limits& limits_;
  std::string out_;
  std::vector<Level> open_;
  FixSet fixes_;
  std::optional<Error> failure_;
};

}  // namespace openseat::schema
