#include "checker/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/secure_random.h"
#include "base/text.h"
#include "checker/grade.h"
#include "checker/strictness.h"

namespace openseat::checker {
namespace {

constexpr std::size_t kMaxReported = 400;  // bytes of one text in a summary or an annotation
constexpr std::size_t kMaxSummaryFindings = 50;
constexpr std::size_t kMaxSummaryActions = 100;
constexpr std::size_t kMaxAnnotations = 10;  // per level
constexpr std::size_t kMaxXmlText = 4000;

// Merges equal findings, with a count.
struct Group {
  const LogLine* line;
  std::size_t count = 0;
};

std::vector<Group> Grouped(const CheckResult& result) {
  std::map<std::tuple<Level, std::string_view, std::string_view>, std::size_t> known;
  std::vector<Group> groups;
  for (const LogLine& line : result.findings) {
    const auto [entry, added] = known.emplace(
        std::tuple(line.level, std::string_view(line.key), std::string_view(line.message)), groups.size());
    if (added) groups.push_back({&line});
    ++groups[entry->second].count;
  }
  // Worst first.
  std::ranges::stable_sort(groups, std::ranges::greater(), [](const Group& group) { return group.line->level; });
  return groups;
}

std::size_t CountOf(const CheckResult& result, Level level) {
  return result.counts[static_cast<std::size_t>(level)];
}

std::string Plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "2 errors, 1 warning", "no problems".
std::string CountsText(const CheckResult& result) {
  std::string out;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) out += (out.empty() ? "" : ", ") + Plural(count, what);
  };
  add(CountOf(result, Level::kCritical), "critical error");
  add(CountOf(result, Level::kError), "error");
  add(CountOf(result, Level::kWarn), "warning");
  return out.empty() ? "no problems" : out;
}

double InSeconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string Hex(char c) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

// Valid UTF-8 without U+FFFE and U+FFFF, which XML does not allow.
std::string Clean(std::string_view text, std::size_t max_bytes) {
  std::string out = SanitizeUtf8(Ellipsize(text.substr(0, max_bytes + 4), max_bytes));
  for (const std::string_view bad : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = out.find(bad); at != std::string::npos; at = out.find(bad, at))
      out.replace(at, 3, "\xef\xbf\xbd");
  }
  return out;
}

// --- Markdown

