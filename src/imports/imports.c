/*
 * imports.c - see imports.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "imports/imports.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "imports/imports_library.h"
#include "imports/imports_list.h"
#include "imports/imports_page.h"

/* After a slot was changed that the linker had not bound, a thread that was binding it may write
 * the function over the hook. So many more looks follow. */
enum { LOOKS_AFTER = 2 };

/* Which of two functions a library gets from the linker. */
enum scope { SCOPE_UNKNOWN, SCOPE_GLOBAL, SCOPE_OWN };

/* One look at all libraries. */
struct look {
    struct imports *table;
    const struct imports_library *library; /* the present one, and its handle */
    void *handle;
    enum scope scope; /* of the present library */
    bool restores;
    int changed;
};

static uint64_t address_of(imports_function function)
{
    return (uint64_t)(uintptr_t)function;
}

static imports_function function_of(void *symbol)
{
    imports_function function;
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

static const struct imports_row *row_named(const struct imports *t, const char *name)
{
    for (uint32_t i = 0; i < t->row_count; i++)
        if (strcmp(t->rows[i].name, name) == 0)
            return &t->rows[i];
    return NULL;
}

/* The number of the hook that the slot holds; -1: it holds none. */
static int hook_in(const struct imports_row *row, uint64_t word)
{
    for (int i = 0; i < IMPORTS_TARGETS; i++)
        if (address_of(row->hooks[i]) == word)
            return i;
    return -1;
}

/* The number of the hook for a target; -1: all hooks have other targets. */
static int hook_for(const struct imports_row *row, imports_function target)
{
    for (int i = 0; i < IMPORTS_TARGETS; i++) {
        imports_function known = atomic_load(&row->targets[i]);
        if (known == target)
            return i;
        if (!known) {
            atomic_store(&row->targets[i], target);
            return i;
        }
    }
    return -1;
}

/* Whether the slot still leads to the linker, which binds it at its first use. */
static bool is_unbound(const struct look *look, const struct imports_slot *slot, uint64_t word)
{
    return slot->may_be_lazy && word >= look->library->low && word < look->library->high &&
           word != slot->own;
}

/* Whether the word is the address of a stub that can be called like the function: it pushes a
 * number and jumps to the linker. The stubs of aarch64 need registers that only their callers set.
 */
static bool is_callable(uint64_t word)
{
#if defined(__x86_64__)
    static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    enum { PUSH = 0x68 };
    const unsigned char *code = (const unsigned char *)(uintptr_t)word;
    return *code == PUSH ||
           (memcmp(code, landing, sizeof(landing)) == 0 && code[sizeof(landing)] == PUSH);
#else
    (void)word;
    return false;
#endif
}

/* The function to which the linker would bind the slot; NULL: not certain. */
static imports_function bound(const struct look *look, const struct imports_slot *slot)
{
    void *everywhere = dlsym(RTLD_DEFAULT, slot->name), *here = dlsym(look->handle, slot->name);
    if (everywhere == here || (look->scope == SCOPE_OWN && here))
        return function_of(here);
    return look->scope == SCOPE_GLOBAL && everywhere ? function_of(everywhere) : NULL;
}

void imports_versioned(imports_function unbound)
{
    (void)unbound;
}

/* Find the scope of the library by a slot that the linker binds now. */
static void find_scope(void *arg, const struct imports_slot *slot)
{
    struct look *look = arg;
    const struct imports_row *row = row_named(look->table, slot->name);
    uint64_t word = __atomic_load_n(slot->at, __ATOMIC_ACQUIRE);
    if (look->scope != SCOPE_UNKNOWN || !row || !row->bind || row->bind == imports_versioned ||
        !is_unbound(look, slot, word) || !is_callable(word))
        return;
    void *everywhere = dlsym(RTLD_DEFAULT, slot->name), *here = dlsym(look->handle, slot->name);
    if (!everywhere || !here || everywhere == here)
        return;
    row->bind(function_of((void *)(uintptr_t)word));
    word = __atomic_load_n(slot->at, __ATOMIC_ACQUIRE);
    if (word == (uint64_t)(uintptr_t)everywhere)
        look->scope = SCOPE_GLOBAL;
    else if (word == (uint64_t)(uintptr_t)here)
        look->scope = SCOPE_OWN;
}

static void count_result(struct look *look, int result)
{
    if (result > 0) {
        look->changed++;
        look->table->counts.slots++;
    } else if (result < 0) {
        look->table->counts.refused++;
    } else {
        look->table->looks_left = LOOKS_AFTER; /* the linker was quicker */
    }
}

static void patch_slot(struct look *look, const struct imports_row *row,
                       const struct imports_slot *slot, uint64_t word)
{
    struct imports *t = look->table;
    imports_function target;
    if (is_unbound(look, slot, word)) {
        target = row->bind == imports_versioned ? NULL : bound(look, slot);
        if (!target) {
            t->counts.unsure++;
            return;
        }
        t->looks_left = LOOKS_AFTER;
    } else {
        target = function_of((void *)(uintptr_t)word);
    }
    if (!target || (row->wants && !row->wants(target)))
        return;
    int hook = hook_for(row, target);
    if (hook < 0)
        t->counts.crowded++;
    else
        count_result(look, imports_page_replace(slot->at, word, address_of(row->hooks[hook])));
}

static void visit_slot(void *arg, const struct imports_slot *slot)
{
    struct look *look = arg;
    const struct imports_row *row = row_named(look->table, slot->name);
    if (!row)
        return;
    uint64_t word = __atomic_load_n(slot->at, __ATOMIC_ACQUIRE);
    int hook = hook_in(row, word);
    if (hook < 0 && !look->restores)
        patch_slot(look, row, slot, word);
    else if (hook >= 0 && look->restores)
        count_result(look, imports_page_replace(slot->at, word,
                                                address_of(atomic_load(&row->targets[hook]))));
}

static uint64_t initials_of(const struct imports *t)
{
    uint64_t initials = 0;
    for (uint32_t i = 0; i < t->row_count; i++)
        initials |= (uint64_t)1 << ((unsigned char)t->rows[i].name[0] - 64) % 64;
    return initials;
}

static void look_at(struct look *look, const struct imports_library *l, uint64_t initials)
{
    if (!l->dynamic || imports_library_is_this(l) ||
        imports_library_has(l, (uint64_t)(uintptr_t)look->table->spared))
        return;
    look->library = l;
    look->handle = imports_library_pin(l);
    if (!look->handle) {
        look->table->counts.unpinned++;
        return;
    }
    look->scope = SCOPE_UNKNOWN;
    if (!look->restores)
        imports_library_slots(l, initials, find_scope, look);
    imports_library_slots(l, initials, visit_slot, look);
    dlclose(look->handle);
}

static int look_at_all(struct imports *t, bool restores)
{
    struct imports_list list;
    struct look look = {.table = t, .restores = restores};
    if (imports_list_read(&list) < 0)
        return -ENOMEM;
    t->counts = (struct imports_counts){.slots = t->counts.slots};
    for (size_t i = 0; i < list.count; i++)
        look_at(&look, &list.of[i], initials_of(t));
    t->has_looked = true;
    t->changes = list.changes;
    imports_list_done(&list);
    return look.changed;
}

int imports_patch(struct imports *t)
{
    if (t->looks_left > 0)
        t->looks_left--;
    return look_at_all(t, false);
}

int imports_restore(struct imports *t)
{
    int changed = look_at_all(t, true);
    t->has_looked = false;
    t->looks_left = 0;
    return changed;
}

bool imports_is_due(struct imports *t)
{
    return !t->has_looked || t->looks_left > 0 || imports_list_changes() != t->changes;
}

/* A library that is looked for: by an address in it, or, if that is NULL, by the end of its path.
 */
struct sought {
    const void *address;
    const char *name;
    struct imports_library found;
};

static bool ends_in(const char *path, const char *end)
{
    size_t len, tail = strlen(end);
    if (!path)
        return false;
    len = strlen(path);
    return len >= tail && strcmp(path + len - tail, end) == 0;
}

static int see_sought(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct sought *s = arg;
    imports_library_read(info, &s->found);
    bool is_it = s->address ? imports_library_has(&s->found, (uint64_t)(uintptr_t)s->address)
                            : ends_in(s->found.path, s->name);
    free(s->found.path);
    return is_it;
}

bool imports_range(const void *address, const char *name, uint64_t *ret_low, uint64_t *ret_high)
{
    struct sought s = {.address = address, .name = name};
    bool is_found = dl_iterate_phdr(see_sought, &s) != 0;
    *ret_low = is_found ? s.found.low : 0;
    *ret_high = is_found ? s.found.high : 0;
    return is_found;
}

bool imports_are_together(imports_function a, imports_function b)
{
    Dl_info of_a, of_b;
    void *first, *second;
    memcpy(&first, &a, sizeof(first));
    memcpy(&second, &b, sizeof(second));
    return dladdr(first, &of_a) != 0 && dladdr(second, &of_b) != 0 &&
           of_a.dli_fbase == of_b.dli_fbase;
}

const char *imports_sanitizer(void)
{
    static const struct {
        const char *prefix, *name;
    } known[] = {
        {"asan", "AddressSanitizer"}, {"hwasan", "HWAddressSanitizer"}, {"tsan", "ThreadSanitizer"},
        {"msan", "MemorySanitizer"},  {"lsan", "LeakSanitizer"},        {"memprof", "MemProf"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        char symbol[32]; /* of a whole name here others would conclude that this library has one */
        snprintf(symbol, sizeof(symbol), "__%s_init", known[i].prefix);
        if (dlsym(RTLD_DEFAULT, symbol))
            return known[i].name;
    }
    return NULL;
}
