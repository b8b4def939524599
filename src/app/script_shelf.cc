#include "app/script_shelf.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "app/ask_registry.h"
#include "app/config.h"
#include "app/data_dir.h"
#include "app/games.h"
#include "app/script_files.h"
#include "base/file.h"
#include "base/json_document.h"
#include "base/log.h"
#include "base/text.h"
#include "games/script/script_game.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

// How the engine begins to say that a file is not a game (games/script/engine/harness.js).
constexpr std::string_view kNoInfo = "the script must export info";

bool IsId(std::string_view id) {
  return !id.empty() && id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string FileOf(const std::string& path) {
  return fs::path(path).filename().string();
}

}  // namespace

ScriptShelf::ScriptShelf(std::string folder, std::string kept, std::function<bool(std::string_view)> taken)
    : folder_(std::move(folder)), kept_(std::move(kept)), taken_(std::move(taken)) {}

Result<std::unique_ptr<ScriptShelf>> ScriptShelf::Open(std::string folder, std::string kept,
                                                       std::function<bool(std::string_view)> taken) {
  std::unique_ptr<ScriptShelf> shelf(new ScriptShelf(std::move(folder), std::move(kept), std::move(taken)));
  if (!shelf->folder_.empty()) {
    shelf->stamp_ = StampOf(shelf->folder_);
    const auto paths = ScriptsIn(shelf->folder_);
    if (!paths) return Fail(paths.error());
    shelf->RefreshAll(*paths);
  }
  for (const std::string& id : KeptGames(shelf->kept_)) shelf->LoadKept(id);
  return shelf;
}

// One version is enough: it finds the others.
void ScriptShelf::LoadKept(const std::string& id) {
  if (Find(id) || taken_(id) || withdrawn_.contains(id)) return;
  for (const int version : KeptVersions(kept_, id)) {
    auto files = ReadKept(kept_, id, version);
    const auto game = files ? Load(*std::move(files)) : tl::unexpected(files.error());
    if (!game || (*game)->info().id != id) continue;
    const std::lock_guard lock(mutex_);
    withdrawn_[id] = *game;
    if (list_ != nullptr) list_->Withdraw(id, *game);
    return;
  }
}

Result<void> ScriptShelf::UseRegistry(Registry& registry) {
  registry_ = &registry;
  const auto stored = AskRegistry<std::vector<StoredGame>>(
      [this](Scheduler& scheduler, const auto& done) { registry_->ListGames(false, scheduler, done); });
  if (!stored) return Fail(stored.error());
  for (const std::string& id : KeptGames(kept_)) {
    if (Result<void> taken = TakeOver(id, *stored); !taken) return taken;
  }
  return Sync(false);
}

Result<void> ScriptShelf::TakeOver(const std::string& id, const std::vector<StoredGame>& stored) {
  std::error_code error;
  if (!fs::exists(UploadMark(id), error)) return {};
  // Another node may have had it as well.
  if (std::ranges::find(stored, id, &StoredGame::id) == stored.end()) {
    int version = 0;
    const Result<std::string> mark = json::ReadFile(UploadMark(id), 100);
    if (mark) std::from_chars(mark->data(), mark->data() + mark->size(), version);
    const auto files = ReadKept(kept_, id, version);
    if (!files) {
      log::Error("the uploaded game {} is not offered: {}", id, PlaceAndMessage(files.error()));
      return {};
    }
    if (Result<void> saved = Save(id, version, *files); !saved) return saved;
    log::Info("{}, which was uploaded, is in the registry now", id);
  }
  fs::remove(UploadMark(id), error);
  return {};
}

Result<void> ScriptShelf::Save(const std::string& id, int version, const std::vector<games::ScriptFile>& files) {
  std::vector<StoredFile> stored;
  for (const games::ScriptFile& file : files) stored.push_back({file.name, file.text});
  const auto saved = AskRegistry<StoredGame>([&](Scheduler& scheduler, const auto& done) {
    registry_->SaveGame(id, version, std::move(stored), scheduler, done);
  });
  return saved ? Result<void>() : Fail(saved.error());
}

