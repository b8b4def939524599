// Invariants. A broken invariant is always our own bug, never the fault of a peer's input: it aborts with a line that
// says where and what.
#pragma once

namespace openseat {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line, const char* message);

}  // namespace openseat

// Aborts the process unless `condition` holds. `message` says what the code relied on. Not for input: use Result there.
#define OPENSEAT_CHECK(condition, message) \
  (static_cast<bool>(condition) ? void(0) : ::openseat::CheckFailed(#condition, __FILE__, __LINE__, message))
