#include "relay/replayer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::relay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReplayerTest : public ::testing::Test, public ReplayPort {
 protected:
  void Send(std::string_view message) override { sent_.emplace_back(message); }
  void Cut() override { ++cuts_; }
  void Found(const Finding& finding) override { found_.push_back(FindingText(finding)); }
  void Finished() override { finished_ = true; }

  void Add(Cue::Kind kind, std::string text = {}, Duration after = milliseconds(10)) {
    time_ += after;
    recording_.cues.push_back({kind, recording_.cues.size() + 1, time_, std::move(text)});
  }
  void Connect() { Add(Cue::Kind::kConnected); }
  void FromGame(std::string text) { Add(Cue::Kind::kFromGame, std::move(text)); }
  void ToGame(std::string text, Duration after = milliseconds(10)) { Add(Cue::Kind::kToGame, std::move(text), after); }
  Replayer& Begin(ReplayOptions options = {}) {
    replayer_ = std::make_unique<Replayer>(recording_, std::move(options), scheduler_, *this);
    replayer_->Start();
    return *replayer_;
  }

  static std::string Context(std::string_view message) {
    return R"({"command":"context","data":{"message":")" + std::string(message) + "\"}}";
  }

  testing::FakeScheduler scheduler_;
  Recording recording_{.game = "A", .cues = {}};
  Time time_{};
  std::unique_ptr<Replayer> replayer_;
  std::vector<std::string> sent_;
  std::vector<std::string> found_;
  int cuts_ = 0;
  bool finished_ = false;
};

