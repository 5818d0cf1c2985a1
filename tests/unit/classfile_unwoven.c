/*
 * classfile_unwoven.c - the offsets of a method are known when probes are in it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include <string.h>
#include "../fuzz/callprobe.h"
#include "base/arena.h"
#include "base/err.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"
#include "classfile/instrument.h"
#include "classfile/unwoven.h"
#include "classmaker.h"

#define PART(...)                                                                                  \
    {                                                                                              \
        (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})                     \
    }
#define NONE UNWOVEN_NONE

enum { CLASS_MAX = 70000 };

static const struct instrument_probe calls = {
    CALLPROBE("java/lang/Hprof_test_Calls"),
};
static const struct instrument_probe entries = {
    CALLPROBE("java/lang/Hprof_test_Entries"),
    .has_object = true,
};
static const struct instrument_probe waits = {
    .tracker = "java/lang/Hprof_other_Waits",
    .kept = 'J',
    .enter_keep = "enterKeep",
    .exit_keep = "exitKeep",
    .caught = "caught",
    .keep = INSTRUMENT_KEEP_ALL,
    .has_arguments = true,
    .first_number = 40000,
};
static const struct instrument_probe objects = {
    .tracker = "java/lang/Hprof_test_Made",
    .object = "object",
    .array = "array",
    .arrays = "arrays",
    .maybe = "maybe",
    .keep = INSTRUMENT_KEEP_NONE,
};

static const struct instrument_probe locks = {
    .tracker = "java/lang/Hprof_test_Unlock",
    .unlock = "unlock",
    .keep = INSTRUMENT_KEEP_NONE,
};

static const struct instrument_probe ends = {
    .tracker = "java/lang/Hprof_test_Ends",
    .kept = 'J',
    .enter_keep = "enter",
    .exit_keep = "exit",
    .caught = "unwound",
    .keep = INSTRUMENT_KEEP_UNWOUND,
};

/* A class after weaving, and the map of its one method. */
struct woven {
    struct arena arena;
    struct classfile file;
    struct bytecode code;
    uint16_t offsets[CLASS_MAX];
    int probes;
};

static void weave(struct woven *w, const struct instrument_probe *const *probes, uint32_t count,
                  struct classmaker m)
{
    struct instrument_result result;
    struct bytecode_room room = {0};
    uint8_t *bytes;
    size_t at;
    arena_init(&w->arena, 64 << 20);
    bytes = arena_alloc(&w->arena, CLASS_MAX);
    assert_int_equal(
        instrument_class(probes, count, bytes, classmaker_build(&m, bytes), &w->arena, &result), 0);
    assert_non_null(result.bytes);
    assert_int_equal(classfile_read(&w->file, result.bytes, result.len, &w->arena, &at), 0);
    assert_int_equal(bytecode_read(&w->code, w->file.methods[0].code, w->file.methods[0].code_len,
                                   &room, &w->arena),
                     0);
    w->probes = unwoven_map(w->code.code, w->code.len, &w->file.pool, w->offsets);
}

/* Instructions come in the order of the program, none is lost and none is told twice; each place
 * has the opcode that stands at its offset, but returns, which are told before their probes. */
static void expect_program(const struct woven *w, const uint8_t *code, uint32_t len)
{
    const struct bytecode program = {.code = code, .len = len};
    uint32_t offset = 0;
    for (uint32_t pc = 0; pc < w->code.len; pc++) {
        if (w->offsets[pc] == NONE)
            continue;
        assert_int_equal(w->offsets[pc], offset);
        if (opcode_kind_of(code[offset]) != OPCODE_RETURN && code[offset] != 195)
            assert_int_equal(w->code.code[pc], code[offset]);
        offset += bytecode_length(&program, offset);
    }
    assert_int_equal(offset, len);
}

static void a_return_is_told_before_its_probe(void **state)
{
    (void)state;
    static struct woven w;
    const struct instrument_probe *probes[] = {&calls};

    /* nop; return: iconst_0 invokestatic nop iconst_0 invokestatic return */
    weave(&w, probes, 1, (struct classmaker){.major = 50, .code = PART(0, 0xb1)});
    assert_int_equal(w.probes, 2);
    static const uint16_t want[] = {NONE, NONE, NONE, NONE, 0, 1, NONE, NONE, NONE, NONE};
    assert_int_equal(w.code.len, sizeof(want) / sizeof(want[0]));
    assert_memory_equal(w.offsets, want, sizeof(want));
    arena_done(&w.arena);
}