Result<void> ScriptShelf::Sync(bool latest) {
  const auto stored = AskRegistry<std::vector<StoredGame>>(
      [&](Scheduler& scheduler, const auto& done) { registry_->ListGames(latest, scheduler, done); });
  if (!stored) return Fail(stored.error());
  std::set<std::string> ids;
  std::set<std::string> offered;
  for (const StoredGame& game : *stored) {
    if (Result<void> kept = KeepStored(game); !kept) return kept;
    ids.insert(game.id);
    if (game.offered) offered.insert(game.id);
  }
  std::vector<std::string> gone;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(problems_, [&](const auto& problem) {
      return problem.first.first == From::kUpload && !offered.contains(problem.first.second);
    });
    for (const auto& [id, listed] : offered_) {
      if (listed.from == From::kUpload && !offered.contains(id)) gone.push_back(id);
    }
  }
  std::erase_if(uploaded_, [&](const auto& uploaded) { return !offered.contains(uploaded.first); });
  for (const std::string& id : gone) {
    Withdraw(id);
    stamp_.clear();  // a script of the folder may have waited for the id
    log::Info("{} is not offered any more: it was deleted", id);
  }
  for (const StoredGame& game : *stored) {
    if (game.offered) OfferStored(game);
  }
  for (const std::string& id : ids) LoadKept(id);
  return {};
}

Result<void> ScriptShelf::KeepStored(const StoredGame& stored) {
  if (!IsId(stored.id)) return {};
  if (IsKept(kept_, stored.id, stored.version)) return {};
  const auto files = AskRegistry<std::vector<StoredFile>>(
      [&](Scheduler& scheduler, const auto& done) { registry_->ReadGame(stored.id, stored.version, scheduler, done); });
  // It may be forgotten meanwhile.
  if (!files) return files.error().code == ErrorCode::kNotFound ? Result<void>() : Fail(files.error());
  std::vector<games::ScriptFile> copies;
  for (const StoredFile& file : *files) copies.push_back({file.name, file.text});
  Result<void> kept = KeepVersion(kept_, stored.id, stored.version, copies);
  if (!kept && kept.error().code != ErrorCode::kInvalid) return kept;
  if (!kept) log::Error("uploaded games: {}", kept.error().message);
  // What was looked for in vain may be there now.
  const std::lock_guard lock(mutex_);
  std::erase_if(loaded_, [&](const auto& each) { return each.first.first == stored.id && each.second == nullptr; });
  return {};
}

void ScriptShelf::OfferStored(const StoredGame& stored) {
  const std::string& id = stored.id;
  const auto known = uploaded_.find(id);
  if (known != uploaded_.end() && known->second == stored.version) return;
  const Result<void> may = CheckUpload(id);
  auto files = may ? ReadKept(kept_, id, stored.version) : tl::unexpected(may.error());
  const std::string file = files ? files->front().name : id;
  const auto game = files ? Load(*std::move(files)) : tl::unexpected(files.error());
  // An id that is taken may be free later; what is wrong with the files stays.
  if (may) uploaded_[id] = stored.version;
  if (game && (*game)->info().id == id) {
    Offer(**game, From::kUpload, file);
    return log::Info("{} was uploaded: new matches are played by it", id);
  }
  std::string problem = game ? "its info.id is now " + (*game)->info().id : PlaceAndMessage(game.error());
  if (!may) problem = may.error().message;
  const std::lock_guard lock(mutex_);
  if (const auto older = offered_.find(id); older != offered_.end() && older->second.from == From::kUpload) {
    older->second.problem = problem;
  }
  Problem& told = problems_[{From::kUpload, id}];
  if (told.problem == problem) return;
  told = {From::kUpload, file, problem};
  log::Error("the uploaded game {} is not offered: {}", id, problem);
}

std::string ScriptShelf::UploadMark(const std::string& id) const {
  return kept_ + "/" + id + "/uploaded";
}