TEST_F(ReplayerTest, SendsEachMessageOnceTheGameHasSaidWhatItSaidBefore) {
  Connect();
  FromGame("startup");
  ToGame("ack");
  FromGame("force");
  FromGame("context");
  ToGame("action", std::chrono::hours(1));
  FromGame("result");
  Replayer& replayer = Begin();
  EXPECT_THAT(sent_, IsEmpty());
  replayer.OnConnected();
  replayer.OnMessage("startup", false);
  EXPECT_THAT(sent_, ElementsAre("ack"));
  replayer.OnMessage("force", false);
  EXPECT_THAT(sent_, ElementsAre("ack"));
  replayer.OnMessage("context", false);
  EXPECT_THAT(sent_, ElementsAre("ack", "action")) << "an hour takes no time";
  replayer.OnMessage("result", false);
  EXPECT_FALSE(finished_);
  scheduler_.Advance(seconds(1));
  EXPECT_TRUE(finished_);
  EXPECT_TRUE(replayer.report().same());
  EXPECT_EQ(replayer.report().same_bytes, 4u);
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(ReplayerTest, KeepsTheRecordedPaceIfAsked) {
  Connect();
  FromGame("startup");
  ToGame("action", seconds(60));
  Replayer& replayer = Begin({.in_time = true});
  replayer.OnConnected();
  replayer.OnMessage("startup", false);
  scheduler_.Advance(seconds(59));
  EXPECT_THAT(sent_, IsEmpty());
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(sent_, ElementsAre("action"));
  scheduler_.Advance(seconds(1));
  EXPECT_TRUE(finished_);
  EXPECT_TRUE(replayer.report().same());
}

TEST_F(ReplayerTest, OrderWithinAStretchIsOnlyReported) {
  Connect();
  FromGame(Context("one"));
  FromGame(Context("two"));
  ToGame("action");
  Replayer& replayer = Begin();
  replayer.OnConnected();
  replayer.OnMessage(Context("two"), false);
  replayer.OnMessage(Context("one"), false);
  EXPECT_THAT(sent_, ElementsAre("action"));
  scheduler_.Advance(seconds(1));
  EXPECT_TRUE(replayer.report().same());
  EXPECT_THAT(found_, ElementsAre(HasSubstr("#3 context: in another order")));
}

TEST_F(ReplayerTest, SaysWhatChanged) {
  Connect();
  FromGame(Context("one"));
  FromGame(Context("two"));
  ToGame("action");
  Replayer& replayer = Begin();
  replayer.OnConnected();
  replayer.OnMessage(Context("uno"), false);
  replayer.OnMessage(Context("two"), false);
  EXPECT_THAT(sent_, IsEmpty());
  scheduler_.Advance(milliseconds(300));
  EXPECT_THAT(sent_, ElementsAre("action"));
  EXPECT_THAT(found_, ElementsAre(HasSubstr("#3 context: in another order"),
                                  HasSubstr("#2 context: the game says something else\n    data.message: \"one\" then, "
                                            "\"uno\" now")));
  scheduler_.Advance(seconds(1));
  EXPECT_FALSE(replayer.report().same());
  EXPECT_EQ(replayer.report().changed, 1u);
}

TEST_F(ReplayerTest, SaysItWithoutControlCharacters) {
  const Finding finding{Finding::Kind::kChanged, 2, "con\x1btext", {{"data.\x1b]52;c;eA==\x07\xC2\x9b", "1", "2"}}, ""};
  EXPECT_EQ(FindingText(finding),
            "#2 con\\x1btext: the game says something else\n    data.\\x1b]52;c;eA==\\x07\\x9b: 1 then, 2 now");
}

TEST_F(ReplayerTest, SaysWhatIsMissingAndWhatIsNew) {
  Connect();
  FromGame(Context("one"));
  FromGame("force");
  ToGame("action");
  Replayer& replayer = Begin();
  replayer.OnConnected();
  replayer.OnMessage("force", false);
  replayer.OnMessage(R"({"command":"shout"})", false);
  scheduler_.Advance(milliseconds(19'900));
  EXPECT_THAT(sent_, IsEmpty());
  scheduler_.Advance(milliseconds(100));
  EXPECT_THAT(sent_, ElementsAre("action"));
  scheduler_.Advance(seconds(1));
  EXPECT_TRUE(finished_);
  EXPECT_EQ(replayer.report().missing, 1u);
  EXPECT_EQ(replayer.report().unexpected, 1u);
  EXPECT_THAT(found_.back(), HasSubstr("shout: the game also says"));
}

TEST_F(ReplayerTest, AGameThatTalksOnDoesNotKeepItWaiting) {
  Connect();
  FromGame("force");
  ToGame("action");
  Replayer& replayer = Begin();
  replayer.OnConnected();
  for (int i = 0; i < 200 && sent_.empty(); ++i) {
    replayer.OnMessage(Context(std::to_string(i)), false);
    scheduler_.Advance(milliseconds(200));
  }
  EXPECT_THAT(sent_, ElementsAre("action"));
  for (int i = 0; i < 200 && !finished_; ++i) {
    replayer.OnMessage(Context(std::to_string(i)), false);
    scheduler_.Advance(milliseconds(200));
  }
  EXPECT_TRUE(finished_);
}

TEST_F(ReplayerTest, WhatIsIgnoredMayBeMissing) {
  Connect();
  FromGame(Context("one"));
  ToGame("action");
  Replayer& replayer = Begin({.ignored = {*ParseIgnoreRule("context")}});
  replayer.OnConnected();
  scheduler_.Advance(seconds(20));
  EXPECT_THAT(sent_, ElementsAre("action"));
  replayer.OnMessage(Context("two"), false);
  replayer.OnMessage(Context("three"), false);
  scheduler_.Advance(seconds(1));
  EXPECT_TRUE(replayer.report().same()) << found_.size();
}

TEST_F(ReplayerTest, StopsAfterSoManyDifferences) {
  Connect();
  for (int i = 0; i < 5; ++i) {
    FromGame("m" + std::to_string(i));
    ToGame("a");
  }
  Replayer& replayer = Begin({.max_differences = 2});
  replayer.OnConnected();
  scheduler_.Advance(std::chrono::minutes(5));
  EXPECT_TRUE(finished_);
  EXPECT_EQ(replayer.report().missing, 2u);
  EXPECT_EQ(replayer.report().not_reached, 3u);
  EXPECT_FALSE(replayer.report().same());
}

TEST_F(ReplayerTest, FollowsReconnections) {
  Connect();
  FromGame("startup");
  Add(Cue::Kind::kDisconnected);
  Connect();
  FromGame("again");
  ToGame("action");
  Add(Cue::Kind::kDisconnected);
  Replayer& replayer = Begin();
  replayer.OnConnected();
  replayer.OnMessage("startup", false);
  EXPECT_EQ(cuts_, 1);
  replayer.OnConnected();
  replayer.OnMessage("again", false);
  EXPECT_THAT(sent_, ElementsAre("action"));
  scheduler_.Advance(seconds(1));
  EXPECT_TRUE(replayer.report().same());
  EXPECT_EQ(cuts_, 1) << "the end is not cut";
}

TEST_F(ReplayerTest, NoGameAndAGameThatLeft) {
  Connect();
  FromGame("startup");
  ToGame("action");
  Begin();
  scheduler_.Advance(seconds(20));
  EXPECT_TRUE(finished_);
  EXPECT_THAT(found_, ElementsAre("no game connected"));
  EXPECT_FALSE(replayer_->report().same());

  finished_ = false;
  found_.clear();
  Begin().OnConnected();
  replayer_->OnMessage("startup", false);
  replayer_->OnClosed();
  scheduler_.Advance(seconds(20));
  EXPECT_TRUE(finished_);
  EXPECT_EQ(replayer_->report().sent, 1u);
}

TEST(Recording, ReadsMessagesExactly) {
  testing::MemoryJournal journal;
  testing::FakeScheduler scheduler;
  const TableId table("t");
  const std::string odd = "\xFF not JSON\n";
  journal.Append(table, 0,
                 {{EventKind::kOpened, Time(), R"({"kind":"remote","game":"A"})"},
                  {EventKind::kLink, Time(), R"({"state":"connected","peer":"127.0.0.1"})"},
                  {EventKind::kReceived, Time(), odd},
                  {EventKind::kDiagnostic, Time(), "{}"},
                  {EventKind::kSent, Time(), "{}"},
                  {EventKind::kLink, Time(), R"({"state":"disconnected"})"}},
                 scheduler, {});
  const Result<Recording> recording = ReadRecording(journal, table);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->game, "A");
  ASSERT_EQ(recording->cues.size(), 4u);
  EXPECT_EQ(recording->cues[0].kind, Cue::Kind::kConnected);
  EXPECT_EQ(recording->cues[1].text, odd);
  EXPECT_EQ(recording->cues[2].seq, 5u);
  EXPECT_EQ(recording->cues[3].kind, Cue::Kind::kDisconnected);
  EXPECT_EQ(recording->from_game, 1u);

  journal.Append(TableId("hosted"), 0, {{EventKind::kOpened, Time(), R"({"kind":"hosted","game":"rps"})"}}, scheduler,
                 {});
  EXPECT_THAT(ReadRecording(journal, TableId("hosted")).error().message, HasSubstr("not the table of a game"));
  EXPECT_EQ(ReadRecording(journal, TableId("none")).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace openseat::relay
