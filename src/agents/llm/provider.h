// Providers: a prompt as an HTTP call in each provider's published format, and what its answer means, whole or as a
// stream. No I/O; docs/models.md says what is sent where.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "agents/llm/answer_form.h"
#include "agents/llm/failure.h"
#include "agents/llm/model.h"
#include "agents/llm/prompt.h"
#include "agents/llm/quirks.h"
#include "agents/llm/usage.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http_client.h"

namespace openseat::llm {

// Without on_body. `form` thinks where ThinkingOf(model, refusals) says.
net::HttpCall MakeCall(const Model& model, const Refusals& refusals, const Prompt& prompt, const AnswerForm& form,
                       std::uint64_t max_tokens);

// Whether MakeCall requests a form in which null stands for a member that is left out.
bool LeavesOutByNull(const Model& model, const Refusals& refusals, const AnswerForm& form);

struct Reply {
  std::string text;                    // what the model wrote, unchanged; for a forced tool use its input, as JSON
  std::string reasoning;               // what it thought, as far as the provider shows it
  std::optional<Usage> usage;          // nullopt if the provider does not say
  bool cut_off = false;                // it hit the token limit
  std::string stop;                    // "length", "refusal", or the provider's own word; "": it was done
  std::optional<std::string> refusal;  // why it declined, or was kept from answering
  std::string request_id;              // the provider's name for the request; "" if it gives none
};

// Reads one answer. Memory is bounded: what is kept of it has limits.
class ReplyReader {
 public:
  explicit ReplyReader(Provider provider);
  ~ReplyReader();
  ReplyReader(ReplyReader&&) noexcept;
  ReplyReader& operator=(ReplyReader&&) noexcept;

  // Pieces of the body of a 2xx: a stream of events, or one JSON document.
  void Feed(std::string_view bytes);
  // At the end. `now` is for a wait that names a time. Messages may quote the provider: redact them.
  tl::expected<Reply, CallFailure> Finish(const Result<net::HttpResponse>& response, Time now);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace openseat::llm
