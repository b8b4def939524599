#include "relay/channel.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "protocols/neuro/codec.h"

namespace openseat::relay {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(10);
constexpr std::size_t kMaxSaid = 200;    // different sentences about one channel's repairs
constexpr std::size_t kMaxReason = 120;  // bytes of a close reason that is passed on
constexpr std::size_t kMaxGames = 64;    // names that a channel remembers

// Why something is not repeated: the payer's refusal, or our own limits.
std::string WhyLeftOut(const std::optional<Refusal>& refusal, std::string ours) {
  return refusal ? refusal->Text() : std::move(ours);
}

// Without the query, which may contain a key.
std::string ShownUrl(const std::string& url) {
  return url.substr(0, url.find('?'));
}

}  // namespace

// The connection's side; the channel may be destroyed before the connection is.
class Channel::Upstream final : public net::WebSocketSession {
 public:
  explicit Upstream(std::shared_ptr<Channel*> channel) : channel_(std::move(channel)) {}

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    if (*channel_ == nullptr || (*channel_)->over_) {
      socket->Close(net::close_code::kNormal, "the game has left");
      return;
    }
    id_ = socket->id();
    (*channel_)->OnUpstream(std::move(socket));
  }
  void OnText(std::string_view message) override {
    if (Mine()) (*channel_)->FromUpstream(message, false);
  }
  void OnBinary(std::string_view message) override {
    if (Mine()) (*channel_)->FromUpstream(message, true);
  }
  void OnPong(std::string_view payload) override {
    if (!Mine()) return;
    (*channel_)->failures_ = 0;
    (*channel_)->to_upstream_.OnPong(payload);
    (*channel_)->EndIfDelivered();
  }
  void OnClosed(const net::Closing& closing) override {
    if (!Mine()) return;
    (*channel_)->UpstreamLost("the connection was closed (" + std::to_string(closing.code) +
                              (closing.reason.empty() ? "" : ", " + SanitizeUtf8(closing.reason)) + ")");
  }

 private:
  bool Mine() const { return *channel_ != nullptr && (*channel_)->upstream_ && (*channel_)->upstream_->id() == id_; }

  const std::shared_ptr<Channel*> channel_;
  std::uint64_t id_ = 0;
};

Channel::Channel(ChannelHost& host, std::uint64_t number, std::string owner, std::string label,
                 std::shared_ptr<Payer> payer, Lease lease)
    : host_(host),
      number_(number),
      owner_(std::move(owner)),
      label_(std::move(label)),
      payer_(std::move(payer)),
      lease_(std::move(lease)),
      forces_(payer_),
      confirmed_(MostOf(payer_.get(), &PeerLimits::max_actions), payer_),
      to_upstream_(
          LimitsOfHeld(), payer_, [&host](const FramePtr&) { host.CountToUpstream(); },
          [this](const FramePtr& frame) { OnRead(frame); }),
      to_game_(
          LimitsOfHeld(), payer_,
          [this](const FramePtr& frame) {
            host_.CountToGame();
            if (game_ != nullptr) game_->NoteSent(frame->text);
          },
          [](const FramePtr&) {}) {
  if (host.options().repairs.any()) {
    repair_.emplace(host.options().repairs, host.names(), number, MostOf(payer_.get(), &PeerLimits::max_actions));
  }
}

Channel::~Channel() {
  *self_ = nullptr;
  if (upstream_) upstream_->Close(net::close_code::kGoingAway, "the relay is stopping");
}

void Channel::Start() {
  Connect();
}

// --- The upstream ---

void Channel::Connect() {
  host_.dial()(host_.scheduler(), host_.options().upstream, std::make_unique<Upstream>(self_),
               [self = self_](const Error& error) {
                 if (*self != nullptr) (*self)->UpstreamLost(error.message);
               });
}

