cmake_minimum_required(VERSION 3.25)
# cmake -DMODULE=… -DFILES=… -DDEPENDS=… -DALLOWED=… -DEXTERNALS_FILE=… -DSOURCE_ROOT=… -DSTAMP=… -P CheckIncludes.cmake
#
# Fails if one of FILES includes a header of a module that is neither MODULE nor in DEPENDS, or of a library that is
# not in ALLOWED. A quoted include belongs to the module whose folder contains it: the longest folder below SOURCE_ROOT
# with a CMakeLists.txt.
include(${EXTERNALS_FILE})
set(problems "")

foreach(file IN LISTS FILES)
  file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  foreach(line IN LISTS lines)
    if(line MATCHES "\"([^\"]+)\"")
      set(header ${CMAKE_MATCH_1})
      get_filename_component(folder ${header} DIRECTORY)
      set(owner ${folder})
      while(owner AND NOT EXISTS ${SOURCE_ROOT}/${owner}/CMakeLists.txt)
        get_filename_component(owner ${owner} DIRECTORY)
      endwhile()
      if(NOT owner)
        string(APPEND problems "${file}: #include \"${header}\" is not spelled from src/\n")
      elseif(NOT owner STREQUAL MODULE AND NOT owner IN_LIST DEPENDS)
        string(APPEND problems "${file}: #include \"${header}\": module '${MODULE}' does not list '${owner}' in DEPENDS\n")
      endif()
    elseif(line MATCHES "<([^>]+)>")
      set(header ${CMAKE_MATCH_1})
      foreach(external IN LISTS EXTERNALS)
        foreach(prefix IN LISTS INCLUDES_${external})
          string(FIND ${header} ${prefix} at)
          if(at EQUAL 0 AND NOT external IN_LIST ALLOWED)
            string(APPEND problems
                   "${file}: #include <${header}>: module '${MODULE}' does not list '${external}' in EXTERNALS\n")
          endif()
        endforeach()
      endforeach()
    endif()
  endforeach()
endforeach()

if(problems)
  message(FATAL_ERROR "forbidden include:\n${problems}")
endif()
file(WRITE ${STAMP} "")
