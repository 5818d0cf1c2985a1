/*
 * keeps.c - preloaded into a JVM: a thread whose malloc() has many blocks, of which it frees all
 * but one in a hundred, so that glibc keeps the rest. SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 8192, BYTES = 8000, HELD = 100 };

static void *fill(void *unused)
{
    static void *blocks[BLOCKS];
    (void)unused;
    for (int i = 0; i < BLOCKS; i++)
        if ((blocks[i] = malloc(BYTES)) != NULL)
            memset(blocks[i], 1, BYTES);
    for (int i = 0; i < BLOCKS; i++)
        if (i % HELD != 0)
            free(blocks[i]);
    for (;;)
        pause();
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    (void)pthread_create(&thread, NULL, fill, NULL);
}
