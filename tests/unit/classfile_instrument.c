/*
 * classfile_instrument.c - probes in small methods, byte by byte.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/instrument.h"
#include <string.h>
#include "../fuzz/callprobe.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/rd.h"
#include "base/be.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"
#include "classmaker.h"
#include "cmocka_all.h"

/* Where the injection puts its Methodrefs: behind the tracker's two entries, four for each. */
enum {
    ENTER = CLASSMAKER_NEXT + 5,
    EXIT = ENTER + 4,
    CAUGHT = EXIT + 4,
};

#define PART(...)                                                                                  \
    {                                                                                              \
        (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})                     \
    }
#define U2(v) (uint8_t)((v) >> 8), (uint8_t)(v)
#define CALL(ref) 0xb8, U2(ref)
#define PLAIN_ENTER 0x10, 7, CALL(ENTER)
#define PLAIN_EXIT 0x10, 7, CALL(EXIT)

/* An injected class and what it became; ends with done(). */
struct run {
    struct arena arena;
    struct bytecode_room room;
    struct instrument_result result;
    struct classfile file;
    struct bytecode code;
};

static uint8_t input[1 << 20];

static struct instrument_probe probe_with(int32_t number, enum instrument_keep keep)
{
    return (struct instrument_probe){
        CALLPROBE("P"),
        .keep = keep,
        .first_number = number,
    };
}

static void run_probes(struct run *r, struct classmaker m,
                       const struct instrument_probe *const *probes, uint32_t probe_count)
{
    memset(r, 0, sizeof(*r));
    m.major = m.major ? m.major : 52;
    m.access = m.access ? m.access : CLASSFILE_STATIC;
    size_t len = classmaker_build(&m, input);
    arena_init(&r->arena, 64 << 20);
    assert_int_equal(instrument_class(probes, probe_count, input, len, &r->arena, &r->result), 0);
    assert_int_equal(r->result.row_count, 1);
    if (!r->result.bytes)
        return;
    size_t at;
    assert_int_equal(classfile_read(&r->file, r->result.bytes, r->result.len, &r->arena, &at), 0);
    const struct classfile_method *c = r->file.methods;
    assert_int_equal(bytecode_read(&r->code, c->code, c->code_len, &r->room, &r->arena), 0);
}

static void run_probe(struct run *r, struct classmaker m, const struct instrument_probe *probe)
{
    run_probes(r, m, &probe, 1);
}

static void run_plain(struct run *r, struct classmaker m)
{
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_HANDLERS);
    run_probe(r, m, &probe);
}

static void done(struct run *r)
{
    arena_done(&r->arena);
}

static void expect_code(const struct run *r, struct classmaker_part want)
{
    assert_non_null(r->result.bytes);
    assert_int_equal(r->code.len, want.len);
    assert_memory_equal(r->code.code, want.bytes, want.len);
}

static void expect_attribute(const struct run *r, const char *name, struct classmaker_part want)
{
    struct rd rd;
    struct classfile_attribute a;
    rd_init(&rd, r->code.attribute, r->code.attribute_len);
    rd_skip(&rd, r->code.attributes_at);
    for (unsigned n = rd_u2(&rd); n > 0; n--) {
        assert_int_equal(classfile_next_attribute(&rd, &r->file.pool, &a), 0);
        if (!cpool_utf8_is(a.name, name))
            continue;
        assert_int_equal(a.len, want.len);
        assert_memory_equal(a.bytes, want.bytes, want.len);
        return;
    }
    fail_msg("no %s", name);
}

static void expect_verdict(struct classmaker m, enum instrument_verdict want)
{
    struct run r;
    run_plain(&r, m);
    assert_int_equal(r.result.shares->rows[0].verdict, want);
    assert_int_equal(r.result.shares->rows[0].number, want == INSTRUMENT_INJECTED ? 7 : -1);
    assert_int_equal(r.result.bytes != NULL, want == INSTRUMENT_INJECTED);
    done(&r);
}

static void a_plain_method_gets_its_number_at_entry_and_return(void **state)
{
    (void)state;
    struct run r;
    run_plain(&r, (struct classmaker){.code = PART(0xb1)});
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, PLAIN_EXIT, 0xb1));
    assert_int_equal(r.code.max_stack, 1);
    assert_int_equal(r.code.max_locals, 0);
    assert_int_equal(r.result.shares->injected, 1);
    assert_int_equal(r.result.shares->rows[0].number, 7);
    done(&r);
}

static void numbers_take_the_shortest_push(void **state)
{
    (void)state;
    const struct {
        int32_t number;
        struct classmaker_part push;
    } rows[] = {
        {0, PART(3)},
        {5, PART(8)},
        {6, PART(16, 6)},
        {127, PART(16, 127)},
        {128, PART(17, 0, 128)},
        {32767, PART(17, 0x7f, 0xff)},
        {32768, PART(19, U2(CLASSMAKER_NEXT + 2))},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct run r;
        struct instrument_probe probe = probe_with(rows[i].number, INSTRUMENT_KEEP_HANDLERS);
        run_probe(&r, (struct classmaker){.code = PART(0xb1)}, &probe);
        assert_memory_equal(r.code.code, rows[i].push.bytes, rows[i].push.len);
        assert_int_equal(r.code.code[rows[i].push.len], 0xb8);
        done(&r);
    }
}

static void a_jump_to_the_first_instruction_does_not_enter_again(void **state)
{
    (void)state;
    struct run r;
    /* 0: iload_0; 1: ifne 0; 4: return */
    run_plain(&r, (struct classmaker){.desc = "(I)V",
                                      .max_stack = 1,
                                      .max_locals = 1,
                                      .code = PART(0x1a, 0x9a, 0xff, 0xff, 0xb1),
                                      .attributes = PART(0, CLASSMAKER_FRAMES, 0, 0, 0, 3, 0, 1, 0),
                                      .attribute_count = 1});
    expect_code(
        &r, (struct classmaker_part)PART(PLAIN_ENTER, 0x1a, 0x9a, 0xff, 0xff, PLAIN_EXIT, 0xb1));
    expect_attribute(&r, "StackMapTable", (struct classmaker_part)PART(0, 1, 5));
    done(&r);
}

