/*
 * injector_later.c - see injector_later.h.
 *
 * The tag of a class has two bits for each user: the class waits to be changed for this user; and
 * this user's probe is not in the class yet. So if a user leaves before its probe was put in,
 * nothing is to be done for it. The tag also has the greatest heat that the class ever had, because
 * replacing a class makes compiled code of other classes void; and how often the class was seen on
 * the stack of a thread that ran.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/injector_later.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/hotspot.h"
#include "hotspot/layout.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "safe/release.h"
#include "vm/class_heat.h"
#include "vm/injector.h"
#include "vm/injector_seen.h"
#include "vm/vm_pause.h"

enum {
    NAME_SIZE = 65536,
    NEW_SHIFT = 16, /* distance from the bit "waits" to the bit "is not in it yet" */
    HEAT_SHIFT = 32,
    HEAT_MASK = 7,
    SEEN_SHIFT = 36,
    SEEN_MASK = 0xffff,
    STEP_CLASSES_MAX = 4096,
    GROWTH_MAX = 4,
    REFRESH_MS = 2000,
    RANK_FIRST = UINT16_MAX * 8 + CLASS_HEAT_OPTIMIZED + 1,
    /* Rests after a stop, in times of the stop. Classes that are seen to run get a tenth of the
     * time, classes that the compilers have compiled a twentieth, other classes a fiftieth. */
    RESTS_OWED = 3, /* a quarter of the time while a user waits until all is done */
    RESTS_SEEN = 9,
    RESTS_COMPILED = 19,
    RESTS_OTHER = 49,
    LOOK_DEPTH = 12,
    THREADS_SEEN_MAX = 256,
    DEAR_NS = 2000000, /* replacing one class takes so long that a choice is worth it */
};

/* A class that waits for its turn. */
struct waiting {
    jweak klass;
    uint32_t rank;
    /* its change is due: a user counts exactly, or has left and its probe may not stay */
    bool is_owed;
    bool is_awaited; /* a user waits for this change */
    bool is_idle;    /* only users that draw samples want it, and its methods have never run */
};

static struct {
    struct hotspot *vm; /* NULL: methods cannot be read, so all classes count as equally hot */
    bool was_opened;
    struct waiting *queue;
    uint32_t count, next; /* classes in front of `next` have had their turn */
    uint64_t filled_ns;
    uint32_t awaited;
    uint32_t batch;    /* count of classes in the next step */
    uint64_t class_ns; /* time for one class in the last step */
    uint32_t rests;
    struct injector_later_cover covers[INJECTOR_USERS_MAX];
} later = {.batch = 1};

static jlong waits_mask(jlong tag)
{
    return tag & (((jlong)1 << HEAT_SHIFT) - 1);
}

static uint32_t heat_in(jlong tag)
{
    return (uint32_t)(tag >> HEAT_SHIFT) & HEAT_MASK;
}

static uint32_t seen_in(jlong tag)
{
    return (uint32_t)(tag >> SEEN_SHIFT) & SEEN_MASK;
}

static jlong with_heat(jlong tag, uint32_t heat)
{
    return (tag & ~((jlong)HEAT_MASK << HEAT_SHIFT)) | (jlong)heat << HEAT_SHIFT;
}

static jlong waits_bit(const struct injector_user *u)
{
    return (jlong)1 << u->number;
}

static jlong new_bit(const struct injector_user *u)
{
    return (jlong)1 << (u->number + NEW_SHIFT);
}

/* ---- what is to be done */

static jlong tag_for(jlong tag, const struct injector_user *u)
{
    const jlong waits = waits_bit(u), is_new = new_bit(u);
    if (!u->is_added)
        return tag & is_new ? tag & ~(waits | is_new) : tag | waits;
    if (u->wants_more || (tag & waits && !u->may_stay))
        return tag | waits;
    return tag & waits ? tag & ~waits : tag | waits | is_new;
}

/* The users that were added or removed, and the classes that are left as they are. */
struct planning {
    struct injector_users changed;
    struct injector_events recorded;
};

