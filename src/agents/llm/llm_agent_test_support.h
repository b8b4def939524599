// A seat with an LlmAgent at an invented table, and an HTTP client that answers from a list.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/llm/llm_agent.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"
#include "testing/provider_check.h"

namespace openseat::llm {

inline constexpr char kKey[] = "sk-secret-of-the-test";
inline constexpr char kMove[] =
    R"({"type":"object","properties":{"x":{"type":"integer","minimum":0,"maximum":2}},"required":["x"],"additionalProperties":false})";

// Answers from a list, on the scheduler; keeps what was asked. Calls beyond the list finish only by `end_last`.
class FakeHttp final : public net::HttpCaller {
 public:
  net::HttpCallId Call(Scheduler& scheduler, net::HttpCall call, net::HttpDone done) override {
    calls.push_back(std::move(call));
    last_ = last_.Next();
    open_ = last_;
    if (reachable && calls.back().on_sent) calls.back().on_sent();
    if (answers.empty()) {
      end_last = std::move(done);
    } else {
      scheduler.Post([this, id = last_, done = std::move(done), answer = std::move(answers.front()),
                      on_body = calls.back().on_body] {
        if (open_ != id) return;
        if (answer && answer->status < 300) on_body(answer->body);
        done(answer);
      });
      answers.pop_front();
    }
    return last_;
  }
  void Cancel(Scheduler&, net::HttpCallId id) override {
    if (open_ == id) {
      open_ = {};
      ++canceled;
    }
  }

  void Say(const std::string& text) {
    Give(200,
         json::Write(json::Object{{"choices", json::Array{json::Object{{"message", json::Object{{"content", text}}},
                                                                       {"finish_reason", "stop"}}}},
                                  {"usage", json::Object{{"prompt_tokens", 100}, {"completion_tokens", 10}}}}));
  }
  void Give(int status, std::string body, const std::string& retry_after = "") {
    net::HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    if (!retry_after.empty()) response.headers.Set("Retry-After", retry_after);
    answers.emplace_back(std::move(response));
  }

  std::deque<Result<net::HttpResponse>> answers;
  std::vector<net::HttpCall> calls;
  net::HttpDone end_last;  // of the latest call beyond the list
  int canceled = 0;
  bool reachable = true;  // or no connection is made

 private:
  net::HttpCallId last_;
  net::HttpCallId open_;
};

class LlmAgentTest : public ::testing::Test, public SeatHost {
 protected:
  void OnChoice(Seat& seat, const PendingChoice& pending) override {
    chosen_.push_back(pending.choice.action + " " + json::Write(pending.choice.data));
    Verdict verdict;
    if (!refuse_with_.empty()) {
      verdict = {Verdict::Kind::kRefused, refuse_with_.front(), nullptr};
      refuse_with_.pop_front();
    } else {
      verdict.message = accept_with_;
    }
    scheduler_.Post([&seat, id = pending.id, verdict] { seat.Settle(id, verdict); });
  }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd end) override { ends_.emplace_back(DecisionEndName(end)); }
  std::shared_ptr<Payer> GetPayer() const override { return payer_; }
  void OnRefused(Seat&, const Choice&, const Error& error) override { ends_.push_back("refused: " + error.message); }

  static ActionPtr Make(const std::string& name, const char* schema) {
    auto action = std::make_shared<Action>();
    action->name = name;
    if (schema != nullptr) {
      action->schema = *json::Parse(schema);
    }
    return action;
  }
  static Model DefaultModel() {
    Model model;
    model.timeout = std::chrono::hours(10);
    model.name = "it";
    model.base_url = "http://host/v1";
    model.model = "some-model";
    model.api_key = kKey;
    return model;
  }
  void Sit(Model model = DefaultModel(), json::Object options = {}, CallPolicy policy = {}) {
    models_.emplace(std::vector<Model>{std::move(model)}, http_, policy);
    options["model"] = "it";
    options["seed"] = 1;
    auto agent = models_->MakeAgent(options);
    ASSERT_TRUE(agent) << agent.error().message;
    seat_.SetAgent(std::move(*agent));
    scheduler_.Run();
  }
  void Ask(std::string state = "", bool ephemeral = true) { See(std::make_shared<Sight>(std::move(state)), ephemeral); }
  void See(std::shared_ptr<const Sight> sight, bool ephemeral = true) {
    Decision decision;
    decision.query = "Your turn.";
    decision.sight = std::move(sight);
    decision.ephemeral = ephemeral;
    decision.actions = seat_.actions();
    seat_.Ask(std::move(decision));
    scheduler_.Run();
  }
  // The texts of a request, without the system prompt.
  std::vector<std::string> Texts(std::size_t call) const {
    testing::ProviderRequest request;
    request.provider = "openai";
    request.body = *json::Parse(http_.calls.at(call).body);
    auto texts = testing::TextsOf(request);
    texts.erase(texts.begin());
    return texts;
  }
  std::string System(std::size_t call) const {
    return std::string(json::Parse(http_.calls.at(call).body)->at("messages").at(0).at("content").as_string());
  }
  // The steps in the transcript.
  std::vector<json::Object> Steps() {
    transcript_.Flush();
    std::vector<json::Object> steps;
    const auto events = journal_.Read(TableId("t"), 0, 1'000);
    for (const StoredEvent& stored : *events) {
      if (stored.event.kind == EventKind::kModel) steps.push_back(json::Parse(stored.event.payload)->get_object());
    }
    return steps;
  }
  ModelStats Stats() const { return models_->Find("it")->stats.Get(); }

  testing::FakeScheduler scheduler_;
  Budget budget_{BudgetLimits()};
  const std::shared_ptr<Payer> payer_ = budget_.PayerOf("192.0.2.7", Instant());
  testing::MemoryJournal journal_;
  FakeHttp http_;
  std::optional<Models> models_;
  Transcript transcript_{journal_, scheduler_, TableId("t")};
  Seat seat_{0, "Ana", *this, scheduler_, transcript_, SeatRules{}};
  std::vector<std::string> chosen_;
  std::vector<std::string> ends_;
  std::deque<std::string> refuse_with_;
  std::string accept_with_;
};

}  // namespace openseat::llm
