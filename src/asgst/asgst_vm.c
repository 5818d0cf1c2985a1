/*
 * asgst_vm.c - see asgst_vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_vm.h"
#include "asgst/asgst_classes.h"
#include "asgst/asgst_code.h"
#include "base/err.h"
#include "base/own_tls.h"
#include "base/pages.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "hotspot/layout.h"
#include "hotspot/oops.h"
#include "hotspot/target.h"
#include "hotspot/vmtables.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include "safe/release.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum {
    /* The threads are main and "Reference Handler", or AOTThread of JDK 26, whose Thread object
     * comes after that of main. */
    THREADS_OF_A_READY_VM = 2,
    /* A VM that is still starting may lack a fact that it has a moment later. */
    OPEN_TRIES = 200,
};

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hotspot *early; /* the VM's tables, read before the VM is ready */
static struct hotspot *whole;
static enum asgst_vm_state state;
static const char *missing = "";
static struct asgst_vm vm;
static bool has_slot; /* asgst_thread_find_slot() has succeeded */
static struct asgst_vm *ready;

static const struct fact {
    uint16_t at;
    const char *type, *name;
} facts[] = {
    {offsetof(struct asgst_meta_facts, klass_access), "Klass", "_access_flags"},
    {offsetof(struct asgst_meta_facts, instance_access), "InstanceKlass", "_access_flags"},
    {offsetof(struct asgst_meta_facts, klass_modifiers), "Klass", "_modifier_flags"},
    {offsetof(struct asgst_meta_facts, klass_cld), "Klass", "_class_loader_data"},
    {offsetof(struct asgst_meta_facts, klass_cld), "InstanceKlass", "_class_loader_data"},
    {offsetof(struct asgst_meta_facts, klass_generic), "InstanceKlass", "_generic_signature_index"},
    {offsetof(struct asgst_meta_facts, pool_generic), "ConstantPool", "_generic_signature_index"},
    {offsetof(struct asgst_meta_facts, klass_init_state), "InstanceKlass", "_init_state"},
    {offsetof(struct asgst_meta_facts, klass_constants), "InstanceKlass", "_constants"},
    {offsetof(struct asgst_meta_facts, klass_layout_helper), "Klass", "_layout_helper"},
    {offsetof(struct asgst_meta_facts, const_parameters), "ConstMethod", "_size_of_parameters"},
    {offsetof(struct asgst_meta_facts, array_length), "Array<int>", "_length"},
    {offsetof(struct asgst_meta_facts, array_data), "Array<Method*>", "_data"},
};

/* The distance from _size_of_parameters to _orig_method_idnum, which no table exports. Up to JDK 20
 * the distance is 2; then _num_stack_arg_slots came in between. Source: constMethod.hpp. */
static const struct orig_idnum {
    uint32_t version_max;
    int32_t distance;
} orig_idnums[] = {{20, 2}, {UINT32_MAX, 4}};

static void find_meta(const struct hotspot *h, const struct vmtables *t, struct asgst_meta_facts *f)
{
    uint64_t value;
    for (unsigned i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        int32_t *field = (int32_t *)((char *)f + facts[i].at);
        if (*field == HS_NONE && vmtables_find(t, 'f', facts[i].type, facts[i].name, &value))
            *field = (int32_t)value;
    }
    if (vmtables_find(t, 's', "java_lang_Class", "_klass_offset", &value))
        f->mirror_klass_at = value;
    if (vmtables_find(t, 'i', "JavaThread::_not_terminated", "", &value))
        f->not_terminated = (int32_t)value;
    f->mirror_is_handle = h->layout.version >= RELEASE_MIRROR_HANDLES;
    for (unsigned i = 0; f->const_parameters >= 0; i++) {
        if (h->layout.version <= orig_idnums[i].version_max) {
            f->const_orig_idnum = f->const_parameters + orig_idnums[i].distance;
            break;
        }
    }
}

struct search {
    struct oops oops;
    struct asgst_status_facts facts;
};

/* Find the offsets of the fields in the first thread's object; they are the same for all
 * threads. */
static uint64_t find_fields(struct mem_view *v, const struct hs_layout *l, uint64_t thread,
                            void *arg)
{
    struct search *s = arg;
    struct oops *o = &s->oops;
    struct asgst_status_facts *f = &s->facts;
    uint64_t object = oops_of_handle(o, thread + (uint64_t)l->thread_object);
    uint64_t klass = object != 0 ? oops_klass(o, object) : 0;
    if (klass == 0 || !oops_is_kind(o, klass, "java/lang/Thread"))
        return 0;
    f->eetop = oops_field(o, klass, "eetop");
    f->interrupted = oops_field(o, klass, "interrupted");
    f->holder = oops_field(o, klass, "holder");
    if (f->holder >= 0)
        klass = oops_klass(o, oops_get_object(o, object, "holder"));
    f->status = klass != 0 ? oops_field(o, klass, "threadStatus") : HS_NONE;
    return f->eetop >= 0 && f->status >= 0;
}

