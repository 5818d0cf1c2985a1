/*
 * asgst_unload.c - see asgst_unload.h.
 *
 * A class counts as unloaded when two complete walks in a row did not meet it. A class whose array
 * of methods has changed was redefined under two conditions. First, a method of the old array is
 * not in the new array (an array may also grow by default methods). Second, the class still has its
 * serial number; with another serial number this is another class at the address of an unloaded
 * class.
 *
 * Locks: handlers_lock guards the list of handlers and is held while handlers run. Everything else
 * belongs to the helper thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_unload.h"
#include "asgst/asgst_classes.h"
#include "asgst/asgst_helper.h"
#include "asgst/asgst_vm.h"
#include "safe/clock.h"
#include "safe/mem_self.h"
#include <asgst.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 65536,
    TABLE_MIN = 4096,
    METHODS_MAX = 65535,
    /* The time between two looks is at least so many times the CPU time of one look. The factor is
     * applied to CPU time because on a busy machine a look may wait long for the CPU; with a longer
     * pause, classes that are loaded and soon unloaded would be missed. */
    REST_FACTOR = 30,
    WATCH_MS = 50,
    /* A value of InstanceKlass::_init_state. Since JDK 21 this number means "linked", but there the
     * copy that a redefinition leaves behind is in no list. */
    BEING_INITIALIZED = 3,
};

struct known {
    struct known *next; /* next entry of the same chain of the table */
    uint64_t klass, name_symbol, cld, methods_at;
    uint64_t serial; /* asgst_meta_serial() */
    struct asgst_unload_class info;
    struct asgst_unload_method *methods;
    uint64_t *method_ids; /* Method* of each method */
    uint32_t method_count;
    uint32_t seen; /* number of the last walk that met the class */
    char *texts;
};

struct handler {
    struct handler *next;
    ASGST_ClassUnloadHandler fun;
    void *arg;
};

static pthread_mutex_t handlers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct handler *handlers;
static atomic_int handler_count;

static struct known **table;
static uint32_t table_mask, known_count, walk_number;
static struct asgst_classes classes;
static bool is_open, is_hopeless;
static const struct known *_Atomic dead; /* the class for which handlers are being called */

/* The texts of one class, collected before their length is known. */
struct texts {
    char *bytes;
    size_t used, room;
    bool is_full;
};

static size_t add_text(struct texts *t, struct mem_view *v, uint64_t symbol)
{
    const struct hs_layout *l = asgst_vm_get()->layout;
    size_t at = t->used;
    if (t->room - t->used <= TEXT_MAX) {
        size_t room = t->room * 2 + (size_t)2 * TEXT_MAX;
        char *bytes = realloc(t->bytes, room);
        if (!bytes) {
            t->is_full = true;
            return 0;
        }
        t->bytes = bytes;
        t->room = room;
    }
    int32_t len = asgst_meta_symbol(v, l, symbol, t->bytes + at, TEXT_MAX);
    if (len < 0) {
        t->bytes[at] = 0;
        len = 0;
    }
    t->used = at + (size_t)len + 1;
    return at;
}

static void free_known(struct known *k)
{
    if (!k)
        return;
    free(k->methods);
    free(k->method_ids);
    free(k->texts);
    free(k);
}

