#include "protocols/mcp/server_card.h"

#include <memory>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "protocols/mcp/protocol.h"

namespace openseat::mcp {
namespace {

constexpr std::string_view kCardType = "application/mcp-server-card+json";
constexpr std::string_view kCatalogType = "application/ai-catalog+json";

// GET `path`: this JSON, cached for an hour.
void AddPublic(net::Router& router, const std::string& path, std::string_view type, const json::Object& content) {
  const auto body = std::make_shared<const std::string>(json::Write(content));
  const std::string tag = "\"" + Sha256Hex(*body).substr(0, 16) + "\"";
  router.Add(net::Method::kGet, path, {}, [body, tag, type](const net::HttpRequest& request, net::HttpReply reply) {
    net::HttpResponse response;
    const bool known = request.headers.Get("If-None-Match") == tag;
    response.status = known ? 304 : 200;
    response.headers.Add("ETag", tag);
    response.headers.Add("Cache-Control", "public, max-age=3600");
    if (!known) {
      response.headers.Add("Content-Type", std::string(type));
      response.shared_body = body;
    }
    std::move(reply).Send(std::move(response));
  });
}

}  // namespace

json::Object ServerCard(const ServerInfo& info, const std::string& url) {
  json::Object card{
      {"$schema", "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"},
      {"name", "io.github.openseat/openseat"},
      {"version", info.version},
      {"title", info.title},
      {"description", "Games to play: board games, Netrunner, stories, and games that are connected."},
      {"websiteUrl", "https://github.com/openseat/openseat"},
      {"repository", json::Object{{"url", "https://github.com/openseat/openseat"}, {"source", "github"}}}};
  if (!url.empty()) {
    json::Array versions{kModernVersion};
    for (const std::string_view version : kLegacyVersions) versions.push_back(json::Value(version));
    card["remotes"] = json::Array{
        json::Object{{"type", "streamable-http"}, {"url", url}, {"supportedProtocolVersions", std::move(versions)}}};
  }
  return card;
}

void AddServerCard(net::Router& router, const ServerInfo& info, const std::string& url) {
  const json::Object card = ServerCard(info, url);
  AddPublic(router, "/mcp/server-card", kCardType, card);
  AddPublic(router, "/.well-known/mcp/server-card.json", kCardType, card);
  AddPublic(router, "/.well-known/ai-catalog.json", kCatalogType,
            {{"specVersion", "1.0"},
             {"entries", json::Array{json::Object{
                             {"identifier", "urn:air:openseat:mcp:openseat"}, {"type", kCardType}, {"data", card}}}}});
}

}  // namespace openseat::mcp
