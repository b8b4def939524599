#include "voice/voice_server.h"

#include <charconv>
#include <utility>
#include <vector>

#include "base/json_members.h"
#include "base/text.h"
#include "net/json_request.h"
#include "net/schemas.h"
#include "protocols/neuro/owner.h"
#include "voice/session.h"

namespace openseat::voice {
namespace {

using net::schemas::ListOf;
using net::schemas::ObjectOf;
using net::schemas::OneOf;
using net::schemas::Ref;
using net::schemas::Text;
using net::schemas::Typed;

constexpr double kLowestTone = 20;
constexpr double kHighestTone = 20'000;
constexpr double kLongestTone = 10;

json::Object SocketSchema() {
  json::Object speaker =
      ObjectOf({{"id", Typed("integer", "The game's number for the speaker.")},
                {"name", Text("The speaker's name.")},
                {"talking", Typed("boolean", "Whether audio came just now.")},
                {"level_db", Typed("number", "How loud the last audio was, in decibels of full scale; -120: silent.")},
                {"peak_db", Typed("number", "The loudest sample so far.")},
                {"frames", Typed("integer", "Frames of audio so far.")},
                {"seconds", Typed("number", "Seconds of audio so far.")}},
               {"id", "name", "talking", "level_db", "peak_db", "frames", "seconds"});
  json::Object problem = ObjectOf({{"key", Text("What kind of problem.")},
                                   {"message", Text("The first one, in a sentence.")},
                                   {"count", Typed("integer", "How often.")}},
                                  {"key", "message", "count"});
  return ObjectOf({{"id", Typed("integer", "The socket's number.")},
                   {"game", Text("The game's name.")},
                   {"state", OneOf({"waiting", "ready", "stopped", "refused"})},
                   {"peer", Text("The game's address.")},
                   {"speaking", Typed("boolean", "Whether the character speaks now.")},
                   {"speakers", ListOf(std::move(speaker))},
                   {"problems", ListOf(std::move(problem))},
                   {"recording", Text("The directory of its recordings, if it is recorded.")}},
                  {"id", "game", "state", "peer", "speaking", "speakers", "problems"});
}

Error NoSocket(std::string_view id) {
  return {ErrorCode::kNotFound, "there is no voice socket " + Quote(id), ""};
}

std::optional<std::uint64_t> IdIn(const net::HttpRequest& request) {
  const std::string_view text = request.Param("id");
  std::uint64_t id = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || read.ptr != text.data() + text.size() || read.ec != std::errc()) return std::nullopt;
  return id;
}

}  // namespace

VoiceServer::VoiceServer(VoiceOptions options, Scheduler& home)
    : options_(std::move(options)),
      home_(home),
      room_(options_.record_dir, options_.max_recorded_bytes, options_.reserve_bytes) {}

VoiceServer::~VoiceServer() = default;

net::SessionFactory VoiceServer::Factory() {
  return [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
    return std::make_unique<VoiceSession>(*this, request.Param("name"), neuro::OwnerOf(request), request.payer);
  };
}

void VoiceServer::Report(std::uint64_t id, std::string key, json::Object picture, Scheduler& scheduler,
                         std::weak_ptr<VoiceSession*> session) {
  home_.Post([this, id, key = std::move(key), picture = std::move(picture), &scheduler,
              session = std::move(session)]() mutable {
    Known& known = known_[id];
    // The newer socket of a game counts.
    const bool taken = !key.empty() && key != known.key;
    known = {key, std::move(picture), &scheduler, std::move(session)};
    if (!taken) return;
    for (const auto& [other, each] : known_) {
      if (other == id || each.key != key) continue;
      each.scheduler->Post([weak = each.session] {
        if (const auto alive = weak.lock(); alive && *alive != nullptr) (*alive)->TakenOver();
      });
    }
  });
}

void VoiceServer::Gone(std::uint64_t id) {
  home_.Post([this, id] { known_.erase(id); });
}

void VoiceServer::AddRoutes(net::Router& router) {
  router.AddSchema("VoiceSocket", SocketSchema());
  AddList(router);
  AddOrders(router);
}

