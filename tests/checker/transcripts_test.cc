// Every behavior that vicky.md specifies, as a transcript: what a game sends, what the checker must send, and what its
// log, its stores and its exit code must be. The transcripts are the files in transcripts/, and the README.md there
// describes them.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/json.h"
#include "checker/check_run.h"
#include "net/test_client.h"

namespace openseat::tests {
namespace {

struct Transcript {
  std::string name;
  json::Value value;
};

// For gtest's listing of the parameters.
void PrintTo(const Transcript& transcript, std::ostream* out) {
  *out << transcript.name;
}

std::vector<Transcript> AllTranscripts() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(OPENSEAT_TRANSCRIPTS)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Transcript> out;
  for (const auto& file : files) {
    const Result<json::Value> list = json::Parse(ReadTextFile(file.string()));
    if (!list || !list->is_array()) {
      out.push_back({"Unreadable_" + file.stem().string(), nullptr});
      continue;
    }
    for (const json::Value& value : list->get_array()) {
      out.push_back({file.stem().string() + "_" + value.at("name").as_string().c_str(), value});
    }
  }
  return out;
}

std::string Text(const json::Value& value) {
  return std::string(json::View(value.get_string()));
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::string LargeContext(std::size_t size) {
  const std::string head = R"({"command":"context","game":"Test Game","data":{"silent":true,"message":")";
  const std::string tail = R"("}})";
  return head + std::string(size - head.size() - tail.size(), 'x') + tail;
}

// The game's side of a transcript.
class Player {
 public:
  explicit Player(CheckRun& run) : run_(run), client_(std::make_unique<net::TestClient>(run.port())) {
    EXPECT_EQ(client_->Upgrade("/").status, 101);
  }

  void Play(const json::Value& step) {
    if (step.is_string()) {
      Command(Text(step));
      return;
    }
    const json::Object& object = step.get_object();
    if (const json::Value* expected = json::Find(object, "expect")) {
      Expect(*expected);
    } else if (const json::Value* result = json::Find(object, "result")) {
      json::Object data{{"id", last_id_}};
      for (const auto& [name, value] : result->get_object()) data[name] = value;
      json::Object packet{{"command", "action/result"}, {"data", std::move(data)}};
      if (const json::Value* game = json::Find(object, "game")) packet["game"] = *game;
      Send(packet);
    } else if (const json::Value* raw = json::Find(object, "raw")) {
      client_->Send(net::ClientFrame(0x81, Text(*raw)));
    } else if (const json::Value* binary = json::Find(object, "binary")) {
      client_->Send(net::ClientFrame(0x82, Text(*binary)));
    } else if (const json::Value* fragment = json::Find(object, "fragment")) {
      client_->Send(net::ClientFrame(0x01, Text(*fragment)));
    } else if (const json::Value* large = json::Find(object, "large")) {
      client_->Send(net::ClientFrame(0x81, LargeContext(large->to_number<std::size_t>())));
    } else if (const json::Value* bytes = json::Find(object, "bytes")) {
      client_->Send(FromHex(Text(*bytes)));
    } else if (const json::Value* path = json::Find(object, "path")) {
      const auto answer = net::TestClient(run_.port()).Upgrade(Text(*path));
      EXPECT_EQ(answer.status, 404);
      EXPECT_NE(answer.body.find("/game/NAME"), std::string::npos) << answer.body;
    } else {
      Send(object);
    }
  }

  // Reads the checker's remaining messages; actions that the transcript did not expect are failures.
  void End() {
    if (!client_) return;
    while (true) {
      const net::TestClient::Frame frame = Read();
      if (frame.opcode == 8 || frame.opcode == -1) return;
      if (frame.opcode == 1) ADD_FAILURE() << "the checker sent something unexpected: " << frame.payload;
    }
  }

 private:
  void Command(const std::string& command) {
    if (command == "close") {
      client_->Send(net::ClientClose(1000));
    } else if (command == "drop") {
      client_.reset();
    } else if (command == "second connection") {
      net::TestClient second(run_.port());
      EXPECT_EQ(second.Upgrade("/").status, 101);
      const net::TestClient::Frame frame = second.ReadFrame();
      EXPECT_EQ(frame.opcode, 8);
      EXPECT_EQ(frame.code(), 1013);
    } else if (command == "terminate") {
      run_.process().Signal(SIGTERM);
    } else if (command == "interrupt") {
      run_.process().Signal(SIGINT);
    } else {
      ADD_FAILURE() << "unknown step: " << command;
    }
  }

  void Send(const json::Object& packet) {
    json::Object whole = packet;
    if (!whole.contains("game")) whole["game"] = "Test Game";
    client_->Send(net::ClientFrame(0x81, json::Write(whole)));
  }

  // The next frame that is neither a ping nor the acknowledgement of a startup.
  net::TestClient::Frame Read() {
    net::TestClient::Frame frame = client_->ReadFrame();
    while (frame.opcode == 9 || (frame.opcode == 1 && frame.payload.starts_with(R"({"command":"startup")"))) {
      frame = client_->ReadFrame();
    }
    return frame;
  }

