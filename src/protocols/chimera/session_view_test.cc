// The table as people see it, and what happened at it, for clients that ask for them.
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
export const apply = ({ at }, seat) => ({ state: { at: at + 1 }, log: ['Up to ' + (at + 1), { text: 'Only seat ' + seat, to: [seat] }] });
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

TEST_F(SessionViewTest, EachViewerWhoAsksForItReadsWhatHappened) {
  Client ann = Connect(first_);
  Client bo = Connect(second_);
  Client eve = Connect(second_);
  Client dan = Connect(first_);
  const std::string id =
      Member(Ask(ann, "create-match", R"({"game":"count","player-name":"Ann","news":true})"), "match-id");
  const std::string match = R"({"game":"count","match-id":")" + id + "\",";
  EXPECT_THAT(Ask(bo, "join-match", match + R"("player-name":"Bo","news":true})"), HasSubstr("result"));
  Ask(eve, "spectate-match", match + R"("spectator-name":null,"news":true})");
  Ask(dan, "spectate-match", match + R"("spectator-name":null})");
  EXPECT_THAT(ann.socket->Take(), Contains(AllOf(HasSubstr(R"("event":"start")"), HasSubstr(R"("match-seq":)"),
                                                 Not(HasSubstr("match-news")))));
  for (Client* each : {&bo, &eve, &dan}) each->socket->Take();

  const std::string up = R"({"type":"request","id":1,"operation":"game-action","params":{"match-id":")" + id +
                         R"(","action":"up","data":{}}})";
  EXPECT_THAT(Say(ann, up), Contains(HasSubstr(R"("match-news":["Up to 1","Only seat 0"])")));
  EXPECT_THAT(bo.socket->Take(), Contains(HasSubstr(R"("match-news":["Up to 1"])")));
  EXPECT_THAT(eve.socket->Take(), Contains(HasSubstr(R"("match-news":["Up to 1"])")));
  EXPECT_THAT(dan.socket->Take(),
              Contains(AllOf(HasSubstr("update"), Not(HasSubstr("match-news")), Not(HasSubstr("match-seq")))))
      << "Dan has not asked for it";

  const std::string back = R"({"match-id":")" + id + R"(","offer":"take-back"})";
  Ask(ann, "offer", back);
  Ask(bo, "offer", back);
  EXPECT_THAT(eve.socket->Take(), Contains(AllOf(HasSubstr(R"("game-state":{"at":0})"),
                                                 HasSubstr(R"("match-taken-back":0)"), Not(HasSubstr("match-news")))));
  Say(ann, up);
  EXPECT_THAT(eve.socket->Take(),
              Contains(AllOf(HasSubstr(R"("match-news":["Up to 1"])"), Not(HasSubstr("match-taken-back")))));
}

}  // namespace
}  // namespace openseat::chimera
