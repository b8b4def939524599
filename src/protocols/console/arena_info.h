// Descriptions of the arena's routes, for /openapi.json.
#pragma once

#include "net/router.h"

namespace openseat::console {

// ArenaGame, ArenaDecision …: the schemas that the routes' schemas refer to.
void AddArenaSchemas(net::Router& router);

net::RouteInfo ListRunsInfo();
net::RouteInfo GetRunInfo();
net::RouteInfo GetStandingsInfo();
net::RouteInfo ListRunGamesInfo();
net::RouteInfo GetRunGameInfo();
net::RouteInfo ListDecisionsInfo();
net::RouteInfo GetGameTranscriptInfo();
net::RouteInfo GetGameReplayInfo();
net::RouteInfo GetGameAnalysisInfo();

}  // namespace openseat::console
