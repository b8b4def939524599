// Providers: a prompt as an HTTP call in each provider's published format, and what its answer means. Pure functions;
// docs/models.md says what is sent where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "agents/llm/answer.h"
#include "agents/llm/failure.h"
#include "agents/llm/model.h"
#include "agents/llm/prompt.h"
#include "agents/llm/usage.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http_client.h"

namespace openseat::llm {

net::HttpCall MakeCall(const Model& model, const Prompt& prompt, const AnswerForm& form, std::uint64_t max_tokens);

// Whether MakeCall requests a form in which null stands for a member that is left out.
bool LeavesOutByNull(const Model& model, const AnswerForm& form);

struct Reply {
  std::string text;                    // what the model wrote, unchanged; for a forced tool use its input, as JSON
  std::optional<Usage> usage;          // nullopt if the provider does not say
  bool cut_off = false;                // it hit the token limit
  std::optional<std::string> refusal;  // why it declined, or was kept from answering
  std::string request_id;              // the provider's name for the request; "" if it gives none
};

// `now` is for a Retry-After that names a time. Messages may quote the provider: redact them.
tl::expected<Reply, CallFailure> ReadResponse(const Model& model, const Result<net::HttpResponse>& response, Time now);

}  // namespace openseat::llm
