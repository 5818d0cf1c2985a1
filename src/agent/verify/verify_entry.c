/*
 * verify_entry.c - see verify.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include "agent/verify/verify_frames.h"
#include "agent/verify/verify_numbers.h"
#include "agent/verify/verify_sample.h"
#include "agent/verify/verify_shadow.h"
#include "agent/verify/verify_table.h"
#include "safe/clock.h"
#include "safe/hs_layout.h"
#include "vm/vm_names.h"

enum {
    FRAMES = VERIFY_SAMPLE_FRAMES,
    CALLS_PER_CLOCK = 64, /* the clock is read at each 64th call */
};

static struct {
    jvmtiEnv *_Atomic jvmti; /* NULL: there are no comparisons now */
    const struct hs_layout *layout;
    uint64_t period_ns;
    _Atomic uint64_t next_ns;
    _Atomic int taken; /* 1 while a thread uses the buffers below */
    jvmtiFrameInfo infos[FRAMES];
    struct verify_frame frames[FRAMES];
    uint64_t hashes[FRAMES], wanted[VERIFY_SHADOW_MAX];
    uint32_t numbers[VERIFY_SHADOW_MAX];
} entry;

static __thread uint32_t calls;
/*
 * Our code may run on a carrier between two virtual threads. There GetStackTrace would wait for the
 * end of the switch, and so for itself. Carriers are workers of a ForkJoinPool and are recognised
 * by the names of their threads.
 */
enum { NOT_ASKED, IS_CARRIER, IS_NONE };
static __thread int carrier;

void verify_entry_start(jvmtiEnv *jvmti, const struct hs_layout *layout, uint32_t per_second)
{
    entry.layout = layout;
    entry.period_ns = NS_PER_S / per_second;
    atomic_store(&entry.jvmti, jvmti);
}

void verify_entry_stop(void)
{
    atomic_store(&entry.jvmti, NULL);
}

static bool is_carrier(void)
{
    char name[16] = ""; /* the kernel cuts the name; JDK 26 puts dots in its middle */
    if (carrier == NOT_ASKED)
        carrier = entry.layout->thread_cont_entry >= 0 && prctl(PR_GET_NAME, name) == 0 &&
                          strncmp(name, "ForkJoi", 7) == 0
                      ? IS_CARRIER
                      : IS_NONE;
    return carrier == IS_CARRIER;
}

/* The hash of a method of GetStackTrace, from the names that JVM TI gives. */
static uint64_t hash_of(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method)
{
    struct vm_names_method m;
    uint64_t hash = 0;
    size_t len;
    if (!vm_names_method(jvmti, env, method, &m))
        return 0;
    const char *klass = vm_names_class(m.signature, &len);

    if (len > 0)
        hash = verify_frames_hash_texts(klass, len, m.name, strlen(m.name), m.desc, strlen(m.desc));
    vm_names_done(jvmti, env, &m);
    return hash;
}

static void compare(jvmtiEnv *jvmti, JNIEnv *env)
{
    jint count = 0;
    uint32_t found;
    int depth;
    struct verify_example *e;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES, entry.infos, &count) != JVMTI_ERROR_NONE ||
        count == 0 || count == FRAMES)
        return;
    for (jint i = 0; i < count; i++)
        entry.hashes[i] = hash_of(jvmti, env, entry.infos[i].method);
    depth = verify_shadow_read(entry.numbers, VERIFY_SHADOW_MAX);
    if (depth <= 0)
        return;
    for (int i = 0; i < depth; i++)
        entry.wanted[i] = verify_numbers_hash(entry.numbers[i]);
    verify_table_add(VERIFY_ENTRY_COMPARED, 1);
    found = verify_compare_contains(entry.hashes, (uint32_t)count, entry.wanted, (uint32_t)depth);
    if (found == (uint32_t)depth) {
        verify_table_add(VERIFY_ENTRY_AGREED, 1);
        return;
    }
    for (jint i = 0; i < count; i++)
        entry.frames[i] = verify_frames_of_id((uint64_t)(uintptr_t)entry.infos[i].method,
                                              (int32_t)entry.infos[i].location);
    e = verify_table_example("entry", "disagreed", 0);
    if (e) {
        verify_sample_keep(e, 0, entry.frames, (uint32_t)count, entry.frames, 0);
        verify_sample_keep_shadow(e, found, entry.numbers, (uint32_t)depth);
    }
    verify_shadow_watch(found, VERIFY_SHADOW_ENTRY, e);
}

void verify_entry_compare(JNIEnv *env)
{
    jvmtiEnv *jvmti;
    uint64_t now;
    if (++calls % CALLS_PER_CLOCK != 0)
        return;
    jvmti = atomic_load_explicit(&entry.jvmti, memory_order_relaxed);
    now = jvmti ? clock_monotonic_ns() : 0;
    if (!jvmti || now < atomic_load_explicit(&entry.next_ns, memory_order_relaxed) ||
        is_carrier() || atomic_exchange(&entry.taken, 1))
        return;
    atomic_store(&entry.next_ns, now + entry.period_ns);
    compare(jvmti, env);
    atomic_store(&entry.taken, 0);
}
