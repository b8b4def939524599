// The second pass over a schema: from the registry's results to a Program.
#pragma once

#include <memory>

#include "base/result.h"
#include "schema/schema.h"
#include "schema/validate/program.h"

namespace openseat::schema {

// The program owns a copy of `source`. Errors: those of Schema::Compile.
Result<std::unique_ptr<const Program>> CompileProgram(const json::Value& source, const CompileOptions& options);

}  // namespace openseat::schema
