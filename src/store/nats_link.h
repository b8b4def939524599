// NatsLink: a connection to NATS and the calls of JetStream that the journal needs. The only file besides its source
// that knows the client library.
//
// Any thread. It reconnects by itself; meanwhile, calls fail with kIo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "store/nats_servers.h"

namespace openseat::store {

struct NatsLinkOptions {
  std::string servers;  // "nats://a,nats://b", each perhaps with "USER:PASSWORD@"; "tls://" as well
  std::string name;     // of this client, for people
  Duration call_timeout = std::chrono::seconds(2);
  // Files; "" if it is not used.
  std::string credentials{};  // of a user, as `nsc` writes them
  std::string ca{};           // who may have signed the servers' certificates; "": those that this machine trusts
  std::string certificate{};  // this client's, and its key
  std::string key{};
};

// How long NATS is full after it refused a message (Answer::full): the message is sent again within a second.
inline constexpr Duration kFullFor = std::chrono::seconds(3);
// The end of a sentence about that.
inline constexpr const char* kHasNoRoom = "has no room left (max_file_store of its servers, or a limit of its account)";
// The end of a sentence that says what NATS does not confirm: why, as far as is known. `full`: it is.
std::string WhyUnconfirmed(bool full);

// A message of a stream.
struct NatsMessage {
  std::uint64_t position = 0;
  std::string subject;
  std::string header;  // kNatsHeader's value; "" if it has none
  std::string body;    // "" if only headers were asked for
  // Not from Get.
  Time time{};        // when the stream took it
  bool more = false;  // whether others follow it, as far as the server knows
};

class NatsLink {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  struct Answer {
    // Of a published message: its position in the stream; 0 if the stream's last message is not the expected one;
    // nullopt if it was not taken for another reason. Of AskAboutStream: nullopt if there is none.
    std::optional<std::uint64_t> position;
    bool full = false;                      // a message was not taken because NATS has no room for it
    std::optional<std::uint64_t> stored{};  // of AskAboutStream: how many bytes the stream has, in one replica
    std::optional<std::uint64_t> left{};    // of AskForRoom: as there; kNoLimit
  };
  using Answered = std::function<void(std::string_view token, const Answer& answer)>;

  // `answered` is called by a thread of the library. kIo if no server can be reached, or the TLS handshake fails
  // (a server may be starting), kInvalid if a file cannot be used, kDenied if the server refuses the user, or one side
  // the other's certificate.
  static Result<std::unique_ptr<NatsLink>> Connect(const NatsLinkOptions& options, Answered answered);
  virtual ~NatsLink() = default;  // afterwards, `answered` is not called

  // Makes the stream unless it exists: three replicas, or one if the server has no cluster.
  virtual Result<void> MakeStream(const std::string& stream, const std::string& subjects) = 0;
  // The position of its last message, which may have been deleted. 0: it is empty.
  virtual Result<std::uint64_t> LastPosition(const std::string& stream) = 0;

  struct Reading {
    std::string stream;
    std::string subject;  // only messages of this subject
    std::uint64_t from = 1;
    std::uint64_t to = 0;
    bool headers_only = false;
  };
  // Calls `got` with each message from `from` to `to`, in order, until it returns false.
  virtual Result<void> Read(const Reading& reading, const std::function<bool(NatsMessage)>& got) = 0;
  // Calls `got` with each message from `from` on, also with those that are still to come, in order, until it returns
  // false; a few times a second with position 0, which is no message, and with `more`.
  virtual Result<void> Follow(const std::string& stream, std::uint64_t from,
                              const std::function<bool(NatsMessage)>& got) = 0;
  // Has another server lead the stream.
  virtual Result<void> MoveLeader(const std::string& stream) = 0;
  // Removes all messages before this position.
  virtual Result<void> Purge(const std::string& stream, std::uint64_t before) = 0;
  // The messages at these positions, in their order. One that even the stream's leader does not have has position 0.
  virtual Result<std::vector<NatsMessage>> Get(const std::vector<std::pair<std::string, std::uint64_t>>& places) = 0;

  struct Post {
    std::string subject;
    std::string header;
    std::uint64_t expected = 0;  // the position of the stream's last message; 0: not compared
    std::string token;           // for `answered`: no dots
    std::string_view body;
  };
  // Sends without waiting. An error means that it was not sent, or only perhaps.
  virtual Result<void> Publish(const Post& post) = 0;
  // Asks without waiting whether a majority has the stream, and for its size. `answered` gets the token, and a position
  // that means nothing but yes, or nullopt; nothing if the stream has no leader.
  virtual Result<void> AskAboutStream(const std::string& stream, const std::string& token) = 0;
  // Asks without waiting how many bytes the account may still store, in streams with as many replicas as that of the
  // last answer to AskAboutStream, or MakeStream; no number before that, or if NATS cannot say. kNoLimit if the account
  // has no limit, or limits for each number of replicas: what the servers themselves can store, NATS does not tell.
  virtual Result<void> AskForRoom(const std::string& token) = 0;

  // Messages that no stream keeps: to all that listen now, at most once. Call Listen at most once; `heard` is called by
  // a thread of the library, one call at a time, until StopListening returns.
  using Heard = std::function<void(std::string_view subject, std::string_view body)>;
  virtual Result<void> Listen(const std::string& subjects, Heard heard) = 0;
  virtual void StopListening() = 0;
  virtual Result<void> Tell(const std::string& subject, std::string_view body) = 0;

  // What a message may have, with its header.
  virtual std::size_t max_bytes() const = 0;
};

}  // namespace openseat::store
