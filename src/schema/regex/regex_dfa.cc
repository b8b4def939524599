#include "schema/regex/regex_dfa.h"

#include <algorithm>
#include <bitset>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "schema/utf8.h"

namespace openseat::schema {
namespace {

using Kind = RegexNode::Kind;

constexpr std::size_t kMaxParts = 400;   // states before the subset construction
constexpr std::size_t kMaxStates = 100;  // and after it
constexpr std::size_t kMaxSymbols = 60;
// The work limit for one table; beyond it, the pattern is left to PCRE2.
constexpr std::uint64_t kMaxTableSteps = 60'000;

// One state of the nondeterministic automaton.
struct Part {
  enum class Type : std::uint8_t { kSplit, kCharacter, kAtBegin, kAtEnd, kAccept };
  Type type = Type::kSplit;
  std::uint32_t symbols = 0;  // for kCharacter: index into the symbol sets
  std::vector<std::uint32_t> next;
};

using Parts = std::bitset<kMaxParts>;

}  // namespace

class DfaBuilder {
 public:
  // Draws on `steps`.
  explicit DfaBuilder(std::uint64_t& steps) : steps_(steps) {}

  std::optional<RegexDfa> Build(const RegexSyntax& syntax) {
    if (syntax.has_back_references || !CollectBorders(syntax.root)) return std::nullopt;
    borders_.insert(0);
    dfa_.borders_.assign(borders_.begin(), borders_.end());
    if (!AssignSymbols()) return std::nullopt;
    const std::uint32_t accept = AddPart(Part::Type::kAccept, {});
    const std::optional<std::uint32_t> start = Compile(syntax.root, accept);
    if (!start || !Determine(*start)) return std::nullopt;
    return std::move(dfa_);
  }

 private:
  bool Spend(std::uint64_t steps) {
    steps_ -= std::min(steps, steps_);
    return steps_ > 0;
  }

  // The parser bounds the nesting.
  bool CollectBorders(const RegexNode& node) {
    if (!Spend(1 + node.characters.ranges.size() * 8)) return false;
    switch (node.kind) {
      case Kind::kClass:
        if (node.characters.negated || !node.characters.properties.empty()) return false;
        for (const auto& [low, high] : node.characters.ranges) {
          borders_.insert(low);
          borders_.insert(high + 1);
        }
        classes_.push_back(&node.characters);
        ranges_ += node.characters.ranges.size();
        break;
      case Kind::kBackReference:
      case Kind::kWordBoundary:
      case Kind::kNotWordBoundary:
      case Kind::kLookAhead:
      case Kind::kNotLookAhead:
      case Kind::kLookBehind:
      case Kind::kNotLookBehind:
        return false;
      default:
        break;
    }
    return classes_.size() <= kMaxParts &&
           std::ranges::all_of(node.children, [&](const RegexNode& child) { return CollectBorders(child); });
  }

  static bool Holds(const CharacterClass& characters, char32_t c) {
    return std::ranges::any_of(characters.ranges,
                               [c](const auto& range) { return c >= range.first && c <= range.second; });
  }

  // Intervals that no class distinguishes are one symbol.
  bool AssignSymbols() {
    if (!Spend(dfa_.borders_.size() * (classes_.size() + ranges_ / 4 + 4))) return false;
    std::map<std::vector<bool>, std::uint8_t> known;
    for (const char32_t border : dfa_.borders_) {
      std::vector<bool> in;
      in.reserve(classes_.size());
      for (const CharacterClass* characters : classes_) in.push_back(Holds(*characters, border));
      const auto [at, is_new] = known.try_emplace(std::move(in), static_cast<std::uint8_t>(known.size()));
      if (known.size() > kMaxSymbols) return false;
      dfa_.symbol_of_.push_back(at->second);
    }
    dfa_.symbols_ = static_cast<std::uint32_t>(known.size());
    for (const auto& [in, symbol] : known) {
      for (std::size_t i = 0; i < classes_.size(); ++i) {
        if (in[i]) symbols_of_class_[classes_[i]].insert(symbol);
      }
    }
    std::size_t interval = 0;
    for (char32_t c = 0; c < 128; ++c) {
      while (interval + 1 < dfa_.borders_.size() && dfa_.borders_[interval + 1] <= c) ++interval;
      dfa_.ascii_[c] = dfa_.symbol_of_[interval];
    }
    return true;
  }

