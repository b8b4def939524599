#include "store/registry_file.h"

#include <filesystem>

#include "store/registry_format.h"

namespace openseat::store {
namespace {

constexpr DatabaseFormat kRegistry{.name = "registry",
                                   .application_id = kRegistryApplicationId,
                                   .version = kRegistryVersion,
                                   .page_size = 4096,
                                   .schema = kRegistrySchema,
                                   .indexes = kRegistryIndexes,
                                   .upgrades = kRegistryUpgrades};
constexpr MarkedFormat kMarkedRegistry{
    .format = &kRegistry, .header = kRegistryMarkHeader, .counted = "changes", .count = RegistryChanges};

}  // namespace

const DatabaseFormat& RegistryFormat() {
  return kRegistry;
}

Result<Database> OpenRegistryForReading(const std::string& path) {
  return OpenForReading(kRegistry, path);
}

Result<std::uint64_t> RegistryChanges(Database& database) {
  // An early version has no such table.
  const Result<std::int64_t> counts =
      database.QueryInt("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'shared'");
  if (!counts) return Fail(counts.error());
  if (*counts == 0) return std::uint64_t{0};
  const Result<std::int64_t> changes = database.QueryInt(kChanges);
  if (!changes) return Fail(changes.error());
  return static_cast<std::uint64_t>(*changes);
}

std::string RegistryMarkPath(const std::string& path) {
  return std::filesystem::path(path).replace_filename(kRegistryMarkFileName).string();
}

Result<void> CheckRegistryMark(const std::string& path) {
  return CheckMark(kMarkedRegistry, path, RegistryMarkPath(path));
}

Result<std::optional<Mark>> ReadRegistryMark(const std::string& path) {
  return ReadMark(kMarkedRegistry, RegistryMarkPath(path));
}

Result<MarkFile> OpenRegistryMark(const std::string& path) {
  return MarkFile::Open(kMarkedRegistry, RegistryMarkPath(path), path);
}

}  // namespace openseat::store
