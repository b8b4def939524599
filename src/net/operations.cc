#include "net/operations.h"

#include <utility>

namespace openseat::net {
namespace {

constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

RouteInfo Info(std::string summary) {
  RouteInfo info;
  info.summary = std::move(summary);
  info.tag = "operations";
  return info;
}

}  // namespace

void AddOperations(Router& router, Metrics& metrics, std::function<Result<void>()> ready) {
  router.Add(Method::kGet, "/healthz", Info("Whether the process is alive."),
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "ok\n")); });
  router.Add(Method::kGet, "/readyz", Info("Whether the server can do its work; 503 says why it cannot."),
             [ready = std::move(ready)](const HttpRequest&, HttpReply reply) {
               if (const auto is_ready = ready(); !is_ready) {
                 HttpResponse response = HttpResponse::FromError(is_ready.error());
                 response.status = 503;
                 return std::move(reply).Send(std::move(response));
               }
               std::move(reply).Send(HttpResponse::Text(200, "ready\n"));
             });
  router.Add(Method::kGet, "/metrics", Info("Counters and times, in the Prometheus text format."),
             [&metrics](const HttpRequest&, HttpReply reply) {
               std::move(reply).Send(HttpResponse::Text(200, metrics.Text(), kMetricsType));
             });
}

}  // namespace openseat::net
