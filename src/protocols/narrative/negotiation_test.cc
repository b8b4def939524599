#include "protocols/narrative/negotiation.h"

#include <gtest/gtest.h>

namespace openseat::narrative {
namespace {

// The version for a story of either, 0 for none.
int Best(const char* accept, std::optional<std::int64_t> body = std::nullopt, const char* query = nullptr,
         const std::vector<int>& offered = {1, 2}) {
  net::HttpRequest request;
  if (accept != nullptr) request.headers.Add("Accept", accept);
  if (query != nullptr) request.query.emplace_back("schemaVersion", query);
  return VersionWish(request, body).BestOf(offered).value_or(0);
}

TEST(Negotiation, WhoSaysNothingTakesOurs) {
  EXPECT_EQ(Best(nullptr), 1);
  EXPECT_EQ(Best("*/*"), 1);
  EXPECT_EQ(Best("application/json, text/plain"), 1);
  EXPECT_EQ(Best(nullptr, std::nullopt, nullptr, {2, 1}), 2);
}

TEST(Negotiation, TheBodyTheQueryAndAcceptAreHeard) {
  EXPECT_EQ(Best(nullptr, 2), 2);
  EXPECT_EQ(Best(nullptr, 3), 0);
  EXPECT_EQ(Best(nullptr, std::nullopt, "2"), 2);
  EXPECT_EQ(Best(nullptr, std::nullopt, "v2"), 2);
  EXPECT_EQ(Best(nullptr, std::nullopt, "two"), 0);
  EXPECT_EQ(Best("application/json; schemaVersion=2"), 2);
  EXPECT_EQ(Best("application/json;SCHEMAVERSION=\"2\""), 2);
  EXPECT_EQ(Best("application/json; schemaVersion=9"), 0);
  EXPECT_EQ(Best("application/json; schemaVersion=2", std::nullopt, nullptr, {1}), 0);
}

TEST(Negotiation, AllMustAgree) {
  EXPECT_EQ(Best("application/json; schemaVersion=2", 1), 0);
  EXPECT_EQ(Best("application/json; schemaVersion=2", 2, "2"), 2);
  EXPECT_EQ(Best("application/json; schemaVersion=2, */*", 1), 1);
}

TEST(Negotiation, QualityDecides) {
  EXPECT_EQ(Best("application/json;schemaVersion=1;q=0.5, application/json;schemaVersion=2"), 2);
  EXPECT_EQ(Best("application/json;schemaVersion=9, application/json;schemaVersion=2;q=0.1"), 2);
  EXPECT_EQ(Best("application/json;schemaVersion=2;q=0"), 0);
  EXPECT_EQ(Best("application/json;schemaVersion=2;q=nonsense"), 2);
  EXPECT_EQ(Best("application/json;schemaVersion=1;q=0.5, application/json;schemaVersion=2;q=nan"), 2);
  EXPECT_EQ(Best("application/json;schemaVersion=1, application/json;schemaVersion=2;q=inf"), 1);
  EXPECT_EQ(Best(";;=,,;schemaVersion"), 1) << "empty ranges ask for nothing";
}

}  // namespace
}  // namespace openseat::narrative
