/*
 * fuzz_heap_questions.c - any bytes, read as a heap dump, and every question about it.
 *
 * The answers are thrown away; the first byte chooses their form. Questions about one object get
 * the first one. SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/sink.h"
#include "fuzz.h"
#include "heap/question.h"

enum { MEMORY = 64 << 20, PATH = 64, ROWS = 5 };

static int take(void *to, const unsigned char *bytes, size_t len)
{
    (void)to;
    (void)bytes;
    (void)len;
    return 0;
}

static void ask_all(struct question_asked *asked)
{
    char why[GRAPH_WHY];
    if (graph_dominate(asked->graph, why) < 0)
        return;
    for (const struct question *const *q = question_all; *q; q++) {
        bool has_object = asked->object != GRAPH_NONE;
        if ((*q)->operand && (*q)->operand[0] != '[' && !has_object)
            continue;
        (void)(*q)->answer(asked);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char path[PATH], why[GRAPH_WHY];
    const char *const files[] = {path, path};
    struct graph *g = NULL;
    struct sink out;
    if (len == 0)
        return 0;
    int fd = memfd_create("dump", 0);
    if (fd < 0 || write(fd, bytes + 1, len - 1) != (ssize_t)(len - 1))
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    const struct graph_options options = {.memory_bytes = MEMORY, .skips_index = true};
    if (sink_init_taker(&out, take, NULL) != 0)
        abort();
    if (graph_open(path, &options, &g, why) == 0) {
        struct question_asked asked = {
            .graph = g,
            .file = "dump",
            .out = &out,
            .is_json = (bytes[0] & 1) != 0,
            .is_markdown = (bytes[0] & 2) != 0,
            .with_values = (bytes[0] & 4) != 0,
            .rows = ROWS,
            .object = graph_count(g) > 0 ? 0 : GRAPH_NONE,
            .several = {.files = files, .count = 2},
            .paths = ROWS,
            .by = (bytes[0] & 8) != 0 ? QUESTION_BY_LOADER : QUESTION_BY_PACKAGE,
            .options = &options,
        };
        ask_all(&asked);
        graph_close(g);
    }
    (void)sink_done(&out);
    close(fd);
    return 0;
}
