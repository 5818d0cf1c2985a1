/*
 * heap_dumpforms.c - the forms that dumps have: of Android, of long arrays, of old agents; read as
 * a graph, and in one pass. SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmocka_all.h"
#include "heap/graph.h"
#include "heap/heapinput.h"
#include "heap/heaptally.h"
#include "heapmade.h"

enum { FIRST = 0x10000, STEP = 0x20, CLASSES = 8 };

/* More elements of 8 bytes than 4 GB have. */
static const uint32_t many = (UINT32_C(1) << 29) + 1000;

static const struct graph_options plain = {.memory_bytes = 256 << 20};
static char path[HEAPMADE_PATH];

static struct graph *open_made(FILE *file)
{
    struct graph *g = NULL;
    char why[GRAPH_WHY];
    assert_int_equal(fflush(file), 0);
    if (graph_open(path, &plain, &g, why) < 0 || graph_dominate(g, why) < 0 ||
        graph_verify(g, why) < 0)
        fail_msg("%s", why);
    return g;
}

static struct heaptally *count_made(FILE *file)
{
    struct heapinput in;
    struct heaptally *t = NULL;
    char why[GRAPH_WHY];
    assert_int_equal(fflush(file), 0);
    assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
    assert_int_equal(heapinput_open_stream(&in, fileno(file)), 0);
    if (heaptally_read(&in, &plain, &t, why) < 0)
        fail_msg("%s", why);
    heapinput_close(&in);
    return t;
}

static const struct heaptally_row *row_named(const struct heaptally *t, const char *name)
{
    uint32_t count;
    const struct heaptally_row *rows = heaptally_rows(t, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    fail_msg("no %s", name);
    return NULL;
}

static uint64_t id_of(unsigned i)
{
    return FIRST + (uint64_t)i * STEP;
}

static void records_of_android_are_understood(void **state)
{
    static const struct {
        int tag;
        enum graph_root_kind kind;
    } roots[] = {{0x89, GRAPH_ROOT_INTERNED},    {0x8a, GRAPH_ROOT_FINALIZING},
                 {0x8b, GRAPH_ROOT_DEBUGGER},    {0x8c, GRAPH_ROOT_REFERENCE_CLEANUP},
                 {0x8d, GRAPH_ROOT_VM_INTERNAL}, {0x8e, GRAPH_ROOT_JNI_MONITOR},
                 {0x02, GRAPH_ROOT_JNI_LOCAL},   {0xff, GRAPH_ROOT_UNKNOWN}};
    enum { ROOTS = sizeof(roots) / sizeof(roots[0]), NOT_HELD = ROOTS, LEFT_OUT, OBJECTS };
    struct heapmade m;
    FILE *file = heapmade_file(path);
    (void)state;
    heapmade_begin(&m, file, 4, "JAVA PROFILE 1.0.3");
    heapmade_classes(&m, true);
    heapmade_heap_info(&m, 'A', heapmade_name(&m, "app"));
    for (unsigned i = 0; i < ROOTS; i++) {
        heapmade_node(&m, id_of(i), i == 0 ? id_of(LEFT_OUT) : 0, 0);
        if (roots[i].tag == 0x8e || roots[i].tag == 0x02)
            heapmade_root_of(&m, roots[i].tag, id_of(i), 1, 0);
        else
            heapmade_root(&m, roots[i].tag, id_of(i));
    }
    heapmade_node(&m, id_of(NOT_HELD), 0, 0);
    heapmade_root(&m, 0x90, id_of(NOT_HELD));
    heapmade_heap_info(&m, 'Z', heapmade_name(&m, "zygote"));
    heapmade_left_out(&m, id_of(LEFT_OUT), 1000);
    heapmade_end(&m);
    struct graph *g = open_made(file);
    struct graph_info info;
    assert_int_equal(graph_facts(g)->damage.unknown_records, 0);
    assert_int_equal(graph_count(g), OBJECTS + CLASSES);
    for (unsigned i = 0; i < ROOTS; i++) {
        const struct graph_root *root = graph_root_of(g, graph_find(g, id_of(i)));
        assert_non_null(root);
        assert_int_equal(root->kind, roots[i].kind);
        assert_true(graph_root_word(root->kind)[0] != '\0');
        assert_true(graph_is_reachable(g, graph_find(g, id_of(i))));
    }
    assert_false(graph_is_reachable(g, graph_find(g, id_of(NOT_HELD))));
    assert_int_equal(graph_look(g, graph_find(g, id_of(LEFT_OUT)), &info), 0);
    assert_int_equal(info.count, 1000);
    assert_int_equal(info.bytes, 0);
    assert_true(info.shallow_bytes >= 1012 && info.shallow_bytes <= 1024);
    struct heaptally *t = count_made(file);
    assert_int_equal(row_named(t, "byte[]")->bytes, info.shallow_bytes);
    assert_int_equal(row_named(t, "a.Node")->objects, ROOTS + 1);
    heaptally_free(t);
    graph_close(g);
    fclose(file);
}

/* As jcmd writes it: a segment for each long array, with a length of 32 bits. */
static void an_array_may_be_longer_than_its_segment_says(void **state)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    (void)state;
    heapmade_begin(&m, file, 8, "JAVA PROFILE 1.0.2");
    heapmade_classes(&m, true);
    heapmade_hole(&m, id_of(0), many);
    for (unsigned i = 0; i < 10; i++)
        heapmade_node(&m, id_of(0) + (UINT64_C(1) << 33) + i * STEP, id_of(0), 0);
    heapmade_root(&m, 0xff, id_of(0) + (UINT64_C(1) << 33));
    heapmade_end(&m);
    struct graph *g = open_made(file);
    struct graph_info info;
    assert_false(graph_facts(g)->damage.is_cut);
    assert_int_equal(graph_facts(g)->damage.unknown_records, 0);
    assert_int_equal(graph_facts(g)->instances, 10);
    assert_int_equal(graph_look(g, graph_find(g, id_of(0)), &info), 0);
    assert_int_equal(info.count, many);
    assert_true(info.shallow_bytes > UINT64_C(8) * many);
    assert_true(graph_is_reachable(g, info.number));
    struct heaptally *t = count_made(file);
    assert_int_equal(row_named(t, "long[]")->bytes, info.shallow_bytes);
    assert_int_equal(row_named(t, "a.Node")->objects, 10);
    assert_false(heaptally_facts(t)->damage.is_cut);
    heaptally_free(t);
    graph_close(g);
    fclose(file);
}

