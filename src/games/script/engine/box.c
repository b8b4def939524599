#include "box.h"

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "quickjs.h"

/* --- wasm2c's runtime. wabt's own serves one thread only, since its state is global. --- */

enum { kMaxTypes = 256, kMaxSignature = 24 };

/* The signatures of functions: filled once, by init_types. */
static struct {
  uint32_t params, results;
  unsigned char kinds[kMaxSignature];
} types[kMaxTypes];
static uint32_t type_count;

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...) {
  unsigned char kinds[kMaxSignature] = {0};
  va_list list;
  uint32_t i;
  if (params + results > kMaxSignature || type_count == kMaxTypes) abort();
  va_start(list, results);
  for (i = 0; i < params + results; ++i) kinds[i] = (unsigned char)va_arg(list, int);
  va_end(list);
  for (i = 0; i < type_count; ++i) {
    if (types[i].params == params && types[i].results == results && memcmp(types[i].kinds, kinds, sizeof kinds) == 0) {
      return i + 1;
    }
  }
  types[type_count].params = params;
  types[type_count].results = results;
  memcpy(types[type_count].kinds, kinds, sizeof kinds);
  return ++type_count;
}

static pthread_once_t types_once = PTHREAD_ONCE_INIT;
static void init_types(void) { Z_quickjs_init_module(); }

bool wasm_rt_is_initialized(void) { return true; }

/* The call that is in progress on this thread. */
static __thread jmp_buf* current;

static _Noreturn void leave(BoxStatus status) { longjmp(*current, (int)status); }
void box_out_of_fuel(void) { leave(BOX_FUEL); }
void box_too_deep(void) { leave(BOX_TOO_DEEP); }
void wasm_rt_trap(wasm_rt_trap_t code) {
  (void)code;
  leave(BOX_TRAP);
}

/* A box reserves all the memory that it may ever have, behind the notes of what was written, and the system provides
 * what is used. */
enum { kReserved = BOX_BYTES + kBoxPage, kPart = 1 << BOX_PART_BITS };
_Static_assert(kBoxStack == BOX_STACK_BYTES, "as in box.h");

