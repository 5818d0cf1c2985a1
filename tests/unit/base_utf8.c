/* base_utf8.c - modified UTF-8 as UTF-8. SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"
#include <string.h>
#include "cmocka_all.h"

static void each_character_is_one_that_all_readers_take(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain;
    } texts[] = {
        {"a.b<c>", "a.b<c>"},
        {"\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xed\xa0\xbd\xed\xb8\x80", "\xf0\x9f\x98\x80"}, /* two surrogates */
        {"\xed\xa0\xbdx", "?x"},                          /* one */
        {"\xed\xb8\x80", "?"},
        {"\xed\xa0\xbd\xed\xa0\xbd", "??"},
        {"a\nb\033[m", "a?b?[m"},
        {"\xc0\x80", "?"},
        {"\xff\xe2\x82", "???"},
        {"\xe2\x80\xae", "?"}, /* right to left from here */
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const char *at = texts[i].text, *end = at + strlen(at);
        char plain[64];
        size_t len = 0, bytes;
        assert_int_equal(utf8_is_plain(at, strlen(at)), strcmp(at, texts[i].plain) == 0);
        for (; at < end; len += bytes)
            at += utf8_next(at, (size_t)(end - at), (unsigned char *)plain + len, &bytes);
        assert_ptr_equal(at, end);
        plain[len] = '\0';
        assert_string_equal(plain, texts[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_character_is_one_that_all_readers_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
