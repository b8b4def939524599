# openseat_unite(<target>): compiles several sources of a target together, as units, since most of the compiler's time
# goes into headers and templates that they share. This cuts the time of a first build by more than half.
#
# Sources that you work on are compiled alone: a source that changed after its unit was compiled is listed in
# ${CMAKE_BINARY_DIR}/alone.txt (./dev writes it before it runs ninja) and leaves its unit, so that each later change
# compiles only that source. With OPENSEAT_UNITE off, every source is compiled alone.
#
# Units impose one rule on the code: no two sources of a module, nor two of its tests, may define the same name in an
# unnamed namespace.
option(OPENSEAT_UNITE "Compile several sources of a module as one" ON)
set(_unit_size 6)  # larger units hardly speed up a first build, and slow down the first change of a source

if(NOT EXISTS ${CMAKE_BINARY_DIR}/alone.txt)
  file(WRITE ${CMAKE_BINARY_DIR}/alone.txt "")
endif()
file(STRINGS ${CMAKE_BINARY_DIR}/alone.txt _alone)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_BINARY_DIR}/alone.txt)

function(openseat_unite target)
  if(NOT OPENSEAT_UNITE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC mistakes a type in the unnamed namespace of an included source for one in a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  set(at 0)
  foreach(source IN LISTS sources)
    # By its place in the list, so that a source that leaves does not move the others.
    math(EXPR unit "${at} / ${_unit_size}")
    math(EXPR at "${at} + 1")
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
    if(name IN_LIST _alone)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP unit_${unit})
    endif()
  endforeach()
endfunction()
