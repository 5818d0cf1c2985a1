/*
 * jfr_pools.h - the constants of a JFR chunk: of a model's rows, those that events of the chunk
 * name, written once in a chunk as checkpoint events.
 *
 * Who writes an event asks for the key of what it names; before the event can be read a checkpoint
 * must follow or precede it in the chunk. Keys are made of the model's row numbers, so none means
 * two things in one file: readers keep constants from chunk to chunk. Bounded by the arena's budget
 * for two bits a row; where it is used up a key is 0, which readers show as nothing.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "profile/ids.h"
#include "profile/rowset.h"

struct jfr_bytes;
struct profile;

/** The pools whose rows are the model's. */
enum jfr_pools_kind {
    JFR_POOLS_CONTEXT,
    JFR_POOLS_STACK,
    JFR_POOLS_METHOD,
    JFR_POOLS_CLASS,
    JFR_POOLS_LOADER, /* of classes, by name: rows are strings */
    JFR_POOLS_PACKAGE,
    JFR_POOLS_SYMBOL,
    JFR_POOLS_THREAD,
    JFR_POOLS_GROUP,
    JFR_POOLS_KINDS,
};

/** Of threads. The converter of async-profiler takes samples of CPU time by the state ON_CPU alone,
 * and samples of the other two for those of the wall clock. */
enum jfr_pools_state {
    JFR_POOLS_NO_STATE,
    JFR_POOLS_RUNNABLE,
    JFR_POOLS_SLEEPING,
    JFR_POOLS_ON_CPU,
};

enum jfr_pools_when { JFR_POOLS_NO_WHEN, JFR_POOLS_BEFORE_GC, JFR_POOLS_AFTER_GC };

struct jfr_pools {
    struct profile *profile; /* borrowed */
    struct arena arena;
    struct rowset wanted[JFR_POOLS_KINDS], written[JFR_POOLS_KINDS];
    struct rowset libraries; /* classes that are none: names of files */
    uint32_t keys;           /* so many fields a context of the chunk has */
    bool has_statics;        /* the chunk has the pools that are always the same */
    bool has_news;           /* something is wanted that is not written */
    uint64_t lost;           /* keys that found no memory */
};

void jfr_pools_init(struct jfr_pools *p, struct profile *profile, size_t budget);
void jfr_pools_done(struct jfr_pools *p);
/** A new chunk begins: it has no constants; its contexts have the first `keys` keys of the model.
 */
void jfr_pools_begin_chunk(struct jfr_pools *p, uint32_t keys);
/** The key of a stack, 0 for an empty one; `is_truncated`: it had more frames. */
uint64_t jfr_pools_stack(struct jfr_pools *p, trace_id trace, bool is_truncated);
/** The keys of a context, a class, a method and a thread; 0 for 0. */
uint64_t jfr_pools_context(struct jfr_pools *p, context_id context);
uint64_t jfr_pools_class(struct jfr_pools *p, class_id klass);
uint64_t jfr_pools_method(struct jfr_pools *p, method_id method);
uint64_t jfr_pools_thread(struct jfr_pools *p, thread_id thread);
/** The key of a class loader that is known by a text; 0 for 0. */
uint64_t jfr_pools_loader(struct jfr_pools *p, string_id name);
/** Whether there is anything to write. */
bool jfr_pools_has_news(const struct jfr_pools *p);
/**
 * A checkpoint of what is not written yet, as much as finds room. `before`: how far in front of it
 * the chunk's last one begins, 0: none. Call again while jfr_pools_has_news().
 */
void jfr_pools_write(struct jfr_pools *p, struct jfr_bytes *b, uint64_t time_ns, uint64_t before);
/** Checkpoints of this chunk did not get to the file: all that it wants is to be written again. */
void jfr_pools_forget(struct jfr_pools *p);