static void plan_one(JNIEnv *env, jclass klass, char *name, void *arg)
{
    const struct planning *p = arg;
    const struct injector_users *changed = &p->changed;
    jvmtiEnv *jvmti = injector_env();
    jlong tag = 0, before;
    if (!injector_can_change(klass, name, NAME_SIZE) || own_class_is(name, strlen(name)) ||
        injector_is_recorded(&p->recorded, env, klass) ||
        (*jvmti)->GetTag(jvmti, klass, &tag) != JVMTI_ERROR_NONE)
        return;
    before = tag;
    for (uint32_t i = 0; i < changed->count; i++) {
        struct injector_user *u = changed->users[i];
        if ((!u->wants || u->wants(name)) && !injector_seen_is_plain(name, u))
            tag = tag_for(tag, u);
    }
    if (tag != before)
        (*jvmti)->SetTag(jvmti, klass, waits_mask(tag) ? tag : 0);
}

/* Call `what` for each loaded class. If `planned` is given, first find the classes of the
 * recorder. */
static void each_class(JNIEnv *env, struct planning *planned,
                       void (*what)(JNIEnv *env, jclass klass, char *name, void *arg), void *arg)
{
    jvmtiEnv *jvmti = injector_env();
    char *name = malloc(NAME_SIZE);
    jclass *classes = NULL;
    jint count = 0;
    /* one more reference for each class */
    if (!name || (*env)->PushLocalFrame(env, 16) != JNI_OK) {
        free(name);
        return;
    }
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        if (planned)
            planned->recorded = injector_recorded(&planned->changed, classes, count);
        for (jint i = 0; i < count; i++)
            what(env, classes[i], name, arg);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    }
    (*env)->PopLocalFrame(env, NULL);
    free(name);
}

static void forget_queue(JNIEnv *env)
{
    for (uint32_t i = 0; i < later.count; i++)
        if (later.queue[i].klass)
            (*env)->DeleteWeakGlobalRef(env, later.queue[i].klass);
    free(later.queue);
    later.queue = NULL;
    later.count = later.next = 0;
}

/* Methods are read only while a user is added, because its recording keeps the guard against faults
 * installed. */
static void set_reading(bool is_wanted)
{
    const char *missing;
    if (!is_wanted && later.vm) {
        hotspot_close(later.vm);
        later.vm = NULL;
    }
    if (is_wanted && !later.was_opened) {
        if (hotspot_open_own(LAYOUT_walk | LAYOUT_names, &later.vm, &missing) != 0) {
            later.vm = NULL;
        } else if (!class_heat_can(&later.vm->layout)) {
            hotspot_close(later.vm);
            later.vm = NULL;
        }
    }
    later.was_opened = is_wanted;
}

int injector_later_plan(JNIEnv *env)
{
    struct injector_users changed, added;
    if (!injector_env())
        return 0;
    if (!injector_has_tags() || injector_release() >= RELEASE_STOP_IS_LINEAR)
        return E_UNSUPPORTED;
    injector_hold();
    changed = injector_take_changed();
    added = injector_added();
    set_reading(added.count > 0);
    if (changed.count > 0) {
        struct planning planning = {.changed = changed};
        each_class(env, &planning, plan_one, &planning);
        for (uint32_t i = 0; i < changed.count; i++) {
            struct injector_user *u = changed.users[i];
            u->wants_more = false;
            if (u->is_added) /* a user that has left may still ask for its counts */
                later.covers[u->number] = (struct injector_later_cover){.changed = 0};
        }
        forget_queue(env);
        later.batch = 1;
        later.class_ns = 0;
    }
    injector_let_go();
    return changed.count > 0;
}

/* ---- the order of classes */

/* The facts about one class that waits. */
struct judged {
    uint32_t heat;
    bool is_first, is_idle;
    jlong tag; /* without the bits of users for which nothing is to be done after all */
};

static uint32_t rank_of(const struct judged *j)
{
    return j->is_first ? RANK_FIRST : seen_in(j->tag) * (HEAT_MASK + 1) + j->heat;
}

/* Judge a class for one user: whether its methods run, and whether it has methods that the user
 * means. */
