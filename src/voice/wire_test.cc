#include "voice/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace openseat::voice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What each SDK puts on the wire, read in its source.
TEST(VoiceWire, ReadsWhatTheSdksSend) {
  struct Case {
    const char* sdk;
    const char* text;
    std::size_t body;  // index of the variant
    std::size_t entries;
  };
  const Case cases[] = {
      {"C++, keys sorted", R"({"command":"voice/start","game":"A"})", 0, 0},
      {"C++",
       R"({"command":"voice/speakers/register","data":{"speakers":[{"id":0,"name":"Ann"},{"id":1,"name":"Bo"}]},"game":"A"})",
       2, 2},
      {"C++, an empty list", R"({"command":"voice/speakers/unregister","data":{"ids":null},"game":"A"})", 3, 0},
      {"C++", R"({"command":"voice/stop","game":"A"})", 1, 0},
      {"C#", R"({"command":"voice/speakers/unregister","game":"A","data":{"Ids":[1,2]}})", 3, 2},
      {"Unity", R"({"command":"voice/start","game":"A","data":{}})", 0, 0},
      {"Unity, the whole roster",
       R"({"command":"voice/speakers/register","game":"A","data":{"speakers":[{"id":7,"name":"Ann"}]}})", 2, 1},
      {"Godot, pretty", "{\n\t\"command\": \"voice/start\",\n\t\"game\": \"A\"\n}", 0, 0},
      {"Godot, numbers as floats",
       R"({"command":"voice/speakers/register","game":"A","data":{"speakers":[{"id":7.0,"name":"Ann"}]}})", 2, 1},
      {"Python", R"({"command": "voice/start", "game": "A", "data": null})", 0, 0},
  };
  for (const Case& each : cases) {
    const Result<Control> control = DecodeControl(each.text);
    ASSERT_TRUE(control) << each.sdk;
    EXPECT_EQ(control->game, "A") << each.sdk;
    EXPECT_EQ(control->body.index(), each.body) << each.sdk;
    EXPECT_THAT(control->oddities, IsEmpty()) << each.sdk;
    if (const auto* speakers = std::get_if<SpeakersMessage>(&control->body)) {
      EXPECT_THAT(speakers->speakers, SizeIs(each.entries)) << each.sdk;
    }
    if (const auto* ids = std::get_if<ForgetSpeakersMessage>(&control->body)) {
      EXPECT_THAT(ids->ids, SizeIs(each.entries)) << each.sdk;
    }
  }
}

TEST(VoiceWire, LeavesOutWhatCannotBeRead) {
  const Result<Control> control = DecodeControl(
      R"({"command":"voice/speakers/register","data":{"speakers":[{"id":-1,"name":"a"},{"id":65536},{"name":"b"},"x",{"id":65535,"name":"c"}]}})");
  ASSERT_TRUE(control);
  EXPECT_THAT(std::get<SpeakersMessage>(control->body).speakers, ElementsAre(Speaker{65535, "c"}));
  EXPECT_THAT(control->oddities, SizeIs(4));
  EXPECT_EQ(DecodeControl(R"({"command":"actions/force","game":"A"})").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeControl("[1]").error().code, ErrorCode::kInvalid);
  EXPECT_EQ(DecodeControl("{").error().code, ErrorCode::kParse);
  EXPECT_EQ(DecodeControl(std::string(kMaxControl + 1, ' ')).error().code, ErrorCode::kTooLarge);
}

TEST(VoiceWire, Audio) {
  const std::string samples = Bytes(std::vector<float>{0.5F, -1.0F});
  const std::string frame = EncodeAudio(0x1234, samples);
  EXPECT_EQ(frame.substr(0, 4), std::string("\x01\x00\x34\x12", 4));
  const Result<Audio> audio = DecodeAudio(frame);
  ASSERT_TRUE(audio);
  EXPECT_EQ(audio->speaker, 0x1234);
  EXPECT_EQ(audio->samples, samples);
  EXPECT_EQ(Samples(audio->samples), (std::vector<float>{0.5F, -1.0F}));
  std::string flagged = frame;
  flagged[1] = '\x7F';
  EXPECT_TRUE(DecodeAudio(flagged)) << "flags are ignored";

  EXPECT_THAT(DecodeAudio(frame.substr(0, 7)).error().message, HasSubstr("8 bytes"));
  EXPECT_THAT(DecodeAudio(frame.substr(0, 10)).error().message, HasSubstr("whole"));
  EXPECT_THAT(DecodeAudio("").error().message, HasSubstr("got 0"));
  std::string newer = frame;
  newer[0] = 2;
  EXPECT_THAT(DecodeAudio(newer).error().message, HasSubstr("got 2"));
}

TEST(VoiceWire, Levels) {
  EXPECT_FLOAT_EQ(LevelOf(Bytes(std::vector<float>{0.5F, -0.25F})).peak, 0.5F);
  EXPECT_NEAR(LevelOf(Bytes(std::vector<float>{0.5F, -0.5F})).rms, 0.5F, 1e-6);
  EXPECT_TRUE(LevelOf(Bytes(std::vector<float>{std::numeric_limits<float>::quiet_NaN()})).broken);
  EXPECT_TRUE(LevelOf(Bytes(std::vector<float>{1e30F})).broken);
  EXPECT_EQ(LevelOf("").rms, 0);
}

TEST(VoiceWire, WritesWhatTheStrictestClientAccepts) {
  std::string out;
  EncodeReady(out);
  EXPECT_EQ(out, R"({"command":"voice/ready","data":{"sample_rate":48000,"channels":1}})");
  out.clear();
  EncodeSpeaking(false, out);
  EXPECT_EQ(out, R"({"command":"voice/speaking","data":{"speaking":false}})");
}

}  // namespace
}  // namespace openseat::voice
