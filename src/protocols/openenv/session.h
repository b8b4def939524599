// Session: one OpenEnv socket: its environments, and the requests that wait. Requests are answered in their order, one
// at a time. Lives on its connection's shard; an episode that it joined may live on another.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/waiting.h"
#include "net/websocket.h"
#include "protocols/openenv/codec.h"
#include "protocols/openenv/environments.h"

namespace openseat::openenv {

class Session final : public net::WebSocketSession {
 public:
  // `environments` and `game` outlive it. `namer`: whom the client counts as, for the agents that it names. `payer`:
  // whose budget pays; null: none.
  Session(Environments& environments, const Game& game, Namer namer, std::shared_ptr<Payer> payer);
  ~Session() override;

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override { socket_ = std::move(socket); }
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override;
  std::size_t waiting() const override { return waiting_.count().bytes(); }

 private:
  struct Environment {
    PlayerRef player;
    Lease place;                                  // with autoreset, kept from one episode to the next
    std::shared_ptr<const ResetOptions> options;  // those of a reset_many are one for all
    std::optional<std::uint64_t> seed;            // of the next episode; nullopt: any
    bool done = false;                            // its episode is over, or could not begin
  };
  struct Batch;  // answers that are gathered

  void Next();  // serves what waits, until an answer is awaited
  void Serve(std::string_view message);
  void Run(Request& request);
  Result<ResetOptions> ReadOptions(const json::Object& arguments) const;
  void Reset(Request& request);
  void ResetMany(Request& request);
  void StepMany(Request& request);
  // Begins an episode in environment `index`, which leaves its last one.
  void Begin(std::size_t index, std::function<void(Result<std::string>)> answered);
  void Step(std::size_t index, StepAction action, std::function<void(Result<std::string>)> answered);
  // Runs it for each environment, a few at a time, so that others have their turn in between.
  using ForEach = std::shared_ptr<const std::function<void(std::size_t index)>>;
  void InTurns(std::size_t from, std::size_t count, const ForEach& run);
  // A place for the environment's episodes, unless it has one.
  Result<void> TakePlace(Environment& environment);
  void LeaveAll();
  void FinishMany(const Batch& batch);
  void Finish(std::string_view text);
  void Refuse(const Failure& failure);
  // CAPACITY_REACHED for a limit of the budget.
  Failure FailureOf(const Error& error) const;

  Environments& all_;
  const Game& game_;
  const Namer namer_;
  const std::shared_ptr<Payer> payer_;
  const json::Limits limits_;
  std::shared_ptr<net::WebSocket> socket_;
  WaitingQueue<std::string> waiting_;
  bool busy_ = false;     // a request is in progress, or others have their turn
  bool serving_ = false;  // in Next
  bool many_ = false;     // began with reset_many
  bool closed_ = false;
  std::vector<Environment> environments_;
  std::shared_ptr<Session*> self_ = std::make_shared<Session*>(this);  // null inside once this is destroyed
};

}  // namespace openseat::openenv
