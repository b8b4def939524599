#include "checker/strictness.h"

namespace openseat::checker {

std::string_view StrictnessName(Strictness strictness) {
  switch (strictness) {
    case Strictness::kLetter:
      return "letter";
    case Strictness::kDefault:
      return "default";
    case Strictness::kLenient:
      return "lenient";
  }
  return "default";
}

std::optional<Strictness> ParseStrictness(std::string_view name) {
  for (const Strictness strictness : {Strictness::kLetter, Strictness::kDefault, Strictness::kLenient}) {
    if (name == StrictnessName(strictness)) return strictness;
  }
  return std::nullopt;
}

Verdict VerdictOf(neuro::Diagnostic rule, Strictness strictness) {
  using neuro::Mode;
  using neuro::Weight;
  const Mode mode = strictness == Strictness::kLetter    ? Mode::kLetter
                    : strictness == Strictness::kLenient ? Mode::kLenient
                                                         : Mode::kDefault;
  switch (neuro::InfoOf(rule).weights[mode]) {
    case Weight::kNot:
      return {};
    case Weight::kInfo:
      return {Level::kInfo};
    case Weight::kWarn:
      return {Level::kWarn};
    case Weight::kError:
      return {Level::kError};
    case Weight::kFatal:
      return {Level::kError, true};
    case Weight::kCritical:
      return {Level::kCritical, true};
  }
  return {};
}

bool IsAdvice(std::string_view key) {
  using neuro::Diagnostic;
  // The document wants a warning for an action that is registered again, and Neuro counts a missing result as failed.
  return key.starts_with("perf/") && key != neuro::InfoOf(Diagnostic::kDuplicateIdentical).key &&
         key != neuro::InfoOf(Diagnostic::kResultTimeout).key;
}

}  // namespace openseat::checker
