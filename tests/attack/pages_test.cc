// A page of another site, open in the browser of the person who runs the server: it must not be able to use the server.
#include <string>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_by_requests.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PagesAttack : public Attack {
 protected:
  // The status of an upgrade with these headers.
  int Upgrade(const std::string& path, const std::string& headers) {
    const std::string host = "127.0.0.1:" + std::to_string(server().port());
    return net::TestClient(server().port()).Request(UpgradeHead(path, headers, host)).status;
  }
  int Ask(const std::string& line, const std::string& headers) {
    net::TestClient client(server().port());
    return client.Request(line + " HTTP/1.1\r\nContent-Length: 0\r\n" + headers + "\r\n").status;
  }
  std::string Host() { return "Host: 127.0.0.1:" + std::to_string(server().port()) + "\r\n"; }
  std::string Own() { return "Origin: http://127.0.0.1:" + std::to_string(server().port()) + "\r\n"; }
};

TEST_F(PagesAttack, NoWebSocketOpensToForeignPages) {
  Start("[access]\norigins = [\"http://localhost:5173\"]\n");
  for (const char* path : kSockets) {
    for (const char* origin : {"http://evil.example", "https://evil.example", "null", "http://127.0.0.1:1",
                               "http://localhost:5174", "file://"}) {
      EXPECT_EQ(Upgrade(path, "Origin: " + std::string(origin) + "\r\n"), 403) << path << " " << origin;
    }
    EXPECT_EQ(Upgrade(path, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: websocket\r\n"), 403) << path;
    EXPECT_EQ(Upgrade(path, ""), 101) << path << ", which native clients open";
    EXPECT_EQ(Upgrade(path, Own() + "Sec-Fetch-Site: same-origin\r\n"), 101) << path << ", the server's own page";
    EXPECT_EQ(Upgrade(path, "Origin: http://localhost:5173\r\nSec-Fetch-Site: cross-site\r\n"), 101) << path;
  }
  neighbor().WaitForTrips(5);
}

TEST_F(PagesAttack, OnlyAllowedPagesReadAnswers) {
  Start("[access]\norigins = [\"http://localhost:5173\"]\n");
  const auto head = [&](const std::string& line, const std::string& headers) {
    net::TestClient client(server().port());
    return client.Request(line + " HTTP/1.1\r\nContent-Length: 0\r\n" + Host() + headers + "\r\n").head;
  };
  const std::string allowed = "Origin: http://localhost:5173\r\nSec-Fetch-Site: cross-site\r\n";
  const std::string preflight =
      "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization, mcp-session-id\r\n";
  const std::string may = "Access-Control-Allow-Origin: http://localhost:5173\r\n";
  for (const char* path : {"/api/v1/tables", "/api/v1/matches", "/mcp", "/game/state", "/api/games", "/openapi.json"}) {
    const std::string get = std::string("GET ") + path;
    const std::string options = std::string("OPTIONS ") + path;
    EXPECT_THAT(head(get, allowed), HasSubstr(may)) << path;
    EXPECT_THAT(head(options, allowed + preflight), HasSubstr(may)) << path;
    EXPECT_THAT(head(options, allowed + preflight), HasSubstr("Access-Control-Allow-Headers: authorization, mcp-"))
        << path;
    // A preflight request from elsewhere carries no token.
    EXPECT_THAT(head(options, allowed + preflight + "X-Forwarded-For: 203.0.113.9\r\n"), HasSubstr(may)) << path;
    for (const char* origin : {"http://evil.example", "null", "http://localhost:5174"}) {
      const std::string foreign = "Origin: " + std::string(origin) + "\r\n";
      EXPECT_THAT(head(get, foreign), Not(HasSubstr("Access-Control"))) << path << " " << origin;
      EXPECT_THAT(head(options, foreign + preflight), Not(HasSubstr("Access-Control"))) << path << " " << origin;
    }
  }
  EXPECT_THAT(head("OPTIONS /api/v1/matches", allowed + preflight), HasSubstr("Access-Control-Allow-Methods: POST"));
}

TEST_F(PagesAttack, NoRequestIsTakenFromForeignPages) {
  Start();
  const std::string foreign = Host() + "Origin: http://evil.example\r\n";
  EXPECT_THAT(ActAsForeignPage(server()), ::testing::Each(403));
  for (const char* line : kRequestsOfPages) {
    EXPECT_EQ(Ask(line, foreign), 403) << line;
    EXPECT_EQ(Ask(line, Host() + "Sec-Fetch-Site: cross-site\r\n"), 403) << line;
  }
  const std::string followed =
      Host() + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
  EXPECT_EQ(Ask("GET /", followed), 200) << "a link that somebody follows";
  EXPECT_EQ(Ask("GET /openapi.json", followed), 200);
  EXPECT_EQ(Ask("GET /auth/login", followed), 404) << "nobody can sign in here, but it may be asked";
  for (const char* line : {"GET /api/v1/tables", "GET /metrics", "GET /mcp", "GET /game/state", "GET /api/games"}) {
    EXPECT_EQ(Ask(line, followed), 403) << line << ", which is no page";
  }
  EXPECT_EQ(Ask("GET /api/v1/tables", Host() + Own()), 200);
}

// The name is in the target, and the header has the expected value.
TEST_F(PagesAttack, NoNameButTheServersOwnReachesIt) {
  StartAlone();
  EXPECT_EQ(Ask("GET /api/v1/tables", "Host: evil.example\r\n"), 403);
  EXPECT_EQ(Ask("GET http://evil.example/api/v1/tables", Host()), 403);
  EXPECT_EQ(Ask("GET http://127.0.0.1/api/v1/tables", Host()), 200);
  EXPECT_EQ(Ask("GET http://127.0.0.1/api/v1/tables", "Host: evil.example\r\n"), 200) << "the target counts";
}

}  // namespace
}  // namespace openseat::tests
