/* The limits of the box, included before everything else into the C that wasm2c writes: make_box.sh puts BOX_ENTER,
 * BOX_LEAVE and BOX_LOOP at the beginning and end of each function and at the beginning of each round of a loop,
 * BOX_BULK before each copy of memory, BOX_STACK behind each change of the stack's pointer, BOX_AT where memory is
 * read, BOX_WRITTEN and box_note where it is written, and the two counters into the instance. Every step is counted, so
 * a count is exact, and the same on every machine. */
#ifndef OPENSEAT_GAMES_SCRIPT_ENGINE_LIMITS_H
#define OPENSEAT_GAMES_SCRIPT_ENGINE_LIMITS_H

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the memory of the box is written for machines that store the least significant byte first"
#endif

#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 0
#define WASM_RT_USE_STACK_DEPTH_COUNT 0

/* The memory that a box may ever have, a power of two. An address is cut to it, so that it always lies in the box: a
 * correct engine has no others, and what an incorrect one does stays inside. Checking each address takes longer, and
 * guard pages would need the process's signals. Another page follows the memory, for what begins at its end. */
#define BOX_BYTES (1u << 24)

/* The lowest part of the memory is the engine's own stack, of which nothing remains between calls. */
#define BOX_STACK_BYTES (1u << 20)

#define BOX_AT(memory, address) (&(memory)->data[(unsigned)(address) & (BOX_BYTES - 1)])

/* Which parts of the memory were written since the box was last restored is noted in front of it, a byte for each part:
 * only these are restored. A write is noted where it begins, and ends at most BOX_SPILL bytes behind that part. */
#define BOX_PART_BITS 10
#define BOX_PARTS (BOX_BYTES >> BOX_PART_BITS)
#define BOX_SPILL 7

#define BOX_WRITTEN(memory, address) box_written((memory)->data, (unsigned)(address) & (BOX_BYTES - 1))

__attribute__((always_inline)) static inline unsigned char* box_written(unsigned char* data, unsigned address) {
  *(data - BOX_PARTS + (address >> BOX_PART_BITS)) = 1;
  return data + address;
}

/* Of bytes that lie in the memory. */
void box_note(unsigned char* data, unsigned address, unsigned bytes);

#define BOX_STACK(instance) \
  if (__builtin_expect((instance)->w2c___stack_pointer > BOX_STACK_BYTES, 0)) box_too_deep()

/* The deepest nesting of calls inside the box; it takes about 1 MB of the thread's stack. */
#define BOX_MAX_DEPTH 4000

#define BOX_COUNTERS \
  long long fuel;    \
  unsigned depth;

#define BOX_LOOP(instance) \
  if (__builtin_expect(--(instance)->fuel < 0, 0)) box_out_of_fuel()

/* A unit for each 16 bytes. The next step notices if there was not enough. */
#define BOX_BULK(instance, bytes) (instance)->fuel -= (bytes) >> 4

#define BOX_ENTER(instance) \
  BOX_LOOP(instance);       \
  if (__builtin_expect(++(instance)->depth > BOX_MAX_DEPTH, 0)) box_too_deep()

#define BOX_LEAVE(instance) --(instance)->depth

__attribute__((noreturn)) void box_out_of_fuel(void);
__attribute__((noreturn)) void box_too_deep(void);

#endif
