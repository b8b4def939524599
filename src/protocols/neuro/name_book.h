// NameBook: the names of the actions that connected games have registered, so that one game can be told that another
// has the same name: to the character, all actions are in one list. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ids.h"

namespace openseat::neuro {

class NameBook {
 public:
  // The names of one table. The book outlives it. One thread.
  class Page {
   public:
    // Only games of the same `owner` learn of each other; those of nobody ("") of none.
    Page(NameBook& book, std::string owner, TableId table, std::string game);
    ~Page() { Clear(); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    // Returns another game that has the name; nullopt if there is none.
    std::optional<std::string> Add(std::string_view name);
    void Remove(std::string_view name);
    void Clear();

   private:
    NameBook& book_;
    const std::string owner_;
    const TableId table_;
    const std::string game_;
    std::set<std::string, std::less<>> names_;
  };

 private:
  struct Holder {
    TableId table;
    std::string game;
  };

  std::mutex mutex_;
  std::unordered_map<std::string, std::vector<Holder>> holders_;  // by owner and name
};

}  // namespace openseat::neuro
