/*
 * engine_codecache.c - event=codecache: how full the code heaps of the VM are, and when one was
 * full.
 *
 * beat() reads the VM's own numbers (hotspot/code_heaps.h) by guarded loads, so nothing of the VM
 * is stopped or waited for. Each second it reads whether a heap was full, which takes a word for
 * each heap; each codecache=TIME it goes through the blocks of all heaps. docs/codecache.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "hotspot/code_heaps.h"
#include "hotspot/hotspot_self.h"
#include "hotspot/target.h"
#include "options/options_codecache.h"
#include "profile/sums.h"
#include "safe/clock.h"

extern const struct engine engine_codecache;

/* The values of an event, in the order of its kind. */
enum { LOOKS, USED, RESERVED, FULL };

static struct {
    struct target target;
    bool can_look;
    struct code_heaps heaps;
    uint64_t next_ns; /* beat() does not look before */
    /* The VM's counts when the engine started, or at the last look that could believe them. */
    uint32_t full[HS_HEAP_MAX];
} cache;

static int prepare(const struct options *o)
{
    return 0;
}

static int start(struct agent *a, JNIEnv *env)
{
    const char *missing = NULL;
    struct hotspot *vm;
    int error = hotspot_self_open(&vm, &missing);
    if (error == 0)
        error = target_of_vm(vm, &cache.target);
    cache.can_look = error == 0;
    if (cache.can_look && code_heaps_init(&cache.heaps, &cache.target) == 0) {
        missing = "CodeHeap";
        target_close(&cache.target);
        cache.can_look = false;
    }
    if (!cache.can_look) {
        log_error("event=codecache: nothing is measured: this VM cannot be read (%s)",
                  missing ? missing : err_text(error));
        return E_UNSUPPORTED;
    }
    struct code_heaps_row rows[HS_HEAP_MAX];
    uint32_t count_of = code_heaps_look(&cache.heaps, rows);
    for (uint32_t i = 0; i < count_of; i++)
        cache.full[rows[i].heap] = rows[i].full_count;
    return 0;
}

/* The recording gets this event unless its settings have turned it off. */
static void count_for_all(struct agent *a, struct event *e, const char *name)
{
    struct recording *r;
    e->trace = profile_trace(a->profile, 0, NULL, 0);
    for (int at = 0; e->trace && (r = engine_recording(a, &engine_codecache, &at)) != NULL;)
        if (!options_group_is_off(&r->options, &options_codecache, name))
            recording_count(a, r, e);
}

static void count(struct agent *a, const struct code_heaps_row *row, uint64_t capacity,
                  bool is_full)
{
    uint64_t reserved = row->reserved_top - row->start;
    const struct event_code_heap details = {
        .start = row->start,
        .committed_top = row->committed_top,
        .reserved_top = row->reserved_top,
        .free_bytes = reserved > row->sum.bytes ? reserved - row->sum.bytes : 0,
        .entries = row->sum.entries,
        .methods = row->sum.methods,
        .adapters = row->sum.adapters,
        .is_full = is_full,
        .full_count = row->full_count,
        .capacity_bytes = capacity,
    };
    struct event e = {.kind = KIND_CODE_CACHE,
                      .text = profile_cstring(a->profile, row->name),
                      .time_ns = clock_monotonic_ns(),
                      .of_vm.code_heap = &details};
    if (is_full) {
        e.value[FULL] = 1;
    } else {
        e.value[LOOKS] = 1;
        e.value[USED] = row->sum.bytes;
        e.value[RESERVED] = reserved;
    }
    count_for_all(a, &e, is_full ? "jdk.CodeCacheFull" : "jdk.CodeCacheStatistics");
}

/* Whether a heap has been full since the last look. */
static bool was_full(void)
{
    bool is_more = false;
    for (uint32_t i = 0; i < cache.heaps.count; i++)
        is_more = is_more || code_heaps_full(&cache.heaps, i) > (int64_t)cache.full[i];
    return is_more;
}

/* Look at all heaps. `with_levels`: tell the levels, too, not only which heap was full. Needs the
 * agent's lock. */
static void look(struct agent *a, bool with_levels)
{
    struct code_heaps_row rows[HS_HEAP_MAX];
    uint64_t capacity = 0;
    if (!cache.can_look)
        return;
    uint32_t count_of = code_heaps_look(&cache.heaps, rows);
    for (uint32_t i = 0; i < count_of; i++)
        capacity += rows[i].reserved_top - rows[i].start;
    for (uint32_t i = 0; i < count_of; i++) {
        uint32_t *before = &cache.full[rows[i].heap];
        if (with_levels)
            count(a, &rows[i], capacity, false);
        if (!rows[i].knows_full)
            continue;
        if (rows[i].full_count > *before)
            count(a, &rows[i], capacity, true);
        *before = rows[i].full_count;
    }
    if (with_levels)
        cache.next_ns = clock_monotonic_ns() + options_codecache_of(&a->options)->interval_ns;
}

/* Half a beat early is better than nearly a beat late. */
static void beat(struct agent *a, JNIEnv *env)
{
    bool is_time = clock_monotonic_ns() + NS_PER_S / 2 >= cache.next_ns;
    if (cache.can_look && (is_time || was_full()))
        look(a, is_time);
}

/* Each recording has the levels of the first beat after its beginning, and those of its end. What
 * was full before it does not belong to it. */
static int join(struct agent *a, struct recording *r)
{
    look(a, false);
    cache.next_ns = 0;
    return 0;
}

static int retune(struct agent *a)
{
    uint64_t next_ns = clock_monotonic_ns() + options_codecache_of(&a->options)->interval_ns;
    if (next_ns < cache.next_ns)
        cache.next_ns = next_ns;
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    look(a, true);
    recording_table(r, KIND_CODE_CACHE);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const uint64_t *total = tally_sums(r->tally, KIND_CODE_CACHE)->total;
    snprintf(ret, ENGINE_STATUS, "code_heap_looks=%llu code_heap_full=%llu",
             (unsigned long long)total[LOOKS], (unsigned long long)total[FULL]);
}

static int release(struct agent *a, JNIEnv *env)
{
    if (cache.can_look)
        target_close(&cache.target);
    cache.can_look = false;
    cache.next_ns = 0;
    return 0;
}

const struct engine engine_codecache = {
    .name = "codecache",
    .help = "event=codecache: how full the parts of the code cache are",
    .dumping = " code cache ...",
    .begun = "code cache",
    .options = &options_codecache,
    .prepare = prepare,
    .start = start,
    .beat = beat,
    .sharing = {.join = join, .retune = retune},
    .dump = dump,
    .status = status,
    .release = release,
};
