/*
 * metric_counters.c - see metric_counters.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_counters.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "jvm/heap_counters.h"
#include "jvm/stat_value.h"
#include "metrics/metric.h"
#include "metrics/metric_vm.h"
#include "perfdata/perfdata.h"
#include "safe/release.h"

static double value(const struct perfdata *p, const char *expression)
{
    return stat_value_number(p, expression, false);
}

/* ---- collectors and pools
 *
 * The counters name each kind of pauses by a text of its own, which differs between releases. */

enum family { SERIAL, PARALLEL, G1, CMS, SHENANDOAH, ZGC, UNKNOWN };

static const char *const minor = "end of minor GC", *const major = "end of major GC",
                         *const pause = "end of GC pause",
                         *const concurrent = "end of concurrent GC pause";

/* sun.gc.collector.N.name has these words: the first row that fits counts. */
static const struct collector {
    const char *word, *other; /* both are in the name; "": any */
    enum family family;
    const char *name;          /* of the GarbageCollectorMXBean */
    const char *const *action; /* of the notification that the JDK sends */
} collectors[] = {
    {"PCopy", "", CMS, "ParNew", &minor},
    {"Copy", "", SERIAL, "Copy", &minor},
    {"Serial", "young", SERIAL, "Copy", &minor},
    {"MSC", "", SERIAL, "MarkSweepCompact", &major},
    {"Serial", "full", SERIAL, "MarkSweepCompact", &major},
    {"CMS stop-the-world phases", "", CMS, "ConcurrentMarkSweep", &concurrent},
    {"CMS", "", CMS, "ConcurrentMarkSweep", &major},
    {"PSScavenge", "", PARALLEL, "PS Scavenge", &minor},
    {"Parallel", "young", PARALLEL, "PS Scavenge", &minor},
    {"PSMarkSweep", "", PARALLEL, "PS MarkSweep", &major},
    {"PSParallelCompact", "", PARALLEL, "PS MarkSweep", &major},
    {"Parallel", "full", PARALLEL, "PS MarkSweep", &major},
    {"G1", "incremental", G1, "G1 Young Generation", &minor},
    {"G1", "young", G1, "G1 Young Generation", &minor},
    {"G1", "full", G1, "G1 Old Generation", &major},
    {"G1", "", G1, "G1 Concurrent GC", &concurrent},
    {"Shenandoah", "", SHENANDOAH, "Shenandoah Pauses", &pause},
    {"Z", "minor", ZGC, "ZGC Minor Pauses", &pause},
    {"Z", "major", ZGC, "ZGC Major Pauses", &pause},
    {"Z", "", ZGC, "ZGC Pauses", &pause},
};

enum { SLOTS = 3, NAME_BYTES = 128 };

static const struct collector *collector_of(const char *name)
{
    for (size_t i = 0; i < sizeof(collectors) / sizeof(*collectors); i++)
        if (strstr(name, collectors[i].word) && strstr(name, collectors[i].other))
            return &collectors[i];
    return NULL;
}

/* Copies a text of the counters. Returns false if there is none. */
static bool text_of(const struct perfdata *p, const char *name, char text[NAME_BYTES])
{
    size_t len;
    const char *at = perfdata_text_of(p, name, &len);
    if (!at || len == 0)
        return false;
    snprintf(text, NAME_BYTES, "%.*s", (int)len, at);
    return true;
}

static enum family family_of(const struct perfdata *p)
{
    char name[64], text[NAME_BYTES];
    for (int slot = 0; slot < SLOTS; slot++) {
        snprintf(name, sizeof(name), "sun.gc.collector.%d.name", slot);
        const struct collector *row = text_of(p, name, text) ? collector_of(text) : NULL;
        if (row)
            return row->family;
    }
    return UNKNOWN;
}