static void judge_for(const struct injector_user *u, uint64_t klass, const char *name,
                      struct judged *j)
{
    struct mem_view v = {.mem = later.vm->mem};
    struct class_heat_result r;
    if (class_heat_read(&v, &later.vm->layout, klass, u->code, &r) != 0) {
        j->is_idle = false;
        return;
    }
    if (r.meant == 0 && j->tag & new_bit(u) && u->code) {
        j->tag &= ~(waits_bit(u) | new_bit(u));
        injector_seen_note(name, u, true);
        return;
    }
    j->is_idle &= u->draws && j->tag & new_bit(u) && r.heat == CLASS_HEAT_IDLE;
    if (r.heat > j->heat)
        j->heat = r.heat;
}

/* Whether a class comes before all others. Every constructor calls that of Object. And a user that
 * wants only a few loaded classes waits for these. */
static bool is_first(const struct injector_users *all, jlong tag, const char *name)
{
    if (strcmp(name, "java/lang/Object") == 0)
        return true;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->users[i]->wants_loaded_only && tag & waits_bit(all->users[i]))
            return true;
    return false;
}

static struct judged judge(const struct injector_users *all, jclass klass, jlong tag,
                           const char *name)
{
    struct judged j = {.heat = CLASS_HEAT_RUN, .tag = tag};
    struct mem_view v;
    uint64_t address;
    j.is_first = is_first(all, tag, name);
    if (j.is_first || !later.vm)
        return j;
    v = (struct mem_view){.mem = later.vm->mem};
    address = class_heat_klass(&v, &later.vm->layout, (uint64_t)(uintptr_t)klass);
    if (!address)
        return j;
    j.heat = heat_in(tag);
    j.is_idle = j.heat == CLASS_HEAT_IDLE && seen_in(tag) == 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (tag & waits_bit(all->users[i]))
            judge_for(all->users[i], address, name, &j);
    j.tag = waits_mask(j.tag) ? with_heat(j.tag, j.heat) : 0;
    return j;
}

struct filling {
    struct injector_users all;
    uint32_t capacity;
    /* indexed by the number of the user */
    uint32_t left[INJECTOR_USERS_MAX], idle[INJECTOR_USERS_MAX];
};

static void count_waiting(struct filling *f, const struct judged *j)
{
    for (uint32_t i = 0; i < f->all.count; i++) {
        uint32_t number = f->all.users[i]->number;
        if (j->tag & new_bit(f->all.users[i]))
            *(j->is_idle ? &f->idle[number] : &f->left[number]) += 1;
    }
}

/* Note whether the change is due because a user counts exactly, or has left and its probe may not
 * stay. */
static void note_due(const struct injector_users *all, jlong tag, struct waiting *w)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const struct injector_user *u = all->users[i];
        bool is_owed = tag & waits_bit(u) && (u->is_added ? !u->draws : !u->may_stay);
        w->is_owed |= is_owed;
        w->is_awaited |= is_owed && !u->tells_left;
    }
}

static void add_waiting(JNIEnv *env, jclass klass, char *name, void *arg)
{
    struct filling *f = arg;
    jvmtiEnv *jvmti = injector_env();
    struct judged j;
    jlong tag = 0;
    if ((*jvmti)->GetTag(jvmti, klass, &tag) != JVMTI_ERROR_NONE || tag == 0 ||
        !injector_can_change(klass, name, NAME_SIZE))
        return;
    j = judge(&f->all, klass, tag, name);
    if (j.tag != tag)
        (*jvmti)->SetTag(jvmti, klass, j.tag);
    if (j.tag == 0)
        return;
    count_waiting(f, &j);
    if (later.count == f->capacity) {
        uint32_t more = f->capacity ? 2 * f->capacity : STEP_CLASSES_MAX;
        struct waiting *queue = realloc(later.queue, more * sizeof(*queue));
        if (!queue)
            return; /* the class is met again when the queue is filled next */
        later.queue = queue;
        f->capacity = more;
    }
    struct waiting *w = &later.queue[later.count++];
    *w = (struct waiting){
        .klass = (*env)->NewWeakGlobalRef(env, klass), .rank = rank_of(&j), .is_idle = j.is_idle};
    note_due(&f->all, j.tag, w);
    later.awaited += w->is_awaited;
}

