#include "checker/grade.h"

#include <algorithm>

#include "base/text.h"
#include "checker/strictness.h"

namespace openseat::checker {
namespace {

constexpr std::size_t kMostCosts = 5;
constexpr std::size_t kMaxSentence = 300;

int PointsOf(const FoundRule& found) {
  const std::string_view key = neuro::InfoOf(found.rule).key;
  if (!key.starts_with("prot/") && !key.starts_with("perf/")) return 0;
  int points = 0;
  switch (found.level) {
    case Level::kDebug:
      break;
    case Level::kInfo:
      points = IsAdvice(key) ? 2 : 0;
      break;
    case Level::kWarn:
      points = 8;
      break;
    case Level::kError:
      points = 20;
      break;
    case Level::kCritical:
      points = 40;
      break;
  }
  return found.count >= 10 ? points * 2 : found.count >= 2 ? points * 3 / 2 : points;
}

}  // namespace

Grade GradeOf(const CheckResult& result) {
  Grade grade{.points = 100};
  for (const FoundRule& found : result.rules) {
    if (const int points = PointsOf(found); points > 0) grade.costliest.push_back({&found, points});
  }
  for (const Cost& cost : grade.costliest) grade.points = std::max(0, grade.points - cost.points);
  std::ranges::stable_sort(grade.costliest, std::ranges::greater(), &Cost::points);
  if (grade.costliest.size() > kMostCosts) grade.costliest.resize(kMostCosts);
  if (!result.passed()) {
    grade.letter = 'F';
    if (!result.tested) grade.points = 0;
    grade.tested = result.tested;
  } else if (result.tested) {
    constexpr std::string_view kLetters = "DCBA";
    grade.letter = grade.points < 60 ? 'F' : kLetters[static_cast<std::size_t>(std::min(grade.points / 10 - 6, 3))];
  }
  return grade;
}

std::string GradeText(const Grade& grade) {
  if (grade.letter == '-') return "none: nothing was tested";
  if (!grade.tested) return "F: nothing was tested";
  return std::string(1, grade.letter) + " (" + std::to_string(grade.points) + " of 100)";
}

std::string CostText(const Cost& cost) {
  const FoundRule& found = *cost.found;
  return std::string(neuro::InfoOf(found.rule).key) +
         (found.count > 1 ? ", " + std::to_string(found.count) + " times" : "") + ": " +
         Ellipsize(found.first, kMaxSentence);
}

}  // namespace openseat::checker
