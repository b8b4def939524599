#include "load/bench_mcp.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "load/chimera_load.h"
#include "load/target.h"
#include "net/http_client.h"
#include "net/shard.h"
#include "protocols/mcp/protocol.h"

namespace openseat::load {
namespace {

constexpr Duration kWarmup = std::chrono::seconds(1);

// Hosts of revision 2026-07-28, each playing one game after another against the server's own agent.
class McpLoad {
 public:
  McpLoad(std::string url, const McpBench& bench) : url_(std::move(url)), bench_(bench), rng_(bench.seed) {}
  ~McpLoad() { shards_.Stop(); }

  // Between warm-up and end; `marks` as in LoadRun.
  Result<LoadResult> Go(const LoadMarks& marks) {
    net::Shard& shard = shards_.at(0);
    shard.Post([this, &shard, marks] {
      for (std::size_t i = 0; i < bench_.games; ++i) Create();
      timer_.Set(shard, kWarmup, [this, &shard, marks] {
        measuring_ = true;
        began_ = shard.clock().Monotonic();
        if (marks.begin) marks.begin();
        timer_.Set(shard, Duration(static_cast<std::int64_t>(bench_.seconds * 1e6)), [this, &shard, marks] {
          measuring_ = false;
          result_.elapsed = shard.clock().Monotonic() - began_;
          if (marks.end) marks.end();
          shards_.Stop();
        });
      });
    });
    shards_.RunFirstHere();
    if (error_) return Fail(*error_);
    std::ranges::sort(result_.latencies_us);
    return std::move(result_);
  }
  std::size_t games() const { return games_; }

 private:
  void Stop(Error why) {
    if (!error_) error_ = std::move(why);
    shards_.Stop();
  }

