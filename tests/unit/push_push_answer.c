/* push_push_answer.c - what answers of a receiver mean. SPDX-License-Identifier: Apache-2.0 */
#include "push/push_answer.h"
#include "cmocka_all.h"
#include "push/push_setting.h"

static void an_answer_says_what_becomes_of_the_request(void **state)
{
    static const struct {
        long status;
        int can_retry;
        enum push_verdict verdict;
    } rows[] = {{200, 0, PUSH_TAKEN},     {204, 0, PUSH_TAKEN},   {301, 0, PUSH_REFUSED},
                {400, 0, PUSH_REFUSED},   {401, 0, PUSH_REFUSED}, {404, 0, PUSH_REFUSED},
                {413, 0, PUSH_TOO_LARGE}, {429, 0, PUSH_AGAIN},   {500, 0, PUSH_REFUSED},
                {502, 0, PUSH_AGAIN},     {503, 0, PUSH_AGAIN},   {504, 0, PUSH_AGAIN},
                {0, 1, PUSH_AGAIN},       {0, 0, PUSH_REFUSED}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct push_answer a = {.status = rows[i].status, .can_retry = rows[i].can_retry};
        assert_int_equal(push_answer_verdict(&a), rows[i].verdict);
    }
}

static void retry_after_is_seconds_or_a_date(void **state)
{
    (void)state;
    assert_int_equal(push_answer_retry_after(" 7 ", 0), 7);
    assert_int_equal(push_answer_retry_after("0", 0), 0);
    assert_int_equal(push_answer_retry_after("99999999999999999999", 0), 24 * 3600);
    assert_int_equal(push_answer_retry_after("7 days", 0), -1);
    assert_int_equal(push_answer_retry_after("-7", 0), -1);
    assert_int_equal(push_answer_retry_after("", 0), -1);
    assert_int_equal(push_answer_retry_after("Thu, 01 Jan 1970 00:01:40 GMT", 40), 60);
    assert_int_equal(push_answer_retry_after("Thu, 01 Jan 1970 00:00:10 GMT", 40), 0);
}

static void a_partial_success_has_a_count_and_clean_words(void **state)
{
    static const unsigned char body[] = "\x0a\x0b\x08\x03\x12\x07too\nold";
    static const unsigned char huge[] = "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    char words[PUSH_ANSWER_WORDS];
    (void)state;
    assert_int_equal(push_answer_rejected(body, sizeof(body) - 1, words), 3);
    assert_string_equal(words, "too old");
    assert_int_equal(push_answer_rejected(huge, sizeof(huge) - 1, words), 0);
    assert_int_equal(push_answer_rejected(body, 0, words), 0);
    assert_string_equal(words, "");
    push_answer_words((const unsigned char *)"<b>\x1b[31m\xc3\xa4", 10, words);
    assert_string_equal(words, "<b>?[31m??");
}

static void a_header_has_a_name_and_no_control_characters(void **state)
{
    char text[] = "Bearer%20a%2gb%00";
    (void)state;
    assert_true(push_setting_is_header("Authorization: Bearer x"));
    assert_false(push_setting_is_header("Authorization Bearer x"));
    assert_false(push_setting_is_header(": x"));
    assert_false(push_setting_is_header("A: b\r\nC: d"));
    push_setting_decode(text);
    assert_string_equal(text, "Bearer a%2gb%00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_says_what_becomes_of_the_request),
        cmocka_unit_test(retry_after_is_seconds_or_a_date),
        cmocka_unit_test(a_partial_success_has_a_count_and_clean_words),
        cmocka_unit_test(a_header_has_a_name_and_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
