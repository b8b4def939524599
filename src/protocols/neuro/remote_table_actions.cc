// What a remote table's game registers and unregisters.
#include <functional>
#include <optional>
#include <utility>

#include "base/work_note.h"
#include "protocols/neuro/remote_table.h"
#include "schema/measure.h"

namespace openseat::neuro {
namespace {

constexpr std::size_t kRememberedNames = 1000;
// Cost of checking the actions of one message: on the shard, about two milliseconds; elsewhere, about half a second, of
// which other work waits for about ten milliseconds (unless one action alone takes longer).
constexpr std::uint64_t kCheckSteps = 200'000;
constexpr std::uint64_t kCheckElsewhereSteps = 50'000'000;
constexpr std::uint64_t kCheckSliceSteps = 1'000'000;
constexpr std::uint64_t kRegisterSteps = 200;  // of an action without a schema

// About how much it takes as text: a registered action, or its definition.
template <typename Definition>
std::size_t BytesOf(const Definition& action) {
  return action.name.size() + action.description.size() +
         (action.schema ? schema::MeasureAll(*action.schema).bytes : 0);
}

// About how much its texts and schema take in memory.
template <typename Definition>
std::size_t TextMemory(const Definition& action) {
  return action.name.size() + action.description.size() + (action.schema ? schema::MemoryOf(*action.schema) : 0);
}

// About how much a registered action takes in memory.
std::size_t MemoryOf(const Action& action) {
  constexpr std::size_t kOfAction = 512;
  return kOfAction + TextMemory(action) + (action.compiled() != nullptr ? action.compiled()->memory() : 0);
}

// With {} as its schema, an action takes no data, as without one.
std::optional<json::Value> SchemaOf(const ActionDefinition& definition) {
  const bool empty = definition.schema && definition.schema->is_object() && definition.schema->get_object().empty();
  return empty ? std::nullopt : definition.schema;
}

std::size_t HashOf(std::string_view name) {
  return std::hash<std::string_view>()(name);
}

}  // namespace

std::size_t RemoteTable::MemoryOfAll(std::span<const ActionDefinition> definitions) {
  std::size_t bytes = definitions.size_bytes();
  for (const ActionDefinition& definition : definitions) bytes += TextMemory(definition);
  return bytes;
}

bool RemoteTable::WasRegistered(std::string_view name) const {
  return once_registered_.contains(HashOf(name));
}

void RemoteTable::Handle(const RegisterMessage& message) {
  register_timer_.Cancel();
  schema::Budget budget(kCheckSteps);
  const std::span<const ActionDefinition> definitions =
      std::span(message.actions).first(Looked(message.actions.size(), "actions/register"));
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const ActionDefinition& definition = definitions[i];
    if (!budget.Spend(kRegisterSteps)) return CheckElsewhere(definitions.subspan(i), false);
    if (!IsNew(definition)) continue;
    CheckedAction checked = CheckAction(definition, budget);
    if (budget.exhausted()) return CheckElsewhere(definitions.subspan(i), true);
    Register(definition, std::move(checked));
  }
  Registered();
}

struct RemoteTable::Check {
  RemoteTable* table;  // exists as long as `alive` has not expired
  std::weak_ptr<int> alive;
  Scheduler& scheduler;
  std::vector<ActionDefinition> definitions;
  std::string owner;  // whose turn it takes
  schema::Budget budget = schema::Budget(kCheckElsewhereSteps);
  std::shared_ptr<Payer> payer;
  std::vector<CheckedAction> checked{};
  Lease memory{};                 // of the definitions and compiled schemas, until they are registered
  std::optional<Refusal> full{};  // no more could be compiled
  std::string raw;                // the message
  Seq seq = 0;
  std::size_t next = 0;       // to be registered
  bool first_is_new = false;  // reported already
};

