#include "protocols/openenv/codec.h"

#include <array>
#include <utility>

#include "base/json_members.h"
#include "base/text.h"

namespace openseat::openenv {
namespace {

constexpr int kRpcInvalidRequest = -32600;
constexpr int kRpcUnknownMethod = -32601;
constexpr int kRpcInternal = -32603;

tl::unexpected<Failure> Invalid(std::string message, std::string path) {
  return tl::unexpected(Failure{.code = Code::kValidation, .message = std::move(message), .path = std::move(path)});
}

struct TypeName {
  std::string_view name;
  Request::Type type;
};
constexpr std::array<TypeName, 7> kTypes{{{"reset", Request::Type::kReset},
                                          {"step", Request::Type::kStep},
                                          {"state", Request::Type::kState},
                                          {"close", Request::Type::kClose},
                                          {"mcp", Request::Type::kMcp},
                                          {"reset_many", Request::Type::kResetMany},
                                          {"step_many", Request::Type::kStepMany}}};

tl::expected<void, Failure> ReadResetMany(Request& request) {
  const auto count = json::WholeOf(request.arguments, "count");
  if (!count || *count == 0 || *count > kMaxEnvironments) {
    return Invalid("count must be from 1 to " + std::to_string(kMaxEnvironments), "count");
  }
  request.count = static_cast<std::size_t>(*count);
  request.arguments.erase("count");
  if (request.arguments.contains("episode_id")) {
    return Invalid("environments of reset_many have no episode_id", "episode_id");
  }
  if (const json::Value* seeds = json::Find(request.arguments, "seeds"); seeds != nullptr && !seeds->is_null()) {
    const json::Array* list = seeds->if_array();
    if (list == nullptr || list->size() != request.count) {
      return Invalid("seeds must be a list of " + std::to_string(request.count) + " whole numbers", "seeds");
    }
    for (const json::Value& seed : *list) {
      const auto whole = json::WholeOf(json::Object{{"seed", seed}}, "seed");
      if (!whole) return Invalid("seeds must be whole numbers from 0; got " + json::Excerpt(seed), "seeds");
      request.seeds.push_back(*whole);
    }
  }
  request.arguments.erase("seeds");
  return {};
}

tl::expected<void, Failure> ReadActions(const json::Value* data, Request& request) {
  const json::Value* list = data != nullptr && data->is_object() ? json::Find(*data, "actions") : nullptr;
  if (list == nullptr || !list->is_array() || list->get_array().size() > kMaxEnvironments) {
    return Invalid("step_many has the member actions, a list of at most " + std::to_string(kMaxEnvironments),
                   "actions");
  }
  for (const json::Value& each : list->get_array()) {
    if (each.is_null()) {
      request.actions.emplace_back();
      continue;
    }
    Result<StepAction> action = ReadAction(each);
    if (!action) return Invalid(action.error().message, "actions." + action.error().path);
    request.actions.emplace_back(std::move(*action));
  }
  return {};
}

}  // namespace

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kInvalidJson:
      return "INVALID_JSON";
    case Code::kUnknownType:
      return "UNKNOWN_TYPE";
    case Code::kValidation:
      return "VALIDATION_ERROR";
    case Code::kExecution:
      return "EXECUTION_ERROR";
    case Code::kCapacity:
      return "CAPACITY_REACHED";
    case Code::kSession:
      return "SESSION_ERROR";
  }
  return "EXECUTION_ERROR";
}

Failure ToFailure(const Error& error) {
  Failure failure{.message = Ellipsize(error.message, kMaxErrorBytes), .path = Ellipsize(error.path, kQuotedBytes)};
  if (error.code == ErrorCode::kInvalid || error.code == ErrorCode::kNotFound || error.code == ErrorCode::kDenied) {
    failure.code = Code::kValidation;
  }
  return failure;
}

