/*
 * engine_compile.c - event=compile: methods that the VM has compiled, with compiler, level and
 * size.
 *
 * The VM tells of new code on a thread of its own, which does other work of the VM, too. So the
 * handler only reads the header of the code, and keeps what it has read in a queue; beat() or a
 * dump names the methods and counts them. The VM keeps the code alive while the handler runs. A
 * method that is gone when it is asked for its name is not counted: the VM knows which jmethodIDs
 * are valid. docs/compile.md. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include "agent/agent.h"
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/names/names.h"
#include "agent/recording/recording.h"
#include "hotspot/nmethods.h"
#include "hotspot/target.h"
#include "hotspot/vm_flags.h"
#include "options/options_group.h"
#include "profile/sums.h"
#include "safe/clock.h"
#include "vm/vm_env.h"
#include "vm/vm_event.h"

extern const struct options_group options_compile;

extern const struct engine engine_compile;

/* The values of an event, in the order of its kind. */
enum { COMPILED, CODE_BYTES };

enum { QUEUE = 1 << 13 };

/* One piece of code that the VM has told of. */
struct told {
    jmethodID method;
    uint64_t time_ns;
    struct nmethods_row code; /* level 0: the code could not be read */
};

/* The lock is held only for a few loads and stores, so that the VM's thread does not wait. */
static struct {
    struct target target;
    struct nmethods nmethods;
    bool can_read;        /* the VM's code can be read */
    bool has_jvmci;       /* the compiler of level 4 is written in Java */
    pthread_mutex_t lock; /* guards the fields up to `lost` */
    struct told queue[QUEUE];
    uint32_t noted, read; /* how many rows were put in and taken out since the start */
    uint64_t lost;
    uint64_t unnamed;
    struct {
        uint64_t lost, unnamed;
    } before[AGENT_RECORDINGS]; /* when the recording began; by its place */
} compile = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what the VM tells */

/* Read the header of the code. Returns false if it is not compiled from bytecode, but a wrapper of
 * a native method. */
static bool read_code(const void *code, struct nmethods_row *ret)
{
    struct mem_view view = {.mem = compile.target.mem};
    struct hs_blob blob;
    *ret = (struct nmethods_row){.state = -1};
    if (!compile.can_read ||
        !hs_code_find(&view, compile.target.layout, (uint64_t)(uintptr_t)code, &blob))
        return true;
    if (blob.kind == HS_BLOB_NATIVE)
        return false;
    if (blob.kind != HS_BLOB_NMETHOD || !nmethods_read(&compile.nmethods, &blob, ret))
        *ret = (struct nmethods_row){.state = -1};
    return true;
}

static void on_code(void *data, jmethodID method, jint code_size, const void *code, jint map_length,
                    const jvmtiAddrLocationMap *map, const void *info)
{
    struct told t = {.method = method, .time_ns = clock_monotonic_ns()};
    if (!read_code(code, &t.code))
        return;
    pthread_mutex_lock(&compile.lock);
    if (compile.noted - compile.read < QUEUE)
        compile.queue[compile.noted++ % QUEUE] = t;
    else
        compile.lost++;
    pthread_mutex_unlock(&compile.lock);
}

static struct vm_event_subscriber heard[] = {
    {.event = VM_EVENT_COMPILED_METHOD, .on.compiled_method = on_code},
};

enum { HEARD = sizeof(heard) / sizeof(heard[0]) };

/* ---- the engine */

static int prepare(const struct options *o)
{
    return 0;
}

static const struct engine_need need = {.what = VM_CAN_GENERATE_COMPILED_METHOD_LOAD_EVENTS,
                                        .refused = "event=compile: %s"};

static int start(struct agent *a, JNIEnv *env)
{
    const char *missing = NULL;
    compile.can_read = target_open_self(&compile.target, &missing) == 0;
    if (compile.can_read) {
        nmethods_init(&compile.nmethods, &compile.target);
        compile.has_jvmci =
            vm_flags_number(&compile.target, "UseJVMCICompiler", sizeof(bool), 0) != 0;
    } else {
        log_note("event=compile: compilers, levels and sizes are not known: %s", missing);
    }
    return vm_event_add_all(heard, HEARD, NULL);
}

