/*
 * jfr_pools.h - the constants of a JFR chunk. These are the rows of a model that events of the
 * chunk name. A chunk has each of them once, in a checkpoint event.
 *
 * To write an event, ask for the key of each row that the event names. The constants must be in a
 * checkpoint of the same chunk, before or after the event, when the event is read. Keys are made
 * from the row numbers of the model. So no key means two things in one file, which matters because
 * readers keep constants from chunk to chunk. The memory is limited by the budget of the arena,
 * from which each row takes two bits. When the budget is used up a key is 0, which readers show as
 * nothing. Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "profile/ids.h"
#include "profile/rowset.h"

struct jfr_bytes;
struct profile;

/** The pools whose constants are rows of the model. */
enum jfr_pools_kind {
    JFR_POOLS_CONTEXT,
    JFR_POOLS_STACK,
    JFR_POOLS_METHOD,
    JFR_POOLS_LOADER, /* class loaders, whose rows are strings */
    JFR_POOLS_CLASS,
    JFR_POOLS_PACKAGE,
    JFR_POOLS_SYMBOL,
    JFR_POOLS_THREAD,
    JFR_POOLS_GROUP,
    JFR_POOLS_KINDS,
};

/** States of threads. The converter of async-profiler takes only samples with the state ON_CPU for
 * samples of CPU time, and samples with the other two states for samples of wall-clock time. */
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
    struct rowset libraries; /* rows of classes that are in fact names of libraries */
    uint32_t keys;           /* number of fields that a context of the chunk has */
    bool has_statics;        /* the chunk has the pools that never change */
    bool has_news;           /* a constant is wanted that is not written yet */
    uint64_t lost;           /* keys that found no memory */
};

void jfr_pools_init(struct jfr_pools *p, struct profile *profile, size_t budget);
void jfr_pools_done(struct jfr_pools *p);
/** A new chunk begins and has no constants. Its contexts have the first `keys` keys of the
 * model. */
void jfr_pools_begin_chunk(struct jfr_pools *p, uint32_t keys);
/** The key of a stack; 0: an empty stack. `is_truncated`: the real stack had more frames. */
uint64_t jfr_pools_stack(struct jfr_pools *p, trace_id trace, bool is_truncated);
/** The keys of a context, a class, a method and a thread; 0 for 0. */
uint64_t jfr_pools_context(struct jfr_pools *p, context_id context);
uint64_t jfr_pools_class(struct jfr_pools *p, class_id klass);
uint64_t jfr_pools_method(struct jfr_pools *p, method_id method);
uint64_t jfr_pools_thread(struct jfr_pools *p, thread_id thread);
/** The key of a class loader that is known by a text; 0 for 0. */
uint64_t jfr_pools_loader(struct jfr_pools *p, string_id name);
/** Whether there are constants to write. */
bool jfr_pools_has_news(const struct jfr_pools *p);
/**
 * Writes a checkpoint with the constants that are not written yet, as many as find room. `before`:
 * how many bytes before this checkpoint the last one of the chunk begins; 0: there is none. Call it
 * again while jfr_pools_has_news().
 */
void jfr_pools_write(struct jfr_pools *p, struct jfr_bytes *b, uint64_t time_ns, uint64_t before);
/** Checkpoints of this chunk did not get into the file: write all wanted constants again. */
void jfr_pools_forget(struct jfr_pools *p);