/* 0: aload_0; 1: ifnull 29; 4: iconst_1; 5: tableswitch (2 bytes of filling) 28 29; 28: nop; 29:
 * iconst_1; 30: newarray int; 32: areturn; 33: astore 4; 35: aload 4; 37: areturn; 0 to 32 is
 * caught at 33 */
#define ALL                                                                                        \
    0x2a, 0xc6, 0, 28, 4, 0xaa, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 23, 0, 0, 0,   \
        24, 0, 4, 0xbc, 10, 0xb0, 0x3a, 4, 0x19, 4, 0xb0

static void all_kinds_of_probes_are_told_from_the_program(void **state)
{
    (void)state;
    static struct woven w;
    static const uint8_t code[] = {ALL};
    const struct instrument_probe *all[] = {&objects, &waits, &calls, &locks, &entries, &ends};

    for (unsigned set = 1; set < 1u << 6; set++) {
        const struct instrument_probe *probes[6];
        uint32_t n = 0;
        for (unsigned i = 0; i < 6; i++)
            if (set >> i & 1)
                probes[n++] = all[i];
        weave(&w, probes, n,
              (struct classmaker){.major = 49,
                                  .desc = "(Ljava/lang/Object;J)Ljava/lang/Object;",
                                  .max_stack = 2,
                                  .max_locals = 5,
                                  .access = 8 | 0x20, /* static, synchronized */
                                  .code = PART(ALL),
                                  .handlers = PART(0, 0, 0, 32, 0, 33, 0, 0)});
        assert_true(w.probes >= (int)n);
        expect_program(&w, code, sizeof(code));
        arena_done(&w.arena);
    }
}

static void code_without_probes_is_as_it_is(void **state)
{
    (void)state;
    static struct woven w;
    struct arena arena;
    uint8_t bytes[1000];
    struct classmaker m = {.major = 50, .code = PART(4, 0x57, 0xb1)};
    size_t at, len = classmaker_build(&m, bytes);

    arena_init(&arena, 1 << 20);
    assert_int_equal(classfile_read(&w.file, bytes, len, &arena, &at), 0);
    assert_int_equal(unwoven_map((const uint8_t[]){4, 0x57, 0xb1}, 3, &w.file.pool, w.offsets), 0);
    assert_int_equal(unwoven_map((const uint8_t[]){0xb8, 0, 99}, 3, &w.file.pool, w.offsets), 0);
    assert_int_equal(unwoven_map((const uint8_t[]){4, 0xb8}, 2, &w.file.pool, w.offsets), E_FORMAT);
    assert_int_equal(unwoven_map((const uint8_t[]){0xff}, 1, &w.file.pool, w.offsets), E_FORMAT);
    arena_done(&arena);
}

static void wide_jumps_in_long_code_are_not_guessed(void **state)
{
    (void)state;
    static struct woven w;
    static uint8_t code[32770];
    const struct instrument_probe *probes[] = {&calls};

    memset(code, 0, sizeof(code));
    /* goto 32766, which no longer reaches; return */
    code[0] = 0xa7;
    code[1] = 0x7f;
    code[2] = 0xfe;
    code[32766] = code[sizeof(code) - 1] = 0xb1;
    for (size_t i = 3; i < 32766; i += 400)
        code[i] = 0xb1; /* returns, before which probes stand */
    struct classmaker m = {.major = 49, .code = {code, sizeof(code)}};
    weave(&w, probes, 1, m);
    assert_int_equal(w.probes, E_UNSUPPORTED);
    arena_done(&w.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_return_is_told_before_its_probe),
        cmocka_unit_test(all_kinds_of_probes_are_told_from_the_program),
        cmocka_unit_test(code_without_probes_is_as_it_is),
        cmocka_unit_test(wide_jumps_in_long_code_are_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
