#include "protocols/console/arena_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "arena/run_record.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::console {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ArenaApiTest : public ::testing::Test {
 public:
  ArenaApiTest() {
    for (int second = 0; second < 3; ++second) {
      json::Object run{{"format", arena::kFormat},
                       {"version", arena::kVersion},
                       {"id", arena::NewRunId(Time(std::chrono::seconds(1795309380 + second)), "rps")},
                       {"started", "2026-11-22T01:03:00.000Z"},
                       {"game", "rps"},
                       {"games", 7},
                       {"wanted", 9},
                       {"seats", json::Array{json::Object{{"agent", "llm:it"}, {"wins", 4}},
                                             json::Object{{"agent", "random"}, {"wins", 3}}}},
                       {"models", json::Object{{"it", json::Object{{"answers", 20}}}}}};
      ids_.emplace_back(json::View(run.at("id").as_string()));
      const fs::path folder = fs::path(dir_) / arena::kFolder;
      fs::create_directories(folder);
      std::ofstream(folder / (std::string(json::View(run["id"].as_string())) + ".json")) << json::Write(run);
    }
  }
  ~ArenaApiTest() override { fs::remove_all(dir_); }

 protected:
  json::Value Get(const std::string& path, int status) {
    net::TestClient client(server_.port());
    const auto answer = client.Request("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    EXPECT_EQ(answer.status, status) << answer.body;
    const Result<json::Value> body = json::Parse(answer.body);
    EXPECT_TRUE(body.has_value()) << answer.body;
    return body ? *body : json::Value();
  }
  static std::string Text(const json::Value& value) { return json::Write(value); }

  const std::string dir_ = ::testing::TempDir() + "arena_api_test." + arena::NewRunId(Time(), "dir");
  std::vector<std::string> ids_;
  ArenaApi api_{dir_};
  net::TestServer server_{[this](net::Router& router) { api_.AddRoutes(router); }};
};

TEST_F(ArenaApiTest, ListsRunsInShort) {
  const json::Value all = Get("/api/v1/arena", 200);
  EXPECT_EQ(
      Text(all.at("runs").as_array()[0]),
      R"({"id":")" + ids_[2] +
          R"(","started":"2026-11-22T01:03:00.000Z","game":"rps","games":7,"wanted":9,"agents":["llm:it","random"]})");
  EXPECT_EQ(all.at("runs").as_array().size(), 3U);
  EXPECT_FALSE(all.as_object().contains("next"));
  EXPECT_EQ(Text(all.at("unreadable")), "[]");
  EXPECT_EQ(Text(Get("/api/v1/arena?limit=1", 200).at("next")), '"' + ids_[2] + '"');
  const json::Value older = Get("/api/v1/arena?limit=1&cursor=" + ids_[2], 200);
  ASSERT_EQ(older.at("runs").as_array().size(), 1U);
  EXPECT_EQ(Text(older.at("runs").as_array()[0].at("id")), '"' + ids_[1] + '"');
  EXPECT_EQ(Text(older.at("next")), '"' + ids_[1] + '"');
  EXPECT_FALSE(Get("/api/v1/arena?limit=1&cursor=" + ids_[1], 200).as_object().contains("next"));
}

TEST_F(ArenaApiTest, ShowsARun) {
  const json::Value run = Get("/api/v1/arena/" + ids_[0], 200);
  EXPECT_EQ(Text(run.at("id")), '"' + ids_[0] + '"');
  EXPECT_EQ(Text(run.at("models")), R"({"it":{"answers":20}})");
}

TEST_F(ArenaApiTest, SaysWhatIsWrong) {
  EXPECT_THAT(Text(Get("/api/v1/arena/none", 404)), HasSubstr("there is no run \\\"none\\\""));
  EXPECT_THAT(Text(Get("/api/v1/arena/..%2Fopenseat", 404)), HasSubstr("not-found"));
  for (const char* limit : {"-1", "0", "x", "", "1.5"}) {
    EXPECT_THAT(Text(Get(std::string("/api/v1/arena?limit=") + limit, 400)), HasSubstr("limit must be a whole number"));
  }
  std::ofstream(fs::path(dir_) / arena::kFolder / "odd.json") << "[]";
  EXPECT_THAT(Text(Get("/api/v1/arena/odd", 500)), HasSubstr("odd.json is not a run record"));
  EXPECT_THAT(Text(Get("/api/v1/arena", 200).at("unreadable")), HasSubstr(R"("file":"odd.json")"));
}

}  // namespace
}  // namespace openseat::console
