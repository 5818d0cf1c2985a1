/*
 * heap_heaptally.c - dumps that are counted in one pass, against the graph of the same dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heaptally.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "cmocka_all.h"
#include "heap/graph.h"
#include "heap/heapinput.h"
#include "heapmade.h"

enum {
    FIRST = 0x10000,
    STEP = 0x400,
    OBJECTS = 3000,
    LENGTHS = 200, /* of arrays, at most */
    MEMORY = 64 << 20,
    PIECE = 777, /* bytes of a write into the pipe */
};

static const struct graph_options plain = {.memory_bytes = MEMORY};

/* A dump as bytes. */
struct made {
    char *bytes;
    size_t len;
};

/* Objects of all kinds, with lengths that leave every rest. */
static void put_objects(struct heapmade *m, unsigned count, uint64_t seed)
{
    static const uint64_t none[LENGTHS];
    static const char zeros[LENGTHS];
    for (unsigned i = 0; i < count; i++) {
        uint64_t id = FIRST + (uint64_t)i * STEP, random = splitmix_mix(seed + i);
        uint32_t length = (uint32_t)(random >> 8) % LENGTHS;
        if (random % 4 == 0)
            heapmade_array(m, id, none, length);
        else if (random % 4 == 1)
            heapmade_bytes(m, id, zeros, length);
        else if (random % 4 == 2)
            heapmade_string(m, id, 0);
        else
            heapmade_node(m, id, id, 0);
    }
    heapmade_root(m, 0xff, FIRST);
}

static struct made make(unsigned id_bytes, const char *version, unsigned dumps)
{
    struct made made = {NULL, 0};
    struct heapmade m;
    FILE *file = open_memstream(&made.bytes, &made.len);
    heapmade_begin(&m, file, id_bytes, version);
    for (unsigned i = 1; i <= dumps; i++) {
        if (i > 1)
            heapmade_again(&m);
        heapmade_classes(&m, true);
        put_objects(&m, OBJECTS / i, i);
        heapmade_end(&m);
    }
    fclose(file);
    return made;
}

