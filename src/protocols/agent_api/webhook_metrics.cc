#include "protocols/agent_api/webhook_metrics.h"

namespace openseat::agent_api {
namespace {

Counter& Deliveries(Metrics& metrics, const char* outcome) {
  return metrics.AddCounter("openseat_webhook_deliveries_total", "Deliveries of webhooks by what became of them.",
                            {{"outcome", outcome}});
}

}  // namespace

WebhookMetrics::WebhookMetrics(Metrics& metrics)
    : delivered(Deliveries(metrics, "delivered")),
      given_up(Deliveries(metrics, "given-up")),
      retries(metrics.AddCounter("openseat_webhook_retries_total", "Times that a delivery was tried again.")),
      waiting(metrics.AddGauge("openseat_webhook_deliveries_waiting", "Deliveries of webhooks that wait now.")) {}

OneInGauge AddToGauge(Gauge& gauge) {
  gauge.Add(1);
  return OneInGauge(&gauge);
}

}  // namespace openseat::agent_api
