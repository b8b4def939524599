// The table as people see it, for clients that ask for it.
#include <gmock/gmock.h>

#include "games/script/script_game.h"
#include "protocols/chimera/chimera_test_support.h"

namespace openseat::chimera {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Each seat sees its own number; spectators see -1.
constexpr std::string_view kCount = R"(
export const info = { id: 'count', title: 'Count', description: 'd', rules: 'r', seats: { min: 2, max: 2 }, actions: { up: 'Count.' } };
export const setup = () => ({ at: 0 });
export const awaited = ({ at }) => [at % 2];
export const actions = () => [{ name: 'up' }];
export const apply = ({ at }) => ({ state: { at: at + 1 } });
export const observe = ({ at }) => ({ at });
export const redeal = (state) => state;
export const outcome = ({ at }) => (at === 2 ? { winners: [], reason: 'counted' } : null);
export const view = ({ at }, viewer) => ({ parts: [{ type: 'counter', value: `${at} for ${viewer}` }] });
)";

class SessionViewTest : public ChimeraTest {
 protected:
  SessionViewTest() {
    lobby_.reset();
    MatchRules rules;
    rules.takes_long = games::IsScript;
    lobby_ = std::make_unique<Lobby>(drawn_, rules, std::chrono::seconds(300), directory_, journal_, MakeLocalAgent);
  }
  void TearDown() override { lobby_.reset(); }

  const std::unique_ptr<Game> count_ = *games::MakeScriptGame({{"count.js", std::string(kCount)}});
  const std::array<const Game*, 1> drawn_{count_.get()};
};

TEST_F(SessionViewTest, EachViewerWhoAsksForItGetsTheTable) {
  Client ann = Connect(first_);
  Client bo = Connect(second_);
  Client eve = Connect(second_);
  const std::string made = Ask(ann, "create-match", R"({"game":"count","player-name":"Ann","view":true})");
  const std::string id = Member(made, "match-id");
  const std::string match = R"({"game":"count","match-id":")" + id + "\",";
  EXPECT_THAT(Ask(bo, "join-match", match + R"("player-name":"Bo"})"), HasSubstr("result"));
  EXPECT_THAT(ann.socket->Take(),
              Contains(HasSubstr(R"("match-view":{"parts":[{"type":"counter","value":"0 for 0"}]})")));
  EXPECT_THAT(bo.socket->Take(), Not(Contains(HasSubstr("match-view")))) << "Bo has not asked for it";
  EXPECT_THAT(Say(eve, R"({"type":"request","id":1,"operation":"spectate-match","params":)" + match +
                           R"("spectator-name":null,"view":true}})"),
              Contains(HasSubstr("0 for null")));
  EXPECT_THAT(Ask(ann, "game-action", R"({"match-id":")" + id + R"(","action":"up","data":{}})"), HasSubstr("result"));
  EXPECT_THAT(eve.socket->Take(), Contains(AllOf(HasSubstr(R"("event":"update")"), HasSubstr("1 for null"))));
  EXPECT_THAT(Say(bo, R"({"type":"request","id":1,"operation":"game-action","params":{"match-id":")" + id +
                          R"(","action":"up","data":{}}})"),
              Contains(AllOf(HasSubstr(R"("event":"end")"), Not(HasSubstr("match-view")))));
  EXPECT_THAT(ann.socket->Take(), Contains(AllOf(HasSubstr(R"("event":"end")"), HasSubstr("2 for 0"))));
}

}  // namespace
}  // namespace openseat::chimera