static void a_jump_to_a_return_exits(void **state)
{
    (void)state;
    struct run r;
    /* 0: iload_0; 1: ifeq 5; 4: return; 5: return */
    run_plain(&r, (struct classmaker){.desc = "(I)V",
                                      .max_stack = 1,
                                      .max_locals = 1,
                                      .code = PART(0x1a, 0x99, 0, 4, 0xb1, 0xb1),
                                      .attributes = PART(0, CLASSMAKER_FRAMES, 0, 0, 0, 3, 0, 1, 5),
                                      .attribute_count = 1});
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, 0x1a, 0x99, 0, 9, PLAIN_EXIT, 0xb1,
                                                 PLAIN_EXIT, 0xb1));
    expect_attribute(&r, "StackMapTable", (struct classmaker_part)PART(0, 1, 15));
    done(&r);
}

static void a_method_with_a_handler_keeps_and_repairs(void **state)
{
    (void)state;
    struct run r;
    /* 0: nop; 1: return; 2: athrow; range 0 to 1, handler 2 */
    run_plain(&r, (struct classmaker){.max_stack = 1,
                                      .code = PART(0, 0xb1, 0xbf),
                                      .handlers = PART(0, 0, 0, 1, 0, 2, 0, 0),
                                      .attributes = PART(0, CLASSMAKER_FRAMES, 0, 0, 0, 6, 0, 1, 66,
                                                         7, 0, CLASSMAKER_SUPER),
                                      .attribute_count = 1});
    expect_code(&r,
                (struct classmaker_part)PART(PLAIN_ENTER, 0x3f,          /* lstore_0 */
                                             0, 0x1e, CALL(EXIT), 0xb1,  /* 6: lload_0 ... */
                                             0x1e, CALL(CAUGHT), 0xbf)); /* 12: ...; 16: athrow */
    /* An exception in caught goes to the handler proper; the old range goes to caught. */
    assert_int_equal(r.code.handler_count, 2);
    static const uint8_t handlers[] = {0, 12, 0, 16, 0, 16, 0, 0, 0, 6, 0, 7, 0, 12, 0, 0};
    assert_memory_equal(r.code.handlers, handlers, sizeof(handlers));
    expect_attribute(&r, "StackMapTable",
                     (struct classmaker_part)PART(0, 2, 255, 0, 12, 0, 1, 4, 0, 1, 7, 0,
                                                  CLASSMAKER_SUPER, 64 + 3, 7, 0,
                                                  CLASSMAKER_SUPER));
    assert_int_equal(r.code.max_stack, 3);
    assert_int_equal(r.code.max_locals, 2);
    done(&r);
}

static void keeping_nothing_leaves_handlers_as_they_are(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_NONE);
    run_probe(&r,
              (struct classmaker){.major = 49,
                                  .max_stack = 1,
                                  .code = PART(0, 0xb1, 0xbf),
                                  .handlers = PART(0, 0, 0, 1, 0, 2, 0, 0)},
              &probe);
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, 0, PLAIN_EXIT, 0xb1, 0xbf));
    static const uint8_t handlers[] = {0, 5, 0, 6, 0, 12, 0, 0};
    assert_int_equal(r.code.handler_count, 1);
    assert_memory_equal(r.code.handlers, handlers, sizeof(handlers));
    done(&r);
}

static void the_first_frame_of_a_constructor_that_keeps_is_whole(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_ALL);
    probe.kept = 'I';
    /* 0: iload_1; 1: ifeq 4; 4: return. Locals: this, int, long[], long, and one unused. */
    run_probe(&r,
              (struct classmaker){.name = "<init>",
                                  .desc = "(I[JJLjava/lang/Object;)V",
                                  .access = 1,
                                  .max_stack = 1,
                                  .max_locals = 9,
                                  .code = PART(0x1b, 0x99, 0, 3, 0xb1),
                                  .attributes = PART(0, CLASSMAKER_FRAMES, 0, 0, 0, 3, 0, 1, 4),
                                  .attribute_count = 1},
              &probe);
    enum { LONGS = CLASSMAKER_NEXT + 2 + 4 + 4 + 1 }; /* behind its Utf8 */
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, 54, 9, 0x1b, 0x99, 0, 3, 21, 9,
                                                 CALL(EXIT), 0xb1));
    expect_attribute(&r, "StackMapTable",
                     (struct classmaker_part)PART(0, 1, 255, 0, 11, 0, 9, /* nine locals: */
                                                  6, 1, 7, 0, LONGS, 4, 7, 0, CLASSMAKER_SUPER, 0,
                                                  0, 0, 1, 0, 0));
    struct cpool_utf8 name;
    assert_true(cpool_class_at(&r.file.pool, LONGS, &name));
    assert_true(cpool_utf8_is(name, "[J"));
    done(&r);
}

static void a_probe_that_keeps_may_be_given_the_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *desc;
        uint8_t object, number; /* the instructions that push them */
    } rows[] = {
        {"()V", 1, 9},
        {"(J)V", 1, 30},
        {"(Ljava/lang/Object;)V", 42, 9},
        {"([Ljava/lang/Object;J)V", 42, 31},
        {"([[IJ)V", 42, 31},
        {"(IJ)V", 1, 9},
    };
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_ALL);
    probe.has_arguments = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run r;
        uint8_t object = rows[i].object, number = rows[i].number;
        run_probe(&r,
                  (struct classmaker){
                      .desc = rows[i].desc, .access = 8, .max_locals = 4, .code = PART(0xb1)},
                  &probe);
        expect_code(&r, (struct classmaker_part)PART(16, 7, object, number, CALL(ENTER), 55, 4, 22,
                                                     4, 16, 7, object, number, CALL(EXIT), 0xb1));
        assert_int_equal(r.code.max_stack, 6);
        done(&r);
    }
}

