/* Box: one instance of the JavaScript engine in memory of its own. Plain C, because a trap leaves it by longjmp.
 *
 * The engine reaches nothing outside: its imports answer with a clock that stands still, fixed randomness, and no
 * files. Whatever a script does ends in one of the statuses below. A box serves one thread at a time, any thread; after
 * a status other than BOX_DONE and BOX_THREW it is only good for box_where, box_restore and box_free. */
#ifndef OPENSEAT_GAMES_SCRIPT_ENGINE_BOX_H
#define OPENSEAT_GAMES_SCRIPT_ENGINE_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): the names of C. */

typedef struct Box Box;

typedef enum {
  BOX_DONE,     /* the text is the result */
  BOX_THREW,    /* the text is the error with its stack; it may be empty */
  BOX_FUEL,     /* used more steps than allowed; the text says where, if it is not empty */
  BOX_TOO_DEEP, /* calls nested too deeply */
  BOX_TRAP      /* the engine stopped: a wrong address, an impossible conversion */
} BoxStatus;

/* Valid until the next call of the box. Not necessarily UTF-8. */
typedef struct {
  const char* text;
  size_t length;
} BoxText;

/* A file of a script: the names are relative to the script's folder ("game.js", "parts/lines.js"). */
typedef struct {
  const char* name;
  const char* text;
  size_t length;
} BoxFile;

/* What a box must contain to be in the same state again. */
typedef struct {
  uint64_t id;           /* of no other image */
  const uint8_t* memory; /* from kBoxStack to the end */
  size_t length;
  uint32_t pages;
  uint32_t stack_pointer;
  uint32_t call, text; /* handles */
} BoxImage;

/* The lowest part of the memory is the engine's own stack: zeros in a box that was restored. */
enum { kBoxStack = 1 << 20, kBoxPage = 1 << 16 };

/* A fresh engine with no script, whose memory may grow to 16 MB; NULL if there is no memory. */
Box* box_new(void);
void box_free(Box* box);

/* Runs harness, a script whose value is an object with the functions load, call and text; then the module files[0],
 * which may import the other files, and harness.load with its exports. From then on box_call may follow. */
BoxStatus box_load(Box* box, const BoxFile* harness, const BoxFile* files, size_t count, int64_t fuel, BoxText* answer);
/* Points into the box; valid until its next call. */
BoxImage box_image(const Box* box);
/* Makes the box as it was when the image was taken, of this or another box. It takes less time for a box that had this
 * image before: then only what was written since is copied. */
void box_restore(Box* box, const BoxImage* image);
/* The id of the image that the box was restored to last; 0: none. */
uint64_t box_image_id(const Box* box);
/* For tests: whether every byte of the memory is as it is once box_restore made it so in a fresh box. */
bool box_is(const Box* box, const BoxImage* image);

/* harness.call(operation, input), which returns a text. */
BoxStatus box_call(Box* box, const char* operation, const char* input, size_t length, int64_t fuel, BoxText* answer);
/* After BOX_FUEL without a text: where the script was, as harness.text says without an argument (a stack of calls):
 * BOX_THREW with the text. */
BoxStatus box_where(Box* box, BoxText* answer);

/* Steps that the last box_load or box_call used. */
int64_t box_used(const Box* box);
/* Bytes of memory that the box has now. */
size_t box_memory(const Box* box);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
