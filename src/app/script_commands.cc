#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <string>

#include "agents/search/search.h"
#include "app/commands.h"
#include "app/new_script.h"
#include "app/script_check.h"
#include "app/script_files.h"
#include "app/terminal_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "core/game_base.h"
#include "core/judge.h"
#include "games/script/harness.h"
#include "games/script/position.h"
#include "games/script/script_game.h"

namespace openseat::app {
namespace {

struct ScriptFlags {
  std::string file;
  std::string options;
  std::uint32_t games = 20;
  std::uint32_t seat = 1;
  std::uint32_t seats = 0;  // 0: the fewest
  std::uint64_t seed = 1;
  std::string against = "random";
  bool json = false;
  bool typed = false;
};

Result<std::unique_ptr<Game>> LoadScript(const std::string& file, const games::ScriptLimits& limits = {}) {
  auto files = ReadScript(file);
  if (!files) return Fail(files.error());
  return games::MakeScriptGame(*std::move(files), {}, limits);
}

Result<json::Value> OptionsOf(const ScriptFlags& flags) {
  if (flags.options.empty()) return json::Value();
  auto options = json::Parse(flags.options);
  if (!options) return Fail(ErrorCode::kInvalid, "--options must be JSON: " + options.error().message);
  return options;
}

constexpr const char* kTypesFile = "openseat-game.d.ts";

bool Exists(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0;
}

Result<void> WriteNew(const std::string& path, const std::string& text) {
  return ReplaceFile(path, text, {.mode = 0644, .synced = false});
}

int RunNew(const ScriptFlags& flags) {
  if (flags.file.empty() ||
      flags.file.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
    PrintError("a game's name is made of a to z, 0 to 9 and -; got \"" + flags.file + "\"");
    return kUsage;
  }
  const std::string path = flags.file + (flags.typed ? ".ts" : ".js");
  if (Exists(path)) {
    PrintError("there is a file " + path + " already");
    return kFailed;
  }
  auto written = WriteNew(path, NewScriptText(flags.file, path));
  // An editor completes and checks by it, JavaScript too.
  if (written && !Exists(kTypesFile)) written = WriteNew(kTypesFile, std::string(games::GameTypesText()));
  if (!written) {
    PrintError(written.error().message);
    return kFailed;
  }
  std::printf(
      "%s: a game to begin with. Next:\n  openseat games check %s\n  openseat games play %s\n  openseat serve --games "
      ".\n",
      path.c_str(), path.c_str(), path.c_str());
  return kDone;
}

int Report(const ScriptFlags& flags, const ScriptReport& report) {
  if (flags.json) {
    std::printf("%s\n", json::Write(ToJson(report)).c_str());
  } else if (report.complaints.empty()) {
    std::printf("%s: %s conforms: %d random games of up to %zu choices\n", flags.file.c_str(),
                Printable(report.game).c_str(), report.games, report.longest);
    for (const auto& [ending, games] : report.endings) std::printf("  %3d  %s\n", games, Printable(ending).c_str());
    std::printf("  at most: state %zu of %zu bytes, what observe returns %zu bytes, view %zu of %zu bytes\n",
                report.state_bytes, games::kMostStateBytes, report.observation_bytes, report.view_bytes,
                games::kMostViewBytes);
    std::printf("  the longest choice took %.2g %% of the steps that it may take\n",
                100.0 * static_cast<double>(report.steps) / static_cast<double>(games::ScriptLimits().call_steps));
    for (const std::string& note : report.notes) std::printf("  note: %s\n", PrintableLines(note).c_str());
  } else {
    // Places are relative to the script's folder.
    std::error_code none;
    const std::filesystem::path path(flags.file);
    const std::filesystem::path folder = std::filesystem::is_directory(path, none) ? path : path.parent_path();
    for (const std::string& complaint : report.complaints) {
      if (SizeOfPlace(complaint) > 0) {
        std::printf("%s\n", PrintableLines((folder / complaint).string()).c_str());
      } else {
        std::printf("%s: %s\n", flags.file.c_str(), PrintableLines(complaint).c_str());
      }
    }
    if (report.games > 0 || report.choices > 0) {
      std::printf(
          "Each is found again by the same command; the game of one alone: openseat games check %s --seed SEED -n 1\n",
          flags.file.c_str());
    }
  }
  return report.complaints.empty() ? kDone : kFailed;
}

int RunCheck(const ScriptFlags& flags) {
  const auto options = OptionsOf(flags);
  if (!options) {
    PrintError(options.error().message);
    return kUsage;
  }
  // Not a limit: it counts.
  const auto budget = std::make_shared<std::atomic<std::int64_t>>(std::numeric_limits<std::int64_t>::max());
  const auto game = LoadScript(flags.file, {.budget = budget, .logs_faults = false});
  if (!game) {
    const bool is_missing = game.error().code == ErrorCode::kNotFound || game.error().code == ErrorCode::kIo;
    if (is_missing) PrintError(game.error().message);
    if (is_missing) return kUsage;
    ScriptReport report;
    report.complaints = {PlaceAndMessage(game.error())};
    return Report(flags, report);
  }
  // A line that is written over, at a terminal only.
  const bool is_seen = ::isatty(STDERR_FILENO) == 1;
  const auto progress = [](const std::string& what) { std::fprintf(stderr, "\r\x1b[K%s", Printable(what).c_str()); };
  const ScriptReport report = CheckScript(**game, *options, static_cast<int>(flags.games), budget,
                                          is_seen ? progress : std::function<void(const std::string&)>(), flags.seed);
  if (is_seen) progress("");
  return Report(flags, report);
}

// Markdown for a terminal: without its signs of emphasis, and at a window in lines that fit, cut between words.
void PrintText(const std::string& markdown) {
  winsize window{};
  const bool is_window = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
  std::printf("%s\n", ForTerminal(PrintableLines(markdown), is_window ? window.ws_col : 0).c_str());
}

// A line that is typed; nullopt: there is no more input.
std::optional<std::string> AskFor(const std::string& what) {
  std::printf("%s: ", Printable(what).c_str());
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

// Asks for the data of an action, member by member.
std::optional<PlayedChoice> AskForData(const ActionSpec& action) {
  json::Object data;
  for (const auto& member : json::Find(action.schema, "properties")->get_object()) {
    const json::Value* listed = json::Find(member.value(), "enum");
    const std::string name(json::KeyOf(member));
    const auto line = AskFor(listed == nullptr ? name : name + ", one of " + json::Excerpt(*listed, 1'000));
    if (!line) return std::nullopt;
    data[name] = TypedValue(*line, member.value());
  }
  return PlayedChoice{action.name, std::move(data)};
}

// Asks the person at the terminal for one of the choices, or one with a text of their own; nullopt: there is no more
// input.
std::optional<PlayedChoice> AskForChoice(const GameState& state, SeatIndex seat) {
  std::vector<LegalChoice> choices = OfferedTo(state, seat);
  const std::size_t listed = choices.size();
  std::vector<ActionSpec> free = state.Actions(seat);
  std::erase_if(free, [](const ActionSpec& action) { return !IsFree(action); });
  for (const ActionSpec& action : free) choices.push_back({0, {}, action.name + " … in your own words"});
  std::printf("\n");
  PrintText(state.Describe(seat));
  for (std::size_t i = 0; i < choices.size(); ++i)
    std::printf("  [%zu] %s\n", i + 1, Printable(choices[i].label).c_str());
  for (;;) {
    const auto line = AskFor("Your choice, in its words or by the number in [ ]");
    if (!line) return std::nullopt;
    const std::optional<std::size_t> chosen = ChosenBy(*line, choices);
    if (chosen && *chosen < listed) {
      std::printf("%s\n", Printable(choices[*chosen].label).c_str());
      return choices[*chosen].choice;
    }
    if (chosen) {
      std::optional<PlayedChoice> choice = AskForData(free[*chosen - listed]);
      if (!choice) return std::nullopt;
      const Result<Ruling> ruling = Judge(state, seat, choice->action, choice->data);
      if (ruling) return choice;
      std::printf("That is refused: %s\n", Printable(ruling.error().message).c_str());
      continue;
    }
    std::printf("Type what stands after the number, as in \"%s\", or the number, from 1 to %zu.\n",
                Printable(choices.front().label).c_str(), choices.size());
  }
}

void PrintNews(const GameState& before, const GameState& after, SeatIndex seat) {
  for (const std::string& line : after.News(before, Viewer::Seat(seat))) PrintText(line);
}

Result<Move> Opponent(const Game& game, const GameState& state, SeatIndex seat, bool searches, Rng& rng) {
  if (searches) {
    constexpr search::SearchLimits kLimits{.iterations = 4000, .time = std::chrono::seconds(1)};
    const search::SearchResult found =
        search::Search(game, state, seat, {.limits = kLimits, .seed = rng.Next()}, SystemClock());
    if (found.moves.empty()) return Fail(NoSample(game.info()));
    return found.chosen;
  }
  const std::vector<LegalChoice> choices = OfferedTo(state, seat);
  return choices[rng.Below(choices.size())].move;
}

int PlayAtTerminal(const Game& game, std::shared_ptr<const GameState> state, SeatIndex person,
                   const ScriptFlags& flags) {
  Rng rng(flags.seed);
  PrintText(game.info().title + "\n\n" + game.info().rules);
  std::printf("\nYou are %s.\n", state->names()[person].c_str());
  while (!state->Awaited().empty()) {
    const std::shared_ptr<const GameState> before = state;
    const SeatSet awaited = state->Awaited();
    const SeatIndex seat = awaited.Contains(person) ? person : awaited.First();
    std::optional<PlayedChoice> chosen;
    if (seat == person) {
      chosen = AskForChoice(*state, seat);
      if (!chosen) return kDone;
    } else {
      const Result<Move> move = Opponent(game, *state, seat, flags.against == "search", rng);
      if (!move) {
        PrintError(move.error().message);
        return kFailed;
      }
      chosen = state->ToChoice(seat, *move);
    }
    const PlayedChoice& choice = *chosen;
    Result<Ruling> ruling = Judge(*state, seat, choice.action, choice.data);
    if (!ruling) {
      PrintError("a choice that `actions` offers is refused: " + ruling.error().message);
      return kFailed;
    }
    state = std::move(ruling->next);
    PrintNews(*before, *state, person);
  }
  std::printf("\n");
  PrintText(state->Describe(person));
  if (games::FaultOf(*state).empty()) return kDone;
  PrintError("the game's script failed: " + games::FaultOf(*state));
  return kFailed;
}

int RunPlay(const ScriptFlags& flags) {
  const auto options = OptionsOf(flags);
  const auto game = options ? LoadScript(flags.file) : tl::unexpected(options.error());
  if (!game) {
    PrintError(PlaceAndMessage(game.error()));
    return kUsage;
  }
  const GameInfo& info = (*game)->info();
  const SeatIndex seats = flags.seats == 0 ? info.min_seats : flags.seats;
  if (seats < info.min_seats || seats > info.max_seats) {
    PrintError("--seats must be " + std::to_string(info.min_seats) + " to " + std::to_string(info.max_seats) +
               "; got " + std::to_string(flags.seats));
    return kUsage;
  }
  if (flags.against == "search" && !info.moves_complete) {
    PrintError("--against must be random for this game: its choices are free texts, of which no search can list all");
    return kUsage;
  }
  if (flags.seat > seats) {
    PrintError("--seat must be 1 to " + std::to_string(seats) + "; got " + std::to_string(flags.seat));
    return kUsage;
  }
  std::vector<std::string> names;
  for (SeatIndex seat = 0; seat < seats; ++seat) names.push_back("Player" + std::to_string(seat + 1));
  auto state = (*game)->NewGame(*options, flags.seed, names);
  if (!state) {
    PrintError(PlaceAndMessage(state.error()));
    return kUsage;
  }
  return PlayAtTerminal(**game, std::move(*state), static_cast<SeatIndex>(flags.seat - 1), flags);
}

}  // namespace

void AddScriptCommands(cli::Command games) {
  auto flags = std::make_shared<ScriptFlags>();
  cli::Command fresh = games.AddCommand("new", "Writes a small game as a script, to begin with");
  fresh.AddOption("name", &flags->file, "The game's id; the file is NAME.js, or NAME.ts with --ts",
                  {.type = "NAME", .required = true});
  fresh.AddOption("--ts", &flags->typed, "Write it in TypeScript: NAME.ts");
  fresh.SetFooter(
      "It also writes openseat-game.d.ts, by which editors complete and check, JavaScript too.\n\nExamples:\n"
      "  openseat games new my-game\n  openseat games new my-game --ts");
  fresh.SetRun([flags] { return RunNew(*flags); });

  cli::Command check = games.AddCommand("check", "Checks a game that is written as a script, by playing it at random");
  check.AddOption("file", &flags->file, "The script, or a folder with a game.js or game.ts",
                  {.type = "FILE", .required = true});
  check.AddOption("-n,--games", &flags->games, "How many random games, with the fewest and with the most seats",
                  {.type = "N", .range = cli::Range(1, 10'000)});
  check.AddOption("--seed", &flags->seed, "Of the first random game (default 1); the next ones have the next numbers",
                  {.type = "N"});
  check.AddOption("--options", &flags->options, "The game's options", {.type = "JSON"});
  check.AddOption("--json", &flags->json, "One JSON object, for programs");
  check.SetFooter(
      "Exit code 1: the script does not conform; each complaint says how to reproduce it.\n\nExamples:\n"
      "  openseat games check my-game.js\n  openseat games check my-game.js --json");
  check.SetRun([flags] { return RunCheck(*flags); });

  cli::Command play =
      games.AddCommand("play", "Plays a game that is written as a script, against random players or search");
  play.AddOption("file", &flags->file, "The script, or a folder with a game.js or game.ts",
                 {.type = "FILE", .required = true});
  play.AddOption("--seat", &flags->seat, "Your seat (default 1)", {.type = "N", .range = cli::Range(1, 64)});
  play.AddOption("--seats", &flags->seats, "How many play (default: the fewest)",
                 {.type = "N", .range = cli::Range(1, 64)});
  play.AddOption("--against", &flags->against, "Who plays the other seats: random (default) or search",
                 {.type = "KIND", .one_of = {"random", "search"}});
  play.AddOption("--seed", &flags->seed, "What chance depends on (default 1)", {.type = "N"});
  play.AddOption("--options", &flags->options, "The game's options", {.type = "JSON"});
  play.SetFooter(
      "Examples:\n  openseat games play my-game.js\n  openseat games play my-game.js --seat 2 --against search");
  play.SetRun([flags] { return RunPlay(*flags); });
}

}  // namespace openseat::app
