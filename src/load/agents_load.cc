#include "load/agents_load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/rng.h"
#include "net/http_client.h"
#include "net/json_request.h"
#include "net/router.h"
#include "net/server.h"
#include "net/shard.h"

namespace openseat::load {
namespace {

constexpr std::size_t kCreating = 32;                    // matches created concurrently
constexpr Duration kPatience = std::chrono::minutes(2);  // maximum time without any event
constexpr Duration kLook = std::chrono::seconds(1);

class AgentsLoad {
 public:
  explicit AgentsLoad(const AgentsLoadOptions& options)
      : options_(options), rng_(options.seed), games_(options.games) {}
  ~AgentsLoad() {
    shards_.Stop();
    server_.reset();
  }

  Result<AgentsLoadResult> Go() {
    router_.Add(net::Method::kPost, "/hook/:game/:seat", {},
                [this](const net::HttpRequest& request, net::HttpReply reply) { Hook(request, std::move(reply)); });
    Result<std::unique_ptr<net::Server>> server = net::Server::Listen(shards_, router_, {net::ListenAddress{}}, {});
    if (!server) return Fail(server.error());
    server_ = std::move(*server);
    shards_.at(0).Post([this] {
      CreateNext();
      Watch();
    });
    shards_.RunFirstHere();
    if (error_) return Fail(*error_);
    std::ranges::sort(result_.actions.latencies_us);
    std::ranges::sort(result_.webhook_ms);
    return std::move(result_);
  }

 private:
  struct Seat {
    std::string key;
    std::uint64_t sequence = 0;
    std::optional<json::Value> held;  // its pending question, while others are being created
    bool ended = false;
  };
  struct GameOf {
    std::array<Seat, 2> seats;
  };

  void Stop(Error why) {
    if (!error_) error_ = std::move(why);
    shards_.Stop();
  }

  // Nothing for this long: the expected events will not arrive.
  void Watch() {
    watch_.Set(shards_.at(0), kLook, [this] {
      if (shards_.at(0).clock().Monotonic() - last_ > kPatience) {
        std::string why =
            std::to_string(options_.games - result_.ended) + " games have not ended, and no more events arrive";
        // A choice that was refused is not made again.
        if (result_.refused > 0) why += "; refused: " + result_.first_refusal;
        Stop({ErrorCode::kTimeout, std::move(why), {}});
        return;
      }
      Watch();
    });
    if (last_ == Instant()) last_ = shards_.at(0).clock().Monotonic();
  }

  void Post(const std::string& path, const std::string& key, const json::Value& body,
            std::function<void(Result<net::HttpResponse>)> done) {
    net::HttpCall call;
    call.method = net::Method::kPost;
    call.url = options_.url + path;
    call.headers.Add("Content-Type", "application/json");
    if (!key.empty()) call.headers.Add("X-JNet-API", key);
    call.body = json::Write(body);
    call.proxy = "";
    http_.Call(shards_.at(0), std::move(call), std::move(done));
  }

  void CreateNext() {
    while (started_ < options_.games && started_ - made_ < kCreating) Create(started_++);
  }

  void Create(std::size_t game) {
    json::Array seats;
    for (const char* role : {"corp", "runner"}) {
      const std::string url = "http://127.0.0.1:" + std::to_string(server_->port()) + "/hook/" + std::to_string(game) +
                              "/" + std::to_string(seats.size());
      seats.push_back(json::Object{{"role", role},
                                   {"name", role},
                                   {"agent", json::Object{{"kind", "webhook"}, {"url", url}, {"key", "bench"}}}});
    }
    Post("/api/v1/matches", "", json::Object{{"game", "netrunner"}, {"seats", std::move(seats)}},
         [this, game](const Result<net::HttpResponse>& response) {
           if (!response) return Stop(response.error());
           const Result<json::Value> body = json::Parse(response->body);
           if (response->status != 201 || !body) return Stop({ErrorCode::kInvalid, "no match: " + response->body, {}});
           for (std::size_t seat = 0; seat < 2; ++seat) {
             games_[game].seats[seat].key = json::TextOf(body->at("seats").at(seat), "api-key");
           }
           if (++made_ == options_.games) {
             Begin();
           } else {
             CreateNext();
           }
         });
  }

