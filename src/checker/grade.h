// How well a game uses the API, from what a run found (docs/checker.md, "The grade"). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/result.h"

namespace openseat::checker {

struct Cost {
  const FoundRule* found;
  int points;
};

struct Grade {
  char letter = '-';              // A to D, F; '-' if nothing was tested
  int points = 0;                 // 0 to 100
  bool tested = true;             // or the run failed before anything was tested
  std::vector<Cost> costliest{};  // of the result's rules, the most expensive first, at most five
};

// The result must outlive the grade.
Grade GradeOf(const CheckResult& result);
// "B (84 of 100)", "none: nothing was tested", "F: nothing was tested".
std::string GradeText(const Grade& grade);
// "perf/actions/churn, 3 times: 14 changes …".
std::string CostText(const Cost& cost);

}  // namespace openseat::checker
