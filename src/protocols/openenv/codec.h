// Messages of an OpenEnv socket as values (docs/protocols/openenv.md#messages). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "protocols/openenv/choices.h"

namespace openseat::openenv {

enum class Code { kInvalidJson, kUnknownType, kValidation, kExecution, kCapacity, kSession };
std::string_view CodeName(Code code);  // "INVALID_JSON" …

struct Failure {
  Code code = Code::kExecution;
  std::string message;
  std::string path{};      // of kValidation: what is wrong, below "data"
  json::Object details{};  // further members of the error
  bool closes() const { return code == Code::kCapacity || code == Code::kSession; }
};
// kInvalid, kNotFound and kDenied are validation errors, kBusy is one of capacity, the others are of execution.
Failure ToFailure(const Error& error);

inline constexpr std::size_t kMaxEnvironments = 1024;  // of one socket
inline constexpr std::size_t kMaxIdBytes = 1u << 10;   // of a JSON-RPC request, if it is text

struct Request {
  enum class Type { kReset, kStep, kState, kClose, kMcp, kResetMany, kStepMany };
  Type type = Type::kState;
  json::Object arguments;                          // of a reset
  std::vector<std::optional<StepAction>> actions;  // of a step: one; of step_many: one for each environment
  std::size_t count = 0;                           // of reset_many
  std::vector<std::uint64_t> seeds;                // of reset_many: none, or `count`
  json::Value rpc;                                 // of mcp
};

// `limits`: of the connection.
tl::expected<Request, Failure> DecodeRequest(std::string_view text, const json::Limits& limits);

// {"type": TYPE, "data": DATA}; `data` is JSON.
std::string EncodeReply(std::string_view type, std::string_view data);
// {"results": […]}, of texts that are JSON.
std::string EncodeResults(const std::vector<std::string>& results);
// {"message", "code", …}.
json::Object ErrorData(const Failure& failure);
std::string EncodeError(const Failure& failure);

// The answer to a JSON-RPC request: an error, since no environment has tools.
json::Object AnswerRpc(const json::Value& request);
json::Object RpcError(const json::Value& id, int code, std::string_view message);

}  // namespace openseat::openenv
