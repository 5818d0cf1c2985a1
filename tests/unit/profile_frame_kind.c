/* profile_frame_kind.c - the words of frames. SPDX-License-Identifier: Apache-2.0 */
#include "profile/frame_kind.h"
#include <string.h>
#include "cmocka_all.h"

static void each_word_names_its_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < FRAME_KINDS; kind++) {
        const char *word = frame_kind_word((enum frame_kind)kind);
        assert_int_equal(frame_kind_named(word, strlen(word)), kind);
        assert_int_equal(frame_kind_named(word, strlen(word) - 1), FRAME_KINDS);
    }
    assert_int_equal(frame_kind_named("", 0), FRAME_KINDS);
    assert_int_equal(frame_kind_named("Java", 4), FRAME_KINDS);
}

static void how_it_ran_is_told_of_java_alone(void **state)
{
    (void)state;
    assert_true(frame_kind_is_java(FRAME_JAVA) && frame_kind_is_java(FRAME_INLINED));
    assert_false(frame_kind_is_java(FRAME_NATIVE) || frame_kind_is_java(FRAME_KERNEL));
    assert_int_equal(frame_kind_plain(FRAME_C2), FRAME_JAVA);
    assert_int_equal(frame_kind_plain(FRAME_KERNEL), FRAME_KERNEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_names_its_kind),
        cmocka_unit_test(how_it_ran_is_told_of_java_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