// Text for a table cell or a line: nothing in it is markup or ends the cell.
std::string Markdown(std::string_view text, std::size_t max_bytes = kMaxReported) {
  constexpr std::string_view kPlain = " ,.-/=%'?\"";  // ASCII punctuation that is never markup within a line
  std::string out;
  for (const char c : Clean(text, max_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word =
        byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    if (c == '\n') {
      out += "<br>";
    } else if (IsControl(c)) {
      out += fmt::format("&#92;x{:02x}", byte);
    } else if (is_word || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("&#{};", byte);
    }
  }
  return out;
}

std::string Code(std::string_view text) {
  return text.empty() ? "" : "<code>" + Markdown(text) + "</code>";
}

std::string_view LevelSign(Level level) {
  switch (level) {
    case Level::kCritical:
      return "🛑 critical";
    case Level::kError:
      return "❌ error";
    case Level::kWarn:
      return "⚠️ warning";
    default:
      return "";
  }
}

std::string_view OutcomeText(CheckedAction::Outcome outcome) {
  switch (outcome) {
    case CheckedAction::Outcome::kSucceeded:
      return "✅ succeeded";
    case CheckedAction::Outcome::kFailed:
      return "↩️ refused";
    case CheckedAction::Outcome::kNoResult:
      return "❌ no result";
    case CheckedAction::Outcome::kNotSent:
      return "❌ not sent";
  }
  return "";
}

std::string Why(const CheckedAction& action) {
  std::string out = action.scripted ? "script" : action.forced ? "force" : "";
  if (action.scripted && action.forced) out = "script, force";
  if (action.on_purpose) return "wrong on purpose";
  return action.replaced ? out + ", generated data" : out;
}

void AddFindings(const CheckResult& result, std::string& out) {
  const std::vector<Group> groups = Grouped(result);
  if (groups.empty()) return;
  out += "\n### What to fix\n\n| | What happened | How to fix it |\n|---|---|---|\n";
  std::size_t shown = 0;
  for (const Group& group : groups) {
    if (++shown > kMaxSummaryFindings) break;
    const neuro::DiagnosticInfo* check = neuro::FindDiagnostic(group.line->key);
    out += fmt::format("| {} | {}{}{} | {} |\n", LevelSign(group.line->level), Markdown(group.line->message),
                       group.count > 1 ? fmt::format(" ({} times)", group.count) : "",
                       check != nullptr ? " " + Code(check->key) : "", check != nullptr ? check->advice : "");
  }
  std::size_t rest = 0;
  for (std::size_t i = kMaxSummaryFindings; i < groups.size(); ++i) rest += groups[i].count;
  if (rest > 0) out += fmt::format("\n… and {} more; see the log.\n", rest);
}

void AddGrade(const CheckResult& result, std::string& out) {
  const Grade grade = GradeOf(result);
  out += "\nGrade: " + GradeText(grade) + "\n";
  if (grade.costliest.empty()) return;
  out += "\n### What costs most\n\n| Points | What was found | Rule | How to do better |\n|---|---|---|---|\n";
  for (const Cost& cost : grade.costliest) {
    const neuro::DiagnosticInfo& rule = neuro::InfoOf(cost.found->rule);
    out += fmt::format("| {} | {}{} | {} | {} |\n", cost.points, Markdown(cost.found->first),
                       cost.found->count > 1 ? fmt::format(" ({} times)", cost.found->count) : "", Code(rule.key),
                       rule.advice);
  }
}

void AddActions(const CheckResult& result, std::string& out) {
  if (result.actions.empty()) return;
  out += "\n### Actions\n\n| Action | Data | Because of | Result | Message | Took |\n|---|---|---|---|---|---|\n";
  std::size_t shown = 0;
  for (const CheckedAction& action : result.actions) {
    if (++shown > kMaxSummaryActions) break;
    out += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", Code(action.name), Code(action.data), Why(action),
        OutcomeText(action.outcome), Markdown(action.message),
        action.took ? fmt::format("{} ms", std::chrono::duration_cast<std::chrono::milliseconds>(*action.took).count())
                    : "");
  }
  if (result.actions.size() > kMaxSummaryActions) {
    out += fmt::format("\n… and {} more; see the log.\n", result.actions.size() - kMaxSummaryActions);
  }
}

// --- XML

std::string Xml(std::string_view text, std::size_t max_bytes = kMaxXmlText) {
  std::string out;
  for (const char c : Clean(text, max_bytes)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\t':
        out += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        if (IsControl(c)) {
          out += Hex(c);
        } else {
          out += c;
        }
    }
  }
  return out;
}

struct Case {
  std::string group;
  std::string name;
  double seconds = 0;
  std::string kind = {};  // "failure", "skipped", or "" if it passed
  std::string type = {};
  std::string message = {};
  std::string text = {};
};

Case RuleCase(const CheckResult& result, const FoundRule& found, Level fails) {
  const neuro::DiagnosticInfo& rule = neuro::InfoOf(found.rule);
  Case each{.group = "rule", .name = std::string(rule.key)};
  if (found.level < fails || (found.level == Level::kWarn && IsAdvice(rule.key))) return each;
  each.kind = "failure";
  each.type = rule.key;
  each.message = found.first;
  each.text = fmt::format("{}\n{}\n\n", rule.sentence, rule.advice);
  for (const LogLine& line : result.findings) {
    if (line.key == rule.key && each.text.size() < kMaxXmlText) each.text += FormatLine(line) + "\n";
  }
  return each;
}

// Findings without a rule: the proposals' own sentences.
void AddPlainFindings(const CheckResult& result, Level fails, std::vector<Case>& cases) {
  for (const LogLine& line : result.findings) {
    if (!line.key.empty()) continue;
    Case each{.group = "rule", .name = line.message};
    if (std::ranges::find(cases, each.name, &Case::name) != cases.end()) continue;
    if (line.level >= fails) {
      each.kind = "failure";
      each.type = "finding";
      each.message = line.message;
      each.text = FormatLine(line);
    }
    cases.push_back(std::move(each));
  }
}