void ScriptShelf::Serve(GameList& list) {
  const std::lock_guard lock(mutex_);
  list_ = &list;
  for (const auto& [id, listed] : offered_) list.Offer(*listed.game);
  for (const auto& [id, game] : withdrawn_) list.Withdraw(id, game);
}

ScriptShelf::Listing ScriptShelf::List() const {
  const std::lock_guard lock(mutex_);
  Listing listing;
  for (const auto& [id, listed] : offered_) listing.games.push_back(listed);
  for (const auto& [script, problem] : problems_) {
    const bool is_told = std::ranges::any_of(listing.games, [&problem](const Listed& each) {
      return each.from == problem.from && each.file == problem.file && !each.problem.empty();
    });
    if (!is_told) listing.problems.push_back(problem);
  }
  return listing;
}

std::optional<ScriptShelf::Listed> ScriptShelf::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = offered_.find(id);
  return found == offered_.end() ? std::nullopt : std::optional(found->second);
}

Result<const Game*> ScriptShelf::Load(std::vector<games::ScriptFile> files) {
  {
    const std::lock_guard lock(mutex_);
    if (loaded_.size() >= kMostVersions) {
      return Fail(ErrorCode::kTooLarge, "the server has loaded " + std::to_string(kMostVersions) +
                                            " versions of games since it started; restart it to load more");
    }
  }
  auto made = games::MakeScriptGame(std::move(files),
                                    [this](const std::string& id, int version) { return OfVersion(id, version); });
  if (!made) return Fail(made.error());
  const GameInfo& info = (*made)->info();
  if (taken_(info.id)) {
    return Fail(ErrorCode::kConflict,
                "a game called \"" + info.id + "\" is part of the program: give this one another info.id");
  }
  if (auto written = KeepVersion(kept_, info.id, info.rules_version, games::FilesOf(**made)); !written) {
    return Fail(written.error());
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<const Game>& place = loaded_[{info.id, info.rules_version}];
  if (place == nullptr) place = *std::move(made);
  return place.get();
}

const Game* ScriptShelf::OfVersion(const std::string& id, int version) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = loaded_.find({id, version});
    if (found != loaded_.end()) return found->second.get();
  }
  std::unique_ptr<const Game> game = MakeKept(id, version);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = loaded_.try_emplace({id, version}, std::move(game));
  return place->second.get();
}

std::unique_ptr<const Game> ScriptShelf::MakeKept(const std::string& id, int version) const {
  auto files = ReadKept(kept_, id, version);
  // Files that were kept are another version under another engine.
  if (!files || games::ScriptVersion(*files) != version) {
    for (const int other : KeptVersions(kept_, id)) {
      files = ReadKept(kept_, id, other);
      if (files && games::ScriptVersion(*files) == version) break;
    }
  }
  if (!files) return nullptr;
  auto made = games::MakeScriptGame(*std::move(files));
  if (!made || (*made)->info().id != id || (*made)->info().rules_version != version) return nullptr;
  return *std::move(made);
}

Result<const Game*> ScriptShelf::LoadPath(const std::string& path) {
  auto files = ReadScript(path);
  if (!files) return Fail(files.error());
  seen_[path] = *files;
  auto game = Load(*std::move(files));
  if (!game) return game;
  const std::optional<Listed> other = Find((*game)->info().id);
  if (other && (other->from == From::kUpload || other->file != FileOf(path))) {
    return Fail(ErrorCode::kConflict, "two games are called \"" + (*game)->info().id + "\": the other one is " +
                                          (other->from == From::kUpload ? "uploaded" : other->file) +
                                          "; give this one another info.id");
  }
  return game;
}

void ScriptShelf::Offer(const Game& game, From from, std::string file) {
  const std::lock_guard lock(mutex_);
  problems_.erase({from, from == From::kUpload ? game.info().id : file});
  offered_[game.info().id] = {&game, from, std::move(file), {}};
  if (list_ != nullptr) list_->Offer(game);
}

