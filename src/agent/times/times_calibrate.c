/*
 * times_calibrate.c - see times_report.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_report.h"
#include <time.h>
#include "agent/times/times_class.h"
#include "agent/times/times_clock.h"
#include "agent/times/times_tracker.h"
#include "agent/times/times_tree.h"
#include "safe/clock.h"
#include "vm/vm_lookup.h"

enum {
    ROUND_CALLS = 1000,
    ROUNDS_MIN = 20,
    /* rounds are compiled if they take less than a 16th of the time of interpreted ones */
    COMPILED_PART = 16,
    PAUSES_MAX = 40,      /* pauses in which the compilers may work */
    PAUSE_NS = NS_PER_MS, /* length of a pause */
};

/* ns of a call that does nothing */
static struct {
    double inside, all;
    bool is_known, is_compiled;
} least;

/* Measure in one round what an injected call of an empty method costs, inside it and in all. */
static int run_round(JNIEnv *env, jmethodID calibrate, const struct times_node *node,
                     double *ret_inside, double *ret_all)
{
    int64_t count = node->count, time = node->time;
    uint64_t began = clock_monotonic_ns(), ns;
    (*env)->CallStaticVoidMethod(env, times_tracker_class(), calibrate, (jint)ROUND_CALLS);
    ns = clock_monotonic_ns() - began;
    if (vm_lookup_clear(env) || node->count - count != ROUND_CALLS)
        return -1;
    *ret_inside = (double)(node->time - time) * times_clock_unit_ns() / ROUND_CALLS;
    *ret_all = (double)ns / ROUND_CALLS;
    return 0;
}

/*
 * The smallest result of many rounds: by then the compilers have finished. A round takes some tens
 * of microseconds, less than the scheduler gives a thread at a time. So of many rounds most are not
 * interrupted, even if other threads want the processor. CPU time cannot be used: what a hypervisor
 * or an interrupt took is subtracted from CPU time later than it happened, and a round that seems
 * too short would be the smallest. If other threads want the processor, the compilers get it only
 * while this thread waits.
 */
struct times_report_cost times_calibrate(JNIEnv *env, uint64_t budget_ns, bool is_last,
                                         bool is_too_coarse)
{
    const struct timespec pause = {0, PAUSE_NS};
    int pauses = least.is_compiled ? 0 : PAUSES_MAX;
    jmethodID method =
        (*env)->GetStaticMethodID(env, times_tracker_class(), TIMES_CLASS_CALIBRATE, "(I)V");
    uint64_t began = clock_thread_cpu_ns();
    struct times_block *block = method ? times_tracker_block(env) : NULL;
    const struct times_node *node = block ? times_tree_callee(block, TIMES_PROBE) : NULL;
    double inside, all, most = 0;
    for (int i = 0; node && (i < ROUNDS_MIN || clock_thread_cpu_ns() - began < budget_ns ||
                             (is_last && pauses > 0));
         i++) {
        if (run_round(env, method, node, &inside, &all) != 0)
            break;
        if (!least.is_known || all < least.all) {
            least.inside = inside;
            least.all = all;
            least.is_known = true;
        }
        most = all > most ? all : most;
        least.is_compiled |= least.all * COMPILED_PART <= most;
        if (least.is_compiled)
            pauses = 0;
        if (pauses > 0) {
            pauses--;
            nanosleep(&pause, NULL);
        }
    }
    vm_lookup_clear(env);
    inside = least.inside;
    if (is_too_coarse || inside > least.all)
        inside = least.all / 2;
    return (struct times_report_cost){inside, least.all - inside};
}
