#include "relay/game_session.h"

#include <functional>
#include <limits>
#include <utility>

#include "base/json.h"
#include "base/log.h"
#include "protocols/neuro/codec.h"
#include "relay/relay.h"

namespace openseat::relay {
namespace {

// The game's connection as the observer has it. What an operator sends from the console passes; the observer itself
// sends nothing. Where it cannot keep up, `behind` is called with the reason, and the game goes on without its record.
class TapSocket final : public net::WebSocketTap {
 public:
  TapSocket(std::shared_ptr<net::WebSocket> socket, std::function<void(std::string_view)> behind)
      : WebSocketTap(std::move(socket)), behind_(std::move(behind)) {}
  void Close(std::uint16_t code, std::string_view reason) override {
    if (code == net::close_code::kPolicy) return behind_(reason);
    WebSocketTap::Close(code, reason);
  }

 private:
  const std::function<void(std::string_view)> behind_;
};

}  // namespace

GameSession::GameSession(Relay& relay, std::string_view hint, std::string owner, std::shared_ptr<Payer> payer)
    : relay_(relay),
      owner_(std::move(owner)),
      payer_(std::move(payer)),
      observer_(std::make_unique<neuro::Session>(relay.server(), hint, owner_, payer_)),
      early_(payer_) {}

GameSession::~GameSession() = default;

void GameSession::OnOpen(std::shared_ptr<net::WebSocket> socket) {
  socket_ = std::move(socket);
  observer_->OnOpen(
      std::make_shared<TapSocket>(socket_, [this, alive = std::weak_ptr<int>(alive_)](std::string_view reason) {
        if (!alive.expired()) NotRecorded(reason);
      }));
  if (relay_.Waiting(owner_).empty()) {
    Pair(true);
  } else {
    silent_timer_.Set(socket_->scheduler(), relay_.options().silent_after, [this] { Pair(true); });
  }
}

std::vector<neuro::Decoded> GameSession::Decode(std::string_view message) const {
  neuro::DecodeLimits limits;
  const std::uint64_t most = (payer_ != nullptr ? payer_->limits() : PeerLimits::Loopback()).max_message_values;
  limits.json.max_values = most == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(most);
  // It passes all the same; the observer says that it was not read.
  if (json::HoldsMoreValues(message, limits.json.max_values)) return {};
  return neuro::DecodeClient(message, limits);
}

void GameSession::OnMessage(std::string_view message, bool binary) {
  std::vector<neuro::Decoded> documents = Decode(message);
  std::vector<Step> steps = StepsOf(documents, current_game_);
  if (!steps.empty()) current_game_ = steps.back().game;
  FramePtr frame = MakeFrame(std::string(message), binary, std::move(steps));
  if (channel_) {
    channel_->FromGame(std::move(frame), documents);
  } else {
    const std::size_t bytes = frame->bytes;
    if (!early_.Push({std::move(frame), std::move(documents)}, bytes)) {
      const Refusal refusal = early_.count().Refuse(payer_.get());
      return socket_->Close(net::CloseCodeFor(refusal.limit), refusal.Text());
    }
    Pair(false);
  }
  See(binary ? Seen::What::kBinary : Seen::What::kText, std::string(message));
}

bool GameSession::Pair(bool silent) {
  if (channel_) return true;
  if (!silent && current_game_.empty()) return false;
  silent_timer_.Cancel();
  const std::vector<std::shared_ptr<Channel>> waiting = relay_.Waiting(owner_);
  std::shared_ptr<Channel> found;
  if (silent) {
    if (waiting.size() == 1) found = waiting.front();
  } else {
    for (const auto& channel : waiting) {
      if (channel->Knows(current_game_)) found = channel;
    }
  }
  bool restarted = false;
  early_.ForEach([&](const Early& early) { restarted = restarted || BeginsWithStartup(*early.frame); });
  if (found) {
    Join(found, restarted);
    return true;
  }
  Result<std::shared_ptr<Channel>> made = relay_.Open(owner_, socket_->peer(), payer_);
  if (!made) {
    socket_->Close(net::close_code::kTryAgain, made.error().message);
    return false;
  }
  Join(*made, false);
  return true;
}

void GameSession::Join(const std::shared_ptr<Channel>& channel, bool restarted) {
  channel_ = channel;
  channel_->Attach(*this, restarted);
  while (!early_.empty()) {
    const Early early = early_.Pop();
    channel_->FromGame(early.frame, early.documents);
  }
}

void GameSession::OnPong(std::string_view payload) {
  if (channel_) channel_->GamePong(payload);
}

void GameSession::See(Seen::What what, std::string text) {
  seen_.push_back({what, std::move(text)});
  if (std::exchange(showing_, true)) return;
  // The message itself is written first.
  socket_->scheduler().Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) ShowSeen();
  });
}

void GameSession::NotRecorded(std::string_view reason) {
  if (std::exchange(behind_, true)) return;
  log::From(AddressOf(payer_.get()))
      .Warn("relay: {}: not all that the game says is recorded: {}", current_game_, reason);
  See(Seen::What::kNote, "relay: not all that the game said is recorded: " + std::string(reason));
}

void GameSession::ShowSeen() {
  showing_ = false;
  while (!seen_.empty()) {
    const Seen seen = std::move(seen_.front());
    seen_.pop_front();
    switch (seen.what) {
      case Seen::What::kText:
        observer_->OnText(seen.text);
        break;
      case Seen::What::kBinary:
        observer_->OnBinary(seen.text);
        break;
      case Seen::What::kSent:
        observer_->Relayed(seen.text);
        break;
      case Seen::What::kNote:
        observer_->Note(seen.text);
        break;
    }
  }
}

void GameSession::OnClosed(const net::Closing& closing) {
  silent_timer_.Cancel();
  // It may still say something for the record.
  if (const auto channel = std::exchange(channel_, nullptr)) channel->GameClosed(closing);
  ShowSeen();
  observer_->OnClosed(closing);
  alive_.reset();
}

}  // namespace openseat::relay
