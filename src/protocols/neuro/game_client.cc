#include "protocols/neuro/game_client.h"

#include <utility>

#include "base/check.h"
#include "core/judge.h"
#include "protocols/neuro/codec.h"

namespace openseat::neuro {

GameClient::GameClient(const Game& game, GameClientOptions options, GameClientObserver& observer)
    : game_(game),
      options_(std::move(options)),
      observer_(observer),
      title_(game.info().title),
      rng_(options_.seed),
      moves_(game.info().max_moves) {}

void GameClient::OnOpen(std::shared_ptr<net::WebSocket> socket) {
  socket_ = std::move(socket);
  EncodeStartup(title_, out_);
  SendOut();
  SendContext(game_.info().rules, true);
  NewGame();
}

void GameClient::NewGame() {
  // The agent takes each seat in turn.
  agent_seat_ = static_cast<SeatIndex>(played_ % game_.info().min_seats);
  std::vector<std::string> names;
  for (SeatIndex seat = 0; seat < game_.info().min_seats; ++seat) {
    std::string name = seat == agent_seat_ ? options_.agent_name : options_.house_name;
    if (seat != agent_seat_ && game_.info().min_seats > 2) name += " " + std::to_string(seat + 1);
    names.push_back(std::move(name));
  }
  Result<std::unique_ptr<GameState>> state = game_.NewGame(nullptr, rng_.Next(), std::move(names));
  OPENSEAT_CHECK(state.has_value(), "every game can be played without options");
  state_ = std::move(*state);
  Continue();
}

void GameClient::Continue() {
  pace_timer_.Set(socket_->scheduler(), options_.pace, [this] { Step(); });
}

void GameClient::Step() {
  if (const std::optional<Outcome> outcome = state_->GetOutcome()) {
    Finish(*outcome);
    return;
  }
  const SeatSet awaited = state_->Awaited();
  for (SeatIndex seat = 0; seat < state_->names().size(); ++seat) {
    if (seat != agent_seat_ && awaited.Contains(seat)) {
      MoveHouse(seat);
      Continue();
      return;
    }
  }
  AskAgent();
}

void GameClient::MoveHouse(SeatIndex seat) {
  const std::size_t count = state_->Moves(seat, moves_);
  OPENSEAT_CHECK(count > 0, "a seat that is awaited has a move");
  const Move move = moves_[rng_.Below(count)];
  const PlayedChoice choice = state_->ToChoice(seat, move);
  const std::unique_ptr<GameState> before = state_->Clone();
  state_->ApplyMove(seat, move);
  observer_.OnMove(*state_, seat, choice);
  const std::string news = NewsText(*before, *state_, agent_seat_);
  if (!news.empty()) SendContext(news, true);
}

void GameClient::AskAgent() {
  registered_.clear();
  for (ActionSpec& spec : state_->Actions(agent_seat_)) {
    if (spec.any_time || !spec.offered) continue;
    ActionDefinition definition{std::move(spec.name), std::move(spec.description), std::nullopt};
    if (json::Object* schema = spec.schema.if_object()) {
      schema->erase("additionalProperties");  // the API does not support it; the rules refuse surplus members anyway
      definition.schema = std::move(spec.schema);
    }
    registered_.push_back(std::move(definition));
  }
  SendRegistered();
  ForceMessage force;
  force.query = "It is your turn. Choose your move.";
  force.state = state_->Describe(agent_seat_);
  for (const ActionDefinition& action : registered_) force.action_names.push_back(action.name);
  EncodeForce(title_, force, out_);
  SendOut();
  waiting_ = true;
}

void GameClient::OnText(std::string_view text) {
  Result<ServerMessage> message = DecodeServer(text);
  if (!message) return;  // a game goes on, whatever it is told
  if (const auto* action = std::get_if<ActionMessage>(&*message)) {
    OnAction(*action);
  } else if (std::holds_alternative<ReregisterAllMessage>(*message)) {
    if (waiting_) SendRegistered();
  } else if (std::holds_alternative<ShutdownImmediateMessage>(*message)) {
    leaving_ = true;
    Leave();
  } else if (const auto* graceful = std::get_if<ShutdownGracefulMessage>(&*message)) {
    leaving_ = graceful->wants_shutdown;
  }
}

void GameClient::OnAction(const ActionMessage& action) {
  const auto refuse = [&](std::string reason) {
    observer_.OnRefused(action.name, reason);
    SendResult(action.id, false, std::move(reason));
  };
  if (!waiting_) return refuse("It is not your turn.");
  Result<json::Value> data = action.data ? json::Parse(*action.data) : Result<json::Value>(json::Value());
  if (!data) return refuse("The data is " + data.error().message + ".");
  const Result<Ruling> ruling = Judge(*state_, agent_seat_, action.name, *data);
  if (!ruling) return refuse(ruling.error().message);
  waiting_ = false;
  // The actions first, as the API recommends, so that none of them is taken again.
  Unregister();
  SendResult(action.id, true, NewsText(*state_, *ruling->next, agent_seat_));
  state_->Assign(*ruling->next);
  observer_.OnMove(*state_, agent_seat_, {action.name, *data});
  Continue();
}

void GameClient::Unregister() {
  std::vector<std::string> names;
  for (const ActionDefinition& action : registered_) names.push_back(action.name);
  EncodeUnregister(title_, names, out_);
  SendOut();
}

void GameClient::Finish(const Outcome& outcome) {
  observer_.OnOutcome(*state_, outcome, agent_seat_);
  std::string text = "The game is over: ";
  if (outcome.winners.empty()) {
    text += "a draw";
  } else {
    text += outcome.winners.Contains(agent_seat_) ? "you won" : "you lost";
  }
  SendContext(text + " (" + outcome.reason + ").", played_ + 1 == options_.games);
  ++played_;
  if (leaving_ || played_ == options_.games) {
    Leave();
  } else {
    NewGame();
  }
}

void GameClient::Leave() {
  pace_timer_.Cancel();
  if (leaving_) {
    EncodeClient({title_, ProposalMessage{"shutdown/ready"}}, out_);
    SendOut();
  }
  leaving_ = true;
  waiting_ = false;
  played_ = options_.games;
  socket_->Close(net::close_code::kNormal, "the games are over");
}

void GameClient::OnClosed(const net::Closing& closing) {
  pace_timer_.Cancel();
  const bool done = leaving_ || (options_.games != 0 && played_ == options_.games);
  observer_.OnEnd(done ? std::string()
                       : "the server closed the connection (" + std::to_string(closing.code) +
                             (closing.reason.empty() ? "" : " " + closing.reason) + ")");
}

void GameClient::SendContext(std::string message, bool silent) {
  EncodeContext(title_, {std::move(message), silent}, out_);
  SendOut();
}

void GameClient::SendRegistered() {
  EncodeRegister(title_, registered_, out_);
  SendOut();
}

void GameClient::SendResult(const std::string& id, bool success, std::string message) {
  EncodeResult(title_, {id, success, std::move(message)}, out_);
  SendOut();
}

void GameClient::SendOut() {
  if (options_.tamper) {
    for (const std::string& packet : options_.tamper(std::exchange(out_, {}))) socket_->SendText(packet);
    return;
  }
  socket_->SendText(out_);
  out_.clear();
}

}  // namespace openseat::neuro