void Channel::OnUpstream(std::shared_ptr<net::WebSocket> socket) {
  upstream_ = std::move(socket);
  const bool back = ++connections_ > 1;
  std::vector<FramePtr> before;
  std::vector<FramePtr> after;
  if (back && host_.options().restore) {
    // A game that waits with its startup says all of it by itself.
    std::optional<std::string_view> starts;
    if (!to_upstream_.empty() && BeginsWithStartup(*to_upstream_.frames().front())) {
      starts = to_upstream_.frames().front()->steps.front().game;
    }
    before = confirmed_.Registration(starts);
    for (FramePtr& force : forces_.Forces()) {
      if (std::ranges::find(to_upstream_.frames(), force) == to_upstream_.frames().end()) {
        after.push_back(std::move(force));
      }
    }
  }
  if (back || failures_ > 0) {
    Say("the upstream is here" + std::string(back ? " again" : "") + ": " + std::to_string(to_upstream_.unsent()) +
        " messages that it may not have read are sent" +
        (before.size() + after.size() == 0
             ? std::string()
             : ", and " + std::to_string(before.size() + after.size()) +
                   " are repeated: the startup, the actions and the force as the game has them now"));
  }
  to_upstream_.Connect(upstream_, before, after);
}

void Channel::UpstreamLost(const std::string& why) {
  if (over_) return;
  const bool had = upstream_ != nullptr;
  upstream_.reset();
  to_upstream_.Disconnect();
  if (ending_ && to_upstream_.empty()) return EndNow(ending_->first, ending_->second);
  const Duration pause = std::min<Duration>(kLongestPause, kFirstPause * (1LL << std::min(failures_, 10)));
  ++failures_;
  const std::string text = "the upstream " + ShownUrl(host_.options().upstream) + " is out of reach: " + why;
  if (had || failures_ == 1) Say(text + "; what the game sends is held");
  log::From(AddressOf(payer_.get()))
      .Warn("relay: {}: {}; trying again in {} ms", games_.empty() ? label_ : *games_.begin(), text,
            pause.count() / 1000);
  connect_timer_.Set(host_.scheduler(), pause, [this] { Connect(); });
}

void Channel::FromUpstream(std::string_view text, bool binary) {
  std::optional<std::string> repaired;
  if (const Result<neuro::ServerMessage> message = neuro::DecodeServer(text)) {
    if (const auto* action = std::get_if<neuro::ActionMessage>(&*message)) forces_.OnAction(action->id, action->name);
    if (repair_) repaired = repair_->ToGame(*message);
  }
  if (to_game_.Push(MakeFrame(repaired ? *std::move(repaired) : std::string(text), binary))) return;
  ++dropped_;
  SayOnce("more messages for the game came than can be held (" + WhyFull(to_game_) + "); the rest is lost");
}

// --- What is held ---

WaitingLimits Channel::LimitsOfHeld() const {
  const WaitingLimits of_payer = WaitingLimits::Of(payer_.get());
  return {.items = std::min(host_.options().hold_messages, of_payer.items),
          .bytes = std::min(host_.options().hold_bytes, of_payer.bytes)};
}

std::string Channel::WhyFull(const Outbox& outbox) const {
  const WaitingLimits limits = LimitsOfHeld();
  const bool holds = outbox.count().items() >= limits.items ? limits.items == host_.options().hold_messages
                                                            : limits.bytes == host_.options().hold_bytes;
  if (holds && !outbox.count().full_elsewhere()) return "--hold " + std::to_string(host_.options().hold_messages);
  return outbox.count().Refuse(payer_.get()).Text();
}

// --- The game ---

void Channel::Attach(GamePort& game, bool restarted) {
  game_ = &game;
  keep_timer_.Cancel();
  if (restarted) {
    const std::size_t lost = to_game_.Clear();
    if (lost > 0) Say(std::to_string(lost) + " messages of the upstream for the game's former run are dropped");
  } else if (to_game_.unsent() > 0) {
    Say(std::to_string(to_game_.unsent()) + " messages of the upstream that the game may not have read are sent");
  }
  to_game_.Connect(game.socket(), {}, {});
}

void Channel::FromGame(FramePtr frame, const std::vector<neuro::Decoded>& documents) {
  for (const Step& step : frame->steps) {
    if (!step.game.empty()) current_game_ = step.game;
    if (games_.size() < kMaxGames) games_.insert(step.game);
  }
  if (repair_) {
    if (const auto repaired = repair_->ToUpstream(frame->binary, documents, current_game_)) {
      for (const std::string& note : repaired->notes) SayOnce("repaired: " + Ellipsize(note, 400));
      for (std::size_t i = 0; i < repaired->texts.size(); ++i) {
        Push(MakeFrame(repaired->texts[i], false, StepsOf({repaired->documents[i]}, current_game_)));
      }
      return;
    }
  }
  Push(std::move(frame));
}

