/*
 * classfile_classwrite.c - class files made from nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/classwrite.h"
#include <string.h>
#include "base/arena.h"
#include "classfile/annotation.h"
#include "classfile/classfile.h"
#include "cmocka_all.h"

enum { ACC_STATIC = 8, OP_RETURN = 177 };

static void what_is_written_can_be_read(void **state)
{
    static const char mark[] = "Ljdk/internal/vm/annotation/IntrinsicCandidate;";
    struct classfile file;
    struct classwrite w;
    struct arena a;
    const uint8_t *bytes;
    size_t len, error_at;
    arena_init(&a, 1 << 20);
    classwrite_begin(&w, &a, "java/lang/Made", 49);
    uint16_t before = classwrite_long(&w, INT64_C(-2));
    uint16_t after = classwrite_utf8(&w, "behind");
    assert_int_equal(after, before + 2);
    classwrite_field(&w, ACC_STATIC, "field", "I");
    outbuf_u1(&w.code, OP_RETURN);
    classwrite_method(&w, ACC_STATIC, "empty", "()V", 1, 2, mark);
    outbuf_u1(&w.code, OP_RETURN);
    classwrite_method(&w, ACC_STATIC, "plain", "(J)V", 3, 4, NULL);
    classwrite_native(&w, "outside", "()J");
    assert_int_equal(classwrite_end(&w, &bytes, &len), 0);

    assert_int_equal(classfile_read(&file, bytes, len, &a, &error_at), 0);
    assert_true(cpool_utf8_is(file.name, "java/lang/Made"));
    assert_true(cpool_utf8_is(file.super, "java/lang/Object"));
    assert_int_equal(file.major, 49);
    assert_int_equal(cpool_tag_of(&file.pool, before), CPOOL_LONG);
    assert_int_equal(file.method_count, 3);
    assert_true(cpool_utf8_is(file.methods[0].name, "empty"));
    assert_int_equal(file.methods[0].code_len, 12 + 1);
    assert_int_equal(
        annotation_flags(&file.pool, file.methods[0].annotations, file.methods[0].annotations_len),
        ANNOTATION_INTRINSIC);
    assert_null(file.methods[1].annotations);
    assert_int_equal(file.methods[2].access & CLASSFILE_NATIVE, CLASSFILE_NATIVE);
    assert_int_equal(file.methods[2].code_at, 0);
    assert_int_equal(classfile_source_name(&file).len, 0);
    arena_done(&a);
}

static void no_memory_is_an_error(void **state)
{
    struct classwrite w;
    struct arena a;
    const uint8_t *bytes;
    size_t len;
    arena_init(&a, 0);
    classwrite_begin(&w, &a, "A", 49);
    classwrite_native(&w, "outside", "()J");
    assert_int_not_equal(classwrite_end(&w, &bytes, &len), 0);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
