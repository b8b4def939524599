#include "app/data_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/log.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

// Neither another user's, nor one that everyone uses, such as /tmp, nor one full of other files.
bool IsOurs(const fs::path& dir, const struct stat& status) {
  if (status.st_uid != geteuid() || (status.st_mode & S_ISVTX) != 0) return false;
  std::error_code error;
  return fs::exists(dir / "openseat.db", error) || fs::exists(dir / "registry.db", error) || fs::is_empty(dir, error);
}

}  // namespace

Result<void> OpenDataDir(const std::string& path) {
  const fs::path dir(path);
  const auto fail = [&](const std::string& why) {
    return Fail(ErrorCode::kIo, "cannot make the data directory " + path + ": " + why, path);
  };
  std::error_code error;
  if (dir.has_parent_path()) fs::create_directories(dir.parent_path(), error);
  if (error) return fail(error.message());
  if (mkdir(path.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return fail(std::strerror(errno));
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return fail(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return fail("a file has that name");
  if ((status.st_mode & 077) == 0) return {};
  if (!IsOurs(dir, status) || chmod(path.c_str(), 0700) != 0) {
    log::Warn(
        "other users of this machine can read {}, which keeps tokens' hashes, decks and everything that is played",
        path);
  }
  return {};
}

}  // namespace openseat::app
