// Reads bytes as messages from Chimera clients. Every line is one message. Those that begin with "2" come from a second
// client, those that begin with "3" from a spectator (the digit is removed); "-" drops the first client's connection
// and opens a new one, "+" lets an hour pass. In a line, "@" stands for the id of the newest match, and "$" for the
// newest token.
//
// Reading never crashes. Every message is answered exactly once, with a valid response that echoes the id.
// Notifications are valid. Every message that we send is one line of ASCII. Nobody learns a hand before both are in. At
// the end, the journal folds to the current state of the match.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/make_agent.h"
#include "base/check.h"
#include "base/json.h"
#include "base/log.h"
#include "games/chicken/chicken.h"
#include "games/connectm/connectm.h"
#include "games/p1_wins/p1_wins.h"
#include "games/rps/rps.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "match/match_fold.h"
#include "net/fake_socket.h"
#include "protocols/chimera/session.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::chimera {
namespace {

struct Client {
  std::shared_ptr<net::FakeSocket> socket;
  std::unique_ptr<Session> session;
};

class World {
 public:
  explicit World(std::span<const Game* const> games)
      : lobby_(games, MatchRules{}, std::chrono::minutes(5), directory_, journal_, MakeLocalAgent) {
    for (Client& client : clients_) Connect(client);
  }
  ~World() {
    for (Client& client : clients_) Drop(client);
  }

  void Line(std::string_view line) {
    std::size_t who = 0;
    if (line == "-") {
      Drop(clients_[0]);
      return Connect(clients_[0]);
    }
    if (line == "+") {
      scheduler_.Advance(std::chrono::hours(1));
      return Look();
    }
    if (line.starts_with('2') || line.starts_with('3')) {
      who = static_cast<std::size_t>(line.front() - '1');
      line.remove_prefix(1);
    }
    std::string text;
    for (const char c : line) {
      if (c == '@') {
        text += match_;
      } else if (c == '$') {
        text += token_;
      } else {
        text += c;
      }
    }
    static_cast<void>(DecodeRequest(std::string_view(text).substr(0, text.size() / 2)));
    const bool closed = clients_[who].socket->closed_with != 0;
    clients_[who].session->OnText(text);
    const std::size_t answers = Settle(who);
    OPENSEAT_CHECK(closed || answers == 1, "every message is answered once");
    const auto request = DecodeRequest(text);
    if (!closed)
      OPENSEAT_CHECK(json::Equal(answered_id_, request ? request->id : request.error().id), "the id is echoed");
    Look();
  }

 private:
  void Connect(Client& client) {
    client = {std::make_shared<net::FakeSocket>(scheduler_, ++sockets_), std::make_unique<Session>(lobby_)};
    client.session->OnOpen(client.socket);
  }
  void Drop(Client& client) {
    client.session->OnClosed({.code = net::close_code::kAbnormal});
    client.session.reset();
    scheduler_.Run();
  }
  // Runs everything that is pending; returns how many responses client `who` got. The others may not get any.
  std::size_t Settle(std::size_t who) {
    scheduler_.Run();
    std::size_t answers = 0;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      const std::size_t got = Read(clients_[i]);
      OPENSEAT_CHECK(i == who || got == 0, "only the client that asked is answered");
      if (i == who) answers = got;
    }
    return answers;
  }
  void Look() {
    OPENSEAT_CHECK(Settle(clients_.size()) == 0, "there is no response without a request");
    Fold();
  }
  // Compares the newest match with its journal.
  void Fold() {
    const Result<std::vector<StoredEvent>> events = journal_.Read(TableId(match_), 0, 10'000);
    if (!events) return;
    const Result<json::Value> opened = json::Parse(events->front().event.payload);
    const Game* game = lobby_.FindGame(json::View(opened->at("game").as_string()));
    Result<MatchFold> fold = MatchFold::Begin(TableId(match_), *game, events->front());
    OPENSEAT_CHECK(fold.has_value(), "a journal begins with its opening");
    for (std::size_t i = 1; i < events->size(); ++i) {
      OPENSEAT_CHECK(fold->Apply((*events)[i]).has_value(), "every event in the journal can be applied");
    }
    lobby_.OnMatch(
        MatchRef{TableId(match_), &scheduler_, game->info().id, {}},
        [&](Match& match) {
          OPENSEAT_CHECK(match.status() == fold->status(), "the journal knows the status");
          if (!match.started()) return;
          for (const Viewer viewer : {Viewer::Spectator(), Viewer::Seat(0), Viewer::Seat(1)}) {
            OPENSEAT_CHECK(match.SightOf(viewer)->Observe() == fold->state()->Observe(viewer),
                           "the journal knows the state");
          }
        },
        [] {});
    scheduler_.Run();
  }

  std::size_t Read(Client& client) {
    std::size_t answers = 0;
    for (const std::string& text : client.socket->Take()) {
      OPENSEAT_CHECK(std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; }), "one line of ASCII");
      const Result<json::Value> message = json::Parse(text);
      OPENSEAT_CHECK(message.has_value() && message->is_object(), "our messages are JSON objects");
      if (message->at("type") == json::Value("notification")) {
        const json::Value& event = message->at("event");
        OPENSEAT_CHECK(event == json::Value("start") || event == json::Value("update") || event == json::Value("end"),
                       "an event is one of three");
        OPENSEAT_CHECK((message->at("data").at("match-status") == json::Value("done")) == (event == json::Value("end")),
                       "a match is done exactly at its end");
        continue;
      }
      OPENSEAT_CHECK(message->at("type") == json::Value("response"), "a message is a response or a notification");
      ++answers;
      answered_id_ = message->at("id");
      if (const json::Value* result = json::Find(*message, "result")) {
        if (const json::Value* id = json::Find(*result, "match-id")) match_ = id->as_string().c_str();
        if (const json::Value* token = json::Find(*message, "token")) token_ = token->as_string().c_str();
      } else {
        OPENSEAT_CHECK(!message->at("error").at("data").at("details").as_string().empty(),
                       "an error says what is wrong");
        OPENSEAT_CHECK(message->at("error").at("code") != json::Value(-32603), "there is never a server error");
      }
    }
    return answers;
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  TableDirectory directory_{{&scheduler_}};
  Lobby lobby_;
  std::array<Client, 3> clients_;
  std::uint64_t sockets_ = 0;
  std::string match_ = "none";
  std::string token_ = "none";
  json::Value answered_id_;
};

}  // namespace
}  // namespace openseat::chimera

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openseat;
  static const std::array<std::unique_ptr<Game>, 5> owned{games::MakeTicTacToe(), games::MakeConnectM(),
                                                          games::MakeRockPaperScissors(), games::MakeChicken(),
                                                          games::MakePlayerOneWins()};
  static const std::array<const Game*, 5> all{owned[0].get(), owned[1].get(), owned[2].get(), owned[3].get(),
                                              owned[4].get()};
  log::SetLevel(log::Level::kOff);
  chimera::World world(all);
  std::string_view input(reinterpret_cast<const char*>(data), size);
  for (int lines = 0; !input.empty() && lines < 60; ++lines) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    world.Line(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return 0;
}
