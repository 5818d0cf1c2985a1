/*
 * dumproom.c - see dumproom.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/dumproom.h"
#include "base/err.h"
#include "command/say.h"
#include "heap/heapanswer.h"
#include "heap/heapspool.h"

/* A dump has 25 bytes and more for each object, and 8 bytes for a reference that may have 4 in the
 * heap: it is rarely longer than so many times the heap. */
enum { DUMP_OF_HEAP = 2 };

bool dumproom_say(const char *name, const char *folder, uint64_t heap_bytes, uint64_t room)
{
    char most[HEAPANSWER_BYTES_ROOM], left[HEAPANSWER_BYTES_ROOM];
    uint64_t dump = heap_bytes * DUMP_OF_HEAP;
    heapanswer_bytes(dump, most);
    heapanswer_bytes(room, left);
    if (dump > room)
        say("%s: no room: its dump may take %s for a while, and %s has %s; name another folder by "
            "--tmp",
            name, most, folder, left);
    else
        say("%s: its dump may take %s of the %s that %s has, until this command ends", name, most,
            left, folder);
    return dump <= room;
}

bool dumproom_check(const char *name, const char *folder, uint64_t heap_bytes)
{
    uint64_t room = 0;
    int error = heapspool_room(folder, &room);
    if (error < 0)
        say("%s: %s: %s", name, folder, err_text(error));
    return error == 0 && dumproom_say(name, folder, heap_bytes, room);
}

int dumproom_open(const char *name, const char *folder)
{
    int fd = heapspool_open(folder);
    if (fd < 0)
        say("%s: no file without a name can be made in %s: %s; name another folder by --tmp", name,
            folder, err_text(fd));
    return fd;
}