void wasm_rt_allocate_memory(wasm_rt_memory_t* memory, uint32_t pages, uint32_t max_pages) {
  (void)max_pages;
  memory->max_pages = BOX_BYTES / kBoxPage;
  memory->pages = pages;
  memory->size = pages * (uint32_t)kBoxPage;
  uint8_t* reserved = pages > memory->max_pages
                          ? MAP_FAILED
                          : mmap(NULL, BOX_PARTS + kReserved, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memory->data = reserved == MAP_FAILED ? NULL : reserved + BOX_PARTS;
  if (memory->data == NULL) leave(BOX_TRAP);
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t* memory, uint32_t delta) {
  const uint32_t before = memory->pages;
  if (delta > memory->max_pages - before) return UINT32_MAX;
  memory->pages = before + delta;
  memory->size = memory->pages * (uint32_t)kBoxPage;
  return before;
}

void wasm_rt_free_memory(wasm_rt_memory_t* memory) {
  if (memory->data != NULL) munmap(memory->data - BOX_PARTS, BOX_PARTS + kReserved);
}

void box_note(unsigned char* data, unsigned address, unsigned bytes) {
  const unsigned first = address >> BOX_PART_BITS;
  if (bytes > 0) memset(data - BOX_PARTS + first, 1, ((address + bytes - 1) >> BOX_PART_BITS) - first + 1);
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t* table, uint32_t size, uint32_t max_size) {
  (void)max_size;
  table->size = table->max_size = size;
  table->data = calloc(size, sizeof *table->data);
  if (table->data == NULL) leave(BOX_TRAP);
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t* table) { free(table->data); }

/* --- The box --- */

struct Z_env_instance_t {
  Box* box;
};
struct Z_wasi_snapshot_preview1_instance_t {
  Box* box;
};

struct Box {
  Z_quickjs_instance_t engine;
  struct Z_env_instance_t env;
  struct Z_wasi_snapshot_preview1_instance_t system;
  const BoxFile* files; /* while loading */
  size_t file_count;
  uint32_t call, text; /* functions of the harness */
  uint64_t image;      /* the id of the one that the box had last */
  int64_t allowed;
  bool interrupted;
  char* copy; /* of the last text */
};

enum { kMaxPath = 256, kWhereFuel = 1000000 };

static const uint8_t* at(Box* box, uint32_t address, uint32_t length) {
  wasm_rt_memory_t* memory = &box->engine.w2c_memory;
  if (address > memory->size || length > memory->size - address) leave(BOX_TRAP);
  return memory->data + address;
}

static uint8_t* to_write(Box* box, uint32_t address, uint32_t length) {
  at(box, address, length);
  box_note(box->engine.w2c_memory.data, address, length);
  return box->engine.w2c_memory.data + address;
}

static void write_word(Box* box, uint32_t address, uint32_t word) { memcpy(to_write(box, address, 4), &word, 4); }

/* Copies bytes into the box, with a zero behind them. */
static uint32_t put(Box* box, const char* text, size_t length) {
  uint32_t address;
  uint8_t* out;
  if (length > BOX_BYTES) leave(BOX_TRAP);
  address = Z_quickjsZ_wasm_malloc(&box->engine, (uint32_t)length + 1);
  if (address == 0) leave(BOX_TRAP);
  out = to_write(box, address, (uint32_t)length + 1);
  memcpy(out, text, length);
  out[length] = 0;
  return address;
}

/* Reads a text that ends with a zero; false if it is longer than `capacity` - 1. */
static bool get(Box* box, uint32_t address, char* out, uint32_t capacity) {
  uint32_t i;
  for (i = 0; i < capacity; ++i) {
    out[i] = (char)*at(box, address + i, 1);
    if (out[i] == 0) return true;
  }
  return false;
}

/* --- What the engine imports: nothing of the host --- */

u32 Z_envZ_host_call(struct Z_env_instance_t* env, u32 a, u32 b, u32 c, u32 d, u32 e) {
  (void)env, (void)a, (void)b, (void)c, (void)d, (void)e;
  leave(BOX_TRAP); /* no function of the host was ever made */
}
u32 Z_envZ_host_get_timezone_offset(struct Z_env_instance_t* env, u32 high, u32 low) {
  (void)env, (void)high, (void)low;
  return 0;
}
/* Asked in loops of the script, at a place whose line the engine can say; so a loop without end ends here, before all
 * steps are used. No catch stops it, but a promise swallows it: the steps to say the line are given only once, so a
 * script that goes on uses up what is left. */
u32 Z_envZ_host_interrupt(struct Z_env_instance_t* env) {
  Box* box = env->box;
  if (box->engine.fuel > box->allowed / 8) return 0;
  if (!box->interrupted) {
    box->interrupted = true;
    box->engine.fuel += kWhereFuel;
    box->allowed += kWhereFuel;
  }
  return 1;
}
void Z_envZ_host_promise_rejection(struct Z_env_instance_t* env, u32 a, u32 b, u32 c) {
  (void)env, (void)a, (void)b, (void)c;
}

static void refuse(Box* box, const char* before, const char* name, const char* after) {
  char message[2 * kMaxPath];
  uint32_t address, text;
  snprintf(message, sizeof message, "%s%s%s", before, name, after);
  address = put(box, message, strlen(message));
  text = Z_quickjsZ_qjs_new_string(&box->engine, address, (u32)strlen(message));
  Z_quickjsZ_qjs_throw(&box->engine, text);
}

/* "./b.js" and "../b.js" as seen from "a/c.js"; false if that leaves the script's folder. */
static bool resolve(const char* base, const char* name, char* out) {
  size_t length = 0;
  const char* slash = strrchr(base, '/');
  if (name[0] != '.') return false;
  if (slash != NULL) length = (size_t)(slash - base);
  memcpy(out, base, length);
  while (*name != 0) {
    const size_t part = strcspn(name, "/");
    if (part == 2 && name[0] == '.' && name[1] == '.') {
      if (length == 0) return false;
      while (length > 0 && out[length - 1] != '/') --length;
      if (length > 0) --length;
    } else if (part != 0 && !(part == 1 && name[0] == '.')) {
      if (length + part + 2 > kMaxPath) return false;
      if (length > 0) out[length++] = '/';
      memcpy(out + length, name, part);
      length += part;
    }
    name += part;
    if (*name == '/') ++name;
  }
  out[length] = 0;
  return true;
}

u32 Z_envZ_host_module_normalize(struct Z_env_instance_t* env, u32 base_address, u32 name_address) {
  char base[kMaxPath], name[kMaxPath], full[kMaxPath];
  Box* box = env->box;
  if (!get(box, base_address, base, kMaxPath) || !get(box, name_address, name, kMaxPath)) {
    refuse(box, "a module's path is at most 255 bytes long", "", "");
    return 0;
  }
  if (!resolve(base, name, full)) {
    refuse(box, "import a file of the game's own folder by its relative path (\"./lines.js\"); got \"", name, "\"");
    return 0;
  }
  return put(box, full, strlen(full));
}

u32 Z_envZ_host_module_load(struct Z_env_instance_t* env, u32 name_address, u32 length_address) {
  char name[kMaxPath];
  Box* box = env->box;
  size_t i;
  if (!get(box, name_address, name, kMaxPath)) return 0;
  for (i = 0; i < box->file_count; ++i) {
    if (strcmp(box->files[i].name, name) == 0) {
      write_word(box, length_address, (uint32_t)box->files[i].length);
      return put(box, box->files[i].text, box->files[i].length);
    }
  }
  refuse(box, "there is no file \"", name, "\" in the game's folder, or it was not there when the game was loaded");
  return 0;
}

/* The clock stands still. */
u32 Z_wasi_snapshot_preview1Z_clock_time_get(struct Z_wasi_snapshot_preview1_instance_t* system, u32 id, u64 precision,
                                             u32 address) {
  (void)id, (void)precision;
  memset(to_write(system->box, address, 8), 0, 8);
  return 0;
}
u32 Z_wasi_snapshot_preview1Z_random_get(struct Z_wasi_snapshot_preview1_instance_t* system, u32 address, u32 length) {
  memset(to_write(system->box, address, length), 0x5a, length);
  return 0;
}
enum { kBadFile = 8 };
u32 Z_wasi_snapshot_preview1Z_fd_close(struct Z_wasi_snapshot_preview1_instance_t* system, u32 a) {
  (void)system, (void)a;
  return kBadFile;
}
u32 Z_wasi_snapshot_preview1Z_fd_fdstat_get(struct Z_wasi_snapshot_preview1_instance_t* system, u32 a, u32 b) {
  (void)system, (void)a, (void)b;
  return kBadFile;
}
u32 Z_wasi_snapshot_preview1Z_fd_seek(struct Z_wasi_snapshot_preview1_instance_t* system, u32 a, u64 b, u32 c, u32 d) {
  (void)system, (void)a, (void)b, (void)c, (void)d;
  return kBadFile;
}
u32 Z_wasi_snapshot_preview1Z_fd_write(struct Z_wasi_snapshot_preview1_instance_t* system, u32 a, u32 b, u32 c, u32 d) {
  (void)system, (void)a, (void)b, (void)c, (void)d;
  return kBadFile;
}

/* --- Running --- */

enum {
  /* base objects, regular expressions, JSON, proxies, maps and sets, typed arrays, promises (modules need them), big
   * integers, and eval, by which the engine runs any script; no Date, no WeakRef, no performance. */
  kIntrinsics = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8,
  kModule = 1,
  kStackBytes = 200 << 10,
  kMaxJobs = 100
};

static void prepare(Box* box, int64_t fuel) {
  box->allowed = fuel;
  box->engine.fuel = fuel;
  box->engine.depth = 0;
  box->interrupted = false;
}

/* Copies the text of a value out of the box; "" if it is not a string. */
static BoxStatus take(Box* box, uint32_t value, BoxText* answer, BoxStatus status) {
  Z_quickjs_instance_t* engine = &box->engine;
  uint32_t text, length_address, length;
  answer->text = "";
  answer->length = 0;
  if (!Z_quickjsZ_qjs_is_string(engine, value)) return status;
  length_address = Z_quickjsZ_wasm_malloc(engine, 4);
  if (length_address == 0) leave(BOX_TRAP);
  text = Z_quickjsZ_qjs_get_string_len(engine, value, length_address);
  if (text == 0) return status;
  memcpy(&length, at(box, length_address, 4), 4);
  free(box->copy);
  box->copy = malloc((size_t)length + 1);
  if (box->copy == NULL) abort(); /* the host has no memory: not the script's fault */
  memcpy(box->copy, at(box, text, length), length);
  answer->text = box->copy;
  answer->length = length;
  return status;
}

static uint32_t member(Box* box, uint32_t object, const char* name) {
  return Z_quickjsZ_qjs_get_prop_string(&box->engine, object, put(box, name, strlen(name)));
}

static uint32_t call(Box* box, uint32_t function, uint32_t count, const uint32_t* arguments) {
  const uint32_t list = Z_quickjsZ_wasm_malloc(&box->engine, 4 * count + 4);
  uint32_t i;
  if (list == 0) leave(BOX_TRAP);
  for (i = 0; i < count; ++i) write_word(box, list + 4 * i, arguments[i]);
  return Z_quickjsZ_qjs_call(&box->engine, function, Z_quickjsZ_qjs_get_undefined(&box->engine), count, list);
}

/* harness.text of an error; with none, of the place where the script is. */
static BoxStatus describe(Box* box, const uint32_t* error, BoxText* answer) {
  const uint32_t text = call(box, box->text, error == NULL ? 0 : 1, error);
  if (Z_quickjsZ_qjs_is_exception(&box->engine, text)) Z_quickjsZ_qjs_get_exception(&box->engine);
  return take(box, text, answer, box->interrupted ? BOX_FUEL : BOX_THREW);
}

static BoxStatus threw(Box* box, BoxText* answer) {
  const uint32_t error = Z_quickjsZ_qjs_get_exception(&box->engine);
  return describe(box, &error, answer);
}

static uint32_t evaluate(Box* box, const BoxFile* file, uint32_t flags) {
  const uint32_t source = put(box, file->text, file->length);
  const uint32_t name = put(box, file->name, strlen(file->name));
  const uint32_t value = Z_quickjsZ_qjs_eval(&box->engine, source, (u32)file->length, name, flags);
  Z_quickjsZ_wasm_free(&box->engine, source);
  Z_quickjsZ_wasm_free(&box->engine, name);
  return value;
}

static BoxStatus load(Box* box, const BoxFile* harness, const BoxFile* file, BoxText* answer) {
  Z_quickjs_instance_t* engine = &box->engine;
  uint32_t object, promise, exports, loaded, state;
  int jobs;
  object = evaluate(box, harness, 0);
  if (Z_quickjsZ_qjs_is_exception(engine, object)) leave(BOX_TRAP);
  box->call = member(box, object, "call");
  box->text = member(box, object, "text");
  promise = evaluate(box, file, kModule);
  if (Z_quickjsZ_qjs_is_exception(engine, promise)) return threw(box, answer);
  for (jobs = 0; jobs < kMaxJobs && Z_quickjsZ_qjs_is_job_pending(engine); ++jobs) {
    Z_quickjsZ_qjs_execute_pending_job(engine);
  }
  state = Z_quickjsZ_qjs_promise_state(engine, promise);
  exports = Z_quickjsZ_qjs_promise_result(engine, promise);
  if (state == 2) return describe(box, &exports, answer);
  if (state != 1) {
    static const char kWaits[] = "{\"message\":\"the script waits at its top level; a game script cannot wait\"}";
    answer->text = kWaits;
    answer->length = sizeof kWaits - 1;
    return BOX_THREW;
  }
  loaded = call(box, member(box, object, "load"), 1, &exports);
  if (Z_quickjsZ_qjs_is_exception(engine, loaded)) return threw(box, answer);
  Z_quickjsZ_qjs_run_gc(engine);
  return take(box, loaded, answer, BOX_DONE);
}

/* Runs `body` so that a trap ends in its status. */
#define GUARDED(body)                                 \
  do {                                                \
    jmp_buf buffer, *before = current;                \
    volatile BoxStatus status;                        \
    current = &buffer;                                \
    status = (BoxStatus)setjmp(buffer);               \
    if (status == BOX_DONE) status = (body);          \
    current = before;                                 \
    return status;                                    \
  } while (0)

static BoxStatus start(Box* box) {
  Z_quickjs_instantiate(&box->engine, &box->env, &box->system);
  Z_quickjsZ__initialize(&box->engine);
  if (Z_quickjsZ_qjs_init2(&box->engine, kIntrinsics) != 0) return BOX_TRAP;
  Z_quickjsZ_qjs_set_max_stack_size(&box->engine, kStackBytes);
  Z_quickjsZ_qjs_set_module_loader(&box->engine, 1);
  Z_quickjsZ_qjs_set_interrupt_handler(&box->engine, 1);
  return BOX_DONE;
}
static BoxStatus start_guarded(Box* box) { GUARDED(start(box)); }

Box* box_new(void) {
  Box* box = calloc(1, sizeof *box);
  if (box == NULL) return NULL;
  pthread_once(&types_once, init_types);
  box->env.box = box->system.box = box;
  prepare(box, INT64_C(1) << 30);
  if (start_guarded(box) == BOX_DONE) return box;
  box_free(box);
  return NULL;
}

void box_free(Box* box) {
  if (box == NULL) return;
  Z_quickjs_free(&box->engine);
  free(box->copy);
  free(box);
}

BoxStatus box_load(Box* box, const BoxFile* harness, const BoxFile* files, size_t count, int64_t fuel,
                   BoxText* answer) {
  answer->text = "";
  answer->length = 0;
  box->files = files;
  box->file_count = count;
  box->image = 0;
  prepare(box, fuel);
  GUARDED(load(box, harness, files, answer));
}

BoxImage box_image(const Box* box) {
  static atomic_uint_least64_t last;
  const wasm_rt_memory_t* memory = &box->engine.w2c_memory;
  BoxImage image = {atomic_fetch_add(&last, 1) + 1,     memory->data + kBoxStack, memory->size - kBoxStack, memory->pages,
                    box->engine.w2c___stack_pointer, box->call,                box->text};
  return image;
}

/* Most of the memory is never written after it was loaded: to copy all of it takes as long as a short call, and drives
 * what the call needs out of the processor's caches. */
void box_restore(Box* box, const BoxImage* image) {
  wasm_rt_memory_t* memory = &box->engine.w2c_memory;
  const size_t size = kBoxStack + image->length;
  uint8_t *data = memory->data, *notes = data - BOX_PARTS;
  uint8_t *first = notes + kBoxStack / kPart, *end = notes + size / kPart, *note = notes;
  if (box->image != image->id) memset(first, 1, BOX_PARTS - kBoxStack / kPart);
  *first = 1; /* what was written at the end of the stack may have ended here */
  while ((note = memchr(note, 1, (size_t)(end - note))) != NULL) {
    const size_t begin = (size_t)(note - notes) * kPart;
    if (note < first) {
      memset(data + begin, 0, kPart + BOX_SPILL);
    } else if (note + 1 < end) {
      memcpy(data + begin, image->memory + (begin - kBoxStack), kPart + BOX_SPILL);
    } else {
      memcpy(data + begin, image->memory + (begin - kBoxStack), kPart);
      memset(data + size, 0, BOX_SPILL);
    }
    *note++ = 0;
  }
  /* What lies beyond must read as zero when the memory grows again; an engine with a mistake may write there without
   * growing it. Locked memory cannot be given back. */
  if (memchr(end, 1, (size_t)(data - end)) != NULL) {
    if (madvise(data + size, kReserved - size, MADV_DONTNEED) != 0) memset(data + size, 0, kReserved - size);
    memset(end, 0, (size_t)(data - end));
  }
  box->image = image->id;
  memory->size = (uint32_t)size;
  memory->pages = image->pages;
  box->engine.w2c___stack_pointer = image->stack_pointer;
  box->call = image->call;
  box->text = image->text;
  box->files = NULL;
  box->file_count = 0;
}

static BoxStatus run(Box* box, const char* operation, const char* input, size_t length, BoxText* answer) {
  Z_quickjs_instance_t* engine = &box->engine;
  uint32_t arguments[2], result;
  arguments[0] = Z_quickjsZ_qjs_new_string(engine, put(box, operation, strlen(operation)), (u32)strlen(operation));
  arguments[1] = Z_quickjsZ_qjs_new_string(engine, put(box, input, length), (u32)length);
  result = call(box, box->call, 2, arguments);
  if (Z_quickjsZ_qjs_is_exception(engine, result)) return threw(box, answer);
  return take(box, result, answer, BOX_DONE);
}

BoxStatus box_call(Box* box, const char* operation, const char* input, size_t length, int64_t fuel, BoxText* answer) {
  answer->text = "";
  answer->length = 0;
  prepare(box, fuel);
  GUARDED(run(box, operation, input, length, answer));
}

BoxStatus box_where(Box* box, BoxText* answer) {
  const int64_t used = box_used(box);
  answer->text = "";
  answer->length = 0;
  prepare(box, kWhereFuel);
  box->allowed = used + kWhereFuel; /* box_used stays about the script */
  GUARDED(describe(box, NULL, answer));
}

static bool is_zero(const uint8_t* bytes, size_t count) {
  return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

bool box_is(const Box* box, const BoxImage* image) {
  const wasm_rt_memory_t* memory = &box->engine.w2c_memory;
  const size_t size = kBoxStack + image->length;
  return memory->size == size && memory->pages == image->pages &&
         box->engine.w2c___stack_pointer == image->stack_pointer && is_zero(memory->data, kBoxStack) &&
         memcmp(memory->data + kBoxStack, image->memory, image->length) == 0 &&
         is_zero(memory->data + size, kReserved - size);
}

uint64_t box_image_id(const Box* box) { return box->image; }
int64_t box_used(const Box* box) { return box->allowed - box->engine.fuel; }
size_t box_memory(const Box* box) { return box->engine.w2c_memory.size; }
