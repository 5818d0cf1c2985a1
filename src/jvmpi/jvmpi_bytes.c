/*
 * jvmpi_bytes.c - see jvmpi_bytes.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_bytes.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/be.h"

enum {
    FIRST = 4096,
    LARGE = 16 << 20,      /* from this size on the bytes lie in a file */
    LARGE_STEP = 64 << 20, /* the file grows by this step */
};

/* Open a file that no other process can see; -1: no folder can hold one. */
static int open_file(void)
{
    const char *const places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int file = -1;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && file < 0; i++)
        if (places[i])
            file = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    return file;
}

/* Map the file with a new size. The disk must have the room now: a mapped page without room on the
 * disk would end the process. */
static char *map_grown(struct jvmpi_bytes *b, size_t room)
{
    char *begin;
    if (posix_fallocate(b->file, 0, (off_t)room) != 0)
        return NULL;
    begin = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, 0);
    return begin == MAP_FAILED ? NULL : begin;
}

/* Move the bytes to a file. Returns false, with the bytes unchanged, if there is no room. */
static bool move_to_file(struct jvmpi_bytes *b, size_t room)
{
    char *begin = NULL;
    int file = open_file();
    if (file <= 0)
        return false;
    b->file = file;
    begin = map_grown(b, room);
    if (!begin) {
        close(file);
        b->file = 0;
        return false;
    }
    memcpy(begin, b->begin, b->len);
    free(b->begin);
    b->begin = begin;
    b->room = room;
    return true;
}

static bool grow_file(struct jvmpi_bytes *b, size_t room)
{
    char *begin = map_grown(b, room);
    if (!begin)
        return false;
    munmap(b->begin, b->room);
    b->begin = begin;
    b->room = room;
    return true;
}

static bool grow_memory(struct jvmpi_bytes *b, size_t room)
{
    char *begin = realloc(b->begin, room);
    if (!begin)
        return false;
    b->begin = begin;
    b->room = room;
    return true;
}

/* Returns whether there is room for `len` more bytes. */
static bool has_room(struct jvmpi_bytes *b, size_t len)
{
    size_t room = b->room ? 2 * b->room : FIRST, needed = b->len + len;
    if (b->failed || needed <= b->room)
        return !b->failed;
    if (room < needed)
        room = needed;
    if (room > LARGE)
        room = (needed / LARGE_STEP + 1) * LARGE_STEP;
    if (room <= LARGE)
        b->failed = !grow_memory(b, room);
    else
        b->failed = b->file ? !grow_file(b, room) : !move_to_file(b, room);
    if (b->failed)
        b->room_refused = room;
    return !b->failed;
}

void jvmpi_bytes_all(struct jvmpi_bytes *b, const void *bytes, size_t len)
{
    if (!has_room(b, len))
        return;
    memcpy(b->begin + b->len, bytes, len);
    b->len += len;
}

void jvmpi_bytes_u1(struct jvmpi_bytes *b, uint8_t v)
{
    jvmpi_bytes_all(b, &v, sizeof(v));
}

void jvmpi_bytes_u2(struct jvmpi_bytes *b, uint16_t v)
{
    uint8_t bytes[sizeof(v)];
    be_put2(bytes, v);
    jvmpi_bytes_all(b, bytes, sizeof(bytes));
}

void jvmpi_bytes_u4(struct jvmpi_bytes *b, uint32_t v)
{
    uint8_t bytes[sizeof(v)];
    be_put4(bytes, v);
    jvmpi_bytes_all(b, bytes, sizeof(bytes));
}

void jvmpi_bytes_pointer(struct jvmpi_bytes *b, const void *p)
{
    jvmpi_bytes_all(b, &p, sizeof(p));
}

size_t jvmpi_bytes_zeros(struct jvmpi_bytes *b, size_t len)
{
    size_t at = b->len;
    if (!has_room(b, len))
        return at;
    memset(b->begin + at, 0, len);
    b->len += len;
    return at;
}

uint8_t *jvmpi_bytes_at(struct jvmpi_bytes *b, size_t at, size_t len)
{
    return at <= b->len && len <= b->len - at ? (uint8_t *)b->begin + at : NULL;
}

void jvmpi_bytes_free(struct jvmpi_bytes *b)
{
    if (b->file) {
        munmap(b->begin, b->room);
        close(b->file);
    } else {
        free(b->begin);
    }
    *b = (struct jvmpi_bytes){.begin = NULL};
}
