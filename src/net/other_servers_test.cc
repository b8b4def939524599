#include "net/other_servers.h"

#include <gtest/gtest.h>

namespace openseat::net {
namespace {

class Here final : public OtherServers {
 public:
  bool IsPassedOn(const HttpRequest& /*request*/) const override { return false; }
  bool HaveAll() const override { return true; }
  Serving Served() const override { return serving; }
  void AskAll(const HttpRequest& /*request*/, std::string /*target*/,
              std::function<void(std::vector<Answer>)> /*done*/) const override {}
  std::function<void()> PassOn(const std::string& /*node*/, const HttpRequest& /*request*/,
                               std::function<void(HttpResponse)> /*done*/) const override {
    return nullptr;
  }

  Serving serving{.shards = 0b0110, .takes = 7};
};

TEST(OtherServers, TablesThatWentAndCameBackWereNotHereAllTheTime) {
  Here here;
  const OtherServers::Serving before = here.Served();
  EXPECT_EQ(here.ServedSince(before), 0b0110u);
  here.serving.shards = 0b0010;
  EXPECT_EQ(here.ServedSince(before), 0b0010u) << "one shard went";
  here.serving = {.shards = 0b0110, .takes = 8};
  EXPECT_EQ(here.ServedSince(before), 0u) << "it came back, perhaps with other tables";
  EXPECT_EQ(here.ServedSince(here.serving), 0b0110u);
}

}  // namespace
}  // namespace openseat::net
