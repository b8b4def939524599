// The live feed over a real connection, with a journal on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/journal.h"
#include "core/table.h"
#include "core/transcript.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "protocols/console/live_api.h"
#include "protocols/console/live_session.h"
#include "store/sqlite_journal.h"

namespace openseat::console {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A table with a record and nothing else.
class PlainTable final : public Table {
 public:
  PlainTable(Journal& journal, Scheduler& scheduler, const std::string& id, const char* kind)
      : transcript_(journal, scheduler, TableId(id)), scheduler_(scheduler) {
    transcript_.Add(EventKind::kOpened, std::string(R"({"game":"tictactoe","kind":")") + kind + "\"}");
  }

  const TableId& id() const override { return transcript_.table(); }
  Scheduler& scheduler() override { return scheduler_; }
  std::size_t seats() const override { return 0; }
  Seat& seat(SeatIndex) override { std::abort(); }
  const Seat& seat(SeatIndex) const override { std::abort(); }
  std::string_view status_name() const override { return "open"; }
  void SeatAgent(SeatIndex, std::string, AgentSpec, Seated) override {}
  void Resign(SeatIndex, std::string, Quitter, Done) override {}
  json::Object Info() const override {
    json::Object info{{"id", id().str()}, {"opened", "2026-11-20T21:33:30.123Z"}, {"events", transcript_.last_seq()}};
    if (!peer_.empty()) info["peer"] = peer_;
    return info;
  }
  Result<json::Value> Control(std::string_view, const json::Object&) override {
    return Fail(ErrorCode::kUnsupported, "");
  }

  Transcript transcript_;
  std::string peer_;

 private:
  Scheduler& scheduler_;
};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): GoogleTest destroys tests through its own base
class Live : public ::testing::Test {
 protected:
  Live() : server_([this](net::Router& router) { api_router_ = &router; }) {
    std::string name = (std::filesystem::temp_directory_path() / "openseat-live-XXXXXX").string();
    OPENSEAT_CHECK(mkdtemp(name.data()) != nullptr, "a temporary directory can be made");
    path_ = name;
    auto journal = store::SqliteJournal::Open(name + "/openseat.db");
    OPENSEAT_CHECK(journal.has_value(), "the journal opens");
    journal_ = std::move(*journal);
    feed_ = std::make_unique<LiveFeed>(*journal_);
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&server_.shards.at(0)});
    api_ = std::make_unique<LiveApi>(*feed_, *directory_);
    On([this] { api_->AddRoutes(*api_router_); });
  }
  ~Live() override {
    client_.reset();
    On([this] {
      for (auto& table : tables_) directory_->Remove(*table);
      tables_.clear();
    });
    static_cast<void>(journal_->Flush().has_value());
    server_.server.reset();
    server_.shards.Stop();
    api_.reset();
    std::filesystem::remove_all(path_);
  }

  void On(const std::function<void()>& work) { server_.On(0, work); }

  PlainTable& Open(const std::string& id, const char* kind = "remote") {
    PlainTable* made = nullptr;
    On([&] {
      tables_.push_back(std::make_unique<PlainTable>(*feed_, server_.shards.at(0), id, kind));
      made = tables_.back().get();
      directory_->Add(*made);
    });
    return *made;
  }
  void Add(PlainTable& table, EventKind kind, const std::string& payload, int times = 1) {
    On([&] {
      for (int i = 0; i < times; ++i) table.transcript_.Add(kind, payload);
    });
  }

  void Connect() {
    client_ = std::make_unique<net::TestClient>(server_.port());
    ASSERT_EQ(client_->Upgrade("/api/v1/live").status, 101);
  }
  // Like a page from elsewhere, which sends its token in this way.
  net::TestClient::Answer Offer(const std::string& protocols) {
    net::TestClient client(server_.port());
    return client.Upgrade("/api/v1/live", "Sec-WebSocket-Protocol: " + protocols + "\r\n");
  }
  void Say(const json::Value& message) { client_->Send(net::ClientFrame(0x81, json::Write(message))); }
  json::Object Hear() {
    const net::TestClient::Frame frame = client_->ReadFrame();
    EXPECT_EQ(frame.opcode, 1) << frame.payload;
    Result<json::Value> message = json::Parse(frame.payload);
    return message && message->is_object() ? message->get_object() : json::Object();
  }
  static std::string TypeOf(const json::Object& message) {
    const json::Value* type = json::Find(message, "type");
    return type == nullptr ? std::string() : std::string(json::View(type->as_string()));
  }
  // Messages of this type, skipping all others.
  json::Object HearOf(const std::string& type) {
    for (;;) {
      json::Object message = Hear();
      if (TypeOf(message) == type || message.empty()) return message;
    }
  }
  static std::vector<std::int64_t> Seqs(const json::Object& message) {
    std::vector<std::int64_t> out;
    if (const json::Value* events = json::Find(message, "events")) {
      for (const json::Value& event : events->as_array()) out.push_back(event.at("seq").to_number<std::int64_t>());
    }
    return out;
  }

  std::filesystem::path path_;
  net::Router* api_router_ = nullptr;
  net::TestServer server_;
  std::unique_ptr<store::SqliteJournal> journal_;
  std::unique_ptr<LiveFeed> feed_;
  std::unique_ptr<TableDirectory> directory_;
  std::unique_ptr<LiveApi> api_;
  std::vector<std::unique_ptr<PlainTable>> tables_;
  std::unique_ptr<net::TestClient> client_;
};

