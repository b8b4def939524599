#include "net/openapi.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "net/operations.h"
#include "net/router_match.h"
#include "net/schemas.h"

namespace openseat::net {
namespace {

constexpr std::array kErrorCodes{
    ErrorCode::kParse,       ErrorCode::kInvalid,      ErrorCode::kSchema,        ErrorCode::kUnsupported,
    ErrorCode::kNotFound,    ErrorCode::kConflict,     ErrorCode::kUnauthorized,  ErrorCode::kDenied,
    ErrorCode::kNotYourTurn, ErrorCode::kNoSuchAction, ErrorCode::kIncorrectData, ErrorCode::kIncorrectMove,
    ErrorCode::kTooLarge,    ErrorCode::kBusy,         ErrorCode::kTimeout,       ErrorCode::kClosed,
    ErrorCode::kIo};

std::string_view StatusWords(int status) {
  switch (status) {
    case 101:
      return "The connection is a WebSocket from now on.";
    case 201:
      return "Made.";
    case 202:
      return "Taken.";
    case 204:
      return "Done; there is no content.";
    case 400:
      return "The request is malformed or invalid.";
    case 401:
      return "Authentication is missing or wrong.";
    case 403:
      return "Not allowed for this caller.";
    case 404:
      return "Not found.";
    case 409:
      return "The current state does not allow this.";
    case 413:
      return "Too large.";
    case 422:
      return "The data does not fit.";
    case 426:
      return "Only for WebSocket clients.";
    case 429:
      return "Too many requests; `Retry-After` says when to retry.";
    case 500:
      return "The server failed.";
    case 501:
      return "Not offered here.";
    case 503:
      return "Memory is short (`Retry-After` says when to retry), or the server stops.";
    default:
      return status < 400 ? "The answer." : "An error.";
  }
}

// "/api/v1/tables/:id" as segments; a parameter keeps its ":".
std::vector<std::string> Segments(const std::string& pattern) {
  std::vector<std::string> out;
  for (std::size_t at = 1; at <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    if (end > at) out.push_back(pattern.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string PathOf(const std::string& pattern) {
  std::string path;
  for (const std::string& segment : Segments(pattern)) {
    path += segment.starts_with(':') ? "/{" + segment.substr(1) + "}" : "/" + segment;
  }
  return path.empty() ? "/" : path;
}

// "getTablesId" for GET /api/v1/tables/:id.
std::string OperationName(const Router::Route& route) {
  if (!route.info.operation.empty()) return route.info.operation;
  std::string name = AsciiLower(MethodName(route.method));
  for (const std::string& segment : Segments(route.pattern)) {
    if (segment == "api" || segment == "v1") continue;
    bool upper = true;
    for (const char c : segment) {
      const bool letter = IsAlphanumeric(c);
      if (letter) name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = !letter;
    }
  }
  return name;
}

json::Object Content(const std::string& type, const json::Value& schema, const json::Value& example) {
  json::Object media;
  if (!schema.is_null()) {
    media["schema"] = schema;
  } else if (type.starts_with("text/")) {
    media["schema"] = json::Object{{"type", "string"}};
  }
  if (!example.is_null()) media["example"] = example;
  return {{type, std::move(media)}};
}

class Describer {
 public:
  Describer(const Router& router, const OpenApiOptions& options) : router_(router), options_(options) {}

  json::Object Operation(const Router::Route& route) {
    const RouteInfo& info = route.info;
    std::string name = OperationName(route);
    OPENSEAT_CHECK(names_.insert(name).second, ("two operations are called " + name).c_str());
    json::Object out{{"operationId", std::move(name)}, {"summary", info.summary}, {"tags", json::Array{info.tag}}};
    out["description"] = info.description.empty() ? info.summary : info.description;
    out["security"] = Security(route);
    if (json::Array parameters = Parameters(route); !parameters.empty()) out["parameters"] = std::move(parameters);
    if (!info.request_schema.is_null()) {
      out["requestBody"] =
          json::Object{{"required", !info.body_optional},
                       {"content", Content("application/json", info.request_schema, info.request_example)}};
    }
    out["responses"] = Responses(route);
    return out;
  }

 private:
  std::vector<std::string> SchemesOf(const Router::Route& route) const {
    if (!route.info.security.empty()) return route.info.security;
    return options_.security_of ? options_.security_of(route.pattern) : std::vector<std::string>();
  }

  bool IsBearer(const std::string& scheme) const {
    return std::ranges::any_of(options_.security_schemes, [&](const auto& known) {
      const json::Value* kind = json::Find(known.second, "scheme");
      return known.first == scheme && kind != nullptr && *kind == json::Value("bearer");
    });
  }

  // The headers that go with an answer of this status.
  static void AddHeaders(int status, json::Object& entry) {
    if (status == 429 || status == 503) {
      entry["headers"] =
          json::Object{{"Retry-After", json::Object{{"description", "Seconds until a retry is allowed."},
                                                    {"schema", json::Object{{"type", "integer"}, {"minimum", 1}}}}}};
    } else if (status == 401) {
      entry["headers"] = json::Object{{"WWW-Authenticate", json::Object{{"description", "Bearer …"},
                                                                        {"schema", json::Object{{"type", "string"}}}}}};
    }
  }

  json::Array Security(const Router::Route& route) const {
    json::Array out;
    for (const std::string& scheme : SchemesOf(route)) {
      if (scheme.empty()) {
        out.push_back(json::Object());
        continue;
      }
      OPENSEAT_CHECK(
          std::ranges::any_of(options_.security_schemes, [&](const auto& known) { return known.first == scheme; }),
          ("the security scheme is described: " + scheme).c_str());
      out.push_back(json::Object{{scheme, json::Array()}});
    }
    return out;
  }

  static json::Array Parameters(const Router::Route& route) {
    json::Array out;
    const auto add = [&out](const RouteParameter& parameter) {
      static constexpr std::array<std::string_view, 3> kPlaces{"path", "query", "header"};
      json::Object entry{{"name", parameter.name}, {"in", kPlaces[static_cast<std::size_t>(parameter.in)]}};
      if (parameter.required || parameter.in == RouteParameter::In::kPath) entry["required"] = true;
      if (!parameter.description.empty()) entry["description"] = parameter.description;
      entry["schema"] = parameter.schema.is_null() ? json::Value(json::Object{{"type", "string"}}) : parameter.schema;
      if (!parameter.example.is_null()) entry["example"] = parameter.example;
      out.push_back(std::move(entry));
    };
    for (const std::string& segment : Segments(route.pattern)) {
      if (!segment.starts_with(':')) continue;
      const std::string name = segment.substr(1);
      const auto given = std::ranges::find_if(route.info.parameters, [&](const RouteParameter& parameter) {
        return parameter.in == RouteParameter::In::kPath && parameter.name == name;
      });
      RouteParameter any;
      any.in = RouteParameter::In::kPath;
      any.name = name;
      add(given != route.info.parameters.end() ? *given : any);
    }
    for (const RouteParameter& parameter : route.info.parameters) {
      if (parameter.in != RouteParameter::In::kPath) add(parameter);
    }
    return out;
  }

  json::Object Responses(const Router::Route& route) const {
    const RouteInfo& info = route.info;
    std::map<int, json::Object> answers;
    const int usual = route.websocket ? 101 : info.status;
    json::Object first{{"description", StatusWords(usual)}};
    const bool has_body = !info.response_schema.is_null() || info.content_type != "application/json";
    if (has_body && !route.websocket) {
      first["content"] = Content(info.content_type, info.response_schema, info.response_example);
    }
    answers.emplace(usual, std::move(first));

    const json::Value error_schema =
        info.error_schema.is_null() ? json::Value(schemas::Ref("Error")) : info.error_schema;
    for (const RouteAnswer& answer : info.answers) {
      json::Object entry{
          {"description", answer.description.empty() ? std::string(StatusWords(answer.status)) : answer.description}};
      const json::Value& schema = answer.schema.is_null() && answer.status >= 400 ? error_schema : answer.schema;
      if (!schema.is_null()) entry["content"] = Content("application/json", schema, answer.example);
      // That of /readyz has no Retry-After.
      if (!IsOperation(route.pattern)) AddHeaders(answer.status, entry);
      answers.insert_or_assign(answer.status, std::move(entry));
    }
    const auto usual_error = [&](int status) {
      json::Object entry{{"description", StatusWords(status)},
                         {"content", Content("application/json", error_schema, nullptr)}};
      AddHeaders(status, entry);
      answers.try_emplace(status, std::move(entry));
    };
    usual_error(400);  // every URL may have an escape that is not text
    if (!info.request_schema.is_null()) {
      usual_error(router_.impl().Error(route.pattern, 413, "").status);
    }
    const std::vector<std::string> schemes = SchemesOf(route);
    if (!schemes.empty()) usual_error(403);
    if (std::ranges::any_of(schemes, [this](const std::string& scheme) { return IsBearer(scheme); })) usual_error(401);
    if (route.websocket) usual_error(426);
    // What comes too fast is refused everywhere, and beyond max_memory everything but operations.
    usual_error(router_.impl().Error(route.pattern, 429, "").status);
    if (!IsOperation(route.pattern)) usual_error(router_.impl().Error(route.pattern, 503, "").status);

    json::Object out;
    for (auto& [status, answer] : answers) out[std::to_string(status)] = std::move(answer);
    return out;
  }

  const Router& router_;
  const OpenApiOptions& options_;
  std::set<std::string> names_;
};

}  // namespace

json::Value ErrorSchema() {
  json::Array codes;
  for (const ErrorCode code : kErrorCodes) codes.push_back(json::Value(ErrorCodeName(code)));
  return json::Object{
      {"type", "object"},
      {"required", json::Array{"error"}},
      {"properties",
       json::Object{
           {"error",
            json::Object{
                {"type", "object"},
                {"required", json::Array{"code", "message"}},
                {"properties",
                 json::Object{
                     {"code", json::Object{{"enum", std::move(codes)}}},
                     {"message", json::Object{{"type", "string"}, {"description", "A sentence for a person."}}},
                     {"path",
                      json::Object{{"type", "string"}, {"description", "The place: a member or a parameter."}}}}}}}}}};
}

json::Object OpenApi(const Router& router, const OpenApiOptions& options) {
  json::Object info{{"title", options.title},
                    {"version", options.version},
                    {"license", json::Object{{"name", "MIT"}, {"identifier", "MIT"}}}};
  if (!options.description.empty()) info["description"] = options.description;
  if (!options.homepage.empty()) info["contact"] = json::Object{{"name", options.title}, {"url", options.homepage}};

  json::Array tags;
  std::set<std::string> listed;
  for (const auto& [name, description] : options.tags) {
    tags.push_back(json::Object{{"name", name}, {"description", description}});
    listed.insert(name);
  }

  Describer describer(router, options);
  // By path, then in the order in which they were added.
  std::map<std::string, json::Object> paths;
  for (const Router::Route& route : router.routes()) {
    if (route.info.tag.empty() || route.pattern.find('*') != std::string::npos) continue;
    if (listed.insert(route.info.tag).second) tags.push_back(json::Object{{"name", route.info.tag}});
    json::Object& path = paths[PathOf(route.pattern)];
    const std::string method = AsciiLower(MethodName(route.method));
    // A path that is both a page and a WebSocket is described as the page.
    if (route.websocket && path.contains(method)) continue;
    path[method] = describer.Operation(route);
  }
  json::Object all_paths;
  for (auto& [path, operations] : paths) all_paths[path] = std::move(operations);

  json::Object schemas;
  for (const auto& [name, schema] : router.schemas()) schemas[name] = schema;
  schemas["Error"] = ErrorSchema();
  json::Object schemes;
  for (const auto& [name, scheme] : options.security_schemes) schemes[name] = scheme;

  return {{"openapi", "3.1.0"},
          {"info", std::move(info)},
          {"servers", json::Array{json::Object{{"url", "/"}, {"description", "This server."}}}},
          {"tags", std::move(tags)},
          {"paths", std::move(all_paths)},
          {"components", json::Object{{"schemas", std::move(schemas)}, {"securitySchemes", std::move(schemes)}}}};
}

}  // namespace openseat::net
