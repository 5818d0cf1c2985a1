/*
 * mem_live.c - see mem_live.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/mem_live.h"
#include "mem/proc_stat.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "base/proc_ids.h"

enum {
    PAGE_BYTES = 4096,
    /* pages in one system call; IOV_MAX is 1024 */
    BATCH = 256,
    /* reads of the cache between two calls of is_over(), which reads a clock */
    READS = 256,
};

struct mem_live_page {
    uint64_t number; /* address / PAGE_BYTES; 0: the slot is free (page 0 is never mapped) */
    unsigned char *bytes;
    bool is_absent;
    bool is_old; /* not read again since mem_live_age() */
    uint8_t rank;
};

/* Read pieces of the process into our memory. Returns how many bytes were read, counted from the
 * first piece on. */
static ssize_t read_pieces(struct mem_live *live, const struct iovec *local,
                           const struct iovec *remote, unsigned count)
{
    live->calls++;
    if (live->mem_fd < 0) {
        ssize_t n = process_vm_readv(live->reader, local, count, remote, count, 0);
        if (n >= 0 || (errno != ENOSYS && errno != EPERM))
            return n;
        char path[64];
        snprintf(path, sizeof(path), "/proc/%d/mem", (int)live->reader);
        live->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
        if (live->mem_fd < 0) {
            live->refused = errno == ENOENT ? -EACCES : -errno;
            return -1;
        }
    }
    ssize_t total = 0;
    for (unsigned i = 0; i < count; i++) {
        ssize_t n = pread(live->mem_fd, local[i].iov_base, local[i].iov_len,
                          (off_t)(uintptr_t)remote[i].iov_base);
        total += n > 0 ? n : 0;
        if (n != (ssize_t)local[i].iov_len)
            break;
    }
    return total;
}

static uint32_t slot_of(const struct mem_live *live, uint64_t number)
{
    uint32_t mask = live->capacity - 1;
    uint32_t i = (uint32_t)((number * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (live->pages[i].number != 0 && live->pages[i].number != number)
        i = (i + 1) & mask;
    return i;
}

static int grow(struct mem_live *live)
{
    struct mem_live_page *old = live->pages;
    uint32_t old_capacity = live->capacity;
    uint32_t capacity = old_capacity == 0 ? 1024 : old_capacity * 2;
    struct mem_live_page *pages = calloc(capacity, sizeof(*pages));
    uint64_t *order = reallocarray(live->order, capacity / 2 + 1, sizeof(*order));
    if (order)
        live->order = order;
    if (!pages || !order) {
        free(pages);
        return -ENOMEM;
    }
    live->pages = pages;
    live->capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].number != 0)
            pages[slot_of(live, old[i].number)] = old[i];
    }
    free(old);
    return 0;
}

/* The cache's entry for a page. A new entry is made if there is none; then `bytes` is allocated,
 * but not filled. */
static struct mem_live_page *page_of(struct mem_live *live, uint64_t number, bool *ret_is_new)
{
    *ret_is_new = 0;
    if (live->page_count * 2 >= live->capacity && grow(live) < 0)
        return NULL;
    struct mem_live_page *page = &live->pages[slot_of(live, number)];
    if (page->number != 0)
        return page;
    unsigned char *bytes = malloc(PAGE_BYTES);
    if (!bytes)
        return NULL;
    *page = (struct mem_live_page){.number = number, .bytes = bytes, .rank = (uint8_t)live->rank};
    live->order[live->page_count++] = number;
    *ret_is_new = 1;
    return page;
}

/* Fill pages of the cache in batches. A page that fails is skipped. */
static void fill_pages(struct mem_live *live, struct mem_live_page **pages, unsigned count)
{
    struct iovec local[BATCH], remote[BATCH];
    for (unsigned at = 0; at < count;) {
        unsigned n = count - at < BATCH ? count - at : BATCH;
        for (unsigned i = 0; i < n; i++) {
            local[i] = (struct iovec){pages[at + i]->bytes, PAGE_BYTES};
            uint64_t address = pages[at + i]->number * PAGE_BYTES;
            remote[i] = (struct iovec){(void *)(uintptr_t)address, PAGE_BYTES};
        }
        ssize_t got = read_pieces(live, local, remote, n);
        unsigned full = got < 0 ? 0 : (unsigned)((size_t)got / PAGE_BYTES);
        if (full > n)
            full = n;
        for (unsigned i = 0; i < full; i++)
            pages[at + i]->is_absent = false;
        at += full;
        if (full < n)
            pages[at++]->is_absent = true;
    }
}

