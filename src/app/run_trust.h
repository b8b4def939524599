// Whose a run's folder is. `--resume` plays what run.json says, with this user's programs, files and keys, so a folder
// that somebody else wrote could run programs and have keys sent anywhere. A run that does more than think is marked
// with a key of the user who begins it (arena::HasMark), and one without that mark goes on only if it is trusted.
//
// Pure functions but for the key, which is a file. Any thread.
#pragma once

#include <string>
#include <vector>

#include "arena/run_spec.h"
#include "base/result.h"

namespace openseat::app {

// Whether an agent, as runs name it, does more than think: runs a program, reads or writes files, connects to a host,
// or costs money. Names that no agent has count, too.
bool ReachesOut(const std::string& agent);
// Whether a run does, by its agents, its models or its ladder.
bool ReachesOut(const arena::RunSpec& spec);
// What such a run does, safe for a terminal: "run the program \"./bot\"", "ask the model \"a\" (openai, m) at URL, with
// OPENAI_API_KEY". Reads the run's config file, if it is there.
std::vector<std::string> DeedsOf(const arena::RunSpec& spec);

// The key in `data_dir`/run-key. `data_dir` is DefaultDataDir, whatever --data-dir or $OPENSEAT_DATA_DIR say: what they
// name may be somebody else's. Errors: kNotFound if there is none; kDenied if others can read or write it; kParse;
// kIo.
Result<std::string> ReadRunKey(const std::string& data_dir);
// The same; makes the directory and the key if they are missing.
Result<std::string> MakeRunKey(const std::string& data_dir);

}  // namespace openseat::app
