// How implementations of Registry answer. Internal to this module.
#pragma once

#include <utility>

#include "base/log.h"
#include "core/registry.h"

namespace openseat::store {

template <typename T>
void PostAnswer(Scheduler& scheduler, const Registry::Done<T>& done, Result<T> result) {
  if (done) {
    scheduler.Post([done, given = std::move(result)]() mutable { done(std::move(given)); });
  } else if (!result) {
    log::Error("registry: {}", result.error().message);
  }
}

}  // namespace openseat::store
