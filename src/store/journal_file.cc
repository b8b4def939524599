#include "store/journal_file.h"

#include "store/database_file.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

// The log costs a call and a header a page: few and large is cheaper.
constexpr DatabaseFormat kJournal{.name = "journal",
                                  .application_id = kApplicationId,
                                  .version = kSchemaVersion,
                                  .page_size = 16384,
                                  .schema = kSchema};

}  // namespace

Result<Database> OpenJournalForWriting(const std::string& path, std::uint64_t max_bytes) {
  Result<Database> database = OpenForWriting(kJournal, path);
  if (!database || max_bytes == 0) return database;
  const Result<std::int64_t> page = database->QueryInt("PRAGMA page_size");
  if (!page) return OpenFailure(kJournal, path, page.error());
  const std::string sql = "PRAGMA max_page_count = " + std::to_string(max_bytes / static_cast<std::uint64_t>(*page));
  if (Result<void> set = database->Execute(sql.c_str()); !set) return OpenFailure(kJournal, path, set.error());
  return database;
}

Result<Database> OpenJournalForReading(const std::string& path) {
  return OpenForReading(kJournal, path);
}

}  // namespace openseat::store
