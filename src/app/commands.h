// The subcommands of the program. Each adds itself to the command line with its help and its run; the run returns the
// process's exit code: 0 done, 1 the checked thing failed, 2 wrong usage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command_line.h"

namespace openseat::app {

void AddServe(cli::Command program);
void AddCheck(cli::Command program);
void AddPlay(cli::Command program);
void AddTournament(cli::Command program);
void AddAsk(cli::Command program);
void AddAnalyze(cli::Command program);
void AddFork(cli::Command program);
void AddRatings(cli::Command program);
void AddRelay(cli::Command program);
void AddReplay(cli::Command program);
void AddGames(cli::Command program);
// new, check and play, for games written as scripts.
void AddScriptCommands(cli::Command games);
void AddAgents(cli::Command program);
void AddJournal(cli::Command program);
void AddKey(cli::Command program);
void AddMcp(cli::Command program);
void AddBench(cli::Command program);
void AddDemo(cli::Command program);
void AddOpenApi(cli::Command program);

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

// Raises the limit on open files to what the system allows: every connection is one. Returns the limit.
std::uint64_t RaiseFileLimit();
// If certificate authorities are not where Debian keeps them, sets SSL_CERT_FILE to the file that other systems use,
// for the libraries that check certificates. Call before there are threads.
void FindAuthorities();
// An error of net::Server::Listen; if the port is in use, it says which flag takes another address.
Error WithFlag(Error error, std::string_view flag);
// "openseat: <message>" on standard error. Strangers' words may be in it: control characters but line breaks and tabs
// are escaped.
void PrintError(const std::string& message);

}  // namespace openseat::app
