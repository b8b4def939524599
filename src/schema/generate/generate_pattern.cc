#include "schema/generate/generate_pattern.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "schema/regex/regex.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

using Kind = RegexNode::Kind;
// Bit n: the node can match a text of n characters.
using Lengths = std::bitset<kMaxGeneratedLength + 1>;

Lengths Exactly(std::size_t length) {
  return Lengths().set(length);
}

bool BeginsAnchored(const RegexNode& node) {
  switch (node.kind) {
    case Kind::kBegin:
      return true;
    case Kind::kSequence:
      return !node.children.empty() && BeginsAnchored(node.children.front());
    case Kind::kGroup:
      return BeginsAnchored(node.children.front());
    case Kind::kAlternatives:
      return std::ranges::all_of(node.children, BeginsAnchored);
    default:
      return false;
  }
}
bool EndsAnchored(const RegexNode& node) {
  switch (node.kind) {
    case Kind::kEnd:
      return true;
    case Kind::kSequence:
      return !node.children.empty() && EndsAnchored(node.children.back());
    case Kind::kGroup:
      return EndsAnchored(node.children.front());
    case Kind::kAlternatives:
      return std::ranges::all_of(node.children, EndsAnchored);
    default:
      return false;
  }
}

// Characters for classes with Unicode properties: some of every common kind.
constexpr std::u32string_view kPool =
    U"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
    U"-_.,:;!?'\"()[]{}<>@#$%&*+=/\\|~^`äöüßéàñçøÆΑΒΓαβγδ"
    U"АБВабвгאבגابجकखग가나다あいうアイウ漢字一二三٠١٢०१२²½Ⅷ€£¥©°±×÷→∀∑★☺♞😀🎲👍\u0301\u00a0\u2003\u200d\u00ad";

}  // namespace

class PatternGenerator::Walker {
 public:
  // Longer lengths than `longest` are not considered.
  Walker(Budget& budget, std::size_t longest) : budget_(budget) {
    for (std::size_t length = 0; length <= longest; ++length) considered_.set(length);
  }

  bool IsExhausted() const { return budget_.exhausted(); }
  void UseRng(Rng& rng) { rng_ = &rng; }

  // The parser bounds the tree's nesting, and so this recursion.
  const Lengths& LengthsOf(const RegexNode& node) {
    const auto known = lengths_.find(&node);
    if (known != lengths_.end()) return known->second;
    budget_.Make(sizeof(Lengths) * 2);
    Lengths out;
    switch (node.kind) {
      case Kind::kSequence:
        out = Exactly(0);
        for (const RegexNode& child : node.children) out = Joined(out, LengthsOf(child));
        break;
      case Kind::kAlternatives:
        for (const RegexNode& child : node.children) out |= LengthsOf(child);
        break;
      case Kind::kClass:
        if (!node.characters.ranges.empty() || !node.characters.properties.empty()) out = Exactly(1);
        break;
      case Kind::kRepeat:
        out = RepeatLengths(node, LengthsOf(node.children.front()));
        break;
      case Kind::kGroup:
        out = LengthsOf(node.children.front());
        groups_[node.number] = &node;
        break;
      case Kind::kBackReference:
        // What the group will have captured is not known yet: any of its lengths.
        out = Exactly(0);
        if (const auto group = groups_.find(node.number); group != groups_.end()) out |= LengthsOf(*group->second);
        break;
      default:
        out = Exactly(0);
        break;
    }
    return lengths_.emplace(&node, out).first->second;
  }

  // REQUIRES `length` among LengthsOf(node).
  void Write(const RegexNode& node, std::size_t length, std::string& out) {
    if (!budget_.Spend(2)) return;
    switch (node.kind) {
      case Kind::kSequence:
        WriteSequence(node, length, out);
        break;
      case Kind::kAlternatives: {
        std::vector<const RegexNode*> fitting;
        budget_.Spend(node.children.size());
        for (const RegexNode& child : node.children) {
          if (LengthsOf(child).test(length)) fitting.push_back(&child);
        }
        if (!fitting.empty()) Write(*fitting[rng_->Below(fitting.size())], length, out);
        break;
      }
      case Kind::kClass:
        AppendUtf8(out, Pick(node.characters));
        break;
      case Kind::kRepeat:
        WriteRepeat(node, length, out);
        break;
      case Kind::kGroup: {
        const std::size_t start = out.size();
        Write(node.children.front(), length, out);
        if (budget_.Make(out.size() - start)) captured_[node.number] = out.substr(start);
        break;
      }
      case Kind::kBackReference:
        // Groups that repeat one another may double with each.
        if (budget_.Make(captured_[node.number].size())) out += captured_[node.number];
        break;
      default:
        break;
    }
  }