/* The tracker's method that is called at the entry, behind the number and `pushed`, if not 0. */
static void expect_enter(const struct run *r, uint8_t pushed, const char *name, const char *desc)
{
    struct cpool_utf8 found_class, found_name, found_desc;
    const uint8_t *code = r->code.code;
    uint32_t call = pushed ? 3 : 2;
    assert_non_null(r->result.bytes);
    assert_true(!pushed || code[2] == pushed);
    assert_int_equal(code[call], 0xb8);
    assert_true(cpool_method_at(&r->file.pool, be_2(code + call + 1), &found_class, &found_name,
                                &found_desc));
    assert_true(cpool_utf8_is(found_name, name));
    assert_true(cpool_utf8_is(found_desc, desc));
}

static void a_method_gives_its_object_but_for_constructors(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint16_t access;
        uint8_t pushed;
        const char *plain, *kept;
    } rows[] = {
        {"m", 1, 42, "(ILjava/lang/Object;)V", "(ILjava/lang/Object;)J"},
        {"m", 8, 1, "(ILjava/lang/Object;)V", "(ILjava/lang/Object;)J"},
        {"<init>", 1, 0, "(I)V", "(I)J"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct classmaker m = {
            .name = rows[i].name, .access = rows[i].access, .max_locals = 1, .code = PART(0xb1)};
        struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_NONE);
        struct run r;
        probe.has_object = true;
        run_probe(&r, m, &probe);
        expect_enter(&r, rows[i].pushed, "enter", rows[i].plain);
        done(&r);
        probe.keep = INSTRUMENT_KEEP_ALL;
        run_probe(&r, m, &probe);
        expect_enter(&r, rows[i].pushed, "enterKeep", rows[i].kept);
        done(&r);
    }
}

static void a_method_that_writes_its_arguments_does_not_give_them(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_ALL);
    probe.has_arguments = true;
    /* aconst_null; astore_0; return */
    run_probe(&r,
              (struct classmaker){.desc = "(Ljava/lang/Object;)V",
                                  .access = 8,
                                  .max_stack = 1,
                                  .max_locals = 1,
                                  .code = PART(1, 75, 0xb1)},
              &probe);
    assert_null(r.result.bytes);
    done(&r);
}

static struct instrument_probe unlock_probe(void)
{
    return (struct instrument_probe){
        .tracker = "P", .unlock = "unlock", .keep = INSTRUMENT_KEEP_NONE, .first_number = 7};
}

static void a_monitorexit_gets_its_object_told_before(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = unlock_probe();
    /* aconst_null; monitorexit; return */
    run_probe(&r, (struct classmaker){.max_stack = 1, .code = PART(1, 0xc3, 0xb1)}, &probe);
    expect_code(&r, (struct classmaker_part)PART(1, 0x59, CALL(ENTER), 0xc3, 0xb1));
    assert_int_equal(r.code.handler_count, 0);
    done(&r);
}

static void a_handler_that_covers_itself_is_left_alone(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = unlock_probe();
    /* aconst_null; dup; astore_0; monitorexit; return; then the handler: pop; aload_0; monitorexit;
     * return */
    run_probe(&r,
              (struct classmaker){.major = 49,
                                  .max_stack = 2,
                                  .max_locals = 1,
                                  .code = PART(1, 0x59, 75, 0xc3, 0xb1, 0x57, 42, 0xc3, 0xb1),
                                  .handlers = PART(0, 3, 0, 4, 0, 5, 0, 0, 0, 5, 0, 8, 0, 5, 0, 0)},
              &probe);
    expect_code(&r, (struct classmaker_part)PART(1, 0x59, 75, 0x59, CALL(ENTER), 0xc3, 0xb1, 0x57,
                                                 42, 0xc3, 0xb1));
    done(&r);
}

static void a_synchronized_method_tells_its_object_at_each_end(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = unlock_probe();
    enum { SYNCHRONIZED = 0x20, UNWIND = 5, THROWABLE = ENTER + 3 };
    run_probe(&r, (struct classmaker){.access = SYNCHRONIZED, .max_locals = 1, .code = PART(0xb1)},
              &probe);
    expect_code(&r, (struct classmaker_part)PART(42, CALL(ENTER), 0xb1, 42, CALL(ENTER), 0xbf));
    assert_int_equal(r.code.max_stack, 2);
    assert_int_equal(r.code.handler_count, 1);
    assert_memory_equal(r.code.handlers, ((const uint8_t[]){0, 0, 0, UNWIND, 0, UNWIND, 0, 0}), 8);
    /* One full frame: `this`, and the exception. */
    expect_attribute(&r, "StackMapTable",
                     (struct classmaker_part)PART(0, 1, 255, 0, UNWIND, 0, 1, 7, 0, CLASSMAKER_THIS,
                                                  0, 1, 7, U2(THROWABLE)));
    done(&r);
}

static void an_exception_that_leaves_a_method_is_told_with_the_kept_value(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_ALL);
    enum { LSTORE_1 = 64, LLOAD_1 = 31, BEHIND = 6, UNWIND = 11, UNWOUND = CAUGHT };
    enum { THROWABLE = UNWOUND + 3 };
    probe.kept = 'J';
    probe.caught = "unwound";
    probe.keep = INSTRUMENT_KEEP_UNWOUND;
    run_probe(&r, (struct classmaker){.max_locals = 1, .code = PART(0xb1)}, &probe);
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, LSTORE_1, LLOAD_1, CALL(EXIT), 0xb1,
                                                 0x59, LLOAD_1, CALL(UNWOUND), 0xbf));
    assert_int_equal(r.code.max_stack, 4);
    assert_int_equal(r.code.handler_count, 1);
    assert_memory_equal(r.code.handlers, ((const uint8_t[]){0, BEHIND, 0, UNWIND, 0, UNWIND, 0, 0}),
                        8);
    /* One full frame: nothing is known of the method's own local; the kept long; the exception. */
    expect_attribute(
        &r, "StackMapTable",
        (struct classmaker_part)PART(0, 1, 255, 0, UNWIND, 0, 2, 0, 4, 0, 1, 7, U2(THROWABLE)));
    done(&r);
}

