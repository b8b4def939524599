#!/usr/bin/env bash
# make_box.sh WASM OUT: turns the engine's WebAssembly into C (OUT/quickjs.c, OUT/quickjs.h), in which every function and
# every round of a loop is counted, and no address leaves the box (limits.h).
set -euo pipefail

fail() {
  echo "make_box.sh: $*" >&2
  exit 1
}

(($# == 2)) || fail "usage: make_box.sh WASM OUT"
wasm=$1 out=$2
command -v wasm2c >/dev/null ||
  fail "wasm2c is not installed, but the engine of game scripts needs it (./dev build installs it; on Debian: apt-get install wabt)"
mkdir -p "$out"
wasm2c "$wasm" -o "$out/quickjs.c"

# A loop's label stands alone on its line.
sed -E -i \
  -e 's/^#define FUNC_PROLOGUE$/#define FUNC_PROLOGUE BOX_ENTER(instance)/' \
  -e 's/^#define FUNC_EPILOGUE$/#define FUNC_EPILOGUE BOX_LEAVE(instance)/' \
  -e 's/^( *w2c_L[0-9]+:) *$/\1 BOX_LOOP(instance);/' \
  -e 's/^( *)(memory_(fill|copy)\(&instance->.*, (w2c_i[0-9]+)\);)$/\1BOX_BULK(instance, \4); \2/' \
  -e 's/^ *instance->w2c___stack_pointer = w2c_[a-z][0-9]+;$/& BOX_STACK(instance);/' \
  -e 's/^#define MEMCHECK\(mem, a, t\).*$/#define MEMCHECK(mem, a, t)/' \
  -e 's/^( *wasm_rt_memcpy\(&result, )&mem->data\[addr\], /\1BOX_AT(mem, addr), /' \
  -e 's/^( *wasm_rt_memcpy\()&mem->data\[addr\], &wrapped, /\1BOX_WRITTEN(mem, addr), \&wrapped, /' \
  -e 's/^( *)(memset\(mem->data \+ d, val, n\);)$/\1box_note(mem->data, d, n); \2/' \
  -e 's/^( *)(memmove\(dest->data \+ dest_addr, src->data \+ src_addr, n\);)$/\1box_note(dest->data, dest_addr, n); \2/' \
  -e '/^ *wasm_asm\("" ::"r"\(result\)\); *\\$/d' "$out/quickjs.c"
sed -E -i -e 's/^typedef struct Z_quickjs_instance_t \{$/&\n  BOX_COUNTERS/' "$out/quickjs.h"

# What is not counted would not be limited.
loops=$(grep -cE '^ *w2c_L[0-9]+:' "$out/quickjs.c")
counted=$(grep -cE '^ *w2c_L[0-9]+: BOX_LOOP' "$out/quickjs.c")
functions=$(grep -c '^  FUNC_PROLOGUE;' "$out/quickjs.c")
((loops > 0 && loops == counted)) || fail "$counted of $loops loops are counted: this wasm2c writes C of another form"
((functions > 0)) || fail "no function is counted: this wasm2c writes C of another form"
bulk=$(grep -cE 'memory_(fill|copy)\(&instance->' "$out/quickjs.c")
((bulk == $(grep -cE '^ *BOX_BULK\(instance, w2c_i[0-9]+\); memory_' "$out/quickjs.c"))) ||
  fail "not every copy of memory is counted: this wasm2c writes C of another form"
stacks=$(grep -cE '^ *instance->w2c___stack_pointer = w2c' "$out/quickjs.c")
checked=$(grep -cE '^ *instance->w2c___stack_pointer = w2c_[a-z][0-9]+; BOX_STACK' "$out/quickjs.c")
changes=$(grep -cE 'w2c___stack_pointer [-+]?= ' "$out/quickjs.c") # and one that makes it
((stacks > 0 && stacks == checked && changes == stacks + 1)) ||
  fail "not every change of the stack's pointer is checked: this wasm2c writes C of another form"
# What is not cut would leave the box. Before the functions, the C has a load, a store and starting data for each order of
# bytes, filling and copying, which check, and three places that write tables of functions.
(($(grep -cE '^ *wasm_rt_memcpy\(&result, BOX_AT\(mem, addr\),' "$out/quickjs.c") == 1 &&
  $(grep -cE '^ *wasm_rt_memcpy\(BOX_WRITTEN\(mem, addr\),' "$out/quickjs.c") == 1 &&
  $(grep -cE "w2c_memory[.]data|(\bmem|\bm|\bsrc|\bdest)(->|[.])data( [+]|[[])" "$out/quickjs.c") == 9)) ||
  fail "memory is read or written in other places: this wasm2c writes C of another form"
# What is not noted would not be restored. Data is put into the memory only before the box is restored for the first time.
(($(grep -cE '^ *box_note\((mem->data, d|dest->data, dest_addr), n\); mem(set|move)\(' "$out/quickjs.c") == 2 &&
  $(grep -cE '^ *memory_init\(' "$out/quickjs.c") == 0)) ||
  fail "memory is written in other places: this wasm2c writes C of another form"
for line in '#define FUNC_PROLOGUE BOX_ENTER(instance)' '#define FUNC_EPILOGUE BOX_LEAVE(instance)'; do
  grep -qxF "$line" "$out/quickjs.c" || fail "the C lacks '$line': this wasm2c writes C of another form"
done
grep -qx '  BOX_COUNTERS' "$out/quickjs.h" || fail "the instance has no counters: this wasm2c writes C of another form"
# Every loop is a goto back to such a label; the C of the functions has no other.
if grep -nE '^\s*(for|while|do)\b' "$out/quickjs.c" | awk -F: '$1 > 1000' | grep -q .; then
  fail "the C has loops without labels: this wasm2c writes C of another form"
fi
