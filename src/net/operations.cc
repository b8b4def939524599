#include "net/operations.h"

#include <utility>

namespace openseat::net {
namespace {

constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

RouteInfo Info(std::string operation, std::string summary) {
  RouteInfo info;
  info.operation = std::move(operation);
  info.summary = std::move(summary);
  info.tag = "operations";
  info.content_type = "text/plain";
  return info;
}

}  // namespace

bool IsOperation(std::string_view path) {
  return path == "/healthz" || path == "/readyz" || path == "/metrics";
}

void AddOperations(Router& router, Metrics& metrics, std::function<Result<void>()> ready) {
  router.Add(Method::kGet, "/healthz", Info("getHealth", "Whether the process is alive."),
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "ok\n")); });
  RouteInfo readiness = Info("getReadiness", "Whether the server can do its work.");
  readiness.answers = {{503, "Why it cannot."}};
  router.Add(Method::kGet, "/readyz", std::move(readiness),
             [ready = std::move(ready)](const HttpRequest&, HttpReply reply) {
               if (const auto is_ready = ready(); !is_ready) {
                 HttpResponse response = HttpResponse::FromError(is_ready.error());
                 response.status = 503;
                 response.headers.Set("Retry-After", "1");
                 return std::move(reply).Send(std::move(response));
               }
               std::move(reply).Send(HttpResponse::Text(200, "ready\n"));
             });
  router.Add(Method::kGet, "/metrics", Info("getMetrics", "Counters and times, in the Prometheus text format."),
             [&metrics](const HttpRequest&, HttpReply reply) {
               std::move(reply).Send(HttpResponse::Text(200, metrics.Text(), kMetricsType));
             });
}

}  // namespace openseat::net
