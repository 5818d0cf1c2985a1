/*
 * metric_vm.c - see metric_vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_vm.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/loaded_classes.h"
#include "hotspot/vm_flags.h"
#include "metrics/metric.h"
#include "safe/clock.h"
#include "safe/release.h"

enum {
    WORD = 8,
    /* more regions than that are not read: the heap of ZGC may have millions of granules */
    REGIONS_MAX = 1 << 18,
    LOOK_AGAIN_S = 60, /* classes that are not loaded are looked for again after this time */
    CLASS_NAME = 64,
};

enum { EXITED, USED_CLASS, USED_OTHER, CLASS_CONTEXT, OTHER_CONTEXT, LIMITER, SYMBOLS };

/* MetaspaceContext: a name and pointers to the list of nodes and to the free chunks, then the count
 * of used words. */
enum { CONTEXT_USED = 3 * WORD };

static const char *const symbols[SYMBOLS] = {
    [EXITED] = "_ZN13ThreadService23_exited_allocated_bytesE",
    [USED_CLASS] = "_ZN9metaspace15RunningCounters19_used_class_counterE",
    [USED_OTHER] = "_ZN9metaspace15RunningCounters22_used_nonclass_counterE",
    /* from JDK 25 on, instead of these two */
    [CLASS_CONTEXT] = "_ZN9metaspace16MetaspaceContext20_class_space_contextE",
    [OTHER_CONTEXT] = "_ZN9metaspace16MetaspaceContext23_nonclass_space_contextE",
    [LIMITER] = "_ZN9metaspaceL16g_global_limiterE",
};

static void find_symbols(struct metric_vm *vm)
{
    uint64_t values[SYMBOLS];
    elf_file_symbols(&vm->target.vm->libjvm, symbols, values, SYMBOLS);
    for (int i = 0; i < SYMBOLS; i++)
        values[i] += values[i] != 0 ? vm->target.vm->bias : 0;
    vm->at.exited = values[EXITED];
    vm->at.used_class = values[USED_CLASS];
    vm->at.used_other = values[USED_OTHER];
    vm->at.class_context = values[CLASS_CONTEXT];
    vm->at.other_context = values[OTHER_CONTEXT];
    vm->at.limiter = values[LIMITER];
}

int metric_vm_open(pid_t pid, struct metric_vm *ret)
{
    const char *missing;
    *ret = (struct metric_vm){.live = {.mem_fd = -1}};
    int error = mem_live_open(pid, &ret->live);
    if (error == 0)
        error = target_open(&ret->live.image, &ret->target, &missing);
    if (error < 0)
        return error;
    find_symbols(ret);
    ret->has_oops = oops_init(&ret->target, &ret->oops, &missing) == 0;
    ret->has_heap = heap_open(&ret->target, &ret->heap, &missing) == 0;
    java_threads_allocated_init(&ret->allocated, &ret->target);
    vm_stop_init(&ret->stop, &ret->target);
    return 0;
}

void metric_vm_close(struct metric_vm *vm)
{
    target_close(&vm->target);
    mem_live_close(&vm->live);
    free(vm->seen);
    vm->seen = NULL;
}

/* ---- levels of memory */

static void read_spaces(const struct metric_vm *vm, struct metric_level *l)
{
    struct heap_range spaces[HEAP_SPACES];
    double used[HEAP_SPACES];
    l->is_serial = vm->heap.collector == HEAP_SERIAL;
    l->is_parallel = vm->heap.collector == HEAP_PARALLEL;
    if (!heap_spaces(&vm->heap, spaces))
        return;
    for (int i = 0; i < HEAP_SPACES; i++)
        used[i] = (double)(spaces[i].top - spaces[i].bottom);
    l->spaces[METRIC_EDEN] = used[HEAP_EDEN];
    l->spaces[METRIC_SURVIVOR] = used[HEAP_FROM] + used[HEAP_TO];
    l->spaces[METRIC_OLD] = used[HEAP_OLD];
    l->heap = used[HEAP_EDEN] + used[HEAP_FROM] + used[HEAP_TO] + used[HEAP_OLD];
}

/* Shenandoah gives memory back between collections; its counters do not tell. */
static void read_committed(const struct metric_vm *vm, struct metric_level *l)
{
    int32_t at = target_field(&vm->target, "ShenandoahHeap", "_committed", -1);
    if (vm->heap.collector == HEAP_SHENANDOAH && at >= 0)
        l->heap_committed = (double)target_u8(&vm->target, vm->heap.address + (uint64_t)at);
}

