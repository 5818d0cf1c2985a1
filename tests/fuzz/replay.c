/*
 * replay.c - runs a fuzz target over a folder of files and over damaged copies of them.
 *
 * Each file is run as it is, cut at every length (long files: at lengths spread over them), and
 * with bits flipped and numbers replaced under a fixed seed: the same inputs in every run, so that
 * it serves as an ordinary test. A target fails by crashing, or by taking more memory or time than
 * an input of that length may (meter.h). A second argument is how many damaged copies of each file
 * are made, for targets whose inputs are dear.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "meter.h"

enum {
    CUTS_MAX = 2000,  /* lengths tried for a long file */
    MUTATIONS = 2000, /* damaged copies of each file */
    DAMAGES_MAX = 6,  /* places damaged in one copy */
    SEED = 20260101,
};

static uint64_t random_state = SEED;
static uint64_t runs;
static int mutations = MUTATIONS;

/* xorshift64: the same numbers on every machine. */
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* In memory of its own and of the exact size, so that AddressSanitizer sees one byte too much. */
static void run(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, len);
    meter_begin();
    LLVMFuzzerTestOneInput(copy, len);
    meter_end(len);
    free(copy);
    runs++;
}

static void run_cuts(const uint8_t *bytes, size_t len)
{
    size_t step = len / CUTS_MAX + 1;
    for (size_t cut = 0; cut < len; cut += step)
        run(bytes, cut);
}

static void damage(uint8_t *bytes, size_t len)
{
    static const uint8_t numbers[][4] = {
        {0, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}, {0x7f, 0xff, 0xff, 0xff}, {0x80, 0, 0, 0},
        {0, 0, 0, 1}, {0, 0, 0xff, 0xff},
    };
    size_t at = next_random() % len;
    uint64_t kind = next_random() % 4;
    if (kind == 0 && len >= 4 && at <= len - 4)
        memcpy(bytes + at, numbers[next_random() % (sizeof(numbers) / sizeof(*numbers))], 4);
    else if (kind == 1)
        bytes[at] = (uint8_t)next_random();
    else if (kind == 2) /* a piece of the file over another piece of it */
        memmove(bytes + at, bytes + next_random() % (at + 1), (len - at) / 2);
    else
        bytes[at] ^= (uint8_t)(1u << (next_random() % 8));
}

static void run_mutations(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    if (!copy)
        abort();
    for (int i = 0; i < mutations && len > 0; i++) {
        memcpy(copy, bytes, len);
        for (uint64_t n = next_random() % DAMAGES_MAX + 1; n > 0; n--)
            damage(copy, len);
        run(copy, len);
    }
    free(copy);
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    static uint8_t bytes[1 << 20];
    size_t len = fread(bytes, 1, sizeof(bytes), f);
    int whole = len < sizeof(bytes) && !ferror(f);
    fclose(f);
    if (!whole)
        return 0;
    run(bytes, len);
    run_cuts(bytes, len);
    run_mutations(bytes, len);
    return 1;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    int count = argc == 2 || argc == 3 ? scandir(argv[1], &entries, NULL, by_name) : -1;
    if (count < 0) {
        fprintf(stderr, "usage: %s FOLDER (of inputs) [COUNT]\n", argv[0]);
        return 2;
    }
    if (argc == 3)
        mutations = (int)strtol(argv[2], NULL, 10);
    int files = 0;
    int failures = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            files++;
            if (!run_file(path)) {
                fprintf(stderr, "%s: cannot be read, or is longer than 1 MB\n", path);
                failures++;
            }
        }
        free(entries[i]);
    }
    free(entries);
    printf("%d files, %" PRIu64 " inputs; ", files, runs);
    meter_say();
    if (files == 0)
        fprintf(stderr, "%s: no inputs\n", argv[1]);
    return files == 0 || failures > 0;
}
