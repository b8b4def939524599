// A typical text of a kind: one draw, without regard to the schema's bounds.
#pragma once

#include <string>

#include "base/rng.h"
#include "checker/fake_kind.h"

namespace openseat::checker {

// Never empty; UTF-8. The same state of `rng` gives the same text.
std::string FakeText(FakeKind kind, Rng& rng);

// Whether a text of the kind becomes invalid when it is cut or extended: a date does, a sentence does not.
bool IsRigid(FakeKind kind);

// The usual range of numbers of a kind, and the usual number of decimals.
struct FakeRange {
  double low;
  double high;
  int decimals;
};
FakeRange RangeOf(FakeKind kind);

// Whether the kind is a number rather than a text: an age is, a street is not.
bool IsNumeric(FakeKind kind);

}  // namespace openseat::checker