TEST_F(Live, OfTheSubprotocolsThatAPageOffersTheTokenIsNotSaidBack) {
  net::TestClient::Answer answer = Offer("openseat.live, openseat.bearer.secret");
  EXPECT_EQ(answer.status, 101);
  EXPECT_EQ(answer.headers["sec-websocket-protocol"], "openseat.live");
  EXPECT_EQ(answer.head.find("secret"), std::string::npos);
}

TEST_F(Live, HistoryComesFirstAndThenWhatHappens) {
  PlainTable& table = Open("one");
  Add(table, EventKind::kReceived, R"({"command":"startup"})");
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "one"}, {"after", 0}});
  json::Object subscribed = Hear();
  EXPECT_EQ(TypeOf(subscribed), "subscribed");
  EXPECT_EQ(subscribed["viewer"], "all");
  const json::Object history = Hear();
  EXPECT_THAT(Seqs(history), ElementsAre(1, 2));
  EXPECT_EQ(history.at("events").at(1).at("kind"), "received");
  EXPECT_EQ(history.at("events").at(1).at("payload").at("command"), "startup");
  Add(table, EventKind::kSent, R"({"command":"action"})");
  EXPECT_THAT(Seqs(Hear()), ElementsAre(3));
  Add(table, EventKind::kNote, R"({"text":"x"})", 2);
  EXPECT_THAT(Seqs(Hear()), ElementsAre(4, 5));

  // A page that comes back continues where it was.
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "one"}, {"after", 4}});
  EXPECT_THAT(Seqs(HearOf("events")), ElementsAre(5));
  Say(json::Object{{"op", "unsubscribe"}, {"table", "one"}});
  Say(json::Object{{"op", "ping"}});
  EXPECT_EQ(TypeOf(Hear()), "pong");
  Add(table, EventKind::kNote, "{}");
  Say(json::Object{{"op", "ping"}});
  EXPECT_EQ(TypeOf(Hear()), "pong");
}

TEST_F(Live, OnlyTheKindsThatAreAskedFor) {
  PlainTable& table = Open("one");
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "one"}, {"after", 0}, {"kinds", json::Array{"choice", "verdict"}}});
  EXPECT_EQ(TypeOf(Hear()), "subscribed");
  Add(table, EventKind::kReceived, "{}");
  Add(table, EventKind::kChoice, "{}");
  Add(table, EventKind::kNote, "{}");
  Add(table, EventKind::kVerdict, "{}");
  EXPECT_THAT(Seqs(Hear()), ElementsAre(3));
  EXPECT_THAT(Seqs(Hear()), ElementsAre(5));
}

