#include "app/cluster_calls.h"

#include <memory>
#include <utility>

#include "agents/external/seat_token.h"
#include "app/cluster_door.h"
#include "base/budget.h"
#include "match/invite.h"
#include "protocols/mcp/bridge.h"
#include "protocols/mcp/server.h"

namespace openseat::app {
namespace {

// Longer than any call waits for its seat's turn.
constexpr Duration kCallTimeout = std::chrono::seconds(70);
constexpr Duration kAskAllTimeout = std::chrono::seconds(2);
constexpr Duration kCallConnectTimeout = std::chrono::seconds(3);
constexpr std::size_t kMaxCallAnswer = std::size_t{64} << 20;
constexpr Duration kTellEvery = std::chrono::seconds(10);

std::optional<TableId> TableOfToken(std::string_view token) {
  const Result<SeatToken> parsed = ParseSeatToken(token);
  return parsed ? std::optional(parsed->table) : std::nullopt;
}

std::optional<TableId> TableOfResource(std::string_view uri) {
  if (const auto seat = mcp::MatchTemplate("openseat://seats/{token}/state", uri)) {
    return TableOfToken(seat->at("token"));
  }
  for (const char* each : {"openseat://tables/{table}/state", "openseat://tables/{table}/transcript"}) {
    if (const auto table = mcp::MatchTemplate(each, uri)) return ParseMatchName(table->at("table")).id;
  }
  return std::nullopt;
}

// A tool's failure is read by the model, any other one by the host.
void AnswerTrouble(mcp::Call& call, const std::string& text) {
  if (call.method() == "tools/call") return call.Answer(mcp::ToolError(text));
  call.Refuse({mcp::code::kInternalError, text, nullptr, 200});
}

json::Object ParamsFor(const mcp::Call& call) {
  json::Object params = call.params();
  json::Value& meta = params["_meta"];
  if (!meta.is_object()) meta = json::Object();
  // It is told of its progress here.
  meta.get_object().erase("progressToken");
  if (call.era() == mcp::Era::kLegacy) {
    meta.get_object()[mcp::kMetaVersion] = mcp::kModernVersion;
    meta.get_object()[mcp::kMetaCapabilities] = json::Object();
  }
  return params;
}

// A call on its way.
struct Passing {
  std::weak_ptr<mcp::Call> call;
  ScopedTimer progress;
  int ticks = 0;
};

void Tell(net::Shard& home, const std::shared_ptr<Passing>& passing) {
  passing->progress.Set(home, kTellEvery, [&home, kept = std::weak_ptr(passing)] {
    const std::shared_ptr<Passing> live = kept.lock();
    const mcp::CallPtr call = live == nullptr ? nullptr : live->call.lock();
    if (call == nullptr || !call->wants_progress()) return;
    call->Progress(++live->ticks, std::nullopt, "waiting for the others");
    Tell(home, live);
  });
}

}  // namespace

mcp::Reads::Finish AnswerOf(const mcp::Call& call, const net::HttpResponse& response) {
  const auto refuse = [](mcp::Failure failure) -> mcp::Reads::Finish {
    return [failure = std::move(failure)](mcp::Call& refused) mutable { refused.Refuse(std::move(failure)); };
  };
  Result<json::Value> body = json::Parse(response.body, {.max_bytes = kMaxCallAnswer});
  const json::Value* error = body ? json::Find(*body, "error") : nullptr;
  const json::Value* code = error == nullptr ? nullptr : json::Find(*error, "code");
  if (code != nullptr && code->is_int64() && error->is_object()) {
    const bool modern = call.era() == mcp::Era::kModern;
    // What the older revisions call a missing resource.
    if (!modern && call.method() == "resources/read" && code->get_int64() == mcp::code::kInvalidParams) {
      return refuse(mcp::ResourceMissing(call, json::FindText(call.params(), "uri").value_or(std::string())));
    }
    const json::Value* data = json::Find(*error, "data");
    return refuse({static_cast<int>(code->get_int64()),
                   json::FindText(error->get_object(), "message").value_or(std::string()),
                   data == nullptr ? json::Value() : *data, modern ? response.status : 200});
  }
  json::Value* found = body && body->is_object() ? body->get_object().if_contains("result") : nullptr;
  if (found == nullptr || !found->is_object()) {
    return [status = response.status](mcp::Call& failed) {
      AnswerTrouble(failed, "The server that has the table could not answer (status " + std::to_string(status) +
                                "). Try again in a moment.");
    };
  }
  json::Object result = std::move(found->get_object());
  if (call.era() == mcp::Era::kLegacy) {
    for (const char* modern : {"resultType", "ttlMs", "cacheScope", "_meta"}) result.erase(modern);
  }
  return [message = call.Write(std::move(result))](mcp::Call& answered) mutable {
    answered.AnswerWritten(std::move(message));
  };
}

CallSubject SubjectOf(const std::string& method, const json::Object& params) {
  if (method == "tools/call") {
    const json::Object* arguments = json::FindObject(params, "arguments");
    if (arguments == nullptr) return {};
    if (const auto token = json::FindText(*arguments, "token")) return {TableOfToken(*token), {}};
    if (const auto table = json::FindText(*arguments, "table")) return {ParseMatchName(*table).id, {}};
    return {};
  }
  if (method == "resources/read") {
    return {TableOfResource(json::FindText(params, "uri").value_or(std::string())), {}};
  }
  const std::string id = json::FindText(params, "taskId").value_or(std::string());
  const std::string_view node = NodeOfId(id);
  if (!method.starts_with("tasks/") || node.empty()) return {};
  return {{}, std::string(node)};
}

std::string IdPrefix(const std::string& node) {
  return node + ".";
}

std::string_view NodeOfId(std::string_view id) {
  const std::size_t dot = id.find('.');
  return dot == std::string_view::npos ? std::string_view() : id.substr(0, dot);
}

bool ClusterCalls::Take(const mcp::CallPtr& call) {
  const CallSubject subject = SubjectOf(call->method(), call->params());
  if (subject.node) {
    // A task of a node that is gone is as unknown as any other.
    const std::optional<store::NodeBeat> other = node_.Other(*subject.node);
    if (!other || call->caller().passed_on) return false;
    PassOn(*other, call);
    return true;
  }
  if (!subject.table || subject.table->empty()) return false;
  const ClusterNode::Place place = node_.PlaceOf(*subject.table);
  if (place.here) return false;
  // Two nodes that do not agree about who has it must not send a call to and fro.
  if (!place.elsewhere || place.elsewhere->address.empty() || call->caller().passed_on) {
    AnswerTrouble(*call, "The table moves to another server just now. Try again in a second.");
    return true;
  }
  PassOn(*place.elsewhere, call);
  return true;
}

net::HttpCall ClusterCalls::CallTo(const store::NodeBeat& to, const mcp::Call& call) {
  mcp::Message message;
  message.method = call.method();
  message.params = ParamsFor(call);
  net::HttpCall post;
  post.method = net::Method::kPost;
  post.url = UrlAt(to, "/mcp");
  post.headers.Set("Content-Type", "application/json");
  post.headers.Set("Accept", "application/json");
  post.headers.Set(std::string(mcp::kVersionHeader), std::string(mcp::kModernVersion));
  post.headers.Set(std::string(mcp::kMethodHeader), message.method);
  if (const auto name = mcp::NameOf(message)) {
    post.headers.Set(std::string(mcp::kNameHeader), mcp::EncodeHeaderValue(*name));
  }
  const mcp::Caller& caller = call.caller();
  SetPassedOn(post.headers, to, caller.local, caller.from, caller.operates ? std::string() : caller.who);
  post.body = mcp::EncodeRequest("1", message.method, message.params);
  post.timeout = kCallTimeout;
  post.connect_timeout = kCallConnectTimeout;
  post.max_body_bytes = kMaxCallAnswer;
  post.proxy = "";
  return post;
}

void ClusterCalls::AskAll(const mcp::CallPtr& call, std::function<void(std::vector<mcp::OthersAnswer>)> done) const {
  std::vector<NodeCalls::To> calls;
  for (const store::NodeBeat& to : call->caller().passed_on ? std::vector<store::NodeBeat>() : node_.Others()) {
    calls.emplace_back(to, CallTo(to, *call)).second.timeout = kAskAllTimeout;
  }
  calls_.CallAll(std::move(calls), [done = std::move(done)](std::vector<net::OtherServers::Answer> answers) {
    std::vector<mcp::OthersAnswer> results;
    for (net::OtherServers::Answer& answer : answers) {
      Result<json::Value> body =
          answer.body ? json::Parse(*answer.body, {.max_bytes = kMaxCallAnswer}) : Fail(ErrorCode::kIo, "");
      const json::Value* result = body ? json::Find(*body, "result") : nullptr;
      results.push_back({std::move(answer.node), {}});
      if (result != nullptr && result->is_object()) results.back().result = result->get_object();
    }
    done(std::move(results));
  });
}

void ClusterCalls::Answer(const mcp::CallPtr& call, net::HttpResponse response) {
  if (!call->open()) return;
  if (response.body.size() <= mcp::Reads::kLong) return AnswerOf(*call, response)(*call);
  std::shared_ptr<void> place = reads_.Place(*call);
  if (place == nullptr) {
    const std::string why = RefuseFor(call->payer().get(), Limit::kMcpReads, mcp::Reads::kMostOfOne).Text();
    return AnswerTrouble(*call, "Too many large answers are on their way to your address: " + why +
                                    ". What was asked may have happened: look again in a moment.");
  }
  reads_.Elsewhere(call, std::move(place),
                   [response = std::move(response)](const mcp::Call& waiting) { return AnswerOf(waiting, response); });
}

void ClusterCalls::PassOn(const store::NodeBeat& to, const mcp::CallPtr& call) {
  const auto passing = std::make_shared<Passing>();
  passing->call = call;
  if (call->wants_progress()) Tell(home_, passing);
  const auto passed = calls_.Make();
  call->OnCancelled(passed->Canceler());
  net::HttpCall post = CallTo(to, *call);
  if (call->method() == "tools/call") call->ForgetParams();
  passed->Start(to, std::move(post), [this, call, passing, node = to.node](Result<net::HttpResponse> answer) {
    passing->progress.Cancel();
    if (answer) return Answer(call, std::move(*answer));
    AnswerTrouble(*call, "The server \"" + node +
                             "\", which has the table, gave no answer; what was asked may have happened. Look "
                             "again in a moment: the table goes on at another server.");
  });
}

}  // namespace openseat::app