void Channel::Push(FramePtr frame) {
  KeepForces(frame);
  while (!to_upstream_.Push(frame)) {
    const std::string why = WhyFull(to_upstream_);
    if (!to_upstream_.DropOldestContext()) {
      if (game_ != nullptr) {
        game_->socket()->Close(net::close_code::kTryAgain, "the upstream is out of reach: " + why);
      }
      return;
    }
    ++dropped_;
    SayOnce("more waits for the upstream than can be held (" + why +
            "): the oldest context is left out; the transcript has it");
  }
}

void Channel::KeepForces(const FramePtr& frame) {
  if (!host_.options().restore) return;
  forces_.Apply(frame);
  if (forces_.complete()) return;
  SayOnce("the game has larger forces than are repeated to an upstream that comes back (" +
          WhyLeftOut(forces_.refusal(), "64 games, and 4 MiB in all") + "); what does not fit is left out");
}

void Channel::OnRead(const FramePtr& frame) {
  if (!host_.options().restore) return;
  confirmed_.Apply(frame);
  if (confirmed_.complete()) return;
  SayOnce("the game has more actions than are repeated to an upstream that comes back (" +
          WhyLeftOut(confirmed_.refusal(), std::string(SettingOf(Limit::kActions)) + ", and 4 MiB in all") +
          "); the oldest are left out");
}

void Channel::GameClosed(const net::Closing& closing) {
  game_ = nullptr;
  to_game_.Disconnect();
  const bool broken = closing.cause == net::Closing::Cause::kLost || closing.cause == net::Closing::Cause::kDropped ||
                      closing.cause == net::Closing::Cause::kViolation;
  if (broken && !games_.empty()) {
    keep_timer_.Set(host_.scheduler(), host_.options().keep,
                    [this] { End(net::close_code::kGoingAway, "the game did not come back"); });
    return;
  }
  const bool has_code = closing.code != net::close_code::kNone && closing.code != net::close_code::kAbnormal;
  End(has_code ? closing.code : net::close_code::kNormal, SanitizeUtf8(Ellipsize(closing.reason, kMaxReason)));
}

// The close frame goes out behind everything that was sent; only what was never sent has to be seen off.
void Channel::End(std::uint16_t code, std::string reason) {
  ending_.emplace(code, std::move(reason));
  if (upstream_ ? to_upstream_.unsent() == 0 : to_upstream_.empty()) return EndNow(ending_->first, ending_->second);
  keep_timer_.Set(host_.scheduler(), host_.options().keep, [this] {
    log::From(AddressOf(payer_.get()))
        .Warn("relay: {}: {} messages of a game that has left never reached the upstream; the transcript has them",
              games_.empty() ? label_ : *games_.begin(), to_upstream_.frames().size());
    EndNow(ending_->first, ending_->second);
  });
}

void Channel::EndIfDelivered() {
  if (!ending_ || over_ || !upstream_ || to_upstream_.unsent() > 0) return;
  EndNow(ending_->first, ending_->second);
}

void Channel::EndNow(std::uint16_t code, const std::string& reason) {
  over_ = true;
  keep_timer_.Cancel();
  connect_timer_.Cancel();
  if (const auto upstream = std::exchange(upstream_, nullptr)) upstream->Close(code, reason);
  host_.Ended(number_);
}

void Channel::Say(std::string text) {
  log::From(AddressOf(payer_.get())).Info("relay: {}: {}", games_.empty() ? label_ : *games_.begin(), text);
  if (game_ != nullptr) game_->Note("relay: " + std::move(text));
}

void Channel::SayOnce(const std::string& text) {
  if (said_.size() < kMaxSaid && said_.insert(text).second) Say(text);
}

json::Object Channel::Info() const {
  json::Array games;
  for (const std::string& game : games_) games.emplace_back(game);
  return {{"games", std::move(games)},
          {"game_connected", game_ != nullptr},
          {"upstream_connected", upstream_ != nullptr},
          {"upstream_connections", connections_},
          {"held_for_upstream", to_upstream_.unsent()},
          {"held_for_game", to_game_.unsent()},
          {"dropped", dropped_}};
}

}  // namespace openseat::relay
