/*
 * times_select.c - see times_select.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_select.h"
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include "agent/names/methods.h"
#include "agent/times/times_class.h"
#include "agent/times/times_left.h"
#include "agent/times/times_tree.h"
#include "agent/times/times_wait.h"
#include "options/options_times.h"
#include "safe/release.h"
#include "vm/method_filter.h"
#include "vm/vmself.h"

static struct times_select select_how;
static pthread_t batch; /* the thread that changes the classes loaded at the start */
static bool is_batch;   /* that thread is at work */

void times_select_set(struct times_select how)
{
    select_how = how;
}

static struct method_filter filter(void)
{
    return (struct method_filter){select_how.options->include, select_how.options->exclude};
}

static bool is_wanted(struct cpool_utf8 class_name, struct cpool_utf8 name)
{
    struct method_filter f = filter();
    return method_filter_wants(&f, class_name.bytes, class_name.len, name.bytes, name.len);
}

static bool wants_class(const char *name)
{
    struct method_filter f = filter();
    return (select_how.is_apart && times_wait_has_class(name)) ||
           method_filter_wants_some(&f, name, strlen(name));
}

/*
 * Whether an intrinsic method of this class can be counted like other methods. The tracker itself
 * needs some of them.
 */
static bool can_be_counted(struct cpool_utf8 class_name)
{
    static const char *const needed[] = {"java/lang/Object", "java/lang/System", "java/lang/Thread",
                                         "jdk/internal/misc/Unsafe"};
    if (!select_how.options->intrinsics || !is_batch || batch != pthread_self())
        return false;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (cpool_utf8_is(class_name, needed[i]))
            return false;
    return true;
}

int32_t times_select_add(const struct instrument_method *m)
{
    int32_t number = methods_add(m);
    return number >= 0 && times_tree_add_method(number) != 0 ? -1 : number;
}

static int32_t select_method(void *context, const struct instrument_method *m)
{
    enum times_left_intrinsic kind = select_how.release < RELEASE_INTERNAL_UNSAFE
                                         ? times_left_intrinsic_8(m)
                                         : TIMES_LEFT_NO_INTRINSIC;
    int waits = select_how.is_apart && times_wait_has(m);
    int32_t number;
    if (!waits && !is_wanted(m->class_name, m->name))
        return -1;
    if (m->advice == INSTRUMENT_INJECTED && kind != TIMES_LEFT_NO_INTRINSIC &&
        !(select_how.options->intrinsics && kind == TIMES_LEFT_CAN_BE_OFF)) {
        times_left_add(m->class_name, m->name, m->desc, INSTRUMENT_INTRINSIC);
        return -1;
    }
    if (m->advice != INSTRUMENT_INJECTED &&
        !(m->advice == INSTRUMENT_INTRINSIC && can_be_counted(m->class_name)))
        return -1;
    number = times_select_add(m);
    if (waits)
        times_wait_mark(number);
    return number;
}

static const struct instrument_probe probe = {
    .tracker = TIMES_CLASS,
    .kept = 'J',
    .enter_keep = TIMES_CLASS_ENTER,
    .exit_keep = TIMES_CLASS_EXIT,
    .caught = TIMES_CLASS_CAUGHT,
    .keep = INSTRUMENT_KEEP_ALL,
    .huge_bytes = INSTRUMENT_HUGE_BYTES,
    .select = select_method,
};

/*
 * Spoil the annotations that allow the compilers to replace methods of the class, by changing the
 * Utf8 constant with the name of their type.
 */
static void unmark(const struct instrument_result *r)
{
    static const char *const marks[] = {"Ljdk/internal/vm/annotation/IntrinsicCandidate;",
                                        "Ljdk/internal/HotSpotIntrinsicCandidate;"};
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        size_t len = strlen(marks[i]);
        char *at = memmem(r->bytes, r->len, marks[i], len);
        if (at && at - (const char *)r->bytes >= 3 && at[-3] == CPOOL_UTF8)
            at[len - 2] = '_';
    }
}

static void done(const struct instrument_result *r, const struct instrument_share *own)
{
    if (own->injected > 0 && select_how.release >= RELEASE_INTERNAL_UNSAFE &&
        can_be_counted(r->class_name))
        unmark(r);
    for (uint32_t i = 0; i < r->row_count; i++) {
        const struct instrument_row *row = &own->rows[i];
        if (row->verdict != INSTRUMENT_INJECTED && row->verdict != INSTRUMENT_NO_CODE &&
            row->verdict != INSTRUMENT_NOT_SELECTED && is_wanted(r->class_name, row->name))
            times_left_add(r->class_name, row->name, row->desc, row->verdict);
    }
}

/*
 * Intrinsics are counted if the compilers do not recognise them. JDK 8 has a flag for this. Later
 * VMs look for an annotation, and while the flag CheckIntrinsics is on, they print a complaint on
 * the program's output if an annotation is missing. So the flag is off while the loaded classes are
 * changed; classes that are loaded later keep their annotations. Two optimisations of the compilers
 * work without looking at annotations.
 */
static void begin_batch(JNIEnv *env)
{
    batch = pthread_self();
    is_batch = true;
    if (!select_how.options->intrinsics)
        return;
    if (select_how.release < RELEASE_INTERNAL_UNSAFE)
        vmself_set_text("DisableIntrinsic", times_left_ids_8);
    else
        vmself_turn_off("CheckIntrinsics");
    vmself_turn_off("OptimizeStringConcat");
    vmself_turn_off("EliminateAutoBox");
}

static void end_batch(JNIEnv *env)
{
    if (select_how.options->intrinsics && select_how.release >= RELEASE_INTERNAL_UNSAFE)
        vmself_turn_on("CheckIntrinsics");
    is_batch = false;
}

struct injector_user times_select_user = {
    .probe = &probe,
    .layer = INJECTOR_CALLS,
    .tells_left = true,
    .wants = wants_class,
    .done = done,
    .begin = begin_batch,
    .end = end_batch,
};
