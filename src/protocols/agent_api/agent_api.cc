#include "protocols/agent_api/agent_api.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <utility>

#include "agents/external/seat_token.h"
#include "base/budget.h"
#include "base/digest.h"
#include "base/stranger.h"
#include "base/text.h"
#include "match/invite.h"
#include "net/client_address.h"
#include "net/json_request.h"
#include "protocols/agent_api/route_info.h"
#include "protocols/agent_api/seat_answers.h"

namespace openseat::agent_api {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;

namespace {

constexpr std::string_view kKeyHeader = "X-JNet-API";
// Where other servers of a cluster ask for the seats of a key's account.
constexpr std::string_view kSeatPath = "/game/seat";
constexpr std::string_view kRetryHeader = "Idempotency-Key";
constexpr std::size_t kMaxRetryKey = 255;
constexpr std::uint64_t kMaxWaitSeconds = 60;

json::Object Message(std::string_view message) {
  return {{"message", Ellipsize(message, kMaxErrorBytes)}};
}

// What the server answers before a handler is asked, according to the document's list: an unknown path or method is
// 404, an unreadable request is 400.
HttpResponse Unhandled(int status, std::string_view message) {
  // Games connect to /game/NAME by WebSocket; this API has nothing there.
  if (status == 426) return HttpResponse::Json(404, Message("no such endpoint"));
  int listed = status >= 500 ? 500 : 400;
  if (status == 404 || status == 405 || status == 501) listed = 404;
  // A game that connects to /game/NAME without a token gets 401.
  // Another server of a cluster has the game, and gives no answer: 503.
  if (status == 401 || status == 403 || status == 429 || status == 503) listed = status;
  if (status == 505) listed = 400;  // an HTTP version
  return HttpResponse::Json(listed, Message(message));
}

// Whether ?gameid=, if given, names this game, by the match's id or its UUID.
bool IsMeant(const HttpRequest& request, const Table& table) {
  const std::string* wanted = request.Query("gameid");
  return wanted == nullptr || table.id().str() == *wanted || GameIdOf(table.id()) == *wanted;
}

}  // namespace

// One request until it is answered.
class AgentApi::Call {
 public:
  Call(HttpRequest request, HttpReply reply) : request_(std::move(request)), reply_(std::move(reply)) {}
  // Does nothing if it was already answered.
  ~Call() { Refuse(503, "Action failed: the request was dropped; whether an action counted is not known"); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const HttpRequest& request() const { return request_; }

  void Send(HttpResponse response) {
    if (response.status == 503) response.headers.Set("Retry-After", "1");
    reply_.Send(std::move(response));
  }
  void Answer(int status, const json::Object& body) { Send(HttpResponse::Json(status, body)); }
  void Answer(const SeatAnswer& answer) { Answer(answer.status, answer.body); }
  void Answer(const WrittenAnswer& answer) {
    HttpResponse response = HttpResponse::Text(answer.status, {}, "application/json");
    response.shared_body = answer.body;
    response.shared_counts = true;
    Send(std::move(response));
  }
  void Refuse(int status, std::string_view message) { Answer(status, Message(message)); }
  // With the error's status and headers.
  void Refuse(const Error& error) {
    HttpResponse response = HttpResponse::FromError(error);
    response.body = json::Write(Message(error.message));
    Send(std::move(response));
  }

  // Nobody waits for the answer any more.
  void Gone() {
    std::function<void()> forget;
    {
      const std::lock_guard lock(mutex_);
      gone_ = true;
      forget.swap(forget_);
    }
    if (forget) forget();
  }
  // `forget` runs when the asker is gone, or immediately if it already is.
  void WhenGone(std::function<void()> forget) {
    {
      const std::lock_guard lock(mutex_);
      if (!gone_) {
        forget_ = std::move(forget);
        return;
      }
    }
    forget();
  }

 private:
  const HttpRequest request_;
  net::OneReply reply_;
  std::mutex mutex_;
  bool gone_ = false;
  std::function<void()> forget_;
};

AgentApi::AgentApi(TableDirectory& directory, Registry& registry, const Clock& clock, RateLimit limit, Guesses* guesses)
    : directory_(directory), registry_(registry), clock_(clock), limiter_(limit), guesses_(guesses) {}

// --- Whose seat it is ---

void AgentApi::Admit(const HttpRequest& request, HttpReply reply, const Serve& serve) {
  const auto asker = std::make_shared<std::weak_ptr<Call>>();
  reply.OnGone([asker] {
    if (const CallPtr call = asker->lock()) call->Gone();
  });
  const auto call = std::make_shared<Call>(request, std::move(reply));
  *asker = call;
  const std::string_view key = request.headers.Get(kKeyHeader);
  const std::string payer = key.empty() ? net::ClientAddress(request) : Sha256Hex(key);
  if (!WithinLimit(call, payer)) return;
  if (key.empty()) {
    call->Refuse(400, "No X-JNet-API header specified");
  } else if (guesses_ != nullptr && !Heard(call, guesses_->MayTry(net::ClientAddress(request)))) {
    return;
  } else if (key.starts_with(kKeyPrefix)) {
    WithAccount(call, [this, call, serve](const AccountId& account) { FindSeatOf(call, account, serve); });
  } else {
    AdmitSeat(call, serve);
  }
}

bool AgentApi::WithinLimit(const CallPtr& call, const std::string& payer) {
  if (!IsStrangers(AddressOf(call->request().payer.get()))) return true;
  const Duration wait = limiter_.Take(payer, clock_.Monotonic());
  if (wait == Duration(0)) return true;
  const std::uint64_t allowed = static_cast<std::uint64_t>(limiter_.limit().per_second);
  call->Refuse(RefuseFor(call->request().payer.get(), Limit::kKeyRequests, allowed, wait).ToError());
  return false;
}

bool AgentApi::Heard(const CallPtr& call, const Result<void>& heard) {
  if (!heard) call->Refuse(heard.error());
  return heard.has_value();
}

void AgentApi::NotAdmitted(const CallPtr& call, int status, std::string_view message) {
  if (guesses_ == nullptr || Heard(call, guesses_->Wrong("key of a seat", net::ClientAddress(call->request())))) {
    call->Refuse(status, message);
  }
}

void AgentApi::AdmitSeat(const CallPtr& call, const Serve& serve) {
  const std::string key(call->request().headers.Get(kKeyHeader));
  WithSeat(
      directory_, *directory_.schedulers().front(), key,
      [call, serve](Table& table, ExternalAgent& agent) {
        if (!IsMeant(call->request(), table)) {
          call->Refuse(403, "This key is for another game");
        } else if (!table.started()) {
          call->Refuse(404, "The game has not started");
        } else {
          serve(call, table, agent);
        }
      },
      [this, call](const Error& error) {
        switch (error.code) {
          case ErrorCode::kClosed:
            return NotAdmitted(call, 403, "This key's seat is not played over this API any more");
          case ErrorCode::kBusy:
            return call->Refuse(404, "The game has not started");
          default:
            return NotAdmitted(call, 404, "Unknown X-JNet-API key");
        }
      });
}

void AgentApi::WithAccount(const CallPtr& call, std::function<void(const AccountId& account)> then) {
  registry_.Authenticate(std::string(call->request().headers.Get(kKeyHeader)), *directory_.schedulers().front(),
                         [this, call, then = std::move(then)](const Result<ApiKey>& key) {
                           if (key && !key->account.empty()) return then(key->account);
                           if (key) return call->Refuse(403, "This key belongs to no account, so to no game");
                           if (key.error().code == ErrorCode::kNotFound) {
                             return NotAdmitted(call, 404, "Unknown X-JNet-API key");
                           }
                           if (key.error().code == ErrorCode::kDenied) {
                             return NotAdmitted(call, 403, "This key was revoked");
                           }
                           call->Refuse(500, "The key could not be looked up");
                         });
}

// A seat of an account.
struct AgentApi::Found {
  TableId table;
  SeatIndex seat = 0;
  bool ended = false;
  Time opened{};     // of a match
  std::string node;  // that has it; "": it is here
};

struct AgentApi::Seats {
  std::vector<Found> seats;
  bool planned = false;  // in a match that has not begun