TEST_F(Live, ALongHistoryIsLeftToRest) {
  PlainTable& table = Open("one");
  Add(table, EventKind::kNote, "{}", static_cast<int>(LiveSession::kMaxHistory) + 500);
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "one"}, {"after", 0}});
  EXPECT_EQ(TypeOf(Hear()), "subscribed");
  for (std::size_t got = 0; got < LiveSession::kMaxHistory; got += LiveSession::kEventsPerMessage) {
    EXPECT_EQ(Seqs(Hear()).size(), LiveSession::kEventsPerMessage);
  }
  json::Object gap = Hear();
  EXPECT_EQ(TypeOf(gap), "gap");
  EXPECT_EQ(gap["gap"].at("after"), LiveSession::kMaxHistory);
  Add(table, EventKind::kNote, "{}");
  gap = Hear();
  EXPECT_EQ(gap["gap"].at("next"), LiveSession::kMaxHistory + 502);
  EXPECT_THAT(Seqs(Hear()), ElementsAre(LiveSession::kMaxHistory + 502));
}

TEST_F(Live, ASlowPageIsToldWhatItMissed) {
  PlainTable& table = Open("one");
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "one"}, {"after", 1}});
  EXPECT_EQ(TypeOf(Hear()), "subscribed");
  // More than the kernel's buffers and the server's own take.
  const std::string payload = "{\"text\":\"" + std::string(60'000, 'x') + "\"}";
  for (int i = 0; i < 60; ++i) Add(table, EventKind::kNote, payload, 10);
  // All of it is told before the page reads anything, or a slow server would not leave anything out.
  ASSERT_TRUE(journal_->Flush());
  On([] {});
  std::int64_t last = 1;
  json::Object message;
  for (;;) {
    message = Hear();
    ASSERT_FALSE(message.empty());
    if (TypeOf(message) == "gap") break;
    for (const std::int64_t seq : Seqs(message)) {
      EXPECT_EQ(seq, last + 1);
      last = seq;
    }
  }
  EXPECT_EQ(message["gap"].at("after"), last);
  EXPECT_GT(message["gap"].at("next").to_number<std::int64_t>(), last + 1);
  last = message["gap"].at("next").to_number<std::int64_t>() - 1;
  // New events follow the gap.
  Add(table, EventKind::kChoice, "{}");
  while (last < 602) {
    message = Hear();
    ASSERT_FALSE(message.empty());
    if (TypeOf(message) == "gap") {
      EXPECT_EQ(message["gap"].at("after"), last);
      last = message["gap"].at("next").to_number<std::int64_t>() - 1;
    }
    for (const std::int64_t seq : Seqs(message)) {
      EXPECT_EQ(seq, last + 1);
      last = seq;
    }
  }
}

TEST_F(Live, ALongPayloadIsLeftOut) {
  PlainTable& table = Open("one");
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "one"}, {"after", 1}});
  EXPECT_EQ(TypeOf(Hear()), "subscribed");
  Add(table, EventKind::kReceived, "\"" + std::string(LiveSession::kMaxPayload, 'x') + "\"");
  const json::Object message = Hear();
  EXPECT_EQ(message.at("events").at(0).at("omitted"), LiveSession::kMaxPayload + 2);
  EXPECT_FALSE(message.at("events").at(0).as_object().contains("payload"));
}

TEST_F(Live, OfAHostedMatchSpectatorsHearThatSomethingChanged) {
  PlainTable& table = Open("match", "hosted");
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "match"}, {"after", 1}});
  json::Object message = Hear();
  EXPECT_EQ(message["viewer"], "spectator");
  Add(table, EventKind::kPlayed, R"({"secret":1})", 3);
  message = Hear();
  EXPECT_EQ(json::Write(message), R"({"type":"changed","table":"match","seq":4})");
  Say(json::Object{{"op", "subscribe"}, {"table", "match"}, {"after", 1}, {"viewer", "all"}});
  EXPECT_EQ(Hear()["viewer"], "all");
  EXPECT_THAT(Seqs(Hear()), ElementsAre(2, 3, 4));
}