/* Whether the reads must end. If so, the cache is sealed. */
static bool is_over(struct mem_live *live)
{
    live->reads = 0;
    if (!live->is_sealed && live->is_over && live->is_over(live->is_over_with))
        live->is_sealed = true;
    return live->is_sealed;
}

/* The page of a sealed cache, if it is not an old page; else NULL. */
static struct mem_live_page *page_in_time(struct mem_live *live, uint64_t number)
{
    struct mem_live_page *page = live->capacity > 0 ? &live->pages[slot_of(live, number)] : NULL;
    if (page && page->number != 0 && !page->is_old)
        return page;
    live->missing++;
    return NULL;
}

/* The bytes of a page; NULL: the page is absent. */
static const unsigned char *look_up(struct mem_live *live, uint64_t number)
{
    struct mem_live_seen *seen = &live->seen[number % MEM_LIVE_SEEN];
    bool is_new = false;
    if (seen->number == number)
        return seen->bytes;
    struct mem_live_page *page =
        live->is_sealed ? page_in_time(live, number) : page_of(live, number, &is_new);
    if (!page)
        return NULL;
    if (is_new || page->is_old) {
        page->is_old = false;
        fill_pages(live, &page, 1);
        is_over(live);
    }
    if (page->is_absent)
        return NULL;
    *seen = (struct mem_live_seen){number, page->bytes};
    return page->bytes;
}

static int live_read(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct mem_live *live = (struct mem_live *)m;
    unsigned char *out = dst;
    if (++live->reads >= READS)
        is_over(live);
    while (len > 0) {
        uint64_t number = addr / PAGE_BYTES;
        size_t at = addr % PAGE_BYTES, n = PAGE_BYTES - at < len ? PAGE_BYTES - at : len;
        const unsigned char *bytes = number == 0 ? NULL : look_up(live, number);
        if (!bytes)
            return -EFAULT;
        if (n == 8)
            memcpy(out, bytes + at, 8);
        else
            memcpy(out, bytes + at, n);
        out += n;
        addr += n;
        len -= n;
    }
    return 0;
}

static const struct mem_ops live_ops = {.read = live_read};

int mem_live_read_now(struct mem_live *live, uint64_t addr, void *dst, size_t len)
{
    struct iovec local = {dst, len}, remote = {(void *)(uintptr_t)addr, len};
    return read_pieces(live, &local, &remote, 1) == (ssize_t)len ? 0 : -EFAULT;
}

void mem_live_prefetch(struct mem_live *live, uint64_t addr, size_t len)
{
    /* The table may move while entries are made: make all entries first, then collect them. */
    uint64_t first = addr / PAGE_BYTES, end = (addr + len + PAGE_BYTES - 1) / PAGE_BYTES;
    struct mem_live_page *fresh[BATCH];
    for (uint64_t number = first; number < end;) {
        uint64_t stop = end - number < BATCH ? end : number + BATCH, made[BATCH];
        unsigned count = 0;
        for (; number < stop; number++) {
            bool is_new;
            if (number == 0 || !page_of(live, number, &is_new))
                continue;
            if (is_new)
                made[count++] = number;
        }
        for (unsigned i = 0; i < count; i++)
            fresh[i] = &live->pages[slot_of(live, made[i])];
        fill_pages(live, fresh, count);
    }
}

/* Read old pages again, in the order in which they were first needed: only the absent pages, or
 * only the others. */
static void refresh(struct mem_live *live, unsigned rank, bool is_absent)
{
    struct mem_live_page *batch[BATCH];
    unsigned count = 0;
    for (uint32_t i = 0; i < live->page_count && !live->is_sealed; i++) {
        struct mem_live_page *page = &live->pages[slot_of(live, live->order[i])];
        if (!page->is_old || page->rank != rank || page->is_absent != is_absent)
            continue;
        page->is_old = false;
        batch[count++] = page;
        if (count == (is_absent ? 1 : BATCH)) {
            fill_pages(live, batch, count);
            count = 0;
            is_over(live);
        }
    }
    fill_pages(live, batch, count);
}

