#include "schema/regex.h"

#include <pcre2.h>

#include <array>
#include <new>
#include <string>
#include <utility>

namespace openseat::schema {
namespace {

// Enough for any sane pattern on texts of megabytes, and over in some milliseconds for the others.
constexpr std::uint32_t kMatchLimit = 300'000;
constexpr std::uint32_t kHeapLimitKib = 4'096;

// What matching needs besides the compiled pattern; one a thread.
struct Workspace {
  Workspace() : data(pcre2_match_data_create(1, nullptr)), context(pcre2_match_context_create(nullptr)) {
    if (data == nullptr || context == nullptr) throw std::bad_alloc();
    pcre2_set_match_limit(context, kMatchLimit);
    pcre2_set_heap_limit(context, kHeapLimitKib);
  }
  ~Workspace() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  pcre2_match_data* data;
  pcre2_match_context* context;
};

PCRE2_SPTR Text(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

// Not compiled to machine code: PCRE2 10.42's compiler finds no match of "(?:ab|)b*[^a]{0,2}(?:ab|)*.{2,}" in "ab",
// where its interpreter does. What the interpreter is slow at, RegexDfa mostly does.
struct Regex::Code {
  explicit Code(pcre2_code* code) : compiled(code) {}
  ~Code() { pcre2_code_free(compiled); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  pcre2_code* compiled;
};

Regex::Regex(std::optional<RegexShort> shape, std::optional<RegexDfa> dfa, std::unique_ptr<const Code> code,
             std::unique_ptr<const RegexSyntax> syntax)
    : shape_(shape), dfa_(std::move(dfa)), code_(std::move(code)), syntax_(std::move(syntax)) {}
Regex::Regex(Regex&& other) noexcept = default;
Regex& Regex::operator=(Regex&& other) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::Compile(std::string_view pattern, std::size_t max_bytes) {
  if (pattern.size() > max_bytes) {
    return Fail(ErrorCode::kTooLarge, "a regular expression may have at most " + std::to_string(max_bytes) +
                                          " bytes; got " + std::to_string(pattern.size()));
  }
  Result<RegexSyntax> syntax = ParseRegex(pattern, false);
  if (!syntax) return Fail(syntax.error());
  return Compile(std::move(*syntax));
}

Result<Regex> Regex::Compile(RegexSyntax syntax) {
  if (const std::optional<RegexShort> shape = RegexShort::Build(syntax)) {
    return Regex(shape, std::nullopt, nullptr, std::make_unique<const RegexSyntax>(std::move(syntax)));
  }
  std::optional<RegexDfa> dfa = RegexDfa::Build(syntax);
  if (!dfa) return CompileForPcre2(std::move(syntax));
  return Regex(std::nullopt, std::move(dfa), nullptr, std::make_unique<const RegexSyntax>(std::move(syntax)));
}

Result<Regex> Regex::CompileForPcre2(RegexSyntax syntax) {
  const std::string printed = PrintForPcre2(syntax);
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
  return Regex(std::nullopt, std::nullopt, std::make_unique<const Code>(code),
               std::make_unique<const RegexSyntax>(std::move(syntax)));
}

Regex::Outcome Regex::MatchByPcre2(std::string_view text) const {
  static thread_local Workspace workspace;
  // An empty view may point nowhere, which PCRE2 does not take.
  if (text.data() == nullptr) text = "";
  const int found =
      pcre2_match(code_->compiled, Text(text), text.size(), 0, PCRE2_NO_UTF_CHECK, workspace.data, workspace.context);
  if (found >= 0) return Outcome::kYes;
  return found == PCRE2_ERROR_NOMATCH ? Outcome::kNo : Outcome::kLimit;
}

}  // namespace openseat::schema
