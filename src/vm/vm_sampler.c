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

/* Of this library. */
static struct {
    int release;
    _Atomic int users;
    bool is_partial; /* see vm_sampler_is_partial() */
} here;

/* A random number in [0, 1); many threads may ask at once. */
static double draw(struct vm_shared_sampler *s)
{
    return (double)(splitmix_next_shared(&s->random) >> 11) / (double)((uint64_t)1 << 53);
}

/* The probability with which an interval hits an object: distances are exponential. */
static double hit(uint64_t bytes, uint64_t interval)
{
    return interval ? expo_hit((double)bytes / (double)interval) : 1;
}

/* Whether a user of `interval` hears of an object that the VM has sampled by an interval at most as
 * long: with the probability of the one by that of the other. */
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

/* The environment that serves all. Errors: 0, E_UNSUPPORTED. Needs the lock. */
static int make_environment(struct vm_shared_sampler *s, const struct vm *vm,
                            struct vm_env_refusal *ret_why)
{
    static const uint64_t needed = VM_ENV_SET(VM_CAN_GENERATE_SAMPLED_OBJECT_ALLOC_EVENTS);
    static const jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sampled};

    int error = vm_env_open_hearing(vm, needed, &callbacks, &s->jvmti, ret_why);

    if (!error) /* else objects without identity are not told of */
        (void)vm_env_ask(vm, s->jvmti, VM_CAN_SUPPORT_VALUE_OBJECTS, NULL);
    return error;
}

/*
 * The interval that the VM has where the users' finest is `interval`. Before JDK 25 the sampling
 * point in a thread's buffer does not move by what the thread allocates outside of its buffer, and
 * that is not weighed against what the buffer has given since the point was set. So a large object
 * is missed too often, and a small one behind it is hit for it, unless the interval is a small part
 * of the large one: then it is hit nearly for sure. Two sites that allocate the same bytes in
 * arrays of 1 KB and of 256 KB got 2/3 and 1/3 at 512 KB, and are apart by less than 1/50 at 16 KB.
 * The VM samples so finely, and users draw from that (is_heard()). Source: memAllocator.cpp,
 * notify_allocation_jvmti_sampler(), and threadLocalAllocBuffer.cpp, set_sample_end(), of JDK 17;
 * JDK 25 counts both alike.
 */
static uint64_t of_the_vm(uint64_t interval)
{
    bool is_right = here.release >= RELEASE_SAMPLER_COUNTS_ALL;
    return is_right || interval <= FINE_BYTES ? interval : FINE_BYTES;
}

/* Sets the finest interval that a user asks for; without users, gives the sampler back. Needs the
 * lock. */
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

/*
 * JDK 11 gives the thread's buffer its sampling point back only after what was taken from a buffer.
 * An object that does not fit goes elsewhere if the rest of the buffer is thought too good to be
 * thrown away; what is then taken from that rest is not told of. At a fraction of 1 no rest is too
 * good. The VM reads the flag whenever it gives out a buffer. Source: memAllocator.cpp (JDK 11),
 * allocate_inside_tlab_slow() and notify_allocation_jvmti_sampler(); mended in JDK 12.
 */
static void keep_no_rests(void)
{
    if (here.users++ == 0 && here.release < RELEASE_SAMPLER_MENDED)
        here.is_partial = vm_flag_lower(rest_flag, 1) != 0;
}

static void keep_rests(void)
{
    if (--here.users == 0)
        vm_flag_restore(rest_flag); /* nothing where it was not lowered */
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

/* The VM's number is a jint. */
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

/* The VM tells of samples as long as anybody hears. Needs the lock. */
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
