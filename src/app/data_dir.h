// The data directory: what a server stores, readable by its owner only.
#pragma once

#include <string>

#include "base/result.h"

namespace openseat::app {

// Makes the directory if it is missing. It is then closed to others (mode 0700), and so is an existing one that is
// empty or a server's; for any other that others can read, a warning is logged. Errors: kIo.
Result<void> OpenDataDir(const std::string& path);

}  // namespace openseat::app
