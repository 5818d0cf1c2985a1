/*
 * heaptable.c - tables in memory or in a file.
 *
 * Memory of pages comes in slabs, so that it can be given back in large pieces. Which page leaves
 * memory is decided by a clock: a hand goes round, and takes the first page that was not used since
 * it came by. SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaptable.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/splitmix.h"

enum {
    SLAB_PAGES = 16,
    SLABS_LEAST = 2,
    STEP = 1 << 20,    /* by which the file grows */
    SMALL = 64 * 1024, /* bytes of a table that stays in memory */
    ROOM_KEPT = 32,    /* a part of the limit that pages leave free */
};

/* A piece of memory for pages, and whose they are. */
struct heaptable_slab {
    struct heaptable_slab *next;
    unsigned char *bytes;
    struct {
        struct heaptable *table; /* NULL: free */
        uint64_t page;
    } owner[SLAB_PAGES];
};

static uint64_t page_bytes(const struct heaptable_store *s)
{
    return UINT64_C(1) << s->page_shift;
}

static uint64_t pages_for(const struct heaptable *t, uint64_t rows)
{
    return ((rows << t->row_shift) + page_bytes(t->store) - 1) >> t->store->page_shift;
}

static bool reclaim(struct heaproom *r, uint64_t bytes);

void heaptable_open(struct heaptable_store *s, struct heaproom *room, const char *folder,
                    const char *beside, uint32_t page)
{
    *s = (struct heaptable_store){.room = room, .fd = -1, .page_shift = HEAPTABLE_PAGE_SHIFT};
    heapspool_folder_of(folder, beside, s->folder);
    if (page > 0) {
        s->page_shift = HEAPTABLE_PAGE_SHIFT_LEAST;
        while (s->page_shift < HEAPTABLE_PAGE_SHIFT && page_bytes(s) < page)
            s->page_shift++;
        s->slab_most = 1;
        s->is_spilling = true;
    }
    room->reclaim = reclaim;
    room->reclaimer = s;
}

void heaptable_open_kept(struct heaptable_store *s, struct heaproom *room, int fd, uint64_t pages,
                         const uint64_t *checks)
{
    *s = (struct heaptable_store){.room = room,
                                  .fd = fd,
                                  .page_shift = HEAPTABLE_PAGE_SHIFT_MOST,
                                  .is_spilling = true,
                                  .checks = checks,
                                  .places = {.slot_count = pages}};
}

/* Four sums that the processor can make at once. */
uint64_t heaptable_check(const unsigned char *bytes, size_t count)
{
    uint64_t lanes[4] = {1, 2, 3, 4}, word;
    size_t at = 0;
    for (; at + sizeof(lanes) <= count; at += sizeof(lanes)) {
        for (int i = 0; i < 4; i++) {
            memcpy(&word, bytes + at + i * sizeof(word), sizeof(word));
            lanes[i] = (lanes[i] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            lanes[i] ^= lanes[i] >> 29;
        }
    }
    for (; at < count; at++)
        lanes[0] = (lanes[0] ^ bytes[at]) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 1; i < 4; i++)
        lanes[0] = splitmix_mix(lanes[0]) ^ lanes[i];
    return splitmix_mix(lanes[0] ^ count);
}

static void drop_slab(struct heaptable_store *s, struct heaptable_slab *slab)
{
    heaproom_give(s->room, slab->bytes, SLAB_PAGES << s->page_shift);
    heaproom_give(s->room, slab, sizeof(*slab));
    s->slab_count--;
}

void heaptable_close(struct heaptable_store *s)
{
    while (s->slabs) {
        struct heaptable_slab *next = s->slabs->next;
        drop_slab(s, s->slabs);
        s->slabs = next;
    }
    heaproom_give(s->room, s->places.free_slots,
                  s->places.slot_room * sizeof(*s->places.free_slots));
    s->places.free_slots = NULL;
    s->places.slot_room = 0;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    if (!s->checks)
        s->room->reclaim = NULL;
}

uint64_t heaptable_file_bytes(const struct heaptable_store *s)
{
    return s->places.slot_count << s->page_shift;
}

