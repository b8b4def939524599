// The last compiler pass: the quick program (quick_program.h) of a program.
#pragma once

#include "schema/validate/program.h"

namespace openseat::schema {

// REQUIRES an otherwise complete program that does not change: the quick program points into it.
void ChooseKernels(Program& program);

}  // namespace openseat::schema
