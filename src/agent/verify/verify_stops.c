/*
 * verify_stops.c - see verify.h.
 *
 * While a thread is suspended, this code calls nothing that takes a lock which the thread may hold.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify.h"
#include <stdbool.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/verify/verify_frames.h"
#include "agent/verify/verify_sample.h"
#include "agent/verify/verify_table.h"
#include "safe/hs_layout.h"
#include "safe/mem_self.h"
#include "safe/walk_vm.h"
#include "vm/vm_env.h"
#include "vm/vm_lookup.h"
#include "vm/vm_threads.h"

enum {
    FRAMES = VERIFY_SAMPLE_FRAMES,
    WAIT_MS = 20,
    SWITCHING_FRAMES = 4, /* innermost frames that are looked at */
};

/* The classes whose methods switch a carrier from one virtual thread to another. */
static const char *const switchers[] = {"java/lang/VirtualThread", "jdk/internal/vm/Continuation"};
enum { SWITCHERS = sizeof(switchers) / sizeof(switchers[0]) };

static jvmtiEnv *stopper; /* set by verify_stops_open() */
static const struct hs_memory *memory;
static const struct hs_layout *layout; /* of `memory` */
/* The methods of these classes: from JDK 26 on only JVM TI tells which method an id stands for. */
static struct {
    jmethodID *ids;
    jint count;
} of_switchers[SWITCHERS];
static struct {
    jvmtiFrameInfo infos[FRAMES];
    struct walk_frame walked[FRAMES];
    struct verify_frame ours[FRAMES], theirs[FRAMES];
    uint32_t next_thread;
} stops;

void verify_stops_open(jvmtiEnv *env)
{
    stopper = env;
}

jvmtiEnv *verify_stops_env(void)
{
    return stopper;
}

void verify_stops_prepare(struct agent *a, JNIEnv *env, const struct hs_memory *m)
{
    memory = m;
    layout = m->layout;
    for (int i = 0; i < SWITCHERS; i++) {
        /* this also links the class; these classes exist from JDK 19 on */
        jclass klass = (*env)->FindClass(env, switchers[i]);
        vm_lookup_clear(env);
        if (klass)
            (*stopper)->GetClassMethods(stopper, klass, &of_switchers[i].count,
                                        &of_switchers[i].ids);
        (*env)->DeleteLocalRef(env, klass);
    }
}

/* GetStackTrace gives -1 for native methods. */
static void take_theirs(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        jlocation at = stops.infos[i].location;
        stops.theirs[i] = verify_frames_of_id((uint64_t)(uintptr_t)stops.infos[i].method,
                                              at == -1 ? VERIFY_NATIVE_BCI : (int32_t)at);
    }
}

static void keep(struct verify_example *e, uint64_t thread, uint32_t at, uint32_t our_count,
                 uint32_t count)
{
    struct mem_view v = {.mem = &mem_self};
    if (!e)
        return;
    verify_sample_keep(e, at, stops.ours, our_count, stops.theirs, count);
    e->state = hs_layout_state(layout, mem_view_u4(&v, thread + (uint64_t)layout->thread_state));
}

static bool is_of_switcher(const struct verify_frame *f, int number)
{
    if (verify_frames_is(f, switchers[number], ""))
        return true;
    for (jint i = 0; i < of_switchers[number].count; i++)
        if ((uint64_t)(uintptr_t)of_switchers[number].ids[i] == f->id)
            return true;
    return false;
}

/*
 * Whether a carrier is switching from one virtual thread to another. GetStackTrace hides some of
 * the frames that do this, and SuspendThread does not stop the carrier there.
 */
static bool is_switching(const struct verify_frame *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < SWITCHING_FRAMES; i++)
        for (int number = 0; number < SWITCHERS; number++)
            if (is_of_switcher(&frames[i], number))
                return true;
    return false;
}

/*
 * The count of a walk's frames that belong to the mounted virtual thread; 0: unknown. If the
 * thread's frames in the heap could not be read, the walk goes on at the continuation's entry.
 */
static uint32_t own_frames(const struct verify_frame *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (verify_frames_is(&frames[i], "java/lang/VirtualThread", "run"))
            return i + 1;
        if (verify_frames_is(&frames[i], "jdk/internal/vm/Continuation", "enter"))
            return i;
    }
    return 0;
}

