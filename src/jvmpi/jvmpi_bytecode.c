/*
 * jvmpi_bytecode.c - see jvmpi_bytecode.h.
 *
 * A method is known by its jmethodID and the address of its version. After a class was changed
 * twice, the memory of a version may belong to another version. So a row that is older than the
 * last weaving of classes is compared with the VM's bytecode. Readers take no lock: rows are added
 * at the head of their bucket and stay until all rows are forgotten.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_bytecode.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/be.h"
#include "base/err.h"
#include "base/lock.h"
#include "base/rd.h"
#include "classfile/cpool.h"
#include "classfile/unwoven.h"
#include "jvmpi/jvmpi_bridge.h"
#include "jvmpi/jvmpi_self.h"
#include "safe/own_class.h"
#include "vm/method_filter.h"
#include "vm/vm_env.h"
#include "vm/vm_names.h"
#include "vm/vm_shared.h"

enum {
    BUCKETS = 1 << 14,
    /* when the rows fill this, a thread keeps only its last method, for itself */
    KEPT_BYTES_MAX = 32 << 20,
    POOL_BYTES_MAX = 4 << 20, /* memory while a constant pool is read */
    TRIES = 8,
    TOP = 0, /* the depth of the innermost frame */
};

struct row {
    struct jvmpi_bytecode bytecode; /* the part that others see */
    struct row *next;
    jmethodID id; /* the id that the VM gives in the event */
    uint64_t version;
    /* the weaving at which `code` was last compared with the VM's bytecode */
    _Atomic uint32_t weaving;
    uint8_t bytes[]; /* offsets, then code */
};

static struct {
    struct row *_Atomic buckets[BUCKETS];
    _Atomic uint32_t period; /* how often all rows were forgotten */
    struct lock lock;        /* held by a thread that adds a row */
    size_t bytes;
} kept = {.lock = LOCK_INIT(JVMPI_BYTECODE)};

/* The method for which the calling thread asked last. */
static __thread struct {
    struct row *row;
    uint32_t period;
    bool is_own; /* the row belongs to the thread */
} last;

/* ---- the VM's bytecode */

static struct vm_shared *shared;

static uint32_t weavings(void)
{
    return atomic_load_explicit(&shared->weavings, memory_order_acquire);
}

/* A method as the VM has it. `code` is the VM's memory. */
struct found {
    jmethodID id;
    unsigned char *code;
    jint len;
};

/* The id that the innermost frame's version has now. */
static jmethodID id_of_frame(jmethodID otherwise)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    jmethodID id = NULL;
    jlocation location;
    return (*jvmti)->GetFrameLocation(jvmti, NULL, TOP, &id, &location) == JVMTI_ERROR_NONE
               ? id
               : otherwise;
}

/* Get the bytes that the innermost frame runs. If the class is changed meanwhile, the frame's
 * version gets another id; then the question is asked again. */
static bool find(jmethodID method, struct found *ret)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    for (int i = 0; i < TRIES; i++) {
        *ret = (struct found){.id = id_of_frame(method)};
        if ((*jvmti)->GetBytecodes(jvmti, ret->id, &ret->len, &ret->code) != JVMTI_ERROR_NONE)
            return false;
        if (id_of_frame(method) == ret->id)
            return true;
        (*jvmti)->Deallocate(jvmti, ret->code);
    }
    return false;
}

/* Whether the VM has made the class itself. Such a class passes no class load hook, so nothing is
 * woven into it. Examples: "LFoo$$Lambda/0x7f;"; and on JDK 8, whose VM does not give the constant
 * pool of such a class, "LFoo$$Lambda$1/212503;". */
static bool is_hidden(const char *signature)
{
    for (const char *at = strchr(signature, '/'); at; at = strchr(at + 1, '/'))
        if (at[1] >= '0' && at[1] <= '9')
            return true;
    return strchr(signature, '.') != NULL;
}

/* Read the constant pool of a class into the arena. */
static bool read_pool(jclass klass, struct arena *a, struct cpool *ret)
{
    jvmtiEnv *jvmti = jvmpi_bridge.vm.main;
    unsigned char *bytes = NULL;
    jint count = 0, len = 0;
    bool is_read = false;
    uint8_t *copy;
    struct rd r;
    if ((*jvmti)->GetConstantPool(jvmti, klass, &count, &len, &bytes) != JVMTI_ERROR_NONE)
        return false;
    copy = arena_alloc(a, (size_t)len + 2);
    if (copy) {
        be_put2(copy, (uint16_t)count);
        memcpy(copy + 2, bytes, (size_t)len);
        rd_init(&r, copy, (size_t)len + 2);
        is_read = cpool_read(ret, &r, a) == 0;
    }
    (*jvmti)->Deallocate(jvmti, bytes);
    return is_read;
}

/* ---- rows */

/* Fill in the code, and the offsets that the instructions would have without probes. */
static void unweave(struct row *r, const struct vm_names_method *names, const struct found *f)
{
    uint16_t *offsets = (uint16_t *)(void *)r->bytes;
    uint8_t *code = r->bytes + (size_t)f->len * sizeof(*offsets);
    struct arena arena;
    struct cpool pool;
    int found;
    memcpy(code, f->code, (size_t)f->len);
    r->bytecode.len = (uint32_t)f->len;
    r->bytecode.code = code;
    if (is_hidden(names->signature))
        return;
    arena_init(&arena, POOL_BYTES_MAX);
    found = read_pool(names->klass, &arena, &pool)
                ? unwoven_map(code, (uint32_t)f->len, &pool, offsets)
                : E_UNSUPPORTED;
    if (found > 0)
        r->bytecode.offsets = offsets;
    else if (found < 0)
        r->bytecode.code = NULL;
    arena_done(&arena);
}

