cmake_minimum_required(VERSION 3.25)
# cmake -DWORK=… -DCXX=… -DREAL_CMAKE=… -DFIXTURE=… -DDEPENDS=… -DEXTERNALS=… -DINCLUDE=… -DFAILS_AT=… -DSAYS=… -P check.cmake
#
# Copies FIXTURE and the real module functions into WORK, gives the module `game` the DEPENDS, EXTERNALS and the one
# #include, and builds it. FAILS_AT is "configure", "build" or empty (it must build); SAYS must be in the output.
file(REMOVE_RECURSE ${WORK})
file(COPY ${FIXTURE}/ DESTINATION ${WORK}/project)
file(COPY ${REAL_CMAKE}/OpenseatModule.cmake ${REAL_CMAKE}/Unite.cmake ${REAL_CMAKE}/CheckIncludes.cmake
     DESTINATION ${WORK}/project/cmake)
string(REPLACE ";" " " depends "${DEPENDS}")
string(REPLACE ";" " " externals "${EXTERNALS}")
file(WRITE ${WORK}/project/src/game/CMakeLists.txt
     "openseat_module(game SOURCES game.cc HEADERS game.h DEPENDS ${depends} EXTERNALS ${externals})\n")
file(WRITE ${WORK}/project/src/game/game.cc "#include ${INCLUDE}\n")

set(failed_at "")
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${WORK}/project -B ${WORK}/build -DCMAKE_CXX_COMPILER=${CXX}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  set(failed_at configure)
else()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --target openseat_game
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    set(failed_at build)
  endif()
endif()

# CMake breaks the lines of its messages.
string(REGEX REPLACE "[ \n]+" " " flowing "${output}")
string(FIND "${flowing}" "${SAYS}" at)
if(NOT failed_at STREQUAL "${FAILS_AT}" OR at EQUAL -1)
  message(FATAL_ERROR "expected a failure at '${FAILS_AT}' that says: ${SAYS}\ngot a failure at '${failed_at}':\n${output}")
endif()
