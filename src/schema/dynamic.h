// A pass of compiling: a $dynamicRef whose way there is the same wherever validation comes from becomes a $ref.
#pragma once

#include "schema/program.h"

namespace openseat::schema {

// REQUIRES a program that is complete but for its kernels. Afterwards has_dynamic_references says whether some are
// left. Meant for validations from the root, which all verdicts are.
void ResolveDynamicReferences(Program& program);

}  // namespace openseat::schema
