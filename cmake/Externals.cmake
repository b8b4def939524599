# The third-party libraries, each under one short name. A module's EXTERNALS links `openseat_external_<name>`.
# OPENSEAT_EXTERNAL_<name>_INCLUDES are the #include prefixes that belong to it, for the include check.
# OPENSEAT_EXTERNAL_<name>_OWNER, if set, is the only module that may use the library.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
set(Boost_USE_STATIC_LIBS ON)  # saves 2 % of the instructions of a Neuro trip (docs/performance.md)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(simdjson REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(wslay REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(BROTLI REQUIRED IMPORTED_TARGET libbrotlienc libbrotlidec)  # tests decode
pkg_check_modules(IDN2 REQUIRED IMPORTED_TARGET libidn2)
find_library(CJOSE_LIBRARY cjose REQUIRED)  # its .pc file needs another package
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
pkg_check_modules(NATS REQUIRED IMPORTED_TARGET libnats)  # its CMake file names a library that Debian does not have

set(OPENSEAT_EXTERNALS "")

function(openseat_external name)
  cmake_parse_arguments(arg "" "OWNER" "LINK;INCLUDES;DEFINES" ${ARGN})
  add_library(openseat_external_${name} INTERFACE)
  target_link_libraries(openseat_external_${name} INTERFACE ${arg_LINK})
  target_compile_definitions(openseat_external_${name} INTERFACE ${arg_DEFINES})
  set(OPENSEAT_EXTERNAL_${name}_INCLUDES "${arg_INCLUDES}" PARENT_SCOPE)
  set(OPENSEAT_EXTERNAL_${name}_OWNER "${arg_OWNER}" PARENT_SCOPE)
  set(OPENSEAT_EXTERNALS "${OPENSEAT_EXTERNALS};${name}" PARENT_SCOPE)
endfunction()

openseat_external(boost_json LINK Boost::json INCLUDES boost/json)
openseat_external(boost_core LINK Boost::headers
                  INCLUDES boost/container boost/smart_ptr boost/intrusive boost/unordered boost/algorithm)
openseat_external(simdjson LINK simdjson::simdjson INCLUDES simdjson)
openseat_external(expected LINK tl::expected INCLUDES tl/)
openseat_external(fmt LINK fmt::fmt INCLUDES fmt/)
openseat_external(spdlog LINK spdlog::spdlog INCLUDES spdlog)
openseat_external(toml LINK tomlplusplus::tomlplusplus INCLUDES toml)
openseat_external(cli11 OWNER cli LINK CLI11::CLI11 INCLUDES CLI/)
openseat_external(openssl LINK OpenSSL::SSL OpenSSL::Crypto INCLUDES openssl/)
openseat_external(pcre2 LINK PkgConfig::PCRE2 INCLUDES pcre2 DEFINES PCRE2_CODE_UNIT_WIDTH=8)
openseat_external(idn2 OWNER schema LINK PkgConfig::IDN2 INCLUDES idn2.h)
openseat_external(cjose OWNER oauth LINK ${CJOSE_LIBRARY} OpenSSL::Crypto INCLUDES cjose/)
openseat_external(asio OWNER net LINK Boost::headers Threads::Threads
                  INCLUDES boost/asio boost/beast boost/system
                  DEFINES BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
openseat_external(wslay OWNER net LINK wslay INCLUDES wslay/)
openseat_external(curl OWNER net LINK CURL::libcurl INCLUDES curl/)
openseat_external(sqlite OWNER store LINK SQLite::SQLite3 INCLUDES sqlite3)
openseat_external(nats OWNER store LINK PkgConfig::NATS INCLUDES nats/)
openseat_external(brotli OWNER net LINK PkgConfig::BROTLI INCLUDES brotli/)
openseat_external(zlib LINK ZLIB::ZLIB INCLUDES zlib.h)

if(OPENSEAT_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
