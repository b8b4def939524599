#include "schema/repair/strict.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <utility>
#include <vector>

#include "base/text.h"
#include "schema/repair/mender.h"
#include "schema/repair/repair.h"

namespace openseat::schema {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The colons outside of strings: in valid JSON, as many as the text has members.
std::size_t CountColons(std::string_view text) {
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; at < end; ++at) {
    if (*at == ':') {
      ++count;
    } else if (*at == '"') {
      // To the next quote with an even number of backslashes before it.
      const char* const begin = at;
      for (bool escaped = true; escaped;) {
        at = static_cast<const char*>(std::memchr(at + 1, '"', static_cast<std::size_t>(end - at - 1)));
        if (at == nullptr) return count;
        const char* back = at;
        while (back > begin + 1 && back[-1] == '\\') --back;
        escaped = (at - back) % 2 == 1;
      }
    }
  }
  return count;
}

// The members of all objects; the parser bounded the depth.
std::size_t CountMembers(const json::Value& value) {
  std::size_t count = 0;
  if (const json::Object* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object) {
      if (member.value().is_structured()) count += CountMembers(member.value());
    }
  } else if (const json::Array* list = value.if_array()) {
    for (const json::Value& item : *list) {
      if (item.is_structured()) count += CountMembers(item);
    }
  }
  return count;
}

// Finds the first place at which a text is not a JSON object, and says what was expected there.
class Diagnosis {
 public:
  explicit Diagnosis(std::string_view text) : text_(text) {}

  // nullopt if the grammar is valid.
  std::optional<std::string> Run() {
    Skip();
    if (AtEnd()) return "Unexpected end of JSON input: expected one JSON object";
    if (text_[at_] != '{') return Unexpected("expected one JSON object, and nothing around it");
    std::vector<char> open;
    enum class Want { kValue, kValueOrEnd, kName, kNameOrEnd, kColon, kCommaOrEnd } want = Want::kValue;
    do {
      Skip();
      if (AtEnd()) return "Unexpected end of JSON input: " + std::to_string(open.size()) + " brackets are still open";
      const char c = text_[at_];
      switch (want) {
        case Want::kNameOrEnd:
        case Want::kName:
          if (c == '}' && want == Want::kNameOrEnd) {
            open.pop_back();
            ++at_;
            want = Want::kCommaOrEnd;
            break;
          }
          if (c != '"') return Unexpected("expected a property name in double quotes");
          if (auto wrong = String()) return wrong;
          want = Want::kColon;
          break;
        case Want::kColon:
          if (c != ':') return Unexpected("expected a colon");
          ++at_;
          want = Want::kValue;
          break;
        case Want::kCommaOrEnd:
          if (c == ',') {
            ++at_;
            want = open.back() == '{' ? Want::kName : Want::kValue;
          } else if (c == (open.back() == '{' ? '}' : ']')) {
            open.pop_back();
            ++at_;
          } else {
            return Unexpected(open.back() == '{' ? "expected a comma or a closing brace"
                                                 : "expected a comma or a closing bracket");
          }
          break;
        case Want::kValue:
        case Want::kValueOrEnd:
          if (c == ']' && want == Want::kValueOrEnd) {
            open.pop_back();
            ++at_;
            want = Want::kCommaOrEnd;
          } else if (c == '{' || c == '[') {
            open.push_back(c);
            ++at_;
            want = c == '{' ? Want::kNameOrEnd : Want::kValueOrEnd;
          } else {
            if (auto wrong = Scalar()) return wrong;
            want = Want::kCommaOrEnd;
          }
          break;
      }
    } while (!open.empty());
    Skip();
    if (!AtEnd()) return Unexpected("expected nothing after the object");
    return std::nullopt;
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  void Skip() {
    while (!AtEnd() && IsBlank(text_[at_])) ++at_;
  }

  std::string Unexpected(const char* expected) const {
    const std::string_view rest = text_.substr(at_);
    const std::size_t length = std::max<std::size_t>(1, Utf8CharLength(rest));
    return "Unexpected token '" + SanitizeUtf8(rest.substr(0, length)) + "' at position " + std::to_string(at_) + ": " +
           expected;
  }

  std::optional<std::string> String() {
    for (at_ = SkipPlain(text_, at_ + 1); !AtEnd(); at_ = SkipPlain(text_, at_ + 1)) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return std::nullopt;
      }
      if (c < 0x20) {
        return "Unexpected control character in a string at position " + std::to_string(at_) + ": it must be escaped";
      }
      if (c == '\\') {
        ++at_;
        if (AtEnd()) break;
        if (std::string_view("\"\\/bfnrtu").find(text_[at_]) == std::string_view::npos) {
          return Unexpected("unknown escape");
        }
      }
    }
    return "Unexpected end of JSON input: a string is not closed";
  }

  std::optional<std::string> Scalar() {
    const char c = text_[at_];
    if (c == '"') return String();
    if (c == '-' || (c >= '0' && c <= '9')) {
      ++at_;
      while (!AtEnd() && std::string_view("0123456789+-.eE").find(text_[at_]) != std::string_view::npos) ++at_;
      return std::nullopt;  // the parser reports errors within numbers
    }
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return std::nullopt;
      }
    }
    return Unexpected("expected a value");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool RepeatsNames(std::string_view text, const json::Value& value) {
  return CountColons(text) != CountMembers(value);
}

Result<json::Value> ParseStrict(std::string_view text, const json::Limits& limits) {
  Result<json::Value> value = json::Parse(text, limits);
  if (!value) {
    if (value.error().code == ErrorCode::kTooLarge) return value;
    if (auto wrong = Diagnosis(text).Run()) return Fail(ErrorCode::kParse, std::move(*wrong));
    return value;
  }
  if (!value->is_object()) {
    return Fail(ErrorCode::kParse, "expected one JSON object; got " + std::string(json::TypeName(*value)));
  }
  if (RepeatsNames(text, *value)) {
    return Fail(ErrorCode::kParse, "a property name appears twice in the same object");
  }
  return value;
}

}  // namespace openseat::schema
