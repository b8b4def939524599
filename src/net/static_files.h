// StaticFiles: files served from memory (the embedded web UI, /openapi.json), with ETags, conditional requests and
// precompressed forms. Built once at start, then read by all shards.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/router.h"

namespace openseat::net {

struct StaticFile {
  std::string name;  // "index.html", "assets/app-1f3a.js"
  std::string bytes;
  std::string content_type;  // empty: from the name's ending
  std::string gzip;          // the same, compressed; empty: none
  std::string brotli{};      // the same in the other coding
  bool immutable = false;    // the name changes with the content: may be cached forever
};

// A file with both compressed forms, made now.
StaticFile CompressedFile(std::string name, std::string bytes);

class StaticFiles {
 public:
  // `headers` go with every file. REQUIRES names that differ.
  explicit StaticFiles(std::vector<StaticFile> files, Headers headers = {});
  ~StaticFiles();

  bool Has(std::string_view name) const { return files_.contains(name); }
  // The file (200), or 304 if it matches the request's If-None-Match, or 404. HEAD needs no special handling.
  HttpResponse Answer(const HttpRequest& request, std::string_view name) const;

  // GET "/<name>" for each file at the top, "/<folder>/*file" for each folder there, and "/" for "index.html".
  static void AddRoutes(Router& router, const std::shared_ptr<const StaticFiles>& files);

 private:
  struct Entry;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> files_;
  Headers headers_;
};

// "text/html; charset=utf-8" for "a.html"; "application/octet-stream" for unknown endings.
std::string_view ContentTypeOf(std::string_view name);

}  // namespace openseat::net
