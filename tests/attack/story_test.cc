// Stories told by strangers: what a narrator makes up is remembered, shown and sent with every turn.
#include "attack/attack.h"
#include "attack/attacks_of_games.h"

namespace openseat::tests {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class StoryAttack : public Attack {};

TEST_F(StoryAttack, ThousandsOfNamesInATurn) {
  Start();
  Storytellers story(server());
  ASSERT_TRUE(story.Ready());
  for (std::size_t i = 0; i < Scaled(20); ++i) {
    EXPECT_THAT(story.NarrateThousandsOfNames(i), Each(HasSubstr("must stay below 65536 bytes")));
  }
  EXPECT_TRUE(story.Narrate(Storytellers::ShortNarration()).at("result").is_object());
  ExpectUnnoticed(20);
  ExpectNoStall();
}

TEST_F(StoryAttack, ASeatOfALongStoryIsTakenAgainAndAgain) {
  Start();
  Storytellers story(server());
  ASSERT_TRUE(story.Ready());
  ASSERT_TRUE(story.TellLongTurns(30));
  for (std::size_t i = 0; i < Scaled(200); ++i) {
    const json::Value back = story.TakeTheSeatAgain();
    ASSERT_TRUE(back.as_object().contains("result")) << json::Write(back);
  }
  ExpectUnnoticed(20);
  ExpectNoStall();
}

}  // namespace
}  // namespace openseat::tests
