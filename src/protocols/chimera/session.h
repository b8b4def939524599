// Session: one Chimera client. It plays at most one match at a time, and may watch several. Requests are answered in
// the order in which they came, one at a time. Lives on its connection's shard; matches may live on others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guesses.h"
#include "base/waiting.h"
#include "core/seat_view.h"
#include "match/lobby.h"
#include "net/websocket.h"
#include "protocols/chimera/codec.h"

namespace openseat::chimera {

inline constexpr std::string_view kSubprotocol = "openseat.chimera";

// What is known about a client before it says anything.
struct Caller {
  bool local = true;      // on this machine: its matches are public unless it says otherwise, others' are private
  bool owner = false;     // has the admin token: needs no invitation
  std::string from{};     // its address, for limits
  std::string account{};  // of who has signed in; else ""
  std::string who{};      // whose API key it has, for the record of wrong guesses: HttpRequest::who
  // Notes in the audit log what the client did; may be empty.
  std::function<void(std::string_view what)> audit{};
  // Whether a match is, or may be, at another server of a cluster; may be empty. Any thread.
  std::function<bool(const TableId& match)> elsewhere{};
  // Gives what SeatsOf gives for the account at the other servers, as far as they answer; may be empty. Any thread.
  std::function<void(std::function<void(json::Array)> done)> seats_elsewhere{};
};

inline Maker MakerOf(const Caller& caller) {
  return caller.owner ? Maker::kAdministrator : Maker::kPlayer;
}

class Session final : public net::WebSocketSession {
 public:
  // `guesses` outlives it: limits how often the client may name unknown matches, or send wrong tokens. Null: no limit.
  // `payer`: whose budget limits how much the client may send ahead of the answers; null: no limit. `lobby` outlives
  // it.
  explicit Session(Lobby& lobby, Caller caller = Caller(), Guesses* guesses = nullptr,
                   std::shared_ptr<Payer> payer = nullptr)
      : lobby_(lobby), caller_(std::move(caller)), guesses_(guesses), payer_(std::move(payer)), waiting_(payer_) {}
  ~Session() override;

  // The matches in progress in which the account has a seat, as list-seats tells them; `done` runs on `here`.
  static void SeatsOf(Lobby& lobby, Scheduler& here, const std::string& account, std::function<void(json::Array)> done);

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override { socket_ = std::move(socket); }
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override;
  std::size_t waiting() const override { return waiting_.count().bytes(); }

 private:
  void Next();  // takes the next waiting requests, until one is in progress
  void Serve(std::string_view message);
  void Run(Request& request);
  std::string Names() const;  // of the games
  void ListGames(const Request& request);
  void Create(const Request& request);
  void Join(const Request& request);
  // The match that the request names, in the game that it names, or the error.
  void Find(const Request& request, std::function<void(const tl::expected<MatchRef, Failure>&)> found);
  void Spectate(const Request& request);
  // What answers a request, on the match's thread. Cheap to copy: it goes to the match and back.
  class Answer {
   public:
    Answer(const Session& session, const MatchRef& match, json::Value id);
    void operator()(const Result<json::Value>& result) const;
    void Give(const json::Value& result) const;

   private:
    struct Asked;
    void Send(std::string text) const;
    std::shared_ptr<const Asked> asked_;
  };
  // From `home`, where a match is: does it here at once, or later if that is another thread. What one match tells a
  // client arrives in order.
  template <typename F>
  static void Reach(Scheduler& home, Scheduler& here, F task) {
    if (&home == &here) {
      task();
    } else {
      here.Post(std::move(task));
    }
  }
  // The client's seat in a match.
  struct Held {
    MatchRef match;
    std::string name;  // of the match, as the client knows it
    SeatIndex seat = 0;
    std::uint32_t lease = 0;
    Match::WatchId watch;
  };
  struct MySeat {
    SeatIndex seat = 0;
    std::uint32_t lease = 0;
  };
  // Runs `run`, which takes a Match&, the MySeat and the Answer, where the match is that the client plays; refuses
  // where that is another one.
  template <typename F>
  void AtMyMatch(const Request& request, F run);
  void Act(Request& request);
  void Forfeit(const Request& request);
  void Say(const Request& request);
  void Propose(const Request& request);
  void ListSeats(const Request& request);
  struct Listed;  // the answer to list-seats
  void ListMine(const std::shared_ptr<Listed>& listed);
  void HandOn(const Request& request);
  void TakeOn(const Request& request);
  // The seat that the request is about, also of the match that ended last; null, and the request is refused, where it
  // is not the client's.
  const Held* HeldFor(const Request& request);
  Failure AlreadyInMatch() const;
  bool Plays(const TableId& match) const;
  bool Watches(const TableId& match) const;
  void StopWatching(const TableId& match);
  void LeaveMatch();  // that it plays, and which is over
  void Respond(const json::Value& id, const json::Value& result);
  void Refuse(const json::Value& id, const Failure& failure);
  // Joins the match as a player, by calling `join` there.
  void TakeSeat(const MatchRef& match, const Request& request, bool created);
  // The error for a wrong secret.
  static Failure Wrong(Guesses* guesses, std::string_view what, const std::string& from, const std::string& who,
                       Failure failure);
  void Finish(std::string_view text);  // sends the answer, and continues
  void FinishRefused(const json::Value& id, const Failure& failure);

  Lobby& lobby_;
  const Caller caller_;
  Guesses* const guesses_;
  const std::shared_ptr<Payer> payer_;
  std::shared_ptr<net::WebSocket> socket_;
  WaitingQueue<std::string> waiting_;
  bool busy_ = false;  // a request is in progress, or others have their turn
  void Leave(const Held& held);
  // What happens to a client whose match goes on elsewhere: it connects again.
  static Task Gone(std::shared_ptr<Session*> self, Scheduler& here);
  void SendAround(std::string_view event, const std::string& match, json::Object data);
  // Sends what happens around the board of the match of this name.
  static Match::AroundNotice AroundNotice(std::shared_ptr<Session*> self, Scheduler& home, Scheduler& here,
                                          std::string name, std::optional<TableId> watched = std::nullopt);
  std::optional<Held> plays_;
  std::optional<Held> played_;  // over, but its players may still talk and want another
  struct Watched {
    MatchRef match;
    Match::WatchId watch;
    Lease place;  // in the watcher's budget
  };
  std::vector<Watched> watched_;
  std::string out_;
  std::shared_ptr<Session*> self_ = std::make_shared<Session*>(this);  // null inside once this is destroyed
};

// What a client asked to be told in addition to what the protocol's document defines.
struct Extras {
  bool actions = false;  // what the player may choose now
  bool names = false;    // who plays
  bool table = false;    // what happens around the board
  bool view = false;     // the table as people see it
  bool news = false;     // what happened
};

}  // namespace openseat::chimera
