/*
 * held.c - what one library holds: bytes of malloc() and of mmap(), by who has called them.
 *
 * To be preloaded, with the library that HELD_LIBRARY names behind it. The file HELD_FILE has three
 * numbers of eight bytes, always up to date: bytes of malloc(), calls of it not yet freed, bytes of
 * mmap(). SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *at, size_t size);
extern void __libc_free(void *at);

enum { PLACES = 1 << 20, MAGIC_SHIFT = 4 };

static uintptr_t low, high;
static pid_t process;
static struct held {
    _Atomic int64_t heap, blocks, mapped;
} * held;
static _Atomic uintptr_t ours[PLACES]; /* blocks of the library, by address */

static int visit(struct dl_phdr_info *info, size_t size, void *library)
{
    if (!strstr(info->dlpi_name, library))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
            low = info->dlpi_addr + p->p_vaddr;
            high = low + p->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *file = getenv("HELD_FILE"), *library = getenv("HELD_LIBRARY");
    int fd = file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *at = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof(*held)) == 0)
        at = (void *)syscall(SYS_mmap, NULL, sizeof(*held), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                             0);
    if (fd >= 0)
        close(fd);
    if (at == MAP_FAILED || !library)
        return;
    held = at;
    process = getpid();
    dl_iterate_phdr(visit, (void *)library);
}

/* Not in a forked child, which shares the numbers. */
static bool is_ours(const void *caller)
{
    return (uintptr_t)caller >= low && (uintptr_t)caller < high && getpid() == process;
}

static _Atomic uintptr_t *home(const void *at, int i)
{
    return &ours[(((uintptr_t)at >> MAGIC_SHIFT) * 0x9e3779b97f4a7c15u >> 40) + (uintptr_t)i &
                 (PLACES - 1)];
}

static void *note(void *at, const void *caller)
{
    if (!at || !is_ours(caller))
        return at;
    for (int i = 0; i < PLACES; i++) {
        uintptr_t there = *home(at, i);
        if (there <= 1 &&
            atomic_compare_exchange_strong_explicit(home(at, i), &there, (uintptr_t)at,
                                                    memory_order_seq_cst, memory_order_seq_cst)) {
            held->heap += (int64_t)malloc_usable_size(at);
            held->blocks++;
            break;
        }
    }
    return at;
}

/* A place that was used and is free has 1, so that a search goes on behind it. */
static void forget(void *at)
{
    for (int i = 0; at && held && i < PLACES; i++) {
        uintptr_t there = *home(at, i);
        if (there == 0)
            return;
        if (there == (uintptr_t)at && getpid() == process) {
            held->heap -= (int64_t)malloc_usable_size(at);
            held->blocks--;
            *home(at, i) = 1;
            return;
        }
    }
}

void *malloc(size_t size)
{
    return note(__libc_malloc(size), __builtin_return_address(0));
}

void *calloc(size_t count, size_t size)
{
    return note(__libc_calloc(count, size), __builtin_return_address(0));
}

void *realloc(void *at, size_t size)
{
    forget(at);
    return note(__libc_realloc(at, size), __builtin_return_address(0));
}

void *reallocarray(void *at, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    forget(at);
    return note(__libc_realloc(at, bytes), __builtin_return_address(0));
}

void free(void *at)
{
    forget(at);
    __libc_free(at);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    void *mapped = (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
    if (mapped != MAP_FAILED && is_ours(__builtin_return_address(0)))
        held->mapped += (int64_t)bytes;
    return mapped;
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
    __attribute__((alias("mmap")));

int munmap(void *at, size_t bytes)
{
    int result = (int)syscall(SYS_munmap, at, bytes);
    if (result == 0 && is_ours(__builtin_return_address(0)))
        held->mapped -= (int64_t)bytes;
    return result;
}
