// A stand-in for the model providers, for tests: answers chat completions, Gemini's generateContent and Anthropic's
// Messages, all on one port below /openai, /gemini and /anthropic. It checks every request against the provider's
// documentation, and answers from a script: one step per request, and good answers after the end of the script.
//
// usage: model_stand_in KEY [STEP,STEP…]
//
// A step is a name (see Serve), or say:FILE, for the contents of a file.
//
// It prints its port, and serves until its standard input ends. GET /report lists the requests, and what was wrong with
// them. It uses plain blocking sockets and one thread per connection, and shares no network code with the program.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "schema/schema.h"
#include "testing/provider_check.h"

namespace openseat {
namespace {

using testing::ProviderRequest;

struct HttpAnswer {
  int status = 200;
  std::string headers;  // lines
  std::string body;
};

struct Shared {
  std::mutex mutex;
  std::string key;
  std::vector<std::string> script;
  std::size_t next = 0;
  std::size_t requests = 0;
  std::map<std::string, std::size_t> steps;  // how often each was served
  std::vector<std::string> faults;
  Rng rng{1};
};

class Peer {
 public:
  explicit Peer(int descriptor) : descriptor_(descriptor) {}
  ~Peer() { ::close(descriptor_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Reads one request, head and body; false at the end.
  bool Read(std::string& head, std::string& body) {
    std::size_t end = 0;
    while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return false;
    }
    head = in_.substr(0, end + 2);
    in_.erase(0, end + 4);
    std::size_t length = 0;
    std::string lower = head;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (const std::size_t at = lower.find("\r\ncontent-length: "); at != std::string::npos) {
      length = std::stoul(lower.substr(at + 18));
    }
    while (in_.size() < length) {
      if (!Fill()) return false;
    }
    body = in_.substr(0, length);
    in_.erase(0, length);
    return true;
  }
  void WaitForEnd() {
    while (Fill()) {
    }
  }
  // Whether the peer is still connected after this long.
  bool StaysFor(int milliseconds) const {
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, milliseconds) == 0;
  }
  // Ends the connection with a reset.
  void Reset() const {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }

 private:
  bool Fill() {
    char buffer[16384];
    const ssize_t got = ::recv(descriptor_, buffer, sizeof buffer, 0);
    if (got > 0) in_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  const int descriptor_;
  std::string in_;
};

std::string Rendered(const HttpAnswer& answer) {
  return "HTTP/1.1 " + std::to_string(answer.status) + " Whatever\r\nContent-Type: application/json\r\n" +
         answer.headers + "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n" + answer.body;
}

// A model's text, in each provider's format.
HttpAnswer Said(const ProviderRequest& request, const std::string& text, bool cut_off = false) {
  HttpAnswer answer;
  const std::size_t in = json::Write(request.body).size() / 4;
  const std::size_t out = text.size() / 4 + 1;
  if (request.provider == "openai") {
    answer.body = json::Write(json::Object{
        {"id", "chatcmpl-1"},
        {"object", "chat.completion"},
        {"choices", json::Array{json::Object{{"index", 0},
                                             {"message", json::Object{{"role", "assistant"}, {"content", text}}},
                                             {"finish_reason", cut_off ? "length" : "stop"}}}},
        {"usage", json::Object{{"prompt_tokens", in}, {"completion_tokens", out}, {"total_tokens", in + out}}}});
  } else if (request.provider == "gemini") {
    answer.body = json::Write(json::Object{
        {"candidates",
         json::Array{json::Object{
             {"content", json::Object{{"role", "model"}, {"parts", json::Array{json::Object{{"text", text}}}}}},
             {"finishReason", cut_off ? "MAX_TOKENS" : "STOP"}}}},
        {"usageMetadata", json::Object{{"promptTokenCount", in}, {"candidatesTokenCount", out}}}});
  } else {
    // A good answer is the tool's input; anything that is not JSON is sent as text.
    const auto input = json::Parse(text);
    json::Value block = json::Object{{"type", "text"}, {"text", text}};
    if (input && input->is_object()) {
      block = json::Object{{"type", "tool_use"}, {"id", "toolu_1"}, {"name", "answer"}, {"input", *input}};
    }
    answer.body = json::Write(json::Object{{"id", "msg_1"},
                                           {"type", "message"},
                                           {"role", "assistant"},
                                           {"content", json::Array{std::move(block)}},
                                           {"stop_reason", cut_off ? "max_tokens" : "tool_use"},
                                           {"usage", json::Object{{"input_tokens", in}, {"output_tokens", out}}}});
  }
  return answer;
}

HttpAnswer Refused(const ProviderRequest& request) {
  HttpAnswer answer;
  if (request.provider == "openai") {
    answer.body =
        R"({"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I cannot help with that."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":6}})";
  } else if (request.provider == "gemini") {
    answer.body = R"({"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":9}})";
  } else {
    answer.body =
        R"({"type":"message","role":"assistant","content":[{"type":"text","text":"No."}],"stop_reason":"refusal","usage":{"input_tokens":9,"output_tokens":2}})";
  }
  return answer;
}

