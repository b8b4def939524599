// The server's side of TLS against a client that does as the bytes say. The first byte chooses TLS 1.2 or 1.3, or that
// the rest goes to the server as it is. Otherwise, after a real handshake, each byte is a step: some data, some records
// without data, or records that no client of TLS sends. Data arrives in order, a client that sends few records without
// data is never refused and can be written to, and one that sends too many always is.
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/test_certificate.h"
#include "net/test_sealed_records.h"
#include "net/tls.h"
#include "net/tls_records.h"

namespace {

using namespace openseat::net;

// Records that a handshake may have: ClientHello, perhaps a second one, key, cipher, Finished.
constexpr std::size_t kOfHandshake = 6;
constexpr std::size_t kLastRecord = 64;   // bytes: it is charged with the next one
constexpr std::size_t kMostBytes = 4096;  // of an input; more finds nothing else

// Two ends of a connection that never wait.
struct Wire {
  int server = -1;
  int client = -1;

  Wire() {
    int ends[2];
    OPENSEAT_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "a pair of sockets can be made");
    server = ends[0];
    client = ends[1];
  }
  ~Wire() {
    close(server);
    close(client);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
};

std::shared_ptr<TlsContext> ServerContext() {
  static const TestCertificate certificate("DNS:localhost");
  return *TlsContext::ForServer(certificate.certificate(), certificate.key());
}

using Ssl = std::unique_ptr<SSL, decltype(&SSL_free)>;

Ssl NewClient(SSL_CTX* context, int socket, int version) {
  Ssl client(SSL_new(context), &SSL_free);
  SSL_set_min_proto_version(client.get(), version);
  SSL_set_max_proto_version(client.get(), version);
  SSL_set_fd(client.get(), socket);
  SSL_set_connect_state(client.get());
  return client;
}

struct Peer {
  std::unique_ptr<TlsStream> stream;
  std::string data;  // what has come
  std::size_t overhead = 0;
  IoStatus last = IoStatus::kWantRead;

