#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "schema/regex/regex_syntax.h"

namespace openseat::schema {
namespace {

using Kind = RegexNode::Kind;

class Printer {
 public:
  explicit Printer(bool capture) : capture_(capture) {}

  // Counts each start of a match.
  void PrintAll(const RegexNode& root) {
    Count(kCountStep);
    Print(root);
  }

  // The parser bounds the nesting.
  void Print(const RegexNode& node) {
    switch (node.kind) {
      case Kind::kSequence:
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          const RegexNode& child = node.children[i];
          if (i % kUncounted == kUncounted - 1) Count(kCountStep);
          const bool wrap = child.kind == Kind::kAlternatives;
          if (wrap) out_ += "(?:";
          Print(child);
          if (wrap) out_ += ")";
        }
        break;
      case Kind::kAlternatives:
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          if (i > 0) out_ += "|";
          Count(kCountStep);
          Print(node.children[i]);
        }
        break;
      case Kind::kClass:
        PrintClass(node.characters);
        break;
      case Kind::kRepeat:
        if (node.children[0].kind == Kind::kClass) {
          Count(kCountScan + std::bit_width(node.min));
          Print(node.children[0]);
          PrintQuantifier(node);
          Count(kCountScanned);
        } else {
          out_ += "(?:";
          Count(kCountStep);
          Print(node.children[0]);
          out_ += ")";
          PrintQuantifier(node);
        }
        break;
      case Kind::kGroup:
        PrintGroup(capture_ ? "(" : "(?:", node);
        break;
      case Kind::kBackReference:
        Count(kCountCompare);
        out_ += "\\g{" + std::to_string(node.number) + "}";
        break;
      case Kind::kBegin:
        out_ += "^";
        break;
      case Kind::kEnd:
        out_ += "$";
        break;
      case Kind::kWordBoundary:
        out_ += "\\b";
        break;
      case Kind::kNotWordBoundary:
        out_ += "\\B";
        break;
      case Kind::kLookAhead:
        PrintGroup("(?=", node);
        break;
      case Kind::kNotLookAhead:
        PrintGroup("(?!", node);
        break;
      case Kind::kLookBehind:
        PrintGroup("(?<=", node);
        break;
      case Kind::kNotLookBehind:
        PrintGroup("(?<!", node);
        break;
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  // Sequence items before a count.
  static constexpr std::size_t kUncounted = 16;

  void Count(int what) { out_.append("(?C").append(std::to_string(what)).append(")"); }

  void PrintGroup(std::string_view open, const RegexNode& node) {
    out_ += open;
    Print(node.children[0]);
    out_ += ")";
  }

  void PrintQuantifier(const RegexNode& node) {
    if (node.min == 0 && node.max == RegexNode::kUnbounded) {
      out_ += "*";
    } else if (node.min == 1 && node.max == RegexNode::kUnbounded) {
      out_ += "+";
    } else if (node.min == 0 && node.max == 1) {
      out_ += "?";
    } else {
      out_.append("{").append(std::to_string(node.min));
      if (node.max == RegexNode::kUnbounded) {
        out_ += ",";
      } else if (node.max != node.min) {
        out_.append(",").append(std::to_string(node.max));
      }
      out_ += "}";
    }
    if (node.lazy) out_ += "?";
  }

  void PrintCharacter(char32_t c) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
      out_.push_back(static_cast<char>(c));
      return;
    }
    constexpr std::string_view kDigits16 = "0123456789abcdef";
    std::string hex;
    for (char32_t rest = c; rest > 0 || hex.empty(); rest /= 16) hex.insert(hex.begin(), kDigits16[rest % 16]);
    out_ += "\\x{" + hex + "}";
  }

  void PrintClass(const CharacterClass& characters) {
    if (characters.ranges.empty() && characters.properties.empty()) {
      out_ += "(?!)";  // "[]" matches nothing
      return;
    }
    const bool one = characters.ranges.size() == 1 && characters.properties.empty() && !characters.negated &&
                     characters.ranges[0].first == characters.ranges[0].second;
    if (one) return PrintCharacter(characters.ranges[0].first);
    out_ += characters.negated ? "[^" : "[";
    for (const auto& [low, high] : characters.ranges) {
      PrintCharacter(low);
      if (high == low) continue;
      out_ += "-";
      PrintCharacter(high);
    }
    for (const CharacterClass::Property& property : characters.properties) {
      out_ += (property.negated ? "\\P{" : "\\p{") + property.name + "}";
    }
    out_ += "]";
  }

  bool capture_;
  std::string out_;
};

}  // namespace

std::string PrintForPcre2(const RegexSyntax& syntax) {
  Printer printer(syntax.has_back_references);
  printer.PrintAll(syntax.root);
  return printer.Take();
}

}  // namespace openseat::schema
