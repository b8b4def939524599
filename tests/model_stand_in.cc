// A stand-in for the model providers, for tests: answers chat completions, OpenAI's Responses, Gemini's generateContent
// and Anthropic's Messages, as streams where they are asked for, all on one port below /openai, /responses, /gemini and
// /anthropic. It checks every request against the provider's documentation, and answers from a script: one step per
// request, and good answers after the end of the script.
//
// usage: model_stand_in KEY [STEP,STEP…] [--mix ONE_IN]
//
// A step is a name (see Serve), or say:FILE, for the contents of a file. A model whose name begins with "flagship",
// "legacy" or "small" refuses what such models refuse (testing/provider_check.h). After the script, with --mix, one
// answer in ONE_IN is a failure of some kind, in turn.
//
// It prints its port, and serves until its standard input ends. GET /report lists the requests, and what was wrong with
// them. It uses plain blocking sockets and one thread per connection, and shares no network code with the program.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
#include "model_answers.h"
#include "schema/schema.h"
#include "testing/provider_check.h"

namespace openseat {
namespace {

using testing::ProviderRequest;
using testing::Said;

struct HttpAnswer {
  int status = 200;
  std::string headers{};  // lines
  std::string body{};
  std::string type = "application/json";
};

struct Shared {
  std::mutex mutex;
  std::string key;
  std::vector<std::string> script;
  std::size_t next = 0;
  std::size_t requests = 0;
  std::size_t mix = 0;  // one in so many is a failure; 0: none
  std::size_t mixed = 0;
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
  return "HTTP/1.1 " + std::to_string(answer.status) + " Whatever\r\nContent-Type: " + answer.type + "\r\n" +
         "X-Request-Id: req-7\r\n" + answer.headers + "Content-Length: " + std::to_string(answer.body.size()) +
         "\r\n\r\n" + answer.body;
}

// The whole answer; as a stream, with its first `events` only.
HttpAnswer Answer(const ProviderRequest& request, const Said& said, std::size_t events = SIZE_MAX) {
  const testing::Documents documents = testing::AnswerOf(request, said);
  HttpAnswer answer;
  if (!testing::WantsStream(request)) {
    answer.body = json::Write(documents.front());
    return answer;
  }
  answer.type = "text/event-stream";
  answer.body = ": hello\n\n";
  for (std::size_t i = 0; i < documents.size() && i < events; ++i)
    answer.body += testing::EventText(request, documents[i]);
  if (request.provider == "openai" && events == SIZE_MAX) answer.body += "data: [DONE]\n\n";
  return answer;
}

// An error as its provider writes it.
HttpAnswer Wrong(const ProviderRequest& request, int status, const std::string& message, const std::string& type,
                 std::string headers = "") {
  HttpAnswer answer;
  answer.status = status;
  answer.headers = std::move(headers);
  json::Object error{{"message", message}};
  if (request.provider == "gemini") {
    error["code"] = status;
    error["status"] = status == 429 ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE";
  } else {
    error["type"] = type;
    if (request.provider != "anthropic") error["code"] = type;
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

// What a model says in a step; nullopt if the step is no answer of a model.
std::optional<Said> SaidIn(const std::string& step, const std::string& good, const std::string& key) {
  if (step == "valid") return Said{.text = good};
  if (step == "thoughts") return Said{.text = good, .thoughts = "I have thought about it."};
  if (step == "think-tag") return Said{.text = "<think>I have {thought} about it.</think>\n" + good};
  if (step == "fenced") return Said{.text = "Here you are:\n```json\n" + good + "\n```\nGood luck!"};
  if (step == "truncated") return Said{.text = good.substr(0, good.size() * 2 / 3), .cut_off = true};
  if (step == "cut") return Said{.text = good.substr(0, good.size() - 1), .cut_off = true};
  if (step == "thought-too-long") return Said{.thoughts = "On the one hand …", .cut_off = true};
  if (step == "quotes") return Said{.text = Quoted(good)};
  if (step == "prose") return Said{.text = "I would rather talk about the weather."};
  if (step == "wrong-schema") return Said{.text = R"({"nonsense":[1,2,3]})"};
  if (step == "refusal") return Said{.refusal = "I cannot help with that."};
  if (step == "echo") return Said{.text = "My key is " + key};
  if (step.starts_with("say:")) {
    std::ifstream file(step.substr(4));
    return Said{.text = std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>())};
  }
  return std::nullopt;
}

// An error's HTTP answer; nullopt if the step is no error.
std::optional<HttpAnswer> ErrorIn(const ProviderRequest& request, const std::string& step, const std::string& key) {
  if (step == "429") return Wrong(request, 429, "slow down", "rate_limit_exceeded", "Retry-After: 0\r\n");
  if (step == "429-reset") {
    return Wrong(request, 429, "slow down", "rate_limit_error", "x-ratelimit-reset-requests: 1ms\r\n");
  }
  if (step == "quota") return Wrong(request, 429, "you have no money left", "insufficient_quota", "Retry-After: 0\r\n");
  if (step == "408") return Wrong(request, 408, "too slow", "timeout");
  if (step == "500") return Wrong(request, 500, "it broke", "api_error");
  if (step == "503") return Wrong(request, 503, "Loading model", "unavailable_error", "retry-after-ms: 1\r\n");
  if (step == "529") return Wrong(request, 529, "Overloaded", "overloaded_error", "Retry-After: 0\r\n");
  if (step == "400") return Wrong(request, 400, "this is no request", "invalid_request_error");
  if (step == "401") return Wrong(request, 401, "the key " + key + " is not known", "authentication_error");
  if (step == "403") return Wrong(request, 403, "not here", "permission_error");
  if (step == "404") return Wrong(request, 404, "there is no such model", "not_found_error");
  if (step == "too-long")
    return Wrong(request, 400, "prompt is too long: 9 tokens > 8 maximum", "context_length_exceeded");
  if (step == "filter" && request.provider == "gemini") {
    return HttpAnswer{.body = R"({"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9}})"};
  }
  if (step == "filter") return Wrong(request, 400, "the prompt was filtered", "content_filter");
  if (step == "leak")
    return Wrong(request, 503, "cannot serve the key " + key + " now", "overloaded_error", "Retry-After: 0\r\n");
  if (step == "redirect") return Wrong(request, 307, "elsewhere", "redirect", "Location: /elsewhere\r\n");
  if (step == "error-in-200") {
    HttpAnswer answer = Wrong(request, 429, "slow down", "rate_limit_exceeded");
    answer.status = 200;
    return answer;
  }
  if (step == "gateway") return HttpAnswer{.headers = {}, .body = "<html>try later</html>", .type = "text/html"};
  return std::nullopt;
}

// Serves one request according to `step`. Returns whether the connection stays open.
bool Serve(Peer& peer, const ProviderRequest& request, const std::string& step, const std::string& good,
           const std::string& key) {
  const auto send = [&](const HttpAnswer& answer) { return peer.Send(Rendered(answer)); };
  if (const auto said = SaidIn(step, good, key)) return send(Answer(request, *said));
  if (const auto error = ErrorIn(request, step, key)) return send(*error);
  const Said whole{.text = good, .thoughts = "I have thought about it."};
  if (step == "broken-stream") return send(Answer(request, whole, 3));  // it ends early; whole answers do not break
  if (step == "overload-in-stream" && testing::WantsStream(request)) {
    HttpAnswer answer = Answer(request, whole, 3);
    answer.body +=
        testing::EventText(request, *json::Parse(Wrong(request, 529, "Overloaded", "overloaded_error").body));
    return send(answer);
  }
  if (step == "stall") {  // half of it, then silence
    const std::string answer = Rendered(Answer(request, whole));
    if (peer.Send(std::string_view(answer).substr(0, answer.size() / 2))) peer.WaitForEnd();
    return false;
  }
  if (step == "timeout") {
    peer.WaitForEnd();
    return false;
  }
  if (step == "reset") {
    peer.Reset();
    return false;
  }
  if (step == "reset-in-stream") {
    const std::string answer = Rendered(Answer(request, whole));
    peer.Send(std::string_view(answer).substr(0, answer.size() / 2));
    return false;
  }
  if (step == "trickle") {  // never silent, and never done
    const std::string answer = Rendered(Answer(request, whole));
    for (const char c : answer) {
      if (!peer.Send({&c, 1}) || !peer.StaysFor(20)) break;
    }
    return false;
  }
  return send(Answer(request, Said{.text = good}));
}

// In turn, what goes wrong with --mix. None of it is the model's fault, but for the last four.
constexpr std::string_view kMix[] = {"429",
                                     "500",
                                     "503",
                                     "529",
                                     "reset",
                                     "error-in-200",
                                     "gateway",
                                     "broken-stream",
                                     "408",
                                     "429-reset",
                                     "thoughts",
                                     "overload-in-stream",
                                     "reset-in-stream",
                                     "fenced",
                                     "truncated",
                                     "refusal",
                                     "wrong-schema"};

// Whether the request asks for a strict form, in which every member is present.
bool IsStrict(const ProviderRequest& request) {
  if (request.provider == "anthropic") return request.body.as_object().contains("output_config");
  return json::Write(request.body).find(R"("strict":true)") != std::string::npos;
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
    std::optional<testing::ProviderRefusal> refusal;
    {
      const std::lock_guard lock(shared.mutex);
      ++shared.requests;
      auto parsed = json::Parse(body);
      if (parsed) {
        request.body = std::move(*parsed);
        for (std::string& fault : testing::RequestFaults(request, shared.key))
          shared.faults.push_back(std::move(fault));
        good = GoodText(request, shared);
        refusal = testing::RefusalOf(request);
      } else {
        shared.faults.push_back("the body is not JSON: " + parsed.error().message);
        good = "{}";
      }
      if (refusal) {
        step = "refused";
      } else if (shared.next < shared.script.size()) {
        step = shared.script[shared.next++];
      } else if (shared.mix != 0 && shared.requests % shared.mix == 0) {
        step = kMix[shared.mixed++ % std::size(kMix)];
      }
      ++shared.steps[step];
    }
    if (refusal) {
      if (!peer.Send(Rendered({.status = refusal->status, .headers = {}, .body = json::Write(refusal->body)}))) return;
      continue;
    }
    if (!Serve(peer, request, step, good, shared.key)) return;
  }
}

int Main(int argc, char** argv) {
  const bool mixes = argc == 5 && std::string_view(argv[3]) == "--mix";
  if (argc < 2 || (argc > 3 && !mixes)) {
    std::fputs("usage: model_stand_in KEY [STEP,STEP…] [--mix ONE_IN]\n", stderr);
    return 2;
  }
  Shared shared;
  shared.key = argv[1];
  if (mixes) shared.mix = static_cast<std::size_t>(std::atoi(argv[4]));
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
