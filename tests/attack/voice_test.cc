// The voice sockets of games: frames that are too large, unfinished, too many, or nonsense; and what is left of them on
// the disk.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_of_games.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class VoiceAttack : public Attack {
 protected:
  static void Begin(net::TestClient& game) { ASSERT_THAT(BeginVoice(game), HasSubstr("voice/ready")); }
  static void Settle(net::TestClient& game) { ASSERT_EQ(WaitUntilRead(game), 10); }
  std::vector<std::string> Recordings() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_dir() + "/voice")) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
    return files;
  }
};

TEST_F(VoiceAttack, ForeignPagesStayOutside) {
  StartAlone({}, {"--voice", "listen"});
  net::TestClient client(server().port());
  EXPECT_EQ(client.Request(UpgradeHead(kVoicePath, "Origin: http://evil.example\r\n")).status, 403);
}

TEST_F(VoiceAttack, MessagesThatAreTooLargeOrNeverEnd) {
  StartAlone({}, {"--voice", "listen"});
  for (const net::TestClient::Frame& end : SpeakTooMuch(server())) {
    EXPECT_EQ(end.opcode, 8);
    EXPECT_EQ(end.code(), 1009);
  }
}

TEST_F(VoiceAttack, NonsenseIsCountedAndDropped) {
  StartAlone({}, {"--voice", "listen"});
  net::TestClient game(server().port());
  Begin(game);
  SpeakNonsense(game);
  Settle(game);
  const json::Value socket = server().Get("/api/v1/voice").at("sockets").at(0);
  EXPECT_EQ(socket.at("speakers").as_array().size(), 32u);
  const std::string problems = json::Write(socket.at("problems"));
  for (const char* key : {"prot/voice/frame", "prot/voice/too_many", "prot/voice/control", "prot/voice/wrong_socket"}) {
    EXPECT_THAT(problems, HasSubstr(key));
  }
}

TEST_F(VoiceAttack, AFloodIsRecordedInBounds) {
  StartAlone({}, {"--voice", "loop", "--record-voice"});
  std::vector<std::unique_ptr<net::TestClient>> games;
  const std::size_t frames = Scaled(500);
  {
    net::TestClient game(server().port());
    Begin(game);
    for (std::size_t i = 0; i < frames; ++i) game.Send(Spoken(7, 960));
    Settle(game);
    game.Send(net::ClientClose(1000));
    while (game.ReadFrame().opcode != -1) {
    }
  }
  ExpectMemoryBelow(400 * kMiB);
  EXPECT_EQ(server().Status("/healthz"), 200);
  server().Stop();  // the files are closed by then
  const std::vector<std::string> files = Recordings();
  const auto ann = std::ranges::find_if(files, [](const std::string& file) { return file.ends_with("/7-Ann.wav"); });
  ASSERT_NE(ann, files.end());
  const std::string wav = ReadTextFile(*ann);
  EXPECT_GE(wav.size(), 44 + std::min<std::size_t>(frames, 150) * 960 * 4) << "3 s may come at once";
  EXPECT_EQ(wav.substr(0, 4), "RIFF");
  EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(wav[40])) |
                static_cast<std::size_t>(static_cast<unsigned char>(wav[41])) << 8 |
                static_cast<std::size_t>(static_cast<unsigned char>(wav[42])) << 16 |
                static_cast<std::size_t>(static_cast<unsigned char>(wav[43])) << 24,
            wav.size() - 44);
}

TEST_F(VoiceAttack, AProgramSpeaksAndEndsWithItsSocket) {
  StartAlone({}, {"--voice", "program:exec cat"});
  net::TestClient game(server().port());
  Begin(game);
  game.Send(Spoken(7, 960));
  EXPECT_THAT(game.ReadFrame().payload, HasSubstr("\"speaking\":true"));
  const net::TestClient::Frame heard = game.ReadFrame();
  EXPECT_EQ(heard.opcode, 2);
  EXPECT_EQ(heard.payload.substr(0, 8), std::string("\x04\x0F\x00\x00\x01\x00\x07\x00", 8))
      << "the size, and the frame";
  game.Send(net::ClientClose(1000));
  while (game.ReadFrame().opcode != -1) {
  }
  server().Stop();
}

}  // namespace
}  // namespace openseat::tests
