// The browser interface: the pages of web/, linked into the program and served at / and /assets/. They use the server
// only through its documented APIs (docs/web.md).
#pragma once

#include "net/router.h"

namespace openseat::web_ui {

// Adds GET routes for "/" and every other file. A WebSocket upgrade on "/" is not affected. The router's guard treats
// the files like any other request.
void AddWebUi(net::Router& router);

}  // namespace openseat::web_ui