void RemoteTable::CheckElsewhere(std::span<const ActionDefinition> definitions, bool first_is_new) {
  checking_ = true;
  const auto check = std::make_shared<Check>(Check{.table = this,
                                                   .alive = alive_,
                                                   .scheduler = scheduler_,
                                                   .definitions = {definitions.begin(), definitions.end()},
                                                   .owner = AddressOf(payer_.get()),
                                                   .payer = payer_,
                                                   .raw = std::string(message_),
                                                   .seq = message_seq_,
                                                   .first_is_new = first_is_new});
  if (payer_ != nullptr) check->full = payer_->Adjust(check->memory, Holding::kTableBytes, MemoryOfAll(definitions));
  if (!check->full) return CheckSome(check);
  scheduler_.Post([check] {
    if (!check->alive.expired()) check->table->Checked(check);
  });
}

void RemoteTable::CheckSome(const std::shared_ptr<Check>& check) {
  check->scheduler.OffloadFor(check->owner, [check] {
    if (check->alive.expired()) return;
    const std::uint64_t before = check->budget.left();
    while (check->checked.size() < check->definitions.size()) {
      if (before - check->budget.left() > kCheckSliceSteps) return CheckSome(check);
      CheckedAction checked = CheckAction(check->definitions[check->checked.size()], check->budget);
      if (check->payer != nullptr && checked.compiled != nullptr) {
        const std::uint64_t bytes = check->memory.amount() + checked.compiled->memory();
        check->full = check->payer->Adjust(check->memory, Holding::kTableBytes, bytes);
        if (check->full) break;
      }
      check->checked.push_back(std::move(checked));
    }
    check->scheduler.Post([check] {
      if (!check->alive.expired()) check->table->Checked(check);
    });
  });
}

// As many per turn as do not hold it up.
void RemoteTable::Checked(const std::shared_ptr<Check>& check) {
  WorkNote::Set(id().str());
  message_ = check->raw;
  message_seq_ = check->seq;
  check->memory.Release();  // the table's own place follows
  schema::Budget budget(kCheckSteps);
  while (check->next < check->checked.size() && !budget.exhausted()) {
    const ActionDefinition& definition = check->definitions[check->next];
    const bool is_new = check->next == 0 && check->first_is_new;
    if (is_new || IsNew(definition)) Register(definition, std::move(check->checked[check->next]));
    ++check->next;
    budget.Spend(kRegisterSteps);
  }
  message_ = {};
  message_seq_ = 0;
  if (check->next < check->checked.size()) {
    return scheduler_.Post([this, check, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) Checked(check);
    });
  }
  if (check->full) {
    Report(Diagnostic::kLimit, "the action " + NameInShort(check->definitions[check->next].name) + " and " +
                                   std::to_string(check->definitions.size() - check->next - 1) +
                                   " after it were not registered: " + check->full->Text());
  }
  Registered();
  checking_ = false;
  NextWaiting();
}

void RemoteTable::Registered() {
  if (lost_force_) repeat_timer_.Set(scheduler_, options().repeat_force_after, [this] { RepeatLostForce(); });
}

bool RemoteTable::IsNew(const ActionDefinition& definition) {
  const ActionPtr known = seat_.actions().Find(definition.name);
  if (known) {
    const std::optional<json::Value> schema = SchemaOf(definition);
    const bool same = known->description == definition.description && known->schema.has_value() == schema.has_value() &&
                      (!known->schema || json::Equal(*known->schema, *schema));
    if (same) {
      Report(Diagnostic::kDuplicateIdentical,
             "the action " + NameInShort(definition.name) + " is registered already, just the same");
      return false;
    }
    // The connection that broke may have lost its unregistration.
    const bool carried = carried_.erase(definition.name) != 0;
    const bool replace = carried || options().registration == NeuroOptions::Registration::kReplace;
    if (!carried)
      Report(Diagnostic::kDuplicateConflict, "the action " + NameInShort(definition.name) +
                                                 " is registered already with another definition, which was " +
                                                 (replace ? "replaced" : "kept"));
    if (!replace) return false;
  }
  if (!known && seat_.actions().size() >= max_actions_) {
    Refuse(Limit::kActions, max_actions_, "the action " + NameInShort(definition.name) + " was not registered");
    return false;
  }
  const std::size_t bytes = action_bytes_ - (known ? BytesOf(*known) : 0) + BytesOf(definition);
  if (bytes > max_action_bytes_) {
    Refuse(Limit::kSchemaBytes, max_action_bytes_,
           "the action " + NameInShort(definition.name) + " was not registered; with it there would be " +
               std::to_string(bytes) + " bytes");
    return false;
  }
  return true;
}

