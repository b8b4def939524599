#include "net/test_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "net/websocket_handshake.h"

namespace openseat::net {
namespace {

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The header of Elsewhere; "" without one.
thread_local std::string passed_on;
// The count of Counted; null without one.
thread_local std::atomic<std::size_t>* counted = nullptr;

void CountOne() {
  if (counted != nullptr) ++*counted;
}

bool BeginsRequest(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
  return line.size() < bytes.size() && line.ends_with(" HTTP/1.1");
}

}  // namespace

TestClient::Elsewhere::Elsewhere(const std::string& address) {
  passed_on = "X-Forwarded-For: " + address + "\r\n";
}

TestClient::Elsewhere::~Elsewhere() {
  passed_on.clear();
}

TestClient::Counted::Counted(std::atomic<std::size_t>& count) {
  counted = &count;
}

TestClient::Counted::~Counted() {
  counted = nullptr;
}

TestClient::TestClient(Adopt socket) : descriptor_(socket.descriptor) {
  const timeval timeout{.tv_sec = 60, .tv_usec = 0};  // under a sanitizer, next to other tests, some answers take 20 s
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  // Two small messages in a row do not wait for the peer's acknowledgment of the first.
  const int on = 1;
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

TestClient::TestClient(std::uint16_t port) : TestClient(Adopt{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}) {
  const sockaddr_in address = Loopback(port);
  EXPECT_EQ(connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

TestClient::~TestClient() {
  ::close(descriptor_);
}

void TestClient::Send(std::string_view bytes) {
  if (passed_on.empty() || !BeginsRequest(bytes) || bytes.find("X-Forwarded-For: ") != std::string_view::npos) {
    return SendAll(bytes);
  }
  // Several requests may come together.
  constexpr std::string_view kLineEnd = " HTTP/1.1\r\n";
  std::string out;
  for (std::size_t end = bytes.find(kLineEnd); end != std::string_view::npos; end = bytes.find(kLineEnd)) {
    out.append(bytes.substr(0, end + kLineEnd.size())).append(passed_on);
    bytes.remove_prefix(end + kLineEnd.size());
  }
  SendAll(out.append(bytes));
}

void TestClient::SendAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void TestClient::EndSending() {
  ::shutdown(descriptor_, SHUT_WR);
}

bool TestClient::Fill() {
  char buffer[65536];
  const ssize_t n = ::recv(descriptor_, buffer, sizeof buffer, 0);
  if (n > 0) in_.append(buffer, static_cast<std::size_t>(n));
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) ADD_FAILURE() << "nothing came for a minute";
  return n > 0;
}

std::string TestClient::Read(std::size_t size) {
  while (in_.size() < size && Fill()) {
  }
  std::string out = in_.substr(0, size);
  in_.erase(0, out.size());
  return out;
}

std::string TestClient::ReadUntil(std::string_view mark) {
  std::size_t at = 0;
  while ((at = in_.find(mark)) == std::string::npos && Fill()) {
  }
  return Read(at == std::string::npos ? in_.size() : at + mark.size());
}

bool TestClient::AtEnd() {
  return in_.empty() && !Fill();
}

TestClient::Answer TestClient::ReadAnswer(bool head) {
  Answer answer;
  answer.head = ReadUntil("\r\n\r\n");
  if (!answer.head.starts_with("HTTP/1.1 ")) return answer;
  answer.status = std::stoi(answer.head.substr(9, 3));
  CountOne();
  std::size_t at = answer.head.find("\r\n") + 2;
  while (at < answer.head.size() - 2) {
    const std::size_t end = answer.head.find("\r\n", at);
    const std::string line = answer.head.substr(at, end - at);
    const std::size_t colon = line.find(": ");
    std::string name = line.substr(0, colon);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    answer.headers[name] = line.substr(colon + 2);
    at = end + 2;
  }
  if (const auto length = answer.headers.find("content-length"); length != answer.headers.end() && !head) {
    answer.body = Read(std::stoul(length->second));
  }
  return answer;
}

TestClient::Answer TestClient::Request(std::string_view bytes, bool head) {
  Send(bytes);
  return ReadAnswer(head);
}

TestClient::Answer TestClient::Upgrade(std::string_view path, std::string_view more_headers) {
  return Request("GET " + std::string(path) +
                 " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                 std::string(more_headers) + "\r\n");
}

TestClient::Frame TestClient::ReadFrame() {
  Frame frame;
  const std::string start = Read(2);
  if (start.size() < 2) return frame;
  CountOne();
  const auto byte = [](const std::string& text, std::size_t i) { return static_cast<unsigned char>(text[i]); };
  frame.fin = (byte(start, 0) & 0x80) != 0;
  frame.opcode = byte(start, 0) & 0x7f;  // with the reserved bits, which must be 0
  frame.masked = (byte(start, 1) & 0x80) != 0;
  std::size_t size = byte(start, 1) & 0x7f;
  if (size >= 126) {
    const std::string more = Read(size == 126 ? 2 : 8);
    size = 0;
    for (std::size_t i = 0; i < more.size(); ++i) size = size << 8 | byte(more, i);
  }
  const std::string mask = frame.masked ? Read(4) : "";
  frame.payload = Read(size);
  for (std::size_t i = 0; frame.masked && i < size; ++i)
    frame.payload[i] = static_cast<char>(frame.payload[i] ^ mask[i % 4]);
  return frame;
}

std::string TestClient::AnswerUpgrade(std::string_view behind) {
  std::string request = ReadUntil("\r\n\r\n");
  static constexpr std::string_view kName = "Sec-WebSocket-Key: ";
  const std::size_t at = request.find(kName);
  Send("HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nconnection: upgrade\r\nSec-WebSocket-Accept: " +
       AcceptKey(request.substr(at + kName.size(), 24)) + "\r\n\r\n" + std::string(behind));
  return request;
}

TestListener::TestListener() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(descriptor_, 10), 0);
  EXPECT_EQ(::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
}

TestListener::~TestListener() {
  ::close(descriptor_);
}

std::unique_ptr<TestClient> TestListener::Accept() {
  return std::make_unique<TestClient>(TestClient::Adopt{::accept(descriptor_, nullptr, nullptr)});
}

int TestClient::Frame::code() const {
  if (payload.size() < 2) return 1005;
  return static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
}

std::string ClientFrame(int first, std::string_view payload, bool masked) {
  std::string out(1, static_cast<char>(first));
  const int bit = masked ? 0x80 : 0;
  if (payload.size() <= 125) {
    out.push_back(static_cast<char>(bit | static_cast<int>(payload.size())));
  } else {
    const int bytes = payload.size() <= 0xffff ? 2 : 8;
    out.push_back(static_cast<char>(bit | (bytes == 2 ? 126 : 127)));
    for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(payload.size() >> (8 * i)));
  }
  const std::string mask = masked ? "\x12\xf4\x56\x9a" : "";
  out += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    out.push_back(masked ? static_cast<char>(payload[i] ^ mask[i % 4]) : payload[i]);
  }
  return out;
}

std::string ClientClose(int code, std::string_view reason) {
  std::string payload{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
  return ClientFrame(0x88, payload + std::string(reason));
}

}  // namespace openseat::net
