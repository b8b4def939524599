// Random strings that a regular expression matches: the tree is walked with a length in mind, so that minLength and
// maxLength are met as well. What a walk cannot see (look-arounds, word boundaries) is left to chance and to the
// caller's check.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "schema/budget.h"
#include "schema/regex/regex_syntax.h"

namespace openseat::schema {

struct LengthRange {
  std::size_t min = 0;  // in characters
  std::size_t max = 0;
};

// Lengths beyond this are not aimed at,
inline constexpr std::size_t kMaxGeneratedLength = 400;
// and those that are so much longer than they must be only where no other is possible.
inline constexpr std::size_t kUsualExtraLength = 60;

class PatternGenerator {
 public:
  // REQUIRES `syntax` and `budget`, which all work draws on, to outlive the generator.
  PatternGenerator(const RegexSyntax& syntax, const LengthRange& range, std::size_t preferred_extra, Budget& budget);
  PatternGenerator(PatternGenerator&& other) noexcept;
  ~PatternGenerator();

  // One try. nullopt where no length within the range is possible, or the budget is exhausted.
  std::optional<std::string> Next(Rng& rng);

 private:
  class Walker;
  void Consider(const LengthRange& range, const RegexNode& root, Budget& budget);
  std::unique_ptr<Walker> walker_;
  std::size_t preferred_extra_;
  std::unique_ptr<const RegexNode> padded_;
  const RegexNode* root_;
  std::vector<std::size_t> lengths_;
};

}  // namespace openseat::schema
