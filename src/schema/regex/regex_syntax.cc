#include "schema/regex/regex_syntax.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

using Kind = RegexNode::Kind;
using Ranges = std::vector<std::pair<char32_t, char32_t>>;

constexpr char32_t kLast = 0x10FFFF;
constexpr char32_t kNothing = 0xFFFFFFFF;
constexpr int kMaxNesting = 50;
constexpr std::u32string_view kSyntaxCharacters = U"^$\\.*+?()[]{}|/";

const Ranges kDigits = {{'0', '9'}};
const Ranges kWord = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const Ranges kSpace = {{0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                       {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
const Ranges kLineEnds = {{0x0A, 0x0A}, {0x0D, 0x0D}, {0x2028, 0x2029}};

// Sorted, merged, without surrogates: valid UTF-8 never contains one.
Ranges Normalize(const Ranges& ranges) {
  Ranges clipped;
  for (const auto& [low, high] : ranges) {
    if (low < 0xD800) clipped.emplace_back(low, std::min<char32_t>(high, 0xD7FF));
    if (high > 0xDFFF) clipped.emplace_back(std::max<char32_t>(low, 0xE000), high);
  }
  std::sort(clipped.begin(), clipped.end());
  Ranges out;
  for (const auto& range : clipped) {
    if (!out.empty() && range.first <= out.back().second + 1) {
      out.back().second = std::max(out.back().second, range.second);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

Ranges Complement(const Ranges& ranges) {
  Ranges out;
  char32_t next = 0;
  for (const auto& [low, high] : ranges) {
    if (low > next) out.emplace_back(next, low - 1);
    next = high + 1;
  }
  if (next <= kLast) out.emplace_back(next, kLast);
  return Normalize(out);
}

// The values of General_Category, by their long names and aliases.
constexpr std::array<std::pair<std::string_view, std::string_view>, 42> kCategories = {{
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Close_Punctuation", "Pe"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Unassigned", "Cn"},
}};

std::string_view CategoryOf(std::string_view name) {
  if (name == "Uppercase_Letter") return "Lu";
  const auto* const found = std::ranges::find(kCategories, name, &std::pair<std::string_view, std::string_view>::first);
  return found == kCategories.end() ? name : found->second;
}

class Parser {
 public:
  Parser(std::string_view pattern, bool strict) : text_(DecodeUtf8(pattern)), strict_(strict) {}

  Result<RegexSyntax> Parse() {
    ScanGroups();
    RegexSyntax syntax;
    syntax.root = Alternatives(0);
    if (error_.empty() && at_ < text_.size()) Error("unmatched \")\"");
    if (!error_.empty()) return Fail(ErrorCode::kSchema, error_);
    syntax.has_back_references = has_back_references_;
    return syntax;
  }

 private:
  bool AtEnd() const { return at_ >= text_.size() || !error_.empty(); }
  char32_t Peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : kNothing; }
  bool Take(char32_t c) {
    if (Peek() != c || AtEnd()) return false;
    ++at_;
    return true;
  }
  bool TakeAll(std::u32string_view prefix) {
    for (std::size_t i = 0; i < prefix.size(); ++i) {
      if (Peek(i) != prefix[i]) return false;
    }
    at_ += prefix.size();
    return true;
  }
  void Error(std::string_view what) {
    if (error_.empty()) {
      error_ = "not a valid regular expression: " + std::string(what) + " (at character " + std::to_string(at_) + ")";
    }
  }

  // Names and the number of groups are needed before the first reference to them.
  void ScanGroups() {
    bool in_class = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char32_t c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (in_class) {
        in_class = c != ']';
      } else if (c == '[') {
        in_class = true;
      } else if (c == '(') {
        const bool special = i + 1 < text_.size() && text_[i + 1] == '?';
        const bool named =
            special && i + 3 < text_.size() && text_[i + 2] == '<' && text_[i + 3] != '=' && text_[i + 3] != '!';
        if (special && !named) continue;
        ++group_count_;
        if (!named) continue;
        std::u32string name;
        for (std::size_t k = i + 3; k < text_.size() && text_[k] != '>'; ++k) name.push_back(text_[k]);
        if (!names_.emplace(name, group_count_).second) Error("two groups have the same name");
      }
    }
  }

  RegexNode Alternatives(int nesting) {
    RegexNode first = Sequence(nesting);
    if (Peek() != '|') return first;
    RegexNode node;
    node.kind = Kind::kAlternatives;
    node.children.push_back(std::move(first));
    while (Take('|')) node.children.push_back(Sequence(nesting));
    return node;
  }

  RegexNode Sequence(int nesting) {
    RegexNode node;
    while (!AtEnd() && Peek() != '|' && Peek() != ')') Term(nesting, node.children);
    return node;
  }

  void Term(int nesting, std::vector<RegexNode>& out) {
    bool repeatable = true;
    RegexNode node = Atom(nesting, repeatable);
    if (!error_.empty()) return;
    std::uint32_t min = 0;
    std::uint32_t max = 0;
    if (!Quantifier(min, max)) {
      out.push_back(std::move(node));
      return;
    }
    if (!repeatable) return Error("nothing to repeat before a quantifier");
    RegexNode repeat;
    repeat.kind = Kind::kRepeat;
    repeat.min = min;
    repeat.max = max;
    repeat.lazy = Take('?');
    repeat.children.push_back(std::move(node));
    out.push_back(std::move(repeat));
  }

  // "{2,5}" at the position: advances past it.
  bool Braces(std::uint32_t& min, std::uint32_t& max) {
    std::size_t i = at_ + 1;
    const auto number = [&](std::uint32_t& value) {
      const std::size_t start = i;
      std::uint64_t sum = 0;
      for (; i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; ++i) {
        sum = std::min<std::uint64_t>(sum * 10 + (text_[i] - '0'), 0xFFFFFFFE);
      }
      value = static_cast<std::uint32_t>(sum);
      return i > start;
    };
    if (!number(min)) return false;
    max = min;
    if (i < text_.size() && text_[i] == ',') {
      ++i;
      if (!number(max)) max = RegexNode::kUnbounded;
    }
    if (i >= text_.size() || text_[i] != '}') return false;
    at_ = i + 1;
    if (min > max) Error("a quantifier's bounds are out of order");
    return true;
  }

  bool Quantifier(std::uint32_t& min, std::uint32_t& max) {
    if (Take('*')) {
      max = RegexNode::kUnbounded;
      return true;
    }
    if (Take('+')) {
      min = 1;
      max = RegexNode::kUnbounded;
      return true;
    }
    if (Take('?')) {
      max = 1;
      return true;
    }
    return Peek() == '{' && Braces(min, max);
  }

  static RegexNode Simple(Kind kind) {
    RegexNode node;
    node.kind = kind;
    return node;
  }
  static RegexNode Class(const Ranges& ranges) {
    RegexNode node = Simple(Kind::kClass);
    node.characters.ranges = Normalize(ranges);
    return node;
  }
  static RegexNode Character(char32_t c) { return Class({{c, c}}); }

  RegexNode Atom(int nesting, bool& repeatable) {
    const char32_t c = Peek();
    switch (c) {
      case '^':
      case '$':
        ++at_;
        repeatable = false;
        return Simple(c == '^' ? Kind::kBegin : Kind::kEnd);
      case '.':
        ++at_;
        return Class(Complement(kLineEnds));
      case '(':
        return Group(nesting, repeatable);
      case '[':
        return Bracket();
      case '\\':
        return AtomEscape(repeatable);
      case '*':
      case '+':
      case '?':
        Error("nothing to repeat before a quantifier");
        return {};
      case '{': {
        std::uint32_t min = 0;
        std::uint32_t max = 0;
        if (strict_ || Braces(min, max)) {
          Error("nothing to repeat before a quantifier");
          return {};
        }
        break;
      }
      case '}':
      case ']':
        if (strict_) {
          Error("unmatched closing bracket");
          return {};
        }
        break;
      default:
        break;
    }
    ++at_;
    return Character(c);
  }

  RegexNode Group(int nesting, bool& repeatable) {
    if (nesting >= kMaxNesting) {
      Error("groups may nest at most " + std::to_string(kMaxNesting) + " deep");
      return {};
    }
    ++at_;
    RegexNode node = Simple(Kind::kGroup);
    bool captured = false;
    if (TakeAll(U"?:")) {
      node.kind = Kind::kSequence;
    } else if (TakeAll(U"?=")) {
      node.kind = Kind::kLookAhead;
    } else if (TakeAll(U"?!")) {
      node.kind = Kind::kNotLookAhead;
    } else if (TakeAll(U"?<=")) {
      node.kind = Kind::kLookBehind;
    } else if (TakeAll(U"?<!")) {
      node.kind = Kind::kNotLookBehind;
    } else if (TakeAll(U"?<")) {
      captured = true;
      if (GroupName().empty()) Error("a group's name is malformed");
    } else if (Peek() == '?') {
      Error("\"(?\" is followed by an unknown construct");
    } else {
      captured = true;
    }
    if (captured) node.number = ++groups_opened_;
    repeatable = captured || node.kind == Kind::kSequence;
    node.children.push_back(Alternatives(nesting + 1));
    if (!Take(')')) Error("a group is not closed");
    return node;
  }

  // Advances past the ">".
  std::u32string GroupName() {
    std::u32string name;
    while (!AtEnd() && Peek() != '>') {
      const char32_t c = text_[at_++];
      const bool start = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
      if (!start && (name.empty() || c < '0' || c > '9')) return {};
      name.push_back(c);
    }
    return Take('>') ? name : std::u32string();
  }

  RegexNode BackReference(std::uint32_t number) {
    RegexNode node = Simple(Kind::kBackReference);
    node.number = number;
    has_back_references_ = true;
    return node;
  }

  RegexNode AtomEscape(bool& repeatable) {
    const char32_t c = Peek(1);
    if (c == 'b' || c == 'B') {
      at_ += 2;
      repeatable = false;
      return Simple(c == 'b' ? Kind::kWordBoundary : Kind::kNotWordBoundary);
    }
    if (c >= '1' && c <= '9') {
      ++at_;
      std::uint64_t number = 0;
      while (Peek() >= '0' && Peek() <= '9')
        number = std::min<std::uint64_t>(number * 10 + (text_[at_++] - '0'), 1u << 20);
      if (number > group_count_) Error("a reference to a nonexistent group");
      return BackReference(static_cast<std::uint32_t>(number));
    }
    if (c == 'k') {
      at_ += 2;
      const auto found = Take('<') ? names_.find(GroupName()) : names_.end();
      if (found == names_.end()) {
        Error("a reference to a nonexistent group");
        return {};
      }
      return BackReference(found->second);
    }
    RegexNode node = Simple(Kind::kClass);
    if (ClassEscape(node.characters)) return node;
    const char32_t character = CharacterEscape(false);
    return Character(character);
  }

  // \d \D \w \W \s \S \p{…} \P{…}: adds them to `out` and advances past. False for anything else.
  bool ClassEscape(CharacterClass& out) {
    const Ranges* ranges = nullptr;
    switch (Peek(1)) {
      case 'd':
      case 'D':
        ranges = &kDigits;
        break;
      case 'w':
      case 'W':
        ranges = &kWord;
        break;
      case 's':
      case 'S':
        ranges = &kSpace;
        break;
      case 'p':
      case 'P':
        return PropertyEscape(out);
      default:
        return false;
    }
    const bool negated = Peek(1) < 'a';
    at_ += 2;
    const Ranges added = negated ? Complement(*ranges) : *ranges;
    out.ranges.insert(out.ranges.end(), added.begin(), added.end());
    out.ranges = Normalize(out.ranges);
    return true;
  }

  bool PropertyEscape(CharacterClass& out) {
    CharacterClass::Property property;
    property.negated = Peek(1) == 'P';
    at_ += 2;
    if (!Take('{')) {
      Error("\\p must be followed by {name}");
      return true;
    }
    std::string name;
    std::optional<std::string> value;
    for (; !AtEnd() && Peek() != '}'; ++at_) {
      const char32_t c = Peek();
      if (c == '=' && !value) {
        value.emplace();
        continue;
      }
      const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (!good) break;
      (value ? *value : name).push_back(static_cast<char>(c));
    }
    if (!Take('}') || name.empty() || (value && value->empty())) {
      Error("a Unicode property is malformed");
      return true;
    }
    if (!value) {
      property.name = CategoryOf(name);
      if (name == "ASCII" || name == "Assigned" || name == "Any") {
        // What PCRE2 has no name for.
        if (name == "Assigned") {
          property.name = "Cn";
          property.negated = !property.negated;
        } else {
          const Ranges set = {{0, name == "ASCII" ? 0x7F : kLast}};
          const Ranges added = property.negated ? Complement(set) : Normalize(set);
          out.ranges.insert(out.ranges.end(), added.begin(), added.end());
          out.ranges = Normalize(out.ranges);
          return true;
        }
      }
    } else if (name == "General_Category" || name == "gc") {
      property.name = CategoryOf(*value);
    } else if (name == "Script" || name == "sc") {
      property.name = "sc:" + *value;
    } else if (name == "Script_Extensions" || name == "scx") {
      property.name = "scx:" + *value;
    } else {
      Error("the Unicode property " + Quote(name) + " has no values");
    }
    out.properties.push_back(std::move(property));
    return true;
  }

  std::optional<char32_t> Hex(std::size_t at, std::size_t digits) const {
    char32_t value = 0;
    for (std::size_t i = at; i < at + digits; ++i) {
      if (i >= text_.size()) return std::nullopt;
      const char32_t c = text_[i];
      if (c >= '0' && c <= '9') {
        value = value * 16 + (c - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value * 16 + (c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        value = value * 16 + (c - 'A' + 10);
      } else {
        return std::nullopt;
      }
    }
    return value;
  }

  char32_t UnicodeEscape() {  // after "\u"
    if (Take('{')) {
      char32_t value = 0;
      std::size_t digits = 0;
      for (; !AtEnd() && Peek() != '}'; ++at_, ++digits) {
        const auto digit = Hex(at_, 1);
        if (!digit || value > kLast) break;
        value = value * 16 + *digit;
      }
      if (!Take('}') || digits == 0 || value > kLast) Error("\\u{…} must contain a code point");
      return value;
    }
    const auto first = Hex(at_, 4);
    if (!first) {
      Error("\\u must be followed by four hexadecimal digits");
      return 0;
    }
    at_ += 4;
    if (*first >= 0xD800 && *first <= 0xDBFF && Peek() == '\\' && Peek(1) == 'u') {
      const auto second = Hex(at_ + 2, 4);
      if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
        at_ += 6;
        return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
      }
    }
    return *first;
  }

  // At a backslash: the character that the escape stands for.
  char32_t CharacterEscape(bool in_class) {
    ++at_;
    if (AtEnd()) {
      Error("trailing backslash");
      return 0;
    }
    const char32_t c = text_[at_++];
    switch (c) {
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'v':
        return '\v';
      case 'f':
        return '\f';
      case 'r':
        return '\r';
      case '0':
        if (Peek() >= '0' && Peek() <= '9') Error("octal escapes are not allowed");
        return 0;
      case 'b':
        if (in_class) return '\b';
        break;
      case 'c': {
        const char32_t letter = Peek();
        if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
          ++at_;
          return letter % 32;
        }
        break;
      }
      case 'x':
        if (const auto value = Hex(at_, 2)) {
          at_ += 2;
          return *value;
        }
        break;
      case 'u':
        return UnicodeEscape();
      default:
        break;
    }
    if (kSyntaxCharacters.find(c) != std::u32string_view::npos) return c;
    if (in_class && c == '-') return c;
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (strict_ || is_word) Error("unknown escape");
    return c;
  }

  RegexNode Bracket() {
    ++at_;
    RegexNode node = Simple(Kind::kClass);
    CharacterClass& out = node.characters;
    out.negated = Take('^');
    while (!AtEnd() && Peek() != ']') {
      const char32_t low = ClassAtom(out);
      if (Peek() != '-' || Peek(1) == ']' || Peek(1) == kNothing) {
        if (low != kNothing) out.ranges.emplace_back(low, low);
        continue;
      }
      ++at_;
      const char32_t high = ClassAtom(out);
      if (low != kNothing && high != kNothing) {
        if (low > high) Error("a range's ends are out of order");
        out.ranges.emplace_back(low, high);
        continue;
      }
      // "[\w-.]": a class cannot be the end of a range.
      if (strict_) Error("a range's end must be a character");
      out.ranges.emplace_back('-', '-');
      if (low != kNothing) out.ranges.emplace_back(low, low);
      if (high != kNothing) out.ranges.emplace_back(high, high);
    }
    if (!Take(']')) Error("a \"[\" is not closed");
    out.ranges = Normalize(out.ranges);
    if (out.properties.empty() && out.negated) {
      out.ranges = Complement(out.ranges);
      out.negated = false;
    }
    return node;
  }

  // One character of a class, or kNothing if a class escape was added to `out` instead.
  char32_t ClassAtom(CharacterClass& out) {
    if (Peek() != '\\') return text_[at_++];
    if (ClassEscape(out)) return kNothing;
    return CharacterEscape(true);
  }

  std::vector<char32_t> text_;
  bool strict_;
  std::size_t at_ = 0;
  std::uint32_t group_count_ = 0;
  std::uint32_t groups_opened_ = 0;
  std::map<std::u32string, std::uint32_t> names_;
  bool has_back_references_ = false;
  std::string error_;
};

}  // namespace

Result<RegexSyntax> ParseRegex(std::string_view pattern, bool strict) {
  return Parser(pattern, strict).Parse();
}

}  // namespace openseat::schema