static void no_handler_is_put_around_a_constructor(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_ALL);
    probe.caught = "unwound";
    probe.keep = INSTRUMENT_KEEP_UNWOUND;
    run_probe(
        &r, (struct classmaker){.access = 1, .name = "<init>", .max_locals = 1, .code = PART(0xb1)},
        &probe);
    assert_int_equal(r.result.shares->injected, 1);
    assert_int_equal(r.code.handler_count, 0);
    done(&r);
}

static void a_static_synchronized_method_tells_its_class(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = unlock_probe();
    run_probe(&r, (struct classmaker){.access = 0x28, .code = PART(0xb1)}, &probe);
    expect_code(&r, (struct classmaker_part)PART(0x13, 0, CLASSMAKER_THIS, CALL(ENTER), 0xb1, 0x13,
                                                 0, CLASSMAKER_THIS, CALL(ENTER), 0xbf));
    done(&r);
}

static void what_gives_back_nothing_is_left_alone(void **state)
{
    (void)state;
    struct instrument_probe probe = unlock_probe();
    const struct classmaker rows[] = {
        {.access = 8, .code = PART(0xb1)},
        {.access = 0x28, .major = 48, .code = PART(0xb1)}, /* it cannot name its class */
        /* aconst_null; astore_0; return */
        {.access = 0x20, .max_stack = 1, .max_locals = 1, .code = PART(1, 75, 0xb1)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run r;
        run_probe(&r, rows[i], &probe);
        assert_null(r.result.bytes);
        done(&r);
    }
}

static void a_first_frame_with_little_between_is_appended(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_ALL);
    run_probe(&r,
              (struct classmaker){.desc = "(I)V",
                                  .max_stack = 1,
                                  .max_locals = 3,
                                  .code = PART(0x1a, 0x99, 0, 3, 0xb1),
                                  .attributes = PART(0, CLASSMAKER_FRAMES, 0, 0, 0, 3, 0, 1, 4),
                                  .attribute_count = 1},
              &probe);
    expect_attribute(&r, "StackMapTable", (struct classmaker_part)PART(0, 1, 254, 0, 10, 0, 0, 4));
    done(&r);
}

static void switches_are_aligned_again(void **state)
{
    (void)state;
    struct run r;
    /* 0: iload_0; 1: tableswitch 5, both to 20; 20: iload_0; 21: lookupswitch -1, both to 40 */
    run_plain(&r,
              (struct classmaker){.major = 49,
                                  .desc = "(I)V",
                                  .max_stack = 1,
                                  .max_locals = 1,
                                  .code = PART(0x1a, 0xaa, 0, 0, 0, 0, 0, 19, 0, 0, 0, 5, 0, 0, 0,
                                               5, 0, 0, 0, 19, 0x1a, 0xab, 0, 0, 0, 0, 0, 19, 0, 0,
                                               0, 1, 255, 255, 255, 255, 0, 0, 0, 19, 0xb1)});
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, 0x1a, 0xaa, 0, /* 6, aligned to 8 */
                                                 0, 0, 0, 18, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 18,
                                                 0x1a, 0xab, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 255,
                                                 255, 255, 255, 0, 0, 0, 19, PLAIN_EXIT, 0xb1));
    done(&r);
}

static void tables_follow_the_code(void **state)
{
    (void)state;
    struct run r;
    /* 0: nop; 1: new T; 4: pop; 5: return; 6: pop; 7: return; range 1 to 5, handler 6 */
    run_plain(&r, (struct classmaker){
                      .major = 49,
                      .max_stack = 1,
                      .code = PART(0, 0xbb, 0, CLASSMAKER_THIS, 0x57, 0xb1, 0x57, 0xb1),
                      .handlers = PART(0, 1, 0, 5, 0, 6, 0, 0),
                      .attributes =
                          PART(0, CLASSMAKER_LINES, 0, 0, 0, 14, 0, 3, 0, 0, 0, 1, 0, 1, 0, 2, 0, 6,
                               0, 3, 0, CLASSMAKER_VARIABLES, 0, 0, 0, 22, 0, 2, /* two variables */
                               0, 0, 0, 8, 0, 6, 0, 6, 0, 0, 0, 4, 0, 3, 0, 6, 0, 6, 0, 0, /* */
                               0, CLASSMAKER_TYPE_NOTES, 0, 0, 0, 20, 0, 2, 0x42, 0, 0, 0, 0, 1, 0,
                               0, 0x44, 0, 1, 1, 0, 0, 0, 1, 0, 0),
                      .attribute_count = 3});
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, 0x3f,                 /* 0 */
                                                 0, 0xbb, 0, CLASSMAKER_THIS, 0x57, /* 6 */
                                                 0x1e, CALL(EXIT), 0xb1,            /* 11 */
                                                 0x1e, CALL(CAUGHT), 0x57,          /* 16 */
                                                 0x1e, CALL(EXIT), 0xb1));          /* 21 */
    expect_attribute(&r, "LineNumberTable",
                     (struct classmaker_part)PART(0, 3, 0, 0, 0, 1, 0, 7, 0, 2, 0, 16, 0, 3));
    expect_attribute(&r, "LocalVariableTable",
                     (struct classmaker_part)PART(0, 2, 0, 0, 0, 26, 0, 6, 0, 6, 0, 0, 0, 10, 0, 11,
                                                  0, 6, 0, 6, 0, 0));
    expect_attribute(&r, "RuntimeVisibleTypeAnnotations",
                     (struct classmaker_part)PART(0, 2, 0x42, 0, 1, 0, 0, 1, 0, 0, 0x44, 0, 7, 1, 0,
                                                  0, 0, 1, 0, 0));
    done(&r);
}

