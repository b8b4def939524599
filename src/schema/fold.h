// A pass over the quick program, after its kernels are chosen: what must hold together becomes one check where it can
// (the parts of an allOf, several sets of properties, types), a node that only leads to another becomes the other, and
// what is checked for each member or item is copied to where its parent finds it.
#pragma once

#include "schema/quick_program.h"

namespace openseat::schema {

// Call once. Afterwards the nodes stay as they are.
void Fold(QuickProgram& program);

}  // namespace openseat::schema
