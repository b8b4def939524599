#include "agents/llm/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace openseat::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 40 characters are 10 tokens, and a message has 4 more.
std::string Ten(char c) {
  return std::string(40, c);
}

TEST(EstimateTokens, CountsOtherScriptsDearer) {
  EXPECT_EQ(EstimateTokens(""), 0u);
  EXPECT_EQ(EstimateTokens("four"), 1u);
  EXPECT_EQ(EstimateTokens("fives"), 2u);
  EXPECT_EQ(EstimateTokens("\u4F60\u597D"), 2u);
}

TEST(Memory, ForgetsTheOldestWhole) {
  Memory memory(100);
  memory.Add(Role::kUser, Ten('a'));
  memory.Add(Role::kUser, Ten('b'));
  memory.Add(Role::kUser, Ten('c'));
  EXPECT_THAT(memory.Recall(100), ElementsAre(Message{Role::kUser, {Ten('a'), Ten('b'), Ten('c')}}));
  EXPECT_THAT(memory.Recall(41), ElementsAre(Message{Role::kUser, {Ten('b'), Ten('c')}})) << "nothing is split";
  EXPECT_THAT(memory.Recall(100), ElementsAre(Message{Role::kUser, {Ten('b'), Ten('c')}})) << "forgotten";
  EXPECT_THAT(memory.Recall(13), IsEmpty());
}

TEST(Memory, BeginsAlikeForALongTime) {
  Memory memory(10'000);
  std::string first;
  int changes = 0;
  for (int i = 0; i < 200; ++i) {
    memory.Add(Role::kUser, "move " + std::to_string(i) + Ten('x'));
    const std::vector<Message> recalled = memory.Recall(400);
    ASSERT_FALSE(recalled.empty());
    changes += std::exchange(first, recalled.front().parts.front()) != recalled.front().parts.front() ? 1 : 0;
  }
  EXPECT_GT(changes, 5);
  EXPECT_LT(changes, 30) << "not with every move";
}

TEST(Memory, IsNeverLargerThanItsBudget) {
  Memory memory(50);
  for (int i = 0; i < 1'000; ++i) memory.Add(Role::kUser, Ten('a'));
  EXPECT_EQ(memory.size(), 3u);
  memory.Add(Role::kUser, std::string(1'000, 'x'));
  EXPECT_EQ(memory.size(), 0u);
}

TEST(Memory, DropsWhatIsEphemeral) {
  Memory memory(100);
  memory.Add(Role::kUser, "stays");
  memory.Add(Role::kUser, "goes", true);
  memory.Add(Role::kAssistant, "answer");
  memory.DropEphemeral();
  EXPECT_THAT(memory.Recall(100), ElementsAre(Message{Role::kUser, {"stays"}}, Message{Role::kAssistant, {"answer"}}));
}

TEST(Memory, BeginsWithTheUser) {
  Memory memory(100);
  memory.Add(Role::kUser, Ten('a'));
  memory.Add(Role::kAssistant, "answer");
  memory.Add(Role::kUser, "then");
  EXPECT_THAT(memory.Recall(12), ElementsAre(Message{Role::kUser, {"then"}}));
}

}  // namespace
}  // namespace openseat::llm