static void read_collectors(struct metric_set *s, const struct perfdata *p)
{
    char name[64], text[NAME_BYTES], time[16], count[24];
    for (int slot = 0; slot < SLOTS; slot++) {
        snprintf(name, sizeof(name), "sun.gc.collector.%d.name", slot);
        snprintf(time, sizeof(time), "C%d.time/HZ", slot);
        snprintf(count, sizeof(count), "C%d.invocations", slot);
        double pauses = value(p, count);
        if (!text_of(p, name, text) || isnan(pauses) || pauses < 0)
            continue;
        const struct collector *row = collector_of(text);
        metric_set_add(s,
                       (struct metric_sample){
                           .id = METRIC_GC_DURATION,
                           .value = value(p, time),
                           .count = (uint64_t)pauses,
                           .labels = {{"jvm.gc.name", row ? row->name : metric_set_text(s, text)},
                                      {row ? "jvm.gc.action" : NULL, row ? *row->action : ""}}});
    }
    /* Collectors that do not count it leave it at 0. */
    double cpu_s = value(p, "sun.threads.total_gc_cpu_time/HZ");
    metric_set_value(s, METRIC_GC_CPU_TIME, cpu_s > 0 ? cpu_s : NAN);
}

/* ---- pools */

/* How the counters of a pool move. */
enum fresh {
    ALWAYS,  /* the VM changes them while the program runs */
    SAMPLED, /* the VM samples them, up to the release that has sun.os.hrt.ticks */
    AT_GC,   /* the VM changes them when it has collected */
    SIZE_TOO /* so it does with the size of the pool, which changes meanwhile */
};

static const struct pool {
    enum family family;
    const char *name;
    int space; /* in the memory; -1: the whole heap, METRIC_SPACES: it is not there */
    enum fresh fresh;
    const char *used, *committed, *limit; /* expressions of stat_value.h; "": none */
} pools[] = {
    {SERIAL, "Eden Space", METRIC_EDEN, SAMPLED, "EDEN.used", "EDEN.capacity", "EDEN.maxCapacity"},
    {SERIAL, "Survivor Space", METRIC_SURVIVOR, SAMPLED, "S0.used+S1.used",
     "S0.capacity+S1.capacity", "S0.maxCapacity+S1.maxCapacity"},
    {SERIAL, "Tenured Gen", METRIC_OLD, SAMPLED, "OLD.used", "OLD.capacity", "OLD.maxCapacity"},
    {PARALLEL, "PS Eden Space", METRIC_EDEN, SAMPLED, "EDEN.used", "EDEN.capacity",
     "EDEN.maxCapacity"},
    {PARALLEL, "PS Survivor Space", METRIC_SURVIVOR, SAMPLED, "S0.used+S1.used",
     "S0.capacity+S1.capacity", "S0.maxCapacity+S1.maxCapacity"},
    {PARALLEL, "PS Old Gen", METRIC_OLD, SAMPLED, "OLD.used", "OLD.capacity", "OLD.maxCapacity"},
    {CMS, "Par Eden Space", METRIC_SPACES, SAMPLED, "EDEN.used", "EDEN.capacity",
     "EDEN.maxCapacity"},
    {CMS, "Par Survivor Space", METRIC_SPACES, SAMPLED, "S0.used+S1.used",
     "S0.capacity+S1.capacity", "S0.maxCapacity+S1.maxCapacity"},
    {CMS, "CMS Old Gen", METRIC_SPACES, SAMPLED, "OLD.used", "OLD.capacity", "OLD.maxCapacity"},
    {G1, "G1 Eden Space", METRIC_SPACES, ALWAYS, "EDEN.used", "EDEN.capacity", ""},
    {G1, "G1 Survivor Space", METRIC_SPACES, ALWAYS, "S0.used+S1.used", "S0.capacity+S1.capacity",
     ""},
    {G1, "G1 Old Gen", METRIC_SPACES, AT_GC, "OLD.used", "OLD.capacity", "OLD.maxCapacity"},
    {SHENANDOAH, "Shenandoah", -1, SIZE_TOO, "OLD.used", "OLD.capacity", "OLD.maxCapacity"},
    /* with one generation, and with two */
    {ZGC, "ZHeap", -1, SIZE_TOO, "OLD.used", "OLD.capacity", "OLD.maxCapacity"},
    {ZGC, "ZGC Young Generation", METRIC_SPACES, SIZE_TOO, "EDEN.used", "EDEN.capacity", ""},
    {ZGC, "ZGC Old Generation", METRIC_SPACES, SIZE_TOO, "OLD.used", "OLD.capacity",
     "OLD.maxCapacity"},
};

static void add_pool(struct metric_set *s, enum metric_id id, double bytes, const char *pool,
                     const char *type, bool is_old)
{
    metric_set_add(s, (struct metric_sample){
                          .id = id,
                          .value = bytes,
                          .labels = {{"jvm.memory.type", type},
                                     {"jvm.memory.pool.name", pool},
                                     {is_old ? "hprof.as_of" : NULL, is_old ? "last_gc" : ""}}});
}