  // `then` gets the tool's structured answer.
  void Call(const char* tool, json::Object arguments, std::function<void(const json::Object&)> then) {
    const json::Object meta{{"io.modelcontextprotocol/protocolVersion", mcp::kModernVersion},
                            {"io.modelcontextprotocol/clientCapabilities", json::Object()}};
    net::HttpCall call;
    call.method = net::Method::kPost;
    call.url = url_ + "/mcp";
    call.headers.Add("Content-Type", "application/json");
    call.headers.Add("Accept", "application/json, text/event-stream");
    call.headers.Add(std::string(mcp::kVersionHeader), std::string(mcp::kModernVersion));
    call.headers.Add(std::string(mcp::kMethodHeader), "tools/call");
    call.headers.Add(std::string(mcp::kNameHeader), tool);
    call.body = json::Write(
        json::Object{{"jsonrpc", "2.0"},
                     {"id", ++last_id_},
                     {"method", "tools/call"},
                     {"params", json::Object{{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", meta}}}});
    call.proxy = "";
    http_.Call(shards_.at(0), std::move(call),
               [this, then = std::move(then)](const Result<net::HttpResponse>& response) {
                 if (!response) return Stop(response.error());
                 const Result<json::Value> message = json::Parse(response->body);
                 const json::Value* result =
                     message && message->is_object() ? json::Find(message->get_object(), "result") : nullptr;
                 const json::Value* view = result != nullptr && result->is_object()
                                               ? json::Find(result->get_object(), "structuredContent")
                                               : nullptr;
                 if (view == nullptr || !view->is_object()) return Stop({ErrorCode::kInvalid, response->body, {}});
                 then(view->get_object());
               });
  }

  void Create() {
    Call("create_match", {{"game", bench_.game->info().id}}, [this](const json::Object& view) {
      const json::Value* token = json::Find(view, "token");
      if (token == nullptr) return Stop({ErrorCode::kInvalid, "no token: " + json::Write(view), {}});
      Next(*token, view);
    });
  }

  void Next(const json::Value& token, const json::Object& view) {
    const json::Value* decision = json::Find(view, "decision");
    if (view.at("status") == json::Value("game_over")) {
      games_ += measuring_ ? 1 : 0;
      return Create();
    }
    if (decision == nullptr) {
      return Call("wait_for_turn", {{"token", token}, {"since", view.at("version")}},
                  [this, token](const json::Object& next) { Next(token, next); });
    }
    const json::Array& choices = view.at("choices").as_array();
    const Instant since = shards_.at(0).clock().Monotonic();
    Call("act",
         {{"token", token}, {"decision", decision->at("id")}, {"choice", choices[rng_.Below(choices.size())].at("id")}},
         [this, token, since](const json::Object& next) {
           if (measuring_) {
             ++result_.trips;
             const Duration took = shards_.at(0).clock().Monotonic() - since;
             result_.latencies_us.push_back(static_cast<std::uint32_t>(took.count()));
           }
           Next(token, next);
         });
  }

  const std::string url_;
  const McpBench& bench_;
  Rng rng_;
  net::Shards shards_{1};
  net::HttpClients http_{shards_};
  ScopedTimer timer_;
  LoadResult result_;
  std::size_t games_ = 0;
  std::int64_t last_id_ = 0;
  bool measuring_ = false;
  Instant began_;
  std::optional<Error> error_;
};

}  // namespace

Result<void> BenchMcp(const McpBench& bench) {
  const ScratchDir scratch;
  Result<Target> target =
      StartTarget({"serve", "--listen", "127.0.0.1:0", "--chimera-listen", "none", "--data-dir", scratch.str(),
                   "--log-level", "error", "--shards", std::to_string(bench.shards)});
  if (!target) return Fail(target.error());
  Say(bench.json, "games over MCP");
  Duration used{0};
  McpLoad load(target->http_url(), bench);
  const Result<LoadResult> acts = load.Go(CpuMarks(*target, used));
  if (!acts) return Fail(acts.error());
  const double seconds = static_cast<double>(acts->elapsed.count()) / 1e6;
  const double games = static_cast<double>(load.games()) / seconds;
  const double cpu = static_cast<double>(used.count()) / static_cast<double>(std::max<std::size_t>(acts->trips, 1));
  Say(bench.json, "games between Chimera clients");
  ChimeraLoadOptions options;
  options.url = target->url + "/chimera";
  options.game = bench.game;
  options.matches = bench.games;
  options.measure = Duration(static_cast<std::int64_t>(bench.seconds * 1e6));
  const Result<ChimeraLoadResult> chimera = RunChimeraLoad(options, {});
  if (!chimera) return Fail(chimera.error());
  const double chimera_games = static_cast<double>(chimera->matches) / seconds;
  if (bench.json) {
    std::puts(json::Write(json::Object{{"games", bench.games},
                                       {"acts_per_second", acts->rate()},
                                       {"p50_us", acts->percentile_us(50)},
                                       {"p99_us", acts->percentile_us(99)},
                                       {"games_per_second", games},
                                       {"server_cpu_us_per_act", cpu},
                                       {"chimera_actions_per_second", chimera->actions.rate()},
                                       {"chimera_games_per_second", chimera_games},
                                       {"ratio_of_games", games / chimera_games}})
                  .c_str());
  } else {
    std::printf("%zu games of %s at once over MCP, each against the server's own agent, %.1f s\n", bench.games,
                bench.game->info().id.c_str(), seconds);
    std::printf("%10.0f acts/s      durable, answered at the next turn: p50 %.0f us, p99 %.0f us\n", acts->rate(),
                acts->percentile_us(50), acts->percentile_us(99));
    std::printf("%10.0f games/s     %.0f us of server CPU per act\n", games, cpu);
    std::printf(
        "%10.0f actions/s, %.0f games/s for as many matches between Chimera clients: games over MCP are %.2f of that\n",
        chimera->actions.rate(), chimera_games, games / chimera_games);
  }
  target->child->Terminate();
  return {};
}

}  // namespace openseat::load
