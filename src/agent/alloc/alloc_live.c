/*
 * alloc_live.c - see alloc_live.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_live.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/alloc/alloc_share.h"
#include "agent/alloc/alloc_watch.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/expo.h"
#include "format/writer_sites.h"
#include "vm/vm_heap.h"
#include "vm/vm_pause.h"
#include "vm/vmself.h"

/* The live objects of one site. Estimates are sums of 1/p: see alloc_table.c. */
struct live {
    double objects, bytes, objects_variance, bytes_variance;
};

struct walk {
    const struct recording *recording; /* only objects that were made for this recording count */
    struct live *rows;                 /* indexed by the number of the row */
    uint32_t count;
};

/* Runs in the VM's pause, so it calls neither JVM TI nor malloc. Context: gc. */
static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *user)
{
    struct walk *w = user;
    uint32_t number = alloc_share_row(*tag);
    struct live *row;
    double p, variance;
    if (!number || number > w->count || !alloc_share_has(alloc_shares(), w->recording->place, *tag))
        return JVMTI_VISIT_OBJECTS;
    row = w->rows + number;
    p = alloc_probability((uint64_t)size, length);
    variance = (1 - p) / (p * p);
    row->objects += 1 / p;
    row->bytes += (double)size / p;
    row->objects_variance += variance;
    row->bytes_variance += (double)size * (double)size * variance;
    return JVMTI_VISIT_OBJECTS;
}

static int code_of(jvmtiError error)
{
    return error == JVMTI_ERROR_NONE          ? 0
           : error == JVMTI_ERROR_WRONG_PHASE ? E_ENDING
                                              : E_UNSUPPORTED;
}

static int walk_heap(struct walk *w)
{
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    return code_of(vm_heap_iterate(alloc_env(), JVMTI_HEAP_FILTER_UNTAGGED, &callbacks, w));
}

/* The walk meets an object once for each reference to it. The tag of an object that has been
 * counted is made negative, so that the object is counted only once. */
static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong from_class_tag, jlong size, jlong *tag,
                                 jlong *from_tag, jint length, void *user)
{
    on_object(class_tag, size, tag, length, user);
    if (*tag > 0)
        *tag = -*tag;
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL restore_tag(jlong class_tag, jlong size, jlong *tag, jint length, void *user)
{
    if (*tag < 0)
        *tag = -*tag;
    return JVMTI_VISIT_OBJECTS;
}

/* Counts the objects that can be reached. Used if no collection can be forced. */
static int walk_references(struct walk *w)
{
    static const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference},
                                    restoring = {.heap_iteration_callback = restore_tag};
    jvmtiEnv *jvmti = alloc_env();
    jvmtiError error = vm_heap_follow(jvmti, JVMTI_HEAP_FILTER_UNTAGGED, NULL, &callbacks, w);
    vm_heap_iterate(jvmti, JVMTI_HEAP_FILTER_UNTAGGED, &restoring, NULL);
    return code_of(error);
}

/*
 * When the VM ends, the threads of ZGC and Shenandoah have already stopped. A thread that asks for
 * a collection then waits for ever. Source: java.cpp, before_exit().
 */
static bool collector_is_gone(const struct agent *a)
{
    return a->dying && (vmself_is_on("UseZGC") || vmself_is_on("UseShenandoahGC"));
}

static int find_live(struct agent *a, struct walk *w, uint32_t flags)
{
    if (!(flags & WRITER_SITES_COLLECTED))
        return walk_heap(w);
    if (collector_is_gone(a))
        return walk_references(w);
    vm_pause_collect(a->vm.main);
    return walk_heap(w);
}

static uint64_t rounded(double v)
{
    return (uint64_t)(v + 0.5);
}

/* Makes the row of a site from its counters and from what the walk found. */
static struct writer_sites_row row_of(const struct alloc_row *r, const struct alloc_counts *c,
                                      const struct live *l, bool is_sampled)
{
    struct writer_sites_row row = {
        .site = {.kind = KIND_SITE,
                 .klass = r->klass,
                 .trace = r->trace,
                 .value = {[WRITER_SITES_LIVE_BYTES] = rounded(l->bytes),
                           [WRITER_SITES_LIVE_OBJECTS] = rounded(l->objects),
                           [WRITER_SITES_BYTES] = c->bytes,
                           [WRITER_SITES_OBJECTS] = c->objects}},
        .errors = {{[WRITER_SITES_LIVE_BYTES] = expo_sqrt(l->bytes_variance),
                    [WRITER_SITES_LIVE_OBJECTS] = expo_sqrt(l->objects_variance),
                    [WRITER_SITES_BYTES] = expo_sqrt(c->bytes_variance),
                    [WRITER_SITES_OBJECTS] = expo_sqrt(c->objects_variance)}},
    };
    uint64_t *value = row.site.value;

    /* After an attach, each thread may allocate up to one buffer and one sample unseen, but clones
     * among these objects have a tag. So more objects may live than were counted; each object that
     * lives was allocated. Bytes are corrected separately, because a few large arrays may have most
     * of them. */
    if (value[WRITER_SITES_OBJECTS] < value[WRITER_SITES_LIVE_OBJECTS])
        value[WRITER_SITES_OBJECTS] = value[WRITER_SITES_LIVE_OBJECTS];
    if (value[WRITER_SITES_BYTES] < value[WRITER_SITES_LIVE_BYTES])
        value[WRITER_SITES_BYTES] = value[WRITER_SITES_LIVE_BYTES];
    if (is_sampled) {
        value[WRITER_SITES_BYTES] = rounded(c->bytes_estimate);
        value[WRITER_SITES_OBJECTS] = rounded(c->objects_estimate);
    }
    return row;
}