HttpAnswer Wrong(const ProviderRequest& request, int status, const std::string& message, std::string headers = "") {
  HttpAnswer answer;
  answer.status = status;
  answer.headers = std::move(headers);
  json::Object error{{"message", message}};
  if (request.provider == "gemini") {
    error["code"] = status;
    error["status"] = "UNAVAILABLE";
  } else {
    error["type"] = "some_error";
  }
  json::Object body{{"error", std::move(error)}};
  if (request.provider == "anthropic") body["type"] = "error";
  answer.body = json::Write(body);
  return answer;
}

std::string Quoted(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  text.insert(text.size() - 1, ", // that is all\n");
  return text;
}

// Serves one request according to `step`. Returns whether the connection stays open.
bool Serve(Peer& peer, const ProviderRequest& request, const std::string& step, const std::string& good,
           const std::string& key) {
  const auto send = [&](const HttpAnswer& answer) { return peer.Send(Rendered(answer)); };
  if (step == "fenced") return send(Said(request, "Here you are:\n```json\n" + good + "\n```\nGood luck!"));
  if (step == "truncated") return send(Said(request, good.substr(0, good.size() * 2 / 3), true));
  if (step == "cut") return send(Said(request, good.substr(0, good.size() - 1), true));
  if (step == "quotes") return send(Said(request, Quoted(good)));
  if (step == "prose") return send(Said(request, "I would rather talk about the weather."));
  if (step == "wrong-schema") return send(Said(request, R"({"nonsense":[1,2,3]})"));
  if (step == "refusal") return send(Refused(request));
  if (step == "429") return send(Wrong(request, 429, "slow down", "Retry-After: 0\r\n"));
  if (step == "500") return send(Wrong(request, 500, "it broke"));
  if (step == "529") return send(Wrong(request, 529, "overloaded"));
  if (step == "401") return send(Wrong(request, 401, "the key " + key + " is not known"));
  if (step == "leak") return send(Wrong(request, 503, "cannot serve the key " + key + " now"));
  if (step == "echo") return send(Said(request, "My key is " + key));
  if (step == "gateway") return send({.status = 200, .headers = {}, .body = "<html>try later</html>"});
  if (step == "redirect") return send(Wrong(request, 307, "elsewhere", "Location: /elsewhere\r\n"));
  if (step.starts_with("say:")) {
    std::ifstream file(step.substr(4));
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return send(Said(request, text));
  }
  if (step == "timeout") {
    peer.WaitForEnd();
    return false;
  }
  if (step == "reset") {
    peer.Reset();
    return false;
  }
  if (step == "trickle") {
    const std::string answer = Rendered(Said(request, good));
    for (const char c : answer) {
      if (!peer.Send({&c, 1}) || !peer.StaysFor(20)) break;
    }
    return false;
  }
  return send(Said(request, good));
}

