// The constants of the Model Context Protocol (docs/protocols/mcp.md): revisions, error codes, names of members.
#pragma once

#include <array>
#include <string_view>

namespace openseat::mcp {

// Which of the two eras of the protocol a message belongs to: with a handshake and sessions, or with self-contained
// requests.
enum class Era { kLegacy, kModern };

inline constexpr std::string_view kModernVersion = "2026-07-28";
// Newest first; an unknown revision is answered with the first.
inline constexpr std::array<std::string_view, 4> kLegacyVersions{"2025-11-25", "2025-06-18", "2025-03-26",
                                                                 "2024-11-05"};

namespace code {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;  // legacy; modern: kInvalidParams
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
}  // namespace code

// Members of _meta.
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";

// Extensions: views, which are HTML documents that a host draws next to the answers of the tools that name them; tasks
// (tasks.h).
inline constexpr std::string_view kViewExtension = "io.modelcontextprotocol/ui";
inline constexpr std::string_view kViewMimeType = "text/html;profile=mcp-app";
inline constexpr std::string_view kTaskExtension = "io.modelcontextprotocol/tasks";

// HTTP headers.
inline constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";
inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr std::string_view kMethodHeader = "Mcp-Method";
inline constexpr std::string_view kNameHeader = "Mcp-Name";
inline constexpr std::string_view kParamHeaderPrefix = "Mcp-Param-";

}  // namespace openseat::mcp
