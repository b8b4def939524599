#include "app/transcript_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "games/netrunner/text/log.h"

namespace openseat::app {
namespace {

// One line that is safe for a terminal, whatever the input.
std::string OneLine(std::string_view text, std::size_t max_text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  line = Printable(line);
  return max_text == 0 ? line : Ellipsize(line, max_text);
}

class Line {
 public:
  Line(const StoredEvent& stored, std::size_t max_text) : stored_(stored), max_text_(max_text) {
    Result<json::Value> parsed = json::Parse(stored.event.payload);
    if (parsed) payload_ = std::move(*parsed);
  }

  std::string Render() const {
    switch (stored_.event.kind) {
      case EventKind::kOpened:
        return fmt::format("table   {} opened ({})", Quoted("game"), Text("kind"));
      case EventKind::kJoined:
        return fmt::format("joined  {} takes seat {}", Quoted("name"), Text("seat"));
      case EventKind::kHandedOver: {
        // Its options appear only in the whole event.
        const json::Value* agent = json::Find(payload_, "agent");
        const json::Value* kind = agent == nullptr ? nullptr : json::Find(*agent, "kind");
        return fmt::format("agent   {} plays seat {} from now on", TextOf(kind), Text("seat"));
      }
      case EventKind::kPlayed:
        return fmt::format("played  seat {}: {} {}{}", Text("seat"), Text("action"), Data(), By());
      case EventKind::kEnded:
        return fmt::format("ended   winners {}: {}", Text("winners"), Text("reason"));
      case EventKind::kClosed:
        return fmt::format("table   closed: {}", Text("reason"));
      case EventKind::kGap:
        return fmt::format("gap     {} events since {} are missing: {}", Text("lost"), Text("since"), Text("reason"));
      case EventKind::kReceived:
        return "game ▸   " + Message();
      case EventKind::kSent:
        return "    ▸ game  " + Message();
      case EventKind::kDecision: {
        std::string line = fmt::format("decide  #{} of {}", Text("decision"), List("actions"));
        if (Text("attempt") != "1") line += fmt::format(", attempt {}", Text("attempt"));
        return line;
      }
      case EventKind::kChoice:
        return fmt::format("choice  {} {}{}", Text("action"), Data(), By());
      case EventKind::kVerdict: {
        const std::string message = Text("message");
        return fmt::format("verdict {}{}", Text("verdict"), message.empty() ? "" : ": " + message);
      }
      case EventKind::kRefusal:
        return fmt::format("refused {} {}: {}", Text("action"), Data(), Text("message"));
      case EventKind::kDecisionEnd:
        return fmt::format("decide  #{} ended: {}", Text("decision"), Text("end"));
      case EventKind::kDiagnostic:
        return fmt::format("{:<7} {} [{}]", Text("severity"), Text("message"), Text("key"));
      case EventKind::kLink: {
        std::string line = fmt::format("link    {} {}", Text("state"), Text("peer"));
        if (const std::string code = Text("code"); !code.empty()) line += " (" + code + ")";
        return line;
      }
      case EventKind::kAgent:
        return fmt::format("agent   {} takes seat {}", Text("kind"), Text("seat"));
      case EventKind::kNote:
        return "note    " + Text("text");
      case EventKind::kForked:
        return "forked  " + Text("choices");
      case EventKind::kSeen:
        return "seen    " + Text("state") + Text("patch");
      case EventKind::kModel:
        return Model();
      case EventKind::kOffer: {
        const std::string match = Text("match");
        if (!match.empty()) return fmt::format("offer   the {} is {}", Text("offer"), match);
        return fmt::format("offer   seat {}: {} to a {}", Text("seat"), Text("answer"), Text("offer"));
      }
      case EventKind::kTakenBack:
        return fmt::format("offer   seat {} took back {} choices", Text("seat"), Text("choices"));
      case EventKind::kChat:
        return fmt::format("chat    seat {}: {}", Text("seat"), Text("text"));
      case EventKind::kWebhook: {
        const std::string error = Text("error");
        return fmt::format("webhook {} to seat {}: {}", Text("event"), Text("seat"),
                           error.empty() ? "status " + Text("status") : error);
      }
    }
    return fmt::format("event   kind {}: {}", static_cast<int>(stored_.event.kind), Cut(stored_.event.payload));
  }

