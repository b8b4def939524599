// A compiler pass: a $dynamicRef with the same target on every validation path becomes a $ref.
#pragma once

#include "schema/validate/program.h"

namespace openseat::schema {

// REQUIRES a program that is complete except for its kernels. Afterwards, has_dynamic_references says whether some are
// left. Valid only for validations from the root, as all verdicts are.
void ResolveDynamicReferences(Program& program);

}  // namespace openseat::schema
