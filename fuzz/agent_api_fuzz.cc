// Reads bytes as the bodies of /game/action, /game/choice and /game/select. The first byte says how far a game has
// progressed and which seat asks; "@" in the rest stands for a cid that exists.
//
// Reading never crashes and always answers. The rules either accept a choice, or refuse it with a sentence and leave
// the game unchanged. Every choice that is offered is accepted.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/log.h"
#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "protocols/agent_api/look_test_support.h"
#include "protocols/agent_api/netrunner_json.h"
#include "protocols/agent_api/plain_json.h"
#include "protocols/agent_api/request.h"

namespace openseat::agent_api {
namespace {

void Try(LookedAt& table, const SeatView& look, const Result<Wanted>& wanted) {
  if (!wanted) {
    OPENSEAT_CHECK(!wanted.error().message.empty(), "a refusal says why");
    return;
  }
  const std::unique_ptr<GameState> before = table.state().Clone();
  const Result<void> valid = table.state().Validate(look.seat(), wanted->choice.action, wanted->choice.data);
  OPENSEAT_CHECK(table.state().Equals(*before), "asking changes nothing");
  if (!valid) {
    OPENSEAT_CHECK(!valid.error().message.empty(), "a refusal says why");
    return;
  }
  table.Play(wanted->choice.action, wanted->choice.data);
}

void Run(const Game& game, std::uint8_t where, std::string_view input) {
  LookedAt table(game, where % 7);
  for (int step = where % 40; step > 0 && !table.over(); --step) table.Step();
  const SeatIndex seat = (where & 0x80) == 0 && !table.over() ? table.awaited() : where / 64 % 2;
  const SeatView look = table.Look(seat);
  std::set<std::string> cids;
  CollectCids(look.sight->observation(), cids);
  std::string body;
  for (const char c : input) {
    if (c == '@' && !cids.empty()) {
      body += *cids.begin();
    } else {
      body += c;
    }
  }
  if (IsNetrunner(look)) {
    static_cast<void>(ReadChoice(look, body));
    static_cast<void>(ReadSelect(look, body));
    OPENSEAT_CHECK(!netrunner::State(look).empty(), "there is a state");
  } else {
    OPENSEAT_CHECK(!plain::State(look).empty(), "there is a state");
  }
  const Result<Wanted> wanted = ReadAction(look, body);
  if (seat == (table.over() ? 2 : table.awaited())) Try(table, look, wanted);
}

}  // namespace
}  // namespace openseat::agent_api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openseat;
  static const std::unique_ptr<Game> netrunner = games::MakeNetrunner();
  static const std::unique_ptr<Game> tictactoe = games::MakeTicTacToe();
  log::SetLevel(log::Level::kOff);
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  agent_api::Run(data[0] % 5 == 0 ? *tictactoe : *netrunner, data[0], body);
  return 0;
}
