#include "store/registry_replica.h"

#include <utility>

#include "base/digest.h"
#include "base/text.h"

namespace openseat::store {
namespace {

constexpr json::Limits kMessageLimits{.max_bytes = kMaxCommandBytes, .max_depth = 16};
constexpr std::size_t kRegistryIdLength = 10;

Error DamagedSnapshot() {
  return {ErrorCode::kParse, "a snapshot of the registry is damaged", ""};
}

std::optional<std::uint64_t> Whole64(const json::Value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  return std::nullopt;
}

const json::Array* ListAt(const json::Value& value, std::string_view name) {
  const json::Value* found = json::Find(value, name);
  return found != nullptr && found->is_array() ? &found->get_array() : nullptr;
}

}  // namespace

std::string WriteMessage(std::string_view node, const std::vector<std::string_view>& commands) {
  std::string out = R"({"node":)";
  json::WriteString(node, out);
  out += R"(,"commands":[)";
  for (const std::string_view command : commands) {
    if (out.back() != '[') out += ',';
    out += command;
  }
  out += "]}";
  return out;
}

Result<std::unique_ptr<RegistryReplica>> RegistryReplica::Make(std::string_view snapshot) {
  std::unique_ptr<RegistryReplica> made(new RegistryReplica);
  if (!snapshot.empty()) {
    const Result<std::uint64_t> size = TakeSize(snapshot);
    if (!size || *size > snapshot.size()) return Fail(DamagedSnapshot());
    const Result<json::Value> about = json::Parse(snapshot.substr(0, *size), {.max_bytes = kMaxSnapshotBytes});
    snapshot.remove_prefix(*size);
    if (!about || snapshot.empty()) return Fail(DamagedSnapshot());
    const json::Array* sessions = ListAt(*about, "sessions");
    const json::Value* targets = json::Find(*about, "targets");
    if (sessions == nullptr || targets == nullptr || !targets->is_object()) return Fail(DamagedSnapshot());
    for (const json::Value& session : *sessions) {
      if (!session.is_array() || session.get_array().size() != 2) return Fail(DamagedSnapshot());
      const std::optional<std::uint64_t> id = Whole64(session.get_array()[0]);
      const std::optional<std::uint64_t> last = Whole64(session.get_array()[1]);
      if (!id || !last) return Fail(DamagedSnapshot());
      made->sessions_.emplace(*id, *last);
    }
    for (const auto& target : targets->get_object()) {
      if (!target.value().is_string()) return Fail(DamagedSnapshot());
      made->targets_[WebhookId(std::string(json::KeyOf(target)))] = json::View(target.value().get_string());
    }
  }
  Result<RegistryDatabase> database = RegistryDatabase::InMemory(
      snapshot, made->clock_, [replica = made.get()](char letter) { return replica->NextId(letter); });
  if (!database) return Fail(database.error());
  made->database_.emplace(std::move(*database));
  return made;
}

Result<std::string> RegistryReplica::Snapshot() {
  json::Object about;
  json::Array& sessions = about["sessions"].emplace_array();
  for (const auto& [session, last] : sessions_) sessions.push_back(json::Array{session, last});
  json::Object& targets = about["targets"].emplace_object();
  for (const auto& [id, node] : targets_) targets[id.str()] = node;
  const std::string text = json::Write(about);
  const Result<std::string> image = database_->Image();
  if (!image) return Fail(image.error());
  std::string out;
  AppendSize(out, text.size());
  return out + text + *image;
}

Result<std::optional<RegistryReplica::Outcomes>> RegistryReplica::Apply(const RegistryStamp& stamp,
                                                                        std::string_view text) {
  std::uint64_t& last = sessions_[stamp.session];
  if (stamp.number != last + 1) return std::nullopt;
  const Result<json::Value> message = json::Parse(text, kMessageLimits);
  if (!message) return Fail(message.error());
  const json::Array* commands = ListAt(*message, "commands");
  if (commands == nullptr) return Fail(ErrorCode::kParse, "a message of the registry has no commands");
  Result<Outcomes> outcomes = ApplyAll(stamp, *commands, std::string(json::TextOf(*message, "node")));
  if (!outcomes) {
    database_->Rollback();
    return Fail(outcomes.error());
  }
  last = stamp.number;
  return std::move(*outcomes);
}

Result<RegistryReplica::Outcomes> RegistryReplica::ApplyAll(const RegistryStamp& stamp, const json::Array& commands,
                                                            const std::string& node) {
  if (Result<void> begun = database_->Begin(); !begun) return Fail(begun.error());
  Outcomes outcomes;
  for (const json::Value& command : commands) {
    const Result<Time> at = TimeOfCommand(command);
    if (!at) return Fail(at.error());
    clock_.now = *at;
    place_ = std::to_string(stamp.session) + " " + std::to_string(stamp.number) + " " + std::to_string(outcomes.size());
    ids_ = 0;
    Result<Result<RegistryOutcome>> outcome = ApplyCommand(*database_, command);
    if (!outcome) return Fail(outcome.error());
    if (*outcome) NoteTarget(command, **outcome, node);
    outcomes.push_back(std::move(*outcome));
  }
  if (Result<void> kept = database_->Commit(); !kept) return Fail(kept.error());
  return outcomes;
}

void RegistryReplica::NoteTarget(const json::Value& command, const RegistryOutcome& outcome, const std::string& node) {
  const std::string_view name = json::TextOf(command, "do");
  if (name == "save-webhook") {
    targets_[std::get<WebhookTarget>(outcome).id] = node;
  } else if (name == "forget-webhook") {
    targets_.erase(std::get<WebhookTarget>(outcome).id);
  } else if (name == "forget-webhooks") {
    for (const json::Value& id : *ListAt(command, "ids")) {
      targets_.erase(WebhookId(std::string(json::View(id.get_string()))));
    }
  }
}

std::string RegistryReplica::NextId(char letter) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  const std::string digest = Sha256Hex(place_ + " " + std::to_string(ids_++));
  std::string id{letter, '-'};
  for (std::size_t i = 0; i < kRegistryIdLength; ++i) {
    const int byte = HexValue(digest[2 * i]) * 16 + HexValue(digest[2 * i + 1]);
    id += kLetters[static_cast<std::size_t>(byte) % kLetters.size()];
  }
  return id;
}

std::uint64_t RegistryReplica::LastOf(std::uint64_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? 0 : found->second;
}

std::vector<WebhookId> RegistryReplica::TargetsOf(std::string_view node) const {
  std::vector<WebhookId> out;
  for (const auto& [id, saver] : targets_) {
    if (saver == node) out.push_back(id);
  }
  return out;
}

}  // namespace openseat::store
