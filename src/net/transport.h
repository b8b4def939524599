// Transport: one connected, non-blocking socket, plain or TLS. It reads and writes what is possible now, and otherwise
// says what to wait for; the connection does the waiting. Internal; one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/io.h"
#include "net/tls.h"

namespace openseat::net {

// What one connection may leave unread even when its address leaves too much.
inline constexpr std::size_t kMayWait = 64u << 10;

// Empties a buffer, which keeps its memory only if that is little: assigning an empty string would keep all of it.
inline void Empty(std::string& buffer) {
  constexpr std::size_t kKept = 16u << 10;
  if (buffer.capacity() > kKept) std::string().swap(buffer);
  buffer.clear();
}

// Of an outbox: once most of it is sent, that part is dropped with its memory, so that what a slow reader keeps stays
// about as large as what is counted as waiting for it.
inline void DropSent(std::string& out, std::size_t& sent) {
  if (sent > out.size() / 2) std::string(out, std::exchange(sent, 0)).swap(out);
}

// How many bytes an append of `more` bytes writes to for the first time: a buffer without room for them is copied, and
// its former memory may stay resident.
inline std::size_t TouchedBy(const std::string& buffer, std::size_t more) {
  return buffer.size() + more > buffer.capacity() ? buffer.size() + more : more;
}

class Transport {
 public:
  // `tls` null: plain.
  explicit Transport(TcpSocket socket, std::unique_ptr<TlsStream> tls = nullptr)
      : socket_(std::move(socket)), tls_(std::move(tls)) {}

  // Non-blocking, TCP_NODELAY.
  static void Prepare(TcpSocket& socket);

  IoResult Read(char* data, std::size_t size);
  IoResult Write(const char* data, std::size_t size);

  // Calls `handler(IoError)` once there is something to read (or the end). REQUIRES open().
  template <typename Handler>
  void WaitReadable(Handler&& handler) {
    socket_->async_wait(TcpSocket::wait_read, std::forward<Handler>(handler));
  }
  template <typename Handler>
  void WaitWritable(Handler&& handler) {
    socket_->async_wait(TcpSocket::wait_write, std::forward<Handler>(handler));
  }

  // Calls `handler(IoError)` once both sides have ended the connection or it broke. What has come stays unread.
  template <typename Handler>
  void WaitEnd(Handler&& handler) {
    socket_->async_wait(TcpSocket::wait_error, std::forward<Handler>(handler));
  }

  bool open() const { return socket_.has_value(); }
  bool encrypted() const { return tls_ != nullptr; }
  // Tells the peer that nothing more will be sent.
  void ShutdownSend();
  // Waits in progress end with an error.
  void Close();
  // What went wrong with TLS, for people; empty if nothing did.
  std::string TlsProblem() const { return tls_ != nullptr ? tls_->problem() : std::string(); }
  // Memory of a client's handshake; 0 if there is no TLS, or no handshake in progress.
  std::size_t handshake_bytes() const { return tls_ != nullptr ? tls_->handshake_bytes() : 0; }
  TlsOverhead TakeOverhead() { return tls_ != nullptr ? tls_->TakeOverhead() : TlsOverhead(); }

 private:
  std::optional<TcpSocket> socket_;  // destroyed on Close: holding the connection afterwards holds no socket
  std::unique_ptr<TlsStream> tls_;
};

}  // namespace openseat::net
