#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/config.h"
#include "app/replay_against.h"
#include "app/script_shelf.h"
#include "app/transcript_text.h"
#include "arena/recording_journal.h"
#include "arena/run_folder.h"
#include "base/json.h"
#include "base/text.h"
#include "match/invite.h"
#include "match/replay.h"
#include "protocols/console/event_json.h"
#include "store/journal_format.h"
#include "store/sqlite_journal.h"

namespace openseat::app {
namespace {

struct ReplayFlags {
  std::string table;
  std::string data_dir;
  std::string viewer;
  std::size_t max_text = 200;
  Seq after = 0;
  bool json = false;
  std::uint64_t game = 0;
  bool of_run = false;  // `table` is the folder of a run
  AgainstFlags against;
};

constexpr std::size_t kPage = 1000;
constexpr std::size_t kMaxTables = 1000;

int ListTables(Journal& journal, bool as_json) {
  const Result<std::vector<TableRecord>> tables = journal.Tables(kMaxTables);
  if (!tables) {
    PrintError(tables.error().message);
    return kFailed;
  }
  if (tables->empty() && !as_json) std::puts("no table has been recorded yet");
  for (const TableRecord& table : *tables) {
    const Result<json::Value> opened = json::Parse(table.opened_payload);
    const json::Value* game = opened ? json::Find(*opened, "game") : nullptr;
    if (as_json) {
      json::Object line{{"id", table.id.str()},
                        {"opened", FormatIso8601(table.opened)},
                        {"events", table.last_seq},
                        {"closed", table.closed}};
      if (game != nullptr) line["game"] = *game;
      std::puts(json::Write(line).c_str());
    } else {
      const std::string name = Printable(opened ? json::TextOf(*opened, "game") : "");
      std::printf("%s  %-40s %8llu events  %s%s\n", FormatIso8601(table.opened).c_str(),
                  Printable(table.id.str()).c_str(), static_cast<unsigned long long>(table.last_seq), name.c_str(),
                  table.closed ? "" : "  (open)");
    }
  }
  return kDone;
}

// The whole record, event by event.
Result<void> PrintRecord(Journal& journal, const ReplayFlags& flags, const TableId& id) {
  Seq after = flags.after;
  for (;;) {
    const Result<std::vector<StoredEvent>> events = journal.Read(id, after, kPage);
    if (!events) return Fail(events.error());
    if (events->empty()) return {};
    for (const StoredEvent& event : *events) {
      const std::string line = flags.json ? json::Write(console::EventToJson(event)) : EventLine(event, flags.max_text);
      std::puts(line.c_str());
    }
    after = events->back().seq;
  }
}

// The record as one viewer saw it.
Result<void> PrintView(Journal& journal, const ReplayFlags& flags, const TableId& id, const std::string& game_id,
                       const std::string& viewer) {
  const Game* game = FindRecordedGame(flags.data_dir, game_id);
  if (game == nullptr) {
    return Fail(ErrorCode::kInvalid,
                "the game \"" + game_id + "\" is not known here; --as all shows what was recorded");
  }
  Result<Replay> replay = Replay::Open(journal, *game, id, viewer);
  if (!replay) return Fail(std::move(replay).error());
  ReportWriter report(flags.max_text);
  return replay->Run(flags.after, [&](const json::Object& step) {
    const std::string text = flags.json ? json::Write(step) : report.Lines(step);
    if (!text.empty()) std::puts(text.c_str());
    return true;
  });
}

Result<void> PrintTable(Journal& journal, const ReplayFlags& flags) {
  const TableId id = ParseMatchName(flags.table).id;
  const Result<std::vector<StoredEvent>> first = journal.Read(id, 0, 1);
  if (!first) {
    return Fail(
        first.error().code == ErrorCode::kNotFound ? ErrorCode::kInvalid : first.error().code,
        first.error().message + (first.error().code == ErrorCode::kNotFound ? "; `openseat replay` lists them" : ""));
  }
  std::optional<std::string> hosted;
  if (!first->empty()) {
    hosted = HostedGameOf(first->front().event.payload);
    if (!flags.json)
      std::printf("%s, %s\n", Printable(id.str()).c_str(),
                  FormatIso8601(first->front().event.time).substr(0, 10).c_str());
  }
  std::string viewer = flags.viewer;
  if (viewer.empty()) viewer = hosted ? kSpectatorViewer : kWholeRecord;
  if (viewer == kWholeRecord) return PrintRecord(journal, flags, id);
  if (!hosted) {
    return Fail(ErrorCode::kInvalid,
                "the rules of this table's game run elsewhere, so what each seat saw is unknown: leave out --as");
  }
  return PrintView(journal, flags, id, *hosted, viewer);
}

// A game of a run, from its folder.
Result<void> PrintGame(ReplayFlags flags) {
  if (flags.table.empty()) return Fail(ErrorCode::kInvalid, "--game needs the folder of its run");
  Result<arena::RecordedGame> recorded = arena::ReadReplay(flags.table, flags.game);
  if (!recorded) return Fail(recorded.error());
  arena::RecordingJournal journal;
  journal.Put(recorded->table, std::move(recorded->events));
  flags.table = recorded->table.str();
  return PrintTable(journal, flags);
}

int PrintedOrNot(const Result<void>& printed) {
  if (printed) return kDone;
  PrintError(printed.error().message);
  return printed.error().code == ErrorCode::kInvalid ? kUsage : kFailed;
}

int PlayAgainst(Journal& journal, const ReplayFlags& flags) {
  const Result<relay::Recording> recording = relay::ReadRecording(journal, TableId(flags.table));
  if (!recording) {
    PrintError(recording.error().message);
    return kUsage;
  }
  const Result<int> code = ReplayAgainst(flags.against, *recording);
  if (code) return *code;
  PrintError(code.error().message);
  return kUsage;
}

int RunReplay(const ReplayFlags& flags) {
  if (!flags.against.url.empty() && (flags.of_run || flags.table.empty())) {
    PrintError("--against needs the id of a table of a game that connected; `openseat replay` lists them");
    return kUsage;
  }
  if (flags.against.url.empty() && (!flags.against.run.empty() || !flags.against.ignored.empty())) {
    PrintError("--run and --ignore need --against: where the game looks for its server, as ws://127.0.0.1:8000");
    return kUsage;
  }
  if (flags.of_run) return PrintedOrNot(PrintGame(flags));
  if (std::error_code error; std::filesystem::exists(flags.table + "/" + arena::kRunFile, error)) {
    PrintError(flags.table + " is the folder of a run: add --game N, the number of a game, to see one of its games");
    return kUsage;
  }
  const std::string dir = flags.data_dir.empty() ? DefaultDataDir() : flags.data_dir;
  auto journal = store::SqliteJournal::OpenReadOnly(dir + "/" + store::kJournalFileName);
  if (!journal) {
    PrintError(journal.error().message);
    return kUsage;
  }
  if (flags.table.empty()) return ListTables(**journal, flags.json);
  if (!flags.against.url.empty()) return PlayAgainst(**journal, flags);
  return PrintedOrNot(PrintTable(**journal, flags));
}

}  // namespace

void AddReplay(cli::Command program) {
  auto flags = std::make_shared<ReplayFlags>();
  cli::Command replay = program.AddCommand("replay", "Prints what happened at a table, live or finished");
  replay.AddOption("table", &flags->table,
                   "The table's id; without one, all tables are listed. With --game, a run's folder",
                   {.type = "TABLE"});
  replay.AddOption("--game", &flags->game, "A game of the run in that folder, by its number (docs/runs.md)",
                   {.type = "N", .given = &flags->of_run});
  replay.AddOption("--data-dir", &flags->data_dir, "The server's data directory",
                   {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
  replay.AddOption("--after", &flags->after, "Start after this event's number", {.type = "SEQ"});
  replay.AddOption("--max-text", &flags->max_text, "Cut longer texts (0: never; default 200 bytes)", {.type = "BYTES"});
  replay.AddOption("--as", &flags->viewer,
                   "Whose view of a hosted match to show: spectator (default), a seat's number, a player's name, or "
                   "all: the whole record, secrets included",
                   {.type = "VIEWER"});
  replay.AddOption("--json", &flags->json, "One JSON object a line, for programs");
  AgainstFlags& against = flags->against;
  replay.AddOption(
      "--against", &against.url,
      "Play the agent's part again to a game: listen where it looks for its server, as ws://127.0.0.1:8000, "
      "and say where it answers differently",
      {.type = "GAME_URL"});
  replay.AddOption(
      "--run", &against.run,
      "With --against: the shell command that starts the game, with NEURO_SDK_WS_URL set; it ends with the "
      "replay",
      {.type = "COMMAND"});
  replay.AddOption("--ignore", &against.ignored,
                   "With --against: what may differ, a command or COMMAND:PATH, as actions/force:data.state; may be "
                   "repeated",
                   {.type = "WHAT"});
  replay.AddOption("--differences", &against.differences,
                   "With --against: stop after so many differences (default 10; 0: never)", {.type = "N"});
  replay.AddOption("--timeout", &against.timeout,
                   "With --against: seconds to wait for the game, and for each message that it is known to send "
                   "(default 20)",
                   {.type = "S", .range = cli::Range(0.05, 3600.0)});
  replay.AddOption("--quiet", &against.quiet, "With --against: seconds of silence that end the replay (default 1)",
                   {.type = "S", .range = cli::Range(0.01, 3600.0)});
  replay.AddOption("--in-time", &against.in_time,
                   "With --against: at the recorded pace, for games with a clock of their own");
  replay.AddOption("--allow-origin", &against.origins,
                   "With --against: origin of a page in which the game may run, besides those of this machine",
                   {.type = "ORIGIN"});
  replay.SetFooter(
      "Exit codes with --against: 0 the game says the same, 1 it does not, 2 wrong usage\n\n"
      "Examples:\n"
      "  openseat replay\n"
      "  openseat replay tic-tac-toe-k3fq2a\n"
      "  openseat replay tic-tac-toe-k3fq2a --json --after 100\n"
      "  openseat replay magnificent-platypus --as Alex\n"
      "  openseat replay run1 --game 17 --as 0\n"
      "  openseat replay my-game-k3fq2a --against ws://127.0.0.1:8000 --run ./my_game");
  replay.SetRun([flags] {
    flags->against.json = flags->json;
    return RunReplay(*flags);
  });
}

}  // namespace openseat::app
