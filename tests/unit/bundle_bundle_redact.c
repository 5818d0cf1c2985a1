/*
 * bundle_bundle_redact.c - what is secret in a text of an archive is replaced, and nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bundle/bundle_redact.h"
#include <stdlib.h>
#include <string.h>
#include "base/secret.h"
#include "cmocka_all.h"
#include "command/textbuf.h"

static const struct secret usual = {.keys = "", .arguments = ""};

static void becomes(const struct secret *s, const char *text, const char *expected, uint32_t count)
{
    struct textbuf t = {0};
    assert_int_equal(bundle_redact_text(s, text, strlen(text), &t), count);
    textbuf_char(&t, '\0');
    assert_string_equal(t.bytes, expected);
    textbuf_done(&t);
}

static void values_of_secret_keys_are_replaced(void **state)
{
    (void)state;
    becomes(&usual, "db.password=tiger\nuser=scott\n", "db.password=[REDACTED]\nuser=scott\n", 1);
    becomes(&usual, "  token: abc def", "  token: [REDACTED]", 1);
    becomes(&usual, "java -Ddb.password=tiger -Dx=1  Main",
            "java -Ddb.password=[REDACTED] -Dx=1  Main", 1);
    becomes(&usual, "api_token =\tx y\nlast", "api_token =[REDACTED]\nlast", 1);
}

static void other_text_stays(void **state)
{
    (void)state;
    static const char text[] =
        "\"main\" #1 prio=5\n\tat A.password(A.java:1)\n\n  = : \npassword\n==\na=b\r\n";
    becomes(&usual, text, text, 0);
    becomes(&(struct secret){.keys = "none", .arguments = "none"}, "password=x", "password=x", 0);
    becomes(&usual, "", "", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_secret_keys_are_replaced),
        cmocka_unit_test(other_text_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
