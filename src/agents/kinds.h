// The kinds of agents: the name of each, its options, who may name it and how it is made. app/agents.cc has the only
// table of them; the command line, the configuration, REST, OpenAPI, MCP, the browser and help read it.
//
// Immutable once made: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/agent.h"
#include "schema/schema.h"

namespace openseat {

// Who names an agent, or one of its options. Each may name everything that those before it may.
enum class Namer : std::uint8_t {
  kPlayer,  // anyone who plays here, such as an MCP host
  kAdmin,   // a caller of /api/v1, which may spend money and have the server connect to other hosts
  kOwner,   // the operator, on the command line and in the configuration, which may have files read and programs run
  kServer,  // only the server itself, for agents that it made
};
// "player", "admin", "owner", "server".
std::string_view NameOf(Namer namer);

// Where an agent's choices are made.
enum class PlaysFrom : std::uint8_t {
  kHere,       // in this program
  kElsewhere,  // at a host that the server connects to
  kOutside,    // by the holder of the seat's token
};
// "here", "elsewhere", "outside".
std::string_view NameOf(PlaysFrom from);

// One row of the table.
struct AgentKind {
  std::string kind;         // "random"
  std::string title;        // for people, and the name of such an agent at the table: "Random bot"
  std::string description;  // one sentence
  std::string game{};       // id of the only game that it plays; "": any
  PlaysFrom plays_from = PlaysFrom::kHere;
  Namer named_by = Namer::kAdmin;
  // JSON Schema of its options: an object with `properties` and no others. A property's "x-namedBy" says who may set it
  // ("player" …); without it, the admin may. An option named "seed" makes the agent repeatable.
  std::string options;
  // The option that may be given without its name, such as the model in llm:NAME; "": none.
  std::string bare{};
  // Called with `options` that fit the schema. Errors: whatever else is wrong with them. Does not connect to anything
  // yet.
  std::function<Result<std::unique_ptr<Agent>>(const json::Object& options)> make;

  // Whether its choices cost the operator money or the work of another host, or only the operator may name it.
  bool CostsOperator() const { return plays_from == PlaysFrom::kElsewhere || named_by > Namer::kPlayer; }
};

class AgentKinds {
 public:
  // REQUIRES that the kinds' names differ, and that each one's options are a schema as described above.
  explicit AgentKinds(std::vector<AgentKind> kinds);

  const std::vector<AgentKind>& all() const { return kinds_; }
  // nullptr if there is no such kind.
  const AgentKind* Find(std::string_view kind) const;
  // "llm:MODEL": how `namer` writes the kind as one word, with the bare option if `namer` may set it.
  std::string FormOf(const AgentKind& kind, Namer namer) const;
  // "random, script, llm:MODEL": the kinds that `namer` may name, for messages and help.
  std::string Names(Namer namer) const;
  bool TakesSeed(std::string_view kind) const;
  // Whether its seats have tokens (PlaysFrom::kOutside).
  bool IsPlayedFromOutside(std::string_view kind) const;
  // The kind that plays a game best without any configuration: the kind made for that game if players may name it, else
  // "random".
  std::string OpponentAt(std::string_view game) const;

  // The schema of the options that `namer` may set, without "x-namedBy".
  json::Object OptionsFor(const AgentKind& kind, Namer namer) const;
  // One kind, for programs: {"kind", "title", "description", "game"?, "plays_from", "named_by", "takes_seed", "bare"?,
  // "options_schema"}.
  json::Object Describe(const AgentKind& kind, Namer namer) const;
  // The schema of {"kind", …options}, for OpenAPI.
  json::Object SpecSchema(Namer namer) const;

  // "random", "random:seed=7,invalid=0.1", "script:FILE", "neuro:ws://HOST:PORT", "llm:MODEL": the part after the colon
  // is a list of options, name=value,…, or the kind's bare option. A value is a string if its schema says so, else JSON
  // if it parses. Errors: kNotFound for an unknown kind, kInvalid, kTooLarge. The options are not checked against the
  // schema yet; the message lists what `namer` may name.
  Result<AgentSpec> Parse(std::string_view text, Namer namer = Namer::kOwner) const;
  // Whether `namer` may have this agent made. Errors: kNotFound for an unknown kind; kDenied; kInvalid, with the option
  // as path and what was expected.
  Result<void> Check(const AgentSpec& spec, Namer namer) const;
  // Whether the agent plays this game, named by its id ("": the rules are elsewhere). Errors: kInvalid.
  Result<void> CheckGame(const AgentSpec& spec, std::string_view game) const;
  // Runs Check for the server itself, then makes the agent.
  Result<std::unique_ptr<Agent>> Make(const AgentSpec& spec) const;

 private:
  struct Compiled {
    json::Object schema;
    std::shared_ptr<const schema::Schema> options;
  };
  Result<const AgentKind*> FindOrSay(std::string_view kind, Namer namer) const;
  const Compiled& Of(const AgentKind& kind) const;

  std::vector<AgentKind> kinds_;
  std::vector<Compiled> compiled_;  // in the order of the kinds
};

}  // namespace openseat
