// The list of tables, /api/v1/tables: the live ones, newest first, then those that only the journal has. In a cluster
// each server lists its own, and the one that was asked merges their pages.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/worker.h"
#include "core/journal.h"
#include "core/table.h"
#include "net/http.h"
#include "net/json_request.h"
#include "net/other_servers.h"

namespace openseat::console {

class TableList {
 public:
  // All outlive it; `reader` reads the journal, and ends before this.
  TableList(TableDirectory& directory, Journal& journal, Worker& reader)
      : directory_(directory), journal_(journal), reader_(reader) {}

  struct Cluster {
    const net::OtherServers* others = nullptr;  // outlives the list
    // Those of the journal that no other server lists, if they are wanted (Journal::Tables).
    std::function<Result<std::vector<TableRecord>>(std::size_t limit, std::uint64_t before,
                                                   const std::function<bool(const TableId&)>& wanted)>
        tables{};
  };
  void SetCluster(Cluster cluster) { cluster_ = std::move(cluster); }

  void Answer(const net::HttpRequest& request, net::HttpReply reply);

 private:
  struct Cursor;
  struct Entry;
  // What this server lists. In a cluster each table has "after", the cursor of what follows it.
  struct Part {
    json::Array tables;
    std::string next;  // "": no more
  };
  using Listed = std::function<void(Result<Part> part)>;
  void List(const Cursor& from, std::size_t limit, bool recorded, Listed done);
  // Adds those that only the journal has, up to `limit`.
  void ListRecorded(Part part, std::size_t limit, std::uint64_t before, Listed done);
  using Answers = std::vector<net::OtherServers::Answer>;
  static void Merge(const std::shared_ptr<net::OneReply>& one, std::size_t limit, Part part, const Answers& answers);
  bool in_cluster() const { return cluster_.others != nullptr; }

  TableDirectory& directory_;
  Journal& journal_;
  Worker& reader_;
  Cluster cluster_;
};

}  // namespace openseat::console
