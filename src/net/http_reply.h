// The connection's side of an HttpReply. Internal.
#pragma once

#include <string_view>

#include "net/http.h"

namespace openseat::net {

class HttpReply::Sink {
 public:
  virtual ~Sink() = default;
  // Takes the one answer; from any thread.
  virtual void Deliver(HttpResponse response) = 0;
};

// ASCII letters only.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace openseat::net