 private:
  std::string Cut(std::string_view text) const { return OneLine(text, max_text_); }
  std::string Text(std::string_view name) const { return TextOf(json::Find(payload_, name)); }
  std::string TextOf(const json::Value* value) const {
    if (value == nullptr) return {};
    return value->is_string() ? Cut(json::View(value->get_string())) : Cut(json::Write(*value));
  }
  std::string Quoted(std::string_view name) const { return "\"" + Text(name) + "\""; }
  std::string List(std::string_view name) const {
    const json::Value* value = json::Find(payload_, name);
    if (value == nullptr || !value->is_array()) return "nothing";
    std::string out;
    for (const json::Value& each : value->get_array()) out += (out.empty() ? "" : ", ") + TextOf(&each);
    return out;
  }
  std::string Data() const {
    const std::string raw = Text("raw");
    return raw.empty() ? Text("data") : "raw " + raw;
  }
  // Who chose; older journals do not record this.
  std::string By() const {
    const std::string agent = Text("agent");
    return agent.empty() ? agent : " (by " + agent + ")";
  }
  // What a model said, or why it did not.
  std::string Model() const {
    const std::string step = Text("step");
    if (step != "answer") return fmt::format("model   {} {}: {}", Text("model"), step, Text("message"));
    std::string line =
        fmt::format("model   {} {} in {} ms: {}", Text("model"), Text("outcome"), Text("ms"), Text("text"));
    for (const char* why : {"parse_error", "issues"}) {
      if (const std::string text = Text(why); !text.empty()) line += " — " + text;
    }
    return line;
  }
  // A short form of a Neuro API message; anything else unchanged.
  std::string Message() const {
    const std::string command = Text("command");
    if (command.empty()) return Cut(stored_.event.payload);
    const json::Value* data = json::Find(payload_, "data");
    const auto of = [&](std::string_view name) {
      return data == nullptr ? std::string() : TextOf(json::Find(*data, name));
    };
    if (command == "actions/force") return fmt::format("{} \"{}\" of {}", command, of("query"), of("action_names"));
    if (command == "action") return fmt::format("{} {} {} (id {})", command, of("name"), of("data"), of("id"));
    if (command == "action/result") {
      const std::string message = of("message");
      return fmt::format("{} {} (id {}){}", command, of("success") == "true" ? "success" : "failure", of("id"),
                         message.empty() ? "" : ": " + message);
    }
    if (command == "context")
      return fmt::format("{} \"{}\"{}", command, of("message"), of("silent") == "true" ? " (silent)" : "");
    if (command == "actions/unregister") return fmt::format("{} {}", command, of("action_names"));
    return data == nullptr ? command : command + " " + TextOf(data);
  }

