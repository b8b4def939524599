#include "protocols/console/live_session.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/budget.h"
#include "base/text.h"
#include "match/invite.h"
#include "match/match_events.h"
#include "match/replay.h"
#include "protocols/console/event_json.h"

namespace openseat::console {
namespace {

std::optional<EventKind> KindOf(std::string_view name) {
  for (unsigned number = 1; number < 64; ++number) {
    const auto kind = static_cast<EventKind>(number);
    if (EventKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

std::uint64_t BitOf(EventKind kind) {
  return std::uint64_t{1} << (static_cast<unsigned>(kind) & 63U);
}

Result<std::optional<std::uint64_t>> KindsOf(const json::Object& message) {
  const json::Value* kinds = json::Find(message, "kinds");
  if (kinds == nullptr) return std::optional<std::uint64_t>();
  std::uint64_t bits = 0;
  if (!kinds->is_array()) {
    return Fail(ErrorCode::kInvalid, "kinds must be an array of names; got " + std::string(json::TypeName(*kinds)),
                "kinds");
  }
  for (const json::Value& name : kinds->get_array()) {
    const std::optional<EventKind> kind =
        name.is_string() ? KindOf(json::View(name.get_string())) : std::optional<EventKind>();
    if (!kind) return Fail(ErrorCode::kInvalid, "there is no kind of event " + json::Excerpt(name), "kinds");
    bits |= BitOf(*kind);
  }
  return std::optional<std::uint64_t>(bits);
}

Result<MatchName> TableOf(const json::Object& message) {
  const json::Value* table = json::Find(message, "table");
  if (table == nullptr || !table->is_string() || table->get_string().empty()) {
    return Fail(ErrorCode::kInvalid, "table must be a table's id", "table");
  }
  return ParseMatchName(json::View(table->get_string()));
}

// A payload that is too long to be sent along is left out, and only its length is sent.
json::Object ShownEvent(const StoredEvent& event) {
  if (event.event.payload.size() <= LiveSession::kMaxPayload) return EventToJson(event);
  json::Object out = EventToJson({event.seq, {event.event.kind, event.event.time, "{}"}});
  out.erase("payload");
  out["omitted"] = event.event.payload.size();
  return out;
}

}  // namespace

void LiveSession::OnOpen(std::shared_ptr<net::WebSocket> socket) {
  socket_ = std::move(socket);
  scheduler_ = &socket_->scheduler();
  timer_.Set(*scheduler_, kTick, [this] { Tick(); });
}

void LiveSession::OnClosed() {
  timer_.Cancel();
  for (const auto& [table, subscription] : subscriptions_) feed_.Unwatch(subscription.watch);
  subscriptions_.clear();
  if (tables_watch_) feed_.Unwatch(*tables_watch_);
  tables_watch_.reset();
  socket_.reset();
}

bool LiveSession::Lags() const {
  return socket_ == nullptr || socket_->unsent() > kMaxUnsent;
}

bool LiveSession::Send(const json::Value& message) {
  return socket_ != nullptr && socket_->SendText(json::Write(message)) == net::SendStatus::kTaken;
}

void LiveSession::SendError(const Error& error, std::string_view op, const std::string& table) {
  json::Object inner{{"code", ErrorCodeName(error.code)}, {"message", Ellipsize(error.message, kMaxErrorBytes)}};
  if (!error.path.empty()) inner["path"] = Ellipsize(error.path, kMaxErrorBytes);
  json::Object message{{"type", "error"}, {"error", std::move(inner)}};
  if (!op.empty()) message["op"] = Ellipsize(op, kQuotedBytes);
  if (!table.empty()) message["table"] = Ellipsize(table, kMaxErrorBytes);
  Send(message);
}

void LiveSession::OnText(std::string_view text) {
  // A page that asks without reading the answers does not get an endless number of them.
  if (Lags()) {
    socket_->Close(net::close_code::kPolicy, "the answers are not read");
    return;
  }
  const Result<json::Value> message = json::Parse(text, {.max_bytes = 64U << 10, .max_depth = 16, .max_values = 1'000});
  if (!message || !message->is_object()) {
    SendError(message ? Error{ErrorCode::kInvalid, "a message must be a JSON object", {}} : message.error(), {});
    return;
  }
  const json::Object& object = message->get_object();
  const json::Value* name = json::Find(object, "op");
  const std::string op(name != nullptr && name->is_string() ? json::View(name->get_string()) : std::string_view());
  if (op == "subscribe") {
    Subscribe(object);
  } else if (op == "unsubscribe") {
    const Result<MatchName> table = TableOf(object);
    if (table) {
      Unsubscribe(table->id);
    } else {
      SendError(table.error(), op);
    }
  } else if (op == "tables") {
    const json::Value* watch = json::Find(object, "watch");
    WatchTables(watch == nullptr || !watch->is_bool() || watch->get_bool());
  } else if (op == "ping") {
    Send(json::Object{{"type", "pong"}});
  } else {
    SendError({ErrorCode::kUnsupported, "op must be subscribe, unsubscribe, tables or ping; got " + Quote(op), "op"},
              op);
  }
}

// --- Events of a table ---

void LiveSession::Subscribe(const json::Object& message) {
  const Result<MatchName> name = TableOf(message);
  if (!name) return SendError(name.error(), "subscribe");
  const TableId& id = name->id;
  const Result<std::optional<std::uint64_t>> kinds = KindsOf(message);
  if (!kinds) return SendError(kinds.error(), "subscribe", id.str());
  std::optional<Seq> after;
  if (const json::Value* value = json::Find(message, "after")) {
    if (!value->is_int64() || value->get_int64() < 0) {
      return SendError({ErrorCode::kInvalid, "after must be the number of an event, or 0", "after"}, "subscribe",
                       id.str());
    }
    after = static_cast<Seq>(value->get_int64());
  }
  bool whole = false;
  if (const json::Value* viewer = json::Find(message, "viewer")) {
    if (!viewer->is_string() ||
        (json::View(viewer->get_string()) != kWholeRecord && json::View(viewer->get_string()) != kSpectatorViewer)) {
      return SendError({ErrorCode::kInvalid, "viewer must be all or spectator", "viewer"}, "subscribe", id.str());
    }
    whole = json::View(viewer->get_string()) == kWholeRecord;
  }
  if (reads_ >= kMaxReads) {
    const Error full = RefuseFor(socket_->payer().get(), Limit::kSubscriptions, kMaxReads).ToError();
    return SendError(full, "subscribe", id.str());
  }
  Unsubscribe(id);
  Lease place;
  if (const std::shared_ptr<Payer> payer = socket_->payer()) {
    const std::uint64_t most = payer->limits().max_watched;
    if (most != 0 && subscriptions_.size() >= most) {
      return SendError(payer->Refuse(Limit::kWatched, most).ToError(), "subscribe", id.str());
    }
    auto held = payer->Hold(Holding::kWatched);
    if (!held) return SendError(held.error().ToError(), "subscribe", id.str());
    place = std::move(*held);
  } else if (subscriptions_.size() >= kMaxSubscriptions) {
    return SendError(
        {ErrorCode::kTooLarge, "one connection follows at most " + std::to_string(kMaxSubscriptions) + " tables", {}},
        "subscribe", id.str());
  }
  ++reads_;
  Subscription& subscription = subscriptions_[id];
  subscription.place = std::move(place);
  subscription.serial = ++last_serial_;
  subscription.kinds = *kinds;
  subscription.told = after;
  // Watch before the journal is read, so that nothing is missed in between.
  subscription.watch = feed_.Watch(id, *scheduler_, [weak = weak_from_this()](const LiveFeed::BatchPtr& batch) {
    if (const auto self = weak.lock()) self->OnBatch(batch);
  });
  reader_.Post([weak = weak_from_this(), &feed = feed_, scheduler = scheduler_, payer = socket_->payer(), name = *name,
                serial = subscription.serial, after, whole] {
    const TableId& table = name.id;
    Result<std::vector<StoredEvent>> first = feed.Read(table, 0, 1);
    if (first && !first->empty() && !OpensForOwner(name, InviteOf(first->front().event.payload))) {
      first = Fail(ErrorCode::kNotFound, "no table " + Quote(name.Text()) + " is recorded", "table");
    }
    const bool hosted = first && !first->empty() && HostedGameOf(first->front().event.payload).has_value();
    Result<std::vector<StoredEvent>> history = std::vector<StoredEvent>();
    if (!first) {
      history = Fail(first.error());
    } else if (after && (whole || !hosted)) {
      // What is read waits for the loop, which may have many.
      constexpr std::size_t kTakes = 2 * Journal::kReadBytes;
      const std::optional<Refusal> refused = payer ? payer->TouchOrRefuse(kTakes) : std::nullopt;
      history = refused ? Fail(refused->ToError()) : feed.Read(table, *after, kMaxHistory);
    }
    bool more = false;
    if (history && !history->empty()) {
      const Result<std::vector<StoredEvent>> next = feed.Read(table, history->back().seq, 1);
      more = next && !next->empty();
    }
    scheduler->Post([weak, table, serial, hosted, whole, more, history = std::move(history)]() mutable {
      const auto self = weak.lock();
      if (self == nullptr) return;
      --self->reads_;
      self->OnHistory(table, serial, hosted, whole, more, std::move(history));
    });
  });
}

void LiveSession::Unsubscribe(const TableId& table) {
  const auto found = subscriptions_.find(table);
  if (found == subscriptions_.end()) return;
  feed_.Unwatch(found->second.watch);
  subscriptions_.erase(found);
}

void LiveSession::OnHistory(const TableId& table, std::uint64_t serial, bool hosted, bool whole_asked, bool has_more,
                            Result<std::vector<StoredEvent>> history) {
  const auto found = subscriptions_.find(table);
  if (found == subscriptions_.end() || found->second.serial != serial) return;
  Subscription& subscription = found->second;
  if (!history) {
    SendError(history.error(), "subscribe", table.str());
    Unsubscribe(table);
    return;
  }
  subscription.reading = false;
  subscription.whole = whole_asked || !hosted;
  Send(json::Object{{"type", "subscribed"},
                    {"table", table.str()},
                    {"viewer", subscription.whole ? kWholeRecord : std::string_view(kSpectatorViewer)}});
  std::vector<StoredEvent> held;
  while (!subscription.held.empty()) held.push_back(subscription.held.Pop());
  if (!subscription.whole) {
    if (!held.empty()) subscription.newest = std::max(subscription.newest, held.back().seq);
    return;
  }
  Forward(table, subscription, *history);
  // The rest is left to REST; new events follow it.
  if (has_more) {
    const Seq next = held.empty() ? subscription.newest + 1 : held.back().seq + 1;
    SendGap(table, subscription, std::max(next, *subscription.told + 2));
    return;
  }
  Forward(table, subscription, held);
}

void LiveSession::OnBatch(const LiveFeed::BatchPtr& batch) {
  const auto found = subscriptions_.find(batch->table);
  if (found == subscriptions_.end()) return;
  Subscription& subscription = found->second;
  std::vector<StoredEvent> events;
  Seq seq = batch->first;
  for (const Event& event : batch->events) events.push_back({seq++, event});
  if (subscription.reading) {
    // What does not fit shows up as a gap.
    for (StoredEvent& event : events) {
      const std::size_t bytes = event.event.payload.size();
      if (!subscription.held.Push(std::move(event), bytes)) break;
    }
    subscription.newest = std::max(subscription.newest, batch->last);
    return;
  }
  if (!subscription.whole) {
    subscription.newest = std::max(subscription.newest, batch->last);
    return;
  }
  Forward(batch->table, subscription, events);
}

void LiveSession::Forward(const TableId& table, Subscription& subscription, const std::vector<StoredEvent>& events) {
  json::Array list;
  std::size_t bytes = 0;
  const auto flush = [&] {
    if (list.empty()) return;
    Send(json::Object{{"type", "events"}, {"table", table.str()}, {"events", std::move(list)}});
    list = {};
    bytes = 0;
  };
  for (const StoredEvent& event : events) {
    subscription.newest = std::max(subscription.newest, event.seq);
    if (subscription.told && event.seq <= *subscription.told) continue;
    if (Lags()) {
      if (!subscription.told) subscription.told = event.seq - 1;
      continue;
    }
    if (subscription.told && event.seq > *subscription.told + 1) {
      flush();
      SendGap(table, subscription, event.seq);
    }
    subscription.told = event.seq;
    if (subscription.kinds && (*subscription.kinds & BitOf(event.event.kind)) == 0) continue;
    list.push_back(ShownEvent(event));
    bytes += std::min(event.event.payload.size(), kMaxPayload);
    if (list.size() >= kEventsPerMessage || bytes >= kMaxPayload) flush();
  }
  flush();
}

void LiveSession::SendGap(const TableId& table, Subscription& subscription, Seq next) {
  Send(json::Object{
      {"type", "gap"}, {"table", table.str()}, {"gap", json::Object{{"after", *subscription.told}, {"next", next}}}});
  subscription.told = next - 1;
}

// --- As time goes by ---

void LiveSession::Tick() {
  timer_.Set(*scheduler_, kTick, [this] { Tick(); });
  if (socket_ == nullptr || socket_->unsent() > kResumeUnsent) return;
  CatchUp();
  if (!tables_watch_) return;
  ListSome();
  if (++ticks_ % kTicksPerRoundUp == 0 && !listing_) RoundUp();
  SendDirtyTables();
}

void LiveSession::CatchUp() {
  for (auto& [table, subscription] : subscriptions_) {
    if (subscription.reading) continue;
    if (!subscription.whole) {
      if (subscription.newest <= subscription.told.value_or(0)) continue;
      subscription.told = subscription.newest;
      Send(json::Object{{"type", "changed"}, {"table", table.str()}, {"seq", subscription.newest}});
    } else if (subscription.told && subscription.newest > *subscription.told) {
      SendGap(table, subscription, subscription.newest + 1);
    }
  }
}

// --- The list of tables ---

void LiveSession::WatchTables(bool on) {
  if (!on) {
    if (tables_watch_) feed_.Unwatch(*tables_watch_);
    tables_watch_.reset();
    listing_.reset();
    sending_.clear();
    return;
  }
  if (!tables_watch_) {
    tables_watch_ = feed_.Watch(std::nullopt, *scheduler_, [weak = weak_from_this()](const LiveFeed::BatchPtr& batch) {
      const auto self = weak.lock();
      if (self != nullptr && self->dirty_.size() < kMaxDirty) self->dirty_.insert(batch->table);
    });
  }
  SendAllTables();
}

void LiveSession::SendAllTables() {
  if (listing_ && !listing_->after) return;  // one answer for all requests before its first piece
  listing_ = Listing{.serial = ++last_serial_, .after = std::nullopt, .sent = 0};
  ListSome();
}

void LiveSession::ListSome() {
  if (!listing_ || gathering_ || Lags()) return;
  gathering_ = true;
  directory_.List(
      *scheduler_, listing_->after, std::min(kTablesAtOnce, kMaxTables - listing_->sent),
      [](Table& table) { return table.ListedInfo(); },
      [weak = weak_from_this(), serial = listing_->serial](std::vector<json::Object> tables,
                                                           std::optional<TableMark> next) {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->gathering_ = false;
        if (self->listing_ && self->listing_->serial == serial) self->SendListed(std::move(tables), std::move(next));
        self->ListSome();
      });
}

void LiveSession::SendListed(std::vector<json::Object> some, std::optional<TableMark> next) {
  const bool first = !listing_->after;
  if (first) known_.clear();
  listing_->sent += some.size();
  json::Array tables;
  for (json::Object& table : some) {
    known_.emplace(std::string(json::View(table.at("id").as_string())));
    tables.push_back(std::move(table));
  }
  Send(json::Object{
      {"type", first ? "tables" : "more-tables"}, {"tables", std::move(tables)}, {"more", next.has_value()}});
  if (next && listing_->sent < kMaxTables) {
    listing_->after = std::move(next);
  } else {
    listing_.reset();
  }
}

void LiveSession::SendDirtyTables() {
  if (!looked_for_.empty()) return;
  if (sending_.empty()) sending_.swap(dirty_);
  while (!sending_.empty() && looked_for_.size() < kTablesAtOnce && !Lags()) {
    const TableId id = sending_.extract(sending_.begin()).value();
    looked_for_.insert(id);
    directory_.With(
        *scheduler_, id,
        [weak = weak_from_this(), scheduler = scheduler_, id](Table& table) {
          scheduler->Post([weak, id, info = table.ListedInfo()]() mutable {
            if (const auto self = weak.lock()) self->OnFound(id, std::move(info));
          });
        },
        [weak = weak_from_this(), id] {
          if (const auto self = weak.lock()) self->OnFound(id, std::nullopt);
        });
  }
}

void LiveSession::OnFound(const TableId& id, std::optional<json::Object> info) {
  if (looked_for_.erase(id) == 0) return;
  if (!tables_watch_) return;
  if (Lags()) {
    dirty_.insert(id);
  } else if (info) {
    known_.insert(id);
    Send(json::Object{{"type", "table"}, {"table", std::move(*info)}});
  } else if (known_.erase(id) != 0) {
    Send(json::Object{{"type", "table-gone"}, {"id", id.str()}});
  }
  // What changes meanwhile waits for the next tick.
  if (!sending_.empty()) SendDirtyTables();
}

// A table may end without a last event in the journal.
void LiveSession::RoundUp() {
  struct Gathered {
    std::mutex mutex;
    std::set<TableId> tables;
  };
  const auto gathered = std::make_shared<Gathered>();
  directory_.Visit(
      *scheduler_,
      [gathered](Table& table) {
        const std::lock_guard lock(gathered->mutex);
        gathered->tables.insert(table.id());
      },
      [weak = weak_from_this(), gathered] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        std::ranges::set_difference(self->known_, gathered->tables, std::inserter(self->dirty_, self->dirty_.end()));
        // As many of the tables that the page was not told about as there is room for.
        for (const TableId& each : gathered->tables) {
          if (self->known_.size() + self->dirty_.size() >= kMaxTables) break;
          if (!self->known_.contains(each)) self->dirty_.insert(each);
        }
      });
}

}  // namespace openseat::console