/* Find the facts for ASGST_ThreadState(). Without them the function gives fewer bits. */
static void find_status(struct hotspot *h, const struct vmtables *tables)
{
    struct target t = {.mem = h->mem, .vm = h, .layout = &h->layout, .tables = *tables};
    struct mem_view v = {.mem = h->mem};
    struct search s;
    const char *unused;
    if (h->layout.thread_object < 0 || oops_init(&t, &s.oops, &unused) < 0)
        return;
    s.facts = (struct asgst_status_facts){
        .is_handle = s.oops.is_handle,
        .refs = s.oops.refs,
        .os_interrupted = target_field(&t, "OSThread", "_interrupted", HS_NONE),
    };
    if (!asgst_thread_each(&v, &h->layout, find_fields, &s))
        return;
    vm.status = s.facts;
    __atomic_store_n(&vm.status.is_known, 1, __ATOMIC_RELEASE); /* handlers look at it first */
}

static int open_tables(struct hotspot *h, struct vmtables *ret)
{
    uint64_t symbols[VMTABLES_SYMBOL_COUNT];
    elf_file_symbols(&h->libjvm, vmtables_symbols, symbols, VMTABLES_SYMBOL_COUNT);
    for (int i = 0; i < VMTABLES_SYMBOL_COUNT; i++)
        symbols[i] += h->bias;
    return vmtables_open(h->mem, symbols, ret);
}

static void find_facts(struct hotspot *h)
{
    struct vmtables t;
    memset(&vm.facts, 0xff, sizeof(vm.facts)); /* every offset is HS_NONE */
    vm.facts.mirror_klass_at = 0;
    vm.facts.not_terminated = 0;
    if (open_tables(h, &t) < 0)
        return;
    find_meta(h, &t, &vm.facts);
    find_status(h, &t);
    vmtables_done(&t);
}

static enum asgst_vm_state open_early(void)
{
    struct elf_file libjvm;
    uint64_t bias;
    char path[PATH_MAX];
    if (!asgst_code_libjvm(path, &bias))
        return ASGST_VM_NONE;
    /* A library is in the list of libraries before it is relocated. dlopen() waits for the thread
     * that is loading it. */
    void *loaded = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded)
        return ASGST_VM_NONE;
    dlclose(loaded);
    if (!own_tls_is_static()) {
        missing = "room for thread-local variables in this process";
        return ASGST_VM_UNKNOWN;
    }
    if (elf_file_open(path, &libjvm) < 0) {
        missing = "the file of libjvm.so";
        return ASGST_VM_UNKNOWN;
    }
    /* hotspot_open() becomes the owner of the file. mem_self reads by system calls until its guard
     * is installed. */
    if (hotspot_open(&mem_self, &libjvm, bias, LAYOUT_threads, &early, &missing) < 0)
        return ASGST_VM_UNKNOWN;
    return ASGST_VM_STARTS;
}

static enum asgst_vm_state open_whole(void)
{
    static int tries;
    if (hotspot_self_open(&whole, &missing) < 0)
        return ++tries < OPEN_TRIES ? ASGST_VM_STARTS : ASGST_VM_UNKNOWN;
    vm.memory = &whole->memory;
    vm.layout = &whole->layout;
    find_facts(whole);
    vm.facts.klass_serial = asgst_classes_find_serial(vm.layout, &vm.facts);
    vm.ids.slots = pages_map(ASGST_META_IDS_MAX * sizeof(*vm.ids.slots));
    vm.ids.mask = ASGST_META_IDS_MAX - 1;
    asgst_code_refresh();
    has_slot = asgst_thread_find_slot(&mem_self, vm.layout);
    __atomic_store_n(&ready, &vm, __ATOMIC_RELEASE);
    return ASGST_VM_READY;
}

int asgst_vm_complete(void)
{
    static int tries;
    struct vmtables t;
    if ((vm.status.is_known && has_slot) || tries >= OPEN_TRIES)
        return 1;
    tries++;
    if (!has_slot)
        has_slot = asgst_thread_find_slot(&mem_self, vm.layout);
    if (vm.status.is_known)
        return has_slot;
    if (open_tables(whole, &t) < 0)
        return 0;
    find_status(whole, &t);
    vmtables_done(&t);
    return vm.status.is_known && has_slot;
}

enum asgst_vm_state asgst_vm_try(void)
{
    if (asgst_vm_get())
        return ASGST_VM_READY;
    pthread_mutex_lock(&open_lock);
    enum asgst_vm_state now = state;
    if (now == ASGST_VM_NONE)
        now = open_early();
    if (now == ASGST_VM_STARTS) {
        struct mem_view v = {.mem = &mem_self};
        if (asgst_thread_count(&v, &early->layout, THREADS_OF_A_READY_VM) == THREADS_OF_A_READY_VM)
            now = open_whole();
    }
    /* asgst_vm_is_unknown() reads it without the lock */
    __atomic_store_n(&state, now, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&open_lock);
    return now;
}

struct asgst_vm *asgst_vm_get(void)
{
    return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

bool asgst_vm_is_unknown(void)
{
    return __atomic_load_n(&state, __ATOMIC_RELAXED) == ASGST_VM_UNKNOWN;
}

const char *asgst_vm_missing(void)
{
    return missing;
}