/* A condition at 1 over 32 KB to `far`; a place with a frame at 15; returns at 14 and `far`. */
static uint8_t far_code[40000];

static struct classmaker far_jump(uint16_t major, uint8_t op, uint32_t far)
{
    static uint8_t frames[] = {0, CLASSMAKER_FRAMES, 0, 0, 0, 6, 0, 2, 15, 251, 0, 0};
    memset(far_code, 0, sizeof(far_code));
    far_code[0] = 0x1a;
    far_code[1] = op;
    be_put2(far_code + 2, (uint16_t)(far - 1));
    memcpy(far_code + 10, (uint8_t[]){0x1a, 0x99, 0, 4, 0xb1}, 5);
    far_code[far] = 0xb1;
    be_put2(frames + 10, (uint16_t)(far - 15 - 1));
    struct classmaker m = {.major = major, .desc = "(I)V", .max_stack = 1, .max_locals = 1};
    m.code = (struct classmaker_part){far_code, far + 1};
    if (major >= 50) {
        m.attributes = (struct classmaker_part){frames, sizeof(frames)};
        m.attribute_count = 1;
    }
    return m;
}

static void a_jump_that_still_reaches_stays_short(void **state)
{
    (void)state;
    struct run r;
    run_plain(&r, far_jump(52, 0x99, 32762)); /* 32761 + 5 for the exit between */
    assert_int_equal(r.code.code[6], 0x99);
    assert_int_equal(be_2(r.code.code + 7), 32766);
    done(&r);
}

static void a_condition_without_frames_is_turned_round(void **state)
{
    (void)state;
    struct run r;
    run_plain(&r, far_jump(49, 0x99, 32766));
    assert_int_equal(r.code.code[6], 0x9a);
    assert_int_equal(be_2(r.code.code + 7), 8);
    assert_int_equal(r.code.code[9], 0xc8);
    uint32_t target = 9 + be_4(r.code.code + 10);
    assert_int_equal(target, 32766 + 5 + 5 + 5); /* enter, goto_w, the first exit */
    assert_int_equal(r.code.code[target], 0x10);
    done(&r);
}

static void a_jump_becomes_its_wide_form(void **state)
{
    (void)state;
    struct run r;
    run_plain(&r, far_jump(52, 0xa7, 32766));
    assert_int_equal(r.code.code[6], 0xc8);
    assert_int_equal(6 + be_4(r.code.code + 7), 32766 + 5 + 2 + 5);
    done(&r);
    run_plain(&r, far_jump(49, 0xa8, 32766));
    assert_int_equal(r.code.code[6], 0xc9);
    done(&r);
}

static void a_condition_with_frames_goes_by_an_island(void **state)
{
    (void)state;
    struct run r;
    run_plain(&r, far_jump(52, 0x99, 32766));
    const uint8_t *code = r.code.code;
    /* 15 became 5 + 15 + 5: there the island begins, with a goto over its one jump. */
    assert_int_equal(code[6], 0x99);
    assert_int_equal(6 + be_2(code + 7), 28);
    assert_int_equal(code[25], 0xa7);
    assert_int_equal(be_2(code + 26), 8);
    assert_int_equal(code[28], 0xc8);
    assert_int_equal(28 + be_4(code + 29), 32766 + 5 + 5 + 8);
    /* Frames: the island, its jump (that of the target), behind it, the target. */
    expect_attribute(&r, "StackMapTable",
                     (struct classmaker_part)PART(0, 4, 255, 0, 25, 0, 1, 1, 0, 0, 255, 0, 2, 0, 1,
                                                  1, 0, 0, 255, 0, 4, 0, 1, 1, 0, 0, 251,
                                                  U2(32784 - 33 - 1)));
    done(&r);
}

static void what_cannot_be_injected_is_left_alone_with_the_reason(void **state)
{
    (void)state;
    static uint8_t longest[65535];
    longest[65534] = 0xb1;
    struct classmaker just_return = {.code = PART(0xb1)};
    struct classmaker m = just_return;
    expect_verdict(m, INSTRUMENT_INJECTED);
    m.minor = 2;
    m.major = 45;
    expect_verdict(m, INSTRUMENT_OLD_SHAPE);
    m = just_return;
    m.max_stack = 65535;
    expect_verdict(m, INSTRUMENT_STACK_LIMIT);
    m = just_return;
    m.more_consts = 65534 - CLASSMAKER_NEXT - 8;
    expect_verdict(m, INSTRUMENT_POOL_LIMIT);
    m.more_consts = 65535 - CLASSMAKER_NEXT - 10;
    expect_verdict(m, INSTRUMENT_INJECTED);
    m = just_return;
    m.code = (struct classmaker_part){longest, sizeof(longest)};
    expect_verdict(m, INSTRUMENT_CODE_LIMIT);
    m.code.bytes = longest + 10;
    m.code.len -= 10;
    expect_verdict(m, INSTRUMENT_INJECTED);
    expect_verdict((struct classmaker){.access = CLASSFILE_ABSTRACT}, INSTRUMENT_NO_CODE);
    m = just_return;
    m.this_name = "P";
    expect_verdict(m, INSTRUMENT_TRACKER);
    m.this_name = "java/lang/Object";
    m.super_name = "";
    m.name = "<init>";
    expect_verdict(m, INSTRUMENT_OBJECT_INIT);
    m = just_return;
    m.this_name = "java/lang/VirtualThread$VThreadContinuation";
    expect_verdict(m, INSTRUMENT_CHANGES_THREAD);
}

