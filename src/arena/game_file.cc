#include "arena/game_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace openseat::arena {
namespace {

class LineSource {
 public:
  explicit LineSource(std::istream& in) : in_(in) {}

  // The next line with its newline, or as much of it as the limit and a byte. false: there is no more.
  bool Next(std::string& line) {
    line.clear();
    for (;;) {
      const std::string_view rest(chunk_.data() + begin_, end_ - begin_);
      const std::size_t newline = rest.find('\n');
      line += rest.substr(0, std::min(newline, kMaxGameLineBytes) + 1);
      begin_ += std::min(newline, rest.size() - 1) + 1;
      if (newline != std::string_view::npos || line.size() > kMaxGameLineBytes) return true;
      in_.read(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
      begin_ = 0;
      end_ = static_cast<std::size_t>(in_.gcount());
      if (end_ == 0) return !line.empty();
    }
  }

 private:
  std::istream& in_;
  std::string chunk_ = std::string(1u << 16, '\0');
  std::size_t begin_ = 0;  // in chunk_: what was not taken yet
  std::size_t end_ = 0;
};

Result<GameLine> ParseLine(std::string_view line) {
  const bool whole = line.ends_with('\n');
  if (line.size() > kMaxGameLineBytes) {
    return Fail(ErrorCode::kTooLarge, "a line has at most " + std::to_string(kMaxGameLineBytes) + " bytes");
  }
  Result<json::Value> value = json::Parse(line, {.max_bytes = kMaxGameLineBytes, .max_depth = 32});
  if (!value && !whole) {
    return Fail(ErrorCode::kParse, "the last line is cut off; resume the run, which drops it, or delete the line");
  }
  if (!value) return Fail(ErrorCode::kParse, "a line must be a JSON object: " + value.error().message);
  Result<GameLine> game = ParseGameLine(*value);
  if (!game) return Fail(ErrorCode::kParse, game.error().message);
  return game;
}

}  // namespace

Result<std::vector<GameLine>> ReadGameFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return Fail(missing ? ErrorCode::kNotFound : ErrorCode::kIo, "cannot read " + path + ": " + SystemMessage(errno),
                path);
  }
  std::vector<GameLine> games;
  std::unordered_map<std::uint64_t, std::size_t> lines;  // by game
  LineSource source(file);
  std::string text;
  for (std::size_t number = 1; source.Next(text); ++number) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    const std::string where = path + ":" + std::to_string(number);
    Result<GameLine> game = ParseLine(text);
    if (!game) return Fail(game.error().code, where + ": " + game.error().message, where);
    const auto [line, added] = lines.emplace(game->game, number);
    if (!added) {
      return Fail(
          ErrorCode::kParse,
          where + ": game " + std::to_string(game->game) + " is in line " + std::to_string(line->second) + " already",
          where);
    }
    if (games.size() == kMaxFileGames) {
      return Fail(ErrorCode::kTooLarge, where + ": a file has at most " + std::to_string(kMaxFileGames) + " games",
                  where);
    }
    games.push_back(std::move(*game));
  }
  if (file.bad()) return Fail(ErrorCode::kIo, "cannot read " + path, path);
  std::ranges::sort(games, {}, &GameLine::game);
  return games;
}

}  // namespace openseat::arena
