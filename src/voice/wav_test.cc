#include "voice/wav.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/budget.h"
#include "base/metrics.h"
#include "voice/options.h"
#include "voice/recorder.h"
#include "voice/wire.h"

namespace openseat::voice {
namespace {

using ::testing::HasSubstr;

class WavTest : public ::testing::Test {
 protected:
  WavTest() : dir_((std::filesystem::temp_directory_path() / "openseat-wav-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(dir_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string Path(const std::string& name) const { return dir_ + "/" + name; }
  void Put(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }

  std::string dir_;
};

TEST_F(WavTest, WritesAndReadsWithSilenceBetween) {
  {
    Result<WavFile> file = WavFile::Create(Path("a.wav"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->Write(0, Bytes(std::vector<float>{0.5F, 0.25F})));
    ASSERT_TRUE(file->Write(9'000, Bytes(std::vector<float>{0.125F}))) << "a little late";
    ASSERT_TRUE(file->Write(48'000, Bytes(std::vector<float>{-1.0F})));
    ASSERT_TRUE(file->Write(3, Bytes(std::vector<float>{1.0F}))) << "what comes too fast follows what is there";
    EXPECT_EQ(file->end(), 48'002u);
  }
  const Result<std::vector<float>> read = ReadWav(Path("a.wav"));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 48'002u);
  EXPECT_EQ(std::vector<float>(read->begin(), read->begin() + 4), (std::vector<float>{0.5F, 0.25F, 0.125F, 0}));
  EXPECT_EQ(std::vector<float>(read->end() - 3, read->end()), (std::vector<float>{0, -1.0F, 1.0F}));
  EXPECT_EQ(WavFile::Create(Path("a.wav")).error().code, ErrorCode::kIo) << "nothing is overwritten";
}

TEST_F(WavTest, AFileWhoseWriterWasKilledCanBePlayed) {
  Result<WavFile> file = WavFile::Create(Path("a.wav"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->Write(0, std::string(kSampleRate * kBytesPerSample, '\0')));
  EXPECT_EQ(ReadWav(Path("a.wav"))->size(), kSampleRate);
}

TEST_F(WavTest, ReadsSixteenBitStereo) {
  std::string header("RIFF\x2C\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x80\xBB\0\0\0\xEE\x02\0\x04\0\x10\0data\x08\0\0\0",
                     44);
  Put("b.wav", header + std::string("\x00\x40\x00\x00\x00\xC0\x00\xC0", 8));
  const Result<std::vector<float>> read = ReadWav(Path("b.wav"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, (std::vector<float>{0.25F, -0.5F}));
  header[24] = '\x44';
  header[25] = '\xAC';
  Put("c.wav", header);
  EXPECT_THAT(ReadWav(Path("c.wav")).error().message, HasSubstr("44100 Hz"));
  Put("d.wav", "not a sound");
  EXPECT_THAT(ReadWav(Path("d.wav")).error().message, HasSubstr("not a WAV file"));
  Put("e.wav", header.substr(0, 30));
  EXPECT_FALSE(ReadWav(Path("e.wav")));
  EXPECT_EQ(ReadWav(Path("none.wav")).error().code, ErrorCode::kIo);
}

TEST_F(WavTest, TheRecorderKeepsTracksApartAndStopsAtItsLimit) {
  {
    RecordingRoom room(dir_, 0, 0);
    Worker worker;
    Recorder recorder(Path("game/run"), 16, room, worker, nullptr);
    EXPECT_TRUE(recorder.Add("1-Ann", 0, Bytes(std::vector<float>{1, 1})));
    EXPECT_TRUE(recorder.Add("2-Bo", 10'000, Bytes(std::vector<float>{0.5F})));
    EXPECT_THAT(recorder.Add("2-Bo", 2, Bytes(std::vector<float>{1, 1})).error().message,
                HasSubstr("limit of 16 bytes"));
  }
  EXPECT_EQ(*ReadWav(Path("game/run/1-Ann.wav")), (std::vector<float>{1, 1}));
  const std::vector<float> bo = *ReadWav(Path("game/run/2-Bo.wav"));
  ASSERT_EQ(bo.size(), 10'001u);
  EXPECT_EQ(bo.back(), 0.5F);
}

TEST_F(WavTest, WhatComesFasterThanRealTimeIsNotRecorded) {
  RecordingRoom room(dir_, 0, 0);
  Worker worker;
  Recorder recorder(Path("game/run"), std::uint64_t{1} << 30, room, worker, nullptr);
  const std::string second(kSampleRate * kBytesPerSample, '\0');
  std::size_t taken = 0;
  for (int i = 0; i < 20; ++i) taken += recorder.Add("1-Ann", 0, second) ? 1 : 0;
  EXPECT_EQ(taken, 3u) << "1.5 times two seconds";
  EXPECT_THAT(recorder.Add("1-Ann", 0, second).error().message, HasSubstr("faster than 1.5 times"));
  EXPECT_TRUE(recorder.Add("2-Bo", 0, second)) << "tracks are as fast as each other";
  for (int i = 0; i < 20; ++i) taken += recorder.Add("1-Ann", 10 * kSampleRate, second) ? 1 : 0;
  EXPECT_EQ(taken, 18u) << "1.5 times twelve seconds";
}

TEST_F(WavTest, ALimitOfOneRecordingCounts) {
  Metrics metrics;
  Budget budget({}, &metrics);
  RecordingRoom room(dir_, 0, 0);
  Worker worker;
  Recorder recorder(Path("game/run"), 4, room, worker, budget.PayerOf("192.0.2.7", Instant()));
  EXPECT_FALSE(recorder.Add("1-Ann", 0, Bytes(std::vector<float>{1, 1})));
  EXPECT_THAT(metrics.Text(), HasSubstr(R"(openseat_refused_total{budget="voice.recording"} 1)"));
}

TEST_F(WavTest, AllRecordingsTogetherHaveALimit) {
  Metrics metrics;
  Budget budget({}, &metrics);
  const std::shared_ptr<Payer> payer = budget.PayerOf("192.0.2.7", Instant());
  Put("old.wav", std::string(100'000, 'x'));
  const std::string half(kSampleRate * kBytesPerSample / 2, '\0');  // a second has 192,000 bytes
  RecordingRoom room(dir_, 400'000, 0);
  for (const char* game : {"a", "b", "c", "d"}) {
    Worker worker;
    Recorder recorder(Path(game), std::uint64_t{1} << 30, room, worker, payer);
    EXPECT_TRUE(recorder.Add("1-Ann", 0, half));
  }
  EXPECT_TRUE(std::filesystem::exists(Path("b/1-Ann.wav")));
  EXPECT_FALSE(std::filesystem::exists(Path("c"))) << "100,000 bytes were there, and each recording takes 104,192";
  EXPECT_THAT(metrics.Text(), HasSubstr(R"(openseat_refused_total{budget="voice.max_recorded_bytes"} 2)"));
  EXPECT_THAT(room.Take(200'000, nullptr).error().message, HasSubstr("400000 bytes ([voice] max_recorded_bytes)"));
}

TEST_F(WavTest, RecordingsLeaveTheJournalItsReserve) {
  EXPECT_TRUE(RecordingRoom(dir_, 0, 1).Take(1, nullptr));
  // At most an eighth of the disk, or nothing would be recorded on a small one.
  RecordingRoom room(dir_, 0, std::uint64_t{1} << 60);
  const std::filesystem::space_info disk = std::filesystem::space(dir_);
  const std::string eighth = "the last " + std::to_string(disk.capacity / 8) + " bytes ([journal] reserve_bytes)";
  EXPECT_THAT(room.Take(disk.capacity, nullptr).error().message, HasSubstr(eighth));
}

TEST_F(WavTest, FileNamesAreHarmless) {
  EXPECT_EQ(FileNameOf("Ann"), "Ann");
  EXPECT_EQ(FileNameOf("../../etc/passwd"), "etc_passwd");
  EXPECT_EQ(FileNameOf("\xE2\x98\x83"), "speaker");
  EXPECT_EQ(FileNameOf(std::string(100, 'a')).size(), 40u);
}

TEST_F(WavTest, VoiceIsReadFromItsFlag) {
  EXPECT_EQ(ParseVoice("off")->mode, VoiceOptions::Mode::kOff);
  EXPECT_EQ(ParseVoice("tone:880")->clip.size(), kSampleRate);
  EXPECT_EQ(ParseVoice("program:cat -u")->command, "cat -u");
  for (const char* wrong : {"", "loud", "tone:1", "tone:x", "file:", "program:", "loop:1", "off:1"}) {
    EXPECT_EQ(ParseVoice(wrong).error().code, ErrorCode::kInvalid) << wrong;
  }
  EXPECT_EQ(ParseVoice("file:" + Path("none.wav")).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace openseat::voice
