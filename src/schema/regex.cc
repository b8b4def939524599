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
constexpr std::size_t kJitStackBytes = 512u << 10;

// What matching needs besides the compiled pattern; one a thread.
struct Workspace {
  Workspace()
      : data(pcre2_match_data_create(1, nullptr)),
        context(pcre2_match_context_create(nullptr)),
        stack(pcre2_jit_stack_create(32u << 10, kJitStackBytes, nullptr)) {
    if (data == nullptr || context == nullptr) throw std::bad_alloc();
    pcre2_set_match_limit(context, kMatchLimit);
    pcre2_set_heap_limit(context, kHeapLimitKib);
    if (stack != nullptr) pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~Workspace() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  pcre2_match_data* data;
  pcre2_match_context* context;
  pcre2_jit_stack* stack;
};

PCRE2_SPTR Text(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct Regex::Code {
  explicit Code(pcre2_code* code) : compiled(code), is_jitted(pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0) {}
  ~Code() { pcre2_code_free(compiled); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  pcre2_code* compiled;
  bool is_jitted;
};

Regex::Regex(std::unique_ptr<const Code> code, std::unique_ptr<const RegexSyntax> syntax)
    : code_(std::move(code)), syntax_(std::move(syntax)) {}
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
  return Regex(std::make_unique<const Code>(code), std::make_unique<const RegexSyntax>(std::move(syntax)));
}

Regex::Outcome Regex::Match(std::string_view text) const {
  static thread_local Workspace workspace;
  // An empty view may point nowhere, which PCRE2 does not take.
  if (text.data() == nullptr) text = "";
  const int found = code_->is_jitted ? pcre2_jit_match(code_->compiled, Text(text), text.size(), 0, PCRE2_NO_UTF_CHECK,
                                                       workspace.data, workspace.context)
                                     : pcre2_match(code_->compiled, Text(text), text.size(), 0, PCRE2_NO_UTF_CHECK,
                                                   workspace.data, workspace.context);
  if (found >= 0) return Outcome::kYes;
  return found == PCRE2_ERROR_NOMATCH ? Outcome::kNo : Outcome::kLimit;
}

}  // namespace openseat::schema