void mem_live_age(struct mem_live *live)
{
    memset(live->seen, 0, sizeof(live->seen));
    live->is_sealed = false;
    live->missing = 0;
    for (uint32_t i = 0; i < live->capacity; i++)
        live->pages[i].is_old = true;
}

void mem_live_refresh(struct mem_live *live, unsigned rank)
{
    refresh(live, rank, false);
    /* Pages that were absent may exist by now. */
    refresh(live, rank, true);
}

void mem_live_unseal(struct mem_live *live)
{
    live->is_over = NULL;
    live->is_sealed = false;
}

void mem_live_forget(struct mem_live *live)
{
    for (uint32_t i = 0; i < live->capacity; i++)
        free(live->pages[i].bytes);
    free(live->pages);
    free(live->order);
    live->pages = NULL;
    live->order = NULL;
    live->is_sealed = false;
    live->rank = 0;
    live->page_count = live->capacity = 0;
    memset(live->seen, 0, sizeof(live->seen));
}

/* Parse a line "start-end permissions offset device inode path": fill the numbers. Returns the
 * path, or NULL. */
static char *parse_map(char *line, struct image_map *map)
{
    char *p;
    map->start = strtoull(line, &p, 16);
    if (*p != '-')
        return NULL;
    map->end = strtoull(p + 1, &p, 16);
    if (*p != ' ' || !(p = strchr(p + 1, ' ')))
        return NULL;
    map->offset = strtoull(p + 1, NULL, 16);
    return strchr(p, '/');
}

/* Whether a line of the system's list of maps is that of the kernel's library. */
static bool is_vdso(const char *line, size_t len)
{
    static const char ending[] = " [vdso]";
    const size_t n = sizeof(ending) - 1;
    return len >= n && strcmp(line + len - n, ending) == 0;
}

int mem_live_read_maps(struct mem_live *live)
{
    char path[64], *line = NULL;
    size_t size = 0;
    int error = 0;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)live->reader);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? -ESRCH : -errno;
    for (uint32_t i = 0; i < live->image.map_count; i++)
        free(live->image.maps[i].path);
    live->image.map_count = 0;
    errno = 0;
    for (ssize_t n; error == 0 && (n = getline(&line, &size, file)) > 0;) {
        struct image_map map = {0};
        line[n - 1] = 0;
        const char *name = parse_map(line, &map);
        if (!name && is_vdso(line, (size_t)n - 1))
            name = IMAGE_VDSO;
        if (!name)
            continue;
        char *deleted = strstr(name, " (deleted)");
        if (deleted && deleted[10] == 0) {
            *deleted = 0;
            map.is_deleted = true;
        }
        map.path = strdup(name);
        error = image_add_map(&live->image, map);
    }
    if (error == 0 && ferror(file))
        error = errno == EACCES || errno == EPERM ? -errno : -ESRCH;
    free(line);
    fclose(file);
    return error;
}

bool mem_live_has_ended(pid_t pid, pid_t tid)
{
    struct proc_stat stat;
    int error = proc_stat_read(pid, tid, &stat);
    return error == -ESRCH || (error == 0 && proc_stat_is_ended(&stat));
}

