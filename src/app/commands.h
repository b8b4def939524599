// The subcommands of the program. Each adds itself to the command line and says how it is run; the run gives the
// process's exit code: 0 done, 1 the checked thing failed, 2 wrong usage.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace openseat::app {

void AddServe(cli::Command program);
void AddCheck(cli::Command program);
void AddPlay(cli::Command program);
void AddReplay(cli::Command program);
void AddGames(cli::Command program);
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

// As many open files as the system allows this process: every connection is one.
void RaiseFileLimit();
// Where certificate authorities are not where Debian has them, names the file that other systems have to the libraries
// that check certificates, by SSL_CERT_FILE. Before there are threads.
void FindAuthorities();
// "openseat: <message>" on standard error.
void PrintError(const std::string& message);

}  // namespace openseat::app
