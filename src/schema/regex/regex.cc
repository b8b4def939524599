#include "schema/regex/regex.h"

#include <pcre2.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

namespace openseat::schema {
namespace {

// In addition to the count of steps, which ends a match first unless a single start needs very many.
constexpr std::uint32_t kMatchLimit = 300'000;
constexpr std::uint32_t kHeapLimitKib = 4'096;
// Of PCRE2's compiler, for the smallest expression.
constexpr std::uint64_t kCompileSteps = 300;

// The work of one match, reported by the callouts (regex_syntax.h).
struct Work {
  std::uint64_t left = 0;
  std::uint64_t weight = 0;     // of examining one character, in sixteenths of a step
  PCRE2_SIZE scanned_from = 0;  // where the last repeated class began
  bool scanning = false;        // the scan has not been seen to end yet

  bool Spend(std::uint64_t steps) {
    left -= std::min(steps, left);
    return left > 0;
  }
};

int Count(pcre2_callout_block* at, void* data) {
  Work& work = *static_cast<Work*>(data);
  const auto number = static_cast<int>(at->callout_number);
  std::uint64_t characters = 0;
  if (number == kCountScanned) {
    // If a scan fails at once, this is a step back into an earlier one.
    if (std::exchange(work.scanning, false) && at->current_position > work.scanned_from) {
      characters = at->current_position - work.scanned_from;
    }
  } else if (number == kCountCompare) {
    characters = at->subject_length;
  } else if (number >= kCountScan) {
    work.scanning = true;
    work.scanned_from = at->current_position;
    // A scan that ends before its minimum is not seen to end.
    const std::uint64_t least = (std::uint64_t{1} << (number - kCountScan)) - 1;
    characters = std::min<std::uint64_t>(least, at->subject_length - at->current_position);
  }
  return work.Spend(2 + characters * work.weight / 16) ? 0 : PCRE2_ERROR_MATCHLIMIT;
}

// What matching needs besides the compiled pattern; one per thread.
struct Workspace {
  Workspace() : data(pcre2_match_data_create(1, nullptr)), context(pcre2_match_context_create(nullptr)) {
    if (data == nullptr || context == nullptr) throw std::bad_alloc();
    pcre2_set_match_limit(context, kMatchLimit);
    pcre2_set_heap_limit(context, kHeapLimitKib);
    pcre2_set_callout(context, Count, &work);
  }
  ~Workspace() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  pcre2_match_data* data;
  pcre2_match_context* context;
  Work work;
};

// The size of the text for PCRE2: repetitions of groups are expanded.
std::uint64_t ExpandedSize(const RegexNode& node) {
  constexpr std::uint64_t kEnough = 1u << 16;  // PCRE2 refuses more
  std::uint64_t size = 4 + node.characters.ranges.size() * 4 + node.characters.properties.size() * 4;
  for (const RegexNode& child : node.children) size = std::min(kEnough, size + ExpandedSize(child));
  if (node.kind == RegexNode::Kind::kRepeat && node.children.front().kind != RegexNode::Kind::kClass) {
    const std::uint64_t copies = node.max == RegexNode::kUnbounded ? std::max(node.min, 1u) : node.max;
    size = std::min(kEnough, size * std::max<std::uint64_t>(copies, 1));
  }
  return size;
}

// The maximum cost of examining one character, in sixteenths of a step.
std::uint64_t WeightOf(const RegexNode& node) {
  std::uint64_t weight = 1 + node.characters.ranges.size() + node.characters.properties.size() * 8;
  for (const RegexNode& child : node.children) weight = std::max(weight, WeightOf(child));
  return weight;
}

std::size_t MemoryOf(const RegexNode& node) {
  std::size_t bytes = sizeof(RegexNode) + node.characters.ranges.size() * sizeof(node.characters.ranges[0]) +
                      node.characters.properties.size() * sizeof(node.characters.properties[0]);
  for (const RegexNode& child : node.children) bytes += MemoryOf(child);
  return bytes;
}

PCRE2_SPTR Text(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

// The JIT is not used: PCRE2 10.42's compiler finds no match of "(?:ab|)b*[^a]{0,2}(?:ab|)*.{2,}" in "ab",
// but its interpreter does. RegexDfa handles most of what the interpreter is slow at.
struct Regex::Code {
  Code(pcre2_code* code, std::uint64_t character_weight) : compiled(code), weight(character_weight) {}
  ~Code() { pcre2_code_free(compiled); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  pcre2_code* compiled;
  const std::uint64_t weight;
};

Regex::Regex(std::optional<RegexShort> shape, std::optional<RegexDfa> dfa, std::unique_ptr<const Code> code,
             std::unique_ptr<const RegexSyntax> syntax)
    : shape_(shape), dfa_(std::move(dfa)), code_(std::move(code)), syntax_(std::move(syntax)) {}
Regex::Regex(Regex&& other) noexcept = default;
Regex& Regex::operator=(Regex&& other) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::Compile(std::string_view pattern, std::size_t max_bytes, Budget& budget) {
  if (pattern.size() > max_bytes) {
    return Fail(ErrorCode::kTooLarge, "a regular expression may have at most " + std::to_string(max_bytes) +
                                          " bytes; got " + std::to_string(pattern.size()));
  }
  if (!budget.Spend(pattern.size() * 4)) return Fail(budget.Exceeded("be compiled"));
  Result<RegexSyntax> syntax = ParseRegex(pattern, false);
  if (!syntax) return Fail(syntax.error());
  return Compile(std::move(*syntax), budget);
}

Result<Regex> Regex::Compile(RegexSyntax syntax, Budget& budget) {
  if (const std::optional<RegexShort> shape = RegexShort::Build(syntax)) {
    return Regex(shape, std::nullopt, nullptr, std::make_unique<const RegexSyntax>(std::move(syntax)));
  }
  std::optional<RegexDfa> dfa = RegexDfa::Build(syntax, budget);
  if (!dfa) return CompileForPcre2(std::move(syntax), budget);
  return Regex(std::nullopt, std::move(dfa), nullptr, std::make_unique<const RegexSyntax>(std::move(syntax)));
}

Result<Regex> Regex::CompileForPcre2(RegexSyntax syntax, Budget& budget) {
  if (!budget.Spend(kCompileSteps + ExpandedSize(syntax.root))) return Fail(budget.Exceeded("be compiled"));
  const std::string printed = PrintForPcre2(syntax);
  const std::uint64_t weight = WeightOf(syntax.root);
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code =
      pcre2_compile(Text(printed), printed.size(), PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF, &error,
                    &offset, nullptr);
  if (code == nullptr) {
    std::array<PCRE2_UCHAR, 128> message{};
    pcre2_get_error_message(error, message.data(), message.size());
    return Fail(ErrorCode::kUnsupported, "the regular expression is not supported: " +
                                             std::string(reinterpret_cast<const char*>(message.data())));
  }
  return Regex(std::nullopt, std::nullopt, std::make_unique<const Code>(code, weight),
               std::make_unique<const RegexSyntax>(std::move(syntax)));
}

std::size_t Regex::Memory() const {
  constexpr std::size_t kGrowth = 2;  // of the vectors, each of them allocated
  std::size_t bytes = sizeof(Regex) + kGrowth * MemoryOf(syntax_->root) + (dfa_ ? kGrowth * dfa_->Memory() : 0);
  if (code_ == nullptr) return bytes;
  std::size_t size = 0;
  pcre2_pattern_info(code_->compiled, PCRE2_INFO_SIZE, &size);
  return bytes + size;
}

Regex::Outcome Regex::MatchByPcre2(std::string_view text, std::uint64_t& steps) const {
  static thread_local Workspace workspace;
  workspace.work = {.left = steps, .weight = code_->weight};
  // An empty view may have a null pointer, which PCRE2 does not accept.
  if (text.data() == nullptr) text = "";
  const int found =
      pcre2_match(code_->compiled, Text(text), text.size(), 0, PCRE2_NO_UTF_CHECK, workspace.data, workspace.context);
  steps = workspace.work.left;
  if (found >= 0) return Outcome::kYes;
  if (found == PCRE2_ERROR_NOMATCH) return Outcome::kNo;
  steps = 0;
  return Outcome::kLimit;
}

}  // namespace openseat::schema
