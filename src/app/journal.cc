#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/audit_log.h"
#include "app/commands.h"
#include "app/config.h"
#include "app/run_report.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "store/journal_tools.h"

namespace openseat::app {
namespace {

struct JournalFlags {
  std::string data_dir;
  std::string target;
  std::string older_than;
  bool dry_run = false;
  bool json = false;

  std::string Dir() const { return data_dir.empty() ? DefaultDataDir() : data_dir; }
};

// Progress on a terminal: one line that is overwritten.
class ProgressLine {
 public:
  explicit ProgressLine(bool json) : shown_(!json && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  store::ToolProgress Callback() {
    if (!shown_) return {};
    return [this](std::string_view what, std::uint64_t done, std::uint64_t total) {
      const Instant now = clock_.Monotonic();
      if (used_ && what == what_ && now - last_ < std::chrono::milliseconds(100)) return;
      used_ = true;
      last_ = now;
      what_ = what;
      std::string line = what_;
      if (total != 0) {
        line += ": " + std::to_string(done) + " of " + std::to_string(total) + " (" +
                std::to_string(done * 100 / total) + " %)";
      } else if (done != 0) {
        line += ": " + std::to_string(done);
      }
      std::fprintf(stderr, "\r\033[K%s", line.c_str());
    };
  }
  void Clear() {
    if (std::exchange(used_, false)) std::fputs("\r\033[K", stderr);
  }

 private:
  const bool shown_;
  const SystemClock clock_;
  bool used_ = false;
  std::string what_;
  Instant last_;
};

std::string SizeText(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

int JournalFailure(const Error& error) {
  PrintError(error.message);
  const bool usage = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalid;
  return usage ? kUsage : kFailed;
}

int RunBackup(const JournalFlags& flags) {
  ProgressLine progress(flags.json);
  const auto copied = store::BackUp(flags.Dir(), flags.target, progress.Callback());
  progress.Clear();
  if (!copied) return JournalFailure(copied.error());
  json::Array files;
  for (const store::CopiedFile& file : *copied) {
    files.push_back(json::Object{{"path", file.path}, {"bytes", file.bytes}});
    if (!flags.json) std::printf("%s  %s\n", file.path.c_str(), SizeText(file.bytes).c_str());
  }
  if (flags.json) std::puts(json::Write(json::Object{{"files", std::move(files)}}).c_str());
  return kDone;
}

int RunVerify(const JournalFlags& flags) {
  ProgressLine progress(flags.json);
  const Result<store::VerifyReport> report = store::Verify(flags.Dir(), progress.Callback());
  progress.Clear();
  if (!report) return JournalFailure(report.error());
  const bool whole = report->findings.empty();
  if (flags.json) {
    json::Object out{{"ok", whole},
                     {"tables", report->tables},
                     {"open_tables", report->open_tables},
                     {"chunks", report->chunks},
                     {"events", report->events}};
    if (report->mark) {
      out["mark"] = json::Object{{"chunk", report->mark->last}, {"time", FormatIso8601(report->mark->at)}};
    }
    json::Array findings;
    for (const std::string& finding : report->findings) findings.emplace_back(finding);
    out["findings"] = std::move(findings);
    std::puts(json::Write(out).c_str());
  } else {
    for (const std::string& finding : report->findings) std::printf("DAMAGE  %s\n", Printable(finding).c_str());
    std::printf("%s: %s (%llu open), %s in %s\n", whole ? "all is well" : "there is damage",
                Counted(report->tables, "table").c_str(), static_cast<unsigned long long>(report->open_tables),
                Counted(report->events, "event").c_str(), Counted(report->chunks, "chunk").c_str());
    if (!report->mark)
      std::puts("the mark of what was acknowledged is missing, so it is unknown whether the end is complete");
  }
  return whole ? kDone : kFailed;
}

// The tables are deleted, even if the audit log cannot be written.
void RecordPrune(const JournalFlags& flags, const store::PruneReport& report) {
  if (report.tables == 0) return;
  const Result<void> written =
      AuditCommand(flags.Dir(), "openseat journal prune --older-than " + flags.older_than + ": " +
                                    Counted(report.tables, "table") + " with " + Counted(report.events, "event"));
  if (!written) PrintError(written.error().message);
}

int RunPrune(const JournalFlags& flags) {
  std::optional<Time> before;
  if (!flags.older_than.empty()) {
    const Result<Duration> age = ParseAge(flags.older_than);
    if (!age) return JournalFailure(age.error());
    before = SystemClock().Now() - *age;
  }
  ProgressLine progress(flags.json);
  const Result<store::PruneReport> report =
      store::Prune(flags.Dir(), before, flags.dry_run, progress.Callback(),
                   [&flags](const store::PruneReport& so_far) { RecordPrune(flags, so_far); });
  progress.Clear();
  if (!report) return JournalFailure(report.error());
  if (flags.json) {
    json::Array names;
    for (const TableId& name : report->names) names.emplace_back(name.str());
    std::puts(json::Write(json::Object{{"dry_run", flags.dry_run},
                                       {"tables", report->tables},
                                       {"events", report->events},
                                       {"names", std::move(names)},
                                       {"bytes_before", report->bytes_before},
                                       {"bytes_after", report->bytes_after},
                                       {"bytes_free", report->free_bytes}})
                  .c_str());
    return kDone;
  }
  if (flags.dry_run) {
    for (const TableId& name : report->names) std::puts(Printable(name.str()).c_str());
    std::printf("%s with %s would be forgotten\n", Counted(report->tables, "closed table").c_str(),
                Counted(report->events, "event").c_str());
    return kDone;
  }
  if (report->tables == 0 && report->bytes_after >= report->bytes_before) {
    std::printf("nothing to forget; the journal has %s\n", SizeText(report->bytes_after).c_str());
  } else {
    std::printf("%s with %s forgotten; the journal has %s; it had %s before\n",
                Counted(report->tables, "table").c_str(), Counted(report->events, "event").c_str(),
                SizeText(report->bytes_after).c_str(), SizeText(report->bytes_before).c_str());
  }
  if (report->free_bytes > 0) {
    std::printf("%s of it are free for new events; run this while no server runs to return them to the disk\n",
                SizeText(report->free_bytes).c_str());
  }
  return kDone;
}

}  // namespace

void AddJournal(cli::Command program) {
  auto flags = std::make_shared<JournalFlags>();
  cli::Command journal = program.AddCommand(
      "journal", "Backs up the journal, checks it, and forgets old tables, even while the server runs");
  const auto add = [&](const char* name, const char* description, int (*action)(const JournalFlags&)) {
    cli::Command command = journal.AddCommand(name, description);
    command.AddOption("--data-dir", &flags->data_dir, "The server's data directory (default ~/.local/share/openseat)",
                      {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
    command.AddOption("--json", &flags->json, "One JSON object, for programs");
    command.SetRun([flags, action] { return action(*flags); });
    return command;
  };
  cli::Command backup = add("backup", "Copies the journal and the registry as of one moment", RunBackup);
  backup.AddOption("dir", &flags->target, "Directory for the copies; made if it is missing",
                   {.type = "DIR", .required = true});
  backup.SetFooter(
      "The copies are whole databases: to restore them, put them and their mark files into an\n"
      "empty data directory. An existing backup in DIR is replaced once the new one is complete.\n"
      "\n"
      "Examples:\n"
      "  openseat journal backup /var/backups/openseat\n"
      "  openseat journal verify --data-dir /var/backups/openseat\n"
      "\n"
      "Exit codes: 0 done, 1 writing failed, 2 wrong usage");
  cli::Command verify = add("verify", "Reads the whole journal and registry, and reports damage", RunVerify);
  verify.SetFooter(
      "Checks every page and every checksum, each table's numbers, and whether both have everything that they\n"
      "acknowledged. Changes nothing.\n"
      "\n"
      "Examples:\n"
      "  openseat journal verify\n"
      "  openseat journal verify --data-dir /var/backups/openseat --json\n"
      "\n"
      "Exit codes: 0 all is well, 1 there is damage, 2 wrong usage");
  cli::Command prune = add("prune", "Forgets closed tables, and frees their space", RunPrune);
  prune.AddOption("--older-than", &flags->older_than,
                  "Forget tables whose last event is older than this: 4w, 30d, 12h, 90m, 45s", {.type = "AGE"});
  prune.AddOption("--dry-run", &flags->dry_run, "Only say which tables those are");
  prune.SetFooter(
      "Only closed tables are forgotten: an open match may rest for years. Without --older-than nothing is forgotten,\n"
      "but space that is already free is returned to the disk. A running server does the same by itself with\n"
      "`[journal] keep` in its config file.\n"
      "\n"
      "Examples:\n"
      "  openseat journal prune --older-than 30d --dry-run\n"
      "  openseat journal prune --older-than 12h --data-dir /var/lib/openseat\n"
      "\n"
      "Exit codes: 0 done, 1 writing failed, 2 wrong usage");
  journal.SetFooter(
      "Examples:\n"
      "  openseat journal backup /var/backups/openseat\n"
      "  openseat journal verify\n"
      "  openseat journal prune --older-than 30d --dry-run");
}

}  // namespace openseat::app
