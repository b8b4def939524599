// The kinds of agents: what each is called, what it takes, who may name it and how it is made. The one table of them is
// app/agents.cc; the command line, the configuration, REST, OpenAPI, MCP, the browser and help read it.
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

// Who names an agent, or an option of one. What one may name, those behind it may, too.
enum class Namer : std::uint8_t {
  kPlayer,  // who plays here, such as an MCP host
  kAdmin,   // who may call /api/v1: may spend money and have the server connect to others
  kOwner,   // who starts the server, on the command line and in the configuration: may have files read
  kServer,  // nobody: the server itself, of what it made
};
// "player", "admin", "owner", "server".
std::string_view NameOf(Namer namer);

// Where the choices of an agent are made.
enum class PlaysFrom : std::uint8_t {
  kHere,       // in this program
  kElsewhere,  // where the server connects to
  kOutside,    // by who comes with the seat's token
};
// "here", "elsewhere", "outside".
std::string_view NameOf(PlaysFrom from);

// One row of the table.
struct AgentKind {
  std::string kind;         // "random"
  std::string title;        // for people, and what such an agent is called at the table: "Random bot"
  std::string description;  // a sentence
  std::string game{};       // id of the only one that it plays; "": any
  PlaysFrom plays_from = PlaysFrom::kHere;
  Namer named_by = Namer::kAdmin;
  // JSON Schema of its options: an object with `properties` and no others. A property says with "x-namedBy" who may
  // give it ("player" …); without it, the admin. One that is called "seed" makes the agent repeatable.
  std::string options;
  // The option that may be given without its name, as the model in llm:NAME; "": none.
  std::string bare{};
  // `options` fit the schema. Errors: what else is wrong with them. Connects to nothing yet.
  std::function<Result<std::unique_ptr<Agent>>(const json::Object& options)> make;
};

class AgentKinds {
 public:
  // REQUIRES of each a name of its own, and options that are a schema as above.
  explicit AgentKinds(std::vector<AgentKind> kinds);

  const std::vector<AgentKind>& all() const { return kinds_; }
  // nullptr where there is none.
  const AgentKind* Find(std::string_view kind) const;
  // "llm:MODEL": how it names the kind in a word, with the bare option if that may be given.
  std::string FormOf(const AgentKind& kind, Namer namer) const;
  // "random, script, llm:MODEL": those that it may name, for messages and help.
  std::string Names(Namer namer) const;
  bool TakesSeed(std::string_view kind) const;
  // Who plays a game best without anything configured: the kind that is made for it, where players may name it, else
  // "random".
  std::string OpponentAt(std::string_view game) const;

  // The schema of the options that `namer` may give, without "x-namedBy".
  json::Object OptionsFor(const AgentKind& kind, Namer namer) const;
  // One kind for programs: {"kind", "title", "description", "game"?, "plays_from", "named_by", "takes_seed", "bare"?,
  // "options_schema"}.
  json::Object Describe(const AgentKind& kind, Namer namer) const;
  // What {"kind", …options} is, for OpenAPI.
  json::Object SpecSchema(Namer namer) const;

  // "random", "random:seed=7,invalid=0.1", "script:FILE", "neuro:ws://HOST:PORT", "llm:MODEL": what follows the colon
  // are options, name=value,…, or the kind's bare one. A value is text where its schema says so, else JSON, if it reads
  // as such. Errors: kNotFound for another kind, kInvalid. The options are not held against the schema yet; `namer` is
  // told what it may name.
  Result<AgentSpec> Parse(std::string_view text, Namer namer = Namer::kOwner) const;
  // Whether `namer` may have this agent made. Errors: kNotFound for another kind; kDenied; kInvalid, with the option as
  // path and what was expected.
  Result<void> Check(const AgentSpec& spec, Namer namer) const;
  // Check, for the server itself, and the agent.
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
