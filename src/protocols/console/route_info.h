// Descriptions of the console API's routes, for /openapi.json.
#pragma once

#include <vector>

#include "net/router.h"

namespace openseat::console {

// Table, TableSeat, Event, HostedGame …: the schemas that the routes' schemas refer to.
void AddSchemas(net::Router& router);

net::RouteInfo ListTablesInfo();
net::RouteInfo GetTableInfo();
net::RouteInfo DiagnosticsInfo();
net::RouteInfo TranscriptInfo();
net::RouteInfo ReplayInfo();
// The query of a replay, of a table or of a game of a run.
std::vector<net::RouteParameter> ReplayParameters();
net::RouteInfo ControlInfo();
net::RouteInfo SetAgentInfo();
net::RouteInfo ChooseInfo();
net::RouteInfo SkipInfo();
net::RouteInfo ListGamesInfo();
net::RouteInfo CreateMatchInfo();
net::RouteInfo ForkMatchInfo();
// At tables; a run's games have GetGameAnalysisInfo.
net::RouteInfo StartAnalysisInfo();
net::RouteInfo GetAnalysisInfo();
net::RouteInfo LiveInfo();

}  // namespace openseat::console