tl::expected<Request, Failure> DecodeRequest(std::string_view text, const json::Limits& limits) {
  Result<json::Value> parsed = json::Parse(text, limits);
  if (!parsed) {
    return tl::unexpected(Failure{.code = Code::kInvalidJson, .message = "Invalid JSON: " + parsed.error().message});
  }
  if (!parsed->is_object()) {
    return tl::unexpected(Failure{
        .code = Code::kSession, .message = "a message must be an object; got " + std::string(json::TypeName(*parsed))});
  }
  json::Object& message = parsed->get_object();
  const std::string_view type = json::TextOf(message, "type");
  const auto* known =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& each) { return each.name == type; });
  if (known == kTypes.end()) {
    return tl::unexpected(
        Failure{.code = Code::kUnknownType, .message = "Unknown message type: " + Ellipsize(type, kQuotedBytes)});
  }
  for (const auto& member : message) {
    if (member.key() == "type" || member.key() == "data") continue;
    const std::string name = Ellipsize(json::KeyOf(member), kQuotedBytes);
    return Invalid("a message has the members type and data; got " + Quote(name), name);
  }
  Request request;
  request.type = known->type;
  json::Value* data = message.if_contains("data");
  const bool reset = request.type == Request::Type::kReset || request.type == Request::Type::kResetMany;
  if (reset && data != nullptr && !data->is_null()) {
    if (!data->is_object()) return Invalid("data must be an object; got " + std::string(json::TypeName(*data)), "");
    request.arguments = std::move(data->get_object());
  }
  tl::expected<void, Failure> read;
  if (request.type == Request::Type::kResetMany) {
    read = ReadResetMany(request);
  } else if (request.type == Request::Type::kStepMany) {
    read = ReadActions(data, request);
  } else if (request.type == Request::Type::kStep) {
    Result<StepAction> action = data == nullptr
                                    ? Result<StepAction>(Fail(ErrorCode::kInvalid, "a step has the member data"))
                                    : ReadAction(*data);
    if (!action) return Invalid(action.error().message, action.error().path);
    request.actions.emplace_back(std::move(*action));
  } else if (request.type == Request::Type::kMcp && data != nullptr) {
    request.rpc = std::move(*data);
  }
  if (!read) return tl::unexpected(read.error());
  return request;
}

std::string EncodeReply(std::string_view type, std::string_view data) {
  std::string text;
  text.reserve(data.size() + type.size() + 24);
  text += R"({"type":")";
  text += type;
  text += R"(","data":)";
  text += data;
  text += '}';
  return text;
}

std::string EncodeResults(const std::vector<std::string>& results) {
  std::string text = R"({"results":[)";
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (i > 0) text += ',';
    text += results[i];
  }
  return text + "]}";
}

json::Object ErrorData(const Failure& failure) {
  json::Object data{{"message", failure.message}, {"code", CodeName(failure.code)}};
  if (failure.code == Code::kValidation) {
    json::Array where{"data"};
    if (!failure.path.empty()) where.emplace_back(failure.path);
    data["errors"] =
        json::Array{json::Object{{"type", "value_error"}, {"loc", std::move(where)}, {"msg", failure.message}}};
  }
  for (const auto& member : failure.details) data[member.key()] = member.value();
  return data;
}

std::string EncodeError(const Failure& failure) {
  return EncodeReply("error", json::Write(ErrorData(failure)));
}

json::Object RpcError(const json::Value& id, int code, std::string_view message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", json::Object{{"code", code}, {"message", message}}}};
}

json::Object AnswerRpc(const json::Value& request) {
  const json::Object* object = request.if_object();
  const json::Value* id = object == nullptr ? nullptr : json::Find(*object, "id");
  const bool usable = id != nullptr && (id->is_number() || (id->is_string() && id->get_string().size() <= kMaxIdBytes));
  const json::Value of = usable ? *id : json::Value();
  const std::string_view method = json::TextOf(object, "method");
  if (id != nullptr && id->is_string() && !usable) {
    return RpcError(of, kRpcInvalidRequest,
                    "Invalid Request: an id has at most " + std::to_string(kMaxIdBytes) + " bytes");
  }
  if (json::TextOf(object, "jsonrpc") != "2.0" || method.empty()) {
    return RpcError(of, kRpcInvalidRequest, "Invalid Request");
  }
  if (method == "tools/list" || method == "tools/call" || method.starts_with("openenv/session/")) {
    return RpcError(of, kRpcInternal, "Environment does not support MCP");
  }
  return RpcError(of, kRpcUnknownMethod, "Method not found");
}

}  // namespace openseat::openenv
