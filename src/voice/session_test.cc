#include "voice/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/budget.h"
#include "base/child_program.h"
#include "base/json.h"
#include "net/fake_socket.h"
#include "testing/fake_scheduler.h"
#include "voice/voice_server.h"

namespace openseat::voice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kStart[] = R"({"command":"voice/start","game":"A"})";
constexpr char kStop[] = R"({"command":"voice/stop","game":"A"})";
constexpr char kAnn[] =
    R"({"command":"voice/speakers/register","game":"A","data":{"speakers":[{"id":7,"name":"Ann"}]}})";
constexpr char kReadyText[] = R"({"command":"voice/ready","data":{"sample_rate":48000,"channels":1}})";

class VoiceSessionTest : public ::testing::Test {
 protected:
  struct Socket {
    std::shared_ptr<net::FakeSocket> socket;
    std::unique_ptr<VoiceSession> session;
  };
  void Serve(const std::string& voice, const std::string& record_dir = "", std::size_t max_programs = 0) {
    VoiceOptions options = *ParseVoice(voice);
    options.record_dir = record_dir;
    options.max_programs = max_programs;
    server_ = std::make_unique<VoiceServer>(std::move(options), scheduler_);
  }
  Socket Open(std::string_view game = "A") {
    Socket made{std::make_shared<net::FakeSocket>(scheduler_, ++sockets_),
                std::make_unique<VoiceSession>(*server_, game, "me", payer_)};
    made.session->OnOpen(made.socket);
    scheduler_.Run();
    return made;
  }
  void Say(Socket& socket, const std::string& text) {
    socket.session->OnText(text);
    scheduler_.Run();
  }
  static std::string FrameOf(std::uint16_t speaker, std::size_t samples = 960, float value = 0.5F) {
    return EncodeAudio(speaker, Bytes(std::vector<float>(samples, value)));
  }
  static std::vector<std::string> Problems(const Socket& socket) {
    std::vector<std::string> keys;
    const json::Object picture = socket.session->Picture();
    for (const json::Value& each : picture.at("problems").as_array()) keys.emplace_back(json::TextOf(each, "key"));
    return keys;
  }
  static json::Value Speaker(const Socket& socket, std::size_t index) {
    return socket.session->Picture().at("speakers").as_array().at(index);
  }
  static std::size_t BytesOf(const std::vector<std::string>& chunks) {
    std::size_t bytes = 0;
    for (const std::string& chunk : chunks) bytes += chunk.size();
    return bytes;
  }

  testing::FakeScheduler scheduler_;
  std::unique_ptr<VoiceServer> server_;
  Metrics metrics_;
  Budget budget_{{.others = {}, .loopback = {.max_connections_per_address = 1}}, &metrics_};
  std::shared_ptr<Payer> payer_;  // null: no limits
  std::uint64_t sockets_ = 0;
};

TEST_F(VoiceSessionTest, WithoutVoiceTheSocketIsToldAndStaysOpen) {
  Serve("off");
  Socket game = Open();
  EXPECT_THAT(game.socket->sent, IsEmpty()) << "only once it asks";
  Say(game, kStart);
  EXPECT_THAT(game.socket->sent, ElementsAre(HasSubstr(R"("command":"voice/unavailable","data":{"reason":)")));
  EXPECT_EQ(game.socket->closed_with, 0);
  game.session->OnBinary(FrameOf(7));
  EXPECT_THAT(Problems(game), IsEmpty());
}

TEST_F(VoiceSessionTest, AProgramCountsAsAConnectionOfItsAddress) {
  Serve("program:cat");
  payer_ = budget_.PayerOf("127.0.0.1", Instant());
  const auto other = payer_->Hold(Holding::kConnections);
  ASSERT_TRUE(other.has_value());
  Socket game = Open();
  Say(game, kStart);
  EXPECT_THAT(game.socket->sent.back(), HasSubstr("max_connections_per_address"));
  EXPECT_THAT(json::TextOf(game.session->Picture(), "state"), "refused");
}

TEST_F(VoiceSessionTest, ThereAreOnlySoManyPrograms) {
  const std::size_t others = ChildProgram::Count();
  Serve("program:cat", "", others + 2);
  Socket first = Open("A");
  Say(first, kStart);
  EXPECT_EQ(json::TextOf(first.session->Picture(), "state"), "ready");
  Socket second = Open("B");
  Say(second, R"({"command":"voice/start","game":"B"})");
  EXPECT_EQ(json::TextOf(second.session->Picture(), "state"), "ready");
  Socket third = Open("C");
  Say(third, R"({"command":"voice/start","game":"C"})");
  EXPECT_THAT(third.socket->sent.back(), HasSubstr("voice.max_programs"));
  EXPECT_EQ(json::TextOf(third.session->Picture(), "state"), "refused");
  // One that was stopped counts until it has ended.
  Say(first, kStop);
  EXPECT_EQ(ChildProgram::Count(), others + 2);
}

