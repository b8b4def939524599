# openseat_module(<name> SOURCES … HEADERS … TESTS … DEPENDS … EXTERNALS … TEST_DEPENDS … TEST_EXTERNALS …)
#
# The only way to add a library. <name> is the folder below src/ ("schema", "protocols/neuro"); the target is
# openseat_<name> with slashes as underscores, and openseat::<name> its alias.
#
#   SOURCES, HEADERS  files of the module, relative to its folder, by name
#   TESTS             *_test.cc files; together one GoogleTest program, <target>_test
#     DEPENDS           modules whose headers this one may include (not transitively: list every module that you use)
#   EXTERNALS         third-party libraries whose headers it may include (names of cmake/Externals.cmake)
#     TEST_DEPENDS, TEST_EXTERNALS the same, for the tests only; nothing depends on a test, so it may name modules below
#
# Two checks enforce the layering:
#   1. configure time: a DEPENDS that has not been declared yet is an error, so there are no cycles;
#   2. build time: a stamp fails on any #include of a module outside DEPENDS, or of a library outside EXTERNALS.
# Every header is also compiled alone: by its own source, which includes it first, or, if it has no source, by the target
# all_verify_interface_header_sets.

include(${CMAKE_CURRENT_LIST_DIR}/Unite.cmake)

add_library(openseat_flags INTERFACE)
target_compile_options(openseat_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Woverloaded-virtual
  -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough -fno-omit-frame-pointer)