static int hotter_first(const void *a, const void *b)
{
    uint32_t left = ((const struct waiting *)a)->rank, right = ((const struct waiting *)b)->rank;
    if (((const struct waiting *)a)->is_idle != ((const struct waiting *)b)->is_idle)
        return ((const struct waiting *)a)->is_idle ? 1 : -1;
    return left < right ? 1 : left > right ? -1 : 0;
}

/* Publish the counts at the end, because other threads read them at any time. A user that has left
 * may still ask for its old counts. */
static void publish(const struct filling *f)
{
    for (uint32_t i = 0; i < f->all.count; i++) {
        uint32_t number = f->all.users[i]->number;
        struct injector_later_cover *c = &later.covers[number];
        if (!f->all.users[i]->is_added)
            continue;
        c->left = f->left[number];
        c->idle = f->idle[number];
        if (c->left > 0)
            c->since_ns = 0;
    }
}

static void fill_queue(JNIEnv *env)
{
    struct filling f = {.all = injector_all(), .capacity = 0};
    forget_queue(env);
    later.awaited = 0;
    each_class(env, NULL, add_waiting, &f);
    publish(&f);
    if (later.count > 0)
        qsort(later.queue, later.count, sizeof(*later.queue), hotter_first);
    later.filled_ns = clock_monotonic_ns();
}

/* ---- one step */

/* Whether a class costs so much that a choice among classes is worth it. */
static bool is_dear(void)
{
    return later.class_ns > DEAR_NS;
}

/* Choose the size of the next step. After a short stop the next step may be larger; after a long
 * stop it must be smaller. */
static void learn(uint32_t changed, uint64_t stop_ns)
{
    uint64_t next;
    later.class_ns = stop_ns / changed;
    next = (uint64_t)changed * INJECTOR_LATER_STOP_NS / (stop_ns ? stop_ns : 1);
    if (next > (uint64_t)changed * GROWTH_MAX)
        next = (uint64_t)changed * GROWTH_MAX;
    if (next > STEP_CLASSES_MAX)
        next = STEP_CLASSES_MAX;
    later.batch = next ? (uint32_t)next : 1;
}

static void note_changed(const struct injector_users *all, jlong tag)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct injector_later_cover *c = &later.covers[all->users[i]->number];
        if (tag & new_bit(all->users[i])) {
            c->changed++;
            *(c->left > 0 ? &c->left : &c->idle) -= 1; /* idle classes come last */
            if (c->left == 0 && c->since_ns == 0)
                c->since_ns = clock_monotonic_ns();
        }
    }
}

static void note_stop(const struct injector_users *added, uint64_t stop_ns)
{
    for (uint32_t i = 0; i < added->count; i++) {
        struct injector_later_cover *c = &later.covers[added->users[i]->number];
        c->stops++;
        c->stopped_ns += stop_ns;
        if (stop_ns > c->longest_ns)
            c->longest_ns = stop_ns;
    }
}

/* Take the next classes that are still loaded, as local references. */
static uint32_t take_batch(JNIEnv *env, jclass *classes, uint32_t *ret_rank)
{
    jvmtiEnv *jvmti = injector_env();
    uint32_t count = 0, rank = 0;
    later.rests = RESTS_SEEN;
    while (count < later.batch && later.next < later.count) {
        struct waiting *w = &later.queue[later.next];
        jlong tag = 0;
        if (count > 0 && rank == RANK_FIRST && w->rank != RANK_FIRST)
            break; /* the classes that are needed at once do not wait for others */
        if (w->is_idle && is_dear())
            break;
        later.next++;
        later.awaited -= w->is_awaited;
        rank = w->rank;
        if (w->is_owed)
            later.rests = RESTS_OWED;
        else if (is_dear() && rank <= HEAT_MASK && injector_added().count > 0)
            later.rests = rank >= CLASS_HEAT_COMPILED ? RESTS_COMPILED : RESTS_OTHER;
        classes[count] = w->klass ? (*env)->NewLocalRef(env, w->klass) : NULL;
        if (!classes[count])
            continue; /* the class was unloaded */
        if ((*jvmti)->GetTag(jvmti, classes[count], &tag) == JVMTI_ERROR_NONE && tag != 0)
            count++;
    }
    *ret_rank = rank;
    return count;
}