/* Copy the names of a class and of its methods, as they are now. */
static struct known *new_known(uint64_t klass)
{
    struct asgst_vm *vm = asgst_vm_get();
    const struct hs_layout *l = vm->layout;
    struct mem_view v = {.mem = &mem_self};
    struct texts t = {NULL, 0, 0, 0};
    struct known *k = calloc(1, sizeof(*k));
    if (!k)
        return NULL;
    k->klass = klass;
    k->name_symbol = mem_view_u8(&v, klass + (uint64_t)l->klass_name);
    k->cld = mem_view_u8(&v, klass + (uint64_t)vm->facts.klass_cld);
    k->methods_at = mem_view_u8(&v, klass + (uint64_t)l->klass_methods);
    k->serial = asgst_meta_serial(&v, &vm->facts, klass);
    k->info.modifiers = asgst_meta_class_modifiers(&v, &vm->facts, klass);
    k->info.idnum = asgst_meta_class_id(&vm->ids, &v, l, &vm->facts, klass);
    uint32_t count =
        k->methods_at != 0 ? mem_view_u4(&v, k->methods_at + (uint64_t)vm->facts.array_length) : 0;
    k->method_count = count <= METHODS_MAX ? count : 0;
    k->methods = calloc(k->method_count + 1, sizeof(*k->methods));
    k->method_ids = calloc(k->method_count + 1, sizeof(*k->method_ids));
    size_t *offsets = calloc(k->method_count + 1, 2 * sizeof(*offsets));
    add_text(&t, &v, k->name_symbol);
    for (size_t i = 0; k->methods && k->method_ids && offsets && i < k->method_count; i++) {
        uint64_t method =
            mem_view_u8(&v, k->methods_at + (uint64_t)vm->facts.array_data + (uint64_t)i * 8);
        struct hs_method_symbols s = {0, 0, 0, 0};
        uint64_t const_method = mem_view_u8(&v, method + (uint64_t)l->method_const);
        hs_method_symbols(&v, l, method, &s);
        k->method_ids[i] = method;
        k->methods[i].klass = klass;
        k->methods[i].class_idnum = k->info.idnum;
        k->methods[i].modifiers = asgst_meta_method_modifiers(&v, l, method);
        k->methods[i].idnum = asgst_meta_idnum(&v, l, &vm->facts, const_method);
        offsets[2 * i] = add_text(&t, &v, s.name);
        offsets[2 * i + 1] = add_text(&t, &v, s.signature);
    }
    char *fit = t.bytes ? realloc(t.bytes, t.used) : NULL;
    k->texts = fit ? fit : t.bytes;
    if (!k->methods || !k->method_ids || !offsets || t.is_full || v.faults != 0) {
        free(offsets);
        free_known(k);
        return NULL;
    }
    k->info.name = k->texts;
    for (size_t i = 0; i < k->method_count; i++) {
        k->methods[i].name = k->texts + offsets[2 * i];
        k->methods[i].signature = k->texts + offsets[2 * i + 1];
    }
    free(offsets);
    return k;
}

static struct known **chain_of(uint64_t klass)
{
    return &table[(uint32_t)((klass >> 3) * 0x9e3779b1u >> 8) & table_mask];
}

static int grow_table(void)
{
    uint32_t old_count = table ? table_mask + 1 : 0;
    if (table && known_count < old_count)
        return 1;
    struct known **old = table;
    uint32_t count = old_count != 0 ? old_count * 2 : TABLE_MIN;
    struct known **grown = calloc(count, sizeof(struct known *));
    if (!grown)
        return table != NULL;
    table = grown;
    table_mask = count - 1;
    for (uint32_t i = 0; i < old_count; i++) {
        for (struct known *k = old[i], *next; k; k = next) {
            next = k->next;
            k->next = *chain_of(k->klass);
            *chain_of(k->klass) = k;
        }
    }
    free(old);
    return 1;
}

static void call_handlers(const struct known *k, bool redefined)
{
    atomic_store(&dead, k);
    pthread_mutex_lock(&handlers_lock);
    for (struct handler *h = handlers, *next; h; h = next) {
        next = h->next;
        h->fun((ASGST_Class)k->klass, (ASGST_Method *)k->method_ids, (int)k->method_count,
               redefined, h->arg);
    }
    pthread_mutex_unlock(&handlers_lock);
    atomic_store(&dead, NULL);
}

static bool is_redefinition(const struct known *old, const struct known *now)
{
    for (uint32_t i = 0; i < old->method_count; i++) {
        uint64_t method = old->method_ids[i];
        uint32_t j = i < now->method_count && now->method_ids[i] == method ? i : 0;
        while (j < now->method_count && now->method_ids[j] != method)
            j++;
        if (j == now->method_count)
            return true;
    }
    return false;
}

static void remove_known(struct known **at, bool redefined, bool is_told)
{
    struct known *k = *at;
    *at = k->next;
    known_count--;
    if (is_told)
        call_handlers(k, redefined);
    free_known(k);
}

/* Whether a class is in use. A redefinition leaves a second class of the same name behind, with the
 * old methods; that class is linked and never initialised. Any other class that was never
 * initialised has run no code, so it is left out, too. */
static bool is_in_use(uint64_t klass)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = {.mem = &mem_self};
    return vm->facts.klass_init_state < 0 ||
           mem_view_u1(&v, klass + (uint64_t)vm->facts.klass_init_state) >= BEING_INITIALIZED;
}

