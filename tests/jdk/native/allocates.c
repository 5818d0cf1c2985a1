/*
 * allocates.c - a library that is loaded and unloaded: allocates and frees. With -DOWN it has an
 * allocator of its own, which only RTLD_DEEPBIND lets it use.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef OWN
static char room[1 << 16];
static size_t used;
static int given;

void *malloc(size_t bytes)
{
    char *at = room + used % (sizeof(room) / 2);
    used += (bytes + 15) & ~(size_t)15;
    return at;
}

void free(void *block)
{
    given += (char *)block >= room && (char *)block < room + sizeof(room);
}
#endif

/* Returns how many blocks it made and gave back; with -DOWN those of its own allocator. */
int late_use(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        void *volatile block = malloc(24);
        well += block != NULL;
#ifdef OWN
        if ((char *)block < room || (char *)block >= room + sizeof(room))
            well--;
#endif
        free(block);
    }
#ifdef OWN
    if (given < count)
        return -given;
    given = 0;
#endif
    return well;
}