  void ReadAll() {
    char bytes[1024];
    for (;;) {
      const IoResult result = stream->Read(bytes, sizeof bytes);
      overhead += stream->TakeOverhead().bytes;
      last = result.status;
      if (result.status != IoStatus::kOk) break;
      OPENSEAT_CHECK(result.bytes > 0 && result.bytes <= sizeof bytes, "a read that succeeds has read");
      data.append(bytes, result.bytes);
    }
    OPENSEAT_CHECK(stream->handshake_bytes() <= TlsStream::kHandshakeBytes + 2 * TlsRecords::kMostHandshakeBytes,
                   "a handshake has a limit");
    OPENSEAT_CHECK(last != IoStatus::kExcess || !stream->problem().empty(), "a refusal has a reason");
  }
  bool Ended() const { return last != IoStatus::kWantRead; }
};

// What does not fit into the socket is lost: only the rest of an input that is too long.
void SendRaw(int socket, std::string_view bytes) {
  static_cast<void>(send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

// Whether the server can send; what it has sent is read, so that there is room.
bool CanWrite(Peer& server, const Wire& wire) {
  const IoStatus status = server.stream->Write("x", 1).status;
  char bytes[1024];
  while (recv(wire.client, bytes, sizeof bytes, 0) > 0) {
  }
  return status == IoStatus::kOk;
}

// The rest of the input as what a client sends, in two pieces.
void PlayRaw(Peer& server, const Wire& wire, std::string_view bytes) {
  const std::size_t first = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]) % bytes.size();
  SendRaw(wire.client, bytes.substr(0, first));
  server.ReadAll();
  if (server.Ended()) return;
  SendRaw(wire.client, bytes.substr(first));
  server.ReadAll();
  OPENSEAT_CHECK(server.data.empty(), "nobody sends data without a handshake");
  OPENSEAT_CHECK(server.overhead <= bytes.size(), "only what has come is charged");
}

// A handshake as it should be.
void ShakeHands(Peer& server, SSL* client) {
  for (int i = 0; i < 8 && SSL_do_handshake(client) != 1; ++i) server.ReadAll();
  server.ReadAll();
  OPENSEAT_CHECK(SSL_is_init_finished(client) != 0 && server.last == IoStatus::kWantRead,
                 "an honest handshake succeeds");
}

// TLS 1.3. Each byte is a step: its lower bits say which, the others how much.
void PlaySealed(Peer& server, const Wire& wire, std::span<const std::uint8_t> steps) {
  static SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SealedRecords records(context);
  const Ssl client = NewClient(context, wire.client, TLS1_3_VERSION);
  ShakeHands(server, client.get());
  std::string sent;
  std::size_t without_data = 0;
  std::size_t bytes_without_data = 0;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::size_t count = std::size_t{1} + (steps[at] >> 3);
    bool is_honest = true;
    const bool was_modest = without_data + kOfHandshake <= TlsRecords::kMostWithoutData;
    switch (steps[at] & 7) {
      case 0:
      case 1: {
        const std::string data((steps[at] & 1) != 0 ? count * 331 : count, static_cast<char>('a' + sent.size() % 26));
        SendRaw(wire.client, records.Seal(SealedRecords::kData, data));
        sent += data;
        without_data = 0;
        break;
      }
      case 2:
      case 3:
        for (std::size_t i = 0; i < count; ++i) {
          const std::string update("\x18\0\0\1", 4);
          const std::string record = records.Seal(
              SealedRecords::kHandshake, update + std::string(1, static_cast<char>((steps[at] & 7) == 2 ? 0 : 1)));
          records.ChangeKey();
          SendRaw(wire.client, record);
          bytes_without_data += record.size();
        }
        without_data += count;
        break;
      case 4:
        SendRaw(wire.client, records.Seal(SealedRecords::kData, ""));
        ++without_data;
        break;
      default: {
        // A record of any type with the bytes that follow, encrypted or not; what they say is the input's.
        const std::span<const std::uint8_t> rest = steps.subspan(at + 1);
        const std::string content(rest.begin(),
                                  rest.begin() + static_cast<std::ptrdiff_t>(std::min(count, rest.size())));
        is_honest = false;
        if ((steps[at] & 7) == 5) {
          SendRaw(wire.client, content);
        } else {
          SendRaw(wire.client, records.Seal(content.empty() ? SealedRecords::kHandshake : content[0] & 31, content));
        }
      }
    }
    server.ReadAll();
    OPENSEAT_CHECK(sent.starts_with(server.data) || !is_honest, "data arrives in order");
    if (!is_honest) return;
    if (without_data > TlsRecords::kMostWithoutData) {
      OPENSEAT_CHECK(server.last == IoStatus::kExcess, "too many records without data end the connection");
    } else if (was_modest && without_data + kOfHandshake <= TlsRecords::kMostWithoutData) {
      OPENSEAT_CHECK(server.last == IoStatus::kWantRead && server.data == sent, "a modest client is served");
      OPENSEAT_CHECK(CanWrite(server, wire), "a modest client can be written to");
    }
    if (server.Ended()) return;
    OPENSEAT_CHECK(server.overhead + kLastRecord >= bytes_without_data, "records without data are charged");
  }
}

// TLS 1.2, by OpenSSL's client.
void PlayOld(Peer& server, const Wire& wire, std::span<const std::uint8_t> steps) {
  static SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  const Ssl client = NewClient(context, wire.client, TLS1_2_VERSION);
  ShakeHands(server, client.get());
  std::string sent;
  for (const std::uint8_t step : steps) {
    if ((step & 7) == 0) {
      // OpenSSL's own client may ask for another handshake, and the answer ends the connection.
      if (SSL_renegotiate(client.get()) != 1) return;
      static_cast<void>(SSL_do_handshake(client.get()));
      server.ReadAll();
      OPENSEAT_CHECK(server.last == IoStatus::kExcess, "a renegotiation is refused");
      return;
    }
    const std::string data(std::size_t{1} + step, static_cast<char>('a' + sent.size() % 26));
    OPENSEAT_CHECK(SSL_write(client.get(), data.data(), static_cast<int>(data.size())) > 0, "the client can write");
    sent += data;
    server.ReadAll();
    OPENSEAT_CHECK(server.last == IoStatus::kWantRead && server.data == sent, "data arrives in order");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kMostBytes) return 0;
  static const std::shared_ptr<TlsContext> context = ServerContext();
  const std::span rest(data + 1, size - 1);
  const Wire wire;
  Peer server;
  server.stream = context->Accept(wire.server);
  if ((data[0] & 3) == 0) {
    PlayRaw(server, wire, {reinterpret_cast<const char*>(rest.data()), rest.size()});
  } else if ((data[0] & 3) == 1) {
    PlayOld(server, wire, rest);
  } else {
    PlaySealed(server, wire, rest);
  }
  return 0;
}