void ScriptShelf::Withdraw(const std::string& id) {
  const std::lock_guard lock(mutex_);
  offered_.erase(id);
  if (list_ != nullptr) list_->Withdraw(id);
}

void ScriptShelf::Refresh() {
  if (folder_.empty()) return;
  std::string stamp = StampOf(folder_);
  if (stamp == stamp_) return;
  stamp_ = std::move(stamp);
  const auto paths = ScriptsIn(folder_);
  if (!paths) return log::Error("the games stay as they were: {}", paths.error().message);
  std::set<std::string> files;
  for (const std::string& path : *paths) files.insert(FileOf(path));
  // First, so that a file that got another name keeps its game.
  const bool fewer = WithdrawAllBut(files);
  RefreshAll(*paths);
  if (!fewer || registry_ == nullptr) return;
  // An uploaded game may have waited for an id.
  if (const Result<void> synced = Sync(false); !synced) log::Error("uploaded games: {}", synced.error().message);
}

bool ScriptShelf::WithdrawAllBut(const std::set<std::string>& files) {
  std::vector<std::string> gone;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(problems_, [&](const auto& problem) {
      return problem.first.first == From::kFolder && !files.contains(problem.first.second);
    });
    for (const auto& [id, listed] : offered_) {
      if (listed.from == From::kFolder && !files.contains(listed.file)) gone.push_back(id);
    }
  }
  std::erase_if(seen_, [&](const auto& seen) { return !files.contains(FileOf(seen.first)); });
  for (const std::string& id : gone) {
    Withdraw(id);
    log::Info("{} is not offered any more: its file is gone", id);
  }
  return !gone.empty();
}

void ScriptShelf::RefreshAll(const std::vector<std::string>& paths) {
  std::set<std::string> imported;
  for (const std::string& path : paths) {
    const auto files = ReadScript(path);
    if (!files || fs::is_directory(path)) continue;
    for (std::size_t i = 1; i < files->size(); ++i) imported.insert((*files)[i].name);
  }
  for (const std::string& path : paths) RefreshOne(path, imported.contains(FileOf(path)));
}

void ScriptShelf::RefreshOne(const std::string& path, bool imported) {
  const auto files = ReadScript(path);
  const auto seen = seen_.find(path);
  const std::string file = FileOf(path);
  {
    // What has a problem is tried again: the other game of its name may be gone.
    const std::lock_guard lock(mutex_);
    const bool is_wrong = problems_.contains({From::kFolder, file});
    if (files && seen != seen_.end() && seen->second == *files && !is_wrong) return;
  }
  const auto game = LoadPath(path);
  const bool helps = imported && !game && game.error().message.find(kNoInfo) != std::string::npos;
  std::string before;
  {
    const std::lock_guard lock(mutex_);
    if (helps) problems_.erase({From::kFolder, file});
    for (auto& [id, listed] : offered_) {
      if (listed.from != From::kFolder || listed.file != file) continue;
      before = id;
      if (!game) listed.problem = PlaceAndMessage(game.error());
    }
    if (helps && before.empty()) return;
    if (!game) {
      const std::string problem = PlaceAndMessage(game.error());
      Problem& known = problems_[{From::kFolder, file}];
      if (known.problem == problem) return;
      known = {From::kFolder, file, problem};
    }
  }
  if (!game) {
    return log::Error("{}: {}{}", path, PlaceAndMessage(game.error()),
                      before.empty() ? "" : "; new matches are still played by the last version that was right");
  }
  const std::string& id = (*game)->info().id;
  if (!before.empty() && before != id) Withdraw(before);
  Offer(**game, From::kFolder, file);
  if (list_ != nullptr) log::Info("{}: new matches of {} are played by this version", path, id);
}

Result<void> ScriptShelf::CheckUpload(const std::string& id) const {
  if (taken_(id)) {
    return Fail(ErrorCode::kConflict, "a game called " + Quote(id) + " is part of the program: choose another info.id",
                "id");
  }
  const std::optional<Listed> other = Find(id);
  if (other && other->from == From::kFolder) {
    return Fail(ErrorCode::kConflict,
                "the game " + id + " is one of the server's folder: change " + folder_ + "/" + other->file, "id");
  }
  return {};
}

