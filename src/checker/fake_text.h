// What a value of a kind looks like: one draw, without a thought for the schema's bounds.
#pragma once

#include <string>

#include "base/rng.h"
#include "checker/fake_kind.h"

namespace openseat::checker {

// Never empty; UTF-8. The same state of `rng` gives the same text.
std::string FakeText(FakeKind kind, Rng& rng);

// Whether a text of the kind is no longer one when it is cut or words are added: a date is not, a sentence still is.
bool IsRigid(FakeKind kind);

// Where numbers of a kind lie, and how many decimals people give them.
struct FakeRange {
  double low;
  double high;
  int decimals;
};
FakeRange RangeOf(FakeKind kind);

// Whether the kind is a number before it is a text: an age is, a street is not.
bool IsNumeric(FakeKind kind);

}  // namespace openseat::checker