/* What the memory says of a pool; NAN: nothing. */
static double level_of(const struct pool *pool, const struct metric_level *level)
{
    if (!level || pool->space >= METRIC_SPACES)
        return NAN;
    return pool->space < 0 ? level->heap : level->spaces[pool->space];
}

/* G1 adds some bytes to the sizes of its pools, so that nobody divides by 0. The sizes themselves
 * are multiples of a megabyte. Source: G1MonitoringSupport::pad_capacity(). */
static double size_of(const struct perfdata *p, const struct pool *pool, const char *expression)
{
    const double kb = 1024;
    double bytes = value(p, expression);
    return pool->family == G1 ? floor(bytes / kb) * kb : bytes;
}

static void read_pool(struct metric_set *s, const struct perfdata *p, const struct pool *pool,
                      const struct metric_level *level)
{
    bool is_sampled = perfdata_find(p, "sun.os.hrt.ticks") != NULL;
    double counted = value(p, pool->used), present = level_of(pool, level);
    bool is_old = pool->fresh >= AT_GC || (pool->fresh == SAMPLED && !is_sampled);
    double committed = pool->space < 0 && level ? level->heap_committed : NAN;
    if (!is_old || isnan(present))
        add_pool(s, METRIC_MEMORY_USED, counted, pool->name, "heap", is_old);
    else
        add_pool(s, METRIC_MEMORY_USED, present, pool->name, "heap", false);
    if (isnan(committed))
        add_pool(s, METRIC_MEMORY_COMMITTED, size_of(p, pool, pool->committed), pool->name, "heap",
                 pool->fresh == SIZE_TOO);
    else
        add_pool(s, METRIC_MEMORY_COMMITTED, committed, pool->name, "heap", false);
    if (pool->limit[0] != '\0')
        add_pool(s, METRIC_MEMORY_LIMIT, size_of(p, pool, pool->limit), pool->name, "heap", false);
    if (is_old && !is_sampled)
        add_pool(s, METRIC_MEMORY_AFTER_GC, counted, pool->name, "heap", false);
}

static void read_heap(struct metric_set *s, const struct perfdata *p,
                      const struct metric_level *level)
{
    enum family family = family_of(p);
    bool has_eden = perfdata_find(p, "sun.gc.generation.0.space.0.used") != NULL;
    for (size_t i = 0; i < sizeof(pools) / sizeof(*pools); i++) {
        bool is_whole = pools[i].space < 0;
        if (pools[i].family == family && (family != ZGC || is_whole != has_eden))
            read_pool(s, p, &pools[i], level);
    }
    if (level)
        metric_set_value(s, METRIC_HEAP_USED, level->heap);
}

static const char metaspace[] = "Metaspace", type_outside[] = "non_heap";

/* What counters do not have of memory that is not the heap. */
static void read_limits(struct metric_set *s, const struct metric_level *level)
{
    static const char code[] = "CodeCache";
    add_pool(s, METRIC_MEMORY_LIMIT, level->metaspace_limit, metaspace, type_outside, false);
    add_pool(s, METRIC_MEMORY_COMMITTED, level->code_committed, code, type_outside, false);
    add_pool(s, METRIC_MEMORY_LIMIT, level->code_limit, code, type_outside, false);
}

/* Memory that is not the heap. The JDK counts the class space as part of metaspace, too. */
static void read_outside(struct metric_set *s, const struct perfdata *p,
                         const struct metric_level *level)
{
    static const char classes[] = "Compressed Class Space";
    bool is_old = !level || isnan(level->metaspace);
    bool has_class_space = value(p, "CCS.maxCapacity") > 0;
    add_pool(s, METRIC_MEMORY_USED, is_old ? value(p, "MS.used") : level->metaspace, metaspace,
             type_outside, is_old);
    if (has_class_space)
        add_pool(s, METRIC_MEMORY_USED, is_old ? value(p, "CCS.used") : level->class_space, classes,
                 type_outside, is_old);
    if (!level || isnan(level->metaspace_committed))
        add_pool(s, METRIC_MEMORY_COMMITTED, value(p, "MS.capacity"), metaspace, type_outside,
                 true);
    else
        add_pool(s, METRIC_MEMORY_COMMITTED, level->metaspace_committed, metaspace, type_outside,
                 false);
    if (has_class_space) {
        add_pool(s, METRIC_MEMORY_COMMITTED, value(p, "CCS.capacity"), classes, type_outside, true);
        add_pool(s, METRIC_MEMORY_LIMIT, value(p, "CCS.maxCapacity"), classes, type_outside, false);
    }
    if (level)
        read_limits(s, level);
}

