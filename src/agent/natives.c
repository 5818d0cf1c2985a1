/*
 * natives.c - see natives.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/natives.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "agent/names.h"
#include "elf/loaded.h"
#include "hotspot/hotspot.h"
#include "safe/search.h"
#include "safe/unwind.h"

enum {
    KEY_BCI = INT32_MIN, /* bci of native frames in names.h's memory, plus the generation */
};

struct function {
    uint64_t start, size;
    const char *name;
};

/* What a library's file names; read when the first name is asked for. */
struct functions {
    struct function *list; /* by start */
    uint32_t count, room;
};

static struct {
    pthread_mutex_t lock; /* all here, and the libraries' functions; taken last */
    struct loaded loaded;
    int32_t generation; /* counts removals: an address may have another name since */
} natives = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns whether there is something new. Needs the lock. */
static int look(void)
{
    struct loaded now, before = natives.loaded;
    struct cfi_map *map;

    if (!loaded_look(&before, &now, &map))
        return 0;
    natives.loaded = now;
    if (now.subs != before.subs)
        natives.generation++;
    loaded_done(&before);
    unwind_publish(&hotspot_own_unwind, map);
    return 1;
}

int natives_are_wanted(void)
{
    return unwind_is_wanted(&hotspot_own_unwind);
}

void natives_refresh(void)
{
    pthread_mutex_lock(&natives.lock);
    look();
    pthread_mutex_unlock(&natives.lock);
}

static int add_function(void *arg, const char *name, uint64_t value, uint64_t size)
{
    struct functions *all = arg;

    if (!name[0])
        return 0;
    if (all->count == all->room) {
        uint32_t room = all->room ? all->room * 2 : 256;
        struct function *list = reallocarray(all->list, room, sizeof(*list));

        if (!list)
            return 1;
        all->list = list;
        all->room = room;
    }
    all->list[all->count++] = (struct function){value, size, name};
    return 0;
}

/* Of several names for one place the shortest comes last: a search ends there. */
static int by_start(const void *left, const void *right)
{
    const struct function *l = left, *r = right;
    size_t l_len, r_len;

    if (l->start != r->start)
        return l->start < r->start ? -1 : 1;
    l_len = strlen(l->name);
    r_len = strlen(r->name);
    return l_len != r_len ? (l_len > r_len ? -1 : 1) : strcmp(l->name, r->name);
}

/* NULL: no memory. */
static struct functions *functions_of(struct loaded_library *l)
{
    struct functions *all = l->user;

    if (all)
        return all;
    all = l->user = calloc(1, sizeof(*all));
    if (!all)
        return NULL;
    elf_file_each_function(&l->file, add_function, all);
    if (all->count > 0)
        qsort(all->list, all->count, sizeof(*all->list), by_start);
    return all;
}

static const struct function *function_at(struct loaded_library *l, uint64_t addr)
{
    const struct functions *all = functions_of(l);
    uint32_t upto = all ? SEARCH_UPTO(all->list, all->count, start, addr) : 0;

    return upto > 0 && addr - all->list[upto - 1].start < all->list[upto - 1].size
               ? &all->list[upto - 1]
               : NULL;
}

static string_id function_name(struct agent *a, struct loaded_library *l, uint64_t addr)
{
    const struct function *f = function_at(l, addr);
    uint64_t start = addr;
    char text[32];

    /* Behind a dot the compiler says which part or copy of a function it is (.cold, .part.0); in a
     * frame's line dots end the class. */
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

frame_id natives_frame(struct agent *a, uint64_t pc)
{
    const struct loaded_place *place;
    frame_id frame;
    int32_t key;

    pthread_mutex_lock(&natives.lock);
    key = KEY_BCI + natives.generation;
    frame = frame_cache_find(&a->names->frames, pc, key);
    if (!frame) {
        place = loaded_place_at(&natives.loaded, pc);
        if (!place && look()) { /* a library that was loaded since the last look */
            key = KEY_BCI + natives.generation;
            place = loaded_place_at(&natives.loaded, pc);
        }
        frame = place ? frame_cache_add(&a->names->frames, pc, key, make_frame(a, place, pc)) : 0;
    }
    pthread_mutex_unlock(&natives.lock);
    return frame;
}
