// What budgets refuse, as /metrics counts it.
#pragma once

#include <string>

#include "base/metrics.h"

namespace openseat {

// `budget` is the setting that was met.
inline Counter& RefusalsOf(Metrics& metrics, const std::string& budget) {
  return metrics.AddCounter("openseat_refused_total", "What was refused because a budget was spent, by its setting.",
                            {{"budget", budget}});
}

}  // namespace openseat
