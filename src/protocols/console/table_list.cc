#include "protocols/console/table_list.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/json_members.h"
#include "base/text.h"
#include "net/paging.h"
#include "protocols/console/past_table.h"

namespace openseat::console {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::OneReply;

namespace {

// Between servers, the member of a table that has the cursor of what follows it.
constexpr std::string_view kAfter = "after";
// A record comes with its table's opening, which may be a megabyte of a stranger's options.
constexpr std::size_t kRecordsAtATime = 100;

HttpResponse TablesAnswer(json::Array tables, const std::string& next, json::Array unanswered = {}) {
  const bool secret =
      std::ranges::any_of(tables, [](const json::Value& table) { return json::Find(table, "invite") != nullptr; });
  json::Object body = net::PageBody("tables", std::move(tables), next);
  if (!unanswered.empty()) body["unanswered"] = std::move(unanswered);
  HttpResponse response = HttpResponse::Json(200, body);
  response.secret = secret;
  return response;
}

}  // namespace

// "live:MICROSECONDS:ID" for the last table of the page, or "recorded:NUMBER" for the last one that only the journal
// has.
struct TableList::Cursor {
  std::optional<TableMark> live_after;
  std::optional<std::uint64_t> recorded_before;  // no live tables are left

  static Result<Cursor> Read(const std::string& text) {
    Cursor cursor;
    if (text.empty()) return cursor;
    const std::string_view view = text;
    const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
      std::uint64_t value = 0;
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
      return whole && value <= Journal::kNewest ? std::optional(value) : std::nullopt;
    };
    if (view.starts_with(kRecorded)) {
      cursor.recorded_before = number(view.substr(kRecorded.size()));
    } else if (const std::size_t colon = view.find(':', kLive.size()); view.starts_with(kLive) && colon != view.npos) {
      const auto opened = number(view.substr(kLive.size(), colon - kLive.size()));
      if (opened) {
        cursor.live_after = TableMark{Time(Duration(static_cast<Duration::rep>(*opened))),
                                      TableId(std::string(view.substr(colon + 1)))};
      }
    }
    if (!cursor.live_after && !cursor.recorded_before) {
      return Fail(ErrorCode::kInvalid, "cursor must be `next` of the previous page; got " + Quote(text), "cursor");
    }
    return cursor;
  }
  static std::string After(const TableMark& mark) {
    return std::string(kLive) + std::to_string(mark.opened.time_since_epoch().count()) + ":" + mark.id.str();
  }
  static std::string Before(std::uint64_t number) { return std::string(kRecorded) + std::to_string(number); }

  // Whether it is for an earlier place in the list of the cluster.
  bool operator<(const Cursor& other) const {
    if (live_after && other.live_after) return *live_after < *other.live_after;
    if (live_after || other.live_after) return live_after.has_value();
    return recorded_before.value_or(0) > other.recorded_before.value_or(0);
  }

 private:
  static constexpr std::string_view kLive = "live:";
  static constexpr std::string_view kRecorded = "recorded:";
};

// A table of any server.
struct TableList::Entry {
  Cursor place;
  json::Value table;
};

void TableList::Answer(const HttpRequest& request, HttpReply reply) {
  const Result<net::Page> page = net::PageOf(request);
  const Result<bool> recorded = net::FlagQuery(request, "recorded");
  const Result<Cursor> from = page ? Cursor::Read(page->cursor) : Result<Cursor>(Fail(page.error()));
  if (!from || !recorded) {
    std::move(reply).Send(HttpResponse::FromError(from ? recorded.error() : from.error()));
    return;
  }
  const auto one = std::make_shared<OneReply>(std::move(reply));
  const bool alone = !in_cluster() || cluster_.others->IsPassedOn(request);
  const auto asked = alone ? nullptr : std::make_shared<const HttpRequest>(request);
  List(*from, page->limit, *recorded, [this, one, asked, limit = page->limit](Result<Part> part) {
    if (!part) return one->Send(HttpResponse::FromError(part.error()));
    if (asked == nullptr) return one->Send(TablesAnswer(std::move(part->tables), part->next));
    cluster_.others->AskAll(*asked, asked->target,
                            [this, one, limit, part = std::move(*part)](Answers answers) mutable {
                              // Each may have thousands of tables.
                              directory_.schedulers().front()->Offload(
                                  [one, limit, part = std::move(part), answers = std::move(answers)]() mutable {
                                    Merge(one, limit, std::move(part), answers);
                                  });
                            });
  });
}