  void Begin() {
    if (options_.all_begun) options_.all_begun();
    began_ = shards_.at(0).clock().Monotonic();
    begun_ = true;
    for (GameOf& game : games_) {
      for (Seat& seat : game.seats) {
        if (seat.held) Act(seat, *std::exchange(seat.held, std::nullopt));
      }
    }
  }

  void Hook(const net::HttpRequest& request, net::HttpReply reply) {
    const auto number = [](std::string_view text) {
      std::uint64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    std::move(reply).Send(net::HttpResponse::Text(200, ""));
    const Result<json::Value> body = json::Parse(request.body);
    const std::uint64_t index = number(request.Param("game"));
    const std::uint64_t at = number(request.Param("seat"));
    if (!body || index >= games_.size() || at > 1) return Stop({ErrorCode::kInvalid, "a webhook is not an event", {}});
    Seat& seat = games_[index].seats[at];
    last_ = shards_.at(0).clock().Monotonic();
    const std::uint64_t sequence = number(request.headers.Get("X-Openseat-Sequence"));
    if (sequence == seat.sequence) {
      ++result_.repeated;
      return;
    }
    if (sequence != seat.sequence + 1) ++result_.out_of_order;
    seat.sequence = sequence;
    if (begun_) {
      ++result_.webhooks;
      const auto now =
          std::chrono::duration_cast<std::chrono::milliseconds>(shards_.at(0).clock().Now().time_since_epoch()).count();
      const std::int64_t age = now - body->at("timestamp").to_number<std::int64_t>();
      result_.webhook_ms.push_back(static_cast<std::uint32_t>(std::max<std::int64_t>(age, 0)));
    }
    Heard(seat, games_[index], json::TextOf(*body, "event"), body->at("payload"));
  }

  void Heard(Seat& seat, const GameOf& game, std::string_view event, const json::Value& payload) {
    if (event == "game-ended") {
      seat.ended = true;
      if (!game.seats[0].ended || !game.seats[1].ended) return;
      ++result_.ended;
      if (options_.progress) options_.progress(result_.ended);
      if (result_.ended == options_.games) {
        result_.actions.elapsed = shards_.at(0).clock().Monotonic() - began_;
        shards_.Stop();
      }
      return;
    }
    if (event != "prompt" && event != "turn-started" && event != "checkpoint") return;
    const json::Value* actions = json::Find(payload, "available-actions");
    if (actions == nullptr) return;
    if (begun_) {
      Act(seat, *actions);
    } else {
      seat.held = *actions;
    }
  }

  // One of the offered ones, at random.
  void Act(Seat& seat, const json::Value& actions) {
    const auto pick = [this](const json::Value& list) -> const json::Value& {
      return list.get_array()[rng_.Below(list.get_array().size())];
    };
    std::string path = "/game/action";
    json::Value body;
    if (json::TextOf(actions, "action-type") == "prompt") {
      const json::Value& prompt = actions.at("prompt");
      if (!prompt.at("selectable").get_array().empty()) {
        path = "/game/select";
        body = json::Object{{"card", json::Object{{"cid", pick(prompt.at("selectable"))}}}};
      } else {
        path = "/game/choice";
        body = json::Object{{"choice", json::Object{{"uuid", pick(prompt.at("choices")).at("uuid")}}}};
      }
    } else {
      body = pick(actions.at("available-commands"));
    }
    Post(path, seat.key, body,
         [this, since = shards_.at(0).clock().Monotonic()](const Result<net::HttpResponse>& response) {
           if (!response) return Stop(response.error());
           if (response->status != 200) {
             if (++result_.refused == 1) result_.first_refusal = response->body;
           }
           ++result_.actions.trips;
           result_.actions.latencies_us.push_back(
               static_cast<std::uint32_t>((shards_.at(0).clock().Monotonic() - since).count()));
         });
  }

  const AgentsLoadOptions& options_;
  Rng rng_;
  std::vector<GameOf> games_;
  std::size_t started_ = 0;
  std::size_t made_ = 0;
  bool begun_ = false;
  Instant began_;
  Instant last_;
  std::optional<Error> error_;
  AgentsLoadResult result_;
  net::Router router_;
  net::Shards shards_{1};
  net::HttpClients http_{shards_};
  std::unique_ptr<net::Server> server_;
  ScopedTimer watch_;
};

}  // namespace

Result<AgentsLoadResult> RunAgentsLoad(const AgentsLoadOptions& options) {
  return AgentsLoad(options).Go();
}

}  // namespace openseat::load
