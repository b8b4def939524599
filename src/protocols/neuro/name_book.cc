#include "protocols/neuro/name_book.h"

#include <algorithm>
#include <utility>

namespace openseat::neuro {
namespace {

std::string KeyOf(std::string_view owner, std::string_view name) {
  std::string key(owner);
  key += '\n';
  key += name;
  return key;
}

}  // namespace

NameBook::Page::Page(NameBook& book, std::string owner, TableId table, std::string game)
    : book_(book), owner_(std::move(owner)), table_(std::move(table)), game_(std::move(game)) {}

std::optional<std::string> NameBook::Page::Add(std::string_view name) {
  if (owner_.empty() || !names_.emplace(name).second) return std::nullopt;
  const std::lock_guard lock(book_.mutex_);
  std::vector<Holder>& holders = book_.holders_[KeyOf(owner_, name)];
  // Two copies of one game are a test.
  const auto other = std::ranges::find_if(holders, [&](const Holder& holder) { return holder.game != game_; });
  std::optional<std::string> found;
  if (other != holders.end()) found = other->game;
  holders.push_back({table_, game_});
  return found;
}

void NameBook::Page::Remove(std::string_view name) {
  const auto known = names_.find(name);
  if (known == names_.end()) return;
  names_.erase(known);
  const std::lock_guard lock(book_.mutex_);
  const auto found = book_.holders_.find(KeyOf(owner_, name));
  std::erase_if(found->second, [&](const Holder& holder) { return holder.table == table_; });
  if (found->second.empty()) book_.holders_.erase(found);
}

void NameBook::Page::Clear() {
  while (!names_.empty()) Remove(std::string(*names_.begin()));
}

}  // namespace openseat::neuro
