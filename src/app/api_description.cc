#include "app/api_description.h"

#include "app/access.h"

namespace openseat::app {

net::OpenApiOptions ApiDescription() {
  net::OpenApiOptions options;
  options.title = "Openseat";
  options.version = OPENSEAT_VERSION;
  options.description =
      "Gives any agent a seat at any game. Calls from this machine need no token; from elsewhere `/api` and `/metrics` "
      "need the admin token, which is made at the server's first start and printed once. A URL with an escape that is "
      "no "
      "text, such as `%00` or `%zz`, is answered with 400.";
  options.homepage = "https://github.com/openseat/openseat";
  options.tags = {
      {"openenv", "Environments for trainers: docs/protocols/openenv.md has the socket."},
      {"console", "What happens at every table, and commands to the tables."},
      {"games", "Games that are written as scripts: docs/scripts.md."},
      {"accounts", "The owners of keys and decks."},
      {"keys", "API keys, for agents."},
      {"decks", "Decks of cards, and the cards they are made of."},
      {"agent", "A seat at a hosted game, played over HTTP with its key."},
      {"narrative", "Stories told by a language model, under strict rules."},
      {"mcp", "The Model Context Protocol."},
      {"operations", "For the operator of the server."},
  };
  options.security_schemes = {
      {"adminToken", json::Object{{"type", "http"},
                                  {"scheme", "bearer"},
                                  {"description", "The admin token; not needed from the machine itself."}}},
      {"bearer",
       json::Object{{"type", "http"},
                    {"scheme", "bearer"},
                    {"description",
                     "The admin token, an API key, or an access token of an authorization server that the config file "
                     "names. Not needed from the machine itself if the file names no such server."}}},
      {"agentKey", json::Object{{"type", "apiKey"},
                                {"in", "header"},
                                {"name", "X-JNet-API"},
                                {"description", "The seat's api-key or token, or an account's API key."}}}};
  options.security_of = [](const std::string& pattern) -> std::vector<std::string> {
    if (NeedsAdmin(pattern)) return {"", "adminToken"};
    return {};
  };
  return options;
}

}  // namespace openseat::app
