# openseat_script_engine: the JavaScript engine of game scripts as a static library, and generated/types.cc, which takes
# the types out of TypeScript. npm installs QuickJS-NG, built for
# WebAssembly, into the build folder, and wasm2c turns it into C, in which every step is counted (make_box.sh). The C is
# one file that a compiler takes about 20 s for. It is optimized no further, since -O2 takes three times as long and
# gains little; -fpeephole2 counts a step in two instructions instead of four. It is not sanitized: what it does stays
# inside its box.
find_program(BASH bash REQUIRED)
set(engine ${CMAKE_CURRENT_LIST_DIR})
set(packages ${CMAKE_CURRENT_BINARY_DIR}/engine)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${packages}/.installed
  COMMAND ${BASH} ${CMAKE_SOURCE_DIR}/scripts/npm_ci.sh ${engine} ${packages}
  DEPENDS ${engine}/package.json ${engine}/package-lock.json ${CMAKE_SOURCE_DIR}/scripts/npm_ci.sh
  COMMENT "Installing the JavaScript engine of game scripts" VERBATIM)
add_custom_command(
  OUTPUT ${generated}/quickjs.c ${generated}/quickjs.h
  COMMAND ${BASH} ${engine}/make_box.sh ${packages}/node_modules/quickjs-wasi/quickjs.wasm ${generated}
  DEPENDS ${engine}/make_box.sh ${packages}/.installed
  COMMENT "Turning the JavaScript engine of game scripts into C" VERBATIM)
add_custom_command(
  OUTPUT ${generated}/types.cc
  COMMAND ${BASH} ${engine}/make_types.sh ${packages} ${generated}
  DEPENDS ${engine}/make_types.sh ${engine}/types.js ${packages}/.installed
  COMMENT "Making one file of what reads TypeScript" VERBATIM)
add_library(openseat_script_engine STATIC ${generated}/quickjs.c ${generated}/quickjs.h ${engine}/box.c ${engine}/box.h)
set_target_properties(openseat_script_engine PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
target_include_directories(openseat_script_engine PRIVATE ${generated})
target_compile_options(openseat_script_engine PRIVATE -include ${engine}/limits.h
  # A fused multiplication rounds in another way, on machines that have it.
  -ffp-contract=off -fno-strict-aliasing -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
set_source_files_properties(${generated}/quickjs.c PROPERTIES COMPILE_OPTIONS "-O1;$<$<C_COMPILER_ID:GNU>:-fpeephole2>;-w" OBJECT_DEPENDS ${engine}/limits.h)
set_source_files_properties(${engine}/box.c PROPERTIES COMPILE_OPTIONS "-O2;-Wall;-Wextra"
                            OBJECT_DEPENDS "${engine}/limits.h;${generated}/quickjs.h")
