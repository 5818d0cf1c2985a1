/* cli_jfr_redact.c - secrets within texts of a recording. SPDX-License-Identifier: Apache-2.0 */
#include "jfrtool/jfr_redact.h"
#include "cmocka_all.h"

static void a_value_is_left_out_wherever_its_name_is(void **state)
{
    static const struct {
        const char *text, *shown; /* NULL: it stays */
    } rows[] = {
        {"-Xmx1g -Dkey=secret -Dother=b", "-Xmx1g -Dkey=(redacted) -Dother=b"},
        {"--key=secret", "--key=(redacted)"},
        {"-key=two words -x", "-key=(redacted) -x"},
        {"-Dkey=a-b - c -Dkey=d", "-Dkey=(redacted) - c -Dkey=(redacted)"},
        {"key='se cret' -x=1", "key=(redacted) -x=1"},
        {"key=\"open", "key=(redacted)"},
        {"jdbc:x;user=a;key=b", "jdbc:x;user=a;key=(redacted)"},
        {"http://a/?b=c&key=d#e", "http://a/?b=c&key=(redacted)"},
        {"-javaagent:x.jar=key=v", "-javaagent:x.jar=key=(redacted)"},
        {"-XX:key=v", "-XX:key=(redacted)"},
        {"key=\nkey=b\nc", "key=\nkey=(redacted)\nc"},
        {"-Dkeys=a -Dmy.key=b =c key", NULL},
        {"key =a", NULL},
        {"key=", NULL},
        {"", NULL},
    };
    struct textbuf to = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(jfr_redact_arguments("no,key", rows[i].text, &to), rows[i].shown != NULL);
        if (rows[i].shown)
            assert_string_equal(to.bytes, rows[i].shown);
    }
    assert_true(jfr_redact_arguments("*pass*", "-Da.password.b=c", &to));
    assert_string_equal(to.bytes, "-Da.password.b=(redacted)");
    textbuf_done(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_left_out_wherever_its_name_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
