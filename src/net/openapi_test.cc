#include "net/openapi.h"

#include <gtest/gtest.h>

#include "net/operations.h"

namespace openseat::net {
namespace {

const HttpHandler kNothing = [](const HttpRequest&, HttpReply reply) {
  std::move(reply).Send(HttpResponse::Text(200, ""));
};

OpenApiOptions Options() {
  OpenApiOptions options;
  options.title = "Test";
  options.version = "1.2.3";
  options.tags = {{"things", "Things."}};
  options.security_schemes = {{"token", json::Object{{"type", "http"}, {"scheme", "bearer"}}}};
  options.security_of = [](const std::string& pattern) {
    return pattern.starts_with("/api/") ? std::vector<std::string>{"", "token"} : std::vector<std::string>();
  };
  return options;
}

const json::Value& At(const json::Value& value, std::string_view pointer) {
  boost::system::error_code error;
  const json::Value* found = value.find_pointer(pointer, error);
  static const json::Value kMissing("missing");
  return found == nullptr ? kMissing : *found;
}

TEST(OpenApi, DescribesARouteByItsInfo) {
  Router router;
  router.AddSchema("Thing", json::Object{{"type", "object"}});
  RouteInfo info;
  info.summary = "One thing.";
  info.tag = "things";
  info.response_schema = json::Object{{"$ref", "#/components/schemas/Thing"}};
  info.response_example = json::Object{{"id", 1}};
  info.parameters = {{RouteParameter::In::kQuery, "long", "All of it.", json::Object{{"type", "boolean"}}}};
  info.answers = {{404, "No such thing."}, {429, ""}};
  router.Add(Method::kGet, "/api/v1/things/:id", info, kNothing);
  RouteInfo change;
  change.summary = "Changes a thing.";
  change.tag = "things";
  change.operation = "changeThing";
  change.status = 204;
  change.request_schema = json::Object{{"type", "object"}};
  router.Add(Method::kPut, "/api/v1/things/:id", change, kNothing);
  RouteInfo hidden;
  hidden.summary = "Hidden.";
  router.Add(Method::kGet, "/hidden", hidden, kNothing);
  RouteInfo text;
  text.summary = "Text.";
  text.tag = "things";
  text.content_type = "text/plain";
  router.Add(Method::kGet, "/text", text, kNothing);

  const json::Value document = OpenApi(router, Options());
  EXPECT_EQ(At(document, "/openapi"), "3.1.0");
  EXPECT_EQ(At(document, "/info/version"), "1.2.3");
  EXPECT_EQ(document.at("paths").as_object().size(), 2u);
  const json::Value& get = document.at("paths").at("/api/v1/things/{id}").at("get");
  EXPECT_EQ(json::Write(get),
            R"({"operationId":"getThingsId","summary":"One thing.","tags":["things"],)"
            R"("description":"One thing.","security":[{},{"token":[]}],)"
            R"("parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}},)"
            R"({"name":"long","in":"query","description":"All of it.","schema":{"type":"boolean"}}],)"
            R"("responses":{"200":{"description":"The answer.","content":{"application/json":)"
            R"({"schema":{"$ref":"#/components/schemas/Thing"},"example":{"id":1}}}},)"
            R"("400":{"description":"The request is malformed or invalid.","content":{"application/json":)"
            R"({"schema":{"$ref":"#/components/schemas/Error"}}}},)"
            R"("401":{"description":"Authentication is missing or wrong.","content":{"application/json":)"
            R"({"schema":{"$ref":"#/components/schemas/Error"}}},)"
            R"("headers":{"WWW-Authenticate":{"description":"Bearer \u2026","schema":{"type":"string"}}}},)"
            R"("403":{"description":"Not allowed for this caller.","content":{"application/json":)"
            R"({"schema":{"$ref":"#/components/schemas/Error"}}}},)"
            R"("404":{"description":"No such thing.","content":{"application/json":)"
            R"({"schema":{"$ref":"#/components/schemas/Error"}}}},)"
            R"("429":{"description":"Too many requests; `Retry-After` says when to retry.",)"
            R"("content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}},)"
            R"("headers":{"Retry-After":{"description":"Seconds until a retry is allowed.",)"
            R"("schema":{"type":"integer","minimum":1}}}},)"
            R"("503":{"description":"Memory is short (`Retry-After` says when to retry), or the server stops.",)"
            R"("content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}},)"
            R"("headers":{"Retry-After":{"description":"Seconds until a retry is allowed.",)"
            R"("schema":{"type":"integer","minimum":1}}}}}})");
  const json::Value& put = document.at("paths").at("/api/v1/things/{id}").at("put");
  EXPECT_EQ(At(put, "/operationId"), "changeThing");
  EXPECT_EQ(At(put, "/requestBody/required"), true);
  EXPECT_TRUE(put.at("responses").as_object().contains("204"));
  EXPECT_TRUE(put.at("responses").as_object().contains("413"));
  EXPECT_EQ(At(document, "/paths/~1text/get/security"), json::Array());
  EXPECT_EQ(At(document, "/paths/~1text/get/responses/200/content/text~1plain/schema/type"), "string");
  EXPECT_EQ(At(document, "/components/schemas/Thing/type"), "object");
  EXPECT_EQ(At(document, "/components/schemas/Error/required"), json::Array{"error"});
  EXPECT_EQ(At(document, "/components/securitySchemes/token/scheme"), "bearer");
}

