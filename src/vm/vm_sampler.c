/*
 * vm_sampler.c - see vm_sampler.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_sampler.h"
#include "base/err.h"
#include "base/expo.h"
#include "base/splitmix.h"
#include "safe/release.h"
#include "vm/vm.h"
#include "vm/vm_env.h"
#include "vm/vm_flag.h"
#include "vm/vm_shared.h"

enum { FINE_BYTES = 16 << 10 };

static const char rest_flag[] = "TLABRefillWasteFraction";

/* The state of this library. */
static struct {
    int release;
    _Atomic int users;
    bool is_partial; /* see vm_sampler_is_partial() */
} here;

/* A random number in [0, 1). Several threads may ask at once. */
static double draw(struct vm_shared_sampler *s)
{
    return splitmix_fraction(splitmix_next_shared(&s->random));
}

/* The probability that an object of this size is sampled with this interval: distances are
 * exponential. */
static double hit(uint64_t bytes, uint64_t interval)
{
    return interval ? expo_hit((double)bytes / (double)interval) : 1;
}

/* Whether a user of `interval` hears of an object that the VM has sampled with its own interval,
 * which is at most as long. The probability is the user's probability divided by the VM's. */
static bool is_heard(struct vm_shared_sampler *s, uint64_t bytes, uint64_t interval)
{
    uint64_t finest = atomic_load_explicit(&s->interval, memory_order_relaxed);
    return interval <= finest || draw(s) * hit(bytes, finest) < hit(bytes, interval);
}

static void JNICALL on_sampled(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                               jclass klass, jlong size)
{
    struct vm_shared_sampler *s = &vm_shared_block()->sampler;
    uint64_t bytes = (uint64_t)size;
    for (int i = 0; i < VM_SHARED_SAMPLER_USERS; i++) {
        struct vm_shared_sampled *u = &s->users[i];
        vm_sampler_seen *seen = atomic_load_explicit(&u->seen, memory_order_acquire);
        if (seen && is_heard(s, bytes, u->interval))
            seen(env, object, klass, bytes, u->arg);
    }
}

/* Make the environment that serves all users. Errors: 0, E_UNSUPPORTED. Needs the lock. */
static int make_environment(struct vm_shared_sampler *s, const struct vm *vm,
                            struct vm_env_refusal *ret_why)
{
    static const uint64_t needed = VM_ENV_SET(VM_CAN_GENERATE_SAMPLED_OBJECT_ALLOC_EVENTS);
    static const jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sampled};

    int error = vm_env_open_hearing(vm, needed, &callbacks, &s->jvmti, ret_why);

    if (!error) /* without this capability the VM does not report objects without identity */
        (void)vm_env_ask(vm, s->jvmti, VM_CAN_SUPPORT_VALUE_OBJECTS, NULL);
    return error;
}

/*
 * The interval that the VM gets if the finest interval of the users is `interval`.
 *
 * Before JDK 25 the VM does not move the sampling point in a thread's buffer by the bytes that the
 * thread allocates outside of its buffer. It does not compare these bytes with what the buffer gave
 * since the point was set either. So the VM misses a large object too often, and samples a small
 * object after it in its place. This does not happen if the interval is a small part of the large
 * object: then the large object is sampled nearly for sure.
 *
 * Example: two sites allocate the same count of bytes, in arrays of 1 KB and of 256 KB. At 512 KB
 * they got 2/3 and 1/3 of the samples; at 16 KB they differ by less than 1/50. So the VM samples at
 * 16 KB, and users draw from these samples (is_heard()).
 *
 * Source: memAllocator.cpp, notify_allocation_jvmti_sampler(), and threadLocalAllocBuffer.cpp,
 * set_sample_end(), of JDK 17; JDK 25 counts both kinds of bytes alike.
 */
static uint64_t of_the_vm(uint64_t interval)
{
    bool is_right = here.release >= RELEASE_SAMPLER_COUNTS_ALL;
    return is_right || interval <= FINE_BYTES ? interval : FINE_BYTES;
}

/* Set the finest interval that a user asks for; if there are no users, give the sampler back. Needs
 * the lock. */
