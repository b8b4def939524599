// What /openapi.json says besides the routes: title, tags, and who may call what.
#pragma once

#include "net/openapi.h"

namespace openseat::app {

net::OpenApiOptions ApiDescription();

}  // namespace openseat::app