TEST_F(Live, TablesComeChangeAndGo) {
  Open("first");
  Connect();
  Say(json::Object{{"op", "tables"}});
  json::Object message = Hear();
  EXPECT_EQ(TypeOf(message), "tables");
  EXPECT_EQ(message["tables"].as_array().size(), 1u);
  PlainTable& second = Open("second");
  message = HearOf("table");
  EXPECT_EQ(message["table"].at("id"), "second");
  Add(second, EventKind::kNote, "{}");
  message = HearOf("table");
  EXPECT_EQ(message["table"].at("events"), 2);
  On([&] {
    second.transcript_.Add(EventKind::kClosed, "{}");
    directory_->Remove(second);
  });
  message = HearOf("table-gone");
  EXPECT_EQ(message["id"], "second");
}

// Strangers open as many as they may, with names of 64 KiB that are six times as long when they are written.
TEST_F(Live, ManyLongTablesComeInPieces) {
  constexpr std::size_t kTables = 100;
  for (std::size_t i = 0; i < kTables; ++i) {
    PlainTable& table = Open("t" + std::to_string(i));
    On([&table, i] { table.peer_ = std::string(i % 2 == 0 ? 64'000 : 3'000, '\x7F'); });
  }
  Connect();
  Say(json::Object{{"op", "tables"}, {"watch", true}});
  std::set<std::string> told;
  std::string expected = "tables";
  for (bool more = true; more;) {
    const net::TestClient::Frame frame = client_->ReadFrame();
    ASSERT_EQ(frame.opcode, 1) << frame.payload;
    EXPECT_LT(frame.payload.size(), std::size_t{1} << 20);
    const Result<json::Value> message = json::Parse(frame.payload);
    ASSERT_TRUE(message.has_value());
    if (TypeOf(message->get_object()) == "table") continue;
    ASSERT_EQ(TypeOf(message->get_object()), expected);
    expected = "more-tables";
    const json::Array& tables = message->at("tables").as_array();
    EXPECT_LE(tables.size(), LiveSession::kTablesAtOnce);
    for (const json::Value& table : tables) told.emplace(json::View(table.at("id").as_string()));
    more = message->at("more").as_bool();
    EXPECT_TRUE(more || told.size() == kTables);
  }
  // The list is whole, and the page still hears of changes.
  Add(*tables_.front(), EventKind::kNote, "{}");
  EXPECT_EQ(HearOf("table").at("table").at("id"), json::Value("t0"));
}

TEST_F(Live, AListThatIsAskedForAgainBeginsAgain) {
  for (int i = 0; i < 40; ++i) Open("t" + std::to_string(i));
  Connect();
  for (int i = 0; i < 2; ++i) {
    Say(json::Object{{"op", "tables"}});
    EXPECT_EQ(HearOf("tables").at("more"), json::Value(true));
  }
  std::size_t rest = 0;
  for (bool more = true; more;) {
    const json::Object message = HearOf("more-tables");
    ASSERT_FALSE(message.empty());
    more = message.at("more").as_bool();
    rest = more ? rest + message.at("tables").as_array().size() : rest;
  }
  EXPECT_GE(rest, LiveSession::kTablesAtOnce);
}