static int settle(struct vm_shared_sampler *s)
{
    uint64_t finest = UINT64_MAX;
    for (int i = 0; i < VM_SHARED_SAMPLER_USERS; i++)
        if (s->users[i].is_taken && s->users[i].interval < finest)
            finest = s->users[i].interval;
    if (finest == UINT64_MAX) {
        vm_env_close(s->jvmti);
        s->jvmti = NULL;
        return 0;
    }
    finest = of_the_vm(finest);
    if ((*s->jvmti)->SetHeapSamplingInterval(s->jvmti, (jint)finest) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    atomic_store_explicit(&s->interval, finest, memory_order_relaxed);
    return 0;
}

/* Make the VM of JDK 11 sample the objects that it would miss. JDK 11 restores the sampling point
 * of a thread's buffer only after an allocation from a buffer. If an object does not fit, and the
 * VM finds the rest of the buffer too large to throw away, the VM allocates the object elsewhere;
 * the objects that are then allocated in that rest are not sampled. With the value 1 of the flag no
 * rest is too large. The VM reads the flag whenever it hands out a buffer. Source: memAllocator.cpp
 * (JDK 11), allocate_inside_tlab_slow() and notify_allocation_jvmti_sampler(); mended in JDK 12. */
static void keep_no_rests(void)
{
    if (here.users++ == 0 && here.release < RELEASE_SAMPLER_MENDED)
        here.is_partial = vm_flag_lower(rest_flag, 1) != 0;
}

static void keep_rests(void)
{
    if (--here.users == 0)
        vm_flag_restore(rest_flag); /* nothing happens if the flag was not lowered */
}

bool vm_sampler_is_partial(void)
{
    return here.is_partial;
}

uint32_t vm_sampler_bias_percent(void)
{
    enum { LAST_DISTANCE_HOLDS = 33, BUFFERS_APART = 2 }; /* docs/measurements/allocation.md */
    if (here.release < RELEASE_SAMPLER_MENDED)
        return LAST_DISTANCE_HOLDS;
    return here.release < RELEASE_SAMPLER_COUNTS_ALL ? BUFFERS_APART : 0;
}

/* Limit an interval to the VM's type, which is a jint. */
static uint64_t in_range(uint64_t interval)
{
    return interval > INT32_MAX ? INT32_MAX : interval;
}

static int take_user(struct vm_shared_sampler *s, uint64_t interval, void *arg)
{
    int at = 0, error;
    while (at < VM_SHARED_SAMPLER_USERS && s->users[at].is_taken)
        at++;
    if (at == VM_SHARED_SAMPLER_USERS)
        return E_LIMIT;
    s->users[at].is_taken = 1;
    s->users[at].interval = interval;
    s->users[at].arg = arg;
    error = settle(s);
    if (error) {
        s->users[at].is_taken = 0;
        settle(s);
    }
    return error ? error : at;
}

int vm_sampler_open(const struct vm *vm, uint64_t interval, void *arg,
                    struct vm_env_refusal *ret_why)
{
    struct vm_shared *b = vm_shared_block();
    struct vm_shared_sampler *s = &b->sampler;
    int result = 0;
    here.release = vm->release;
    pthread_mutex_lock(&b->lock);
    if (!s->jvmti)
        result = make_environment(s, vm, ret_why);
    if (result == 0)
        result = take_user(s, in_range(interval), arg);
    pthread_mutex_unlock(&b->lock);
    if (result >= 0)
        keep_no_rests();
    return result;
}

void vm_sampler_rest(int user)
{
    struct vm_shared *b = vm_shared_block();
    struct vm_shared_sampler *s = &b->sampler;
    bool is_alone = true;
    pthread_mutex_lock(&b->lock);
    for (int i = 0; i < VM_SHARED_SAMPLER_USERS; i++)
        is_alone &= i == user || !s->users[i].is_taken;
    if (is_alone) {
        vm_env_close(s->jvmti);
        s->jvmti = NULL;
    }
    pthread_mutex_unlock(&b->lock);
}

int vm_sampler_wake(const struct vm *vm)
{
    struct vm_shared *b = vm_shared_block();
    struct vm_shared_sampler *s = &b->sampler;
    int error = 0;
    pthread_mutex_lock(&b->lock);
    if (!s->jvmti)
        error = make_environment(s, vm, NULL);
    if (!error)
        error = settle(s);
    pthread_mutex_unlock(&b->lock);
    return error;
}

int vm_sampler_set_interval(int user, uint64_t interval)
{
    struct vm_shared *b = vm_shared_block();
    struct vm_shared_sampled *u = &b->sampler.users[user];
    uint64_t before = u->interval;
    int error;
    pthread_mutex_lock(&b->lock);
    u->interval = in_range(interval);
    error = settle(&b->sampler);
    if (error)
        u->interval = before;
    pthread_mutex_unlock(&b->lock);
    return error;
}

/* Turn the event on if a user listens, otherwise off. Needs the lock. */
static void turn_event(struct vm_shared_sampler *s)
{
    bool is_wanted = false;
    for (int i = 0; i < VM_SHARED_SAMPLER_USERS; i++)
        is_wanted |= atomic_load_explicit(&s->users[i].seen, memory_order_relaxed) != NULL;
    (*s->jvmti)->SetEventNotificationMode(s->jvmti, is_wanted ? JVMTI_ENABLE : JVMTI_DISABLE,
                                          JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

void vm_sampler_hear(int user, vm_sampler_seen *seen)
{
    struct vm_shared *b = vm_shared_block();
    pthread_mutex_lock(&b->lock);
    atomic_store_explicit(&b->sampler.users[user].seen, seen, memory_order_release);
    turn_event(&b->sampler);
    pthread_mutex_unlock(&b->lock);
}

void vm_sampler_close(int user)
{
    struct vm_shared *b = vm_shared_block();
    struct vm_shared_sampled *u = &b->sampler.users[user];
    pthread_mutex_lock(&b->lock);
    atomic_store_explicit(&u->seen, NULL, memory_order_release);
    turn_event(&b->sampler);
    u->is_taken = 0;
    settle(&b->sampler);
    pthread_mutex_unlock(&b->lock);
    keep_rests();
}
