#include "protocols/neuro/session.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/budget.h"
#include "base/log.h"
#include "base/text.h"
#include "protocols/neuro/codec.h"
#include "protocols/neuro/neuro_server.h"

namespace openseat::neuro {
namespace {

constexpr WaitingLimits kHomeless{.items = 50, .bytes = WaitingCount::kFree};
constexpr std::size_t kTurn = 64;          // waiting messages that are handled before others have their turn
constexpr std::size_t kMaxGames = 64;      // per connection
constexpr std::size_t kMaxProbes = 64;     // that wait for a pong
constexpr std::size_t kMaxGameName = 256;  // bytes: it appears in every list, line of the log and replay
constexpr std::string_view kUnnamed = "(unnamed game)";

// Codes of close frames between servers: for each cause, whether unfinished or not, so many codes from 1000.
constexpr unsigned kFirstPassedOn = 4000;
constexpr unsigned kPassedOnCodes = 50;

}  // namespace

std::string CutName(std::string_view name) {
  return Ellipsize(name, name.size() > kMaxGameName ? kMaxGameName - std::string_view("…").size() : kMaxGameName);
}

Session::Session(NeuroServer& server, std::string_view hint, std::string owner, std::shared_ptr<Payer> payer)
    : server_(server),
      hint_(CutName(hint)),
      owner_(std::move(owner)),
      payer_(std::move(payer)),
      waiting_(payer_),
      homeless_(kHomeless, payer_),
      under_way_(std::make_shared<WaitingCount>(payer_)) {}

Session::~Session() = default;

void Session::OnOpen(std::shared_ptr<net::WebSocket> socket) {
  socket_ = std::move(socket);
  opened_ = socket_->scheduler().clock().Monotonic();
  std::string ask;
  if (server_.options().reregister == NeuroOptions::Reregister::kAlways && !passed_on_) {
    EncodeReregisterAll(ask);
    socket_->SendText(ask);
  }
  silent_timer_.Set(socket_->scheduler(), server_.options().silent_after, [this] { OnSilent(); });
}

void Session::OnText(std::string_view message) {
  OnMessage(message, false);
}
void Session::OnBinary(std::string_view message) {
  OnMessage(message, true);
}

void Session::OnMessage(std::string_view text, bool binary) {
  if (went_) return elsewhere_->Send(text);
  silent_timer_.Cancel();
  if (!asking_ && !resuming_) return Handle(text, binary);
  if (!waiting_.Push({std::string(text), binary}, text.size())) Refuse(waiting_.count());
}

void Session::Refuse(const WaitingCount& count) {
  const Refusal refusal = count.Refuse(payer_.get());
  socket_->Close(net::CloseCodeFor(refusal.limit), refusal.Text());
}

void Session::Handle(std::string_view text, bool binary) {
  std::vector<Decoded> documents = Decode(text);
  if (binary) {
    documents.front().issues.insert(
        documents.front().issues.begin(),
        {Diagnostic::kBinaryFrame, "",
         "the message came as a binary frame; it was read as text, the real server would not"});
  }
  std::size_t next = 0;
  if (!Route(text, documents, next)) routed_ = Message{std::string(text), std::move(documents), next};
}

std::vector<Decoded> Session::Decode(std::string_view text) const {
  DecodeLimits limits;
  const std::uint64_t most = (payer_ != nullptr ? payer_->limits() : PeerLimits::Loopback()).max_message_values;
  limits.json.max_values = most == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(most);
  if (!json::HoldsMoreValues(text, limits.json.max_values)) [[likely]]
    return DecodeClient(text, limits);
  const Refusal refusal = payer_ != nullptr ? payer_->Refuse(Limit::kMessageValues, most)
                                            : Refusal{.limit = Limit::kMessageValues, .allowed = most};
  std::vector<Decoded> refused(1);
  refused.front().issues.push_back({Diagnostic::kLimit, "", "a message was not read: " + refusal.Text()});
  return refused;
}

void Session::KeepHomeless(std::string_view raw, std::vector<Decoded>& documents, std::size_t& next) {
  std::size_t findings = 0;
  std::string first;
  for (; next < documents.size() && !documents[next].message; ++next) {
    Decoded& decoded = documents[next];
    // It would wait for an answer forever.
    if (decoded.for_chimera) socket_->Close(net::close_code::kPolicy, kChimeraHint);
    const std::size_t found = decoded.issues.size();
    std::string detail = findings == 0 && found > 0 ? decoded.issues.front().detail : std::string();
    Message message{std::string(raw), {}, 0};
    message.documents.push_back(std::move(decoded));
    // Logging has the same limit as keeping. What one connection has too much of is left out; what all have is not to
    // grow with their number.
    if (!homeless_.Push(std::move(message), raw.size())) {
      if (!homeless_.count().full_elsewhere()) continue;
      next = documents.size();
      return Refuse(homeless_.count());
    }
    if (findings == 0) first = std::move(detail);
    findings += found;
  }
  if (findings == 0) return;
  const std::string many = findings == 1 ? std::string() : std::to_string(findings) + " findings, the first: ";
  log::From(Address()).Warn("{}: {}{}", socket_->peer(), many, first);
}

std::string Session::Address() const {
  return payer_ != nullptr ? payer_->address() : socket_->peer();
}

bool Session::Route(std::string_view raw, std::vector<Decoded>& documents, std::size_t& next) {
  if (current_ == nullptr) KeepHomeless(raw, documents, next);
  for (; next < documents.size(); ++next) {
    Decoded& decoded = documents[next];
    const bool first = next == 0;
    if (!decoded.message) {
      Deliver(*current_, raw, std::move(decoded), first);
      continue;
    }
    const bool startup = std::holds_alternative<StartupMessage>(decoded.message->body);
    std::string_view name = decoded.message->game;
    if (name.empty() && current_ != nullptr) name = current_->place.game;
    if (name.empty()) name = hint_.empty() ? kUnnamed : hint_;
    if (name.size() > kMaxGameName) {
      decoded.issues.push_back({Diagnostic::kInvalidField, "game",
                                "`game` must be a display name of at most " + std::to_string(kMaxGameName) +
                                    " bytes; got " + std::to_string(name.size()) + "; the rest was cut"});
      decoded.message->game = CutName(name);
      name = decoded.message->game;
    }
    Game* game = FindGame(name);
    if (game == nullptr && !startup && current_ != nullptr) {
      decoded.issues.push_back(
          {Diagnostic::kGameRenamed, "game",
           "the connection began as \"" + current_->place.game + "\" and now says \"" + std::string(name) + "\""});
      game = current_;
    }
    if (game == nullptr) {
      if (current_ != nullptr) {
        decoded.issues.push_back({Diagnostic::kSecondGame, "game",
                                  "the connection began as \"" + current_->place.game + "\", and now starts \"" +
                                      std::string(name) + "\" as well"});
      }
      if (games_.size() >= kMaxGames) {
        socket_->Close(net::close_code::kPolicy,
                       RefuseFor(socket_->payer().get(), Limit::kGamesOfConnection, kMaxGames).Text());
        return true;
      }
      startup_claim_ = startup;
      Claim(std::string(name));
      return false;
    }
    current_ = game;
    game->silent = false;
    Deliver(*game, raw, std::move(decoded), first);
  }
  return true;
}

// What an earlier game of this connection left there is here.
void Session::Claim(const std::string& game) {
  asking_ = true;
  Enter(game);
  if (!games_.empty()) return ClaimHere(game, true);
  if (elsewhere_ == nullptr) return ClaimHere(game, may_make_);
  elsewhere_->Find(socket_, game, owner_, [this, game](Elsewhere::Found found) {
    if (found == Elsewhere::Found::kElsewhere) return GoElsewhere();
    ClaimHere(game, found == Elsewhere::Found::kNewHere);
  });
}

void Session::Enter(const std::string& game) {
  if ((elsewhere_ == nullptr && !passed_on_) || owner_.empty() || std::ranges::count(entered_, game) > 0) {
    return;
  }
  entered_.push_back(game);
  server_.hub().Enter(
      game, owner_, socket_->id(),
      [this, &scheduler = socket_->scheduler(), alive = std::weak_ptr<int>(alive_)](std::function<void()> there) {
        scheduler.Post([this, alive, there = std::move(there)]() mutable {
          if (alive.expired()) return;
          if (probes_.empty()) socket_->Ping();
          // A peer that answers no ping: nobody waits for the oldest any more.
          if (probes_.size() == kMaxProbes) probes_.erase(probes_.begin());
          probes_.push_back(std::move(there));
        });
      });
}

std::function<void()> Session::ExitOf(const std::string& game) {
  return
      [&hub = server_.hub(), game, owner = owner_, connection = socket_->id()] { hub.Exit(game, owner, connection); };
}

void Session::OnPong(std::string_view /*payload*/) {
  for (const std::function<void()>& there : std::exchange(probes_, {})) there();
}

void Session::GoElsewhere() {
  went_ = true;
  asking_ = false;
  silent_timer_.Cancel();
  elsewhere_->Connect();
  while (!homeless_.empty()) {
    const Message message = homeless_.Pop();
    if (!routed_ || message.raw != routed_->raw) elsewhere_->Send(message.raw);
  }
  if (routed_) elsewhere_->Send(routed_->raw);
  routed_.reset();
  while (!waiting_.empty()) elsewhere_->Send(waiting_.Pop().raw);
}

void Session::ClaimHere(const std::string& game, bool may_make) {
  claiming_ = game;
  server_.hub().Claim(socket_->scheduler(), game, owner_, may_make,
                      [this, game, &server = server_, exit = ExitOf(game),
                       alive = std::weak_ptr<int>(alive_)](std::optional<TablePlace> place) {
                        if (alive.expired()) {
                          if (!place) return exit();
                          server.Abandon(*place);
                          return place->home->Post(exit);
                        }
                        claiming_.reset();
                        if (place) return Claimed(std::move(place), false);
                        // It went to another server, or another connection has it.
                        if (elsewhere_ != nullptr) return Claim(game);
                        EndClaim();
                        socket_->Close(net::close_code::kGoingAway, "the game's table moves; come back");
                      });
}

// There will be no answer, and asking_ lets nothing more through.
void Session::EndClaim() {
  routed_.reset();
  waiting_.Clear();
}

bool Session::HoldTable(Lease& lease) {
  if (payer_ == nullptr) return true;
  std::optional<Refusal> refused = payer_->RefuseForMemory();
  if (!refused) {
    auto held = payer_->Hold(Holding::kTables);
    if (held) {
      lease = std::move(*held);
      return true;
    }
    refused = held.error();
  }
  socket_->Close(net::close_code::kTryAgain, refused->Text());
  return false;
}

void Session::Claimed(std::optional<TablePlace> place, bool silent) {
  Lease lease;
  if (place && place->created && !HoldTable(lease)) {
    server_.Abandon(*place);
    return EndClaim();
  }
  asking_ = false;
  if (place) {
    // A table that was taken up on a guess is released when the game turns out to be another one.
    for (std::size_t i = 0; i < games_.size();) {
      if (games_[i]->silent) {
        Leave(*games_[i], {.reason = "the connection was another game's"});
        if (current_ == games_[i].get()) current_ = nullptr;
        games_.erase(games_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    auto game = std::make_unique<Game>();
    Enter(place->game);
    game->place = *place;
    game->silent = silent;
    if (place->home == &socket_->scheduler()) {
      game->table = place->created ? &server_.Open(*place->home, *place, payer_, std::move(lease))
                                   : server_.Find(*place->home, place->id);
    }
    current_ = games_.emplace_back(std::move(game)).get();
    // A second game starts when it is first heard of.
    const Instant opened = games_.size() == 1 ? opened_ : socket_->scheduler().clock().Monotonic();
    const bool resumed = silent || !startup_claim_;
    // Otherwise it was asked already, or should not be.
    const bool ask = !silent && server_.options().reregister == NeuroOptions::Reregister::kWhenSilent;
    OnTable(
        *current_,
        [socket = socket_, opened, resumed, ask, created = place->created,
         earlier = place->earlier != nullptr](RemoteTable& table) {
          table.Attach(std::make_unique<Link>(socket, table.scheduler()), opened);
          if (resumed && !created) table.ResumeSilently();
          if (resumed && earlier) table.ResumeElsewhere(ask);
        },
        // It went to another server meanwhile.
        [socket = socket_] {
          socket->scheduler().Post(
              [socket] { socket->Close(net::close_code::kGoingAway, "the game's table moves; come back"); });
        });
    while (!homeless_.empty()) {
      Message message = homeless_.Pop();
      if (message.note) {
        HandleNote(message.raw);
        continue;
      }
      if (message.documents.empty()) {
        HandleRelayed(message.raw);
        continue;
      }
      Deliver(*current_, message.raw, std::move(message.documents.front()), true);
    }
  }
  Resume();
}

void Session::Resume() {
  if (routed_) {
    if (!Route(routed_->raw, routed_->documents, routed_->next)) return;
    routed_.reset();
  }
  for (std::size_t done = 0; !waiting_.empty() && !asking_; ++done) {
    if (done == kTurn) {
      resuming_ = true;
      socket_->scheduler().Post([this, alive = std::weak_ptr<int>(alive_)] {
        if (alive.expired()) return;
        resuming_ = false;
        Resume();
      });
      return;
    }
    const Unread message = waiting_.Pop();
    if (message.note) {
      HandleNote(message.raw);
    } else if (message.relayed) {
      HandleRelayed(message.raw);
    } else {
      Handle(message.raw, message.binary);
    }
  }
}

void Session::Relayed(std::string_view message) {
  if (!asking_ && !resuming_) return HandleRelayed(message);
  if (!waiting_.Push({std::string(message), false, true}, message.size())) Refuse(waiting_.count());
}

// A server does not say which game it means: the one that has the action, or else the one that spoke last. Before any
// game is known, it waits for the first one.
void Session::HandleRelayed(std::string_view message) {
  Game* meant = current_;
  if (meant == nullptr) {
    static_cast<void>(homeless_.Push(Message{std::string(message), {}, 0}, message.size()));
    return;
  }
  if (games_.size() > 1) {
    const Result<ServerMessage> decoded = DecodeServer(message);
    const auto* action = decoded ? std::get_if<ActionMessage>(&*decoded) : nullptr;
    const auto has = [&](const Game& game) {
      return game.table != nullptr && game.table->seat(0).actions().Find(action->name) != nullptr;
    };
    if (action != nullptr && !has(*current_)) {
      for (const auto& game : games_) {
        if (has(*game)) meant = game.get();
      }
    }
  }
  OnTable(*meant, [text = std::string(message)](RemoteTable& table) { table.Relayed(text); });
}

void Session::Note(std::string_view text) {
  if (!asking_ && !resuming_) return HandleNote(text);
  static_cast<void>(waiting_.Push(Unread{std::string(text), false, false, true}, text.size()));
}

void Session::HandleNote(std::string_view text) {
  if (games_.empty()) static_cast<void>(homeless_.Push(Message{std::string(text), {}, 0, true}, text.size()));
  for (const auto& game : games_) {
    OnTable(*game, [text = std::string(text)](RemoteTable& table) { table.Note(text); });
  }
}

void Session::OnTable(Game& game, std::function<void(RemoteTable&)> run, std::function<void()> missing) {
  if (game.table != nullptr) {
    run(*game.table);
    return;
  }
  Scheduler& home = *game.place.home;
  home.Post([&server = server_, &home, id = game.place.id, run = std::move(run), missing = std::move(missing)] {
    if (RemoteTable* table = server.Find(home, id)) {
      run(*table);
    } else if (missing) {
      missing();
    }
  });
}

void Session::Deliver(Game& game, std::string_view raw, Decoded&& decoded, bool first) {
  if (game.table != nullptr) {
    game.table->OnMessage(raw, std::move(decoded), first);
    return;
  }
  if (!under_way_->Add(raw.size())) return Refuse(*under_way_);
  Scheduler& home = *game.place.home;
  home.Post([&server = server_, &home, id = game.place.id, under_way = under_way_, raw = std::string(raw),
             decoded = std::move(decoded), first]() mutable {
    under_way->Remove(raw.size());
    if (RemoteTable* table = server.Find(home, id)) table->OnMessage(raw, std::move(decoded), first);
  });
}

// Posted even to this very shard: when a connection with many games ends, it must not do all of their work at once.
void Session::Leave(Game& game, const net::Closing& closing) {
  Scheduler& home = *game.place.home;
  home.Post([&server = server_, &home, id = game.place.id, link = socket_->id(), closing] {
    server.Detached(home, id, link, closing);
  });
}

void Session::OnClosed(const net::Closing& how) {
  const net::Closing closing = passed_on_ ? PassedOnClosing(how) : how;
  silent_timer_.Cancel();
  alive_.reset();
  if (went_) elsewhere_->End(closing);
  elsewhere_.reset();
  if (games_.empty() && closing.cause == net::Closing::Cause::kViolation) {
    log::From(Address()).Warn("{}: {}; the connection was closed ({})", socket_->peer(), closing.reason, closing.code);
  }
  // The hub hears of it after it knows that the table waits.
  for (const std::string& name : entered_) {
    if (FindGame(name) == nullptr && claiming_ != name) ExitOf(name)();
  }
  for (const auto& game : games_) {
    Leave(*game, closing);
    if (!entered_.empty()) game->place.home->Post(ExitOf(game->place.game));
  }
  games_.clear();
  current_ = nullptr;
}

Session::Game* Session::FindGame(std::string_view name) {
  for (const auto& game : games_) {
    if (game->place.game == name) return game.get();
  }
  return nullptr;
}

// Some clients send nothing after a reconnect until they are asked to register again, others never. If only one table
// waits for a game from that address, the connection is assumed to be its game.
void Session::OnSilent() {
  if (!games_.empty() || asking_) return;
  if (server_.options().reregister == NeuroOptions::Reregister::kWhenSilent && !passed_on_) {
    std::string ask;
    EncodeReregisterAll(ask);
    socket_->SendText(ask);
  }
  asking_ = true;
  if (elsewhere_ == nullptr) return ClaimSilent();
  elsewhere_->Find(socket_, {}, owner_, [this](Elsewhere::Found found) {
    if (found == Elsewhere::Found::kElsewhere) return GoElsewhere();
    if (found == Elsewhere::Found::kWaitsHere) return ClaimSilent();
    Claimed(std::nullopt, true);
  });
}

void Session::ClaimSilent() {
  server_.hub().ClaimSilent(
      socket_->scheduler(), owner_,
      [this, &server = server_, alive = std::weak_ptr<int>(alive_)](std::optional<TablePlace> place) {
        if (alive.expired()) {
          if (place) server.Abandon(*place);
          return;
        }
        Claimed(std::move(place), true);
      });
}

std::uint16_t PassedOnCode(const net::Closing& closing) {
  if (closing.cause == net::Closing::Cause::kPeer && !closing.unfinished && closing.code >= net::close_code::kNormal) {
    // What a close frame cannot say.
    if (closing.code == net::close_code::kNone) return net::close_code::kNormal;
    if (closing.code != net::close_code::kAbnormal && closing.code < kFirstPassedOn) return closing.code;
  }
  const unsigned cause = static_cast<unsigned>(closing.cause) * 2 + (closing.unfinished ? 1 : 0);
  const unsigned code = std::clamp<unsigned>(closing.code, net::close_code::kNormal, kFirstPassedOn - 1);
  return static_cast<std::uint16_t>(kFirstPassedOn + cause * kPassedOnCodes +
                                    std::min(code - net::close_code::kNormal, kPassedOnCodes - 1));
}

net::Closing PassedOnClosing(net::Closing closing) {
  if (closing.code < kFirstPassedOn || closing.cause != net::Closing::Cause::kPeer) return closing;
  const unsigned code = closing.code - kFirstPassedOn;
  const unsigned cause = code / kPassedOnCodes;
  if (cause / 2 > static_cast<unsigned>(net::Closing::Cause::kLost)) return closing;
  closing.cause = static_cast<net::Closing::Cause>(cause / 2);
  closing.unfinished = cause % 2 != 0;
  closing.code = static_cast<std::uint16_t>(net::close_code::kNormal + code % kPassedOnCodes);
  return closing;
}

namespace {

class VoiceRefusal final : public net::WebSocketSession {
 public:
  void OnOpen(std::shared_ptr<net::WebSocket> socket) override { socket_ = std::move(socket); }
  // Only once it asks, and the socket stays open: a client whose socket is closed tries again without end.
  void OnText(std::string_view text) override {
    const Result<json::Value> message = json::Parse(text, json::kInnerLimits);
    if (!message || json::TextOf(*message, "command") != "voice/start") return;
    std::string answer;
    EncodeVoiceUnavailable("this server has no voice", answer);
    socket_->SendText(answer);
  }
  void OnBinary(std::string_view) override {}
  void OnClosed(const net::Closing&) override {}

 private:
  std::shared_ptr<net::WebSocket> socket_;
};

}  // namespace

std::unique_ptr<net::WebSocketSession> MakeVoiceRefusal() {
  return std::make_unique<VoiceRefusal>();
}

}  // namespace openseat::neuro
