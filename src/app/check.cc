#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "app/check_report.h"
#include "app/commands.h"
#include "app/config.h"
#include "base/json_document.h"
#include "base/secure_random.h"
#include "checker/run.h"
#include "net/origin.h"
#include "net/url.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::app {
namespace {

struct CheckFlags {
  std::string actions;
  std::string listen = "127.0.0.1:8000";
  std::string log_dir;
  std::string run_id;
  std::string until = "script";
  double connect_timeout = 60;
  double timeout = 300;
  double quiet = 2;
  std::uint32_t max_forces = 20;
  std::string refused = "warn";
  bool no_startup_ack = false;
  std::string profile = "document";
  bool probe = false;
  std::string game_status;
  std::uint64_t seed = 0;
  bool seeded = false;
  std::string fail_on = "error";
  std::string denied;
  std::string proposals;
  std::string strictness = "default";
  std::string data_format = "string";
  std::string certificate;
  std::string key;
  std::vector<std::string> origins;
  bool insecure = false;
  bool list = false;
};

Error InFile(const std::string& path, const Error& error) {
  return {error.code, "\"" + path + "\": " + error.message, path};
}

checker::Until UntilOf(std::string_view name) {
  if (name == "quiet") return checker::Until::kQuiet;
  if (name == "exit") return checker::Until::kExit;
  if (name == "timeout") return checker::Until::kTimeout;
  return checker::Until::kScript;
}

Result<checker::RunOptions> MakeOptions(const CheckFlags& flags) {
  checker::RunOptions options;
  Result<net::ListenAddress> listen = ParseListenAddress(flags.listen);
  if (!listen) return Fail(listen.error());
  options.listen = std::move(*listen);
  for (const std::string& text : flags.origins) {
    Result<std::string> origin = net::ParseOrigin(text);
    if (!origin) return Fail(origin.error());
    options.origins.push_back(std::move(*origin));
  }
  options.listen.certificate_file = flags.certificate;
  options.listen.key_file = flags.key;
  if (!net::IsLoopbackHost(options.listen.host) && flags.certificate.empty() && !flags.insecure) {
    return Fail(ErrorCode::kDenied, "listening on " + flags.listen +
                                        " lets other machines in: give --certificate and --key, or --insecure");
  }
  if (flags.actions.empty()) {
    return Fail(ErrorCode::kInvalid, "no script: give --actions FILE, a JSON object of the form {\"action\": data}");
  }
  const Result<std::string> script_text = json::ReadFile(flags.actions);
  if (!script_text) return Fail(script_text.error());
  Result<std::vector<checker::ScriptEntry>> script = checker::ParseScript(*script_text);
  if (!script) return Fail(InFile(flags.actions, script.error()));
  checker::CheckerOptions& check = options.checker;
  check.script = std::move(*script);
  if (flags.denied == "neuro") {
    check.denied.neuro = true;
  } else if (!flags.denied.empty()) {
    const Result<std::string> text = json::ReadFile(flags.denied);
    if (!text) return Fail(text.error());
    Result<checker::DeniedKeywords> denied = checker::ParseDeniedKeywords(*text);
    if (!denied) return Fail(InFile(flags.denied, denied.error()));
    check.denied = std::move(*denied);
  }
  if (!flags.proposals.empty()) {
    const Result<std::string> text = json::ReadFile(flags.proposals);
    if (!text) return Fail(text.error());
    Result<checker::Proposals> proposals = checker::Proposals::Parse(*text);
    if (!proposals) return Fail(InFile(flags.proposals, proposals.error()));
    check.proposals = std::move(*proposals);
  }
  check.strictness = checker::ParseStrictness(flags.strictness).value_or(checker::Strictness::kDefault);
  check.data_format = flags.data_format == "object" ? checker::DataFormat::kObject : checker::DataFormat::kString;
  check.fail_on_warn = flags.fail_on == "warn";
  check.seed = flags.seeded ? flags.seed : SecureRandom64();
  check.id_prefix = SecureToken(6) + "-";
  check.run_id = flags.run_id.empty() ? "local" : flags.run_id;
  const auto seconds = [](double value) { return Duration(static_cast<std::int64_t>(value * 1e6)); };
  check.until = UntilOf(flags.until);
  check.connect_timeout = seconds(flags.connect_timeout);
  check.timeout = seconds(flags.timeout);
  check.quiet = seconds(flags.quiet);
  check.max_forces = static_cast<int>(flags.max_forces);
  check.refused_fails = flags.refused == "error";
  check.startup_ack = !flags.no_startup_ack;
  check.profile = *neuro::ParseProfile(flags.profile);  // one of the names, as the command line makes sure
  check.probe = flags.probe;
  options.game_status_file = flags.game_status;
  options.log_dir = flags.log_dir.empty() ? "." : flags.log_dir;
  return options;
}

// The variable of an input: with underscores, as action.yml and shells set it; or, if only that one is set, with the
// hyphens that GitHub's runner leaves in the names (INPUT_LOG-DIR).
std::string InputVariable(std::string_view input) {
  std::string hyphens = "INPUT_";
  for (const char c : input) hyphens += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  std::string underscores = hyphens;
  std::ranges::replace(underscores, '-', '_');
  const auto says = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value != nullptr && *value != '\0';
  };
  return !says(underscores) && says(hyphens) ? hyphens : underscores;
}

