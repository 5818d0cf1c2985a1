/*
 * mem_core.c - see mem_core.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/mem_core.h"
#include "base/err.h"
#include "elf/elf_note.h"
#include "mem/image.h"
#include "safe/search.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Offsets in struct elf_prstatus, the same on x86-64 and aarch64. */
enum { PRSTATUS_SIGNAL = 12, PRSTATUS_PID = 32, PRSTATUS_REGS = 112 };
/* Offsets in struct elf_prpsinfo. */
enum { PRPSINFO_NICE = 3, PRPSINFO_PID = 24, PRPSINFO_NAME = 40 };
enum { SIGINFO_ADDR = 16, FILES_MAX = 1000000, FIRST_PAGE = 4096 };

static uint64_t word_at(const unsigned char *bytes, uint64_t at)
{
    uint64_t value;
    memcpy(&value, bytes + at, sizeof(value));
    return value;
}

static uint32_t half_at(const unsigned char *bytes, uint64_t at)
{
    uint32_t value;
    memcpy(&value, bytes + at, sizeof(value));
    return value;
}

static const struct mem_core_piece *piece_at(struct mem_core *core, uint64_t addr)
{
    uint32_t below;
    if (core->last < core->piece_count && addr >= core->pieces[core->last].start &&
        addr < core->pieces[core->last].end)
        return &core->pieces[core->last];
    below = SEARCH_UPTO(core->pieces, core->piece_count, end, addr);
    if (below == core->piece_count || core->pieces[below].start > addr)
        return NULL;
    core->last = below;
    return &core->pieces[below];
}

/* Copy the part of [addr, addr+len) that the core itself holds. Returns the bytes copied. */
static size_t read_own(struct mem_core *core, const struct mem_core_piece *piece, uint64_t addr,
                       unsigned char *dst, size_t len)
{
    uint64_t at = addr - piece->start;
    if (at >= piece->present)
        return 0;
    size_t n = piece->present - at < len ? (size_t)(piece->present - at) : len;
    memcpy(dst, core->elf.bytes + piece->offset + at, n);
    return n;
}

uint64_t mem_core_own(struct mem_core *core, uint64_t addr, uint64_t *ret_offset)
{
    const struct mem_core_piece *piece = piece_at(core, addr);
    if (!piece || addr - piece->start >= piece->present)
        return 0;
    *ret_offset = piece->offset + (addr - piece->start);
    return piece->present - (addr - piece->start);
}

/* The build-id of the ELF file that starts at `addr`, from the core's own pages. */
static int build_id_at(struct mem_core *core, uint64_t addr, unsigned char id[64])
{
    unsigned char page[FIRST_PAGE];
    const unsigned char *found;
    struct elf_file elf;
    const struct mem_core_piece *piece = piece_at(core, addr);
    if (!piece || read_own(core, piece, addr, page, sizeof(page)) != sizeof(page) ||
        elf_file_of_bytes(page, sizeof(page), &elf) < 0)
        return 0;
    int len = elf_file_build_id(&elf, &found);
    if (len > 0)
        memcpy(id, found, (size_t)len);
    return len > 0 ? len : 0;
}

static struct core_file *file_of(struct mem_core *core, const struct image_map *map)
{
    unsigned char id[64];
    struct core_file **file = &core->map_files[map - core->image.maps];
    int id_len = 0;
    if (*file)
        return *file;
    /* The map of the start of the file holds the ELF header. */
    for (uint32_t i = 0; i < core->image.map_count && id_len == 0; i++) {
        const struct image_map *m = &core->image.maps[i];
        if (m->offset == 0 && strcmp(m->path, map->path) == 0)
            id_len = build_id_at(core, m->start, id);
    }
    *file = core_files_get(&core->files, map->path, id, id_len);
    return *file;
}

/* Copy the part of [addr, addr+len) that lies in the mapped file. Returns the bytes copied. */
static size_t read_file(struct mem_core *core, const struct image_map *map, uint64_t addr,
                        unsigned char *dst, size_t len)
{
    struct core_file *file = file_of(core, map);
    uint64_t at = addr - map->start + map->offset;
    if (!file)
        return 0;
    if (!file->bytes || at >= file->len) {
        file->wanted++;
        return 0;
    }
    size_t n = map->end - addr < len ? (size_t)(map->end - addr) : len;
    if (file->len - at < n)
        n = (size_t)(file->len - at);
    memcpy(dst, file->bytes + at, n);
    return n;
}

