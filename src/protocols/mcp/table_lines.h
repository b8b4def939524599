// What list_tables answers: tables as lines of text and as objects, in pages. Internal to play.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/table.h"
#include "protocols/mcp/call.h"

namespace openseat::mcp {

// Between servers, the member of a table that has the cursor of what follows it.
inline constexpr std::string_view kAfterTable = "after";

// A cursor: "MICROSECONDS:ID" of the last table that was shown.
std::string CursorAfter(const TableMark& mark);
std::optional<TableMark> ReadCursor(const std::string& cursor);

// What is shown of Table::Info.
json::Object ListedTable(const json::Object& table);

// Adds what other servers list, in order. All have a part of the list that ends at a mark, or is complete; so the sum
// ends at the first of these marks, which is returned.
std::optional<TableMark> AddTables(json::Array& list, std::optional<TableMark> end,
                                   const std::vector<json::Object>& results);

// `next`: where the next page begins; `marked`: for another server.
void AnswerTables(const CallPtr& call, const json::Array& tables, const std::optional<TableMark>& next,
                  bool marked = false);

}  // namespace openseat::mcp
