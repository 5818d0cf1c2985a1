/*
 * jvmpi_mirror.c - see jvmpi_mirror.h.
 *
 * The address is read before the count of pauses. If this count is the one of the note, no
 * collection has begun between the note and the read, so the address means the same class.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_mirror.h"
#include <stdatomic.h>
#include <stdlib.h>
#include "jvmpi/jvmpi_ids.h"
#include "jvmpi/jvmpi_thread.h"
#include "vm/vm_event.h"
#include "vm/vmself.h"

enum {
    PLACES_LOG2 = 6,
    PLACES = 1 << PLACES_LOG2,
    KIND_BITS = 3, /* kind of a reference: in a local reference these bits are 0 */
};

static _Atomic uint64_t pauses = 1; /* count of pauses that have begun */
static _Atomic bool is_on;

static void on_pause(void *data)
{
    atomic_fetch_add(&pauses, 1);
}

static struct vm_event_subscriber paused = {.event = VM_EVENT_GC_START, .on.gc_start = on_pause};

void jvmpi_mirror_on(void)
{
    is_on =
        vm_event_add(&paused, NULL) == 0 &&
        (vmself_is_on("UseG1GC") || vmself_is_on("UseParallelGC") || vmself_is_on("UseSerialGC"));
}

static uintptr_t address_of(jclass klass)
{
    return (uintptr_t)klass & KIND_BITS
               ? 0
               : __atomic_load_n((const uintptr_t *)(uintptr_t)klass, __ATOMIC_ACQUIRE);
}

static struct jvmpi_mirror *place_of(struct jvmpi_mirror *all, uintptr_t address)
{
    return &all[(uint64_t)address * 0x9e3779b97f4a7c15u >> (64 - PLACES_LOG2)];
}

const struct jvmpi_mirror *jvmpi_mirror_of(struct jvmpi_thread *t, JNIEnv *env, jclass klass)
{
    static __thread struct jvmpi_mirror other;
    uintptr_t address = is_on ? address_of(klass) : 0;
    uint64_t now = atomic_load_explicit(&pauses, memory_order_acquire);
    struct jvmpi_mirror *m;
    if (address && !t->mirrors)
        t->mirrors = calloc(PLACES, sizeof(*t->mirrors));
    m = address && t->mirrors ? place_of(t->mirrors, address) : &other;
    if (address && m->pauses == now && m->address == address)
        return m;
    m->pauses = 0; /* the question calls the VM, which may report objects */
    other.shape = jvmpi_shape_of(env, klass);
    other.is_class = jvmpi_ids_is_class(env, klass);
    *m = (struct jvmpi_mirror){address, m == &other ? 0 : now, other.shape, other.is_class};
    return m;
}

void jvmpi_mirror_end_thread(struct jvmpi_thread *t)
{
    free(t->mirrors);
    t->mirrors = NULL;
}