static int core_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct mem_core *core = (struct mem_core *)m;
    unsigned char *out = dst;
    while (len > 0) {
        const struct mem_core_piece *piece = piece_at(core, addr);
        const struct image_map *map = NULL;
        size_t n = 0, most = len;
        if (piece) {
            n = read_own(core, piece, addr, out, len);
            if (n == 0 && (addr - piece->start >= piece->dumped || !piece->is_writable))
                map = piece->map;
            most = piece->end - addr < len ? (size_t)(piece->end - addr) : len;
        } else {
            map = image_map_at(&core->image, addr);
        }
        if (n == 0 && map)
            n = read_file(core, map, addr, out, most);
        if (n == 0)
            return -EFAULT;
        out += n;
        addr += n;
        len -= n;
    }
    return 0;
}

static const struct mem_ops core_ops = {.read = core_read};

static int by_start(const void *a, const void *b)
{
    const struct mem_core_piece *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int read_pieces(struct mem_core *core)
{
    struct elf_segment s;
    core->pieces = calloc((size_t)core->elf.segment_count + 1, sizeof(*core->pieces));
    if (!core->pieces)
        return -ENOMEM;
    for (unsigned i = 0; elf_file_segment(&core->elf, i, &s) == 0; i++) {
        if (s.type != PT_LOAD || s.mem_size == 0 || s.addr + s.mem_size < s.addr)
            continue;
        struct mem_core_piece *piece = &core->pieces[core->piece_count++];
        piece->start = s.addr;
        piece->end = s.addr + s.mem_size;
        piece->offset = s.offset;
        piece->dumped = s.file_size < s.mem_size ? s.file_size : s.mem_size;
        uint64_t there = s.offset < core->elf.len ? core->elf.len - s.offset : 0;
        piece->present = piece->dumped < there ? piece->dumped : there;
        piece->is_writable = (s.flags & PF_W) != 0;
        if (piece->present < piece->dumped)
            core->is_cut = true;
    }
    qsort(core->pieces, core->piece_count, sizeof(*core->pieces), by_start);
    return 0;
}

/* Read NT_FILE: count, page size, then count times {start, end, offset in pages}, then the names,
 * 0-terminated. */
static int read_maps(struct mem_core *core, const struct elf_note *note)
{
    if (note->len < 16)
        return 0;
    uint64_t count = word_at(note->data, 0), page = word_at(note->data, 8);
    if (count > FILES_MAX || count * 24 > note->len - 16)
        return 0;
    const char *name = (const char *)note->data + 16 + count * 24;
    const char *end = (const char *)note->data + note->len;
    for (uint64_t i = 0; i < count && name < end; i++) {
        const unsigned char *row = note->data + 16 + i * 24;
        const char *stop = memchr(name, 0, (size_t)(end - name));
        struct image_map map = {
            .start = word_at(row, 0), .end = word_at(row, 8), .offset = word_at(row, 16) * page};
        if (!stop)
            break;
        size_t len = (size_t)(stop - name);
        if (len > 10 && strcmp(stop - 10, " (deleted)") == 0) {
            map.is_deleted = true;
            len -= 10;
        }
        map.path = strndup(name, len);
        if (map.start < map.end) {
            int error = image_add_map(&core->image, map);
            if (error < 0)
                return error;
        } else {
            free(map.path);
        }
        name = stop + 1;
    }
    return 0;
}

static int read_thread(struct mem_core *core, const struct elf_note *note)
{
    if (note->len < PRSTATUS_REGS)
        return 0;
    struct image_thread *thread = image_add_thread(&core->image);
    if (!thread)
        return -ENOMEM;
    thread->tid = thread->inner_tid = (pid_t)half_at(note->data, PRSTATUS_PID);
    thread->has_regs = image_read_regs(core->elf.machine, note->data + PRSTATUS_REGS,
                                       note->len - PRSTATUS_REGS, &thread->regs) == 0;
    if (core->image.thread_count == 1)
        core->signal = (int)(half_at(note->data, PRSTATUS_SIGNAL) & 0xffff);
    return 0;
}

/* Read the entry address of the program, and add the map of the kernel's library. That library is a
 * piece of the core that is not in the list of mapped files. */
static int read_auxv(struct mem_core *core, const struct elf_note *note, uint64_t *ret_entry)
{
    const struct mem_core_piece *piece = NULL;
    for (uint64_t i = 0; i + 16 <= note->len; i += 16) {
        uint64_t value = word_at(note->data, i + 8);
        if (word_at(note->data, i) == AT_ENTRY)
            *ret_entry = value;
        else if (word_at(note->data, i) == AT_SYSINFO_EHDR)
            piece = piece_at(core, value);
    }
    struct image_map map = {0};
    if (!piece || piece->present < piece->end - piece->start)
        return 0;
    map.start = piece->start;
    map.end = piece->end;
    map.path = strdup(IMAGE_VDSO);
    return image_add_map(&core->image, map);
}

static int read_notes(struct mem_core *core, uint64_t *ret_entry)
{
    struct elf_note_at at = {0, 0};
    struct elf_note note;
    int error = 0, nice = 0;
    while (error == 0 && elf_note_next(&core->elf, &at, &note)) {
        if (elf_note_is(&note, "CORE", NT_PRSTATUS)) {
            error = read_thread(core, &note);
        } else if (elf_note_is(&note, "CORE", NT_FILE)) {
            error = read_maps(core, &note);
        } else if (elf_note_is(&note, "CORE", NT_PRPSINFO) &&
                   note.len >= PRPSINFO_NAME + sizeof(core->command) - 1) {
            nice = note.data[PRPSINFO_NICE] < 128 ? note.data[PRPSINFO_NICE]
                                                  : note.data[PRPSINFO_NICE] - 256;
            core->pid = (pid_t)half_at(note.data, PRPSINFO_PID);
            memcpy(core->command, note.data + PRPSINFO_NAME, sizeof(core->command) - 1);
        } else if (elf_note_is(&note, "CORE", NT_SIGINFO) && note.len >= SIGINFO_ADDR + 8) {
            core->fault_addr = word_at(note.data, SIGINFO_ADDR);
        } else if (elf_note_is(&note, "CORE", NT_AUXV)) {
            error = read_auxv(core, &note, ret_entry);
        }
    }
    for (uint32_t i = 0; i < core->image.thread_count; i++) {
        struct image_thread *thread = &core->image.threads[i];
        thread->nice = nice;
        /* A core has only the name of the process, which is that of its first thread. */
        if (thread->tid == core->pid)
            memcpy(thread->name, core->command, sizeof(thread->name) - 1);
    }
    return error;
}

static int core_open_file(struct image *image, const struct image_map *map,
                          struct elf_file *ret_file)
{
    struct mem_core *core = (struct mem_core *)((char *)image - offsetof(struct mem_core, image));
    struct core_file *file = file_of(core, map);
    if (!file)
        return -ENOMEM;
    if (!file->found) {
        file->wanted++;
        return file->error;
    }
    return elf_file_open(file->found, ret_file);
}

int mem_core_open(const char *path, const char *sysroot, const char *exe, struct mem_core *ret_core)
{
    struct mem_core *core = ret_core;
    uint64_t entry = 0;
    memset(core, 0, sizeof(*core));
    core->mem.ops = &core_ops;
    core->image.mem = &core->mem;
    core->image.open_file = core_open_file;
    core->files.sysroot = sysroot;
    core->files.exe = exe;
    int error = elf_file_open(path, &core->elf);
    if (error < 0)
        return error;
    if (core->elf.type != ET_CORE)
        return E_UNSUPPORTED;
    error = read_pieces(core);
    if (error == 0)
        error = read_notes(core, &entry);
    if (error < 0)
        return error;
    image_sort(&core->image);
    core->map_files = calloc((size_t)core->image.map_count + 1, sizeof(struct core_file *));
    if (!core->map_files)
        return -ENOMEM;
    for (uint32_t i = 0; i < core->piece_count; i++)
        core->pieces[i].map = image_map_at(&core->image, core->pieces[i].start);
    const struct image_map *program = image_map_at(&core->image, entry);
    if (program)
        core->files.core_exe = strdup(program->path);
    return core->image.thread_count > 0 ? 0 : E_TRUNCATED;
}

void mem_core_close(struct mem_core *core)
{
    core_files_done(&core->files);
    image_done(&core->image);
    free(core->map_files);
    free(core->pieces);
    core->map_files = NULL;
    core->pieces = NULL;
    core->piece_count = 0;
    elf_file_close(&core->elf);
}
