/*
 * fuzz_heap_index.c - any bytes as FILE.hidx beside a good dump: what is not believed is read from
 * the dump, and what is believed breaks nothing.
 *
 * The first byte chooses: an even one leaves the bytes as they are, an odd one makes all checksums
 * and the identity of the dump right first, so that the numbers behind them are tried.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "fuzz.h"
#include "heap/graph.h"
#include "heap/graph_keep.h"
#include "../unit/heapmade.h"

enum { MEMORY = 48 << 20, NODES = 40, EDGES = 64, LARGE = 600000 };

static char folder[64], dump[80], index_name[96];
static struct graph_keep_identity identity;

static void must(int condition)
{
    if (!condition)
        abort();
}

static void remove_all(void)
{
    unlink(index_name);
    unlink(dump);
    rmdir(folder);
}

/* Who the dump is, as its own index says. */
static void learn_identity(void)
{
    struct graph_options options = {.memory_bytes = MEMORY};
    struct graph_keep_head head;
    struct graph *g;
    char why[GRAPH_WHY];
    must(graph_open(dump, &options, &g, why) == 0 && graph_dominate(g, why) == 0);
    must(graph_keep_write(g, why) == 0);
    graph_close(g);
    int fd = open(index_name, O_RDONLY);
    must(fd >= 0 && read(fd, &head, sizeof(head)) == (ssize_t)sizeof(head));
    close(fd);
    identity = head.of;
}

/* The dump that the index is of, and its index as it should be. */
static void make_dump(void)
{
    struct heapmade m;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.40s/fuzz-XXXXXX", tmp ? tmp : "/tmp");
    must(mkdtemp(folder) != NULL);
    snprintf(dump, sizeof(dump), "%s/a", folder);
    snprintf(index_name, sizeof(index_name), "%s.hidx", dump);
    atexit(remove_all);
    FILE *file = fopen(dump, "w");
    must(file != NULL);
    heapmade_begin(&m, file, 8, "JAVA PROFILE 1.0.2");
    heapmade_classes(&m, true);
    heapmade_thread(&m, 0x10000, 5);
    for (unsigned i = 1; i < NODES; i++) {
        heapmade_node(&m, 0x10000 + i * 32, 0x10000 + (i + 1) % NODES * 32,
                      0x10000 + i * 7 % NODES * 32);
        heapmade_local(&m, 0x10000 + i * 32, 5, i);
    }
    /* An index is no larger than half of its dump. */
    char *bytes = calloc(1, LARGE);
    must(bytes != NULL);
    heapmade_bytes(&m, 0x10000 + NODES * 32, bytes, LARGE);
    free(bytes);
    heapmade_root(&m, 0xff, 0x10000 + NODES * 32);
    heapmade_end(&m);
    fclose(file);
    learn_identity();
}

/* Makes right what would be refused at once: the head but for its sections, and all checksums. */
static size_t mend(unsigned char *bytes, size_t len)
{
    struct graph_keep_head head;
    uint64_t check, page = GRAPH_KEEP_PAGE;
    if (len < page)
        return len;
    memcpy(&head, bytes, sizeof(head));
    head.magic = GRAPH_KEEP_MAGIC;
    head.version = GRAPH_KEEP_VERSION;
    head.node_bytes = sizeof(heapnode);
    head.of = identity;
    head.pages = len / (page + sizeof(check));
    unsigned char *checks = bytes + head.pages * page;
    for (uint64_t i = 0; i < head.pages; i++) {
        check = i == 0 ? 0 : heaptable_check(bytes + i * page, page);
        memcpy(checks + i * sizeof(check), &check, sizeof(check));
    }
    head.checks = heaptable_check(checks, head.pages * sizeof(check));
    head.check = heaptable_check((unsigned char *)&head, offsetof(struct graph_keep_head, check));
    memcpy(bytes, &head, sizeof(head));
    return head.pages * (page + sizeof(check));
}

static void write_index(const uint8_t *bytes, size_t len, bool is_mended)
{
    unsigned char *copy = malloc(len + 1);
    must(copy != NULL);
    memcpy(copy, bytes, len);
    if (is_mended)
        len = mend(copy, len);
    unlink(index_name);
    int fd = open(index_name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    must(fd >= 0 && write(fd, copy, len) == (ssize_t)len);
    close(fd);
    free(copy);
}

static bool see_edge(void *with, const struct graph_edge *edge)
{
    return --*(int *)with > 0;
}

static void ask(struct graph *g)
{
    struct graph_info info;
    for (graph_object o = 0; o < graph_count(g); o++) {
        int edges = EDGES, path = EDGES;
        graph_object dom = graph_dominator(g, o);
        must(dom == GRAPH_ROOT || dom == GRAPH_NONE || dom < graph_count(g));
        graph_retained(g, o);
        if (graph_look(g, o, &info) < 0)
            continue;
        graph_each_edge(g, o, see_edge, &edges);
        graph_path(g, o, see_edge, &path);
    }
    struct graph_histo *rows = calloc(graph_class_count(g), sizeof(*rows));
    must(rows != NULL);
    graph_histo(g, rows);
    free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct graph_options options = {.memory_bytes = MEMORY};
    struct graph *g;
    char why[GRAPH_WHY];
    if (folder[0] == '\0')
        make_dump();
    if (len == 0)
        return 0;
    write_index(bytes + 1, len - 1, bytes[0] & 1);
    must(graph_open(dump, &options, &g, why) == 0);
    bool is_kept = graph_is_kept(g);
    must(!is_kept || bytes[0] & 1);
    int error = graph_dominate(g, why);
    must(error == 0);
    ask(g);
    if (!is_kept)
        must(graph_verify(g, why) == 0 && graph_count(g) == NODES + 1 + 8);
    must(graph_facts(g)->memory_peak <= MEMORY);
    graph_close(g);
    return 0;
}