double mem_live_age_s(pid_t pid)
{
    struct timespec now;
    struct proc_stat stat;
    if (proc_stat_read(pid, pid, &stat) < 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return -1;
    double began = (double)strtoull(proc_stat_field(&stat, PROC_STAT_START), NULL, 10);
    if (began <= 0)
        return -1;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - began / (double)sysconf(_SC_CLK_TCK);
}

/* Add a thread, unless it has ended. */
static int add_thread(struct mem_live *live, pid_t tid, bool is_inner)
{
    struct proc_stat stat;
    bool has_stat = proc_stat_read(live->pid, tid, &stat) == 0;
    if (has_stat && proc_stat_is_ended(&stat))
        return 0;
    struct image_thread *thread = image_add_thread(&live->image);
    if (!thread)
        return -ENOMEM;
    thread->tid = tid;
    thread->inner_tid = is_inner ? proc_stat_inner_tid(live->pid, tid) : tid;
    if (has_stat) {
        size_t len = (size_t)(stat.name_end - stat.name);
        if (len >= sizeof(thread->name))
            len = sizeof(thread->name) - 1;
        memcpy(thread->name, stat.name, len);
        thread->nice = (int)strtol(proc_stat_field(&stat, PROC_STAT_NICE), NULL, 10);
    }
    return 0;
}

int mem_live_update_threads(struct mem_live *live, const pid_t *tids, uint32_t count)
{
    struct image_thread *old = live->image.threads;
    uint32_t old_count = live->image.thread_count, at = 0;
    bool is_inner = proc_stat_inner_tid(live->pid, live->pid) != live->pid;
    int error = 0;
    live->image.threads = NULL;
    live->image.thread_count = 0;
    for (uint32_t i = 0; i < count && error == 0; i++) {
        /* Most threads have the same order in the old list and in the new list: search from the
         * place of the last thread on. */
        uint32_t n = 0;
        while (n < old_count && old[(at + n) % old_count].tid != tids[i])
            n++;
        if (n == old_count) {
            error = add_thread(live, tids[i], is_inner);
            continue;
        }
        at = (at + n) % old_count;
        struct image_thread *thread = image_add_thread(&live->image);
        if (!thread)
            error = -ENOMEM;
        else
            *thread = old[at];
    }
    free(old);
    return error;
}

int mem_live_read_threads(struct mem_live *live)
{
    struct proc_ids tasks;
    int error = proc_ids_open_threads(live->pid, &tasks);
    if (error)
        return error;
    live->image.thread_count = 0;
    bool is_inner = proc_stat_inner_tid(live->pid, live->pid) != live->pid;
    for (pid_t tid; error == 0 && (tid = proc_ids_next(&tasks)) != 0;)
        error = add_thread(live, tid, is_inner) < 0 ? -ENOMEM : 0;
    proc_ids_close(&tasks);
    if (error)
        return error;
    if (live->image.thread_count == 0)
        return -ESRCH;
    /* An ended thread has no memory to read any more. */
    live->reader = live->image.threads[0].tid;
    for (uint32_t i = 0; i < live->image.thread_count; i++) {
        if (live->image.threads[i].tid == live->pid)
            live->reader = live->pid;
    }
    return 0;
}

/* The entry in map_files leads to the mapped file itself, even if its name is gone, but opening it
 * takes a capability. The second way is the file's name below the process's own root. */
static int live_open_file(struct image *image, const struct image_map *map,
                          struct elf_file *ret_file)
{
    const struct mem_live *live =
        (const struct mem_live *)((const char *)image - offsetof(struct mem_live, image));
    char path[96];
    snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)live->reader,
             map->start, map->end);
    int error = elf_file_open(path, ret_file);
    if (error == 0 || map->is_deleted)
        return error;
    if (error != -EPERM && error != -EACCES) /* the file is there, but cannot be read */
        return error;
    snprintf(path, sizeof(path), "/proc/%d/root", (int)live->reader);
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -errno;
    error = elf_file_open_below(root, map->path, ret_file);
    close(root);
    return error;
}

/* There is no process 0: the kernel itself answers ESRCH. */
int mem_live_refused(void)
{
    unsigned char byte;
    struct iovec local = {&byte, sizeof(byte)}, remote = {&byte, sizeof(byte)};
    return process_vm_readv(0, &local, 1, &remote, 1, 0) >= 0 || errno == ESRCH ? 0 : -errno;
}

/* Whether we may read memory at all. The kernel may show the maps of a process and hide its memory
 * (yama). */
static int try_read(struct mem_live *live)
{
    unsigned char byte;
    if (live->image.map_count > 0)
        (void)mem_live_read_now(live, live->image.maps[0].start, &byte, sizeof(byte));
    return live->refused;
}

int mem_live_open(pid_t pid, struct mem_live *ret_live)
{
    memset(ret_live, 0, sizeof(*ret_live));
    ret_live->mem.ops = &live_ops;
    ret_live->image.mem = &ret_live->mem;
    ret_live->image.open_file = live_open_file;
    ret_live->pid = pid;
    ret_live->mem_fd = -1;
    int error = mem_live_read_threads(ret_live);
    if (error == 0)
        error = mem_live_read_maps(ret_live);
    return error < 0 ? error : try_read(ret_live);
}

void mem_live_close(struct mem_live *live)
{
    mem_live_forget(live);
    image_done(&live->image);
    if (live->mem_fd >= 0)
        close(live->mem_fd);
    live->mem_fd = -1;
}
