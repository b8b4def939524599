#include "net/transport.h"

#include <sys/socket.h>

#include <cerrno>

namespace openseat::net {

void Transport::Prepare(TcpSocket& socket) {
  IoError ignored;
  socket.non_blocking(true, ignored);
  socket.set_option(Tcp::no_delay(true), ignored);
}

IoResult Transport::Read(char* data, std::size_t size) {
  if (!open()) return {IoStatus::kEnd, 0};
  if (tls_ != nullptr) return tls_->Read(data, size);
  for (;;) {
    const ssize_t n = ::recv(socket_->native_handle(), data, size, 0);
    if (n > 0) return {IoStatus::kOk, static_cast<std::size_t>(n)};
    if (n == 0) return {IoStatus::kEnd, 0};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoStatus::kWantRead, 0};
    if (errno != EINTR) return {IoStatus::kError, 0};
  }
}

IoResult Transport::Write(const char* data, std::size_t size) {
  if (!open()) return {IoStatus::kError, 0};
  if (tls_ != nullptr) return tls_->Write(data, size);
  for (;;) {
    const ssize_t n = ::send(socket_->native_handle(), data, size, MSG_NOSIGNAL);
    if (n >= 0) return {IoStatus::kOk, static_cast<std::size_t>(n)};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoStatus::kWantWrite, 0};
    if (errno != EINTR) return {IoStatus::kError, 0};
  }
}

void Transport::ShutdownSend() {
  if (!open()) return;
  if (tls_ != nullptr) tls_->Shutdown();
  IoError ignored;
  socket_->shutdown(TcpSocket::shutdown_send, ignored);
}

void Transport::Close() {
  tls_.reset();
  socket_.reset();
}

}  // namespace openseat::net
