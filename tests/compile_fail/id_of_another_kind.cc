// A table's id cannot stand in for an agent's.
#include "base/ids.h"

using TableId = openseat::StringId<struct TableTag>;
using AgentId = openseat::StringId<struct AgentTag>;

void Greet(AgentId);

void Test(const TableId& table, const AgentId& agent) {
#ifdef MISUSE
  Greet(table);
#endif
  Greet(agent);
}
