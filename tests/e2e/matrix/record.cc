#include "e2e/matrix/record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace openseat::tests {
namespace {

struct Form {
  std::vector<std::string_view> required;
  std::vector<std::string_view> optional;
};

const std::map<std::string_view, Form>& FormsOf(Rules where) {
  static const Form decision{{"seat", "decision", "attempt", "priority", "actions"}, {}};
  static const Form refusal{{"seat", "action", "code", "message", "agent"},
                            {"decision", "data", "raw", "unchecked", "bytes"}};
  static const Form decision_end{{"seat", "decision", "end"}, {}};
  static const std::map<std::string_view, Form> here{
      {"decision", decision},
      {"refusal", refusal},
      {"decision-end", decision_end},
      {"played", {{"seat", "action", "agent"}, {"decision", "data", "result"}}}};
  static const std::map<std::string_view, Form> elsewhere{
      {"decision", decision},
      {"refusal", refusal},
      {"decision-end", decision_end},
      {"choice", {{"seat", "choice", "action", "agent"}, {"decision", "data", "raw", "unchecked"}}},
      {"verdict", {{"seat", "choice", "verdict"}, {"message", "result"}}}};
  return where == Rules::kHere ? here : elsewhere;
}

std::string WrongMembers(const Form& form, const json::Object& payload) {
  std::string wrong;
  for (const std::string_view name : form.required) {
    if (json::Find(payload, name) == nullptr) wrong += " without " + std::string(name);
  }
  for (const auto& member : payload) {
    const auto is_it = [&](std::string_view name) { return name == json::KeyOf(member); };
    if (std::ranges::none_of(form.required, is_it) && std::ranges::none_of(form.optional, is_it)) {
      wrong += " with " + std::string(json::KeyOf(member));
    }
  }
  return wrong;
}

// One seat, event by event.
class SeatGrammar {
 public:
  // What is wrong with this event; "": nothing.
  std::string Take(std::string_view kind, const json::Object& payload) {
    const json::Value* named = json::Find(payload, "decision");
    const std::optional<std::int64_t> decision =
        named == nullptr ? std::optional<std::int64_t>() : named->to_number<std::int64_t>();
    if (kind == "decision") return Asked(*decision, payload.at("attempt").to_number<std::int64_t>());
    if (kind == "verdict") return Settled(payload);
    if (decision && decision != open_) return "is about a decision that is not open";
    if (kind == "refusal") ++record_.refusals;
    if (kind == "decision-end") open_.reset();
    if (kind == "played") {
      Count(payload);
      if (decision) open_.reset();
    }
    if (kind == "choice") {
      if (awaiting_) return "comes while another choice awaits its verdict";
      awaiting_ = payload;
    }
    return "";
  }
  std::string AtEnd() const { return awaiting_ ? "a choice has no verdict" : ""; }
  const SeatRecord& record() const { return record_; }

 private:
  void Count(const json::Object& payload) {
    ++record_.choices;
    record_.agents.emplace(json::TextOf(payload, "agent"));
  }
  std::string Asked(std::int64_t decision, std::int64_t attempt) {
    const bool again = open_ == decision;
    if (open_ && !again) return "asks while another decision is open";
    // An agent that takes over the seat is asked the same decision again.
    if (again ? attempt < attempt_ : attempt != 1) return "has the wrong attempt";
    open_ = decision;
    attempt_ = attempt;
    return "";
  }
  std::string Settled(const json::Object& payload) {
    if (!awaiting_ || awaiting_->at("choice") != payload.at("choice")) return "is about no choice that awaits it";
    if (payload.at("verdict") == json::Value("accepted")) {
      Count(*awaiting_);
      if (json::Find(*awaiting_, "decision") != nullptr) open_.reset();
    }
    awaiting_.reset();
    return "";
  }

  SeatRecord record_;
  std::optional<std::int64_t> open_;
  std::int64_t attempt_ = 0;
  std::optional<json::Object> awaiting_;
};

}  // namespace

std::vector<SeatRecord> ReadRecord(const std::vector<json::Value>& events, Rules where) {
  std::map<std::int64_t, SeatGrammar> seats;
  for (const json::Value& event : events) {
    const auto form = FormsOf(where).find(json::TextOf(event, "kind"));
    if (form == FormsOf(where).end()) {
      for (const char* other : {"played", "choice", "verdict"}) EXPECT_NE(json::TextOf(event, "kind"), other);
      continue;
    }
    const json::Object& payload = event.at("payload").as_object();
    std::string wrong = WrongMembers(form->second, payload);
    if (wrong.empty()) wrong = seats[payload.at("seat").to_number<std::int64_t>()].Take(form->first, payload);
    EXPECT_EQ(wrong, "") << json::Write(event);
  }
  std::vector<SeatRecord> records;
  for (const auto& [index, seat] : seats) {
    EXPECT_EQ(seat.AtEnd(), "") << "seat " << index;
    EXPECT_EQ(static_cast<std::size_t>(index), records.size()) << "a seat has no record";
    records.push_back(seat.record());
  }
  return records;
}

}  // namespace openseat::tests