/* The name of the compiler, as the JDK's recordings have it; "": unknown. */
static const char *compiler_of(uint8_t level)
{
    if (level == 0)
        return "";
    return level < 4 ? "c1" : compile.has_jvmci ? "jvmci" : "c2";
}

static void count(struct agent *a, const struct told *t)
{
    frame_id named = names_frame(a, t->method, -1);
    if (!named) {
        compile.unnamed++;
        return;
    }
    if (names_is_own(a, named))
        return;
    const struct event_compilation details = {
        .method = profile_frame_at(a->profile, named)->method,
        .id = t->code.id,
        .level = t->code.level,
        .is_osr = t->code.is_osr,
    };
    /* as a reader makes it from the method alone */
    frame_id frame = profile_frame(a->profile, details.method, -1, PROFILE_LINE_NONE);
    struct event e = {.kind = KIND_COMPILE,
                      .text = profile_cstring(a->profile, compiler_of(t->code.level)),
                      .time_ns = t->time_ns,
                      .value = {[COMPILED] = 1, [CODE_BYTES] = t->code.bytes},
                      .of_vm.compilation = &details};
    trace_id whole = frame ? profile_trace(a->profile, 0, &frame, 1) : 0;
    compile.lost += whole ? engine_count(a, &engine_compile, &e, whole, false) : 1;
}

/* Count the compilations since the last call, for all recordings that want them. Needs the agent's
 * lock. */
static void tell(struct agent *a)
{
    pthread_mutex_lock(&compile.lock);
    uint32_t noted = compile.noted;
    pthread_mutex_unlock(&compile.lock);
    /* only this function changes `read`, and no row before `noted` is written meanwhile */
    for (uint32_t i = compile.read; i != noted; i++)
        count(a, &compile.queue[i % QUEUE]);
    pthread_mutex_lock(&compile.lock);
    compile.read = noted;
    pthread_mutex_unlock(&compile.lock);
}

static void beat(struct agent *a, JNIEnv *env)
{
    tell(a);
}

static int join(struct agent *a, struct recording *r)
{
    tell(a);
    compile.before[r->place].lost = compile.lost;
    compile.before[r->place].unnamed = compile.unnamed;
    return 0;
}

static void dump(struct agent *a, struct recording *r)
{
    tell(a);
    recording_set_quality(r, QUALITY_COMPILE_LOST, compile.lost - compile.before[r->place].lost);
    recording_set_quality(r, QUALITY_COMPILE_UNNAMED,
                          compile.unnamed - compile.before[r->place].unnamed);
    recording_table(r, KIND_COMPILE);
    recording_put_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    tell(a);
    const uint64_t *total = tally_sums(r->tally, KIND_COMPILE)->total;
    snprintf(ret, ENGINE_STATUS, "compiled=%llu code=%llu", (unsigned long long)total[COMPILED],
             (unsigned long long)total[CODE_BYTES]);
}

static void stop(struct agent *a)
{
    vm_event_remove_all(heard, HEARD);
}

static int release(struct agent *a, JNIEnv *env)
{
    enum { WAIT_MS = 2000 };
    vm_event_remove_all(heard, HEARD);
    if (!vm_event_settle(WAIT_MS)) {
        log_error("event=compile: the VM still tells of compiled code");
        return -EBUSY;
    }
    if (compile.can_read)
        target_close(&compile.target);
    compile.can_read = false;
    compile.noted = compile.read = 0;
    compile.lost = compile.unnamed = 0;
    return 0;
}

const struct engine engine_compile = {
    .name = "compile",
    .help = "event=compile: methods that the VM compiles, by method and compiler",
    .dumping = " compilations ...",
    .begun = "compilations",
    .options = &options_compile,
    .owns = {.needs = &need, .need_count = 1, .counts = "compile"},
    .prepare = prepare,
    .start = start,
    .beat = beat,
    .sharing = {.join = join},
    .dump = dump,
    .stop = stop,
    .status = status,
    .release = release,
};
