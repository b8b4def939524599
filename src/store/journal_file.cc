#include "store/journal_file.h"

#include "store/database_file.h"
#include "store/journal_format.h"

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
constexpr MarkedFormat kMarkedJournal{
    .format = &kJournal, .header = kMarkHeader, .counted = "chunks of events", .count = HighestChunk};

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

Result<void> CheckJournalMark(const std::string& path) {
  return CheckMark(kMarkedJournal, path, path + kMarkSuffix);
}

Result<std::optional<Mark>> ReadJournalMark(const std::string& path) {
  return ReadMark(kMarkedJournal, path + kMarkSuffix);
}

Result<MarkFile> OpenJournalMark(const std::string& path) {
  return MarkFile::Open(kMarkedJournal, path + kMarkSuffix, path);
}

}  // namespace openseat::store