/* ---- the rest */

static void read_threads(struct metric_set *s, const struct perfdata *p, bool has_states)
{
    static const char daemon[] = "jvm.thread.daemon";
    if (!has_states) {
        metric_set_labelled(s, METRIC_THREAD_COUNT,
                            value(p, "java.threads.live-java.threads.daemon"), daemon, "false");
        metric_set_labelled(s, METRIC_THREAD_COUNT, value(p, "java.threads.daemon"), daemon,
                            "true");
    }
    metric_set_value(s, METRIC_THREAD_PEAK, value(p, "java.threads.livePeak"));
    metric_set_value(s, METRIC_THREAD_STARTED, value(p, "java.threads.started"));
}

static void read_classes(struct metric_set *s, const struct perfdata *p)
{
    double loaded = value(p, "java.cls.loadedClasses+java.cls.sharedLoadedClasses");
    double unloaded = value(p, "java.cls.unloadedClasses+java.cls.sharedUnloadedClasses");
    metric_set_value(s, METRIC_CLASS_LOADED, loaded);
    metric_set_value(s, METRIC_CLASS_UNLOADED, unloaded);
    metric_set_value(s, METRIC_CLASS_COUNT, loaded - unloaded);
}

static void read_safepoints(struct metric_set *s, const struct perfdata *p)
{
    static const char phase[] = "hprof.safepoint.phase";
    double whole_s = heap_counters_stopped_s(p), sync_s = value(p, "sun.rt.safepointSyncTime/HZ");
    metric_set_value(s, METRIC_SAFEPOINT_COUNT, value(p, "sun.rt.safepoints"));
    metric_set_labelled(s, METRIC_SAFEPOINT_TIME, sync_s, phase, "sync");
    metric_set_labelled(s, METRIC_SAFEPOINT_TIME, whole_s - sync_s, phase, "stopped");
}

static void read_compilations(struct metric_set *s, const struct perfdata *p)
{
    static const char kind[] = "hprof.compilation.kind", reason[] = "hprof.compilation.reason";
    metric_set_labelled(s, METRIC_COMPILED, value(p, "sun.ci.standardCompiles"), kind, "standard");
    metric_set_labelled(s, METRIC_COMPILED, value(p, "sun.ci.osrCompiles"), kind, "osr");
    metric_set_labelled(s, METRIC_COMPILE_LOST, value(p, "sun.ci.totalBailouts"), reason,
                        "bailout");
    metric_set_labelled(s, METRIC_COMPILE_LOST, value(p, "sun.ci.totalInvalidates"), reason,
                        "invalidated");
    /* With -Xint this counter is there and stays 0. */
    if (perfdata_find(p, "sun.ci.totalCompiles"))
        metric_set_value(s, METRIC_COMPILE_TIME, value(p, "java.ci.totalTime/HZ"));
}

void metric_counters_read(struct metric_set *s, const struct perfdata *p,
                          const struct metric_level *level, bool has_threads)
{
    read_heap(s, p, level);
    read_outside(s, p, level);
    read_collectors(s, p);
    read_threads(s, p, has_threads);
    read_classes(s, p);
    read_safepoints(s, p);
    read_compilations(s, p);
}

void metric_counters_read_none(struct metric_set *s, const struct metric_level *level)
{
    enum family family = level->is_serial ? SERIAL : level->is_parallel ? PARALLEL : UNKNOWN;
    for (size_t i = 0; i < sizeof(pools) / sizeof(*pools); i++)
        if (pools[i].family == family)
            add_pool(s, METRIC_MEMORY_USED, level_of(&pools[i], level), pools[i].name, "heap",
                     false);
    metric_set_value(s, METRIC_HEAP_USED, level->heap);
    add_pool(s, METRIC_MEMORY_USED, level->metaspace, metaspace, type_outside, false);
    add_pool(s, METRIC_MEMORY_COMMITTED, level->metaspace_committed, metaspace, type_outside,
             false);
    read_limits(s, level);
}