Result<bool> ScriptShelf::Upload(const Game& checked) {
  const std::string id = checked.info().id;
  if (auto may = CheckUpload(id); !may) return Fail(may.error());
  const auto game = Load(games::FilesOf(checked));
  if (!game) return Fail(game.error());
  const bool is_new = !Find(id);
  const int version = (*game)->info().rules_version;
  if (Result<void> saved = Save(id, version, games::FilesOf(checked)); !saved) return Fail(saved.error());
  uploaded_[id] = version;
  Offer(**game, From::kUpload, games::FilesOf(checked).front().name);
  log::Info("{} was uploaded: new matches are played by it", id);
  return is_new;
}

Result<void> ScriptShelf::CheckRemove(const std::string& id) const {
  const std::optional<Listed> listed = Find(id);
  if (!listed) return Fail(ErrorCode::kNotFound, "no game " + Quote(id) + " was uploaded", "id");
  if (listed->from == From::kFolder) {
    return Fail(ErrorCode::kConflict,
                "the game " + id + " is one of the server's folder: remove " + folder_ + "/" + listed->file, "id");
  }
  return {};
}

Result<void> ScriptShelf::Remove(const std::string& id) {
  if (auto may = CheckRemove(id); !may) return may;
  const auto removed = AskRegistry<StoredGame>(
      [&](Scheduler& scheduler, const auto& done) { registry_->WithdrawGame(id, scheduler, done); });
  // Another node may have been faster.
  if (!removed && removed.error().code != ErrorCode::kNotFound) return Fail(removed.error());
  return Sync(false);
}

void ScriptShelf::Forget(const std::string& id, const std::set<int>& needed) {
  if (Find(id)) return;  // it is there again
  std::vector<int> kept;
  std::vector<int> needless;
  for (const int version : KeptVersions(kept_, id)) {
    const auto files = ReadKept(kept_, id, version);
    const bool is_needed = needed.contains(version) || (files && needed.contains(games::ScriptVersion(*files)));
    (is_needed ? kept : needless).push_back(version);
  }
  const auto forgotten = AskRegistry<std::size_t>(
      [&](Scheduler& scheduler, const auto& done) { registry_->KeepGameVersions(id, kept, scheduler, done); });
  if (!forgotten) return log::Warn("the files of {} are kept: {}", id, forgotten.error().message);
  std::error_code error;
  for (const int version : needless) fs::remove_all(fs::path(kept_) / id / std::to_string(version), error);
  if (kept.empty()) fs::remove_all(fs::path(kept_) / id, error);
}

namespace {

// A version that was kept; nullptr if it was not, or is another one under this engine. Version 0: the newest.
const Game* FindKept(const std::string& kept, const std::string& id, int version) {
  static std::map<std::string, std::unique_ptr<const Game>> found;
  const auto [place, is_new] = found.try_emplace(kept + "/" + id + "/" + std::to_string(version));
  if (!is_new) return place->second.get();
  for (const int each : version == 0 ? KeptVersions(kept, id) : std::vector<int>{version}) {
    auto files = ReadKept(kept, id, each);
    if (!files) continue;
    auto made = games::MakeScriptGame(*std::move(files), [kept](const std::string& of, int older) {
      return older == 0 ? nullptr : FindKept(kept, of, older);
    });
    if (!made || (*made)->info().id != id || (version != 0 && (*made)->info().rules_version != version)) continue;
    place->second = *std::move(made);
    break;
  }
  return place->second.get();
}

}  // namespace

const Game* FindRecordedGame(const std::string& data_dir, const std::string& id) {
  if (const Game* game = FindGame(id)) return game;
  return IsId(id) ? FindKept((data_dir.empty() ? DefaultDataDir() : data_dir) + "/games", id, 0) : nullptr;
}

}  // namespace openseat::app