 private:
  // The lengths of a text of one node followed by a text of another.
  Lengths Joined(const Lengths& a, const Lengths& b) {
    const Lengths& few = a.count() <= b.count() ? a : b;
    const Lengths& many = a.count() <= b.count() ? b : a;
    Lengths out;
    if (!budget_.Spend(few.count() + 2)) return out;
    for (std::size_t i = few._Find_first(); i < few.size(); i = few._Find_next(i)) out |= many << i;
    return out & considered_;
  }

  // What 0, 1, 2 … copies can be long, up to where more copies add nothing.
  std::vector<Lengths> Copies(const Lengths& one, std::uint32_t max) {
    std::vector<Lengths> out{Exactly(0)};
    // A copy of no characters changes nothing: only those that grow count.
    Lengths growing = one;
    growing.reset(0);
    while (out.size() <= max) {
      const Lengths next = Joined(out.back(), growing);
      if (next.none()) break;
      out.push_back(next);
    }
    return out;
  }

  Lengths RepeatLengths(const RegexNode& node, const Lengths& one) {
    const std::vector<Lengths> copies = Copies(one, node.max);
    Lengths out;
    for (std::size_t count = 0; count < copies.size(); ++count) {
      // Fewer growing copies than `min` are enough where the rest may be empty.
      if (count >= node.min || one.test(0)) out |= copies[count];
    }
    return out;
  }

  void WriteSequence(const RegexNode& node, std::size_t length, std::string& out) {
    // What the children from i on can be long.
    std::vector<Lengths> rest(node.children.size() + 1);
    rest.back() = Exactly(0);
    for (std::size_t i = node.children.size(); i-- > 0;) rest[i] = Joined(LengthsOf(node.children[i]), rest[i + 1]);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const std::size_t own = PickSplit(LengthsOf(node.children[i]), rest[i + 1], length);
      Write(node.children[i], own, out);
      length -= own;
    }
  }

  void WriteRepeat(const RegexNode& node, std::size_t length, std::string& out) {
    const RegexNode& child = node.children.front();
    Lengths one = LengthsOf(child);
    const std::vector<Lengths> copies = Copies(one, node.max);
    std::vector<std::size_t> counts;
    for (std::size_t count = 0; count < copies.size(); ++count) {
      if ((count >= node.min || one.test(0)) && copies[count].test(length)) counts.push_back(count);
    }
    if (counts.empty()) return;
    one.reset(0);
    for (std::size_t left = counts[rng_->Below(counts.size())]; left > 0; --left) {
      const std::size_t own = PickSplit(one, copies[left - 1], length);
      Write(child, own, out);
      length -= own;
    }
  }

  // A length of `first` such that `rest` can have what remains of `length`.
  std::size_t PickSplit(const Lengths& first, const Lengths& rest, std::size_t length) {
    budget_.Spend(first.count());
    std::size_t chosen = 0;
    std::uint64_t seen = 0;
    for (std::size_t own = first._Find_first(); own <= length && own < first.size(); own = first._Find_next(own)) {
      if (rest.test(length - own) && rng_->Below(++seen) == 0) chosen = own;
    }
    return chosen;
  }

  char32_t Pick(const CharacterClass& characters) {
    budget_.Spend(4 + characters.ranges.size());
    if (!characters.properties.empty() || characters.negated) return PickByProperty(characters);
    // Letters and digits where there are some, then anything printable, then anything.
    constexpr std::array<std::pair<char32_t, char32_t>, 4> kNice = {{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {0x20, 0x7E}}};
    const bool nicest = rng_->Chance(0.8);
    std::vector<std::pair<char32_t, char32_t>> ranges;
    for (const auto& nice : kNice) {
      const bool printable = nice.first == 0x20;
      if (printable && nicest && !ranges.empty()) break;
      for (const auto& range : characters.ranges) {
        const char32_t low = std::max(range.first, nice.first);
        const char32_t high = std::min(range.second, nice.second);
        if (low <= high) ranges.emplace_back(low, high);
      }
    }
    if (ranges.empty()) ranges = characters.ranges;
    std::uint64_t total = 0;
    for (const auto& [low, high] : ranges) total += high - low + 1;
    std::uint64_t at = rng_->Below(total);
    for (const auto& [low, high] : ranges) {
      if (at <= high - low) return low + static_cast<char32_t>(at);
      at -= high - low + 1;
    }
    return ranges.front().first;
  }

  char32_t PickByProperty(const CharacterClass& characters) {
    auto [at, is_new] = pools_.try_emplace(&characters);
    if (is_new) {
      RegexSyntax syntax;
      RegexNode node;
      node.kind = Kind::kClass;
      node.characters = characters;
      syntax.root.children.push_back(std::move(node));
      if (const auto regex = Regex::Compile(std::move(syntax), budget_)) {
        std::uint64_t steps = budget_.left();
        for (const char32_t c : kPool) {
          std::string text;
          AppendUtf8(text, c);
          if (regex->Match(text, steps) == Regex::Outcome::kYes) at->second.push_back(c);
        }
        budget_.SetLeft(steps);
      }
    }
    return at->second.empty() ? U'a' : at->second[rng_->Below(at->second.size())];
  }

  Budget& budget_;
  Lengths considered_;
  Rng* rng_ = nullptr;
  std::unordered_map<const RegexNode*, Lengths> lengths_;
  std::unordered_map<const CharacterClass*, std::u32string> pools_;
  std::map<std::uint32_t, const RegexNode*> groups_;
  std::map<std::uint32_t, std::string> captured_;
};

