#include "protocols/mcp/server_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace openseat::mcp {
namespace {

const ServerInfo kInfo{"openseat", "Openseat", "1.2.3", "Play."};

// The limits of the card's schema.
TEST(ServerCardTest, KeepsToTheSchema) {
  const json::Object card = ServerCard(kInfo, "https://play.example.org/mcp");
  EXPECT_EQ(card.at("version"), "1.2.3");
  EXPECT_LE(card.at("description").as_string().size(), 100u);
  EXPECT_EQ(json::Write(card.at("remotes").at(0).at("supportedProtocolVersions")),
            R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])");
}

TEST(ServerCardTest, NamesNoAddressThatItDoesNotKnow) {
  EXPECT_FALSE(ServerCard(kInfo, "").contains("remotes"));
}

}  // namespace
}  // namespace openseat::mcp