  std::uint32_t AddPart(Part::Type type, std::vector<std::uint32_t> next) {
    parts_.push_back({type, 0, std::move(next)});
    return static_cast<std::uint32_t>(parts_.size() - 1);
  }

  // The first part of `node`, followed by `after`. nullopt if there are too many parts.
  std::optional<std::uint32_t> Compile(const RegexNode& node, std::uint32_t after) {
    // Also for nodes without parts: empty groups may be repeated within one another.
    if (parts_.size() > kMaxParts || !Spend(2)) return std::nullopt;
    switch (node.kind) {
      case Kind::kBegin:
        return AddPart(Part::Type::kAtBegin, {after});
      case Kind::kEnd:
        return AddPart(Part::Type::kAtEnd, {after});
      case Kind::kClass: {
        const std::uint32_t part = AddPart(Part::Type::kCharacter, {after});
        parts_[part].symbols = static_cast<std::uint32_t>(sets_.size());
        sets_.push_back(&symbols_of_class_[&node.characters]);
        return part;
      }
      case Kind::kAlternatives: {
        std::vector<std::uint32_t> starts;
        for (const RegexNode& child : node.children) {
          const auto start = Compile(child, after);
          if (!start) return std::nullopt;
          starts.push_back(*start);
        }
        return AddPart(Part::Type::kSplit, std::move(starts));
      }
      case Kind::kRepeat:
        return CompileRepeat(node, after);
      default: {  // kSequence, kGroup
        std::optional<std::uint32_t> start = after;
        for (std::size_t i = node.children.size(); i-- > 0 && start;) start = Compile(node.children[i], *start);
        return start;
      }
    }
  }

  std::optional<std::uint32_t> CompileRepeat(const RegexNode& node, std::uint32_t after) {
    const RegexNode& child = node.children.front();
    std::optional<std::uint32_t> start = after;
    if (node.max == RegexNode::kUnbounded) {
      const std::uint32_t loop = AddPart(Part::Type::kSplit, {after});
      const auto body = Compile(child, loop);
      if (!body) return std::nullopt;
      parts_[loop].next.push_back(*body);
      start = loop;
    } else {
      if (node.max > kMaxParts) return std::nullopt;
      for (std::uint32_t i = node.min; i < node.max; ++i) {
        const auto body = Compile(child, *start);
        if (!body) return std::nullopt;
        start = AddPart(Part::Type::kSplit, {*body, after});
      }
    }
    if (node.min > kMaxParts) return std::nullopt;
    for (std::uint32_t i = 0; i < node.min && start; ++i) start = Compile(child, *start);
    return start;
  }

  // Adds all parts reachable from `from` without a character, except kSplit and satisfied assertions.
  void Close(std::uint32_t from, bool at_begin, bool at_end, Parts& out) {
    Parts seen;
    std::vector<std::uint32_t> open{from};
    while (!open.empty()) {
      const std::uint32_t id = open.back();
      open.pop_back();
      if (seen[id]) continue;
      seen.set(id);
      Spend(1);
      const Part& part = parts_[id];
      const bool passes = part.type == Part::Type::kSplit || (part.type == Part::Type::kAtBegin && at_begin) ||
                          (part.type == Part::Type::kAtEnd && at_end);
      if (passes) open.insert(open.end(), part.next.begin(), part.next.end());
      // An end not reached yet may come later.
      if (!passes || part.type == Part::Type::kAtEnd) out.set(id);
    }
  }

  // Parts reachable from a part in the middle of a text.
  const Parts& Within(std::uint32_t id) {
    const auto [at, is_new] = within_.try_emplace(id);
    if (is_new) Close(id, false, false, at->second);
    return at->second;
  }

