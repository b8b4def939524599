// The words by which fake_kind.cc knows what a value is about. A word more is a line in fake_names.cc.
#pragma once

#include <span>
#include <string_view>

#include "checker/fake_kind.h"

namespace openseat::checker {

struct NamedKind {
  std::string_view name;
  FakeKind kind;
};

// Names of properties and actions: words run together, lower-case, in the singular ("firstname"). Each once.
std::span<const NamedKind> KnownNames();
// Names that say little ("value"), and what they are by themselves.
std::span<const NamedKind> GenericNames();
// Values of `format`.
std::span<const NamedKind> KnownFormats();

}  // namespace openseat::checker
