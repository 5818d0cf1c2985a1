/*
 * frame_native.c - see frame_native.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/names/frame_native.h"
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/names/frame_room.h"
#include "agent/names/names.h"
#include "base/err.h"
#include "base/libraryname.h"
#include "base/lock.h"
#include "base/os_thread.h"
#include "elf/elf_functions.h"
#include "elf/loaded.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "safe/unwind.h"

static struct {
    struct lock lock; /* guards `loaded` and the functions of the libraries */
    struct loaded loaded;
    _Atomic uint32_t removals;          /* after a removal an address may have another name */
    _Atomic bool has_begun, has_looked; /* state of the first look by frame_native_look() */
} natives = {.lock = LOCK_INIT(LIBRARIES)};

/* Returns whether the libraries have changed. Needs the lock. */
static int look(void)
{
    struct loaded now, before = natives.loaded;
    struct cfi_map *map;
    if (!loaded_look(&before, &now, &map))
        return 0;
    natives.loaded = now;
    if (now.subs != before.subs)
        atomic_fetch_add(&natives.removals, 1);
    loaded_done(&before);
    unwind_publish(&hotspot_self_unwind, map);
    return 1;
}

bool frame_native_is_wanted(void)
{
    return unwind_is_wanted(&hotspot_self_unwind) != 0;
}

void frame_native_refresh(void)
{
    lock_take(&natives.lock);
    look();
    lock_give(&natives.lock);
}

static void *look_first(void *unused)
{
    agent_exempt_begin();
    frame_native_refresh();
    agent_exempt_end();
    atomic_store(&natives.has_looked, true);
    return NULL;
}

/* Returns whether a thread could be started for the first look. */
static bool begin_first_look(void)
{
    pthread_t thread;
    if (os_thread_start(&thread, "HPROF libraries", look_first, NULL) != 0)
        return false;
    pthread_detach(thread);
    return true;
}

void frame_native_look(void)
{
    if (!atomic_exchange(&natives.has_begun, true) && !begin_first_look())
        atomic_store(&natives.has_looked, true);
    if (atomic_load(&natives.has_looked))
        frame_native_refresh();
}

/* The name of a function as the symbol table spells it, or 0x and its address in the file. */
static string_id function_name(struct agent *a, struct loaded_library *l, uint64_t addr)
{
    const struct elf_function *f = elf_functions_at(&l->functions, &l->file, addr);
    uint64_t start = addr;
    char text[32];

    /* The name ends at the first dot. The compiler writes the part or copy of a function behind a
     * dot (.cold, .part.0), but in the line of a frame the last dot ends the class. */
    if (f && strcspn(f->name, ".") > 0)
        return profile_string(a->profile, f->name, strcspn(f->name, "."));
    eh_frame_function(&l->frames, addr, &start);
    snprintf(text, sizeof(text), "0x%llx", (unsigned long long)start);
    return profile_cstring(a->profile, text);
}

static frame_id make_frame(struct agent *a, const struct loaded_place *place, uint64_t pc)
{
    struct loaded_library *l = place->library;
    string_id name = profile_cstring(a->profile, l->name);
    class_id klass = names_class_named(a, name);
    method_id method;
    if (!klass)
        return 0;
    method = profile_method(a->profile, klass, function_name(a, l, pc - place->bias),
                            profile_cstring(a->profile, "()V"), name);
    return method ? profile_frame(a->profile, method, -1, PROFILE_LINE_NONE) : 0;
}

static frame_id name(struct agent *a, const struct walk_frame *f)
{
    uint64_t pc = f->method;
    lock_take(&natives.lock);
    const struct loaded_place *place = loaded_place_at(&natives.loaded, pc);
    if (!place && look()) /* the library may have been loaded since the last look */
        place = loaded_place_at(&natives.loaded, pc);
    frame_id frame = place ? make_frame(a, place, pc) : 0;
    lock_give(&natives.lock);
    return frame;
}

/* ---- a function by its name */

struct search {
    const char *symbol;
    uint64_t bias;
    struct frame_native_found *found;
};

/* Returns E_LIMIT, which ends the search, if another function had the name. */
static int take_symbol(void *arg, const struct elf_symbol *symbol)
{
    const struct search *s = arg;
    uint64_t addr = s->bias + symbol->value;
    if (strcmp(symbol->name, s->symbol) != 0)
        return 0;
    if (s->found->addr != 0 && s->found->addr != addr)
        return E_LIMIT;
    s->found->addr = addr;
    s->found->is_chosen_late = symbol->is_chosen_late;
    return 0;
}

int frame_native_find(const char *library, size_t library_len, const char *symbol,
                      struct frame_native_found *ret)
{
    int error = 0;
    *ret = (struct frame_native_found){.addr = 0};
    lock_take(&natives.lock);
    for (size_t i = 0; i < natives.loaded.count && !error; i++) {
        const struct loaded_place *place = &natives.loaded.list[i];
        struct search s = {symbol, place->bias, ret};
        if (!place->library || !libraryname_is(library, library_len, place->path))
            continue;
        ret->has_library = true;
        error = elf_file_each_symbol(&place->library->file, false, take_symbol, &s);
    }
    lock_give(&natives.lock);
    if (!error && ret->is_chosen_late)
        error = E_UNSUPPORTED;
    return error || ret->addr ? error : E_NOT_FOUND;
}

/* ---- frames */

static uint32_t era(const struct walk_frame *f)
{
    return atomic_load_explicit(&natives.removals, memory_order_relaxed);
}

const struct frame_namer frame_native = {.names = WALK_NAMES_ADDRESS, .name = name, .era = era};