/* As the old agent and old JVMs wrote it: one record to the end of the file. */
static void a_dump_in_one_record_may_be_longer_than_the_record_says(void **state)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    char *bytes = NULL;
    size_t len = 0;
    (void)state;
    heapmade_begin(&m, file, 4, "JAVA PROFILE 1.0.1");
    heapmade_hole(&m, id_of(0), many);
    /* What follows belongs to the record that begins with the array. */
    FILE *rest = open_memstream(&bytes, &len);
    m.to = rest;
    heapmade_classes(&m, true);
    heapmade_node(&m, id_of(1), id_of(0), 0);
    heapmade_root(&m, 0xff, id_of(1));
    heapmade_end(&m);
    fclose(rest);
    size_t at = 0;
    while (at + 9 <= len && bytes[at] != 0x0c) /* the names of fields */
        at += 9 + ((size_t)(unsigned char)bytes[at + 7] << 8 | (unsigned char)bytes[at + 8]);
    fwrite(bytes + at + 9, 1, len - at - 9, file);
    fflush(file);
    uint64_t body = 1 + 4 + 4 + 4 + 1 + (uint64_t)many * 8 + (len - at - 9);
    const unsigned char length[] = {(unsigned char)(body >> 24), (unsigned char)(body >> 16),
                                    (unsigned char)(body >> 8), (unsigned char)body};
    off_t end = lseek(fileno(file), 0, SEEK_END);
    assert_int_equal(pwrite(fileno(file), length, 4, end - (off_t)body - 4), 4);
    struct graph *g = open_made(file);
    assert_false(graph_facts(g)->damage.is_cut);
    assert_int_equal(graph_facts(g)->damage.unknown_records, 0);
    assert_int_equal(graph_facts(g)->primitive_arrays, 1);
    assert_int_equal(graph_facts(g)->instances, 1);
    assert_int_equal(graph_facts(g)->classes, CLASSES);
    struct heaptally *t = count_made(file);
    assert_int_equal(heaptally_facts(t)->objects, graph_facts(g)->objects);
    assert_false(heaptally_facts(t)->damage.is_cut);
    heaptally_free(t);
    graph_close(g);
    fclose(file);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_android_are_understood),
        cmocka_unit_test(an_array_may_be_longer_than_its_segment_says),
        cmocka_unit_test(a_dump_in_one_record_may_be_longer_than_the_record_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
