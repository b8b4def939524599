// The OpenAPI 3.1 description of everything that a router answers, made of the routes themselves, so that what is
// described is what is served.
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
  // In the order in which people are shown them; those of routes that are not here come behind.
  std::vector<std::pair<std::string, std::string>> tags;  // name, description
  // By name: OpenAPI's security scheme objects.
  std::vector<std::pair<std::string, json::Value>> security_schemes;
  // What a route that names no schemes needs: schemes, of which any opens it; "" among them: from this machine nothing
  // is needed. Empty: open to all.
  std::function<std::vector<std::string>(const std::string& pattern)> security_of;
};

// The schema of HttpResponse::FromError's body.
json::Value ErrorSchema();

// REQUIRES that every scheme is in the options and no two operations have one name. Routes without a tag, and those
// with
// "*rest", are left out. The schema "Error" is added to the router's.
json::Object OpenApi(const Router& router, const OpenApiOptions& options);

}  // namespace openseat::net