static void annotations_of_the_vm_are_respected(void **state)
{
    (void)state;
    struct classmaker m = {.code = PART(0xb1), .has_note = true};
    expect_verdict(m, INSTRUMENT_INJECTED);
    m.note = "Ljdk/internal/vm/annotation/IntrinsicCandidate;";
    expect_verdict(m, INSTRUMENT_INTRINSIC);
    m.note = "Ljdk/internal/HotSpotIntrinsicCandidate;";
    expect_verdict(m, INSTRUMENT_INTRINSIC);
    m.note = "Ljdk/internal/vm/annotation/ChangesCurrentThread;";
    expect_verdict(m, INSTRUMENT_CHANGES_THREAD);
}

static void code_that_no_vm_takes_is_left_alone(void **state)
{
    (void)state;
    const struct classmaker_part bad[] = {
        PART(0xa7, 0, 1),       /* a jump into an instruction */
        PART(0xa7, 0xff, 0xff), /* a jump before the code */
        PART(0x10),             /* an instruction that ends too late */
        PART(0xcb),             /* no instruction */
        PART(0xc4, 0xb1, 0, 0), /* wide return */
        PART(0x1a, 0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0), /* tableswitch 1 to 0 */
        PART(0x1a, 0xab, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff), /* lookupswitch, many */
        PART(0x1a, 0xaa, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        expect_verdict((struct classmaker){.code = bad[i]}, INSTRUMENT_MALFORMED);
    struct classmaker m = {.code = PART(0, 0xb1), .handlers = PART(0, 1, 0, 1, 0, 0, 0, 0)};
    expect_verdict(m, INSTRUMENT_MALFORMED); /* an empty range */
    m.handlers = (struct classmaker_part)PART(0, 0, 0, 3, 0, 0, 0, 0);
    expect_verdict(m, INSTRUMENT_MALFORMED);
    m = (struct classmaker){.code = PART(0, 0xb1),
                            .attributes = PART(0, CLASSMAKER_FRAMES, 0, 0, 0, 3, 0, 1, 2),
                            .attribute_count = 1};
    expect_verdict(m, INSTRUMENT_MALFORMED); /* a frame behind the code */
    m.major = 49;
    expect_verdict(m, INSTRUMENT_INJECTED); /* where no VM looks at it */
}

static int32_t select_odd(void *context, const struct instrument_method *m)
{
    *(struct instrument_method *)context = *m;
    return m->code_bytes % 2 ? 1000 : -1;
}

static int32_t select_all(void *context, const struct instrument_method *m)
{
    (void)context;
    (void)m;
    return 0;
}

static void a_selector_decides_and_numbers(void **state)
{
    (void)state;
    struct run r;
    struct instrument_method seen;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_HANDLERS);
    probe.select = select_odd;
    probe.context = &seen;
    struct classmaker m = {.desc = "(J)V", .code = PART(0xb1)};
    run_probe(&r, m, &probe);
    assert_int_equal(r.result.shares->rows[0].number, 1000);
    assert_true(cpool_utf8_is(seen.class_name, "T"));
    assert_true(cpool_utf8_is(seen.desc, "(J)V"));
    assert_int_equal(seen.advice, INSTRUMENT_INJECTED);
    done(&r);
    m.code = (struct classmaker_part)PART(0, 0xb1);
    run_probe(&r, m, &probe);
    assert_null(r.result.bytes);
    assert_int_equal(r.result.shares->rows[0].verdict, INSTRUMENT_NOT_SELECTED);
    done(&r);
}

static void a_method_does_not_grow_out_of_the_compilers_reach(void **state)
{
    (void)state;
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_HANDLERS);
    struct run r;
    probe.huge_bytes = 10;
    run_probe(&r, (struct classmaker){.code = PART(0xb1)}, &probe);
    assert_int_equal(r.result.shares->rows[0].verdict, INSTRUMENT_HUGE);
    done(&r);
    probe.huge_bytes = 11;
    run_probe(&r, (struct classmaker){.code = PART(0xb1)}, &probe);
    assert_int_equal(r.result.shares->rows[0].verdict, INSTRUMENT_INJECTED);
    done(&r);
}

static void what_makes_an_array_tells_of_it(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = {
        .tracker = "P", .object = "object", .array = "array", .arrays = "arrays", .maybe = "maybe"};
    /* iconst_3, newarray int, pop, goto the first, return */
    static const uint8_t code[] = {6, 188, 10, 87, 167, 0xff, 0xfc, 0xb1};
    run_probe(&r, (struct classmaker){.code = {code, sizeof(code)}, .max_stack = 1}, &probe);
    assert_non_null(r.result.bytes);
    assert_int_equal(r.code.max_stack, 2);
    /* iconst_3, newarray int, dup, invokestatic array, pop, goto, return */
    assert_int_equal(r.code.len, sizeof(code) + 4);
    assert_memory_equal(r.code.code, "\x06\xbc\x0a\x59\xb8", 5);
    assert_memory_equal(r.code.code + 7, "\x57\xa7\xff\xf8\xb1", 5);
    done(&r);
    /* A method that makes nothing stays as it is. */
    run_probe(&r, (struct classmaker){.code = PART(0xb1)}, &probe);
    assert_null(r.result.bytes);
    assert_int_equal(r.result.shares->rows[0].verdict, INSTRUMENT_NOT_SELECTED);
    done(&r);
}

static void the_constructor_of_object_tells_of_every_object(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = {.tracker = "P",
                                     .object = "object",
                                     .array = "array",
                                     .arrays = "arrays",
                                     .maybe = "maybe",
                                     .select = select_all};
    run_probe(
        &r,
        (struct classmaker){
            .code = PART(0xb1), .name = "<init>", .desc = "()V", .super_name = "", .max_locals = 1},
        &probe);
    assert_non_null(r.result.bytes);
    assert_int_equal(r.code.len, 5); /* aload_0, invokestatic object, return */
    assert_int_equal(r.code.code[0], 42);
    assert_int_equal(r.code.code[1], 184);
    done(&r);
}