TEST_F(VoiceSessionTest, HearsRegisteredSpeakers) {
  Serve("listen");
  Socket game = Open();
  Say(game, kAnn);
  game.session->OnBinary(FrameOf(7));
  EXPECT_THAT(Problems(game), ElementsAre("prot/voice/not_started"));
  Say(game, kStart);
  EXPECT_THAT(game.socket->Take(), ElementsAre(kReadyText));
  game.session->OnBinary(FrameOf(7));
  game.session->OnBinary(FrameOf(8));
  EXPECT_THAT(Problems(game), ElementsAre("prot/voice/not_started", "prot/voice/unknown_speaker"));
  EXPECT_EQ(Speaker(game, 0).at("frames"), 1);
  EXPECT_EQ(Speaker(game, 0).at("talking"), true);
  EXPECT_NEAR(Speaker(game, 0).at("level_db").as_double(), -6.0, 0.1);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(Speaker(game, 0).at("talking"), false);
  Say(game, R"({"command":"voice/speakers/register","data":{"speakers":[{"id":7,"name":"Anna"}]}})");
  EXPECT_EQ(Speaker(game, 0).at("name"), "Anna") << "renamed";
  EXPECT_EQ(Speaker(game, 0).at("frames"), 1);
  Say(game, R"({"command":"voice/speakers/unregister","data":{"Ids":[7,9]}})");
  EXPECT_THAT(game.session->Picture().at("speakers").as_array(), IsEmpty());
  Say(game, kStart);
  EXPECT_THAT(game.socket->Take(), ElementsAre(kReadyText)) << "said twice, answered twice";
}

TEST_F(VoiceSessionTest, DropsAndCountsWhatIsOdd) {
  Serve("listen");
  Socket game = Open();
  Say(game, kStart);
  Say(game, kAnn);
  game.session->OnBinary("abc");
  game.session->OnBinary(FrameOf(7, 100));
  game.session->OnBinary(FrameOf(7, 960, 9.0F));
  Say(game, R"({"command":"actions/register","game":"A"})");
  Say(game, "{");
  std::string many = R"({"command":"voice/speakers/register","data":{"speakers":[)";
  for (int i = 100; i < 150; ++i)
    many += (i == 100 ? "" : ",") + std::string(R"({"id":)") + std::to_string(i) + R"(,"name":"x"})";
  Say(game, many + "]}}");
  EXPECT_THAT(Problems(game), ElementsAre("perf/voice/frame_size", "prot/voice/control", "prot/voice/frame",
                                          "prot/voice/too_many", "prot/voice/wrong_socket"));
  EXPECT_THAT(game.session->Picture().at("speakers").as_array(), SizeIs(32));
  EXPECT_EQ(game.socket->closed_with, 0);
}

TEST_F(VoiceSessionTest, ACollapsedClipIsNoticed) {
  Serve("listen");
  Socket game = Open();
  Say(game, kStart);
  Say(game, kAnn);
  for (int i = 0; i < 500; ++i) game.session->OnBinary(FrameOf(7));
  EXPECT_THAT(Problems(game), ElementsAre("perf/voice/pace"));
  EXPECT_EQ(Speaker(game, 0).at("seconds"), 10.0);
}

TEST_F(VoiceSessionTest, ACollapsedClipIsRecordedOnlyAtItsPace) {
  std::string dir = (std::filesystem::temp_directory_path() / "openseat-voice-XXXXXX").string();
  ASSERT_NE(mkdtemp(dir.data()), nullptr);
  Serve("listen", dir);
  {
    Socket game = Open();
    Say(game, kStart);
    Say(game, kAnn);
    for (int i = 0; i < 500; ++i) game.session->OnBinary(FrameOf(7));
    EXPECT_THAT(Problems(game), ElementsAre("perf/voice/pace", "server/recording_gap"));
    const json::Object picture = game.session->Picture();
    EXPECT_THAT(json::TextOf(picture.at("problems").at(1), "message"), HasSubstr("1.5 times"));
    game.session->OnClosed({});
    scheduler_.Run();
  }
  server_.reset();  // all is written by then
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  std::filesystem::remove_all(dir);
  EXPECT_EQ(bytes, 44 + 3 * kSampleRate * kBytesPerSample) << "of ten seconds";
}

TEST_F(VoiceSessionTest, SaysAToneAtItsPaceAgainAndAgain) {
  Serve("tone:440");
  Socket game = Open();
  Say(game, kStart);
  game.socket->Take();
  scheduler_.Advance(milliseconds(1000));
  EXPECT_THAT(game.socket->sent, ElementsAre(R"({"command":"voice/speaking","data":{"speaking":true}})"));
  scheduler_.Advance(milliseconds(500));
  EXPECT_EQ(game.session->Picture().at("speaking"), true);
  EXPECT_NEAR(static_cast<double>(BytesOf(game.socket->sent_binary)), 96'000.0, 8'000.0) << "half a second";
  scheduler_.Advance(milliseconds(800));
  EXPECT_THAT(game.socket->Take(), SizeIs(2));
  EXPECT_EQ(BytesOf(game.socket->sent_binary), kSampleRate * kBytesPerSample);
  for (const std::string& chunk : game.socket->sent_binary) EXPECT_LE(chunk.size(), Speech::kChunk);
  scheduler_.Advance(milliseconds(5500));
  EXPECT_GT(BytesOf(game.socket->sent_binary), kSampleRate * kBytesPerSample);
  game.socket->Take();
  Say(game, kStop);
  EXPECT_THAT(game.socket->Take(), ElementsAre(R"({"command":"voice/speaking","data":{"speaking":false}})"));
  game.socket->sent_binary.clear();
  scheduler_.Advance(seconds(20));
  EXPECT_THAT(game.socket->sent_binary, IsEmpty());
  Say(game, kStart);
  EXPECT_THAT(game.socket->Take(), ElementsAre(kReadyText)) << "the socket is still of use";
}