/* ZGC of one generation keeps the sum itself. JDK 21 gave its types names with X. */
static void read_z_one(const struct metric_vm *vm, struct metric_level *l)
{
    static const char *const types[][3] = {{"XCollectedHeap", "XHeap", "XPageAllocator"},
                                           {"ZCollectedHeap", "ZHeap", "ZPageAllocator"}};
    const struct target *t = &vm->target;
    uint64_t collected = target_static_value(t, "Universe", "_collectedHeap", WORD);
    bool is_z = vm_flags_number(t, "UseZGC", 1, 0) && !vm_flags_number(t, "ZGenerational", 1, 0);
    for (size_t i = 0; i < sizeof(types) / sizeof(*types) && is_z && isnan(l->heap); i++) {
        int32_t heap = target_field(t, types[i][0], "_heap", -1);
        int32_t allocator = target_field(t, types[i][1], "_page_allocator", -1);
        int32_t used = target_field(t, types[i][2], "_used", -1);
        if (heap >= 0 && allocator >= 0 && used >= 0)
            l->heap = (double)target_u8(t, collected + (uint64_t)(heap + allocator + used));
    }
}

static void read_regions(struct metric_vm *vm, struct metric_level *l)
{
    uint32_t max = heap_ranges_max(&vm->heap);
    struct heap_range *ranges = max <= REGIONS_MAX ? malloc(max * sizeof(*ranges)) : NULL;
    if (!ranges)
        return;
    int64_t count = heap_ranges(&vm->heap, ranges, max);
    uint64_t used = 0;
    for (int64_t i = 0; i < count; i++)
        used += ranges[i].top - ranges[i].bottom;
    l->heap = count >= 0 ? (double)used : NAN;
    free(ranges);
}

/* The used bytes of one kind of metaspace; 0: not known. The VM counts words. */
static uint64_t used_metaspace(const struct target *t, uint64_t counter, uint64_t context)
{
    if (counter != 0)
        return target_u8(t, counter) * WORD;
    context = context != 0 ? target_u8(t, context) : 0;
    return context != 0 ? target_u8(t, context + CONTEXT_USED) * WORD : 0;
}

static void read_metaspace(const struct metric_vm *vm, struct metric_level *l)
{
    const struct target *t = &vm->target;
    uint64_t limit = vm_flags_number(t, "MaxMetaspaceSize", WORD, UINT64_MAX);
    /* Without a limit the flag has the largest number to which the VM can align addresses. */
    if (limit < (uint64_t)1 << 48)
        l->metaspace_limit = (double)limit;
    uint64_t classes = used_metaspace(t, vm->at.used_class, vm->at.class_context);
    uint64_t others = used_metaspace(t, vm->at.used_other, vm->at.other_context);
    /* CommitLimiter begins with the count of committed words. */
    uint64_t committed = vm->at.limiter != 0 ? target_u8(t, vm->at.limiter) * WORD : 0;
    if (others == 0 || committed == 0 || classes > committed || others > committed - classes)
        return;
    l->class_space = (double)classes;
    l->metaspace = (double)(classes + others);
    l->metaspace_committed = (double)committed;
}

/* Adds the committed and the reserved bytes of a code heap. */
static void add_code_heap(const struct target *t, uint64_t heap, struct metric_level *l)
{
    int32_t memory = target_field(t, "CodeHeap", "_memory", -1);
    uint64_t at = heap + (uint64_t)memory;
    uint64_t low = target_u8(t, at + (uint64_t)target_field(t, "VirtualSpace", "_low", 0));
    uint64_t high = target_u8(t, at + (uint64_t)target_field(t, "VirtualSpace", "_high", 0));
    uint64_t first =
        target_u8(t, at + (uint64_t)target_field(t, "VirtualSpace", "_low_boundary", 0));
    uint64_t last =
        target_u8(t, at + (uint64_t)target_field(t, "VirtualSpace", "_high_boundary", 0));
    if (memory < 0 || low == 0 || high < low || first > low || last < high)
        return;
    l->code_committed = (isnan(l->code_committed) ? 0 : l->code_committed) + (double)(high - low);
    l->code_limit = (isnan(l->code_limit) ? 0 : l->code_limit) + (double)(last - first);
}

/* JDK 8 has one code heap, later JDKs have an array of them. */
static void read_code(const struct metric_vm *vm, struct metric_level *l)
{
    const struct target *t = &vm->target;
    uint64_t single = target_static_value(t, "CodeCache", "_heap", WORD);
    uint64_t array = target_static_value(t, "CodeCache", "_heaps", WORD);
    int32_t data = target_field(t, "GrowableArray<int>", "_data", -1);
    if (single != 0)
        add_code_heap(t, single, l);
    if (array == 0 || data < 0)
        return;
    uint64_t heaps = target_u8(t, array + (uint64_t)data);
    for (uint32_t i = 0; i < t->layout->heap_count; i++)
        add_code_heap(t, target_u8(t, heaps + (uint64_t)i * WORD), l);
}

