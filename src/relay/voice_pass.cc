#include "relay/voice_pass.h"

#include <utility>

#include "base/json.h"
#include "base/log.h"
#include "base/waiting.h"
#include "net/percent.h"
#include "protocols/neuro/codec.h"
#include "relay/frame.h"

namespace openseat::relay {
namespace {

// What the game says until the upstream has answered.
constexpr WaitingLimits kEarlyVoice{.items = 500, .bytes = 2u << 20};

class VoicePass final : public net::WebSocketSession {
 public:
  VoicePass(std::string url, const neuro::Dial& dial, std::shared_ptr<Payer> payer)
      : url_(std::move(url)), dial_(dial), payer_(std::move(payer)) {}
  ~VoicePass() override { *self_ = nullptr; }

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    game_ = std::move(socket);
    if (payer_) {
      auto held = payer_->Hold(Holding::kConnections);
      if (!held) {
        refused_ = true;
        return;
      }
      lease_ = std::move(*held);
    }
    dial_(game_->scheduler(), url_, std::make_unique<Upstream>(self_), [self = self_](const Error& error) {
      if (*self != nullptr) (*self)->NoUpstream(error.message);
    });
  }
  void OnText(std::string_view message) override { Pass(message, false); }
  void OnBinary(std::string_view message) override { Pass(message, true); }
  void OnClosed(const net::Closing& closing) override {
    *self_ = nullptr;
    if (upstream_) upstream_->Close(closing.code, closing.reason);
  }

 private:
  class Upstream final : public net::WebSocketSession {
   public:
    explicit Upstream(std::shared_ptr<VoicePass*> pass) : pass_(std::move(pass)) {}
    void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
      if (*pass_ == nullptr) return socket->Close(net::close_code::kNormal, "the game has left");
      (*pass_)->Begin(std::move(socket));
    }
    void OnText(std::string_view message) override {
      if (*pass_ != nullptr) (*pass_)->game_->SendText(message);
    }
    void OnBinary(std::string_view message) override {
      if (*pass_ != nullptr) (*pass_)->game_->SendBinary(message);
    }
    // The game connects again, or not, as it would by itself.
    void OnClosed(const net::Closing& closing) override {
      if (*pass_ == nullptr) return;
      (*pass_)->upstream_.reset();
      (*pass_)->refused_ = true;
      (*pass_)->game_->Close(closing.code, closing.reason);
    }

   private:
    const std::shared_ptr<VoicePass*> pass_;
  };

  void Pass(std::string_view message, bool binary) {
    if (upstream_) {
      binary ? upstream_->SendBinary(message) : upstream_->SendText(message);
    } else if (refused_) {
      if (!binary) Refuse(message);
    } else {
      static_cast<void>(early_.Push(Frame{.text = std::string(message), .binary = binary}, message.size()));
    }
  }
  void Begin(std::shared_ptr<net::WebSocket> socket) {
    upstream_ = std::move(socket);
    while (!early_.empty()) {
      const Frame frame = early_.Pop();
      Pass(frame.text, frame.binary);
    }
  }
  void NoUpstream(const std::string& why) {
    log::From(AddressOf(payer_.get())).Info("relay: no voice: {}", why);
    refused_ = true;
    lease_.Release();
    while (!early_.empty()) {
      const Frame frame = early_.Pop();
      Pass(frame.text, frame.binary);
    }
  }
  void Refuse(std::string_view message) {
    const Result<json::Value> asked = json::Parse(message);
    if (!asked || json::TextOf(*asked, "command") != "voice/start") return;
    std::string answer;
    neuro::EncodeVoiceUnavailable("the server that this relay leads to has no voice", answer);
    game_->SendText(answer);
  }

  const std::string url_;
  const neuro::Dial& dial_;
  const std::shared_ptr<Payer> payer_;
  Lease lease_;
  std::shared_ptr<net::WebSocket> game_;
  std::shared_ptr<net::WebSocket> upstream_;
  bool refused_ = false;
  WaitingQueue<Frame> early_{kEarlyVoice, payer_};
  std::shared_ptr<VoicePass*> self_ = std::make_shared<VoicePass*>(this);  // null inside once this is over
};

}  // namespace

std::string VoiceUrl(const std::string& upstream, std::string_view game) {
  const std::size_t query = upstream.find('?');
  std::string url = upstream.substr(0, query);
  while (!url.empty() && url.back() == '/') url.pop_back();
  const std::size_t authority = url.find("://");
  const std::size_t path = url.find('/', authority == std::string::npos ? 0 : authority + 3);
  const std::string where = path == std::string::npos ? std::string() : url.substr(path);
  const std::size_t last = where.rfind('/');
  const std::string parent = last == std::string::npos ? std::string() : where.substr(0, last);
  if (where.ends_with("/game")) {
    url += "/" + net::PercentEncode(game) + "/voice";
  } else if (parent.ends_with("/game")) {
    url += "/voice";
  } else {
    url += "/game/" + net::PercentEncode(game) + "/voice";
  }
  return query == std::string::npos ? url : url + upstream.substr(query);
}

std::unique_ptr<net::WebSocketSession> MakeVoicePass(const std::string& upstream, std::string_view game,
                                                     const neuro::Dial& dial, std::shared_ptr<Payer> payer) {
  return std::make_unique<VoicePass>(VoiceUrl(upstream, game), dial, std::move(payer));
}

}  // namespace openseat::relay