TEST_F(Live, AMessageHasFewLongEvents) {
  PlainTable& table = Open("one");
  Add(table, EventKind::kReceived, "\"" + std::string(60'000, '\x7F') + "\"", 20);
  Connect();
  Say(json::Object{{"op", "subscribe"}, {"table", "one"}, {"after", 1}});
  EXPECT_EQ(TypeOf(Hear()), "subscribed");
  const net::TestClient::Frame frame = client_->ReadFrame();
  EXPECT_EQ(frame.opcode, 1);
  EXPECT_LT(frame.payload.size(), std::size_t{1} << 20);
  EXPECT_GT(frame.payload.size(), std::size_t{360'000});
}

TEST_F(Live, NonsenseIsAnsweredWithWhatWasExpected) {
  Open("one");
  Connect();
  const auto refused = [&](const char* text) {
    client_->Send(net::ClientFrame(0x81, text));
    json::Object message = Hear();
    EXPECT_EQ(TypeOf(message), "error") << text;
    return json::Write(message);
  };
  EXPECT_THAT(refused("{"), HasSubstr(R"("code":"parse")"));
  EXPECT_THAT(refused("[]"), HasSubstr("JSON object"));
  EXPECT_THAT(refused(R"({"op":"fly"})"), HasSubstr("subscribe, unsubscribe, tables or ping"));
  EXPECT_THAT(refused(R"({"op":"subscribe"})"), HasSubstr(R"("path":"table")"));
  EXPECT_THAT(refused(R"({"op":"subscribe","table":"none","after":0})"), HasSubstr(R"("code":"not-found")"));
  EXPECT_THAT(refused(R"({"op":"subscribe","table":"one","after":-1})"), HasSubstr(R"("path":"after")"));
  EXPECT_THAT(refused(R"({"op":"subscribe","table":"one","kinds":["x"]})"), HasSubstr(R"("path":"kinds")"));
  EXPECT_THAT(refused(R"({"op":"subscribe","table":"one","viewer":"1"})"), HasSubstr(R"("path":"viewer")"));
}

// What is read of a record waits in memory for the loop, and then for the page.
TEST_F(Live, WhileMemoryIsShortNoHistoryIsRead) {
  Open("t");
  Connect();
  const std::uint64_t most = server_.budget.limits().max_memory;
  const auto resident = std::make_shared<std::atomic<std::uint64_t>>(most - Journal::kReadBytes);
  server_.budget.MeasureWith([resident] { return resident->load(); });
  server_.budget.Measure();
  Say(json::Object{{"op", "subscribe"}, {"table", "t"}, {"after", 0}});
  const json::Object refused = Hear();
  EXPECT_EQ(TypeOf(refused), "error");
  EXPECT_EQ(refused.at("table"), json::Value("t"));
  EXPECT_EQ(refused.at("error").at("code"), json::Value("busy"));
  EXPECT_THAT(json::Write(refused.at("error").at("message")), HasSubstr("max_memory"));
  Say(json::Object{{"op", "subscribe"}, {"table", "t"}});
  EXPECT_EQ(TypeOf(Hear()), "subscribed") << "without the past";
  *resident = most / 2;
  server_.budget.Measure();
  Say(json::Object{{"op", "subscribe"}, {"table", "t"}, {"after", 0}});
  EXPECT_EQ(TypeOf(Hear()), "subscribed");
  EXPECT_THAT(Seqs(Hear()), ElementsAre(1));
}

TEST_F(Live, OnlySoManySubscriptionsBeginAtOnce) {
  Open("t");
  Connect();
  std::string frames;
  for (int i = 0; i < 100; ++i) {
    frames += net::ClientFrame(0x81, R"({"op":"subscribe","table":"t","after":0})");
  }
  client_->Send(frames);
  const json::Object error = HearOf("error");
  EXPECT_EQ(error.at("error").at("code"), json::Value("busy"));
  EXPECT_EQ(TypeOf(HearOf("subscribed")), "subscribed") << "the last of those that were taken";
  Say(json::Object{{"op", "subscribe"}, {"table", "t"}});
  EXPECT_EQ(TypeOf(HearOf("subscribed")), "subscribed");
}

TEST_F(Live, WhoAsksForAllTablesAgainAndAgainGetsOneList) {
  Open("t");
  Connect();
  std::string frames;
  for (int i = 0; i < 50; ++i) frames += net::ClientFrame(0x81, R"({"op":"tables"})");
  client_->Send(frames);
  EXPECT_EQ(TypeOf(HearOf("tables")), "tables");
  Say(json::Object{{"op", "ping"}});
  for (;;) {
    const std::string type = TypeOf(Hear());
    EXPECT_NE(type, "tables");
    if (type == "pong") break;
    ASSERT_FALSE(type.empty());
  }
}

}  // namespace
}  // namespace openseat::console
