// Any bytes as a model's answer, from any provider, whole or as a stream: it is read the same however it is cut, and
// what is read fits the form of the answer or is refused with reasons.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "agents/llm/answer.h"
#include "agents/llm/provider.h"
#include "base/check.h"

namespace llm = openseat::llm;
using openseat::Result;

namespace {

tl::expected<llm::Reply, llm::CallFailure> ReadIn(llm::Provider provider, std::string_view body, std::size_t piece) {
  llm::ReplyReader reader(provider);
  for (; !body.empty(); body.remove_prefix(std::min(piece, body.size()))) reader.Feed(body.substr(0, piece));
  openseat::net::HttpResponse response;
  response.status = 200;
  return reader.Finish(response, openseat::Time());
}

const llm::AnswerForm& FormOf(bool free) {
  const auto make = [](llm::Thinking thinking) {
    openseat::ActionSet actions;
    actions.Put(std::make_shared<openseat::Action>(
        "move", "",
        *openseat::json::Parse(R"({"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]})")));
    actions.Put(std::make_shared<openseat::Action>("pass", "", std::nullopt));
    return llm::AnswerForm(actions, {.thinking = thinking});
  };
  static const llm::AnswerForm kFree = make(llm::Thinking::kFree);
  static const llm::AnswerForm kField = make(llm::Thinking::kField);
  return free ? kFree : kField;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto provider = static_cast<llm::Provider>(data[0] % 4);
  const std::size_t piece = 1 + data[1] % 64;
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = ReadIn(provider, body, std::max<std::size_t>(1, body.size()));
  const auto cut = ReadIn(provider, body, piece);
  OPENSEAT_CHECK(whole.has_value() == cut.has_value(), "an answer does not depend on how it arrives");
  if (!whole) {
    OPENSEAT_CHECK(!whole.error().error.message.empty(), "a failure has a message");
    OPENSEAT_CHECK(whole.error().error.message == cut.error().error.message, "and the same one");
  } else {
    OPENSEAT_CHECK(whole->text == cut->text && whole->reasoning == cut->reasoning, "nor do its texts");
    OPENSEAT_CHECK(whole->usage == cut->usage && whole->stop == cut->stop, "nor what it says of itself");
  }
  for (const bool free : {true, false}) {
    const llm::AnswerForm& form = FormOf(free);
    const llm::Judgement judged = llm::JudgeAnswer(form, whole ? std::string_view(whole->text) : body);
    if (judged.ok()) {
      OPENSEAT_CHECK(form.actions().Find((**judged.choice).action) != nullptr, "a choice is one of the actions");
    } else {
      OPENSEAT_CHECK(!llm::Complaint(judged).empty(), "a bad answer has reasons");
    }
  }
  return 0;
}
