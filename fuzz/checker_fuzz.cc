// Reads bytes as a game that is being checked: each line is a packet. Lines that begin with "!" are events that random
// bytes rarely produce: the answer to the last action ("!1", "!0"), time that passes ("!t"), the end of the connection
// ("!x"). The checker never crashes, sends one action at a time, writes complete log lines, and its exit code matches
// its log.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "checker/checker.h"
#include "testing/fake_scheduler.h"

namespace openseat::checker {
namespace {

class Port final : public CheckerPort {
 public:
  void Send(std::string_view packet) override {
    const Result<json::Value> action = json::Parse(packet);
    OPENSEAT_CHECK(action.has_value(), "the checker sends JSON");
    if (json::TextOf(*action, "command") == "startup") return;  // the acknowledgement
    OPENSEAT_CHECK(!waiting_for, "one action at a time");
    waiting_for = std::string(json::View(action->at("data").at("id").as_string()));
  }
  void Log(const LogLine& line) override {
    const std::string text = FormatLine(line);
    OPENSEAT_CHECK(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
                   "a log line is one line");
  }
  void ActionsChanged() override {}
  void ContextChanged() override {}
  void Finished() override {
    OPENSEAT_CHECK(!finished, "a run ends once");
    finished = true;
  }

  std::optional<std::string> waiting_for;
  bool finished = false;
};

void Run(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto setting = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  CheckerOptions options;
  options.strictness = static_cast<Strictness>(setting % 3);
  options.data_format = (setting & 8) != 0 ? DataFormat::kObject : DataFormat::kString;
  options.denied.neuro = (setting & 16) != 0;
  options.fail_on_warn = (setting & 32) != 0;
  options.max_retries = 3;
  options.until = static_cast<Until>(setting >> 6);
  options.refused_fails = (setting & 4) != 0;
  options.script = {{"move", json::Object{{"position", json::Array{1, 1}}}},
                    {"a", json::Value()},
                    {"b", json::Value("x"), Expectation::kRefused}};
  testing::FakeScheduler scheduler;
  Port port;
  Checker checker(std::move(options), scheduler, port);
  checker.Start("ws://127.0.0.1:1");
  checker.OnConnected("fuzz");
  while (!bytes.empty() && !port.finished) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line == "!0" || line == "!1") {
      if (!port.waiting_for) continue;
      const json::Object data{{"id", *std::exchange(port.waiting_for, std::nullopt)}, {"success", line == "!1"}};
      checker.OnPacket(json::Write(json::Object{{"command", "action/result"}, {"game", "g"}, {"data", data}}));
    } else if (line == "!t") {
      scheduler.Advance(std::chrono::milliseconds(150));
    } else if (line == "!x") {
      checker.OnClosed({.code = 1000});
    } else {
      // A packet may answer the action by itself; then the next one may come.
      const std::optional<std::string> before = std::exchange(port.waiting_for, std::nullopt);
      checker.OnPacket(line, line.starts_with("\x01"));
      if (!port.waiting_for) port.waiting_for = before;
    }
  }
  if (!port.finished) checker.OnClosed({.code = 1000});
  scheduler.Advance(std::chrono::hours(1));
  if (!port.finished) checker.Interrupt();
  OPENSEAT_CHECK(checker.finished() && port.finished, "every run ends");
  const auto& counts = checker.result().counts;
  const std::size_t errors =
      counts[static_cast<std::size_t>(Level::kError)] + counts[static_cast<std::size_t>(Level::kCritical)];
  OPENSEAT_CHECK(errors == 0 || checker.result().exit_code == 1, "an error in the log fails the run");
}

}  // namespace
}  // namespace openseat::checker

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  openseat::checker::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