namespace {

// Letters around an expression that is not anchored, for texts that must be longer than what it matches.
RegexNode Padding() {
  RegexNode letters;
  letters.kind = Kind::kClass;
  letters.characters.ranges = {{'a', 'z'}};
  RegexNode repeat;
  repeat.kind = Kind::kRepeat;
  repeat.max = RegexNode::kUnbounded;
  repeat.children.push_back(std::move(letters));
  return repeat;
}

std::vector<std::size_t> Within(const LengthRange& range, const Lengths& lengths) {
  std::vector<std::size_t> out;
  for (std::size_t i = lengths._Find_first(); i < lengths.size(); i = lengths._Find_next(i)) {
    if (i >= range.min && i <= range.max) out.push_back(i);
  }
  return out;
}

}  // namespace

PatternGenerator::PatternGenerator(const RegexSyntax& syntax, const LengthRange& range, std::size_t preferred_extra,
                                   Budget& budget)
    : preferred_extra_(preferred_extra), root_(&syntax.root) {
  const std::size_t longest = std::min(range.max, kMaxGeneratedLength);
  const std::size_t usual = std::min(longest, range.min + kUsualExtraLength);
  for (const std::size_t considered : {usual, longest}) {
    Consider({range.min, considered}, syntax.root, budget);
    if (!lengths_.empty()) break;
  }
}

void PatternGenerator::Consider(const LengthRange& range, const RegexNode& root, Budget& budget) {
  root_ = &root;
  walker_ = std::make_unique<Walker>(budget, range.max);
  lengths_ = Within(range, walker_->LengthsOf(*root_));
  const bool begins = BeginsAnchored(*root_);
  const bool ends = EndsAnchored(*root_);
  if (!lengths_.empty() || (begins && ends)) return;
  auto padded = std::make_unique<RegexNode>();
  if (!begins) padded->children.push_back(Padding());
  padded->children.push_back(*root_);
  if (!ends) padded->children.push_back(Padding());
  padded_ = std::move(padded);
  root_ = padded_.get();
  lengths_ = Within(range, walker_->LengthsOf(*root_));
}

PatternGenerator::PatternGenerator(PatternGenerator&& other) noexcept = default;
PatternGenerator::~PatternGenerator() = default;

std::optional<std::string> PatternGenerator::Next(Rng& rng) {
  if (lengths_.empty() || walker_->IsExhausted()) return std::nullopt;
  walker_->UseRng(rng);
  // Mostly not much longer than needed.
  const auto usual = static_cast<std::size_t>(
      std::upper_bound(lengths_.begin(), lengths_.end(), lengths_.front() + preferred_extra_) - lengths_.begin());
  const std::size_t choices = rng.Chance(0.9) ? usual : lengths_.size();
  std::string out;
  walker_->Write(*root_, lengths_[rng.Below(choices)], out);
  if (walker_->IsExhausted()) return std::nullopt;
  return out;
}

}  // namespace openseat::schema
