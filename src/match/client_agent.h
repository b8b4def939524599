// ClientAgent: occupies a seat that a client plays over a connection (Chimera). The connection holds the seat by its
// lease and chooses through Match::Choose; it is told by what it watches (Match::Watch), so its agent hears nothing,
// and a question to it costs neither a text nor a schema.
#pragma once

#include <string_view>

#include "core/agent.h"

namespace openseat {

class ClientAgent final : public Agent {
 public:
  static constexpr std::string_view kKind = "client";

  std::string_view kind() const override { return kKind; }
  bool interactive() const override { return true; }
  bool listens() const override { return false; }
  void OnSeated(Seat&) override {}
  void OnDecision(const Decision&) override {}
};

}  // namespace openseat
