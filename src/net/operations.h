// What operators ask a running server: is it alive, is it ready, what does it count.
#pragma once

#include <functional>
#include <string_view>

#include "base/metrics.h"
#include "base/result.h"
#include "net/router.h"

namespace openseat::net {

// Whether this is one of the paths below, which are answered even when memory is short.
bool IsOperation(std::string_view path);

// Adds GET /healthz (200 while the loop turns), /readyz (200, or 503 with the error that `ready` returns; called on any
// shard) and /metrics (Prometheus text). `metrics` outlives the router's use.
void AddOperations(Router& router, Metrics& metrics, std::function<Result<void>()> ready);

}  // namespace openseat::net