static uint32_t change(JNIEnv *env, uint64_t *ret_stop_ns)
{
    jvmtiEnv *jvmti = injector_env();
    jclass *classes = malloc(later.batch * sizeof(jclass));
    struct injector_users all = injector_all(), added = injector_added();
    uint32_t count = 0, rank;
    *ret_stop_ns = 0;
    if (!classes || (*env)->PushLocalFrame(env, (jint)later.batch + 16) != JNI_OK) {
        free(classes);
        return 0;
    }
    count = take_batch(env, classes, &rank);
    if (count > 0) {
        *ret_stop_ns = injector_change(env, classes, (jint)count);
        for (uint32_t i = 0; i < count; i++) {
            jlong tag = 0;
            (*jvmti)->GetTag(jvmti, classes[i], &tag);
            (*jvmti)->SetTag(jvmti, classes[i], 0);
            note_changed(&all, tag);
        }
        note_stop(&added, *ret_stop_ns);
        if (rank != RANK_FIRST) /* the very first change makes compiled code of all kinds void, so
                                   its time says nothing */
            learn(count, *ret_stop_ns);
    }
    (*env)->PopLocalFrame(env, NULL);
    free(classes);
    return count;
}

struct injector_later_step injector_later_step(JNIEnv *env)
{
    struct injector_later_step s = {.changed = 0};
    injector_hold();
    if (later.count == 0 ||
        clock_monotonic_ns() - later.filled_ns > (uint64_t)REFRESH_MS * NS_PER_MS)
        fill_queue(env);
    if (later.next < later.count)
        s.changed = change(env, &s.stop_ns);
    s.rests = later.rests;
    s.awaited = later.awaited;
    s.is_dear = is_dear();
    *(is_dear() && later.next < later.count && later.queue[later.next].is_idle ? &s.idle
                                                                               : &s.left) =
        later.count - later.next;
    if (later.next == later.count)
        forget_queue(env);
    injector_let_go();
    return s;
}

static void note_seen(jvmtiEnv *jvmti, jclass klass)
{
    jlong tag = 0;
    if ((*jvmti)->GetTag(jvmti, klass, &tag) == JVMTI_ERROR_NONE && tag && seen_in(tag) < SEEN_MASK)
        (*jvmti)->SetTag(jvmti, klass, tag + ((jlong)1 << SEEN_SHIFT));
}

/* Count the classes of the innermost frames of a thread. */
static void look_at(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiStackInfo *s)
{
    for (jint i = 0; i < s->frame_count; i++) {
        jclass klass = NULL;
        if ((*jvmti)->GetMethodDeclaringClass(jvmti, s->frame_buffer[i].method, &klass) !=
            JVMTI_ERROR_NONE)
            continue;
        note_seen(jvmti, klass);
        (*env)->DeleteLocalRef(env, klass);
    }
}

/* Look at each thread that runs. JVM TI stops the program to get the stacks of all threads. This
 * stop is short compared with the stop in which a VM up to JDK 11 replaces a class. */
static void look_at_threads(jvmtiEnv *jvmti, JNIEnv *env)
{
    jvmtiStackInfo *stacks = NULL;
    jint count = 0, runnable = 0;
    if ((*env)->PushLocalFrame(env, 16) != JNI_OK) /* one more reference for each thread */
        return;
    if (vm_pause_all_stacks(jvmti, LOOK_DEPTH, &stacks, &count) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count && runnable < THREADS_SEEN_MAX; i++) {
            if (!(stacks[i].state & JVMTI_THREAD_STATE_RUNNABLE))
                continue;
            runnable++;
            look_at(jvmti, env, &stacks[i]);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
    }
    (*env)->PopLocalFrame(env, NULL);
}

void injector_later_look(JNIEnv *env)
{
    injector_hold();
    if (is_dear() && later.vm)
        look_at_threads(injector_env(), env);
    injector_let_go();
}

struct injector_later_cover injector_later_covered(const struct injector_user *u)
{
    return later.covers[u->number];
}
