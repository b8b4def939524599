// HttpConnection: one accepted connection while it speaks HTTP/1.1. One request at a time: pipelined requests wait, so
// answers are sent in order. An upgrade hands the socket to a WebSocketConnection. Internal; one thread, except for
// Deliver and similar calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/connection.h"
#include "net/encoding.h"
#include "net/handshakes.h"
#include "net/http_codec.h"
#include "net/http_reply.h"
#include "net/router_match.h"
#include "net/server_core.h"
#include "net/transport.h"

namespace openseat::net {

class HttpConnection final : public HttpReply::Sink,
                             public Connection,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(ConnectionRegistry& registry, std::shared_ptr<ServerCore> core, Transport transport, std::string peer,
                 bool loopback, Admission admission);
  ~HttpConnection() override;

  // `handshakes`: of its shard; it outlives the connection.
  void Start(Handshakes& handshakes);

  void Deliver(HttpResponse response) override;
  void BeginStream(HttpResponse head, std::shared_ptr<HttpStream::State> stream) override;
  void WriteStream(const std::shared_ptr<HttpStream::State>& stream, std::string bytes) override;
  void EndStream(const std::shared_ptr<HttpStream::State>& stream) override;
  void WhenGone(Task gone) override;

  void Flush() override;
  void OnTick() override;
  void BeginShutdown() override;
  void Cut(std::string_view reason) override;
  std::size_t held() const override {
    return static_cast<std::size_t>(unfinished_.amount() + handshake_.amount()) + unread_;
  }
  const Payer* holder() const override;
  void CutForMemory(const std::string& reason) override;

 private:
  enum class State : std::uint8_t {
    kIdle,       // between requests
    kReceiving,  // a request has begun
    kHandling,   // a handler owes the answer
    kStreaming,  // the answer has begun, and comes piece by piece
    kLingering,  // the last answer is given; further input is discarded until the peer closes
    kDone,
  };

  void WaitReadable();
  void OnReadable();
  void Read();
  // Takes requests out of in_ and answers them, as far as possible.
  void Process();
  void Receive(std::string_view& bytes);
  // Called once the headers are there: the immediate answer, before a body is read, to a client that comes too fast, is
  // not admitted, or asks for something that does not exist. nullopt: match_ says who answers.
  std::optional<HttpResponse> Admit(RequestParser& parser);
  std::optional<HttpResponse> Route(RequestParser& parser);
  HttpResponse TooMuch(std::string_view path, const Refusal& refusal) const;
  // The answer to a request that the parser refused, and to one that did not arrive in time; counts the setting's
  // refusal.
  HttpResponse Unreadable() const;
  HttpResponse TooLate() const;
  // Of the request in progress, or else the peer's.
  Payer& payer() const;
  // Takes so many messages, and the bytes of the request that have come since the last call, from the rates of its
  // payer, and from those of this connection if it is the payer's own.
  std::optional<Refusal> Charge(const HttpRequest& request, std::uint64_t messages);
  // Takes bytes that belong to no admitted request, and what TLS needed besides data, from the rates of the
  // connection's payer. False if it comes too fast.
  bool Affords(std::size_t bytes);
  // Drops what has come and is not used; it counts all the same.
  void ChargeUnused();
  // From now on, we pay for the connection itself: it carries the requests of many clients.
  void PayOurselves();
  // Counts what has come and is not used yet; if it is too much, the request is refused.
  void CountUnfinished();
  // Counts what the TLS handshake holds until it is over; if it is too much for the address, the connection ends.
  void CountHandshake();
  void CountUnread(std::size_t bytes);
  // What is to be counted.
  std::size_t unsent() const;
  void Handle();
  void Call(HttpRequest& request);
  HttpResponse Failure(std::string_view path, int status, std::string_view message) const;
  // Asks whether the request may have the WebSocket; then upgrades it, or answers that it should be an upgrade.
  void AskWhether(const HttpRequest& request, const WebSocketRoute& route, bool upgrade);
  void Admitted(const HttpRequest& request, const WebSocketRoute& route, bool upgrade);
  // A handler's answer: compressed if the client likes that, by another thread if it is large.
  void AnswerSmaller(HttpResponse response);
  void Answer(const HttpResponse& response);
  void AnswerStream(const HttpResponse& head, std::shared_ptr<HttpStream::State> stream);
  void WriteBody(std::string_view bytes);
  void StopStream();
  // The answer is complete, or will never be.
  void Forget();
  void Complete();
  void Refuse(const HttpResponse& response);
  bool Send();
  void Continue();
  void Count(int status);
  void Linger();
  void SetDeadline(Duration timeout);
  void Finish();
  bool by_origin() const { return !core_->router.impl().trust.origins.empty(); }
  bool sending() const { return sent_ < out_.size() || shared_ != nullptr; }
  IoStatus Write();

  ShardImpl& shard_;
  const std::shared_ptr<ServerCore> core_;
  Transport transport_;
  const std::string peer_;
  const bool loopback_;
  std::shared_ptr<Payer> payer_;  // the peer's; ours once another node of our cluster has asked
  std::shared_ptr<Payer> asker_;  // the payer of the request that is handled, or was last
  // For requests of this machine.
  const LoopSharePtr share_ = std::make_shared<LoopShare>();
  Admission admission_;
  Pace pace_;
  bool admitted_ = false;  // a request of this connection was
  Lease unfinished_;
  Lease handshake_;                // held while the handshake is in progress
  Handshakes::Place place_;        // if it is a stranger's
  std::size_t unread_ = 0;         // bytes counted as waiting for the peer
  std::shared_ptr<Payer> reader_;  // for which they are counted

  std::string in_;                          // received and not used yet
  std::unique_ptr<RequestParser> parser_;   // of the request in progress
  std::unique_ptr<RequestParser> waiting_;  // of a request that waits for its turn
  bool body_begun_ = false;
  bool charged_ = false;               // no other node of our cluster counts it, and its payer's rates are limited
  std::size_t uncharged_ = 0;          // bytes of it that the parser has used
  std::string page_;                   // Origin of the request in progress, if that page may read the answer
  Router::Match match_;                // of the request that was admitted last
  ResponseOptions answer_;             // of the request that the handler has
  Coding coding_ = Coding::kIdentity;  // that its client likes best
  bool reads_ = false;                 // the request that was admitted or refused last is a GET or HEAD
  bool operation_ = false;             // its path is one of those in operations.h
  std::string_view form_;              // of errors for its path, if it reads

  std::string out_;
  std::size_t sent_ = 0;                       // of out_
  std::shared_ptr<const std::string> shared_;  // sent after out_
  std::size_t shared_sent_ = 0;
  bool shared_counts_ = false;  // HttpResponse::shared_counts

  std::shared_ptr<HttpStream::State> stream_;  // of kStreaming
  Task gone_;                                  // runs when nobody waits for the answer any more

  Instant deadline_{};
  State state_ = State::kIdle;
  bool processing_ = false;  // Process is on the stack
  bool write_waits_ = false;
  bool read_waits_ = false;
  bool read_needs_write_ = false;  // TLS
  bool peer_ended_ = false;        // nothing more will come
  bool last_ = false;              // close after the answer in progress
  std::size_t lingered_ = 0;       // bytes discarded
};

}  // namespace openseat::net
