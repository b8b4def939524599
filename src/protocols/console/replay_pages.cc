#include "protocols/console/replay_pages.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json_diff.h"
#include "match/replay.h"
#include "net/json_request.h"
#include "protocols/console/event_json.h"

namespace openseat::console {
namespace {

// A page ends at either, so that its first step is shown soon, however slow the line is.
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostPageBytes = 96u << 10;
// What the shelf keeps.
constexpr std::size_t kMostBooks = 16;
constexpr std::size_t kMostShelfBytes = 32u << 20;
constexpr std::size_t kJournalPage = 1000;

// What is shown of a model's step and of a refusal; prompts and such are not.
constexpr std::string_view kModelMembers[] = {"seat",      "step",       "model",       "text",   "outcome",
                                              "tokens_in", "tokens_out", "cost",        "ms",     "message",
                                              "fixes",     "issues",     "parse_error", "cut_off"};
constexpr std::string_view kRefusalMembers[] = {"seat", "action", "data", "code", "message", "agent"};

Result<std::optional<std::uint64_t>> OptionalNumber(const net::HttpRequest& request, std::string_view name) {
  if (request.Query(name) == nullptr) return std::optional<std::uint64_t>();
  const Result<std::uint64_t> number = net::NumberQuery(request, name, 0);
  if (!number) return Fail(number.error());
  if (*number == 0 && name != "decision")
    return Fail(ErrorCode::kInvalid, std::string(name) + " counts from 1; got 0", std::string(name));
  return std::optional(*number);
}

struct SaidAtTable {
  std::vector<json::Object> said;  // what models answered and what was refused, in order
  std::vector<Seq> decisions;      // the events at which a seat was asked, without those that ask again
  Seq last_seq = 0;                // of the journal
};

bool IsFirstAttempt(const StoredEvent& stored) {
  if (stored.event.kind != EventKind::kDecision) return false;
  const Result<json::Value> payload = json::Parse(stored.event.payload);
  const json::Value* attempt = payload ? json::Find(*payload, "attempt") : nullptr;
  return attempt == nullptr || *attempt == json::Value(1);
}

Result<SaidAtTable> ReadSaid(Journal& journal, const TableId& id, bool wanted) {
  SaidAtTable all;
  for (;;) {
    const Result<std::vector<StoredEvent>> events = journal.Read(id, all.last_seq, kJournalPage);
    if (!events) return Fail(events.error());
    if (events->empty()) return all;
    all.last_seq = events->back().seq;
    for (const StoredEvent& stored : *events) {
      if (IsFirstAttempt(stored)) all.decisions.push_back(stored.seq);
      if (!wanted) continue;
      const bool model = stored.event.kind == EventKind::kModel;
      if (!model && stored.event.kind != EventKind::kRefusal) continue;
      json::Object event = EventToJson(stored);
      json::Object shown;
      const auto keep = [&](std::string_view name) {
        if (const json::Value* value = json::Find(event.at("payload"), name)) shown[name] = *value;
      };
      if (model) {
        std::ranges::for_each(kModelMembers, keep);
      } else {
        std::ranges::for_each(kRefusalMembers, keep);
      }
      event["payload"] = std::move(shown);
      all.said.push_back(std::move(event));
    }
  }
}

std::uint64_t SeqOf(const json::Object& event) {
  return event.at("seq").to_number<std::uint64_t>();
}

}  // namespace

Result<ReplayQuery> ReplayQueryOf(const net::HttpRequest& request) {
  ReplayQuery query;
  const std::string* viewer = request.Query("viewer");
  query.viewer = viewer == nullptr || viewer->empty() ? std::string(kSpectatorViewer) : *viewer;
  const Result<bool> said = net::FlagQuery(request, "said");
  if (!said) return Fail(said.error());
  query.said = *said;
  const Result<bool> view = net::FlagQuery(request, "view");
  if (!view) return Fail(view.error());
  query.view = *view;
  for (const auto& [name, into] : {std::pair("page", &query.page),
                                   {"step", &query.step},
                                   {"event", &query.event},
                                   {"decision", &query.decision}}) {
    Result<std::optional<std::uint64_t>> number = OptionalNumber(request, name);
    if (!number) return Fail(std::move(number).error());
    *into = *number;
  }
  return query;
}

std::size_t ReplayShelf::Book::bytes() const {
  std::size_t bytes = key.size() + opened.size() + head.size() + (steps.size() + decisions.size()) * sizeof(Seq);
  for (const Page& page : pages) bytes += page.steps.size();
  return bytes;
}

// Turns the steps of a replay into a book.
class ReplayShelf::Binder {
 public:
  Binder(Book& book, std::vector<json::Object> said) : book_(book), said_(std::move(said)) {}

