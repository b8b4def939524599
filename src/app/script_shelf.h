// ScriptShelf: the games of a server that are written as scripts: those of a folder (`openseat serve --games`), which
// it reads again when its files change, and those that the operator uploaded, which are in the registry, in a cluster
// for all nodes. docs/scripts.md says which version is offered when. Of each version there is a copy in the data
// directory; one that was loaded stays in memory as long as the shelf, since matches may be played by it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/game.h"
#include "core/registry.h"
#include "games/script/script.h"
#include "match/game_list.h"

namespace openseat::app {

class ScriptShelf {
 public:
  enum class From : std::uint8_t { kFolder, kUpload };
  struct Listed {
    const Game* game = nullptr;
    From from = From::kFolder;
    std::string file;     // the script's name in the folder, or as it was uploaded
    std::string problem;  // why a newer file is not offered; "" if nothing is wrong
  };
  // Of a script that no offered game came from.
  struct Problem {
    From from = From::kFolder;
    std::string file;
    std::string problem;
  };
  struct Listing {
    std::vector<Listed> games;
    std::vector<Problem> problems;
  };

  // Of all versions that were loaded since the start.
  static constexpr std::size_t kMostVersions = 500;

  // `folder` may be ""; `kept` is DATA_DIR/games; `taken` says which ids belong to other games. Loads the scripts of
  // the folder, as Refresh does, and what matches in the journal may need. Errors: kNotFound or kTooLarge for the
  // folder.
  static Result<std::unique_ptr<ScriptShelf>> Open(std::string folder, std::string kept,
                                                   std::function<bool(std::string_view)> taken);

  // From now on `list`, which is gone before the shelf, offers these games. Once.
  void Serve(GameList& list);

  const std::string& folder() const { return folder_; }
  Listing List() const;  // any thread
  // nullopt if no script of that id is offered. Any thread.
  std::optional<Listed> Find(std::string_view id) const;

  // Whether files of that id may be uploaded. Errors: kConflict. Any thread.
  Result<void> CheckUpload(const std::string& id) const;

  // Whether the game of that id may be removed. Errors: kNotFound, kConflict if it is one of the folder. Any thread.
  Result<void> CheckRemove(const std::string& id) const;

  // The rest is called by one thread at a time, which reads and writes the disk, and waits for the registry.

  // Offers what is uploaded there. It outlives the shelf. What an earlier program kept as uploaded only in the data
  // directory is taken over. Once, after Serve, and before the calls below. Errors: the registry's.
  Result<void> UseRegistry(Registry& registry);
  // Offers what is uploaded, and has copies of all versions of it. `latest`: as Registry::ListGames. Errors: the
  // registry's, kIo.
  Result<void> Sync(bool latest);

  // Looks whether the folder has changed, and offers what is new. What is wrong is logged, and in the listing.
  void Refresh();
  // Uploads the game of these files, which were checked. Whether it is the first of its id. Errors: CheckUpload's, kIo,
  // the registry's.
  Result<bool> Upload(const Game& checked);
  // The game is not offered any more; its versions are kept. Errors: CheckRemove's, the registry's.
  Result<void> Remove(const std::string& id);
  // Forgets the versions of a game that was removed, except those that matches need.
  void Forget(const std::string& id, const std::set<int>& needed);

 private:
  ScriptShelf(std::string folder, std::string kept, std::function<bool(std::string_view)> taken);
  // Makes the game of a script, or finds it among those made before. Errors: the script's, kTooLarge, kIo.
  Result<const Game*> Load(std::vector<games::ScriptFile> files);
  Result<const Game*> LoadPath(const std::string& path);
  const Game* OfVersion(const std::string& id, int version);
  // From the copies of that version, or of another one that is this one under this engine; nullptr if there is none.
  std::unique_ptr<const Game> MakeKept(const std::string& id, int version) const;
  // Finds a game of this id for matches that may have been played by it.
  void LoadKept(const std::string& id);
  // What an earlier program kept of an uploaded game. Errors: the registry's.
  Result<void> TakeOver(const std::string& id, const std::vector<StoredGame>& stored);
  Result<void> Save(const std::string& id, int version, const std::vector<games::ScriptFile>& files);
  Result<void> KeepStored(const StoredGame& stored);
  void OfferStored(const StoredGame& stored);
  // REQUIRES that the game's id is free, or was offered from the same file.
  void Offer(const Game& game, From from, std::string file);
  void RefreshAll(const std::vector<std::string>& paths);
  // `imported`: another script of the folder imports the file, so it need not be a game.
  void RefreshOne(const std::string& path, bool imported);
  // Of the folder's games, those of other files than these are not offered any more. Whether there are any.
  bool WithdrawAllBut(const std::set<std::string>& files);
  void Withdraw(const std::string& id);
  std::string UploadMark(const std::string& id) const;

  const std::string folder_;
  const std::string kept_;
  const std::function<bool(std::string_view)> taken_;
  Registry* registry_ = nullptr;
  std::map<std::string, int> uploaded_;  // the version of each uploaded game that was offered, or is wrong
  std::string stamp_;
  std::map<std::string, std::vector<games::ScriptFile>> seen_;  // of each path, as it was read last

  mutable std::mutex mutex_;  // of what follows
  // nullptr: it was not kept, or is another version under this engine.
  std::map<std::pair<std::string, int>, std::unique_ptr<const Game>> loaded_;
  std::map<std::string, Listed, std::less<>> offered_;        // by id
  std::map<std::string, const Game*> withdrawn_;              // for matches that were begun before the start
  std::map<std::pair<From, std::string>, Problem> problems_;  // by file; of uploads, which may share one, by id
  GameList* list_ = nullptr;
};

// The game of that id for what is recorded in a data directory ("": the default one): one of the program, or a script
// that was kept there. It lives as long as the process; nullptr if there is none. One thread at a time.
const Game* FindRecordedGame(const std::string& data_dir, const std::string& id);

}  // namespace openseat::app
