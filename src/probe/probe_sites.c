/*
 * probe_sites.c - see probe_sites.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_sites.h"
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/wildcard.h"

enum {
    BUILD_ID_MOST = 64,
    SITES_MOST = 1 << 17,
    FILES_MOST = 4096,
    TEXTS_BYTES = 16 << 20,
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the process's memory has the file's build-id where the file has it. */
static bool is_certain(struct mem_live *live, const struct image_map *first,
                       const struct elf_file *f)
{
    const unsigned char *id;
    unsigned char there[BUILD_ID_MOST];
    int len = elf_file_build_id(f, &id);
    if (len <= 0 || len > BUILD_ID_MOST)
        return false;
    uint64_t offset = (uint64_t)(id - f->bytes);
    for (const struct image_map *m = first; m < live->image.maps + live->image.map_count; m++)
        if (strcmp(m->path, first->path) == 0 && offset >= m->offset &&
            offset - m->offset < m->end - m->start)
            return mem_read(&live->mem, m->start + (offset - m->offset), there, (size_t)len) == 0 &&
                   memcmp(there, id, (size_t)len) == 0;
    return false;
}

/*
 * Whether the bytes at the site are an instruction that does nothing, or the breakpoint that the
 * kernel has put there for somebody else: the kernel shows its breakpoints in our mapping, too.
 * Source: Linux, kernel/events/uprobes.c: valid_vma(); arch/arm64/include/asm/brk-imm.h.
 */
static bool is_nop(const struct elf_file *f, uint64_t offset)
{
    static const unsigned char x86[][1] = {{0x90}, {0xcc}},
                               arm[][4] = {{0x1f, 0x20, 0x03, 0xd5}, {0xa0, 0x00, 0x20, 0xd4}};
    bool is_x86 = f->machine == EM_X86_64;
    size_t len = is_x86 ? sizeof(x86[0]) : sizeof(arm[0]);
    if ((!is_x86 && f->machine != EM_AARCH64) || offset > f->len || f->len - offset < len)
        return false;
    for (int i = 0; i < 2; i++)
        if (memcmp(f->bytes + offset, is_x86 ? x86[i] : arm[i], len) == 0)
            return true;
    return false;
}

static int order_of(const void *left, const void *right)
{
    const struct probe_site *a = left, *b = right;
    int order = a->file < b->file ? -1 : a->file > b->file;
    if (order == 0)
        order = strcmp(a->at.provider, b->at.provider);
    if (order == 0)
        order = strcmp(a->at.name, b->at.name);
    return order ? order : a->at.offset < b->at.offset ? -1 : a->at.offset > b->at.offset;
}

