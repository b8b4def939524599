#include "arena/game_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/file.h"

namespace openseat::arena {
namespace {

class LineSource {
 public:
  explicit LineSource(std::FILE* in) : in_(in) {}

  // The next line with its newline, or as much of it as the limit and a byte. false: there is no more.
  bool Next(std::string& line) {
    line.clear();
    for (;;) {
      const std::string_view rest(chunk_.data() + begin_, end_ - begin_);
      const std::size_t newline = rest.find('\n');
      line += rest.substr(0, std::min(newline, kMaxGameLineBytes) + 1);
      begin_ += std::min(newline, rest.size() - 1) + 1;
      if (newline != std::string_view::npos || line.size() > kMaxGameLineBytes) return true;
      begin_ = 0;
      end_ = std::fread(chunk_.data(), 1, chunk_.size(), in_);
      if (end_ == 0) return !line.empty();
    }
  }

 private:
  std::FILE* const in_;
  std::string chunk_ = std::string(1u << 16, '\0');
  std::size_t begin_ = 0;  // in chunk_: what was not taken yet
  std::size_t end_ = 0;
};

Result<GameLine> ParseLine(std::string_view line) {
  if (line.size() > kMaxGameLineBytes) {
    return Fail(ErrorCode::kTooLarge, "a line has at most " + std::to_string(kMaxGameLineBytes) + " bytes");
  }
  Result<json::Value> value = json::Parse(line, {.max_bytes = kMaxGameLineBytes, .max_depth = 32});
  if (!value) return Fail(ErrorCode::kParse, "a line must be a JSON object: " + value.error().message);
  Result<GameLine> game = ParseGameLine(*value);
  if (!game) return Fail(ErrorCode::kParse, game.error().message);
  return game;
}

}  // namespace

Result<void> GameLines::Add(std::string_view line, const std::string& path, std::size_t number) {
  const std::string where = path + ":" + std::to_string(number);
  Result<GameLine> game = ParseLine(line);
  if (!game) return Fail(game.error().code, where + ": " + game.error().message, where);
  const auto [place, added] = places_.emplace(game->game, number);
  if (!added) {
    return Fail(
        ErrorCode::kParse,
        where + ": game " + std::to_string(game->game) + " is in line " + std::to_string(place->second) + " already",
        where);
  }
  if (games_.size() == kMaxFileGames) {
    return Fail(ErrorCode::kTooLarge, where + ": a file has at most " + std::to_string(kMaxFileGames) + " games",
                where);
  }
  games_.push_back(std::move(*game));
  return {};
}

std::vector<GameLine> GameLines::Take() {
  std::ranges::sort(games_, {}, &GameLine::game);
  return std::move(games_);
}

Result<std::vector<GameLine>> ReadGameFile(const std::string& path) {
  Result<int> descriptor = OpenRegularFile(path, O_RDONLY);
  if (!descriptor) {
    Error error = std::move(descriptor).error();
    if (access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) error.code = ErrorCode::kNotFound;
    return Fail(std::move(error));
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(fdopen(*descriptor, "rb"),
                                                             [](std::FILE* open) { return std::fclose(open); });
  GameLines games;
  LineSource source(file.get());
  std::string text;
  for (std::size_t number = 1; source.Next(text); ++number) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    Result<void> added = games.Add(text, path, number);
    if (added) continue;
    if (added.error().code == ErrorCode::kParse && !text.ends_with('\n') && !json::Parse(text)) {
      added = Fail(ErrorCode::kParse,
                   path + ":" + std::to_string(number) +
                       ": the last line is cut off; resume the run, which drops it, or delete the line",
                   added.error().path);
    }
    return Fail(std::move(added).error());
  }
  if (std::ferror(file.get()) != 0) return Fail(ErrorCode::kIo, "cannot read " + path, path);
  return games.Take();
}

}  // namespace openseat::arena
