// FaultyVfs, for tests: SQLite's view of the files. Calls can be made to fail, and it knows what could
// be left after a power cut: everything synced, and any part of the rest.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace openseat::store {

// SQLite's default while it exists. One at a time; its functions may be called from any thread.
class FaultyVfs {
 public:
  // The contents of the disk at one moment.
  struct Disk {
    struct Change {
      std::uint64_t at;
      std::string bytes;  // written there; or, if `cut`, the file ends there
      bool cut;
    };
    struct File {
      std::string synced;
      std::vector<Change> unsynced;
    };
    std::map<std::string, File> files;  // by name, without the directory
  };

  FaultyVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    vfs_.iVersion = 1;
    vfs_.zName = "faulty";
    vfs_.pNext = nullptr;
    vfs_.pAppData = this;
    vfs_.szOsFile = static_cast<int>(sizeof(OpenFile)) + real_->szOsFile;
    vfs_.xOpen = Open;
    vfs_.xDelete = [](sqlite3_vfs* vfs, const char* name, int sync) { return Of(vfs).Delete(name, sync); };
    vfs_.xAccess = [](sqlite3_vfs* vfs, const char* name, int flags, int* out) {
      FaultyVfs& self = Of(vfs);
      return self.Fails() ? SQLITE_IOERR_ACCESS : self.real_->xAccess(self.real_, name, flags, out);
    };
    vfs_.xFullPathname = [](sqlite3_vfs* vfs, const char* name, int size, char* out) {
      return Of(vfs).real_->xFullPathname(Of(vfs).real_, name, size, out);
    };
    vfs_.xGetLastError = [](sqlite3_vfs* vfs, int size, char* out) {
      return Of(vfs).real_->xGetLastError(Of(vfs).real_, size, out);
    };
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FaultyVfs() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
  }
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  // From now on, call number N (counting from 1) fails; with `for_long`, so do all after it until Heal.
  void FailAt(std::uint64_t call, bool for_long) {
    const std::lock_guard lock(mutex_);
    calls_ = 0;
    fail_at_ = call;
    for_long_ = for_long;
  }
  void Heal() {
    const std::lock_guard lock(mutex_);
    fail_at_ = 0;
  }
  // Calls since FailAt.
  std::uint64_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  // Called before every call that changes or syncs a file, with what is guaranteed to be on the disk.
  void Watch(std::function<void(const Disk&)> watch) {
    const std::lock_guard lock(mutex_);
    watch_ = std::move(watch);
  }

  // Writes to `directory` what a power cut could leave of `disk`: everything synced, and any part of the rest, in
  // any order, possibly with a torn last sector.
  static void WriteWhatIsLeft(const Disk& disk, const std::filesystem::path& directory, std::minstd_rand& random) {
    const auto mood = random() % 4;  // of the unsynced writes: none, all, a prefix, or any subset
    for (const auto& [name, file] : disk.files) {
      std::string left = file.synced;
      const std::size_t upto = mood == 2 ? random() % (file.unsynced.size() + 1) : file.unsynced.size();
      for (std::size_t i = 0; i < upto; ++i) {
        Disk::Change change = file.unsynced[i];
        if (mood == 0 || (mood == 3 && random() % 2 == 0)) continue;
        constexpr std::size_t kSector = 512;
        if (mood == 3 && !change.cut && random() % 2 == 0) {
          change.bytes.resize(change.bytes.size() / kSector / 2 * kSector);
        }
        Apply(change, left);
      }
      std::ofstream(directory / name, std::ios::binary) << left;
    }
  }

 private:
  struct OpenFile {
    sqlite3_file base;
    FaultyVfs* vfs;
    const std::string* name;  // null: not watched
    sqlite3_file* real;
  };

  static FaultyVfs& Of(sqlite3_vfs* vfs) { return *static_cast<FaultyVfs*>(vfs->pAppData); }
  static OpenFile& Of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }

  static void Apply(const Disk::Change& change, std::string& bytes) {
    if (change.cut) {
      bytes.resize(change.at);
      return;
    }
    bytes.resize(std::max<std::size_t>(bytes.size(), change.at + change.bytes.size()));
    bytes.replace(change.at, change.bytes.size(), change.bytes);
  }

  bool Fails() {
    const std::lock_guard lock(mutex_);
    if (fail_at_ == 0) return false;
    ++calls_;
    if (calls_ != fail_at_ && !(for_long_ && calls_ > fail_at_)) return false;
    return true;
  }
  void Tell() {
    const std::lock_guard lock(mutex_);
    if (watch_) watch_(disk_);
  }
  void Change(const std::string* name, Disk::Change change) {
    if (name == nullptr) return;
    const std::lock_guard lock(mutex_);
    disk_.files[*name].unsynced.push_back(std::move(change));
  }

  int Delete(const char* name, int sync) {
    if (Fails()) return SQLITE_IOERR_DELETE;
    Tell();
    const int code = real_->xDelete(real_, name, sync);
    const std::lock_guard lock(mutex_);
    if (code == SQLITE_OK) disk_.files.erase(std::filesystem::path(name).filename().string());
    return code;
  }

  static int Open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
    FaultyVfs& self = Of(vfs);
    OpenFile& open = Of(file);
    open.base.pMethods = nullptr;
    if (self.Fails()) return SQLITE_CANTOPEN;
    open.vfs = &self;
    open.name = nullptr;
    open.real = reinterpret_cast<sqlite3_file*>(&open + 1);
    const int code = self.real_->xOpen(self.real_, name, open.real, flags, out_flags);
    if (open.real->pMethods == nullptr) return code;
    open.base.pMethods = &Methods();
    if (name == nullptr || code != SQLITE_OK) return code;
    const std::filesystem::path path(name);
    const std::lock_guard lock(self.mutex_);
    const auto [entry, fresh] = self.disk_.files.try_emplace(path.filename().string());
    if (fresh) {
      std::ifstream in(path, std::ios::binary);
      entry->second.synced.assign(std::istreambuf_iterator<char>(in), {});
    }
    open.name = &entry->first;
    return code;
  }

  static int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
    OpenFile& open = Of(file);
    if (open.vfs->Fails()) return SQLITE_FULL;
    open.vfs->Tell();
    const int code = open.real->pMethods->xWrite(open.real, bytes, size, at);
    if (code == SQLITE_OK) {
      open.vfs->Change(open.name,
                       {static_cast<std::uint64_t>(at),
                        std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)), false});
    }
    return code;
  }
  static int Truncate(sqlite3_file* file, sqlite3_int64 size) {
    OpenFile& open = Of(file);
    if (open.vfs->Fails()) return SQLITE_IOERR_TRUNCATE;
    open.vfs->Tell();
    const int code = open.real->pMethods->xTruncate(open.real, size);
    if (code == SQLITE_OK) open.vfs->Change(open.name, {static_cast<std::uint64_t>(size), {}, true});
    return code;
  }
  static int Sync(sqlite3_file* file, int) {
    OpenFile& open = Of(file);
    if (open.vfs->Fails()) return SQLITE_IOERR_FSYNC;
    open.vfs->Tell();
    // The machine keeps its power, so nothing is really synced.
    const std::lock_guard lock(open.vfs->mutex_);
    if (open.name == nullptr) return SQLITE_OK;
    Disk::File& kept = open.vfs->disk_.files[*open.name];
    for (const Disk::Change& change : std::exchange(kept.unsynced, {})) Apply(change, kept.synced);
    return SQLITE_OK;
  }

  static const sqlite3_io_methods& Methods() {
    static const sqlite3_io_methods methods = [] {
      sqlite3_io_methods out{};
      out.iVersion = 2;  // no mapped pages: all writes pass through here
      out.xClose = [](sqlite3_file* file) { return Of(file).real->pMethods->xClose(Of(file).real); };
      out.xRead = [](sqlite3_file* file, void* bytes, int size, sqlite3_int64 at) {
        if (Of(file).vfs->Fails()) return SQLITE_IOERR_READ;
        return Of(file).real->pMethods->xRead(Of(file).real, bytes, size, at);
      };
      out.xWrite = Write;
      out.xTruncate = Truncate;
      out.xSync = Sync;
      out.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
        if (Of(file).vfs->Fails()) return SQLITE_IOERR_FSTAT;
        return Of(file).real->pMethods->xFileSize(Of(file).real, size);
      };
      out.xLock = [](sqlite3_file* file, int level) {
        if (Of(file).vfs->Fails()) return SQLITE_IOERR_LOCK;
        return Of(file).real->pMethods->xLock(Of(file).real, level);
      };
      out.xUnlock = [](sqlite3_file* file, int level) {
        return Of(file).real->pMethods->xUnlock(Of(file).real, level);
      };
      out.xCheckReservedLock = [](sqlite3_file* file, int* held) {
        return Of(file).real->pMethods->xCheckReservedLock(Of(file).real, held);
      };
      out.xFileControl = [](sqlite3_file* file, int what, void* argument) {
        return Of(file).real->pMethods->xFileControl(Of(file).real, what, argument);
      };
      out.xSectorSize = [](sqlite3_file* file) { return Of(file).real->pMethods->xSectorSize(Of(file).real); };
      out.xDeviceCharacteristics = [](sqlite3_file* file) {
        return Of(file).real->pMethods->xDeviceCharacteristics(Of(file).real);
      };
      out.xShmMap = [](sqlite3_file* file, int page, int size, int extend, void volatile** out_page) {
        if (Of(file).vfs->Fails()) return SQLITE_IOERR_SHMMAP;
        return Of(file).real->pMethods->xShmMap(Of(file).real, page, size, extend, out_page);
      };
      out.xShmLock = [](sqlite3_file* file, int offset, int count, int flags) {
        return Of(file).real->pMethods->xShmLock(Of(file).real, offset, count, flags);
      };
      out.xShmBarrier = [](sqlite3_file* file) { Of(file).real->pMethods->xShmBarrier(Of(file).real); };
      out.xShmUnmap = [](sqlite3_file* file, int remove) {
        return Of(file).real->pMethods->xShmUnmap(Of(file).real, remove);
      };
      return out;
    }();
    return methods;
  }

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  mutable std::mutex mutex_;
  std::uint64_t calls_ = 0;
  std::uint64_t fail_at_ = 0;  // 0: none
  bool for_long_ = false;
  std::function<void(const Disk&)> watch_;
  Disk disk_;
};

}  // namespace openseat::store
