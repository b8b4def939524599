// The browser interface: the pages of web/, linked into the program and served at / and /assets/. They meet the server
// only through its documented APIs (docs/web.md).
#pragma once

#include "net/router.h"

namespace openseat::web_ui {

// Adds GET routes for "/" and every other file. A WebSocket upgrade on "/" stays what it is. The files take no part in
// the router's guard beyond what it asks of every request.
void AddWebUi(net::Router& router);

}  // namespace openseat::web_ui
