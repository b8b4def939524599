#include "protocols/mcp/table_lines.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "protocols/mcp/presentation.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {
namespace {

std::optional<TableMark> MarkOf(const json::Object& listed) {
  return TableMark::Parse(FindText(listed, kAfterTable).value_or(std::string()));
}

}  // namespace

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

void AddTables(ListedTables& list, const std::vector<OthersAnswer>& answers) {
  std::vector<json::Value> all(list.tables.begin(), list.tables.end());
  for (const OthersAnswer& answer : answers) {
    const json::Object* structured = answer.result ? FindObject(*answer.result, "structuredContent") : nullptr;
    const json::Value* tables = structured == nullptr ? nullptr : json::Find(*structured, "tables");
    if (tables == nullptr || !tables->is_array()) {
      list.unanswered.push_back(answer.node);
      continue;
    }
    for (const json::Value& table : tables->get_array()) {
      if (table.is_object() && MarkOf(table.get_object())) all.push_back(table);
    }
    const auto next = TableMark::Parse(FindText(*structured, "next").value_or(std::string()));
    if (next && (!list.next || *next < *list.next)) list.next = next;
  }
  std::erase_if(all,
                [&list](const json::Value& table) { return list.next && *list.next < *MarkOf(table.get_object()); });
  std::ranges::stable_sort(all, [](const json::Value& a, const json::Value& b) {
    return *MarkOf(a.get_object()) < *MarkOf(b.get_object());
  });
  // A table that moves just now may be listed twice.
  std::unordered_set<std::string> seen;
  std::erase_if(all, [&seen](const json::Value& table) {
    return !seen.insert(FindText(table.get_object(), "id").value_or(std::string())).second;
  });
  list.tables = json::Array(all.begin(), all.end());
}

void AnswerTables(const CallPtr& call, const ListedTables& listed, bool marked) {
  std::string text;
  json::Array list;
  for (const json::Value& each : listed.tables) {
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
  if (list.empty() && listed.unanswered.empty()) text = "There are no tables now; create_match makes one.\n";
  json::Object structured{{"tables", std::move(list)}};
  if (!listed.unanswered.empty()) {
    text += "The tables of servers that gave no answer are missing; call list_tables again in a moment:";
    for (const std::string& node : listed.unanswered) text += " " + node;
    text += "\n";
    structured["unanswered"] = json::Array(listed.unanswered.begin(), listed.unanswered.end());
  }
  if (listed.next) {
    const std::string cursor = listed.next->Text();
    text += "There are more: list_tables with cursor \"" + cursor + "\".\n";
    structured["next"] = cursor;
  }
  call->Answer(ToolResult("Tables (join_table takes a seat):\n" + text, std::move(structured)));
}

}  // namespace openseat::mcp
