// The fixture of RemoteTable's tests: a table whose game and player are this test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/neuro/codec.h"
#include "protocols/neuro/fake_game.h"
#include "protocols/neuro/remote_table.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::neuro {

class RemoteTableTest : public ::testing::Test {
 protected:
  void SetUp() override { Make({}); }

  // If `limits` is null, there is no payer.
  void Make(const NeuroOptions& options, const PeerLimits* limits = nullptr) {
    table_.reset();
    budget_.reset();
    profiles_.all.front() = options;
    if (limits != nullptr)
      budget_ = std::make_unique<Budget>(BudgetLimits{.others = {}, .loopback = *limits}, &metrics_);
    const std::shared_ptr<Payer> payer = budget_ ? budget_->PayerOf("127.0.0.1", Instant()) : nullptr;
    table_ = std::make_unique<RemoteTable>(TableId("game-" + std::to_string(++tables_)), "Game", profiles_, agents_,
                                           scheduler_, journal_, payer, &counts_);
    Connect();
  }
  void Connect() {
    socket_ = std::make_shared<FakeSocket>(scheduler_, ++sockets_);
    table_->Attach(std::make_unique<Link>(socket_, scheduler_), scheduler_.clock().Monotonic());
    scheduler_.Run();
  }
  void Drop() { End({.code = net::close_code::kGoingAway, .cause = net::Closing::Cause::kLost}); }
  void Quit() { End({.code = net::close_code::kNormal}); }
  void End(const net::Closing& closing) {
    table_->Detach(socket_->id(), closing);
    scheduler_.Run();
  }
  void Say(std::string_view command, std::string_view data = {}) {
    std::string text = R"({"command":")" + std::string(command) + R"(","game":"Game")";
    if (!data.empty()) text += R"(,"data":)" + std::string(data);
    text += '}';
    bool first = true;
    for (Decoded& decoded : DecodeClient(text))
      table_->OnMessage(text, std::move(decoded), std::exchange(first, false));
    scheduler_.Run();
  }
  void Begin() {
    Say("startup");
    Say("actions/register", R"({"actions":[
        {"name":"move","description":"Moves","schema":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false}},
        {"name":"pass","description":"Passes"}]})");
    socket_->Take();
  }
  void Force(std::string_view names = R"(["move","pass"])", std::string_view more = {}) {
    Say("actions/force",
        R"({"query":"Your turn","state":"board","action_names":)" + std::string(names) + std::string(more) + "}");
  }
  void Choose(std::string action, const char* data = nullptr) {
    Choice choice;
    choice.action = std::move(action);
    if (data != nullptr) choice.data = *json::Parse(data);
    ASSERT_TRUE(table_->seat(0).Choose(std::move(choice)).has_value());
    scheduler_.Run();
  }
  // The id of the action that was sent last.
  std::string SentId() {
    const json::Value sent = *json::Parse(socket_->sent.back());
    return sent.at("data").at("id").as_string().c_str();
  }
  // Of the last action; she may have said something after it.
  std::string SentIdOfAction() {
    for (auto sent = socket_->sent.rbegin(); sent != socket_->sent.rend(); ++sent) {
      const json::Value message = *json::Parse(*sent);
      if (message.at("command") == "action") return message.at("data").at("id").as_string().c_str();
    }
    return {};
  }
  void Result(const std::string& id, bool success, std::string_view message = "m") {
    Say("action/result", R"({"id":")" + id + R"(","success":)" + (success ? "true" : "false") + R"(,"message":")" +
                             std::string(message) + R"("})");
  }
  std::string Message(std::size_t diagnostic) {
    return table_->Diagnostics().at(diagnostic).at("message").as_string().c_str();
  }
  // Without advice on results, which here are short.
  std::vector<std::string> Keys() {
    std::vector<std::string> keys;
    for (const json::Value& entry : table_->Diagnostics()) {
      std::string key = entry.at("key").as_string().c_str();
      if (!key.starts_with("perf/result/")) keys.push_back(std::move(key));
    }
    return keys;
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Metrics metrics_;
  std::unique_ptr<Budget> budget_;
  NeuroMetrics counts_{metrics_};
  NeuroProfiles profiles_;
  FakePlayer::Log player_;
  FakePlayer::Log named_;
  const RemoteAgents agents_{.by_default = [this](const std::string&) { return std::make_unique<FakePlayer>(player_); },
                             .make = [this](const AgentSpec& spec) -> openseat::Result<std::unique_ptr<Agent>> {
                               if (spec.kind != "named")
                                 return Fail(ErrorCode::kInvalid, "there is no such agent", "kind");
                               return std::make_unique<FakePlayer>(named_);
                             }};
  std::unique_ptr<RemoteTable> table_;
  std::shared_ptr<FakeSocket> socket_;
  std::uint64_t sockets_ = 0;
  int tables_ = 0;
};

}  // namespace openseat::neuro
