// The last pass of compiling: the quick program (quick_program.h) of a program.
#pragma once

#include "schema/program.h"

namespace openseat::schema {

// REQUIRES a program that is complete otherwise, and stays as it is: the quick one points into it.
void ChooseKernels(Program& program);

}  // namespace openseat::schema