  const StoredEvent& stored_;
  const std::size_t max_text_;
  json::Value payload_;
};

}  // namespace

std::string EventLine(const StoredEvent& event, std::size_t max_text) {
  // The time of day; the date is in the table's first line.
  return FormatIso8601(event.event.time).substr(11, 12) + "  " + Line(event, max_text).Render();
}

std::string StepLines(const json::Object& step, std::size_t max_text) {
  const std::string_view kind = json::View(step.at("kind").as_string());
  const json::Object& payload = step.at("payload").as_object();
  const auto text = [&](const char* name) {
    const json::Value* value = json::Find(payload, name);
    if (value == nullptr) return std::string();
    return OneLine(value->is_string() ? json::View(value->get_string()) : json::Write(*value), max_text);
  };
  const std::string time(json::View(step.at("time").as_string()).substr(11, 12));
  std::string line;
  if (kind == "opened") {
    line = fmt::format("table   \"{}\" opened ({})", text("game"), text("kind"));
    if (payload.contains("warning")) line += ", " + text("warning");
  } else if (kind == "joined") {
    line = fmt::format("joined  \"{}\" takes seat {}", text("name"), text("seat"));
  } else if (kind == "handed-over") {
    line = fmt::format("agent   {} plays seat {} from now on, for \"{}\"", text("agent"), text("seat"), text("name"));
  } else if (kind == "played") {
    line = fmt::format("played  {} {}: {}", text("action"), text("data"), text("result"));
  } else if (kind == "gap") {
    line = fmt::format("gap     {} events since {} are missing", text("lost"), text("since"));
  } else if (kind == "closed") {
    line = fmt::format("table   closed: {}", text("reason"));
  } else if (!payload.contains("event")) {
    line = fmt::format("{:<7} {}", kind, OneLine(json::Write(payload), max_text));
  }
  std::string out = line.empty() ? std::string() : time + "  " + line;
  if (payload.contains("event")) {
    const std::string winner = text("winner");
    if (!out.empty()) out += '\n';
    out += fmt::format("{}  {:<7} {}", time, text("event"), text("state"));
    if (text("event") == "end") {
      out += fmt::format("\n{}  ended   {}: {}", time, winner == "null" ? "a draw" : winner + " wins", text("reason"));
    }
  }
  return out;
}

namespace {

// The game's own sentences have signs for its currencies.
std::string WithoutSigns(std::string_view line) {
  return games::netrunner::PlainWords(line);
}

std::uint64_t CountIn(const json::Object& state) {
  const json::Value* count = json::Find(state, "log-count");
  if (count == nullptr) return 0;
  return count->is_uint64() ? count->get_uint64()
                            : static_cast<std::uint64_t>(count->is_int64() ? count->get_int64() : 0);
}

// The step without what the viewer saw after it; "" for what the log says better.
std::string WithoutState(const json::Object& step, std::size_t max_text) {
  const std::string_view kind = json::View(step.at("kind").as_string());
  if (kind == "played" || kind == "update" || kind == "ended" || kind == "decision" || kind == "decision-end")
    return "";
  json::Object bare = step;
  json::Object& payload = bare.at("payload").as_object();
  for (const char* name : {"event", "status", "state", "winner", "reason"}) {
    if (kind != "closed") payload.erase(name);
  }
  return StepLines(bare, max_text);
}

}  // namespace

std::string ReportWriter::Lines(const json::Object& step) {
  const json::Object& payload = step.at("payload").as_object();
  const json::Value* state = json::Find(payload, "state");
  const json::Value* log = state == nullptr ? nullptr : json::Find(*state, "log");
  if (log == nullptr || !log->is_array()) {
    return told_ == 0 ? StepLines(step, max_text_) : WithoutState(step, max_text_);
  }
  std::string out = WithoutState(step, max_text_);
  const std::string time(json::View(step.at("time").as_string()).substr(11, 8));
  const json::Array& lines = log->get_array();
  const std::uint64_t count = CountIn(state->get_object());
  const std::uint64_t first = count - std::min<std::uint64_t>(count, lines.size());
  if (told_ < first && told_ > 0) out += (out.empty() ? "…" : "\n…");
  for (std::uint64_t number = std::max(told_, first); number < count; ++number) {
    const json::Value& each = lines[static_cast<std::size_t>(number - first)];
    if (!each.is_string()) continue;
    const std::string line = OneLine(WithoutSigns(json::View(each.get_string())), max_text_);
    // A turn begins a paragraph.
    const bool turn = line.find(" starts their turn ") != std::string::npos;
    out += (out.empty() ? "" : "\n") + std::string(turn ? "\n" : "") + time + "  " + (turn ? "" : "  ") + line;
  }
  told_ = count;  // fewer after a choice was taken back
  if (json::TextOf(payload, "event") == "end") {
    const json::Value* winner = json::Find(payload, "winner");
    const bool won = winner != nullptr && winner->is_string();
    out += fmt::format("{}\n{}  {}: {}", out.empty() ? "" : "\n", time,
                       won ? OneLine(json::View(winner->get_string()), max_text_) + " wins" : "A draw",
                       OneLine(json::TextOf(payload, "reason"), max_text_));
  }
  return out;
}

}  // namespace openseat::app
