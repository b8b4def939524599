#include "app/past_games.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "app/config.h"
#include "app/games.h"
#include "app/script_shelf.h"
#include "arena/game_record.h"
#include "arena/run_folder.h"
#include "match/invite.h"
#include "match/match_events.h"
#include "match/past.h"
#include "match/replay.h"
#include "store/journal_format.h"
#include "store/sqlite_journal.h"

namespace openseat::app {
namespace {

constexpr std::size_t kMaxPastEvents = 1'000'000;
constexpr std::size_t kTablesPage = 500;

using VisitGame = std::function<Result<void>(const PastGame& game)>;

// "random:seed=7": as the command line names it, without what the server adds for seats that are played from outside.
std::string AgentText(const AgentSpec& spec) {
  std::string text = spec.kind;
  char between = ':';
  for (const auto& option : spec.options) {
    const json::Value& value = option.value();
    if (json::KeyOf(option).ends_with("_sha256") || json::KeyOf(option) == "target") continue;
    text += between;
    text.append(json::KeyOf(option)).append("=");
    text += value.is_string() ? std::string(json::View(value.get_string())) : json::Write(value);
    between = ',';
  }
  return text;
}

Result<void> VisitRun(const PastFlags& flags, const VisitGame& visit) {
  const Result<std::vector<arena::GameLine>> lines = arena::ReadGameLines(flags.source);
  if (!lines) return Fail(lines.error());
  const Result<arena::LineFile> replays = arena::LineFile::Open(flags.source + "/" + arena::kReplaysFile, false);
  if (!replays) return Fail(replays.error());
  bool found = false;
  for (const arena::GameLine& line : *lines) {
    if (flags.one_game && line.game != flags.game) continue;
    found = true;
    Result<arena::RecordedGame> recorded = arena::ReadReplay(*replays, line.game, arena::LineFile::kMaxLine);
    if (!recorded) return Fail(recorded.error());
    const Game* game = FindGame(recorded->game_id);
    if (game == nullptr) return Fail(ErrorCode::kInvalid, "the game \"" + recorded->game_id + "\" is not known here");
    const PastGame past{recorded->table, game, std::move(recorded->events), line.game, line.seats};
    if (Result<void> visited = visit(past); !visited) return visited;
  }
  if (found || !flags.one_game) return {};
  return Fail(ErrorCode::kInvalid, "the run in " + flags.source + " has no game " + std::to_string(flags.game), "game");
}

Result<std::unique_ptr<Journal>> OpenJournal(const PastFlags& flags) {
  const std::string dir = flags.data_dir.empty() ? DefaultDataDir() : flags.data_dir;
  return store::SqliteJournal::OpenReadOnly(dir + "/" + store::kJournalFileName);
}

// Oldest first. Without their openings, which would fill the memory.
Result<std::vector<TableId>> AllTables(Journal& journal) {
  std::vector<TableId> tables;
  for (std::uint64_t before = Journal::kNewest;;) {
    const Result<std::vector<TableRecord>> page = journal.Tables(kTablesPage, before);
    if (!page) return Fail(page.error());
    for (const TableRecord& table : *page) {
      before = table.number;
      tables.push_back(table.id);
    }
    if (page->size() < kTablesPage) break;
  }
  std::ranges::reverse(tables);
  return tables;
}

Result<void> VisitTable(Journal& journal, const PastFlags& flags, const TableRecord& record, std::uint64_t number,
                        bool named, const VisitGame& visit) {
  const std::optional<std::string> hosted = HostedGameOf(record.opened_payload);
  const Game* game = hosted ? FindRecordedGame(flags.data_dir, *hosted) : nullptr;
  if (game == nullptr && !named) return {};
  if (game == nullptr) {
    return Fail(ErrorCode::kInvalid, hosted ? "the game \"" + *hosted + "\" is not known here"
                                            : "the rules of this table's game run elsewhere, so its past is unknown");
  }
  Result<std::vector<StoredEvent>> events = ReadPast(journal, record.id, kMaxPastEvents);
  if (!events) return Fail(events.error());
  PastGame past{record.id, game, std::move(*events), number, {}};
  for (const auto& [seat, agent] : AgentsBySeat(past.events)) {
    past.agents.resize(std::size_t{seat} + 1);
    past.agents[seat] = AgentText(agent);
  }
  return visit(past);
}

}  // namespace

bool PastFlags::of_run() const {
  std::error_code error;
  return !source.empty() && std::filesystem::exists(source + "/" + arena::kRunFile, error);
}

void AddPastOptions(cli::Command& command, PastFlags& flags) {
  command.AddOption("source", &flags.source,
                    "A recorded table, or the folder of a run; `openseat replay` lists the tables",
                    {.type = "TABLE|DIR"});
  command.AddOption("--game", &flags.game, "With a run's folder: only the game with this number",
                    {.type = "N", .given = &flags.one_game});
  command.AddOption("--data-dir", &flags.data_dir, "The server's data directory (default ~/.local/share/openseat)",
                    {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
}

Result<void> VisitPastGames(const PastFlags& flags, const VisitGame& visit) {
  if (flags.of_run()) return VisitRun(flags, visit);
  if (flags.one_game) return Fail(ErrorCode::kInvalid, "--game needs the folder of a run", "game");
  const Result<std::unique_ptr<Journal>> journal = OpenJournal(flags);
  if (!journal) return Fail(ErrorCode::kInvalid, journal.error().message);
  if (!flags.source.empty()) {
    const Result<TableRecord> record = (*journal)->Find(ParseMatchName(flags.source).id);
    if (!record && record.error().code == ErrorCode::kNotFound) {
      return Fail(ErrorCode::kInvalid, record.error().message + "; `openseat replay` lists the tables");
    }
    if (!record) return Fail(record.error());
    return VisitTable(**journal, flags, *record, 0, true, visit);
  }
  const Result<std::vector<TableId>> tables = AllTables(**journal);
  if (!tables) return Fail(tables.error());
  for (std::size_t number = 0; number < tables->size(); ++number) {
    const Result<TableRecord> record = (*journal)->Find((*tables)[number]);
    if (!record && record.error().code == ErrorCode::kNotFound) continue;  // deleted meanwhile
    if (!record) return Fail(record.error());
    if (Result<void> visited = VisitTable(**journal, flags, *record, number, false, visit); !visited) return visited;
  }
  return {};
}

Result<PastGame> OnePastGame(const PastFlags& flags) {
  if (flags.source.empty()) {
    return Fail(ErrorCode::kInvalid, "give a table or the folder of a run; `openseat replay` lists the tables");
  }
  std::optional<PastGame> one;
  const Result<void> visited = VisitPastGames(flags, [&](const PastGame& game) -> Result<void> {
    if (one) return Fail(ErrorCode::kInvalid, "the run has several games: name one with --game N", "game");
    one = game;
    return {};
  });
  if (!visited) return Fail(visited.error());
  if (!one) return Fail(ErrorCode::kInvalid, "the run in " + flags.source + " has no games");
  return std::move(*one);
}

}  // namespace openseat::app
