/*
 * heaproom.c - memory within a limit.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaproom.h"
#include <sys/mman.h>
#include <sys/random.h>

enum { PAGE = 4096, FIRST = 64 * 1024 };

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

void heaproom_init(struct heaproom *r, uint64_t bytes)
{
    *r = (struct heaproom){.limit = bytes > HEAPROOM_FIXED ? bytes - HEAPROOM_FIXED : 0};
    /* Without a random number hostile files could make the tables slow, and nothing worse. */
    if (getrandom(&r->seed, sizeof(r->seed), GRND_NONBLOCK) < 0)
        r->seed = (uint64_t)(uintptr_t)r;
}

bool heaproom_is_full(const struct heaproom *r, uint64_t bytes)
{
    return bytes > r->limit || r->used > r->limit - bytes;
}

/* Whether `more` bytes fit; otherwise keeps what would do. */
static bool has_room(struct heaproom *r, uint64_t more)
{
    if (!heaproom_is_full(r, more))
        return true;
    r->lacked = more > UINT64_MAX - r->used ? UINT64_MAX : r->used + more;
    return false;
}

static void count(struct heaproom *r, uint64_t more)
{
    r->used += more;
    if (r->used > r->peak)
        r->peak = r->used;
}

void *heaproom_try(struct heaproom *r, uint64_t bytes)
{
    if (bytes > UINT64_MAX / 2 || !has_room(r, whole_pages(bytes)))
        return NULL;
    bytes = bytes == 0 ? PAGE : whole_pages(bytes);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        /* As with `ulimit -v`: there will not be more than now. */
        r->limit = r->used < r->limit ? r->used : r->limit;
        return NULL;
    }
    count(r, bytes);
    return at;
}

void *heaproom_take(struct heaproom *r, uint64_t bytes)
{
    void *at = heaproom_try(r, bytes);
    if (!at && r->reclaim && r->reclaim(r, bytes))
        at = heaproom_try(r, bytes);
    return at;
}

void *heaproom_try_grow(struct heaproom *r, void *at, uint64_t bytes, uint64_t new_bytes)
{
    if (!at)
        return heaproom_try(r, new_bytes);
    if (new_bytes > UINT64_MAX / 2)
        return NULL;
    bytes = bytes == 0 ? PAGE : whole_pages(bytes);
    new_bytes = whole_pages(new_bytes);
    if (new_bytes <= bytes)
        return at;
    if (!has_room(r, new_bytes - bytes))
        return NULL;
    void *moved = mremap(at, bytes, new_bytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED)
        return NULL;
    count(r, new_bytes - bytes);
    return moved;
}

void *heaproom_grow(struct heaproom *r, void *at, uint64_t bytes, uint64_t new_bytes)
{
    void *moved = heaproom_try_grow(r, at, bytes, new_bytes);
    if (!moved && r->reclaim && r->reclaim(r, new_bytes - bytes))
        moved = heaproom_try_grow(r, at, bytes, new_bytes);
    return moved;
}

void heaproom_shrink(struct heaproom *r, void *at, uint64_t bytes, uint64_t new_bytes)
{
    bytes = bytes == 0 ? PAGE : whole_pages(bytes);
    new_bytes = new_bytes == 0 ? PAGE : whole_pages(new_bytes);
    if (new_bytes >= bytes)
        return;
    munmap((unsigned char *)at + new_bytes, bytes - new_bytes);
    r->used -= bytes - new_bytes;
}

void heaproom_give(struct heaproom *r, void *at, uint64_t bytes)
{
    if (!at)
        return;
    bytes = bytes == 0 ? PAGE : whole_pages(bytes);
    munmap(at, bytes);
    r->used -= bytes;
}

void *heaproom_list_add(struct heaproom_list *list, struct heaproom *r, size_t bytes)
{
    if ((list->count + 1) * bytes > list->mapped) {
        uint64_t mapped = list->mapped == 0 ? FIRST : list->mapped + list->mapped / 2;
        mapped = whole_pages(mapped < (list->count + 1) * bytes ? mapped + bytes : mapped);
        void *at = heaproom_grow(r, list->at, list->mapped, mapped);
        if (!at)
            return NULL;
        list->at = at;
        list->mapped = mapped;
    }
    return list->at + bytes * list->count++;
}

void heaproom_list_done(struct heaproom_list *list, struct heaproom *r)
{
    heaproom_give(r, list->at, list->mapped);
    *list = (struct heaproom_list){0};
}
