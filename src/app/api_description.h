// The parts of /openapi.json that do not come from routes: title, tags, and who may call what.
#pragma once

#include "net/openapi.h"

namespace openseat::app {

net::OpenApiOptions ApiDescription();

}  // namespace openseat::app