/*
 * A method may be replaced while it runs. The walk has the address of the old method, but the
 * jmethodID of GetStackTrace leads to the new one. If both have the same texts, give them the same
 * name.
 */
static void join_replaced(uint32_t our_count, uint32_t their_count)
{
    for (uint32_t i = 0; i < our_count && i < their_count; i++) {
        const struct verify_frame *a = &stops.ours[i];
        struct verify_frame *b = &stops.theirs[i];
        if (a->id != b->id && a->name != b->name && a->name && b->name &&
            verify_frames_hash(a) == verify_frames_hash(b))
            b->name = a->name;
    }
}

static void judge(uint64_t thread, int walked, uint32_t count, bool is_mounted)
{
    static const struct {
        enum verify_count count;
        const char *word;
    } kinds[VERIFY_KIND_COUNT] = {
        [VERIFY_SAME] = {VERIFY_STOP_AGREED, "agreed"},
        [VERIFY_TOP_BCI] = {VERIFY_STOP_TOP_BCI, "top_bci"},
        [VERIFY_BCI] = {VERIFY_STOP_BCI, "bci"},
        [VERIFY_CUT] = {VERIFY_STOP_CUT, "cut"},
        [VERIFY_SKIPS] = {VERIFY_STOP_SKIPS, "skips"},
        [VERIFY_WALK_CUT] = {VERIFY_STOP_WALK_CUT, "walk_cut"},
        [VERIFY_WALK_SKIPS] = {VERIFY_STOP_WALK_SKIPS, "walk_skips"},
        [VERIFY_METHODS] = {VERIFY_STOP_METHODS, "methods"},
    };
    enum verify_kind kind;
    uint32_t at;
    take_theirs(count);
    if (walked > 0)
        verify_frames_of_walk(stops.walked, (uint32_t)walked, stops.ours);
    if (walked > 0)
        join_replaced((uint32_t)walked, count);
    if (is_mounted && walked > 0) {
        walked = (int)own_frames(stops.ours, (uint32_t)walked);
        count = count < (uint32_t)walked ? count : (uint32_t)walked;
    }
    /* The outermost frame of a virtual thread is of a switching class too, so it is left out. */
    if (walked == 0 || is_switching(stops.ours, walked > 0 ? (uint32_t)(walked - is_mounted) : 0) ||
        is_switching(stops.theirs, count - (uint32_t)is_mounted)) {
        verify_table_add(VERIFY_STOP_SWITCHING, 1);
        return;
    }
    verify_table_add(VERIFY_STOP_COMPARED, 1);
    verify_table_add(VERIFY_STOP_MOUNTED, (uint64_t)is_mounted);
    verify_table_add(VERIFY_STOP_FRAMES, count);
    if (walked < 0) {
        enum walk_cause cause = (enum walk_cause)(-walked - 1);
        struct verify_example *e = verify_table_example("safepoint", walk_cause_word(cause), 1);
        verify_table_add(VERIFY_STOP_FAILED, 1);
        verify_table_add_failure(cause, 1);
        keep(e, thread, 0, 0, count);
        if (e)
            e->cause = (int32_t)cause;
        return;
    }
    kind = verify_compare(stops.ours, (uint32_t)walked, stops.theirs, count, &at);
    verify_table_add(kinds[kind].count, 1);
    if (kind != VERIFY_SAME)
        keep(verify_table_example("safepoint", kinds[kind].word, 1), thread, at, (uint32_t)walked,
             count);
}

static int carries_virtual(uint64_t thread)
{
    struct mem_view v = {.mem = &mem_self};
    return layout->thread_cont_entry >= 0 &&
           mem_view_u8(&v, thread + (uint64_t)layout->thread_cont_entry) != 0;
}

