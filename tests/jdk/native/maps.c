/*
 * maps.c - mapped pages with known counts, for event=nativemem. Each function maps in a C function
 * of its own name; `test_maps.py` has what each of them maps and leaves.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <jni.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

enum { THREADS = 4 };

static size_t page;

static char *map_at(void *at, size_t pages, int protection, int flags)
{
    return mmap(at, pages * page, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static char *map(size_t pages)
{
    return map_at(NULL, pages, PROT_READ | PROT_WRITE, 0);
}

APART int maps_leak(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        char *range = map(3);
        well += range != MAP_FAILED;
        range[0] = 1;
    }
    return well == count;
}

/* The last mapping is not full pages: the kernel rounds up, for both calls. */
APART int maps_churn(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        char *range = map(2);
        well += munmap(range, 2 * page) == 0;
    }
    void *odd = mmap(NULL, page + 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return well == count && munmap(odd, page + 1) == 0;
}

/* Of ten pages the first, and two in the middle go: 3 and 4 are left. */
APART int maps_parts(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        char *range = map(10);
        well += munmap(range, page) == 0 && munmap(range + 4 * page, 2 * page) == 0;
    }
    return well == count;
}

/* One munmap() for three mappings side by side and for pages where nothing is. */
APART int maps_many(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        char *range = map_at(NULL, 10, PROT_NONE, MAP_NORESERVE);
        for (int at = 1; at < 9; at += 3)
            map_at(range + at * page, 2, PROT_READ, MAP_FIXED);
        well += munmap(range, 10 * page) == 0;
    }
    return well == count;
}

/* As the VM does it: reserve, commit, commit a part again, give a page back. Maps 4 + 2, and leaves
 * 1 + 2 of its own, for the part that is committed again is another function's. */
APART int maps_again(char *at)
{
    return map_at(at, 2, PROT_READ | PROT_WRITE, MAP_FIXED) == at;
}

APART int maps_commit(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        char *range = map_at(NULL, 8, PROT_NONE, MAP_NORESERVE);
        char *committed = map_at(range + 2 * page, 4, PROT_READ | PROT_WRITE, MAP_FIXED);
        well += committed == range + 2 * page && maps_again(committed + page) &&
                map_at(committed, 1, PROT_NONE, MAP_FIXED | MAP_NORESERVE) == committed;
    }
    return well == count;
}

/* Maps 1 and 3; the 3 are left. */
APART int maps_moved(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++) {
        char *range = map(1);
        range[0] = 7;
        range = mremap(range, page, 3 * page, MREMAP_MAYMOVE);
        well += range != MAP_FAILED && range[0] == 7;
    }
    return well == count;
}

APART int maps_failed(int count)
{
    int well = 0;
    for (int i = 0; i < count; i++)
        well += mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
    char *range = map(1);
    return well == count && munmap(range + 1, page) == -1 && munmap(range, page) == 0;
}

APART void *maps_race(void *arg)
{
    for (int i = 0; i < *(const int *)arg; i++)
        munmap(map(1), page);
    return NULL;
}

/* Threads that get each other's addresses again and again. */
APART int maps_threads(int count)
{
    pthread_t threads[THREADS];
    int well = 0;
    for (int i = 0; i < THREADS; i++)
        well += pthread_create(&threads[i], NULL, maps_race, &count) == 0;
    for (int i = 0; i < well; i++)
        pthread_join(threads[i], NULL);
    return well == THREADS;
}

JNIEXPORT jint JNICALL Java_Maps_maps(JNIEnv *env, jclass self, jint count)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    return maps_leak(count) + maps_churn(count) + maps_parts(count) + maps_many(count) +
           maps_commit(count) + maps_moved(count) + maps_failed(count) + maps_threads(count);
}