static void a_constructor_hands_over_its_object_at_each_return(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe probe = {.tracker = "P", .constructed = "made", .select = select_all};
    struct classmaker m = {.code = PART(0xb1), .name = "<init>", .desc = "()V", .max_locals = 1};

    run_probe(&r, m, &probe);
    assert_int_equal(r.code.len, 5); /* aload_0, invokestatic made, return */
    assert_int_equal(r.code.code[0], 42);
    assert_int_equal(r.code.code[1], 184);
    done(&r);
    /* aconst_null, astore_0: nobody has the object at the return. */
    m.code = (struct classmaker_part)PART(0x01, 0x4b, 0xb1);
    run_probe(&r, m, &probe);
    assert_null(r.result.bytes);
    done(&r);
    m.code = (struct classmaker_part)PART(0x01, 0xc4, 0x3a, 0x00, 0x00, 0xb1); /* wide astore 0 */
    run_probe(&r, m, &probe);
    assert_null(r.result.bytes);
    done(&r);
    run_probe(&r, (struct classmaker){.code = PART(0xb1), .name = "run"}, &probe);
    assert_null(r.result.bytes);
    done(&r);
}

/* Where the constants of a second tracker are, when the first has all three of its calls or two. */
enum {
    OUTER_ENTER = CAUGHT + 6,
    OUTER_EXIT = OUTER_ENTER + 4,
    OUTER_CAUGHT = OUTER_EXIT + 4,
    OUTER_PLAIN_ENTER = EXIT + 6,
    OUTER_PLAIN_EXIT = OUTER_PLAIN_ENTER + 4,
};

/* Two probes: P with number 7, and Q with number 1 and an int that is kept. */
static void run_two(struct run *r, struct classmaker m, uint32_t huge_bytes)
{
    struct instrument_probe inner = probe_with(7, INSTRUMENT_KEEP_HANDLERS);
    struct instrument_probe outer = probe_with(1, INSTRUMENT_KEEP_HANDLERS);
    outer.tracker = "Q";
    outer.kept = 'I';
    inner.huge_bytes = outer.huge_bytes = huge_bytes;
    run_probes(r, m, (const struct instrument_probe *[]){&inner, &outer}, 2);
}

static void a_later_probe_encloses_the_earlier_ones(void **state)
{
    (void)state;
    struct run r;
    run_two(&r, (struct classmaker){.code = PART(0xb1)}, 0);
    expect_code(&r, (struct classmaker_part)PART(4, CALL(OUTER_PLAIN_ENTER), PLAIN_ENTER, /* */
                                                 PLAIN_EXIT, 4, CALL(OUTER_PLAIN_EXIT), 0xb1));
    assert_int_equal(r.result.shares[0].rows->number, 7);
    assert_int_equal(r.result.shares[1].rows->number, 1);
    done(&r);
}

static void each_probe_keeps_a_local_and_repairs(void **state)
{
    (void)state;
    struct run r;
    /* 0: nop; 1: return; 2: athrow; range 0 to 1, handler 2 */
    run_two(&r,
            (struct classmaker){.max_stack = 1,
                                .code = PART(0, 0xb1, 0xbf),
                                .handlers = PART(0, 0, 0, 1, 0, 2, 0, 0),
                                .attributes = PART(0, CLASSMAKER_FRAMES, 0, 0, 0, 6, 0, 1, 66, 7, 0,
                                                   CLASSMAKER_SUPER),
                                .attribute_count = 1},
            0);
    expect_code(&r, (struct classmaker_part)PART(
                        4, CALL(OUTER_ENTER), 0x3d, PLAIN_ENTER, 0x3f,        /* 0, 5 */
                        0, 0x1e, CALL(EXIT), 0x1c, CALL(OUTER_EXIT), 0xb1,    /* 11 */
                        0x1c, CALL(OUTER_CAUGHT), 0x1e, CALL(CAUGHT), 0xbf)); /* 21, 25, 29 */
    /* An exception in one of the calls goes to what is behind it. */
    static const uint8_t handlers[] = {0, 21, 0, 25, 0, 25, 0, 0,  0, 25, 0, 29,
                                       0, 29, 0, 0,  0, 11, 0, 12, 0, 21, 0, 0};
    assert_int_equal(r.code.handler_count, 3);
    assert_memory_equal(r.code.handlers, handlers, sizeof(handlers));
    expect_attribute(&r, "StackMapTable",
                     (struct classmaker_part)PART(0, 3, 255, 0, 21, 0, 2, 4, 1, 0, 1, 7, 0,
                                                  CLASSMAKER_SUPER, 64 + 3, 7, 0, CLASSMAKER_SUPER,
                                                  64 + 3, 7, 0, CLASSMAKER_SUPER));
    assert_int_equal(r.code.max_stack, 3);
    assert_int_equal(r.code.max_locals, 3);
    done(&r);
}

static void a_probe_that_does_not_fit_leaves_the_method_to_the_others(void **state)
{
    (void)state;
    struct run r;
    run_two(&r, (struct classmaker){.code = PART(0xb1)}, 11); /* the first fits, both do not */
    expect_code(&r, (struct classmaker_part)PART(PLAIN_ENTER, PLAIN_EXIT, 0xb1));
    assert_int_equal(r.result.shares[0].rows->verdict, INSTRUMENT_INJECTED);
    assert_int_equal(r.result.shares[1].rows->verdict, INSTRUMENT_HUGE);
    assert_int_equal(r.result.shares[1].injected, 0);
    done(&r);
    run_two(&r, (struct classmaker){.code = PART(0xb1)}, 10); /* the second does, alone */
    expect_code(&r, (struct classmaker_part)PART(4, CALL(OUTER_PLAIN_ENTER), 4,
                                                 CALL(OUTER_PLAIN_EXIT), 0xb1));
    assert_int_equal(r.result.shares[0].rows->verdict, INSTRUMENT_HUGE);
    done(&r);
    run_two(&r, (struct classmaker){.code = PART(0xb1)}, 8);
    assert_null(r.result.bytes);
    done(&r);
}