/* The squares of the errors of independent sums add up. */
static void add_error(double *total, double error)
{
    *total = expo_sqrt(*total * *total + error * error);
}

static void add_total(struct writer_sites *t, const struct writer_sites_row *row)
{
    for (int i = 0; i < KIND_VALUES; i++) {
        t->total[i] += row->site.value[i];
        add_error(&t->total_errors.value[i], row->errors.value[i]);
    }
}

/* The flag `changed` is read before the counters. An object that comes in between is in the
 * counters now, and its site is listed again in the next table. */
static void fill(struct writer_sites *t, const struct walk *w)
{
    int place = w->recording->place;
    uint32_t bit = 1u << place;
    for (uint32_t i = 1; i <= w->count; i++) {
        struct alloc_row *r = alloc_table()->rows + i;
        uint32_t changed = atomic_fetch_and(&r->changed, ~bit) & bit;
        struct alloc_counts counts = alloc_share_counts(alloc_shares(), place, i);
        struct writer_sites_row row = row_of(r, &counts, w->rows + i, t->interval != 0);
        row.id = i;
        row.has_changed = changed;
        add_total(t, &row);
        if (row.site.value[WRITER_SITES_OBJECTS] != 0 ||
            row.site.value[WRITER_SITES_LIVE_OBJECTS] != 0)
            t->rows[t->count++] = row;
    }
}

/* ---- a recording with shorter traces than others, or without threads */

static int by_site(const void *left, const void *right)
{
    const struct writer_sites_row *x = left, *y = right;
    if (x->site.klass != y->site.klass)
        return x->site.klass < y->site.klass ? -1 : 1;
    if (x->site.trace != y->site.trace)
        return x->site.trace < y->site.trace ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void add_row(struct writer_sites_row *to, const struct writer_sites_row *row)
{
    to->has_changed |= row->has_changed;
    for (int i = 0; i < KIND_VALUES; i++) {
        to->site.value[i] += row->site.value[i];
        add_error(&to->errors.value[i], row->errors.value[i]);
    }
}

/* Sites that the recording does not distinguish become one row, which has the id of the first of
 * them. For example, a recording with fewer frames may have one trace for two sites. */
static void shorten(struct agent *a, const struct recording *r, struct writer_sites *t)
{
    uint32_t kept = 0;
    bool is_cut;
    if (r->options.depth >= a->options.depth && r->options.thread == a->options.thread)
        return;
    for (uint32_t i = 0; i < t->count; i++) {
        trace_id trace = recording_trace(a, r, t->rows[i].site.trace, &is_cut);
        if (trace)
            t->rows[i].site.trace = trace;
    }
    qsort(t->rows, t->count, sizeof(*t->rows), by_site);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct event *last = kept > 0 ? &t->rows[kept - 1].site : NULL,
                           *site = &t->rows[i].site;
        if (last && last->klass == site->klass && last->trace == site->trace)
            add_row(&t->rows[kept - 1], &t->rows[i]);
        else
            t->rows[kept++] = t->rows[i];
    }
    t->count = kept;
}

static void keep_changes(struct writer_sites *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].has_changed)
            t->rows[kept++] = t->rows[i];
    t->count = kept;
}

void alloc_live_keep_changed(const struct recording *r, const struct writer_sites *t, uint32_t sent)
{
    for (uint32_t i = sent; i < t->count; i++) {
        if (t->rows[i].has_changed)
            atomic_fetch_or(&alloc_table()->rows[t->rows[i].id].changed, 1u << r->place);
    }
}

int alloc_live_table(struct agent *a, struct recording *r, struct writer_sites *ret)
{
    uint32_t count = atomic_load(&alloc_table()->row_count);
    struct walk w = {.recording = r, .count = count};
    int error;
    ret->interval = alloc_interval();
    if (ret->flags & WRITER_SITES_COLLECTED && !collector_is_gone(a) && alloc_watch_no_collection())
        ret->flags &= ~(uint32_t)WRITER_SITES_COLLECTED;
    ret->rows = calloc(count + 1, sizeof(*ret->rows));
    w.rows = calloc(count + 1, sizeof(*w.rows));
    error = ret->rows && w.rows ? 0 : -ENOMEM;
    if (!error)
        error = find_live(a, &w, ret->flags);
    if (!error)
        fill(ret, &w);
    if (!error)
        shorten(a, r, ret);
    if (!error && ret->flags & WRITER_SITES_INCREMENTAL)
        keep_changes(ret);
    free(w.rows);
    return error;
}
