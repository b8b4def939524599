// What list_tables answers: tables as lines of text and as objects, in pages. Internal to play.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/table.h"
#include "protocols/mcp/call.h"
#include "protocols/mcp/play.h"

namespace openseat::mcp {

// Between servers, the member of a table that has the cursor of what follows it.
inline constexpr std::string_view kAfterTable = "after";

// What is shown of Table::Info.
json::Object ListedTable(const json::Object& table);

struct ListedTables {
  json::Array tables{};
  std::optional<TableMark> next{};        // where the next page begins
  std::vector<std::string> unanswered{};  // servers whose tables are missing
};

// Adds what other servers list, in order, each table once. All have a part of the list that ends at a mark, or is
// complete; so the sum ends at the first of these marks.
void AddTables(ListedTables& list, const std::vector<OthersAnswer>& answers);

// `marked`: for another server.
void AnswerTables(const CallPtr& call, const ListedTables& listed, bool marked = false);

}  // namespace openseat::mcp