TEST(OpenApi, EachOperationHasTheRefusalsOfTheBudget) {
  Router router;
  RouteInfo info;
  info.summary = "Makes a thing.";
  info.tag = "things";
  router.Add(Method::kPost, "/api/v1/things", info, kNothing);
  info.summary = "A socket.";
  router.AddWebSocket("/ws", {}, {}, info);
  Metrics metrics;
  AddOperations(router, metrics, [] { return Result<void>(); });
  const json::Value document = OpenApi(router, Options());
  const std::string header = "/headers/Retry-After/schema/type";
  for (const char* operation : {"/paths/~1api~1v1~1things/post", "/paths/~1ws/get"}) {
    const std::string responses = operation + std::string("/responses");
    EXPECT_EQ(At(document, responses + "/429" + header), "integer") << operation;
    EXPECT_EQ(At(document, responses + "/503" + header), "integer") << operation;
  }
  // These are answered even if memory is short.
  EXPECT_EQ(At(document, "/paths/~1healthz/get/responses/429" + header), "integer");
  EXPECT_EQ(At(document, "/paths/~1healthz/get/responses/503"), "missing");
  EXPECT_EQ(At(document, "/paths/~1readyz/get/responses/503/description"), "Why it cannot.");
  EXPECT_EQ(At(document, "/paths/~1readyz/get/responses/503/headers"), "missing");
}

TEST(OpenApi, WebSocketsWithASummaryAreThere) {
  Router router;
  RouteInfo info;
  info.summary = "A socket.";
  info.tag = "things";
  router.AddWebSocket("/ws", {}, {}, info);
  router.AddWebSocket("/quiet", {}, {});
  const json::Value document = OpenApi(router, Options());
  EXPECT_TRUE(document.at("paths").at("/ws").at("get").at("responses").as_object().contains("101"));
  EXPECT_EQ(document.at("paths").as_object().size(), 1u);
}

TEST(OpenApiDeath, TheSameNameForTwoIsAMistake) {
  Router router;
  RouteInfo info;
  info.summary = "x";
  info.tag = "things";
  info.operation = "same";
  router.Add(Method::kGet, "/a", info, kNothing);
  router.Add(Method::kGet, "/b", info, kNothing);
  EXPECT_DEATH(OpenApi(router, Options()), "two operations are called same");
  router.AddSchema("S", 1);
  router.AddSchema("S", 1);
  EXPECT_DEATH(router.AddSchema("S", 2), "two schemas named S");
}

}  // namespace
}  // namespace openseat::net