void RemoteTable::Register(const ActionDefinition& definition, CheckedAction checked) {
  const bool again = WasRegistered(definition.name);
  for (const Issue& issue : checked.issues) {
    // A note at every turn would be noise.
    if (again && issue.diagnostic == Diagnostic::kSchemaAdditional) continue;
    Report(issue.diagnostic, "action " + NameInShort(definition.name) + ": " + issue.detail);
  }
  auto action = std::make_shared<Action>();
  action->name = definition.name;
  action->description = definition.description;
  action->schema = SchemaOf(definition);
  action->SetCompiled(std::move(checked.compiled));
  const ActionPtr known = seat_.actions().Find(action->name);
  if (payer_ != nullptr) {
    const std::uint64_t others = memory_.amount() - (known ? MemoryOf(*known) : 0);
    if (const auto refused = payer_->Adjust(memory_, Holding::kTableBytes, others + MemoryOf(*action))) {
      return Report(Diagnostic::kLimit,
                    "the action " + NameInShort(action->name) + " was not registered: " + refused->Text());
    }
  }
  if (known) action_bytes_ -= BytesOf(*known);
  action_bytes_ += BytesOf(*action);
  seat_.AddAction(std::move(action));
  if (const auto other = names_ == nullptr ? std::nullopt : names_->Add(definition.name)) {
    Report(Diagnostic::kActionCollision,
           "the action " + NameInShort(definition.name) + " is also registered by the game " + NameInShort(*other));
  }
  if (once_registered_.size() < kRememberedNames) once_registered_.insert(HashOf(definition.name));
}

bool RemoteTable::RemoveAction(const std::string& name) {
  const ActionPtr action = seat_.actions().Find(name);
  if (!action) return false;
  action_bytes_ -= BytesOf(*action);
  if (names_ != nullptr) names_->Remove(name);
  const ActionPtr replaced = seat_.removed().Find(name);
  const bool removed = seat_.RemoveAction(name);
  if (memory_) {
    std::size_t gone = MemoryOf(*action);
    if (seat_.removed().Find(name) == action) {
      // The seat keeps it, in place of an earlier one of its name.
      removed_memory_ += gone;
      gone = replaced ? MemoryOf(*replaced) : 0;
      removed_memory_ -= gone;
    }
    memory_.Resize(memory_.amount() - gone);  // less is never refused
    ReleaseRemoved();
  }
  return removed;
}

void RemoteTable::ReleaseRemoved() {
  if (removed_memory_ == 0 || !seat_.removed().empty()) return;
  memory_.Resize(memory_.amount() - std::exchange(removed_memory_, 0));
}

void RemoteTable::Handle(const UnregisterMessage& message) {
  if (message.action_names.empty()) Report(Diagnostic::kUnregisterEmpty, "actions/unregister names no action");
  const std::size_t looked = Looked(message.action_names.size(), "actions/unregister");
  for (std::size_t i = 0; i < looked; ++i) {
    const std::string& name = message.action_names[i];
    if (RemoveAction(name)) continue;
    if (WasRegistered(name)) {
      Report(Diagnostic::kUnregisterInactive, "the action " + NameInShort(name) + " was unregistered already");
    } else {
      Report(Diagnostic::kUnregisterUnknown, "the action " + NameInShort(name) + " was never registered");
    }
  }
}

}  // namespace openseat::neuro