target_compile_options(openseat_flags INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
# Where a processor can multiply and add in one step (arm64), the last digit would differ: the same seed must lead to the
# same search on every machine.
target_compile_options(openseat_flags INTERFACE -ffp-contract=off)
target_compile_definitions(openseat_flags INTERFACE OPENSEAT_VERSION="${PROJECT_VERSION}")
# GCC 12 warns about overlaps inside its own std::string (bug 105651).
target_compile_options(openseat_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# Clang warns about what GCC's library does in std::stable_sort.
target_compile_options(openseat_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(OPENSEAT_WERROR)
  # The warnings that GCC emits only after inlining change with every flag, and are wrong too often to stop a build.
  target_compile_options(openseat_flags INTERFACE -Werror
    $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized;-Wno-error=array-bounds;-Wno-error=stringop-overflow>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-error=stringop-overread;-Wno-error=free-nonheap-object;-Wno-error=dangling-pointer>)
endif()
# Seconds after which a test is stopped. A sanitized program is up to fifteen times slower.
set(OPENSEAT_TEST_TIMEOUT 300)
if(OPENSEAT_SANITIZE)
  set(OPENSEAT_TEST_TIMEOUT 1800)
  target_compile_options(openseat_flags INTERFACE -fsanitize=${OPENSEAT_SANITIZE} -fno-sanitize-recover=all
    -fno-sanitize=vptr)  # some shared libraries, such as spdlog's, lack the type information that it compares
  target_link_options(openseat_flags INTERFACE -fsanitize=${OPENSEAT_SANITIZE})
endif()

# The table of libraries, once, for the include check.
set(_externals_file ${CMAKE_BINARY_DIR}/externals.cmake)
set(_externals_text "set(EXTERNALS ${OPENSEAT_EXTERNALS})\n")
foreach(_external IN LISTS OPENSEAT_EXTERNALS)
  if(_external)
    string(APPEND _externals_text "set(INCLUDES_${_external} \"${OPENSEAT_EXTERNAL_${_external}_INCLUDES}\")\n")
  endif()
endforeach()
file(GENERATE OUTPUT ${_externals_file} CONTENT "${_externals_text}")

function(openseat_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;TESTS;DEPENDS;EXTERNALS;TEST_DEPENDS;TEST_EXTERNALS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "module '${name}': unexpected arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  string(REPLACE "/" "_" flat ${name})
  set(target openseat_${flat})

  foreach(dependency IN LISTS arg_DEPENDS)
    string(REPLACE "/" "_" flat_dependency ${dependency})
    if(NOT TARGET openseat_${flat_dependency})
      message(FATAL_ERROR "module '${name}' depends on '${dependency}', which is not declared yet: "
                          "modules depend only on those before them (docs/architecture.md)")
    endif()
  endforeach()
  foreach(external IN LISTS arg_EXTERNALS arg_TEST_EXTERNALS)
    if(NOT TARGET openseat_external_${external})
      message(FATAL_ERROR "module '${name}' uses the library '${external}', which cmake/Externals.cmake does not have")
    endif()
    set(owner "${OPENSEAT_EXTERNAL_${external}_OWNER}")
    if(owner AND NOT owner STREQUAL name)
      message(FATAL_ERROR "module '${name}' uses the library '${external}', which only '${owner}' may use")
    endif()
  endforeach()

  set(depends ${arg_DEPENDS})
  set(test_depends ${arg_TEST_DEPENDS})
  list(TRANSFORM depends REPLACE "/" "_")
  list(TRANSFORM test_depends REPLACE "/" "_")
  list(TRANSFORM depends PREPEND openseat_)
  list(TRANSFORM test_depends PREPEND openseat_)
  set(externals ${arg_EXTERNALS})
  set(test_externals ${arg_TEST_EXTERNALS})
  list(TRANSFORM externals PREPEND openseat_external_)
  list(TRANSFORM test_externals PREPEND openseat_external_)

  set(sourceless ${arg_HEADERS})
  foreach(source IN LISTS arg_SOURCES)
    string(REGEX REPLACE "\\.cc$" ".h" header ${source})
    list(REMOVE_ITEM sourceless ${header})
  endforeach()
  set(with_source ${arg_HEADERS})
  list(REMOVE_ITEM with_source ${sourceless} "")
  if(arg_SOURCES)
    add_library(${target} STATIC)
    target_sources(${target} PRIVATE ${arg_SOURCES}
                   PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${with_source}
                   FILE_SET sourceless TYPE HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${sourceless})
    target_link_libraries(${target} PUBLIC ${depends} ${externals} PRIVATE openseat_flags)
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    openseat_unite(${target})
  else()
    add_library(${target} INTERFACE)
    target_sources(${target} INTERFACE FILE_SET sourceless TYPE HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${arg_HEADERS})
    target_link_libraries(${target} INTERFACE ${depends} ${externals})
    target_include_directories(${target} INTERFACE ${CMAKE_SOURCE_DIR}/src)
  endif()
  if(sourceless)
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY sourceless)
  endif()
  add_library(openseat::${flat} ALIAS ${target})

  openseat_check_includes(${target} NAME ${name} FILES ${arg_SOURCES} ${arg_HEADERS}
                          DEPENDS ${arg_DEPENDS} EXTERNALS ${arg_EXTERNALS})

  if(OPENSEAT_TESTS AND arg_TESTS)
    add_executable(${target}_test ${arg_TESTS})
    # The tested code is optimized as it ships; the tests need not be, and take a quarter less time to build.
    target_compile_options(${target}_test PRIVATE $<$<CONFIG:Release>:-O1>)
    target_link_libraries(${target}_test PRIVATE ${target} ${test_depends} ${test_externals} openseat_flags
                          GTest::gmock GTest::gtest_main rapidcheck_gtest)
    openseat_unite(${target}_test)
    openseat_check_includes(${target}_test NAME ${name} FILES ${arg_TESTS}
                            DEPENDS ${arg_DEPENDS} ${arg_TEST_DEPENDS} EXTERNALS ${arg_EXTERNALS} ${arg_TEST_EXTERNALS})
    gtest_discover_tests(${target}_test TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                         WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTIES TIMEOUT ${OPENSEAT_TEST_TIMEOUT})
  endif()

  set_property(GLOBAL APPEND PROPERTY OPENSEAT_MODULES ${name})
  set_property(GLOBAL PROPERTY OPENSEAT_DEPENDS_${name} "${arg_DEPENDS}")
endfunction()

# openseat_check_includes(<target> NAME <module> FILES … DEPENDS … EXTERNALS …): the build-time stamp. <target> is not
# built while a file of FILES has a forbidden include.
function(openseat_check_includes target)
  cmake_parse_arguments(arg "" "NAME" "FILES;DEPENDS;EXTERNALS" ${ARGN})
  set(stamp ${CMAKE_BINARY_DIR}/include-checks/${target}.stamp)
  set(files ${arg_FILES})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} "-DMODULE=${arg_NAME}" "-DFILES=${files}" "-DDEPENDS=${arg_DEPENDS}"
            "-DALLOWED=${arg_EXTERNALS}" "-DEXTERNALS_FILE=${CMAKE_BINARY_DIR}/externals.cmake"
            "-DSOURCE_ROOT=${CMAKE_SOURCE_DIR}/src" "-DSTAMP=${stamp}"
            -P ${CMAKE_SOURCE_DIR}/cmake/CheckIncludes.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/CheckIncludes.cmake ${CMAKE_BINARY_DIR}/externals.cmake
    COMMENT "Checking the includes of ${target}" VERBATIM)
  add_custom_target(${target}_includes DEPENDS ${stamp})
  add_dependencies(${target} ${target}_includes)
endfunction()