int probe_sites_add(struct probe_sites *s, const struct probe_site *site)
{
    if (s->count % 256 == 0) {
        struct probe_site *rows = reallocarray(s->rows, s->count + 256, sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        s->rows = rows;
    }
    s->rows[s->count++] = *site;
    return 0;
}

void probe_sites_sort(struct probe_sites *s)
{
    if (s->count > 0)
        qsort(s->rows, s->count, sizeof(*s->rows), order_of);
}

/* Add the sites of a file's notes. Returns how many, or -ENOMEM. */
static int add_sites(struct probe_sites *s, const struct probe_file *file)
{
    struct stapsdt_at at = {0};
    struct probe_site site = {.file = s->file_count};
    int added = 0;
    for (; s->count < SITES_MOST && stapsdt_next(&file->elf, &at, &site.at); added++) {
        site.is_usable = file->is_certain && is_nop(&file->elf, site.at.offset);
        if (probe_sites_add(s, &site) != 0)
            return -ENOMEM;
    }
    return added;
}

/* Open the file that is mapped at `map`, its first mapping. Errors: 0; E_NOT_FOUND. Owner:
 * elf_file_close(). */
static int open_file(struct probe_sites *s, const struct image_map *map, struct probe_file *ret)
{
    *ret = (struct probe_file){.name = name_of(map->path)};
    if (s->live.image.open_file(&s->live.image, map, &ret->elf) != 0)
        return E_NOT_FOUND;
    ret->is_certain = is_certain(&s->live, map, &ret->elf);
    snprintf(ret->path, sizeof(ret->path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
             (int)s->live.pid, map->start, map->end);
    return 0;
}

/* Takes the file over. Returns its index, or -ENOMEM. */
static int keep_file(struct probe_sites *s, struct probe_file *file)
{
    struct probe_file *files = reallocarray(s->files, s->file_count + 1, sizeof(*files));
    if (!files) {
        elf_file_close(&file->elf);
        return -ENOMEM;
    }
    s->files = files;
    s->files[s->file_count] = *file;
    return (int)s->file_count++;
}

/* Look at the file that is mapped at `map`, its first mapping. A file that cannot be opened or is
 * no ELF file has no probes. Errors: 0, -ENOMEM. */
static int look_at(struct probe_sites *s, const struct image_map *map)
{
    struct probe_file file;
    if (open_file(s, map, &file) != 0)
        return 0;
    int added = add_sites(s, &file);
    if (added == 0) {
        elf_file_close(&file.elf);
        return 0;
    }
    int kept = keep_file(s, &file);
    return added < 0 ? added : kept < 0 ? kept : 0;
}

int probe_sites_file(struct probe_sites *s, const struct image_map *map)
{
    struct probe_file file;
    int error = open_file(s, map, &file);
    if (error)
        return error;
    for (uint32_t i = 0; i < s->file_count; i++)
        if (strcmp(s->files[i].path, file.path) == 0) {
            elf_file_close(&file.elf);
            return (int)i;
        }
    return keep_file(s, &file);
}

bool probe_sites_is_first(const struct probe_sites *s, const struct image_map *map)
{
    const struct image *image = &s->live.image;
    for (const struct image_map *m = image->maps; m < map; m++)
        if (strcmp(m->path, map->path) == 0 && m->is_deleted == map->is_deleted)
            return false;
    return true;
}

uint32_t probe_sites_find(const struct probe_sites *s, uint32_t file, const char *provider,
                          const char *name)
{
    const struct probe_site wanted = {.file = file, .at = {.provider = provider, .name = name}};
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (order_of(&s->rows[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && probe_sites_are_same(&s->rows[low], &wanted) ? low : UINT32_MAX;
}

bool probe_sites_are_same(const struct probe_site *a, const struct probe_site *b)
{
    return a->file == b->file && strcmp(a->at.provider, b->at.provider) == 0 &&
           strcmp(a->at.name, b->at.name) == 0;
}

int probe_sites_open(pid_t pid, struct probe_sites *ret)
{
    *ret = (struct probe_sites){0};
    arena_init(&ret->texts, TEXTS_BYTES);
    int error = mem_live_open(pid, &ret->live);
    const struct image *image = &ret->live.image;
    for (uint32_t i = 0, files = 0; i < image->map_count && error == 0 && files < FILES_MOST; i++) {
        const struct image_map *map = &image->maps[i];
        if (map->offset != 0 || strcmp(map->path, IMAGE_VDSO) == 0 ||
            !probe_sites_is_first(ret, map))
            continue;
        files++;
        ret->has_libjvm |= strcmp(name_of(map->path), "libjvm.so") == 0;
        error = look_at(ret, map);
    }
    probe_sites_sort(ret);
    return error;
}

void probe_sites_close(struct probe_sites *s)
{
    for (uint32_t i = 0; i < s->file_count; i++)
        elf_file_close(&s->files[i].elf);
    free(s->files);
    free(s->rows);
    arena_done(&s->texts);
    mem_live_close(&s->live);
    s->files = NULL;
    s->rows = NULL;
}

static bool matches(const char *pattern, size_t len, const char *text)
{
    return wildcard_matches(pattern, len, text, strlen(text), false);
}

bool probe_sites_is_named(const struct probe_site *site, const char *const *names, unsigned count)
{
    static const char prefix[] = "usdt:";
    for (unsigned i = 0; i < count; i++) {
        const char *name = names[i];
        if (site->kind != PROBE_SITE_NOTE) {
            if (strcmp(site->asked, name) == 0)
                return true;
            continue;
        }
        if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
            name += sizeof(prefix) - 1;
        const char *colon = strchr(name, ':'), *last = colon ? colon + 1 : name;
        if ((!colon || matches(name, (size_t)(colon - name), site->at.provider)) &&
            matches(last, strlen(last), site->at.name))
            return true;
    }
    return count == 0;
}
