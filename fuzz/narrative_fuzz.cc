// What strangers send to stories: bodies, headers, and narrators' answers. The first line is the Accept header, the
// second the Idempotency-Key, the rest the body; the body is also read as a narrator's answer.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agents/kinds.h"
#include "agents/random_agent.h"
#include "agents/script_agent.h"
#include "base/check.h"
#include "base/json.h"
#include "games/narrative/result_schema.h"
#include "net/http.h"
#include "protocols/narrative/negotiation.h"
#include "protocols/narrative/replies.h"
#include "protocols/narrative/requests.h"
#include "protocols/narrative/zod_issues.h"
#include "schema/repair/repair.h"

namespace json = openseat::json;
namespace narrative = openseat::narrative;
using openseat::games::narrative::kResultVersions;
using openseat::games::narrative::ResultSchema;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto line = [&rest] {
    const std::string_view head = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(head.size() == rest.size() ? rest.size() : head.size() + 1);
    return std::string(head);
  };
  openseat::net::HttpRequest request;
  request.headers.Add("Accept", line());
  if (const std::string key = line(); !key.empty()) request.headers.Add("Idempotency-Key", key);
  request.body = rest;

  const narrative::VersionWish wish(request, std::nullopt);
  const auto both = wish.BestOf({2, 1});
  OPENSEAT_CHECK(both.has_value() == wish.BestOf({1, 2}).has_value(), "the order decides which, not whether");
  OPENSEAT_CHECK(!wish.BestOf({1}) || both, "offering more never serves fewer");

  if (const auto turn = narrative::ReadTurn(request)) {
    OPENSEAT_CHECK(turn->choice_id.empty() != turn->text.empty(), "a turn has one input");
  } else {
    OPENSEAT_CHECK(turn.error().status == 400, "a wrong request is the caller's error");
  }
  static const openseat::AgentKinds kinds({openseat::RandomKind(), openseat::ScriptKind()});
  if (const auto game = narrative::ReadNewGame(request, kinds)) {
    OPENSEAT_CHECK(!game->player.empty() && (!game->turns || *game->turns > 0), "a game matches its schema");
  }

  const auto answer = openseat::schema::ParseStrict(request.body);
  if (!answer) return 0;
  for (int version = 1; version <= kResultVersions; ++version) {
    const json::Array issues = narrative::ZodIssues(ResultSchema(version), *answer);
    OPENSEAT_CHECK(issues.empty() == ResultSchema(version).IsValid(*answer),
                   "an answer has issues exactly if it is not valid");
  }
  OPENSEAT_CHECK(!ResultSchema(2).IsValid(*answer) || ResultSchema(1).IsValid(*answer),
                 "version 2 is a subset of version 1");
  static_cast<void>(narrative::NarratorFailure(answer->get_object(), 1));
  return 0;
}
