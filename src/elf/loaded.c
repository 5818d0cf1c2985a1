/*
 * loaded.c - see loaded.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/loaded.h"
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include "safe/mem_self.h"

enum {
    LOOKS_MAX = 10000,
    COMPARED_BYTES = 65536,
    PAGE_BYTES = 4096,
};

static struct loaded_library *libraries;

static int see_counts(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct loaded *p = arg;
    p->adds = info->dlpi_adds;
    p->subs = info->dlpi_subs;
    return 1;
}

static int see_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct loaded *p = arg;
    struct loaded_place place = {.bias = info->dlpi_addr, .base = UINT64_MAX};
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
        struct loaded_place *list = realloc(p->list, room * sizeof(*list));
        if (!list) {
            p->failed = 1;
            return 1;
        }
        p->list = list;
        p->room = room;
    }
    /* The dynamic linker gives no name for the program itself. */
    place.path = strdup(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
    if (!place.path) {
        p->failed = 1;
        return 1;
    }
    p->list[p->count++] = place;
    return 0;
}

void loaded_done(struct loaded *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->list[i].path);
    free(l->list);
}

/* Whether the file is the one that was loaded. The linker never changes the index of the call frame
 * information, so the index is compared. */
static bool is_what_was_loaded(const struct elf_file *f, const struct loaded_place *place)
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
        return false;
    for (uint64_t at = 0; at < len; at += sizeof(piece)) {
        size_t n = len - at < sizeof(piece) ? (size_t)(len - at) : sizeof(piece);
        if (mem_read(&mem_self, place->index + at, piece, n) != 0 ||
            memcmp(piece, f->bytes + s.offset + at, n) != 0)
            return false;
    }
    return true;
}

static bool is_vdso(const struct loaded_place *place)
{
    return place->base == getauxval(AT_SYSINFO_EHDR);
}

/* The kernel's own library has no file: its memory is the file. */
static int open_file(const struct loaded_place *place, struct elf_file *ret_file)
{
    if (is_vdso(place))
        return elf_file_of_bytes((const unsigned char *)(uintptr_t)place->base,
                                 ((place->end - place->base) + PAGE_BYTES - 1) & -PAGE_BYTES,
                                 ret_file);
    return elf_file_open(place->path, ret_file);
}

static struct loaded_library *known_library(const struct loaded_place *place, const struct stat *st)
{
    for (struct loaded_library *l = libraries; l; l = l->next)
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

/* Read a library's rows. NULL: it has none, or its file is gone. */
static struct loaded_library *read_library(const struct loaded_place *place)
{
    struct stat st = {0};
    struct loaded_library *l;
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
        l->next = libraries;
        libraries = l;
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
    const struct loaded_place *l = left, *r = right;
    return l->base < r->base ? -1 : l->base > r->base;
}

/* Make the map that handlers search. NULL: no memory. */
static struct cfi_map *make_map(const struct loaded *p)
{
    struct cfi_map *map = malloc(sizeof(*map) + p->count * sizeof(map->tables[0]));
    uint64_t end = 0;
    if (!map)
        return NULL;
    map->count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct loaded_place *place = &p->list[i];
        if (!place->library || place->base < end)
            continue;
        end = place->end;
        map->tables[map->count++] = (struct cfi_table){
            place->base, place->end, place->library->rows, place->library->row_count};
    }
    return map;
}

int loaded_look(const struct loaded *before, struct loaded *ret_now, struct cfi_map **ret_map)
{
    struct loaded now = {.looks = before->looks + 1};
    struct cfi_map *map = NULL;
    dl_iterate_phdr(see_counts, &now);
    if (before->looks > 0 &&
        ((now.adds == before->adds && now.subs == before->subs) || before->looks == LOOKS_MAX))
        return 0;
    dl_iterate_phdr(see_library, &now);
    if (!now.failed) {
        for (size_t i = 0; i < now.count; i++)
            now.list[i].library = read_library(&now.list[i]);
        qsort(now.list, now.count, sizeof(*now.list), by_base);
        map = make_map(&now);
    }
    if (!map) {
        loaded_done(&now);
        return 0;
    }
    *ret_now = now;
    *ret_map = map;
    return 1;
}

const struct loaded_place *loaded_place_at(const struct loaded *l, uint64_t pc)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct loaded_place *place = &l->list[i];
        if (place->library && pc - place->base < place->end - place->base)
            return place;
    }
    return NULL;
}
