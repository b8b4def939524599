// Failures: what a provider's error means, in all forms in use: by status, in the body of a 200, in the middle of a
// stream. Pure functions; docs/models.md has the table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http.h"

namespace openseat::llm {

struct CallFailure {
  Error error;
  int status = 0;                // the HTTP status, or the one that the error stands for; 0: there was no answer
  std::string said;              // the provider's words: the error's type, code, parameter and message; for Quirks
  bool again = false;            // another try may help
  bool busy = false;             // … once the provider has room: a rate limit, an overload, a model that is loading
  bool permanent = false;        // nothing but a change by the operator will help, in this game or any other
  bool too_large = false;        // the prompt is too long for the model
  bool declined = false;         // the provider's filter refused the prompt: an answer, not an outage
  std::optional<Duration> wait;  // the pause that the provider asks for
};

// An error that a provider answered. `status`: of HTTP; 0 or a 2xx if the error came in a body or a stream, then the
// error's own words decide. `body`: the parsed answer or event; null if it is `raw`, and not JSON. `now` is for waits
// that name a time. Messages may quote the provider: redact them.
CallFailure ProviderFailure(int status, const net::Headers& headers, const json::Value& body, std::string_view raw,
                            Time now);

// There was no answer: a broken connection, a timeout.
CallFailure NetworkFailure(const Error& error);

// An answer that cannot be read: a gateway's page, a stream that breaks off.
CallFailure UnreadableAnswer(int status, const std::string& why);

}  // namespace openseat::llm