static void compare_suspended(struct agent *a, jthread thread, uint64_t java_thread)
{
    jint count = 0;
    int walked;
    bool cut;
    if ((*stopper)->GetStackTrace(stopper, thread, 0, FRAMES, stops.infos, &count) !=
            JVMTI_ERROR_NONE ||
        count == 0)
        return;
    if (carries_virtual(java_thread)) {
        verify_table_add(VERIFY_STOP_VIRTUAL, 1);
        return;
    }
    walked = walk_vm_thread(memory, java_thread, NULL, NULL, stops.walked, FRAMES, &cut);
    if (count == FRAMES || (walked > 0 && cut))
        verify_table_add(VERIFY_STOP_LONG, 1);
    else
        judge(java_thread, walked, (uint32_t)count, 0);
}

void verify_stops_mounted(struct agent *a, jthread thread, uint64_t carrier)
{
    jint count = 0;
    int walked;
    bool cut;
    if (!carries_virtual(carrier) ||
        (*stopper)->GetStackTrace(stopper, thread, 0, FRAMES, stops.infos, &count) !=
            JVMTI_ERROR_NONE ||
        count == 0)
        return;
    walked = walk_vm_thread(memory, carrier, NULL, NULL, stops.walked, FRAMES, &cut);
    if (count == FRAMES || (walked > 0 && cut))
        verify_table_add(VERIFY_STOP_LONG, 1);
    else
        judge(carrier, walked, (uint32_t)count, 1);
}

/*
 * Call `with` for each thread except the agent's own. A JavaThread stays valid while its thread
 * lives.
 */
static void for_each(struct agent *a, JNIEnv *env,
                     int (*with)(struct agent *a, JNIEnv *env, jthread thread, uint64_t java_thread,
                                 uint32_t index, uint32_t count))
{
    jthread *threads = NULL;
    jint count = 0;
    int more = 1;
    if ((*stopper)->GetAllThreads(stopper, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (more && !agent_owns_thread(a, env, threads[i]))
            more = with(a, env, threads[i], vm_threads_address(env, threads[i]), (uint32_t)i,
                        (uint32_t)count);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*stopper)->Deallocate(stopper, (unsigned char *)threads);
}

static int stop_one(struct agent *a, JNIEnv *env, jthread thread, uint64_t java_thread,
                    uint32_t index, uint32_t count)
{
    if (java_thread == 0 || a->dying ||
        (*stopper)->SuspendThread(stopper, thread) != JVMTI_ERROR_NONE)
        return !a->dying;
    /* A suspended thread lives. Its eetop was read earlier and may be 0 now. */
    compare_suspended(a, thread, java_thread);
    (*stopper)->ResumeThread(stopper, thread);
    return 1;
}

void verify_stops_round(struct agent *a, JNIEnv *env)
{
    for_each(a, env, stop_one);
}

static void judge_after(const struct verify_sample_kept *s, uint32_t count)
{
    uint32_t common;
    take_theirs(count);
    common = verify_compare_common(s->ours, s->count, stops.theirs, count, 0);
    verify_table_add(VERIFY_AFTER_COMPARED, 1);
    if (common == s->count && common == count)
        verify_table_add(VERIFY_AFTER_SAME, 1);
    else
        verify_table_add(common > 0 ? VERIFY_AFTER_MOVED : VERIFY_AFTER_BOTTOM, 1);
    if (common == 0) {
        struct verify_example *e = verify_table_example("after", "bottom", 1);
        if (e)
            verify_sample_keep(e, 0, s->ours, s->count, stops.theirs, count);
    }
}

static int sample_one(struct agent *a, JNIEnv *env, jthread thread, uint64_t java_thread,
                      uint32_t index, uint32_t count)
{
    const struct verify_sample_kept *s;
    jint depth = 0;
    if (index != stops.next_thread % count)
        return 1;
    if (java_thread == 0 || carries_virtual(java_thread))
        return 0;
    verify_sample_want(java_thread);
    s = verify_sample_take(WAIT_MS);
    if (!s)
        return 0;
    if ((*stopper)->GetStackTrace(stopper, thread, 0, FRAMES, stops.infos, &depth) !=
            JVMTI_ERROR_NONE ||
        depth == 0 || depth == FRAMES)
        verify_table_add(VERIFY_AFTER_ENDED, 1);
    else if (!carries_virtual(java_thread))
        judge_after(s, (uint32_t)depth);
    return 0;
}

void verify_stops_after_sample(struct agent *a, JNIEnv *env)
{
    stops.next_thread++;
    for_each(a, env, sample_one);
}