// Whether the request asks for OpenAI's strict form, in which every member is present.
bool IsStrict(const ProviderRequest& request) {
  const json::Value* format = json::Find(request.body, "response_format");
  const json::Value* schema = format == nullptr ? nullptr : json::Find(*format, "json_schema");
  const json::Value* strict = schema == nullptr ? nullptr : json::Find(*schema, "strict");
  return strict != nullptr && *strict == json::Value(true);
}

// The answer that a good model would give; "" if the request does not say what it wants.
std::string GoodText(const ProviderRequest& request, Shared& shared) {
  auto answer = testing::GoodAnswer(request, shared.rng);
  if (!answer) {
    shared.faults.emplace_back("the request does not say what may be answered");
    return "{}";
  }
  if (const json::Value* source = testing::AnswerSchemaOf(request)) {
    // An answer that the game accepts must also match the schema that the provider gets.
    if (IsStrict(request)) testing::FillNulls(*source, *answer);
    const auto schema = schema::Schema::Compile(*source);
    if (!schema || !(*schema)->IsValid(*answer)) {
      shared.faults.push_back("the answer " + json::Write(*answer) + " is right, and " + json::Write(*source) +
                              " does not take it");
    }
  }
  return json::Write(*answer);
}

std::string Report(Shared& shared) {
  json::Object steps;
  for (const auto& [step, count] : shared.steps) steps[step] = count;
  return json::Write(json::Object{{"requests", shared.requests},
                                  {"steps", std::move(steps)},
                                  {"faults", json::Array(shared.faults.begin(), shared.faults.end())}});
}

void ServeConnection(int descriptor, Shared& shared) {
  Peer peer(descriptor);
  std::string head;
  std::string body;
  while (peer.Read(head, body)) {
    const std::size_t begin = head.find(' ') + 1;
    const std::string path = head.substr(begin, head.find(' ', begin) - begin);
    if (path == "/report") {
      const std::lock_guard lock(shared.mutex);
      peer.Send(Rendered({.status = 200, .headers = "Connection: close\r\n", .body = Report(shared)}));
      return;
    }
    ProviderRequest request;
    const std::size_t second = path.find('/', 1);
    request.provider = path.substr(1, second - 1);
    request.path = second == std::string::npos ? "" : path.substr(second);
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t end = head.find("\r\n", at);
      const std::size_t colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      request.headers[name] = colon < end ? head.substr(colon + 2, end - colon - 2) : "";
      at = end + 2;
    }
    std::string step = "valid";
    std::string good;
    {
      const std::lock_guard lock(shared.mutex);
      ++shared.requests;
      if (shared.next < shared.script.size()) step = shared.script[shared.next++];
      ++shared.steps[step];
      auto parsed = json::Parse(body);
      if (parsed) {
        request.body = std::move(*parsed);
        for (std::string& fault : testing::RequestFaults(request, shared.key))
          shared.faults.push_back(std::move(fault));
        good = GoodText(request, shared);
      } else {
        shared.faults.push_back("the body is not JSON: " + parsed.error().message);
        good = "{}";
      }
    }
    if (!Serve(peer, request, step, good, shared.key)) return;
  }
}

int Main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fputs("usage: model_stand_in KEY [STEP,STEP…]\n", stderr);
    return 2;
  }
  Shared shared;
  shared.key = argv[1];
  for (std::string_view rest = argc > 2 ? argv[2] : ""; !rest.empty();) {
    const std::string_view step = rest.substr(0, rest.find(','));
    shared.script.emplace_back(step);
    rest.remove_prefix(std::min(rest.size(), step.size() + 1));
  }
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listener, 64) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("model_stand_in");
    return 1;
  }
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::thread([listener, &shared] {
    for (;;) {
      const int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor >= 0) std::thread(ServeConnection, descriptor, std::ref(shared)).detach();
    }
  }).detach();
  char buffer[64];
  while (::read(STDIN_FILENO, buffer, sizeof buffer) > 0) {
  }
  // Other threads may still use objects in this function.
  std::_Exit(0);
}

}  // namespace
}  // namespace openseat

int main(int argc, char** argv) {
  return openseat::Main(argc, argv);
}