TEST_F(VoiceSessionTest, LoopsBackWhatItHears) {
  Serve("loop");
  Socket game = Open();
  Say(game, kStart);
  Say(game, kAnn);
  for (int i = 0; i < 3; ++i) game.session->OnBinary(FrameOf(7, 960, 0.25F));
  scheduler_.Advance(milliseconds(200));
  EXPECT_EQ(BytesOf(game.socket->sent_binary), 3 * Speech::kChunk);
  EXPECT_EQ(Samples(game.socket->sent_binary.front()).front(), 0.25F);
  for (int i = 0; i < 1000; ++i) game.session->OnBinary(FrameOf(7));
  EXPECT_THAT(Problems(game), ::testing::Contains("server/voice/loop"));
}

TEST_F(VoiceSessionTest, WhatIsNotSaidYetCountsForItsAddress) {
  constexpr std::size_t kSecond = kSampleRate * kBytesPerSample;
  Budget budget({.others = {.max_waiting_bytes_per_address = 2 * kSecond}, .loopback = {}});
  payer_ = budget.PayerOf("192.0.2.7", Instant());
  Serve("loop");
  Socket game = Open();
  Say(game, kStart);
  Say(game, kAnn);
  for (int i = 0; i < 50; ++i) game.session->OnBinary(FrameOf(7));
  EXPECT_GT(budget.waiting(), kSecond / 2);
  EXPECT_THAT(Problems(game), IsEmpty());
  for (int i = 0; i < 250; ++i) game.session->OnBinary(FrameOf(7));
  EXPECT_LE(budget.waiting(), 2 * kSecond + WaitingCount::kFree);
  EXPECT_THAT(Problems(game), ElementsAre("perf/voice/pace", "server/voice/loop"));
  EXPECT_THAT(json::TextOf(game.session->Picture().at("problems").at(1), "message"),
              HasSubstr("max_waiting_bytes_per_address"));

  Socket other = Open("B");
  Say(other, kStart);
  EXPECT_FALSE(other.session->SayTone(440, 1)) << "they count together";
  Say(game, kStop);
  EXPECT_EQ(budget.waiting(), 0u);
  EXPECT_TRUE(other.session->SayTone(440, 1));
  EXPECT_GT(budget.waiting(), kSecond / 2);
  scheduler_.Advance(seconds(2));
  EXPECT_EQ(budget.waiting(), 0u) << "all is said";
}

TEST_F(VoiceSessionTest, AClipForWhichThereIsNoRoomIsTriedAgain) {
  Budget budget({.others = {.max_waiting_bytes_per_address = 1000}, .loopback = {}});
  payer_ = budget.PayerOf("192.0.2.7", Instant());
  Serve("tone");
  Socket game = Open();
  Say(game, kStart);
  for (int i = 1; i <= 2; ++i) {
    scheduler_.Advance(seconds(i == 1 ? 2 : 5));
    EXPECT_THAT(Problems(game), ElementsAre("server/voice/clip"));
    EXPECT_EQ(game.session->Picture().at("problems").at(0).at("count"), i);
  }
  EXPECT_THAT(game.socket->sent_binary, IsEmpty());
}

TEST_F(VoiceSessionTest, CancelThrowsAwayWhatIsNotSaid) {
  Serve("listen");
  Socket game = Open();
  EXPECT_FALSE(game.session->SayTone(440, 1)) << "not ready";
  Say(game, kStart);
  EXPECT_TRUE(game.session->SayTone(440, 10));
  scheduler_.Advance(milliseconds(100));
  game.socket->Take();
  game.session->Cancel();
  EXPECT_THAT(game.socket->Take(), ElementsAre(R"({"command":"voice/cancelled"})",
                                               R"({"command":"voice/speaking","data":{"speaking":false}})"));
  game.socket->sent_binary.clear();
  scheduler_.Advance(seconds(11));
  EXPECT_THAT(game.socket->sent_binary, IsEmpty());
}

TEST_F(VoiceSessionTest, TheNewerSocketOfAGameCounts) {
  Serve("listen");
  Socket first = Open();
  Say(first, kStart);
  Socket second = Open();
  Say(second, kStart);
  EXPECT_EQ(second.socket->sent.back(), kReadyText);
  EXPECT_THAT(first.socket->sent.back(), HasSubstr("voice/unavailable"));
  EXPECT_EQ(first.socket->closed_with, 0) << "it would only come back";
  first.session->OnClosed({});
  second.session->OnClosed({});
  scheduler_.Run();
}

}  // namespace
}  // namespace openseat::voice