  // The one that a key of the account is for; nullptr if there is none. A game that is over counts only if there is no
  // other.
  const Found* Best() const {
    const auto later = [](const Found& a, const Found& b) {
      return a.ended != b.ended ? a.ended : a.opened < b.opened;
    };
    const auto best = std::ranges::max_element(seats, later);
    return best == seats.end() ? nullptr : &*best;
  }
};

// Seats are not listed by account: an account has few games, and they come and go.
void AgentApi::LocateSeats(const CallPtr& call, const AccountId& account,
                           std::function<void(const Seats& seats)> done) {
  struct Gathered {
    std::mutex mutex;
    Seats found;
  };
  const auto gathered = std::make_shared<Gathered>();
  directory_.Visit(
      *directory_.schedulers().front(),
      [call, gathered, account](Table& table) {
        for (SeatIndex seat = 0; seat < table.seats(); ++seat) {
          const ExternalAgent* agent = ExternalAt(table, seat);
          if (agent == nullptr || agent->account() != account.str() || !IsMeant(call->request(), table)) continue;
          const Time opened = table.game() == nullptr ? Time() : table.opened();
          const std::lock_guard lock(gathered->mutex);
          gathered->found.seats.push_back({table.id(), seat, agent->ended(), opened, {}});
        }
        for (auto seat = static_cast<SeatIndex>(table.seats()); seat < table.seats_needed(); ++seat) {
          const AgentSpec* planned = table.Planned(seat);
          const json::Value* of = planned == nullptr ? nullptr : json::Find(planned->options, "account");
          if (of == nullptr || *of != json::Value(account.str()) || !IsMeant(call->request(), table)) continue;
          const std::lock_guard lock(gathered->mutex);
          gathered->found.planned = true;
        }
      },
      [gathered, done = std::move(done)] { done(gathered->found); });
}

void AgentApi::FindSeatOf(const CallPtr& call, const AccountId& account, const Serve& serve) {
  LocateSeats(call, account, [this, call, account, serve](const Seats& seats) {
    const HttpRequest& request = call->request();
    // Every time: a newer game may have begun anywhere since, and no action may reach the older one. A game that is
    // named, and is here, is nowhere else.
    const bool here = !seats.seats.empty() && request.Query("gameid") != nullptr;
    if (here || others_ == nullptr || IsPassedOn(request)) return ServeBest(call, account, serve, seats, {});
    const std::string query = request.target.substr(std::min(request.target.find('?'), request.target.size()));
    others_->AskAll(request, std::string(kSeatPath) + query,
                    [this, call, account, serve, seats](const std::vector<net::OtherServers::Answer>& answers) {
                      ServeBest(call, account, serve, seats, answers);
                    });
  });
}

void AgentApi::ServeBest(const CallPtr& call, const AccountId& account, const Serve& serve, Seats seats,
                         const std::vector<net::OtherServers::Answer>& answers) {
  // Another node may have a newer game.
  bool all = others_ == nullptr || IsPassedOn(call->request()) || others_->HaveAll();
  for (const net::OtherServers::Answer& answer : answers) {
    const Result<json::Value> told = answer.body ? json::Parse(*answer.body) : Fail(ErrorCode::kIo, "");
    all = all && told;
    if (!told) continue;
    const json::Value* opened = json::Find(*told, "opened");
    const json::Value* ended = json::Find(*told, "ended");
    seats.planned = seats.planned || json::Find(*told, "planned") != nullptr;
    if (opened == nullptr || ended == nullptr || !opened->is_int64() || !ended->is_bool()) continue;
    seats.seats.push_back({{}, 0, ended->get_bool(), Time(Duration(opened->get_int64())), answer.node});
  }
  const Found* best = seats.Best();
  const bool is_meant = best != nullptr && call->request().Query("gameid") != nullptr;
  if (!all && !is_meant) {
    return call->Refuse(503,
                        "The server that has the game gives no answer, or the game moves to another one; ask again");
  }
  if (best != nullptr && best->node.empty()) return AtSeatOf(call, account, best->table, best->seat, serve);
  if (best != nullptr) {
    call->WhenGone(others_->PassOn(best->node, call->request(),
                                   [call](HttpResponse response) { call->Send(std::move(response)); }));
    return;
  }
  if (IsPassedOn(call->request())) {
    return call->Refuse(503,
                        "The server that has the game gives no answer, or the game moves to another one; ask again");
  }
  if (seats.planned) return call->Refuse(404, "The game has not started");
  call->Refuse(403, "No game for this key, or its API access is not enabled");
}

void AgentApi::TellSeat(const HttpRequest& request, HttpReply reply) {
  if (!IsPassedOn(request)) return std::move(reply).Send(Unhandled(404, "no such endpoint"));
  const auto call = std::make_shared<Call>(request, std::move(reply));
  WithAccount(call, [this, call](const AccountId& account) {
    LocateSeats(call, account, [call](const Seats& seats) {
      json::Object told;
      if (seats.planned) told["planned"] = true;
      if (const Found* best = seats.Best()) {
        told["ended"] = best->ended;
        told["opened"] = std::int64_t{best->opened.time_since_epoch().count()};
      }
      call->Answer(200, told);
    });
  });
}

void AgentApi::AtSeatOf(const CallPtr& call, const AccountId& account, const TableId& table, SeatIndex seat,
                        const Serve& serve) {
  directory_.With(
      *directory_.schedulers().front(), table,
      [call, account, serve, seat](Table& found) {
        ExternalAgent* agent = ExternalAt(found, seat);
        if (agent == nullptr || agent->account() != account.str()) {
          call->Refuse(403, "No game for this key, or its API access is not enabled");
        } else if (agent->seat() == nullptr || !found.started()) {
          call->Refuse(404, "The game has not started");
        } else {
          serve(call, found, *agent);
        }
      },
      [call] { call->Refuse(403, "No game for this key, or its API access is not enabled"); });
}

void AgentApi::AdmitAgain(const CallPtr& call, const TableId& table, SeatIndex seat, const Serve& serve) {
  // Its key was right, so a table that is gone is no wrong guess.
  directory_.With(
      *directory_.schedulers().front(), table,
      [this, call, table, seat, serve](const Table&) {
        if (!call->request().headers.Get(kKeyHeader).starts_with(kKeyPrefix)) return AdmitSeat(call, serve);
        WithAccount(call, [this, call, table, seat, serve](const AccountId& account) {
          AtSeatOf(call, account, table, seat, serve);
        });
      },
      [call] { call->Refuse(503, "The game is over, or goes on at another server; ask again"); });
}

// --- What is asked ---

void AgentApi::Add(net::Router& router, Method method, const std::string& path, net::RouteInfo info, Serve serve) {
  router.Add(method, path, std::move(info),
             [this, serve = std::move(serve)](const HttpRequest& request, HttpReply reply) {
               Admit(request, std::move(reply), serve);
             });
}

void AgentApi::AddRoutes(net::Router& router) {
  router.SetErrors("/game/", Unhandled);
  Add(router, Method::kGet, "/game/state", ReadInfo("state"),
      [this](const CallPtr& call, Table& table, ExternalAgent& agent) { State(call, table, agent); });
  for (const char* what :
       {"prompt", "actions", "log", "board", "scored", "run", "hand", "deck", "discard", "decklist"}) {
    Add(router, Method::kGet, std::string("/game/") + what, ReadInfo(what),
        [this, what](const CallPtr& call, Table& table, ExternalAgent& agent) { Read(what, call, table, agent); });
  }
  for (const char* what : {"action", "choice", "select"}) {
    Add(router, Method::kPost, std::string("/game/") + what, ActInfo(what),
        [this, what](const CallPtr& call, Table& table, ExternalAgent& agent) { Act(what, call, table, agent); });
  }
  router.Add(Method::kGet, std::string(kSeatPath), {},
             [this](const HttpRequest& request, HttpReply reply) { TellSeat(request, std::move(reply)); });
  router.Add(Method::kGet, "/api/v1/tables/:id/seats/:seat/webhooks", DeliveriesInfo(),
             [this](const HttpRequest& request, HttpReply reply) { Deliveries(request, std::move(reply)); });
}

void AgentApi::Act(const std::string& what, const CallPtr& call, Table& table, ExternalAgent& agent) {
  const HttpRequest& request = call->request();
  const std::string key(request.headers.Get(kRetryHeader));
  const Answered answered = [call](const SeatAnswer& answer) { call->Answer(answer); };
  if (key.empty()) return ActAtSeat(what, table, agent, request.body, {}, answered);
  const bool printable = std::ranges::all_of(key, [](char c) { return c > ' ' && c <= '~'; });
  if (key.size() > kMaxRetryKey || !printable) {
    return call->Refuse(400,
                        "Idempotency-Key must be 1 to " + std::to_string(kMaxRetryKey) + " printable ASCII characters");
  }
  // Two clients of a seat may use the same key.
  ActAtSeat(what, table, agent, request.body, std::string(request.headers.Get(kKeyHeader)) + ' ' + key, answered);
}

void AgentApi::Read(const std::string& what, const CallPtr& call, Table& table, ExternalAgent& agent) {
  ReadSeatFor(
      call->request().payer, what, table, agent, [call](const WrittenAnswer& answer) { call->Answer(answer); },
      [this, call, what, id = table.id(), seat = agent.seat()->index()] {
        AdmitAgain(call, id, seat,
                   [this, what](const CallPtr& to, Table& of, ExternalAgent& by) { Read(what, to, of, by); });
      });
}

void AgentApi::State(const CallPtr& call, Table& table, ExternalAgent& agent) {
  const bool told_since = call->request().Query("since") != nullptr;
  const Result<std::uint64_t> wait = net::NumberQuery(call->request(), "wait", 0);
  const Result<std::uint64_t> since = net::NumberQuery(call->request(), "since", 0);
  if (!wait) return call->Refuse(400, wait.error().message);
  if (!since) return call->Refuse(400, since.error().message);
  const Serve answer = [this](const CallPtr& to, Table& of, ExternalAgent& by) { Read("state", to, of, by); };
  // Without `since` the wait is for the seat's turn.
  const bool asked = agent.seat()->decision() != nullptr;
  const bool at_once = *wait == 0 || agent.ended() || (told_since ? agent.version() > *since : asked);
  if (at_once) return answer(call, table, agent);
  const Duration timeout = std::chrono::seconds(std::min(*wait, kMaxWaitSeconds));
  Scheduler& scheduler = table.scheduler();
  const TableId id = table.id();
  const SeatIndex seat = agent.seat()->index();
  // Later: the caller of this may be in the middle of waking others. The key may have been revoked meanwhile, or the
  // seat given to another agent.
  const Result<ExternalAgent::WaitId> waiting = agent.Wait(
      agent.version(), timeout, [this, call, answer, id, seat](bool) { AdmitAgain(call, id, seat, answer); });
  if (!waiting) return call->Refuse(waiting.error());
  // Another agent's wait may have the same number.
  call->WhenGone([this, &scheduler, id, seat, waiting = *waiting, asked_of = &agent] {
    scheduler.Post([this, &scheduler, id, seat, waiting, asked_of] {
      Table* still = directory_.Local(scheduler, id);
      Agent* there = still != nullptr && seat < still->seats() ? still->seat(seat).agent() : nullptr;
      if (there == asked_of) asked_of->CancelWait(waiting);
    });
  });
}

void AgentApi::Deliveries(const HttpRequest& request, HttpReply reply) {
  const auto call = std::make_shared<Call>(request, std::move(reply));
  const MatchName name = ParseMatchName(request.Param("id"));
  const auto missing = [call, name] {
    call->Send(HttpResponse::FromError({ErrorCode::kNotFound, "no table " + Quote(name.Text()) + " is live", "id"}));
  };
  directory_.With(
      *directory_.schedulers().front(), name.id,
      [call, name, missing](Table& table) {
        if (!OpensForOwner(name, table.invite())) return missing();
        const std::string_view text = call->request().Param("seat");
        SeatIndex seat = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seat);
        const bool number = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
        const ExternalAgent* agent = number ? ExternalAt(table, seat) : nullptr;
        const std::optional<json::Object> deliveries = agent == nullptr ? std::nullopt : agent->Deliveries();
        if (!deliveries) {
          return call->Send(HttpResponse::FromError(
              {ErrorCode::kNotFound, "no seat " + Quote(text) + " of that table is told by webhooks", "seat"}));
        }
        call->Answer(200, *deliveries);
      },
      missing);
}

}  // namespace openseat::agent_api