  template <typename Visit>
  static void ForEach(const Parts& parts, Visit visit) {
    for (std::size_t id = parts._Find_first(); id < parts.size(); id = parts._Find_next(id)) {
      visit(static_cast<std::uint32_t>(id));
    }
  }

  // REQUIRES parts_ to be complete.
  bool Determine(std::uint32_t start) {
    if (parts_.size() > kMaxParts) return false;
    Parts accepting;
    Parts at_begin;
    for (std::uint32_t id = 0; id < parts_.size(); ++id) {
      if (parts_[id].type == Part::Type::kAccept) accepting.set(id);
      if (parts_[id].type == Part::Type::kAtBegin) at_begin.set(id);
    }
    std::unordered_map<Parts, std::uint16_t> known;
    std::deque<Parts> states;  // grows while its elements are read
    const auto row_of = [&](std::size_t state) {
      return static_cast<std::uint16_t>(RegexDfa::kFirst + state * dfa_.symbols_);
    };
    const auto number_of = [&](const Parts& parts) -> std::uint16_t {
      if ((parts & accepting).any()) return RegexDfa::kAccepted;
      if ((parts & ~at_begin).none()) return RegexDfa::kRefused;
      const auto [at, is_new] = known.try_emplace(parts, row_of(states.size()));
      if (is_new) states.push_back(parts);
      return at->second;
    };
    dfa_.next_.resize(RegexDfa::kFirst);
    Parts first;
    Close(start, true, false, first);
    // Not in `known`: the same parts mean less where "^" can no longer match.
    states.push_back(first);
    const bool always = (first & accepting).any();
    for (std::size_t state = 0; state < states.size(); ++state) {
      if (states.size() > kMaxStates) return false;
      const Parts& parts = states[state];
      Parts ended;
      ForEach(parts, [&](std::uint32_t id) { Close(id, state == 0, true, ended); });
      dfa_.accepts_at_end_.resize(row_of(state) + 1u);
      dfa_.accepts_at_end_.back() = (ended & accepting).any() || (state == 0 && always) ? 1 : 0;
      // A match may begin at any character: the start is part of every state. Only the first state is at the beginning.
      for (std::uint32_t symbol = 0; symbol < dfa_.symbols_; ++symbol) {
        if (!Spend(8 + parts.count())) return false;
        Parts moved = Within(start);
        ForEach(parts, [&](std::uint32_t id) {
          const Part& part = parts_[id];
          if (part.type == Part::Type::kCharacter && sets_[part.symbols]->contains(static_cast<std::uint8_t>(symbol))) {
            moved |= Within(part.next.front());
          }
        });
        dfa_.next_.push_back(state == 0 && always ? RegexDfa::kAccepted : number_of(moved));
      }
    }
    return true;
  }

  std::uint64_t& steps_;
  RegexDfa dfa_;
  std::set<char32_t> borders_;
  std::vector<const CharacterClass*> classes_;
  std::size_t ranges_ = 0;  // in all classes
  std::map<const CharacterClass*, std::set<std::uint8_t>> symbols_of_class_;
  std::vector<const std::set<std::uint8_t>*> sets_;
  std::vector<Part> parts_;
  std::unordered_map<std::uint32_t, Parts> within_;
};

std::optional<RegexDfa> RegexDfa::Build(const RegexSyntax& syntax, Budget& budget) {
  const std::uint64_t granted = std::min(kMaxTableSteps, budget.left());
  std::uint64_t left = granted;
  std::optional<RegexDfa> dfa = DfaBuilder(left).Build(syntax);
  budget.Spend(granted - left);
  return left > 0 ? std::move(dfa) : std::nullopt;
}

std::uint32_t RegexDfa::SymbolAt(std::string_view text, std::size_t& at) const {
  const char32_t c = DecodeUtf8(text, at);
  const auto interval = std::upper_bound(borders_.begin(), borders_.end(), c) - borders_.begin() - 1;
  return symbol_of_[static_cast<std::size_t>(interval)];
}

}  // namespace openseat::schema
