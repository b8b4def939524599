#include "agents/command/command_agent.h"

#include <algorithm>
#include <utility>

#include "agents/command/bot_line.h"
#include "agents/command/cpu_time.h"
#include "base/json_members.h"

namespace openseat {
namespace {

constexpr std::size_t kMostUnasked = 100;
constexpr std::size_t kMostUnread = 4u << 20;  // bytes that a bot has not read yet

}  // namespace

AgentKind CommandKind() {
  return {.kind = "cmd",
          .title = "Program",
          .description = "A bot in any language: one JSON object a line on its standard input and output.",
          .plays_from = PlaysFrom::kHere,
          .named_by = Namer::kOwner,
          .options = R"({
            "type": "object",
            "properties": {
              "program": {"type": "string", "minLength": 1, "x-namedBy": "owner",
                "description": "The executable file; it sees its own folder, and no network."},
              "move_s": {"type": "number", "exclusiveMinimum": 0, "maximum": 3600, "x-namedBy": "owner",
                "description": "How many seconds it has for a choice; 10 by default."},
              "cpu_s": {"type": "integer", "minimum": 1, "maximum": 86400, "x-namedBy": "owner",
                "description": "How many seconds of CPU time it has for a game; 600 by default."},
              "memory_mb": {"type": "integer", "minimum": 16, "maximum": 65536, "x-namedBy": "owner",
                "description": "How much memory it may take; 512 by default."},
              "log": {"type": "string", "x-namedBy": "owner",
                "description": "A file to which its standard error is appended."}
            },
            "required": ["program"],
            "additionalProperties": false
          })",
          .bare = "program",
          .make = [](const json::Object& options) -> Result<std::unique_ptr<Agent>> {
            CommandOptions read;
            read.program = json::TextOf(options, "program");
            read.log = json::TextOf(options, "log");
            read.limits.memory_mb = json::WholeOf(options, "memory_mb").value_or(read.limits.memory_mb);
            read.limits.cpu_s = json::WholeOf(options, "cpu_s").value_or(read.limits.cpu_s);
            read.move_time = Duration(static_cast<std::int64_t>(json::NumberOf(options, "move_s", 10) * 1e6));
            if (Result<void> usable = CheckBot(read.program); !usable) return Fail(usable.error());
            return std::make_unique<CommandAgent>(std::move(read));
          }};
}

void CommandAgent::OnSeated(Seat& seat) {
  seat_ = &seat;
  auto bot = StartBot(
      options_.program, options_.limits, options_.log, seat.scheduler(),
      [this](const std::vector<std::string>& lines, bool too_long) { OnLines(lines, too_long); },
      [this](const std::string& why) { Fault("crashed", "the bot crashed: " + why); });
  if (!bot) return Fault("crashed", bot.error().message);
  bot_ = std::move(*bot);
  Tell(StartLine(seat));
}

void CommandAgent::OnDecision(const Decision& decision) {
  if (!code_.empty()) return GiveUp(decision.id);
  asked_ = decision.id;
  if (decision.attempt == 1) cpu_ = CpuTimeOf(bot_->pid());
  if (!Tell(ChooseLine(decision))) return Fault("late", "the bot does not read what it is told");
  late_.Set(seat_->scheduler(), options_.move_time, [this] { Fault("late", "the bot did not answer in time"); });
}

void CommandAgent::OnDecisionEnded(DecisionId, DecisionEnd) {
  asked_.reset();
  late_.Cancel();
}

void CommandAgent::OnEnd() {
  if (code_.empty()) Tell(R"({"type":"end"})");
}

bool CommandAgent::Tell(std::string line) {
  bot_->Write(line += '\n');
  return bot_->unread() <= kMostUnread;
}

void CommandAgent::OnLines(const std::vector<std::string>& lines, bool too_long) {
  for (const std::string& line : lines) {
    if (!code_.empty()) return;
    if (asked_) {
      Answer(line);
    } else if (++unasked_ > kMostUnasked) {
      Fault("parse", "the bot writes without being asked");
    }
  }
  if (too_long) Fault("crashed", "the bot crashed: it wrote a line of more than 64 KiB");
}

void CommandAgent::Answer(const std::string& line) {
  const Decision* decision = seat_->decision();
  if (decision == nullptr || decision->id != *asked_) return;
  Result<Choice> choice = ReadBotLine(line, *decision);
  if (!choice) return Fault("parse", choice.error().message);
  choice->cpu_ms = CpuMilliseconds();
  asked_.reset();
  late_.Cancel();
  // A refusal comes back as the next attempt.
  static_cast<void>(seat_->Choose(std::move(*choice)));
}

std::optional<double> CommandAgent::CpuMilliseconds() const {
  const std::optional<Duration> now = cpu_ ? CpuTimeOf(bot_->pid()) : std::nullopt;
  if (!now) return std::nullopt;
  return std::max(0.0, std::chrono::duration<double, std::milli>(*now - *cpu_).count());
}

void CommandAgent::Fault(std::string code, std::string why) {
  if (!code_.empty()) return;
  code_ = std::move(code);
  why_ = std::move(why);
  late_.Cancel();
  if (const auto asked = std::exchange(asked_, std::nullopt)) GiveUp(*asked);
}

void CommandAgent::GiveUp(DecisionId decision) {
  static_cast<void>(seat_->GiveUp(decision, why_, {{"code", code_}}));
}

}  // namespace openseat
