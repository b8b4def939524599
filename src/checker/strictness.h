// How strictly a run holds packets to the document, and what that makes of a rule's finding.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/log.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::checker {

// How strictly packets follow the document (vicky.md). kLetter: its TypeScript shapes exactly, including its three
// misspellings. kDefault: neuro-api.md's names; what it or today's published protocol makes optional is
// allowed. kLenient: like kDefault, but a wrong shape does not end the run.
enum class Strictness : std::uint8_t { kLetter, kDefault, kLenient };
std::string_view StrictnessName(Strictness strictness);
std::optional<Strictness> ParseStrictness(std::string_view name);

// What a finding of the rule is under one strictness.
struct Verdict {
  std::optional<Level> level;  // nullopt: it is not reported
  bool fatal = false;          // the run ends at once, with exit code 1
};
Verdict VerdictOf(neuro::Diagnostic rule, Strictness strictness);

// Advice on how well the game plays, not on what it does wrong: its warnings never fail a run.
bool IsAdvice(std::string_view key);

}  // namespace openseat::checker
