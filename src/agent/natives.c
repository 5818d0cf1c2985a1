/*
 * natives.c - see natives.h.
 *
 * The list of libraries is the dynamic linker's; its counts of additions and removals say whether
 * it has changed. A file that is not what lies in memory any more gives no table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/natives.h"
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include "agent/agent.h"
#include "elf/eh_frame.h"
#include "safe/mem_self.h"
#include "safe/walk_mixed.h"

enum {
    REFRESHES_MAX = 10000, /* maps are never freed: a program that loads for ever gets no more */
    COMPARED_BYTES = 65536,
    PAGE_BYTES = 4096,
    KEY_BCI = INT32_MIN, /* bci of native frames in names.h's memory, plus the generation */
};

struct function {
    uint64_t start, size;
    const char *name;
};

/* A library, once and for ever; `base` moves if it is loaded again. */
struct library {
    struct library *next;
    char *path;
    const char *name; /* its last part */
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec changed;
    struct elf_file file;
    struct eh_frame frames;
    struct cfi_row *rows;
    uint32_t row_count;
    struct function *functions; /* by start; read when the first name is asked for */
    uint32_t function_count, function_room;
    int functions_are_read;
};

/* Where a library lies now. */
struct place {
    uint64_t bias, base, end;  /* bias: address in memory less address in the file */
    uint64_t index, index_len; /* .eh_frame_hdr in memory */
    char *path;
    struct library *library; /* NULL: no table */
};

struct places {
    struct place *list;
    size_t count, room;
    unsigned long long adds, subs;
    int failed;
};

static struct {
    pthread_mutex_t lock; /* places, generation, and the libraries' functions; taken last */
    struct library *libraries;
    struct places places;
    struct cfi_map *map; /* the handlers'; those before it are never freed */
    int32_t generation;  /* counts removals: an address may have another name since */
    int is_known;
    uint32_t refreshes;
} natives = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what is loaded */

static int see_counts(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct places *p = arg;

    p->adds = info->dlpi_adds;
    p->subs = info->dlpi_subs;
    return 1;
}

static int see_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct places *p = arg;
    struct place place = {.bias = info->dlpi_addr, .base = UINT64_MAX};

    see_counts(info, size, p);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t at = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD) {
            place.base = at < place.base ? at : place.base;
            place.end = at + segment->p_memsz > place.end ? at + segment->p_memsz : place.end;
        } else if (segment->p_type == PT_GNU_EH_FRAME) {
            place.index = at;
            place.index_len = segment->p_memsz;
        }
    }
    if (place.index == 0 || place.base >= place.end || place.end - place.base > UINT32_MAX)
        return 0;
    if (p->count == p->room) {
        size_t room = p->room ? p->room * 2 : 64;
        struct place *list = realloc(p->list, room * sizeof(*list));

        if (!list) {
            p->failed = 1;
            return 1;
        }
        p->list = list;
        p->room = room;
    }
    /* The program itself has no name here. */
    place.path = strdup(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
    if (!place.path) {
        p->failed = 1;
        return 1;
    }
    p->list[p->count++] = place;
    return 0;
}

static void forget_places(struct places *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->list[i].path);
    free(p->list);
}

/* ---- a library's tables */

/* The index of the call frame information is never changed by the linker: it tells whether the
 * file is what was loaded. */
static int is_what_was_loaded(const struct elf_file *f, const struct place *place)
{
    unsigned char piece[256];
    struct elf_segment s;
    uint64_t len = place->index_len < COMPARED_BYTES ? place->index_len : COMPARED_BYTES;
    unsigned i = 0;

    while (elf_file_segment(f, i, &s) == 0 && s.type != PT_GNU_EH_FRAME)
        i++;
    if (elf_file_segment(f, i, &s) != 0 || s.addr + place->bias != place->index ||
        s.mem_size != place->index_len || s.file_size < len || s.offset > f->len ||
        len > f->len - s.offset)
        return 0;
    for (uint64_t at = 0; at < len; at += sizeof(piece)) {
        size_t n = len - at < sizeof(piece) ? (size_t)(len - at) : sizeof(piece);

        if (mem_read(&mem_self, place->index + at, piece, n) != 0 ||
            memcmp(piece, f->bytes + s.offset + at, n) != 0)
            return 0;
    }
    return 1;
}

static int is_vdso(const struct place *place)
{
    return place->base == getauxval(AT_SYSINFO_EHDR);
}

/* The kernel's own library has no file but its memory. */
static int open_file(const struct place *place, struct elf_file *ret_file)
{
    if (is_vdso(place))
        return elf_file_of_bytes((const unsigned char *)(uintptr_t)place->base,
                                 ((place->end - place->base) + PAGE_BYTES - 1) & -PAGE_BYTES,
                                 ret_file);
    return elf_file_open(place->path, ret_file);
}

static struct library *known_library(const struct place *place, const struct stat *st)
{
    for (struct library *l = natives.libraries; l; l = l->next)
        if (l->dev == st->st_dev && l->ino == st->st_ino && l->size == st->st_size &&
            l->changed.tv_sec == st->st_mtim.tv_sec && l->changed.tv_nsec == st->st_mtim.tv_nsec &&
            strcmp(l->path, place->path) == 0)
            return l;
    return NULL;
}

static char *name_of(const char *path)
{
    char *real = strcmp(path, "/proc/self/exe") == 0 ? realpath(path, NULL) : NULL;
    const char *slash = strrchr(real ? real : path, '/');
    char *name = strdup(slash ? slash + 1 : path);

    free(real);
    return name;
}