// A line of the log on the console; on a terminal, in the color of its level.
void PrintLine(const checker::LogLine& line, bool color) {
  const char* code = "";
  if (color) {
    switch (line.level) {
      case checker::Level::kDebug:
        code = "\033[2m";
        break;
      case checker::Level::kInfo:
        break;
      case checker::Level::kWarn:
        code = "\033[33m";
        break;
      case checker::Level::kError:
        code = "\033[31m";
        break;
      case checker::Level::kCritical:
        code = "\033[1;31m";
        break;
    }
  }
  std::printf("%s%s%s\n", code, checker::FormatLine(line).c_str(), *code != 0 ? "\033[0m" : "");
  std::fflush(stdout);
}

int Check(const CheckFlags& flags) {
  if (flags.list) {
    std::fputs(neuro::RulesAsMarkdown().c_str(), stdout);
    return kDone;
  }
  Result<checker::RunOptions> options = MakeOptions(flags);
  if (!options) {
    PrintError(options.error().message);
    return kUsage;
  }
  options->on_line = [color = isatty(STDOUT_FILENO) != 0](const checker::LogLine& line) { PrintLine(line, color); };
  const Result<checker::RunOutcome> outcome = [&] {
    const GithubLog log;
    return checker::RunCheck(std::move(*options));
  }();
  if (!outcome) {
    PrintError(WithFlag(outcome.error(), "--listen").message);
    return kUsage;
  }
  std::printf("Files: %s and those next to it whose names begin in the same way\n", outcome->result.log_file.c_str());
  // The verdict stands, even if a report could not be written.
  for (const Error& error : HandOver(*outcome)) PrintError(error.message);
  return outcome->result.exit_code;
}

}  // namespace

