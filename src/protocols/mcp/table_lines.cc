#include "protocols/mcp/table_lines.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocols/mcp/presentation.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {
namespace {

std::optional<TableMark> MarkOf(const json::Object& listed) {
  return ReadCursor(FindText(listed, kAfterTable).value_or(std::string()));
}

}  // namespace

std::string CursorAfter(const TableMark& mark) {
  return std::to_string(mark.opened.time_since_epoch().count()) + ":" + mark.id.str();
}

std::optional<TableMark> ReadCursor(const std::string& cursor) {
  const std::size_t colon = cursor.find(':');
  std::int64_t opened = 0;
  const auto parsed = std::from_chars(cursor.data(), cursor.data() + std::min(colon, cursor.size()), opened);
  if (colon == std::string::npos || parsed.ec != std::errc() || parsed.ptr != cursor.data() + colon) {
    return std::nullopt;
  }
  return TableMark{Time(Duration(opened)), TableId(cursor.substr(colon + 1))};
}

json::Object ListedTable(const json::Object& table) {
  json::Object entry;
  for (const std::string_view name : {std::string_view("id"), std::string_view("game"), std::string_view("kind"),
                                      std::string_view("status"), std::string_view("opened"), kAfterTable}) {
    if (const json::Value* value = json::Find(table, name)) entry[name] = *value;
  }
  json::Array seats;
  const json::Value* all = json::Find(table, "seats");
  for (const json::Value& seat : all != nullptr && all->is_array() ? all->get_array() : json::Array()) {
    json::Object shown;
    for (const char* name : {"index", "name", "role", "agent"}) {
      if (const json::Value* value = json::Find(seat, name)) shown[name] = *value;
    }
    seats.push_back(std::move(shown));
  }
  entry["seats"] = std::move(seats);
  return entry;
}

std::optional<TableMark> AddTables(json::Array& list, std::optional<TableMark> end,
                                   const std::vector<json::Object>& results) {
  for (const json::Object& result : results) {
    const json::Object* structured = FindObject(result, "structuredContent");
    const json::Value* tables = structured == nullptr ? nullptr : json::Find(*structured, "tables");
    if (tables == nullptr || !tables->is_array()) continue;
    for (const json::Value& table : tables->get_array()) {
      if (table.is_object() && MarkOf(table.get_object())) list.push_back(table);
    }
    const auto next = ReadCursor(FindText(*structured, "next").value_or(std::string()));
    if (next && (!end || *next < *end)) end = next;
  }
  std::vector<json::Value> sorted(list.begin(), list.end());
  std::erase_if(sorted, [&end](const json::Value& table) { return end && *end < *MarkOf(table.get_object()); });
  std::ranges::stable_sort(sorted, [](const json::Value& a, const json::Value& b) {
    return *MarkOf(a.get_object()) < *MarkOf(b.get_object());
  });
  list = json::Array(sorted.begin(), sorted.end());
  return end;
}

void AnswerTables(const CallPtr& call, const json::Array& tables, const std::optional<TableMark>& next, bool marked) {
  std::string text;
  json::Array list;
  for (const json::Value& each : tables) {
    json::Object table = each.get_object();
    if (!marked) table.erase(kAfterTable);
    text += "- " + FindText(table, "id").value_or("") + ": " + CleanText(FindText(table, "game").value_or(""), 200) +
            ", " + FindText(table, "kind").value_or("") + ", " + FindText(table, "status").value_or("");
    for (const json::Value& seat : table.at("seats").as_array()) {
      text += "; \"" + CleanText(FindText(seat.get_object(), "name").value_or(""), 100) + "\" (" +
              FindText(seat.get_object(), "agent").value_or("") + ")";
    }
    text += "\n";
    list.push_back(std::move(table));
  }
  if (list.empty()) text = "There are no tables now; create_match makes one.\n";
  json::Object structured{{"tables", std::move(list)}};
  if (next) {
    const std::string cursor = CursorAfter(*next);
    text += "There are more: list_tables with cursor \"" + cursor + "\".\n";
    structured["next"] = cursor;
  }
  call->Answer(ToolResult("Tables (join_table takes a seat):\n" + text, std::move(structured)));
}

}  // namespace openseat::mcp