  void Expect(const json::Value& expected) {
    const net::TestClient::Frame frame = Read();
    ASSERT_EQ(frame.opcode, 1) << "expected an action, got " << frame.payload;
    const Result<json::Value> packet = json::Parse(frame.payload);
    ASSERT_TRUE(packet) << frame.payload;
    ASSERT_EQ(packet->as_object().size(), 2U) << frame.payload;
    EXPECT_EQ(packet->at("command"), "action");
    const json::Object& data = packet->at("data").as_object();
    last_id_ = Text(data.at("id"));
    EXPECT_FALSE(last_id_.empty());
    EXPECT_EQ(std::ranges::count(ids_, last_id_), 0) << "ids are unique";
    ids_.push_back(last_id_);
    const std::string name = Text(data.at("name"));
    if (const json::Value* any = json::Find(expected, "any")) {
      EXPECT_TRUE(std::ranges::any_of(any->get_array(), [&](const json::Value& each) { return Text(each) == name; }))
          << name;
    } else {
      EXPECT_EQ(name, Text(expected.at("name")));
    }
    const json::Value* sent = json::Find(data, "data");
    if (const json::Value* text = json::Find(expected, "data")) {
      ASSERT_TRUE(sent != nullptr && sent->is_string()) << frame.payload;
      const Result<json::Value> value = json::Parse(Text(*sent));
      ASSERT_TRUE(value);
      EXPECT_TRUE(json::Equal(*value, *text)) << Text(*sent);
    } else if (const json::Value* bare = json::Find(expected, "bare")) {
      ASSERT_NE(sent, nullptr);
      EXPECT_TRUE(json::Equal(*sent, *bare)) << frame.payload;
    } else if (const json::Value* pattern = json::Find(expected, "matches")) {
      ASSERT_TRUE(sent != nullptr && sent->is_string()) << frame.payload;
      EXPECT_TRUE(std::regex_match(Text(*sent), std::regex(Text(*pattern)))) << Text(*sent);
    } else {
      EXPECT_EQ(sent, nullptr) << frame.payload;
    }
  }

  CheckRun& run_;
  std::unique_ptr<net::TestClient> client_;
  std::string last_id_;
  std::vector<std::string> ids_;
};

class TranscriptTest : public ::testing::TestWithParam<Transcript> {};

TEST_P(TranscriptTest, Holds) {
  const json::Value& transcript = GetParam().value;
  ASSERT_TRUE(transcript.is_object());
  std::vector<std::string> flags;
  if (const json::Value* list = json::Find(transcript, "flags")) {
    for (const json::Value& flag : list->get_array()) flags.push_back(Text(flag));
  }
  // A file that a flag names: {"--proposals": content} becomes --proposals FILE.
  TemporaryDirectory directory;
  if (const json::Value* files = json::Find(transcript, "files")) {
    for (const auto& [flag, content] : files->get_object()) {
      const std::string path = directory.path() + "/" + std::to_string(flags.size()) + ".json";
      WriteTextFile(path, json::Write(content));
      flags.emplace_back(flag);
      flags.push_back(path);
    }
  }
  const json::Value* script = json::Find(transcript, "script");
  CheckRun run(script != nullptr ? *script : json::Value(json::Object()), flags);
  ASSERT_NE(run.port(), 0);
  if (const json::Value* steps = json::Find(transcript, "steps")) {
    Player player(run);
    for (const json::Value& step : steps->get_array()) {
      player.Play(step);
      if (HasFatalFailure()) break;
    }
    if (HasFailure()) run.process().Signal(SIGTERM);
    player.End();
  }
  const json::Value* exit = json::Find(transcript, "exit");
  EXPECT_EQ(run.Finish(), exit != nullptr ? exit->to_number<int>() : 0) << run.output();

  std::vector<std::string> expected;
  if (const json::Value* findings = json::Find(transcript, "findings")) {
    for (const json::Value& finding : findings->get_array()) expected.push_back(Text(finding));
  }
  EXPECT_EQ(run.Findings(), expected) << run.output();
  if (const json::Value* log = json::Find(transcript, "log")) {
    for (const json::Value& wanted : log->get_array()) {
      const std::string text = Text(wanted);
      const std::string level = text.substr(0, text.find(' '));
      const std::regex pattern(text.substr(text.find(' ') + 1));
      EXPECT_TRUE(std::ranges::any_of(
          run.lines(),
          [&](const CheckRun::Line& line) { return line.level == level && std::regex_search(line.message, pattern); }))
          << "no line \"" << text << "\" in\n"
          << run.output();
    }
  }
  for (const auto& [member, store] : {std::pair("actions", run.actions()), std::pair("context", run.context())}) {
    const json::Value* wanted = json::Find(transcript, member);
    if (wanted == nullptr) continue;
    EXPECT_TRUE(json::Equal(store, *wanted)) << member << ": " << json::Write(store);
  }
}

INSTANTIATE_TEST_SUITE_P(Document, TranscriptTest, ::testing::ValuesIn(AllTranscripts()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace openseat::tests
