#include "net/net_metrics.h"

#include <string>

namespace openseat::net {
namespace {

Counter& Direction(Metrics& metrics, const char* name, const char* help, const char* direction) {
  return metrics.AddCounter(name, help, {{"direction", direction}});
}

constexpr const char* kMessages = "openseat_websocket_messages_total";
constexpr const char* kMessagesHelp = "WebSocket messages, control frames left out.";
constexpr const char* kBytes = "openseat_websocket_bytes_total";
constexpr const char* kBytesHelp = "Bytes of WebSocket connections, frame headers included.";

}  // namespace

NetMetrics::NetMetrics(Metrics& metrics)
    : accepted(metrics.AddCounter("openseat_connections_accepted_total", "Connections accepted.")),
      refused(metrics.AddCounter("openseat_connections_refused_total",
                                 "Connections closed at once because of a limit on their number.")),
      open(metrics.AddGauge("openseat_connections_open", "Connections open now.")),
      responses{},
      websockets(metrics.AddGauge("openseat_websockets_open", "WebSocket connections open now.")),
      messages_in(Direction(metrics, kMessages, kMessagesHelp, "in")),
      messages_out(Direction(metrics, kMessages, kMessagesHelp, "out")),
      bytes_in(Direction(metrics, kBytes, kBytesHelp, "in")),
      bytes_out(Direction(metrics, kBytes, kBytesHelp, "out")),
      slow_readers(metrics.AddCounter("openseat_websocket_slow_readers_total",
                                      "WebSocket connections dropped because too much was waiting to be read.")),
      tls_excess(metrics.AddCounter("openseat_tls_excess_total",
                                    "Connections closed because their TLS records had too little data.")) {
  for (std::size_t i = 0; i < responses.size(); ++i) {
    responses[i] = &metrics.AddCounter("openseat_http_responses_total", "HTTP responses by class of status.",
                                       {{"class", std::to_string(i + 1) + "xx"}});
  }
}

}  // namespace openseat::net