  void Add(json::Object step) {
    json::Object& payload = step.at("payload").as_object();
    const std::string_view kind = json::TextOf(step, "kind");
    Note(kind, payload);
    json::Value* state = payload.if_contains("state");
    json::Value* news = payload.if_contains("news");
    if (state == nullptr || (*state == state_ && kind != "ended" && news == nullptr)) return;
    json::Value now = std::move(*state);
    json::Value happened;
    if (news != nullptr) happened = std::move(*news);
    payload.erase("news");
    payload.erase("state");
    json::Value view;
    if (json::Value* drawn = payload.if_contains("view")) view = std::move(*drawn);
    payload.erase("view");
    if (!happened.is_null()) step["news"] = std::move(happened);  // payload is not used any more: it may move
    TakeSaid(SeqOf(step), step);
    Write(std::move(step), std::move(now), std::move(view));
  }

  void Finish(const TableId& id, std::string_view viewer, std::string_view game, bool hosted) {
    // Anything said after the last change belongs to it.
    if (last_) {
      TakeSaid(Journal::kNewest, *last_);
      book_.pages.back().steps += json::Write(*last_);
    }
    json::Object head{{"table", id.str()}, {"viewer", viewer}, {"game", game}, {"hosted", hosted}};
    for (auto& member : told_) head[member.key()] = std::move(member.value());
    head["players"] = std::move(players_);
    book_.head = json::Write(head);
    book_.head = book_.head.substr(1, book_.head.size() - 2);
  }

 private:
  // What the head says about the match.
  void Note(std::string_view kind, const json::Object& payload) {
    if (kind == "joined") players_.push_back(payload.at("name"));
    if (kind == "closed") told_["closed"] = json::TextOf(payload, "reason");
    for (const char* name : {"warning", "status", "winner", "reason"}) {
      if (const json::Value* value = json::Find(payload, name); value != nullptr && kind != "closed") {
        told_[name] = *value;
      }
    }
  }

  // Moves what was said until then to the step.
  void TakeSaid(Seq until, json::Object& step) {
    const std::size_t first = told_so_far_;
    while (told_so_far_ < said_.size() && SeqOf(said_[told_so_far_]) <= until) ++told_so_far_;
    if (first == told_so_far_) return;
    json::Value& list = step["said"];
    if (!list.is_array()) list = json::Array();
    for (std::size_t i = first; i < told_so_far_; ++i) list.get_array().push_back(std::move(said_[i]));
  }

  // A member of a step, or how it changed since the previous one.
  static void AddChange(const char* whole, const char* patch, const json::Value& before, const json::Value& now,
                        bool opens, json::Object& step) {
    if (opens || before.is_null() || now.is_null()) {
      if (!now.is_null()) step[whole] = now;
      return;
    }
    std::string text;
    json::WriteDiff(before, now, text);
    step[patch] = *json::Parse(text);
  }

  void Write(json::Object step, json::Value state, json::Value view) {
    const bool opens = !last_ || on_page_ == kMostSteps || book_.pages.back().steps.size() >= kMostPageBytes;
    if (last_) book_.pages.back().steps += json::Write(*last_);
    book_.steps.push_back(SeqOf(step));
    if (opens) {
      book_.pages.push_back({book_.steps.size(), {}});
      on_page_ = 0;
    } else {
      book_.pages.back().steps += ',';
    }
    AddChange("state", "patch", state_, state, opens, step);
    AddChange("view", "view_patch", view_, view, opens, step);
    ++on_page_;
    state_ = std::move(state);
    view_ = std::move(view);
    last_ = std::move(step);
  }