/* Whether agents are to hear of the method: it is not a tracker's, and the options do not leave it
 * out. */
static bool is_told(const struct vm_names_method *names)
{
    size_t len;
    const char *class_name = vm_names_class(names->signature, &len);
    return !own_class_is(class_name, len) &&
           method_filter_wants(&jvmpi_bridge.options.filter, class_name, len, names->name,
                               strlen(names->name));
}

static struct row *make(JNIEnv *env, jmethodID method, uint64_t version, const struct found *f,
                        uint32_t weaving)
{
    size_t bytes = (size_t)f->len * (sizeof(uint16_t) + 1);
    struct row *r = malloc(sizeof(*r) + bytes);
    struct vm_names_method names;
    if (!r)
        return NULL;
    *r = (struct row){.bytecode.method = f->id, .id = method, .version = version};
    atomic_store(&r->weaving, weaving);
    if (vm_names_method(jvmpi_bridge.vm.main, env, f->id, &names)) {
        r->bytecode.method = vm_names_known_id(jvmpi_bridge.vm.main, env, f->id);
        if (is_told(&names))
            unweave(r, &names, f);
        vm_names_done(jvmpi_bridge.vm.main, env, &names);
    }
    return r;
}

static struct row *_Atomic *bucket_of(jmethodID method, uint64_t version)
{
    uint64_t key = (uint64_t)(uintptr_t)method ^ version << 1;
    return &kept.buckets[key * 0x9e3779b97f4a7c15u >> 50];
}

static struct row *look_up(jmethodID method, uint64_t version)
{
    struct row *r = atomic_load_explicit(bucket_of(method, version), memory_order_acquire);
    while (r && (r->id != method || r->version != version))
        r = r->next;
    return r;
}

/* Add a row. Returns false if there is no room. */
static bool add(struct row *r)
{
    struct row *_Atomic *bucket = bucket_of(r->id, r->version);
    size_t bytes = sizeof(*r) + r->bytecode.len * (sizeof(uint16_t) + 1);
    bool is_room;

    lock_take(&kept.lock);
    is_room = kept.bytes + bytes <= KEPT_BYTES_MAX;
    if (is_room) {
        kept.bytes += bytes;
        r->next = atomic_load(bucket);
        atomic_store_explicit(bucket, r, memory_order_release);
    }
    lock_give(&kept.lock);
    return is_room;
}

/* ---- questions */

static void set_last(struct row *r, bool is_own)
{
    if (last.is_own)
        free(last.row);
    last.row = r;
    last.period = atomic_load(&kept.period);
    last.is_own = is_own;
}

/* Whether the row still has the VM's bytecode. */
static bool is_true_still(const struct row *r, const struct found *f)
{
    return r->bytecode.code && r->bytecode.len == (uint32_t)f->len &&
           memcmp(r->bytecode.code, f->code, (size_t)f->len) == 0;
}

static struct row *learn(JNIEnv *env, jmethodID method, uint64_t version, uint32_t weaving)
{
    struct row *r = look_up(method, version);
    struct found f;
    if (r && atomic_load_explicit(&r->weaving, memory_order_relaxed) == weaving) {
        set_last(r, false);
        return r;
    }
    if (!find(method, &f))
        return NULL;
    if (r && is_true_still(r, &f)) {
        atomic_store_explicit(&r->weaving, weaving, memory_order_relaxed);
        set_last(r, false);
    } else {
        r = make(env, method, version, &f, weaving);
        if (r)
            set_last(r, !add(r));
    }
    (*jvmpi_bridge.vm.main)->Deallocate(jvmpi_bridge.vm.main, f.code);
    return r;
}

const struct jvmpi_bytecode *jvmpi_bytecode_of(JNIEnv *env, jmethodID method, uint64_t version)
{
    static const struct jvmpi_bytecode none;
    uint32_t weaving = weavings();
    struct row *r = last.row;
    if (!r || last.period != atomic_load_explicit(&kept.period, memory_order_acquire) ||
        r->id != method || r->version != version ||
        atomic_load_explicit(&r->weaving, memory_order_relaxed) != weaving) {
        jvmpi_self_hush();
        r = learn(env, method, version, weaving);
        jvmpi_self_speak();
    }
    return r ? &r->bytecode : &none;
}

void jvmpi_bytecode_forget(void)
{
    lock_take(&kept.lock);
    atomic_fetch_add(&kept.period, 1);
    for (int i = 0; i < BUCKETS; i++) {
        struct row *r = atomic_exchange(&kept.buckets[i], NULL), *next;
        for (; r; r = next) {
            next = r->next;
            free(r);
        }
    }
    kept.bytes = 0;
    lock_give(&kept.lock);
}

void jvmpi_bytecode_end_thread(void)
{
    set_last(NULL, false);
}

void jvmpi_bytecode_open(void)
{
    shared = vm_shared_block();
    vm_env_ask(&jvmpi_bridge.vm, jvmpi_bridge.vm.main, VM_CAN_GET_BYTECODES, NULL);
    vm_env_ask(&jvmpi_bridge.vm, jvmpi_bridge.vm.main, VM_CAN_GET_CONSTANT_POOL, NULL);
}