void metric_vm_look(struct metric_vm *vm, struct metric_level *ret)
{
    mem_live_forget(&vm->live);
    *ret = (struct metric_level){
        .spaces = {NAN, NAN, NAN},
        .heap = NAN,
        .heap_committed = NAN,
        .metaspace = NAN,
        .class_space = NAN,
        .metaspace_committed = NAN,
        .metaspace_limit = NAN,
        .code_committed = NAN,
        .code_limit = NAN,
    };
    if (vm->has_heap && (vm->heap.collector == HEAP_SERIAL || vm->heap.collector == HEAP_PARALLEL))
        read_spaces(vm, ret);
    else if (vm->has_heap && !heap_is_z_one(&vm->heap))
        read_regions(vm, ret);
    else
        read_z_one(vm, ret);
    if (vm->has_heap)
        read_committed(vm, ret);
    read_metaspace(vm, ret);
    read_code(vm, ret);
}

unsigned metric_vm_processors(const struct metric_vm *vm)
{
    uint32_t count = (uint32_t)vm_flags_number(&vm->target, "ActiveProcessorCount", 4, 0);
    return count <= INT32_MAX ? count : 0; /* the default is -1 */
}

/* ---- buffers */

/* Classes that count buffers. The count of mapped buffers moved to a class of its own in JDK 14. */
static const struct {
    const char *name;
    bool is_mapped;
} counting[] = {{"java/nio/Bits", false},
                {"sun/nio/ch/FileChannelImpl$DefaultUnmapper", true},
                {"sun/nio/ch/FileChannelImpl$Unmapper", true}};

static int see_class(void *arg, const struct loaded_class *c)
{
    struct metric_vm *vm = arg;
    char name[CLASS_NAME];
    if (!c->is_boots || oops_klass_name(&vm->oops, c->klass, name, sizeof(name)) <= 0)
        return 0;
    for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++) {
        if (strcmp(name, counting[i].name) != 0)
            continue;
        uint64_t unused, *place = counting[i].is_mapped ? &vm->unmapper : &vm->bits;
        /* From JDK 14 on FileChannelImpl$Unmapper is abstract, and counts nothing. */
        if (!counting[i].is_mapped ||
            oops_get_static_number(&vm->oops, c->klass, "count", 4, &unused))
            *place = c->klass;
    }
    return vm->bits != 0 && vm->unmapper != 0;
}

static void find_classes(struct metric_vm *vm)
{
    uint64_t now_ns = clock_monotonic_ns();
    uint32_t broken;
    const char *missing;
    bool is_soon = vm->looked_ns != 0 && now_ns - vm->looked_ns < (uint64_t)LOOK_AGAIN_S * NS_PER_S;
    if ((vm->bits != 0 && vm->unmapper != 0) || is_soon)
        return;
    vm->looked_ns = now_ns;
    loaded_classes_each(&vm->target, see_class, vm, &broken, &missing);
}

/* The value of an AtomicLong that a static field refers to; its name is in capitals from JDK 9 on.
 */
static double atomic_of(struct metric_vm *vm, const char *name, const char *old_name)
{
    uint64_t object = oops_get_static(&vm->oops, vm->bits, name);
    if (object == 0)
        object = oops_get_static(&vm->oops, vm->bits, old_name);
    return object == 0 ? NAN : (double)(int64_t)oops_get_number(&vm->oops, object, "value", WORD);
}

static double static_of(struct metric_vm *vm, const char *name, size_t size)
{
    uint64_t value;
    return oops_get_static_number(&vm->oops, vm->unmapper, name, size, &value) ? (double)value
                                                                               : NAN;
}

static void read_buffers(struct metric_vm *vm, struct metric_set *s)
{
    static const char label[] = "jvm.buffer.pool.name";
    find_classes(vm);
    if (vm->bits != 0) {
        metric_set_labelled(s, METRIC_BUFFER_USED,
                            atomic_of(vm, "RESERVED_MEMORY", "reservedMemory"), label, "direct");
        metric_set_labelled(s, METRIC_BUFFER_LIMIT,
                            atomic_of(vm, "TOTAL_CAPACITY", "totalCapacity"), label, "direct");
        metric_set_labelled(s, METRIC_BUFFER_COUNT, atomic_of(vm, "COUNT", "count"), label,
                            "direct");
    }
    if (vm->unmapper == 0)
        return;
    metric_set_labelled(s, METRIC_BUFFER_USED, static_of(vm, "totalSize", WORD), label, "mapped");
    metric_set_labelled(s, METRIC_BUFFER_LIMIT, static_of(vm, "totalCapacity", WORD), label,
                        "mapped");
    metric_set_labelled(s, METRIC_BUFFER_COUNT, static_of(vm, "count", 4), label, "mapped");
}

void metric_vm_read(struct metric_vm *vm, struct metric_set *s, uint64_t stops)
{
    vm_stop_read(&vm->stop, &vm->live, stops);
    if (vm->stop.state != VM_STOP_UNKNOWN)
        metric_set_value(s, METRIC_SAFEPOINT_NOW, vm->stop.lasts_s);
    if (vm->has_oops)
        read_buffers(vm, s);
}
