// A TOML file from somebody who may not mean well, for the TOML library, which recurses as deep as the text wants.
#pragma once

#include <string>

#include <toml++/toml.h>

#include "base/result.h"

namespace openseat::app {

// At most 1 MiB; keys of at most 32 parts, and brackets nested at most 32 deep. Errors, with the path and, where it is
// known, the line: kInvalid for a directory, kParse for text that is not TOML or is too deep, those of json::ReadFile.
Result<toml::table> ReadTomlFile(const std::string& path);

}  // namespace openseat::app
