// A pass over the quick program, after its kernels are chosen. Merges checks that must all hold where possible
// (the parts of an allOf, several sets of properties, types), replaces a node that only leads to another, and copies
// the check of each member or item to where its parent finds it.
#pragma once

#include "schema/validate/quick_program.h"

namespace openseat::schema {

// Call once. Afterwards, the nodes do not change.
void Fold(QuickProgram& program);

}  // namespace openseat::schema
