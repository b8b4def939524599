#include "store/journal_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "base/log.h"
#include "base/text.h"
#include "store/database_file.h"
#include "store/journal_format.h"
#include "store/journal_mark.h"

namespace openseat::store {
namespace {

// Each log page costs a call and a header: few large ones are cheaper.
constexpr DatabaseFormat kJournal{.name = "journal",
                                  .application_id = kApplicationId,
                                  .version = kSchemaVersion,
                                  .page_size = 16384,
                                  .schema = kSchema,
                                  .indexes = kIndexes,
                                  .shrinks = true};

}  // namespace

Result<Database> OpenJournalForWriting(const std::string& path) {
  return OpenForWriting(kJournal, path);
}

Result<Database> OpenJournalForReading(const std::string& path) {
  return OpenForReading(kJournal, path);
}

Result<std::uint64_t> HighestChunk(Database& database) {
  const Result<std::int64_t> highest = database.QueryInt(
      "SELECT max(coalesce((SELECT max(id) FROM chunks), 0), "
      "coalesce((SELECT chunk FROM marks WHERE table_key = 0 AND last_seq = 0), 0))");
  if (!highest) return Fail(highest.error());
  return static_cast<std::uint64_t>(*highest);
}

Result<void> CheckMark(const std::string& path) {
  const std::string mark_path = path + kMarkSuffix;
  const Result<std::optional<JournalMark>> mark = ReadMark(mark_path);
  if (!mark && mark.error().code == ErrorCode::kParse) {
    log::Warn("journal: {}, so lost events cannot be detected", mark.error().message);
    return {};
  }
  if (!mark) return Fail(mark.error());
  if (!*mark || (*mark)->last_chunk == 0) return {};
  const auto lost = [&](const std::string& what) {
    return Fail(
        ErrorCode::kParse,
        "the journal \"" + path + "\" " + what + ", but by " + FormatIso8601((*mark)->at) + " " +
            std::to_string((*mark)->last_chunk) + " had been acknowledged (\"" + mark_path +
            "\"). The files were not changed. `openseat journal verify` checks them. Replace them with a backup, "
            "or, to continue with what is there, delete \"" +
            mark_path + "\"",
        path);
  };
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return lost("is gone");
    return Fail(ErrorCode::kIo, "cannot open the journal \"" + path + "\": " + SystemMessage(errno), path);
  }
  if (S_ISREG(status.st_mode) && status.st_size == 0) return lost("is empty");
  Result<Database> database = OpenJournalForReading(path);
  if (!database) {
    const ErrorCode code = database.error().code;
    if (code != ErrorCode::kInvalid && code != ErrorCode::kParse) return Fail(database.error());
    return lost("cannot be read (" + database.error().message + ")");
  }
  database->KeepLogOnClose(true);
  const Result<std::uint64_t> highest = HighestChunk(*database);
  if (!highest) return OpenFailure(kJournal, path, highest.error());
  if (*highest >= (*mark)->last_chunk) return {};
  return lost("has " + std::to_string(*highest) + " chunks of events");
}

}  // namespace openseat::store