static void visit(uint64_t klass, void *unused)
{
    const struct asgst_vm *vm = asgst_vm_get();
    struct mem_view v = {.mem = &mem_self};
    uint64_t name = mem_view_u8(&v, klass + (uint64_t)vm->layout->klass_name);
    uint64_t cld = mem_view_u8(&v, klass + (uint64_t)vm->facts.klass_cld);
    uint64_t methods_at = mem_view_u8(&v, klass + (uint64_t)vm->layout->klass_methods);
    uint64_t serial = asgst_meta_serial(&v, &vm->facts, klass);
    struct known **at = chain_of(klass);
    while (*at && (*at)->klass != klass)
        at = &(*at)->next;
    /* Another class may be at the address of an unloaded class, and may even have the same name
     * symbol and the same address of its loader. */
    bool is_same =
        *at && (*at)->name_symbol == name && (*at)->cld == cld && (*at)->serial == serial;
    if (is_same && (*at)->methods_at == methods_at) {
        (*at)->seen = walk_number;
        return;
    }
    if (v.faults != 0 || methods_at == 0 || !is_in_use(klass))
        return; /* the class is half made or half freed: look again at the next walk */
    struct known *now = new_known(klass);
    if (!now)
        return;
    if (*at)
        remove_known(at, is_same != 0, !is_same || is_redefinition(*at, now));
    if (!grow_table()) {
        free_known(now);
        return;
    }
    now->seen = walk_number;
    at = chain_of(klass);
    now->next = *at;
    *at = now;
    known_count++;
}

static void report_gone(void)
{
    for (uint32_t i = 0; i <= table_mask; i++) {
        for (struct known **at = &table[i]; *at;) {
            if ((*at)->seen + 1 < walk_number)
                remove_known(at, false, 1);
            else
                at = &(*at)->next;
        }
    }
}

static void forget_all(void)
{
    for (uint32_t i = 0; table && i <= table_mask; i++) {
        while (table[i])
            remove_known(&table[i], false, 0);
    }
    free(table);
    table = NULL;
    known_count = 0;
}

/* Compare the classes with those of the last walk, and call the handlers. */
static void look(void)
{
    static uint64_t next_ns;
    uint64_t cpu_start = clock_thread_cpu_ns();
    if (atomic_load(&handler_count) == 0) {
        forget_all();
        return;
    }
    if (clock_monotonic_ns() < next_ns || is_hopeless)
        return;
    if (!is_open)
        is_open = asgst_classes_open(&classes, asgst_vm_get()->layout, &asgst_vm_get()->facts);
    is_hopeless = !is_open;
    if (!is_open || !grow_table())
        return;
    walk_number++;
    /* A walk that did not reach the end does not say which classes are missing, so it does not
     * count. */
    if (asgst_classes_each(&classes, visit, NULL))
        report_gone();
    else
        walk_number--;
    next_ns = clock_monotonic_ns() + (clock_thread_cpu_ns() - cpu_start) * REST_FACTOR;
}

static const struct known *dead_here(void)
{
    const struct known *k = atomic_load_explicit(&dead, memory_order_acquire);
    return k && asgst_helper_is_self() ? k : NULL;
}

const struct asgst_unload_method *asgst_unload_dead_method(uint64_t method)
{
    const struct known *k = dead_here();
    for (uint32_t i = 0; k && i < k->method_count; i++) {
        if (k->method_ids[i] == method)
            return &k->methods[i];
    }
    return NULL;
}

const struct asgst_unload_class *asgst_unload_dead_class(uint64_t klass)
{
    const struct known *k = dead_here();
    return k && k->klass == klass ? &k->info : NULL;
}

/* A work of the helper thread: look while a handler is registered. */
static uint32_t watch(void)
{
    look();
    return atomic_load(&handler_count) != 0 ? WATCH_MS : 0;
}

static struct asgst_helper_work watching = {.run = watch};

void ASGST_RegisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void *arg)
{
    struct handler *h = handler ? malloc(sizeof(*h)) : NULL;
    if (!h)
        return;
    *h = (struct handler){.fun = handler, .arg = arg};
    asgst_helper_add(&watching);
    bool is_self = asgst_helper_is_self();
    if (!is_self)
        pthread_mutex_lock(&handlers_lock);
    h->next = handlers;
    handlers = h;
    atomic_fetch_add(&handler_count, 1);
    if (!is_self)
        pthread_mutex_unlock(&handlers_lock);
    asgst_helper_start();
    asgst_helper_wake();
}

bool ASGST_DeregisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void *arg)
{
    bool is_self = asgst_helper_is_self();
    if (!is_self)
        pthread_mutex_lock(&handlers_lock);
    struct handler **at = &handlers;
    while (*at && ((*at)->fun != handler || (*at)->arg != arg))
        at = &(*at)->next;
    struct handler *found = *at;
    if (found) {
        *at = found->next;
        atomic_fetch_sub(&handler_count, 1);
    }
    if (!is_self)
        pthread_mutex_unlock(&handlers_lock);
    free(found);
    return found != NULL;
}
