// `openseat ratings`, and the ratings.json that a tournament leaves in its folder.
#pragma once

#include <string>

#include "arena/standings.h"
#include "base/result.h"

namespace openseat::app {

// Writes FOLDER/ratings.json (docs/formats/ratings.md). Readers see the old file or the new one, never a mix. Blocks on
// the disk. Errors: kIo.
Result<void> WriteRatings(const std::string& folder, const arena::Standings& standings);

}  // namespace openseat::app