/* Reads a library's rows. NULL: it has none, or its file is gone. */
static struct library *read_library(const struct place *place)
{
    struct stat st = {0};
    struct library *l;

    if (!is_vdso(place) && stat(place->path, &st) != 0)
        return NULL;
    l = known_library(place, &st);
    if (l)
        return l;
    l = calloc(1, sizeof(*l));
    if (!l || open_file(place, &l->file) != 0) {
        free(l);
        return NULL;
    }
    if (is_what_was_loaded(&l->file, place) && eh_frame_open(&l->file, &l->frames) == 0 &&
        eh_frame_rows(&l->frames, place->base - place->bias, &l->rows, &l->row_count) == 0 &&
        (l->path = strdup(place->path)) != NULL && (l->name = name_of(place->path)) != NULL) {
        l->dev = st.st_dev;
        l->ino = st.st_ino;
        l->size = st.st_size;
        l->changed = st.st_mtim;
        l->next = natives.libraries;
        natives.libraries = l;
        return l;
    }
    if (!is_vdso(place))
        elf_file_close(&l->file);
    free(l->rows);
    free(l->path);
    free(l);
    return NULL;
}

static int by_base(const void *left, const void *right)
{
    const struct place *l = left, *r = right;

    return l->base < r->base ? -1 : l->base > r->base;
}

/* The handlers' view of the places. NULL: no memory. */
static struct cfi_map *make_map(const struct places *p)
{
    struct cfi_map *map = malloc(sizeof(*map) + p->count * sizeof(map->tables[0]));
    uint64_t end = 0;

    if (!map)
        return NULL;
    map->count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct place *place = &p->list[i];

        if (!place->library || place->base < end)
            continue;
        end = place->end;
        map->tables[map->count++] = (struct cfi_table){
            place->base, place->end, place->library->rows, place->library->row_count};
    }
    return map;
}

void natives_refresh(void)
{
    struct places now = {0}, before;
    struct cfi_map *map;

    dl_iterate_phdr(see_counts, &now);
    if (natives.is_known && ((now.adds == natives.places.adds && now.subs == natives.places.subs) ||
                             natives.refreshes == REFRESHES_MAX))
        return;
    dl_iterate_phdr(see_library, &now);
    if (!now.failed) {
        for (size_t i = 0; i < now.count; i++)
            now.list[i].library = read_library(&now.list[i]);
        qsort(now.list, now.count, sizeof(*now.list), by_base);
        map = make_map(&now);
        now.failed = !map;
    }
    if (now.failed) {
        forget_places(&now);
        return;
    }
    pthread_mutex_lock(&natives.lock);
    before = natives.places;
    natives.places = now;
    natives.map = map;
    if (now.subs != before.subs)
        natives.generation++;
    natives.is_known = 1;
    natives.refreshes++;
    pthread_mutex_unlock(&natives.lock);
    forget_places(&before);
    walk_mixed_publish(map);
}

/* ---- names */

static int add_function(void *arg, const char *name, uint64_t value, uint64_t size)
{
    struct library *l = arg;

    if (!name[0])
        return 0;
    if (l->function_count == l->function_room) {
        uint32_t room = l->function_room ? l->function_room * 2 : 256;
        struct function *functions = reallocarray(l->functions, room, sizeof(*functions));

        if (!functions)
            return 1;
        l->functions = functions;
        l->function_room = room;
    }
    l->functions[l->function_count++] = (struct function){value, size, name};
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

static const struct function *function_at(struct library *l, uint64_t addr)
{
    uint32_t low = 0, high;

    if (!l->functions_are_read) {
        l->functions_are_read = 1;
        elf_file_each_function(&l->file, add_function, l);
        if (l->function_count > 0)
            qsort(l->functions, l->function_count, sizeof(*l->functions), by_start);
    }
    high = l->function_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (l->functions[middle].start <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && addr - l->functions[low - 1].start < l->functions[low - 1].size
               ? &l->functions[low - 1]
               : NULL;
}

static string_id function_name(struct agent *a, struct library *l, uint64_t addr)
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

static frame_id make_frame(struct agent *a, const struct place *place, uint64_t pc)
{
    struct library *l = place->library;
    string_id name = profile_cstring(a->profile, l->name);
    class_id klass = names_class_named(a, name);
    method_id method;

    if (!klass)
        return 0;
    method = profile_method(a->profile, klass, function_name(a, l, pc - place->bias),
                            profile_cstring(a->profile, "()V"), name);
    return method ? profile_frame(a->profile, method, -1, PROFILE_LINE_NONE) : 0;
}

static const struct place *place_of(uint64_t pc)
{
    for (size_t i = 0; i < natives.places.count; i++) {
        const struct place *place = &natives.places.list[i];

        if (place->library && pc - place->base < place->end - place->base)
            return place;
    }
    return NULL;
}

frame_id natives_frame(struct agent *a, uint64_t pc)
{
    const struct place *place;
    frame_id frame;
    int32_t key;

    pthread_mutex_lock(&natives.lock);
    key = KEY_BCI + natives.generation;
    frame = names_known_frame(a, pc, key);
    if (!frame) {
        place = place_of(pc);
        frame = place ? names_remember_frame(a, pc, key, make_frame(a, place, pc)) : 0;
    }
    pthread_mutex_unlock(&natives.lock);
    return frame;
}
