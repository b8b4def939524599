// The OpenAPI 3.1 description of everything that a router answers, generated from the routes themselves, so that the
// description matches what is served.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/router.h"

namespace openseat::net {

struct OpenApiOptions {
  std::string title;
  std::string version;
  std::string description;  // Markdown
  std::string homepage{};   // where its authors are found
  // In the order in which people see them; tags of routes that are not listed here come last.
  std::vector<std::pair<std::string, std::string>> tags;  // name, description
  // By name: OpenAPI's security scheme objects.
  std::vector<std::pair<std::string, json::Value>> security_schemes;
  // The schemes of a route that names none: any of them opens it; "" among them: no token is needed from this machine.
  // Empty: open to all.
  std::function<std::vector<std::string>(const std::string& pattern)> security_of;
};

// The schema of HttpResponse::FromError's body.
json::Value ErrorSchema();

// REQUIRES that every scheme is in the options and that no two operations have the same name. Routes without a tag, and
// those with "*rest", are left out. Adds the schema "Error" to the router's schemas.
json::Object OpenApi(const Router& router, const OpenApiOptions& options);

}  // namespace openseat::net