void AddCheck(cli::Command program) {
  auto flags = std::make_shared<CheckFlags>();
  cli::Command check =
      program.AddCommand("check", "Plays a game that speaks the Neuro API from a script, and reports what is wrong");
  check.AddOption("--actions", &flags->actions, "The script: a JSON object {\"action\": data, …}",
                  {.type = "FILE", .env = InputVariable("actions")});
  check.AddOption("--listen", &flags->listen, "Where the game connects (default 127.0.0.1:8000)",
                  {.type = "HOST:PORT", .env = InputVariable("listen")});
  check.AddOption("--log-dir", &flags->log_dir,
                  "Directory for the log, the stores and the reports (default $RUNNER_TEMP, else this one)",
                  {.type = "DIR", .env = InputVariable("log-dir")});
  check.AddOption("--run-id", &flags->run_id, "Part of the files' names (default $GITHUB_RUN_ID, else local)",
                  {.type = "ID", .env = InputVariable("run-id")});
  check.AddOption("--until", &flags->until,
                  "What ends the run, unless the game does: script (default), quiet, exit or timeout",
                  {.env = InputVariable("until"), .one_of = {"script", "quiet", "exit", "timeout"}});
  check.AddOption("--connect-timeout", &flags->connect_timeout, "Seconds in which the game has to connect (default 60)",
                  {.type = "S", .env = InputVariable("connect-timeout"), .range = cli::Range(0.1, 86400.0)});
  check.AddOption("--timeout", &flags->timeout, "Seconds that the run may take once the game connected (default 300)",
                  {.type = "S", .env = InputVariable("timeout"), .range = cli::Range(0.1, 86400.0)});
  check.AddOption("--quiet", &flags->quiet, "Seconds without a packet that end the run when all is done (default 2)",
                  {.type = "S", .env = InputVariable("quiet"), .range = cli::Range(0.05, 3600.0)});
  check.AddOption("--max-forces", &flags->max_forces,
                  "Forces that are answered after the script is done; then the run ends (default 20; 0: no limit)",
                  {.type = "N", .env = InputVariable("max-forces"), .range = cli::Range(0, 1'000'000)});
  check.AddOption("--refused", &flags->refused,
                  "What it is if the game refuses an action of the script: warn (default) or error",
                  {.env = InputVariable("refused"), .one_of = {"warn", "error"}});
  check.AddOption("--seed", &flags->seed, "Makes made-up data repeatable",
                  {.type = "N", .env = InputVariable("seed"), .given = &flags->seeded});
  check.AddOption("--fail-on", &flags->fail_on,
                  "Lowest level of a finding that fails the run: error or warn (advice, perf/..., never does)",
                  {.env = InputVariable("fail-on"), .one_of = {"error", "warn"}});
  check.AddOption("--denied-keywords", &flags->denied,
                  "Keywords that schemas must not use: a JSON array in a file, or neuro for those that the API's "
                  "specification lists (default none)",
                  {.type = "FILE", .env = InputVariable("denied-keywords")});
  check.AddOption("--proposals", &flags->proposals,
                  "Proposed commands and what the checker does with them (docs/checker.md)",
                  {.type = "FILE", .env = InputVariable("proposals")});
  check.AddOption("--strictness", &flags->strictness, "letter, default or lenient (docs/checker.md)",
                  {.env = InputVariable("strictness"), .one_of = {"letter", "default", "lenient"}});
  check.AddOption("--data-format", &flags->data_format,
                  "How an action's data travels: string (JSON in a string, as the Neuro API has it) or object",
                  {.env = InputVariable("data-format"), .one_of = {"string", "object"}});
  check.AddOption("--no-startup-ack", &flags->no_startup_ack,
                  "Do not acknowledge the game's startup, for clients that take it for an error",
                  {.env = InputVariable("no-startup-ack")});
  check.AddOption(
      "--profile", &flags->profile,
      "How the character behaves: document (answers at once), production (pauses and speaks), or chaos (also "
      "wrong data, and actions that a force does not ask for)",
      {.env = InputVariable("profile"), .one_of = {"document", "production", "chaos"}});
  check.AddOption("--probe", &flags->probe,
                  "At the end, send an action that was never registered; the game has to answer that it failed",
                  {.env = InputVariable("probe")});
  check.AddOption("--game-status", &flags->game_status,
                  "If the checker is told to end and this file is not empty, it says how the game failed to start",
                  {.type = "FILE"});
  check.AddOption("--certificate", &flags->certificate, "TLS certificate chain, PEM",
                  {.type = "FILE", .env = InputVariable("certificate")});
  check.AddOption("--key", &flags->key, "TLS private key, PEM", {.type = "FILE", .env = InputVariable("key")});
  check.AddOption("--allow-origin", &flags->origins,
                  "Origin of a page in which the game may run, as https://games.example, may be repeated (default: "
                  "pages of this machine)",
                  {.type = "ORIGIN", .env = InputVariable("allow-origin")});
  check.AddOption("--insecure", &flags->insecure, "Allow addresses other than loopback without TLS",
                  {.env = InputVariable("insecure")});
  check.AddOption("--list", &flags->list,
                  "Print every rule, its severity by mode, its evidence and its remedy, and end");
  check.SetFooter(
      "The script is a JSON object {\"action\": data, ...}. Each action is sent once, in this order, one at a time,\n"
      "as soon as the game has registered it and was silent for 0.1 s. Data that does not fit the action's schema is\n"
      "replaced by generated data that does, with a warning. A force is answered with the earliest action of the "
      "script\n"
      "that it allows, else with any. {} only tests the registrations and the answers to forces.\n"
      "  {\"move\": {\"x\": 1}}                                  sends move with this data; a refusal is a warning\n"
      "  {\"move\": {\"data\": {\"x\": 9}, \"expect\": \"refused\"}}   sends it as it is; the game has to refuse it\n"
      "  {\"move\": {\"expect\": \"accepted\"}}                   sends generated data; a refusal is an error\n"
      "  {\"move\": {\"data\": {\"x\": 9}, \"expect\": \"any\"}}       either will do\n\n"
      "The run ends when the game closes the connection, when a finding ends it, and otherwise as --until says:\n"
      "  script   every action of the script has its result, and then nothing but context came for --quiet seconds,\n"
      "           no force for five times as long, or --max-forces further forces were answered\n"
      "  quiet    every action of the script has its result, and no packet came for --quiet seconds\n"
      "  exit     only the game ends it; it is an error if it does not within --timeout\n"
      "  timeout  after --timeout\n\n"
      "Files, in --log-dir, each beginning with vicky_DD-MM-YYYY_HH-MM-SS_RUN-ID:\n"
      "  ....log          one line an event, at most 1 MB; a finding ends with its rule's name in brackets (--list);\n"
      "                   the last lines are the grade, the five costliest findings and the verdict\n"
      "  ..._actions.json the actions that are registered at the end\n"
      "  ..._context.json all context that the game sent, up to 1 MB\n"
      "  ....junit.xml    the report as JUnit has it: a case for each action of the script, each forced action, each\n"
      "                   rule that found something, and the run\n"
      "On GitHub: annotations, a summary and the step's outputs, too.\n\n"
      "Each flag may come from a variable: INPUT_ACTIONS, INPUT_FAIL_ON ... (docs/checker.md).\n\n"
      "Exit codes: 0 passed, 1 the game failed, 2 wrong usage\n\n"
      "Examples:\n"
      "  openseat check --actions script.json\n"
      "  openseat check --actions script.json --fail-on warn --denied-keywords neuro --log-dir logs");
  check.SetRun([flags] {
    const auto fall_back = [](std::string& value, const char* name) {
      if (!value.empty()) return;
      if (const char* found = std::getenv(name)) value = found;
    };
    fall_back(flags->log_dir, "RUNNER_TEMP");
    fall_back(flags->run_id, "GITHUB_RUN_ID");
    return Check(*flags);
  });
}

}  // namespace openseat::app