Case ScriptCase(const CheckedAction& action, std::size_t number, Level fails, bool passed) {
  Case each{.group = "script", .name = fmt::format("{} {}", number, action.name)};
  if (action.took) each.seconds = InSeconds(*action.took);
  if (action.outcome == CheckedAction::Outcome::kNoResult || action.outcome == CheckedAction::Outcome::kNotSent) {
    const bool sent = action.outcome == CheckedAction::Outcome::kNoResult;
    each.kind = passed ? "skipped" : "failure";
    each.type = sent ? "no-result" : "not-sent";
    each.message = sent ? "the action was sent, but no result arrived" : "the action was not sent";
    each.text = action.data;
  } else if (action.fault && *action.fault >= fails) {
    each.kind = "failure";
    each.type = action.outcome == CheckedAction::Outcome::kFailed ? "refused" : "not-refused";
    each.message = action.message.empty() ? "the result has no message" : action.message;
    each.text = action.data;
  }
  return each;
}

// What forces asked for beyond the script: one case per action, however often it was sent.
void AddForceCases(const CheckResult& result, std::vector<Case>& cases) {
  std::map<std::string_view, std::pair<std::size_t, double>> sent;
  for (const CheckedAction& action : result.actions) {
    if (action.scripted) continue;
    auto& [times, seconds] = sent[action.name];
    ++times;
    seconds += action.took ? InSeconds(*action.took) : 0;
  }
  for (const auto& [name, total] : sent) {
    cases.push_back(
        {.group = "force", .name = fmt::format("{} ({})", name, Plural(total.first, "time")), .seconds = total.second});
  }
}

Case RunCase(const CheckResult& result) {
  Case each{.group = "run", .name = result.game.empty() ? "run" : result.game};
  each.seconds = InSeconds(result.ended - result.started);
  if (!result.passed()) {
    each.kind = "failure";
    each.type = "run";
    each.message = CountsText(result);
    each.text = "Log: " + result.log_file;
  }
  return each;
}

void AddCase(const Case& each, std::string& out) {
  out += fmt::format("    <testcase classname=\"openseat.{}\" name=\"{}\" time=\"{:.3f}\"", each.group,
                     Xml(each.name, 200), each.seconds);
  if (each.kind.empty()) {
    out += "/>\n";
  } else if (each.kind == "skipped") {
    out += ">\n      <skipped/>\n    </testcase>\n";
  } else {
    out += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n", Xml(each.type),
                       Xml(each.message, kMaxReported), Xml(each.text));
  }
}

// --- GitHub

std::string CommandText(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : Clean(text, kMaxReported)) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\n') {
      out += "%0A";
    } else if (c == ':' && is_property) {
      out += "%3A";
    } else if (c == ',' && is_property) {
      out += "%2C";
    } else if (IsControl(c)) {
      out += Hex(c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string Annotation(const Group& group) {
  const neuro::DiagnosticInfo* check = neuro::FindDiagnostic(group.line->key);
  std::string text = CommandText(group.line->message, false);
  if (group.count > 1) text += fmt::format(" ({} times)", group.count);
  if (check != nullptr) text += "%0A" + CommandText(check->advice, false);
  const std::string title = check != nullptr ? fmt::format("openseat check: {}", check->key) : "openseat check";
  return fmt::format("::{} title={}::{}\n", group.line->level == Level::kWarn ? "warning" : "error",
                     CommandText(title, true), text);
}

Result<void> Append(const std::string& path, std::string_view text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ab"),
                                                             [](std::FILE* open) { return std::fclose(open); });
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0;
  if (!written) return Fail(ErrorCode::kIo, "cannot write to " + path, path);
  return {};
}

}  // namespace