static void the_outer_probe_is_told_of_an_object_first(void **state)
{
    (void)state;
    struct run r;
    struct instrument_probe inner = {
        .tracker = "P", .object = "object", .array = "array", .arrays = "arrays", .maybe = "maybe"};
    struct instrument_probe outer = inner;
    struct cpool_utf8 klass, name, desc;
    outer.tracker = "Q";
    /* iconst_3, newarray int, pop, return */
    run_probes(&r, (struct classmaker){.code = PART(6, 188, 10, 87, 0xb1), .max_stack = 1},
               (const struct instrument_probe *[]){&inner, &outer}, 2);
    assert_int_equal(r.code.max_stack, 2);
    assert_int_equal(r.code.len, 5 + 4 + 4);
    assert_true(cpool_method_at(&r.file.pool, be_2(r.code.code + 5), &klass, &name, &desc));
    assert_true(cpool_utf8_is(klass, "Q"));
    assert_true(cpool_method_at(&r.file.pool, be_2(r.code.code + 9), &klass, &name, &desc));
    assert_true(cpool_utf8_is(klass, "P"));
    done(&r);
}

static void more_probes_than_there_is_room_for_are_refused(void **state)
{
    (void)state;
    struct run r = {0};
    struct instrument_probe probe = probe_with(7, INSTRUMENT_KEEP_ALL);
    const struct instrument_probe *probes[INSTRUMENT_PROBES_MAX + 1];
    size_t len = classmaker_build(&(struct classmaker){.code = PART(0xb1), .major = 52}, input);
    arena_init(&r.arena, 1 << 20);
    for (int i = 0; i <= INSTRUMENT_PROBES_MAX; i++)
        probes[i] = &probe;
    assert_int_equal(
        instrument_class(probes, INSTRUMENT_PROBES_MAX, input, len, &r.arena, &r.result), 0);
    assert_int_equal(r.result.shares[INSTRUMENT_PROBES_MAX - 1].injected, 1);
    assert_int_equal(
        instrument_class(probes, INSTRUMENT_PROBES_MAX + 1, input, len, &r.arena, &r.result),
        E_LIMIT);
    done(&r);
}

static void every_verdict_has_its_text(void **state)
{
    (void)state;
    for (int v = 0; v < INSTRUMENT_VERDICT_COUNT; v++)
        assert_true(strlen(instrument_verdict_text((enum instrument_verdict)v)) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_method_gets_its_number_at_entry_and_return),
        cmocka_unit_test(numbers_take_the_shortest_push),
        cmocka_unit_test(a_jump_to_the_first_instruction_does_not_enter_again),
        cmocka_unit_test(a_jump_to_a_return_exits),
        cmocka_unit_test(a_method_with_a_handler_keeps_and_repairs),
        cmocka_unit_test(keeping_nothing_leaves_handlers_as_they_are),
        cmocka_unit_test(the_first_frame_of_a_constructor_that_keeps_is_whole),
        cmocka_unit_test(a_probe_that_keeps_may_be_given_the_arguments),
        cmocka_unit_test(a_method_gives_its_object_but_for_constructors),
        cmocka_unit_test(a_method_that_writes_its_arguments_does_not_give_them),
        cmocka_unit_test(a_monitorexit_gets_its_object_told_before),
        cmocka_unit_test(a_handler_that_covers_itself_is_left_alone),
        cmocka_unit_test(a_synchronized_method_tells_its_object_at_each_end),
        cmocka_unit_test(an_exception_that_leaves_a_method_is_told_with_the_kept_value),
        cmocka_unit_test(no_handler_is_put_around_a_constructor),
        cmocka_unit_test(a_static_synchronized_method_tells_its_class),
        cmocka_unit_test(what_gives_back_nothing_is_left_alone),
        cmocka_unit_test(a_first_frame_with_little_between_is_appended),
        cmocka_unit_test(switches_are_aligned_again),
        cmocka_unit_test(tables_follow_the_code),
        cmocka_unit_test(a_jump_that_still_reaches_stays_short),
        cmocka_unit_test(a_condition_without_frames_is_turned_round),
        cmocka_unit_test(a_jump_becomes_its_wide_form),
        cmocka_unit_test(a_condition_with_frames_goes_by_an_island),
        cmocka_unit_test(what_cannot_be_injected_is_left_alone_with_the_reason),
        cmocka_unit_test(annotations_of_the_vm_are_respected),
        cmocka_unit_test(code_that_no_vm_takes_is_left_alone),
        cmocka_unit_test(a_selector_decides_and_numbers),
        cmocka_unit_test(a_method_does_not_grow_out_of_the_compilers_reach),
        cmocka_unit_test(what_makes_an_array_tells_of_it),
        cmocka_unit_test(the_constructor_of_object_tells_of_every_object),
        cmocka_unit_test(a_constructor_hands_over_its_object_at_each_return),
        cmocka_unit_test(a_later_probe_encloses_the_earlier_ones),
        cmocka_unit_test(each_probe_keeps_a_local_and_repairs),
        cmocka_unit_test(a_probe_that_does_not_fit_leaves_the_method_to_the_others),
        cmocka_unit_test(the_outer_probe_is_told_of_an_object_first),
        cmocka_unit_test(more_probes_than_there_is_room_for_are_refused),
        cmocka_unit_test(every_verdict_has_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