int heaptable_guard(struct heaptable_store *s, int (*run)(void *with), void *with)
{
    jmp_buf escape, *before = s->escape;
    if (s->error < 0)
        return s->error;
    if (setjmp(escape) != 0) {
        s->escape = before;
        return s->error;
    }
    s->escape = &escape;
    int error = run(with);
    s->escape = before;
    return error;
}

static void fail(struct heaptable_store *s, int error)
{
    if (s->error == 0)
        s->error = error;
    if (!s->escape)
        return;
    /* Some tables belong to functions that will never return. */
    while (s->tables)
        heaptable_done(s->tables);
    longjmp(*s->escape, 1);
}

static int open_file(struct heaptable_store *s)
{
    if (s->fd >= 0)
        return 0;
    int fd = heapspool_open(s->folder);
    s->fd = fd < 0 ? -1 : fd;
    return fd < 0 ? fd : 0;
}

/* Keeps the first failure of the file. */
static int note(struct heaptable_store *s, int error)
{
    if (s->error == 0 && error != E_LIMIT)
        s->error = error;
    return error;
}

/* Makes room in the list of free places for `pages` more. The list is as long as it must ever be
 * before memory ends: then there is none for it. */
static int want(struct heaptable_store *s, uint64_t pages)
{
    uint64_t room = s->places.slot_room + s->places.slot_room / 2,
             bytes = sizeof(*s->places.free_slots);
    s->places.wanted += pages;
    if (s->places.wanted <= s->places.slot_room)
        return 0;
    room = room < s->places.wanted ? s->places.wanted : room;
    void *at =
        heaproom_grow(s->room, s->places.free_slots, s->places.slot_room * bytes, room * bytes);
    if (!at) {
        s->places.wanted -= pages;
        return E_LIMIT;
    }
    s->places.free_slots = at;
    s->places.slot_room = room;
    return 0;
}

/* Promises places in the file to a table, for all its pages. */
static int promise(struct heaptable *t)
{
    struct heaptable_store *s = t->store;
    uint64_t need = s->places.promised + t->page_count - t->promised;
    int error = open_file(s);
    if (error < 0)
        return note(s, error);
    if (need > UINT32_MAX - 1)
        return E_LIMIT;
    if (need > s->places.slot_count) {
        uint64_t end = need << s->page_shift, step = STEP - 1;
        while (end > s->places.file_bytes) {
            uint64_t bytes = (end + step) & ~step;
            error = posix_fallocate(s->fd, 0, (off_t)bytes);
            if (error != 0 && error != EINTR)
                return note(s, -error);
            s->places.file_bytes = error == 0 ? bytes : s->places.file_bytes;
        }
        for (uint64_t i = need; i-- > s->places.slot_count;)
            s->places.free_slots[s->places.free_count++] = (uint32_t)i;
        s->places.slot_count = need;
    }
    s->places.promised = need;
    t->promised = t->page_count;
    return 0;
}

int heaptable_write_at(int fd, const void *bytes, size_t count, uint64_t at)
{
    for (size_t done = 0; done < count;) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, count - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += (size_t)n;
    }
    return 0;
}

