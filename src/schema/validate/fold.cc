#include "schema/validate/fold.h"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace openseat::schema {
namespace {

constexpr std::size_t kMaxListParts = 32;   // of a list that others are merged into
constexpr std::size_t kMaxChain = 64;       // nodes that only lead to another
constexpr std::size_t kMaxMerged = 20'000;  // properties in all merged sets: a set may be part of many

class Folder {
 public:
  explicit Folder(QuickProgram& program) : program_(program), nodes_(program.nodes) {
    for (const auto& list : program.lists) lists_.emplace(list.get(), list.get());
  }

  void Run() {
    const std::size_t count = nodes_.size();
    for (NodeId id = 0; id < count; ++id) {
      if (nodes_[id].kernel == Kernel::kAllOf) Flatten(ListOf(nodes_[id]));
    }
    for (const auto& rule : program_.unevaluated) Flatten(rule->parts);
    for (NodeId id = 0; id < count; ++id) {
      if (nodes_[id].kernel == Kernel::kAllOf) MergeMembers(ListOf(nodes_[id]));
    }
    for (const auto& rule : program_.unevaluated) MergeMembers(rule->parts);
    for (NodeId id = 0; id < count; ++id) {
      if (nodes_[id].kernel == Kernel::kAllOf) TakeTypes(id);
    }
    for (NodeId id = 0; id < count; ++id) Shorten(id);
    CopyChecks();
  }

 private:
  // Each list belongs to one node, until nodes are copied.
  QuickList& ListOf(const QuickNode& node) { return *lists_.at(node.rule); }

  NodeId AddNode(const QuickNode& node) {
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  NodeId AddTypes(const QuickTypes& types) { return AddNode({nullptr, Kernel::kTypes, types}); }

  // Inlines an allOf within checks that must all hold.
  void Flatten(QuickList& list) {
    std::size_t drawn = 0;
    for (std::size_t i = 0; i < list.size() && drawn < kMaxChain;) {
      const QuickNode node = nodes_[list[i]];
      if (node.kernel != Kernel::kAllOf || node.rule == &list || list.size() + ListOf(node).size() > kMaxListParts) {
        ++i;
        continue;
      }
      const QuickList inner = ListOf(node);
      const auto at = list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      list.insert(at, inner.begin(), inner.end());
      if (!node.types.AllowEverything()) list.push_back(AddTypes(node.types));
      ++drawn;
    }
  }

  // Merges several sets of properties, and several types.
  void MergeMembers(QuickList& list) {
    QuickMembers merged;
    auto names = std::make_unique<KeyTable>();
    QuickList rest;
    QuickTypes types;
    std::size_t sets = 0;
    for (const NodeId id : list) {
      const QuickNode node = nodes_[id];
      if (node.kernel == Kernel::kTypes) {
        types = types.And(node.types);
      } else if (node.kernel == Kernel::kMembers &&
                 Merge(*static_cast<const QuickMembers*>(node.rule), merged, *names)) {
        ++sets;
        types = types.And(node.types);
      } else {
        rest.push_back(id);
      }
    }
    if (sets < 2) return;
    merged.names = names.get();
    program_.names.push_back(std::move(names));
    program_.members.push_back(std::make_unique<QuickMembers>(std::move(merged)));
    // Cheap, and often decisive: check it first.
    list.assign(1, AddNode({program_.members.back().get(), Kernel::kMembers, types}));
    list.insert(list.end(), rest.begin(), rest.end());
  }

  // Returns false, with nothing changed, if both name a property.
  bool Merge(const QuickMembers& from, QuickMembers& into, KeyTable& names) {
    if (merged_ + from.properties.size() > kMaxMerged) return false;
    merged_ += from.properties.size();
    for (std::uint32_t number = 0; number < from.names->size(); ++number) {
      if (names.Find(from.names->text(number)) != KeyTable::kNone) return false;
    }
    for (std::uint32_t number = 0; number < from.names->size(); ++number) {
      names.Add(from.names->text(number));
      into.properties.push_back(from.properties[number]);
    }
    into.required_count += from.required_count;
    return true;
  }

  // Type-only parts are merged into the node's own types. A single remaining part replaces the node.
  void TakeTypes(NodeId id) {
    QuickList& list = ListOf(nodes_[id]);
    QuickTypes types = nodes_[id].types;
    std::erase_if(list, [&](NodeId part) {
      if (nodes_[part].kernel != Kernel::kTypes) return false;
      types = types.And(nodes_[part].types);
      return true;
    });
    nodes_[id].types = types;
    if (list.empty()) nodes_[id] = {nullptr, Kernel::kTypes, types};
  }

  // A node that is just another node is replaced by it.
  void Shorten(NodeId id) {
    QuickNode node = nodes_[id];
    for (std::size_t steps = 0; steps < kMaxChain && node.kernel == Kernel::kAllOf; ++steps) {
      const QuickList& list = ListOf(node);
      if (list.size() != 1) break;
      QuickNode part = nodes_[list.front()];
      // A number's bounds include the types.
      if (part.kernel == Kernel::kNumber && !node.types.AllowEverything()) break;
      part.types = part.types.And(node.types);
      node = part;
    }
    nodes_[id] = node;
  }

  void CopyChecks() {
    const auto check_of = [&](NodeId id) {
      return id == kNoNode ? QuickNode{nullptr, Kernel::kTypes, QuickTypes()} : nodes_[id];
    };
    for (const auto& members : program_.members) {
      for (QuickMembers::Property& property : members->properties) property.check = check_of(property.node);
      members->others = check_of(members->additional);
      members->first = members->properties.data();
      members->last = members->first + members->properties.size();
      members->count = static_cast<std::uint32_t>(members->properties.size());
    }
    for (const auto& items : program_.items) items->others = check_of(items->rest);
  }

  QuickProgram& program_;
  std::vector<QuickNode>& nodes_;
  std::unordered_map<const void*, QuickList*> lists_;
  std::size_t merged_ = 0;
};

}  // namespace

void Fold(QuickProgram& program) {
  Folder(program).Run();
}

}  // namespace openseat::schema