std::string MarkdownSummary(const CheckResult& result) {
  std::string out = fmt::format("## {} Neuro API check: {}\n\n", result.passed() ? "✅" : "❌",
                                result.passed() ? "passed" : "failed");
  const auto succeeded =
      std::ranges::count(result.actions, CheckedAction::Outcome::kSucceeded, &CheckedAction::outcome);
  out += fmt::format("{}: {}; {} of {} succeeded, in {:.1f} s.\n",
                     result.game.empty() ? "No game" : "**" + Markdown(result.game, 100) + "**", CountsText(result),
                     succeeded, Plural(result.actions.size(), "action"), InSeconds(result.ended - result.started));
  AddGrade(result, out);
  AddFindings(result, out);
  AddActions(result, out);
  out += "\n### Files\n\n";
  for (const auto& [name, path] : {std::pair("log", &result.log_file),
                                   {"actions store", &result.actions_store},
                                   {"context store", &result.context_store}}) {
    if (!path->empty()) out += fmt::format("- {}: {}\n", name, Code(*path));
  }
  return out;
}

std::string JUnitXml(const CheckResult& result) {
  const std::size_t errors = CountOf(result, Level::kError) + CountOf(result, Level::kCritical);
  // With --fail-on warn, warnings made it fail.
  const Level fails = !result.passed() && errors == 0 ? Level::kWarn : Level::kError;
  std::vector<Case> cases;
  for (const CheckedAction& action : result.actions) {
    if (action.scripted) cases.push_back(ScriptCase(action, cases.size() + 1, fails, result.passed()));
  }
  AddForceCases(result, cases);
  for (const FoundRule& found : result.rules) cases.push_back(RuleCase(result, found, fails));
  AddPlainFindings(result, fails, cases);
  cases.push_back(RunCase(result));
  const auto count = [&](std::string_view kind) { return std::ranges::count(cases, kind, &Case::kind); };
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  out += fmt::format(
      "  <testsuite id=\"0\" package=\"openseat\" name=\"openseat check\" hostname=\"localhost\" timestamp=\"{}\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n",
      FormatIso8601(result.started).substr(0, 19), cases.size(), count("failure"), count("skipped"),
      InSeconds(result.ended - result.started));
  out += "    <properties>\n";
  const std::string grade = GradeText(GradeOf(result));
  for (const auto& [name, value] : {std::pair("run-id", &result.run_id),
                                    {"game", &result.game},
                                    {"grade", &grade},
                                    {"logfile", &result.log_file}}) {
    out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, Xml(*value));
  }
  out += "    </properties>\n";
  for (const Case& each : cases) AddCase(each, out);
  std::string log;
  for (const LogLine& line : result.findings) {
    if (log.size() > 16 * kMaxXmlText) break;
    log += FormatLine(line) + "\n";
  }
  out += fmt::format("    <system-out>{}</system-out>\n    <system-err/>\n  </testsuite>\n</testsuites>\n",
                     Xml(log, 16 * kMaxXmlText));
  return out;
}

std::string Annotations(const CheckResult& result) {
  std::string out;
  std::vector<Group> errors;
  std::vector<Group> warnings;
  for (const Group& group : Grouped(result)) (group.line->level == Level::kWarn ? warnings : errors).push_back(group);
  for (const std::vector<Group>* groups : {&errors, &warnings}) {
    const std::size_t shown = groups->size() <= kMaxAnnotations ? groups->size() : kMaxAnnotations - 1;
    for (std::size_t i = 0; i < shown; ++i) out += Annotation((*groups)[i]);
    if (shown < groups->size()) {
      out += fmt::format("::{} title=openseat check::and {} more of this kind; see the summary and the log\n",
                         groups == &warnings ? "warning" : "error", groups->size() - shown);
    }
  }
  return out;
}

std::string StopCommands(std::string_view token) {
  return fmt::format("::stop-commands::{}\n", token);
}

std::string ResumeCommands(std::string_view token) {
  return fmt::format("::{}::\n", token);
}

Result<void> WriteGithubOutput(const std::string& path, std::span<const NamedValue> values) {
  std::string text;
  for (const auto& [name, value] : values) {
    // No value can contain the delimiter line: it is not known in advance.
    const std::string delimiter = fmt::format("end_{:016x}{:016x}", SecureRandom64(), SecureRandom64());
    text += fmt::format("{}<<{}\n{}\n{}\n", name, delimiter, value, delimiter);
  }
  return Append(path, text);
}

Result<void> WriteGithubSummary(const std::string& path, std::string_view markdown) {
  return Append(path, markdown);
}

}  // namespace openseat::checker