int heaptable_read_at(int fd, void *to, size_t count, uint64_t at)
{
    for (size_t done = 0; done < count;) {
        ssize_t n = pread(fd, (char *)to + done, count - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += (size_t)n;
    }
    return 0;
}

static int read_page(struct heaptable_store *s, unsigned char *bytes, uint32_t slot)
{
    int error = heaptable_read_at(s->fd, bytes, page_bytes(s), (uint64_t)slot << s->page_shift);
    if (error < 0 || !s->checks || s->checks[slot] == heaptable_check(bytes, page_bytes(s)))
        return error;
    return E_FORMAT;
}

/* Writes a page, which gets a place if it has none. */
static int store_page(struct heaptable_store *s, struct heaptable_page *p,
                      const unsigned char *bytes)
{
    if (p->slot == 0)
        p->slot = s->places.free_slots[--s->places.free_count] + 1;
    return heaptable_write_at(s->fd, bytes, page_bytes(s),
                              (uint64_t)(p->slot - 1) << s->page_shift);
}

/* Takes a page out of memory. */
static int evict(struct heaptable_store *s, struct heaptable_slab *slab, uint32_t i)
{
    struct heaptable *t = slab->owner[i].table;
    if (!t)
        return 0;
    struct heaptable_page *p = &t->pages[slab->owner[i].page];
    int error = p->flags & HEAPTABLE_DIRTY ? store_page(s, p, p->at) : 0;
    p->at = NULL;
    p->flags = 0;
    slab->owner[i].table = NULL;
    return error;
}

static bool is_zero(const unsigned char *bytes, uint64_t count)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

/* Writes a table that lies in memory into the file, and gives its memory back. */
static int demote(struct heaptable *t)
{
    struct heaptable_store *s = t->store;
    uint64_t bytes = t->room_rows << t->row_shift, pages = pages_for(t, t->room_rows);
    int error = promise(t);
    for (uint64_t i = 0; error == 0 && i < pages; i++) {
        const unsigned char *from = (const unsigned char *)t->at + (i << s->page_shift);
        t->pages[i] = (struct heaptable_page){.at = NULL};
        if (!is_zero(from, page_bytes(s)))
            error = note(s, store_page(s, &t->pages[i], from));
    }
    if (error < 0)
        return error;
    heaproom_give(s->room, t->at, bytes);
    t->at = NULL;
    return 0;
}

static void tell(struct heaptable_store *s)
{
    if (s->diag)
        diag_tell(s->diag, 0, s->folder,
                  "the tables do not fit into %" PRIu64
                  " MB of memory (--memory); a temporary file here takes them, some %" PRIu64 " MB",
                  (s->room->limit >> 20) + 1, (s->expected_bytes >> 20) + 1);
}

/* Goes over to the file. Errors: -errno, E_LIMIT. */
static int spill(struct heaptable_store *s)
{
    int error = note(s, open_file(s));
    if (error < 0)
        return error;
    if (!s->is_spilling)
        tell(s);
    s->is_spilling = true;
    for (struct heaptable *t = s->tables; error == 0 && t; t = t->next)
        if (t->at && t->room_rows << t->row_shift > SMALL)
            error = demote(t);
    return error;
}

static bool has_large(const struct heaptable_store *s)
{
    for (const struct heaptable *t = s->tables; t; t = t->next)
        if (t->at && t->room_rows << t->row_shift > SMALL)
            return true;
    return false;
}

/* Gives the memory of a slab back. */
static int shrink(struct heaptable_store *s)
{
    struct heaptable_slab *slab = s->slabs;
    int error = 0;
    for (uint32_t i = 0; i < SLAB_PAGES && error == 0; i++)
        error = evict(s, slab, i);
    if (error < 0)
        return error;
    s->slabs = slab->next;
    s->hand = s->slabs;
    s->hand_at = 0;
    drop_slab(s, slab);
    return 0;
}

static bool reclaim(struct heaproom *r, uint64_t bytes)
{
    struct heaptable_store *s = r->reclaimer;
    int error = 0;
    bool has_given = has_large(s);
    if (has_given)
        error = spill(s);
    /* The system may have refused, below the limit: then as much as is wanted must be given. */
    uint64_t before = r->used;
    struct heaptable_store *of = s;
    do {
        while (error == 0 && of->slab_count > SLABS_LEAST &&
               (heaproom_is_full(r, bytes) || before - r->used < bytes)) {
            error = shrink(of);
            has_given = true;
        }
        of = of->other;
    } while (of);
    return note(s, error) == 0 && has_given;
}

static struct heaptable_slab *add_slab(struct heaptable_store *s)
{
    uint64_t bytes = SLAB_PAGES << s->page_shift;
    bool has_least = s->slab_count >= SLABS_LEAST;
    if ((s->slab_most > 0 && s->slab_count >= s->slab_most) ||
        (has_least && heaproom_is_full(s->room, bytes + s->room->limit / ROOM_KEPT)))
        return NULL;
    struct heaptable_slab *slab = heaproom_try(s->room, sizeof(*slab));
    if (!slab)
        return NULL;
    slab->bytes = heaproom_try(s->room, bytes);
    if (!slab->bytes) {
        heaproom_give(s->room, slab, sizeof(*slab));
        return NULL;
    }
    slab->next = s->slabs;
    s->slabs = slab;
    s->slab_count++;
    s->hand = slab;
    s->hand_at = 0;
    return slab;
}

/* Moves the hand to the next place. */
static void advance(struct heaptable_store *s)
{
    if (++s->hand_at < SLAB_PAGES)
        return;
    s->hand_at = 0;
    s->hand = s->hand->next ? s->hand->next : s->slabs;
}

/* Whether the page under the hand is free, or was not used lately. */
static bool may_go(struct heaptable_store *s)
{
    struct heaptable *t = s->hand->owner[s->hand_at].table;
    if (!t)
        return true;
    struct heaptable_page *p = &t->pages[s->hand->owner[s->hand_at].page];
    bool is_used = p->flags & HEAPTABLE_USED;
    p->flags &= ~(uint32_t)HEAPTABLE_USED;
    return !is_used;
}

/* Rows that no page has: of a device that failed, or behind the end. */
static unsigned char *lost_page(void)
{
    static unsigned char lost[1 << HEAPTABLE_PAGE_SHIFT_MOST];
    memset(lost, 0xff, sizeof(lost));
    return lost;
}

unsigned char *heaptable_fault(const struct heaptable *t, uint64_t page)
{
    struct heaptable_store *s = t->store;
    int error = 0;
    if (page >= t->page_count || s->error < 0) {
        fail(s, s->error < 0 ? s->error : E_RANGE);
        return lost_page();
    }
    /* A new slab begins with free places; else the clock finds one. */
    bool is_free = s->hand && !s->hand->owner[s->hand_at].table;
    if (!is_free && !add_slab(s) && !s->hand) {
        fail(s, E_LIMIT);
        return lost_page();
    }
    while (!may_go(s))
        advance(s);
    uint32_t i = s->hand_at;
    struct heaptable_slab *slab = s->hand;
    error = evict(s, slab, i);
    unsigned char *at = slab->bytes + ((uint64_t)i << s->page_shift);
    if (error == 0 && t->pages[page].slot != 0)
        error = read_page(s, at, t->pages[page].slot - 1);
    else if (error == 0)
        memset(at, 0, page_bytes(s));
    if (error < 0) {
        fail(s, error);
        return lost_page();
    }
    slab->owner[i].table = (struct heaptable *)t;
    slab->owner[i].page = page;
    t->pages[page].at = at;
    t->pages[page].flags = HEAPTABLE_USED;
    advance(s);
    return at;
}

/* A table without pages. Returns how many it will have. */
static uint64_t begin_table(struct heaptable *t, struct heaptable_store *s, uint64_t rows,
                            unsigned row_bytes)
{
    *t = (struct heaptable){.store = s, .next = s->tables, .rows = rows, .room_rows = rows};
    while (1U << t->row_shift < row_bytes)
        t->row_shift++;
    if (t->next)
        t->next->before = t;
    s->tables = t;
    return pages_for(t, rows);
}

int heaptable_init(struct heaptable *t, struct heaptable_store *s, uint64_t rows,
                   unsigned row_bytes)
{
    uint64_t pages = begin_table(t, s, rows, row_bytes);
    int error = want(s, pages);
    t->page_count = error < 0 ? 0 : pages;
    t->pages = error < 0 ? NULL : heaproom_take(s->room, pages * sizeof(*t->pages));
    if (!t->pages)
        return E_LIMIT;
    uint64_t bytes = rows << t->row_shift;
    if (!s->is_spilling || (bytes <= SMALL && s->slab_most == 0))
        t->at = heaproom_try(s->room, bytes);
    if (t->at)
        return 0;
    error = spill(s);
    return error < 0 ? error : promise(t);
}

/* Forgets the pages of a table from one on. */
static void forget_pages(struct heaptable *t, uint64_t from)
{
    struct heaptable_store *s = t->store;
    for (struct heaptable_slab *slab = s->slabs; slab; slab = slab->next)
        for (uint32_t i = 0; i < SLAB_PAGES; i++)
            if (slab->owner[i].table == t && slab->owner[i].page >= from)
                slab->owner[i].table = NULL;
    for (uint64_t i = from; i < t->page_count; i++) {
        if (t->pages[i].slot != 0 && !s->checks)
            s->places.free_slots[s->places.free_count++] = t->pages[i].slot - 1;
        t->pages[i] = (struct heaptable_page){.at = NULL};
    }
}

int heaptable_keep(struct heaptable *t, struct heaptable_store *s, uint64_t rows,
                   unsigned row_bytes, uint64_t page)
{
    uint64_t pages = begin_table(t, s, rows, row_bytes);
    t->pages = heaproom_take(s->room, pages * sizeof(*t->pages));
    if (!t->pages)
        return E_LIMIT;
    t->page_count = pages;
    s->places.wanted += pages;
    for (uint64_t i = 0; i < pages; i++)
        t->pages[i].slot = (uint32_t)(page + i + 1);
    return 0;
}

void heaptable_done(struct heaptable *t)
{
    struct heaptable_store *s = t->store;
    if (!s)
        return;
    if (t->next)
        t->next->before = t->before;
    if (t->before)
        t->before->next = t->next;
    else
        s->tables = t->next;
    if (t->at)
        heaproom_give(s->room, t->at, t->room_rows << t->row_shift);
    else if (t->pages)
        forget_pages(t, 0);
    s->places.promised -= t->promised;
    s->places.wanted -= t->page_count;
    heaproom_give(s->room, t->pages, t->page_count * sizeof(*t->pages));
    *t = (struct heaptable){0};
}

void heaptable_move(struct heaptable *to, struct heaptable *from)
{
    *to = *from;
    if (to->next)
        to->next->before = to;
    if (to->before)
        to->before->next = to;
    else if (to->store)
        to->store->tables = to;
    for (struct heaptable_slab *slab = to->store ? to->store->slabs : NULL; slab; slab = slab->next)
        for (uint32_t i = 0; i < SLAB_PAGES; i++)
            if (slab->owner[i].table == from)
                slab->owner[i].table = to;
    *from = (struct heaptable){0};
}

/* Room for more pages. */
static int extend_pages(struct heaptable *t, uint64_t rows)
{
    struct heaptable_store *s = t->store;
    uint64_t pages = pages_for(t, rows), old = t->page_count, row = sizeof(*t->pages);
    if (want(s, pages - old) < 0)
        return E_LIMIT;
    struct heaptable_page *at = heaproom_grow(s->room, t->pages, old * row, pages * row);
    if (!at) {
        s->places.wanted -= pages - old;
        return E_LIMIT;
    }
    t->pages = at;
    t->page_count = pages;
    return 0;
}

/* Room for `rows`, which are more than there is room for. */
static int extend_room(struct heaptable *t, uint64_t rows)
{
    struct heaptable_store *s = t->store;
    int error = extend_pages(t, rows);
    if (error == 0 && t->at) {
        void *at =
            heaproom_try_grow(s->room, t->at, t->room_rows << t->row_shift, rows << t->row_shift);
        if (at)
            t->at = at;
        else
            error = spill(s);
        if (!at && error == 0 && t->at)
            error = demote(t);
    }
    if (error == 0 && !t->at)
        error = promise(t);
    if (error == 0)
        t->room_rows = rows;
    return error;
}

int heaptable_extend(struct heaptable *t, uint64_t rows)
{
    uint64_t more = t->room_rows + t->room_rows / 2;
    uint64_t least = page_bytes(t->store) >> t->row_shift;
    if (rows > t->room_rows) {
        more = more < rows ? rows : more;
        int error = extend_room(t, more < least ? least : more);
        if (error < 0)
            return error;
    }
    t->rows = rows;
    return 0;
}

void heaptable_cut(struct heaptable *t, uint64_t rows)
{
    if (t->at) {
        heaproom_shrink(t->store->room, t->at, t->room_rows << t->row_shift, rows << t->row_shift);
        t->room_rows = rows;
    } else {
        forget_pages(t, pages_for(t, rows));
    }
    t->rows = rows;
}
