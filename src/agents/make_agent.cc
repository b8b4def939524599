#include "agents/make_agent.h"

#include "agents/random_agent.h"
#include "agents/script_agent.h"

namespace openseat {

Result<std::unique_ptr<Agent>> MakeLocalAgent(const AgentSpec& spec) {
  static const AgentKinds kinds({RandomKind(), ScriptKind()});
  return kinds.Make(spec);
}

}  // namespace openseat