  Book& book_;
  std::vector<json::Object> said_;
  std::size_t told_so_far_ = 0;  // of said_
  json::Array players_;
  json::Object told_;
  json::Value state_;
  json::Value view_;                  // null: the game draws none
  std::optional<json::Object> last_;  // the latest step, which is not written yet
  std::size_t on_page_ = 0;
};

Result<ReplayShelf::Book> ReplayShelf::Make(Journal& journal, const FindGame& find_game, const TableId& id,
                                            const ReplayQuery& query, const StoredEvent& opened) {
  Book book;
  const std::optional<std::string> hosted = HostedGameOf(opened.event.payload);
  const Game* game = hosted ? find_game(*hosted) : nullptr;
  if (game == nullptr) {
    Binder(book, {}).Finish(id, query.viewer, hosted.value_or(""), hosted.has_value());
    return book;
  }
  Result<SaidAtTable> all = ReadSaid(journal, id, query.said);
  if (!all) return Fail(std::move(all).error());
  book.last_seq = all->last_seq;
  book.decisions = std::move(all->decisions);
  Result<Replay> replay = Replay::Open(journal, *game, id, query.viewer);
  if (!replay) return Fail(std::move(replay).error());
  if (query.view) replay->ShowViews();
  Binder binder(book, std::move(all->said));
  const Result<void> done = replay->Run(0, [&](json::Object step) {
    binder.Add(std::move(step));
    return true;
  });
  if (!done) return Fail(done.error());
  binder.Finish(id, query.viewer, *hosted, true);
  return book;
}

std::uint64_t ReplayShelf::StepOf(const Book& book, const ReplayQuery& query) {
  const std::size_t count = book.steps.size();
  if (query.step) return std::min<std::uint64_t>(*query.step, count);
  std::optional<Seq> event = query.event;
  if (!event && query.decision && !book.decisions.empty()) {
    event = book.decisions[std::min<std::uint64_t>(*query.decision, book.decisions.size() - 1)];
  }
  if (!event) return count == 0 ? 0 : 1;
  const auto after = std::ranges::upper_bound(book.steps, *event);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(after - book.steps.begin()), count == 0 ? 0 : 1, count);
}

Result<std::string> ReplayShelf::PageOf(const Book& book, const ReplayQuery& query) {
  std::uint64_t at = StepOf(book, query);
  std::size_t page = 0;  // from 1
  if (query.page) {
    if (*query.page > std::max<std::size_t>(book.pages.size(), 1)) {
      return Fail(ErrorCode::kInvalid,
                  "page must be at most " + std::to_string(book.pages.size()) + "; got " + std::to_string(*query.page),
                  "page");
    }
    page = std::min<std::size_t>(*query.page, book.pages.size());
    if (page > 0) at = book.pages[page - 1].first;
  } else {
    page = static_cast<std::size_t>(std::ranges::upper_bound(book.pages, at, {}, &Page::first) - book.pages.begin());
  }
  std::string out = "{" + book.head;
  const auto add = [&out](const char* name, std::uint64_t number) {
    out.append(",\"").append(name).append("\":").append(std::to_string(number));
  };
  add("count", book.steps.size());
  add("pages", book.pages.size());
  add("page", page);
  add("first", page > 0 ? book.pages[page - 1].first : 0);
  add("at", at);
  out.append(",\"steps\":[").append(page > 0 ? book.pages[page - 1].steps : "").append("]}");
  return out;
}

Result<std::string> ReplayShelf::Read(Journal& journal, const FindGame& find_game, const TableId& id,
                                      const ReplayQuery& query, const std::string& source) {
  const Result<std::vector<StoredEvent>> first = journal.Read(id, 0, 1);
  if (!first) return Fail(first.error());
  if (first->empty()) return Fail(ErrorCode::kParse, "the journal of " + id.str() + " is empty");
  const StoredEvent& opened = first->front();
  const std::string key =
      source + "\n" + id.str() + "\n" + (query.said ? "said " : "") + (query.view ? "view " : "") + query.viewer;
  const std::string mark = FormatIso8601(opened.event.time) + opened.event.payload;
  auto known = std::ranges::find(books_, key, &Book::key);
  if (known != books_.end()) {
    const Result<std::vector<StoredEvent>> more = journal.Read(id, known->last_seq, 1);
    if (!more) return Fail(more.error());
    if (known->opened != mark || !more->empty()) {
      books_.erase(known);
      known = books_.end();
    }
  }
  if (known == books_.end()) {
    Result<Book> made = Make(journal, find_game, id, query, opened);
    if (!made) return Fail(std::move(made).error());
    made->key = key;
    made->opened = mark;
    books_.push_front(std::move(*made));
    known = books_.begin();
  }
  books_.splice(books_.begin(), books_, known);
  Result<std::string> page = PageOf(books_.front(), query);
  std::size_t bytes = 0;
  std::size_t kept = 0;
  for (auto it = books_.begin(); it != books_.end();) {
    bytes += it->bytes();
    it = ++kept > kMostBooks || bytes > kMostShelfBytes ? books_.erase(it) : std::next(it);
  }
  return page;
}

}  // namespace openseat::console
