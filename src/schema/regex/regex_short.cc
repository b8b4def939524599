#include "schema/regex/regex_short.h"

#include <algorithm>

namespace openseat::schema {

class RegexShortBuilder {
  using Kind = RegexNode::Kind;

 public:
  std::optional<RegexShort> Build(const RegexSyntax& syntax) {
    if (!Add(syntax.root) || !has_end_ || out_.size_ == 0) return std::nullopt;
    for (std::size_t at = out_.size_; at < 8; ++at) Put(at, 0, 0x7F);
    return out_;
  }

 private:
  // The parser bounds the nesting.
  bool Add(const RegexNode& node) {
    if (++visited_ > kMaxVisited) return false;
    switch (node.kind) {
      case Kind::kBegin:
        // A repeat does not matter at the beginning, and cannot match after a character.
        has_begin_ = true;
        return out_.size_ == 0 && !has_end_;
      case Kind::kEnd:
        has_end_ = true;
        return has_begin_;
      case Kind::kClass:
        return AddClass(node.characters);
      case Kind::kRepeat:
        if (node.min != node.max || node.max > 8) return false;
        for (std::uint32_t i = 0; i < node.max; ++i) {
          if (!Add(node.children.front())) return false;
        }
        return true;
      case Kind::kSequence:
      case Kind::kGroup:
        return std::ranges::all_of(node.children, [&](const RegexNode& child) { return Add(child); });
      default:
        return false;
    }
  }

  bool AddClass(const CharacterClass& characters) {
    const bool is_range = !characters.negated && characters.properties.empty() && characters.ranges.size() == 1 &&
                          characters.ranges.front().second < 0x80;
    if (!is_range || !has_begin_ || has_end_ || out_.size_ == 8) return false;
    Put(out_.size_, characters.ranges.front().first, characters.ranges.front().second);
    ++out_.size_;
    return true;
  }

  void Put(std::size_t at, std::uint64_t low, std::uint64_t high) {
    out_.low_ |= low << (8 * at);
    out_.beyond_ |= (0x7F - high) << (8 * at);
  }

  // Empty groups may be repeated within one another.
  static constexpr int kMaxVisited = 200;

  RegexShort out_;
  int visited_ = 0;
  bool has_begin_ = false;
  bool has_end_ = false;
};

std::optional<RegexShort> RegexShort::Build(const RegexSyntax& syntax) {
  return RegexShortBuilder().Build(syntax);
}

}  // namespace openseat::schema
