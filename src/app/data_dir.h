// The data directory: what a server keeps, for the eyes of its owner alone.
#pragma once

#include <string>

#include "base/result.h"

namespace openseat::app {

// Makes the directory where it is missing. It is then closed to others (mode 0700), and so is one that is there already
// and empty or a server's; of any other that others can look into, a warning is logged. kIo.
Result<void> OpenDataDir(const std::string& path);

}  // namespace openseat::app
