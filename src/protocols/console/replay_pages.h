// Replays in pages: a hosted match as a viewer saw it, one step for each change of the state. Of a page only the first
// step has the state; the others have the change (base/json_diff.h). docs/protocols/console.md describes the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/journal.h"
#include "net/http.h"
#include "protocols/console/transcript.h"

namespace openseat::console {

// The page of a replay that a request asks for: by its number, or by what is on it. The first one if it asks for none.
struct ReplayQuery {
  std::string viewer{};                     // "spectator", a seat's number or a player's name
  bool view = false;                        // with the table as people see it
  bool said = false;                        // with what models answered and which choices were refused, at all seats
  std::optional<std::uint64_t> page{};      // from 1
  std::optional<std::uint64_t> step{};      // from 1
  std::optional<Seq> event{};               // the last step at or before this event
  std::optional<std::uint64_t> decision{};  // from 0: the step at which this question was asked, counted as in runs
};
// Errors: kInvalid with the parameter.
Result<ReplayQuery> ReplayQueryOf(const net::HttpRequest& request);

// Keeps the replays that were read last, so that each is folded once and not for each page. One thread at a time.
class ReplayShelf {
 public:
  // The answer as JSON. `source` tells tables of the same id apart. A table whose states are not known here (the game
  // runs elsewhere, or has other rules now) has no steps. Errors: the journal's; kInvalid for a viewer that the match
  // does not have or a page beyond the last. Reads the journal.
  Result<std::string> Read(Journal& journal, const FindGame& find_game, const TableId& id, const ReplayQuery& query,
                           const std::string& source = {});

 private:
  struct Page {
    std::uint64_t first;  // number of its first step
    std::string steps;    // as JSON, separated by commas
  };
  struct Book {
    std::string key;
    std::string opened;          // the journal's first event, to know it again
    Seq last_seq = 0;            // of the journal when the book was made
    std::string head;            // the answer's members about the match, as JSON without braces
    std::vector<Seq> steps;      // the event of each step
    std::vector<Seq> decisions;  // and of each question
    std::vector<Page> pages;
    std::size_t bytes() const;
  };
  class Binder;
  static Result<Book> Make(Journal& journal, const FindGame& find_game, const TableId& id, const ReplayQuery& query,
                           const StoredEvent& opened);
  // The number of the step that is asked for; 0 if the book has none.
  static std::uint64_t StepOf(const Book& book, const ReplayQuery& query);
  static Result<std::string> PageOf(const Book& book, const ReplayQuery& query);

  std::list<Book> books_;  // read last first
};

}  // namespace openseat::console
