// For tests: an exchange that remembers the answers it was given.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/mcp/server.h"

namespace openseat::mcp {

// The members of a modern request's `_meta`.
inline constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

struct Heard final : Exchange {
  std::vector<std::string> before;
  std::string answer;
  int status = 0;
  std::shared_ptr<Payer> whose;  // null: nobody's
  std::shared_ptr<Payer> payer() const override { return whose; }
  void Notify(std::string message) override { before.push_back(std::move(message)); }
  void Finish(std::string message, int code) override {
    EXPECT_EQ(status, 0) << "answered twice";
    answer = std::move(message);
    status = code;
  }
};

}  // namespace openseat::mcp
