/*
 * deopt_look.h - looks at all compiled code of the VM, and finds what has changed since the last
 * look: traps of methods, and code that was given up.
 *
 * The VM has no event for this, so nothing of the VM is waited for or stopped: a look goes through
 * the code cache, as `hprof perf-map` does, and reads the trap history of each method that compiled
 * code is made of, inlined ones included. All reads are guarded: memory that the VM frees meanwhile
 * makes a look miss something, and a method that has come in another's place is told by its
 * ConstMethod and by counts that have become less.
 * Context: any, not signal; one thread at a time. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "hotspot/nmethods.h"
#include "hotspot/target.h"
#include "hotspot/trap_history.h"

enum { DEOPT_LOOK_MAX = 1 << 17 }; /* pieces of code, and methods, that a look knows at most */

/** What a look has found. */
struct deopt_look_found {
    uint64_t method;    /* Method* */
    const char *reason; /* of the traps; NULL: code was given up */
    uint64_t traps;     /* since the last look; 0: code was given up */
    /* of the code that was given up */
    uint32_t id;
    uint8_t level;
    bool is_osr;
};

typedef void deopt_look_tell(void *with, const struct deopt_look_found *found);

struct deopt_look_code;
struct deopt_look_method;

struct deopt_look {
    struct target target;
    int32_t shape_at; /* offset of Klass::_layout_helper; HS_NONE: there is no such field */
    struct nmethods nmethods;
    struct trap_history history;
    const char *no_traps; /* why traps are not seen; NULL: they are */
    /* the code of the last look, and that of the present one: hash tables */
    struct deopt_look_code *code, *code_now;
    uint32_t code_slots, code_now_slots, code_now_count;
    struct deopt_look_method *methods; /* a hash table by address */
    uint32_t method_slots, method_count;
    uint64_t unwatched; /* methods and pieces of code that found no room */
    bool is_first;
    deopt_look_tell *tell;
    void *with;
};

/** Open the VM of this process. Errors: those of target_open_self(), with *ret_missing. Owner:
 * deopt_look_close(), only after success. */
int deopt_look_open(struct deopt_look *l, const char **ret_missing);
void deopt_look_close(struct deopt_look *l);
/** Take what is there as known. Nothing is told. */
void deopt_look_begin(struct deopt_look *l);
/** Tell what has changed since the last look. */
void deopt_look_again(struct deopt_look *l, deopt_look_tell *tell, void *with);
