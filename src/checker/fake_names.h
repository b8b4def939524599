// The words from which fake_kind.cc guesses what a value is about. To add a word, add a line to fake_names.cc.
#pragma once

#include <span>
#include <string_view>

#include "checker/fake_kind.h"

namespace openseat::checker {

struct NamedKind {
  std::string_view name;
  FakeKind kind;
};

// Names of properties and actions: words run together, lowercase, singular ("firstname"). Each appears once.
std::span<const NamedKind> KnownNames();
// Names that say little ("value"), and their kind when they stand alone.
std::span<const NamedKind> GenericNames();
// Values of `format`.
std::span<const NamedKind> KnownFormats();

}  // namespace openseat::checker