static int in_memory(const void *bytes, size_t len)
{
    int fd = memfd_create("heap_heaptally", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    return fd;
}

static struct graph *open_graph(const void *bytes, size_t len, const struct graph_options *options)
{
    struct graph *g = NULL;
    char path[64], why[GRAPH_WHY];
    int fd = in_memory(bytes, len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)graph_open(path, options, &g, why);
    close(fd);
    return g;
}

static struct heaptally *count_fd(int fd, const struct graph_options *options)
{
    struct heapinput in;
    struct heaptally *t = NULL;
    char why[GRAPH_WHY];
    assert_int_equal(heapinput_open_stream(&in, fd), 0);
    int error = heaptally_read(&in, options, &t, why);
    assert_true((error == 0) == (t != NULL));
    if (error < 0)
        assert_true(why[0] != '\0');
    heapinput_close(&in);
    return t;
}

static struct heaptally *count(const void *bytes, size_t len, const struct graph_options *options)
{
    int fd = in_memory(bytes, len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    struct heaptally *t = count_fd(fd, options);
    close(fd);
    return t;
}

/* Each class has as many objects and bytes as in the graph. */
static void compare(struct graph *g, const struct heaptally *t)
{
    uint32_t count, found = 0;
    const struct heaptally_row *rows = heaptally_rows(t, &count);
    graph_class classes = graph_class_count(g);
    struct graph_histo *histo = calloc(classes, sizeof(*histo));
    assert_int_equal(graph_histo(g, histo), 0);
    assert_int_equal(heaptally_facts(t)->objects, graph_facts(g)->objects);
    for (graph_class i = 0; i < classes; i++) {
        if (histo[i].objects == 0)
            continue;
        found++;
        uint32_t at = 0;
        while (at < count && strcmp(rows[at].name, graph_class_at(g, i)->name) != 0)
            at++;
        assert_true(at < count);
        assert_int_equal(rows[at].objects, histo[i].objects);
        assert_int_equal(rows[at].bytes, histo[i].shallow_bytes);
    }
    assert_int_equal(found, count);
    free(histo);
}

static void one_pass_counts_what_the_graph_has(void **state)
{
    static const struct {
        unsigned id_bytes;
        const char *version;
    } forms[] = {{8, "JAVA PROFILE 1.0.2"}, {4, "JAVA PROFILE 1.0.2"}, {8, "JAVA PROFILE 1.0.1"},
                 {4, "JAVA PROFILE 1.0.1"}, {8, "JAVA PROFILE 1.0.3"}, {8, "JAVA PROFILE 1.0"}};
    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        for (int sizes = GRAPH_SIZES_VM; sizes <= GRAPH_SIZES_MAT; sizes++) {
            const struct graph_options options = {.memory_bytes = MEMORY,
                                                  .sizes = (enum graph_sizes)sizes};
            struct made made = make(forms[i].id_bytes, forms[i].version, 1);
            struct graph *g = open_graph(made.bytes, made.len, &options);
            struct heaptally *t = count(made.bytes, made.len, &options);
            assert_non_null(g);
            assert_non_null(t);
            compare(g, t);
            assert_string_equal(heaptally_facts(t)->version, forms[i].version);
            assert_false(heaptally_facts(t)->damage.is_cut);
            graph_close(g);
            heaptally_free(t);
            free(made.bytes);
        }
    }
}

static void a_pipe_gives_what_a_file_gives(void **state)
{
    struct made made = make(8, "JAVA PROFILE 1.0.2", 1);
    int ends[2], status;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < made.len; at += PIECE) {
            size_t len = made.len - at < PIECE ? made.len - at : PIECE;
            if (write(ends[1], made.bytes + at, len) != (ssize_t)len)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    struct heaptally *t = count_fd(ends[0], &plain);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct graph *g = open_graph(made.bytes, made.len, &plain);
    assert_non_null(t);
    compare(g, t);
    graph_close(g);
    heaptally_free(t);
    free(made.bytes);
}

static void the_user_chooses_among_dumps(void **state)
{
    struct made made = make(8, "JAVA PROFILE 1.0.2", 3);
    (void)state;
    for (unsigned dump = 0; dump <= 4; dump++) {
        const struct graph_options options = {.memory_bytes = MEMORY, .dump = dump};
        struct graph *g = open_graph(made.bytes, made.len, &options);
        struct heaptally *t = count(made.bytes, made.len, &options);
        assert_true((g != NULL) == (dump <= 3) && (t != NULL) == (dump <= 3));
        if (t) {
            compare(g, t);
            assert_int_equal(heaptally_facts(t)->dumps, 3);
        }
        graph_close(g);
        heaptally_free(t);
    }
    free(made.bytes);
}

/* The head of the file's one record of objects. */
static unsigned char *find_record(const struct made *made)
{
    size_t at = strlen(made->bytes) + 1 + 4 + 8;
    while (made->bytes[at] != 0x0c) {
        const unsigned char *b = (const unsigned char *)made->bytes + at;
        at += 9 + ((size_t)b[5] << 24 | (size_t)b[6] << 16 | (size_t)b[7] << 8 | b[8]);
    }
    return (unsigned char *)made->bytes + at;
}

static void a_dump_without_its_length_goes_to_the_end(void **state)
{
    struct made made = make(8, "JAVA PROFILE 1.0.1", 1);
    (void)state;
    memset(find_record(&made) + 5, 0, 4);
    struct graph *g = open_graph(made.bytes, made.len, &plain);
    struct heaptally *t = count(made.bytes, made.len, &plain);
    assert_non_null(t);
    compare(g, t);
    graph_close(g);
    heaptally_free(t);
    free(made.bytes);
}

/* The objects of the dump lie in front of byte 4 GB of it, so that its length is shorter than they
 * are. Here the length alone says so. */
static void a_dump_that_is_longer_than_its_length_is_read_on(void **state)
{
    struct made made = make(8, "JAVA PROFILE 1.0.1", 1);
    (void)state;
    unsigned char *length = find_record(&made) + 5;
    length[0] = length[1] = 0; /* less than one object after another has */
    struct heaptally *t = count(made.bytes, made.len, &plain);
    assert_non_null(t);
    assert_int_equal(heaptally_facts(t)->instances + heaptally_facts(t)->object_arrays +
                         heaptally_facts(t)->primitive_arrays,
                     OBJECTS);
    heaptally_free(t);
    free(made.bytes);
}

static void of_a_stream_that_ends_early_the_front_counts(void **state)
{
    struct made made = make(8, "JAVA PROFILE 1.0.2", 1);
    uint64_t last = 0;
    (void)state;
    for (size_t cut = 0; cut < made.len; cut += 1 + cut / 100) {
        struct graph *g = open_graph(made.bytes, cut, &plain);
        struct heaptally *t = count(made.bytes, cut, &plain);
        assert_true((g != NULL) == (t != NULL));
        if (t) {
            assert_int_equal(heaptally_facts(t)->objects, graph_facts(g)->objects);
            assert_int_equal(heaptally_facts(t)->damage.is_cut, graph_facts(g)->damage.is_cut);
            assert_true(heaptally_facts(t)->objects >= last);
            last = heaptally_facts(t)->objects;
        }
        graph_close(g);
        heaptally_free(t);
    }
    assert_true(last > OBJECTS / 2);
    free(made.bytes);
}

static void too_little_memory_is_said(void **state)
{
    const struct graph_options little = {.memory_bytes = 9 << 20};
    struct made made = make(8, "JAVA PROFILE 1.0.2", 1);
    (void)state;
    assert_null(count(made.bytes, made.len, &little));
    free(made.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pass_counts_what_the_graph_has),
        cmocka_unit_test(a_pipe_gives_what_a_file_gives),
        cmocka_unit_test(the_user_chooses_among_dumps),
        cmocka_unit_test(a_dump_without_its_length_goes_to_the_end),
        cmocka_unit_test(a_dump_that_is_longer_than_its_length_is_read_on),
        cmocka_unit_test(of_a_stream_that_ends_early_the_front_counts),
        cmocka_unit_test(too_little_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