void TableList::List(const Cursor& from, std::size_t limit, bool recorded, Listed done) {
  if (from.recorded_before) return ListRecorded({}, limit, *from.recorded_before, std::move(done));
  directory_.List(
      *directory_.schedulers().front(), from.live_after, limit,
      [marked = in_cluster()](Table& table) {
        json::Object info = table.ListedInfo();
        if (marked) info[kAfter] = Cursor::After({table.opened(), table.id()});
        return info;
      },
      [this, limit, recorded, done = std::move(done)](std::vector<json::Object> shown,
                                                      const std::optional<TableMark>& next) mutable {
        Part part;
        for (json::Object& table : shown) part.tables.push_back(std::move(table));
        part.next = next ? Cursor::After(*next) : "";
        if (recorded && !next) {
          if (part.tables.size() < limit) {
            return ListRecorded(std::move(part), limit, Journal::kNewest, std::move(done));
          }
          part.next = Cursor::Before(Journal::kNewest);
        }
        // A page of a thousand tables takes milliseconds to write.
        directory_.schedulers().front()->Offload(
            [done = std::move(done), part = std::move(part)]() mutable { done(std::move(part)); });
      });
}

void TableList::ListRecorded(Part part, std::size_t limit, std::uint64_t before, Listed done) {
  // The page starts with the live tables.
  struct Live {
    std::mutex mutex;
    std::unordered_set<TableId> ids;
  };
  const auto live = std::make_shared<Live>();
  const auto read = [this, live, limit, before, done = std::move(done)](Part listing) {
    const auto wanted = [&live](const TableId& id) { return !live->ids.contains(id); };
    const std::size_t some = std::min(limit + 1, kRecordsAtATime);
    for (std::uint64_t behind = before; listing.next.empty();) {
      const Result<std::vector<TableRecord>> records =
          in_cluster() ? cluster_.tables(some, behind, wanted) : journal_.Tables(some, behind);
      if (!records) return done(Fail(records.error()));
      for (const TableRecord& record : *records) {
        const bool listed = wanted(record.id);
        if (listed && listing.tables.size() == limit) {
          listing.next = Cursor::Before(behind);
          break;
        }
        behind = record.number;
        if (!listed) continue;
        json::Object table = RecordedTable(record);
        if (in_cluster()) table[kAfter] = Cursor::Before(record.number);
        listing.tables.push_back(std::move(table));
      }
      if (records->size() < some) break;
    }
    done(std::move(listing));
  };
  directory_.Visit(
      *directory_.schedulers().front(),
      [live](Table& table) {
        const std::lock_guard lock(live->mutex);
        live->ids.insert(table.id());
      },
      [this, read, part = std::move(part)]() mutable {
        reader_.Post([read, part = std::move(part)]() mutable { read(std::move(part)); });
      });
}

void TableList::Merge(const std::shared_ptr<OneReply>& one, std::size_t limit, Part part, const Answers& answers) {
  std::vector<Entry> entries;
  bool more = !part.next.empty();
  const auto add = [&entries](json::Array& tables) {
    for (json::Value& table : tables) {
      const json::Value* after = json::Find(table, kAfter);
      if (after == nullptr || !after->is_string()) continue;
      Result<Cursor> place = Cursor::Read(std::string(json::View(after->get_string())));
      if (place) entries.push_back({std::move(*place), std::move(table)});
    }
  };
  add(part.tables);
  json::Array unanswered;
  for (const net::OtherServers::Answer& answer : answers) {
    Result<json::Value> body =
        answer.body ? json::Parse(*answer.body, {.max_bytes = answer.body->size()}) : Fail(ErrorCode::kIo, "");
    json::Value* tables = body && body->is_object() ? body->get_object().if_contains("tables") : nullptr;
    if (tables == nullptr || !tables->is_array()) {
      unanswered.emplace_back(answer.node);
      continue;
    }
    more = more || json::Find(*body, "next") != nullptr;
    add(tables->get_array());
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) { return a.place < b.place; });
  // A table that moves just now may be listed twice.
  std::unordered_set<std::string> seen;
  std::erase_if(entries, [&seen](const Entry& entry) {
    return !seen.insert(json::FindText(entry.table.get_object(), "id").value_or(std::string())).second;
  });
  if (entries.size() > limit) {
    more = true;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(limit), entries.end());
  }
  json::Array tables;
  std::string next;
  for (Entry& entry : entries) {
    json::Object& table = entry.table.get_object();
    if (more) next = json::FindText(table, kAfter).value_or(std::string());
    table.erase(kAfter);
    tables.push_back(std::move(entry.table));
  }
  one->Send(TablesAnswer(std::move(tables), next, std::move(unanswered)));
}

}  // namespace openseat::console
