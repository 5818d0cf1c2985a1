/*
 * footprint_buffers.c - the memory of direct buffers: what the JDK counts, and where each is.
 *
 * The JDK keeps a list of what frees the memory of each buffer (DirectByteBuffer$Deallocator): a
 * doubly linked list of Cleaners up to JDK 25, a list of arrays from JDK 26 on. The list is read
 * while the program runs. So the objects may move and the list may change: an element counts if its
 * class is the expected one and its address lies in private memory. If fewer bytes are found than
 * the JDK counts, the rest is in the rows of malloc().
 * Source: sun.misc.Cleaner (8), jdk.internal.ref.Cleaner (9), java.nio.BufferCleaner (26),
 * java.nio.Bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "footprint/footprint.h"
#include "hotspot/loaded_classes.h"

enum { NAME = 64, WORD = 8, BUFFERS_MOST = 1 << 20, NODE_MOST = 1 << 16 };

enum { BITS, DEALLOCATOR, CLEANER_8, CLEANER_9, CLEANERS_26, CLASSES };

static const char *const names[CLASSES] = {
    [BITS] = "java/nio/Bits",
    [DEALLOCATOR] = "java/nio/DirectByteBuffer$Deallocator",
    [CLEANER_8] = "sun/misc/Cleaner",
    [CLEANER_9] = "jdk/internal/ref/Cleaner",
    [CLEANERS_26] = "java/nio/BufferCleaner",
};

struct finder {
    struct footprint *f;
    uint64_t klass[CLASSES]; /* 0: not loaded */
    uint64_t bytes, count;   /* found */
};

static int see_class(void *arg, const struct loaded_class *c)
{
    struct finder *d = arg;
    char name[NAME];
    if (!c->is_boots || oops_klass_name(&d->f->vm.oops, c->klass, name, sizeof(name)) <= 0)
        return 0;
    for (int i = 0; i < CLASSES; i++)
        if (strcmp(name, names[i]) == 0)
            d->klass[i] = c->klass;
    return 0;
}

/* The value of an AtomicLong; its name is in capitals from JDK 9 on. */
static bool read_atomic(struct finder *d, const char *name, const char *old_name, uint64_t *ret)
{
    struct oops *o = &d->f->vm.oops;
    uint64_t object = oops_get_static(o, d->klass[BITS], name);
    if (object == 0)
        object = oops_get_static(o, d->klass[BITS], old_name);
    if (object != 0)
        *ret = oops_get_number(o, object, "value", WORD);
    return object != 0;
}

static void count_buffers(struct finder *d)
{
    struct footprint_direct *direct = &d->f->direct;
    direct->is_counted = d->klass[BITS] != 0 &&
                         read_atomic(d, "RESERVED_MEMORY", "reservedMemory", &direct->bytes) &&
                         read_atomic(d, "COUNT", "count", &direct->count);
}

static void claim(struct finder *d, uint64_t deallocator)
{
    struct oops *o = &d->f->vm.oops;
    if (deallocator == 0 || oops_klass(o, deallocator) != d->klass[DEALLOCATOR])
        return;
    uint64_t address = oops_get_number(o, deallocator, "address", WORD);
    uint64_t size = oops_get_number(o, deallocator, "size", WORD);
    const struct smaps_region *r = smaps_at(&d->f->smaps, address);
    if (!r || r->is_shared || r->inode != 0 || size > r->end - address)
        return;
    footprint_claim(d->f, address, address + size, FOOTPRINT_DIRECT);
    d->bytes += size;
    d->count++;
}

static void walk_list(struct finder *d, uint64_t klass)
{
    struct oops *o = &d->f->vm.oops;
    uint64_t at = oops_get_static(o, klass, "first");
    for (uint32_t i = 0; at != 0 && i < BUFFERS_MOST && oops_klass(o, at) == klass; i++) {
        claim(d, oops_get_object(o, at, "thunk"));
        at = oops_get_object(o, at, "next");
    }
}

static void walk_nodes(struct finder *d)
{
    struct oops *o = &d->f->vm.oops;
    uint64_t list = oops_get_static(o, d->klass[CLEANERS_26], "cleanerList");
    uint64_t node = list != 0 ? oops_get_object(o, list, "head") : 0;
    for (uint32_t seen = 0; node != 0 && seen < BUFFERS_MOST; seen++) {
        uint64_t array = oops_get_object(o, node, "arr");
        uint64_t size = oops_get_number(o, node, "size", 4);
        for (uint32_t i = 0; array != 0 && i < size && i < NODE_MOST; i++, seen++) {
            uint64_t cleaner = oops_element(o, array, i);
            if (cleaner != 0)
                claim(d, oops_get_object(o, cleaner, "action"));
        }
        node = oops_get_object(o, node, "next");
    }
}

void footprint_buffers(struct footprint *f)
{
    struct finder d = {.f = f};
    uint32_t broken;
    const char *missing;
    if (!f->vm.has_oops)
        return;
    loaded_classes_each(&f->vm.target, see_class, &d, &broken, &missing);
    count_buffers(&d);
    if (d.klass[DEALLOCATOR] != 0) {
        if (d.klass[CLEANERS_26] != 0)
            walk_nodes(&d);
        if (d.klass[CLEANER_9] != 0)
            walk_list(&d, d.klass[CLEANER_9]);
        if (d.klass[CLEANER_8] != 0)
            walk_list(&d, d.klass[CLEANER_8]);
    }
    f->direct.is_listed = f->direct.is_counted && d.bytes >= f->direct.bytes;
    f->sums[FOOTPRINT_DIRECT].count = d.count;
    footprint_settle(f);
}