void VoiceServer::AddList(net::Router& router) {
  net::RouteInfo info;
  info.summary = "The voice sockets of games: their speakers, how loud each is, and what is odd about their audio.";
  info.tag = "console";
  info.operation = "listVoice";
  info.response_schema = ObjectOf({{"mode", OneOf({"off", "listen", "tone", "file", "loop", "program"},
                                                  "What the server does with voice (`--voice`).")},
                                   {"sockets", ListOf(Ref("VoiceSocket"))}},
                                  {"mode", "sockets"});
  info.response_example = json::Object{{"mode", "off"}, {"sockets", json::Array{}}};
  router.Add(
      net::Method::kGet, "/api/v1/voice", std::move(info), [this](const net::HttpRequest&, net::HttpReply reply) {
        home_.Post([this, reply = std::make_shared<net::OneReply>(std::move(reply))] {
          json::Array sockets;
          for (const auto& [id, known] : known_) sockets.push_back(known.picture);
          reply->Send(200,
                      json::Value(json::Object{{"mode", ModeName(options_.mode)}, {"sockets", std::move(sockets)}}));
        });
      });
}

void VoiceServer::With(std::uint64_t id, net::HttpReply reply, std::function<json::Value(VoiceSession&)> work) {
  home_.Post([this, id, reply = std::make_shared<net::OneReply>(std::move(reply)), work = std::move(work)] {
    const auto found = known_.find(id);
    if (found == known_.end()) return reply->Send(200, Fail(NoSocket(std::to_string(id))));
    found->second.scheduler->Post([id, reply, work, weak = found->second.session] {
      const auto alive = weak.lock();
      if (!alive || *alive == nullptr) return reply->Send(200, Fail(NoSocket(std::to_string(id))));
      reply->Send(200, work(**alive));
    });
  });
}

void VoiceServer::AddOrders(net::Router& router) {
  net::RouteInfo say;
  say.summary = "Lets the character say a tone on a voice socket, to try the game's side.";
  say.tag = "console";
  say.operation = "sayVoice";
  say.body_optional = true;
  say.request_schema = json::Object{
      {"type", "object"},
      {"properties",
       json::Object{
           {"hz", json::Object{{"type", "number"}, {"minimum", kLowestTone}, {"maximum", kHighestTone}}},
           {"seconds", json::Object{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", kLongestTone}}}}}};
  say.request_example = json::Object{{"hz", 440}, {"seconds", 1}};
  const json::Object said = ObjectOf({{"said", Typed("boolean", "Whether it is said: voice is ready.")}}, {"said"});
  say.response_schema = said;
  say.answers = {{404, "There is no such socket."}};
  router.Add(net::Method::kPost, "/api/v1/voice/:id/say", std::move(say),
             [this](const net::HttpRequest& request, net::HttpReply reply) {
               const Result<json::Object> body = net::ObjectBody(request);
               if (!body) return std::move(reply).Send(net::HttpResponse::FromError(body.error()));
               const double hz = json::NumberOf(*body, "hz", 440);
               const double seconds = json::NumberOf(*body, "seconds", 1);
               if (!(hz >= kLowestTone && hz <= kHighestTone) || !(seconds > 0 && seconds <= kLongestTone)) {
                 return std::move(reply).Send(net::HttpResponse::FromError(
                     {ErrorCode::kInvalid, "hz must be 20 to 20000, and seconds up to 10", "hz"}));
               }
               const std::optional<std::uint64_t> id = IdIn(request);
               if (!id) return std::move(reply).Send(net::HttpResponse::FromError(NoSocket(request.Param("id"))));
               With(*id, std::move(reply), [hz, seconds](VoiceSession& session) -> json::Value {
                 return json::Object{{"said", session.SayTone(hz, seconds)}};
               });
             });

  net::RouteInfo cancel;
  cancel.summary = "Stops what the character says on a voice socket.";
  cancel.tag = "console";
  cancel.operation = "cancelVoice";
  cancel.response_schema = json::Object{{"type", "object"}};
  cancel.answers = {{404, "There is no such socket."}};
  router.Add(net::Method::kPost, "/api/v1/voice/:id/cancel", std::move(cancel),
             [this](const net::HttpRequest& request, net::HttpReply reply) {
               const std::optional<std::uint64_t> id = IdIn(request);
               if (!id) return std::move(reply).Send(net::HttpResponse::FromError(NoSocket(request.Param("id"))));
               With(*id, std::move(reply), [](VoiceSession& session) -> json::Value {
                 session.Cancel();
                 return json::Object();
               });
             });
}

}  // namespace openseat::voice
