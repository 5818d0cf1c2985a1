/*
 * command_redact_text.c - what is secret in a text is replaced, and nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/redact_text.h"
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/secret.h"
#include "cmocka_all.h"
#include "command/textbuf.h"

static const struct secret usual = {.keys = "", .arguments = ""};

static void becomes(const struct secret *s, const char *text, const char *expected, uint32_t count)
{
    struct textbuf t = {0};
    assert_int_equal(redact_text_put(s, text, strlen(text), &t), count);
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

static void a_value_behind_its_option_is_found_in_command_lines(void **state)
{
    (void)state;
    becomes(&usual, "jvm_args: -Xmx1g -Da.token=x -Dauthor=y\nother: --password z",
            "jvm_args: -Xmx1g [REDACTED] -Dauthor=[REDACTED]\nother: [REDACTED] z", 3);
    becomes(&usual, "java_command: com.acme.TokenServer --db-password tiger 8080\n",
            "java_command: com.acme.TokenServer [REDACTED] [REDACTED] 8080\n", 2);
    becomes(&usual, "java_command: com.acme.TokenServer\n", "java_command: com.acme.TokenServer\n",
            0);
    becomes(&usual, "jvm_args: ", "jvm_args: ", 0);
}

static void arguments_lose_their_secrets_and_the_main_class_stays(void **state)
{
    struct textbuf t = {0};
    (void)state;
    assert_int_equal(redact_text_arguments(&usual, "TokenMain --x --token=1  end", 9, &t), 1);
    textbuf_char(&t, '\0');
    assert_string_equal(t.bytes, "TokenMain --x [REDACTED] end");
    t.len = 0;
    assert_int_equal(redact_text_arguments(&usual, "TokenMain", 9, &t), 0);
    textbuf_char(&t, '\0');
    assert_string_equal(t.bytes, "TokenMain");
    textbuf_done(&t);
}

static void the_options_choose_what_is_secret(void **state)
{
    struct redact_text r = {0};
    (void)state;
    assert_true(secret_has_key(redact_text_secret(&r), "password"));
    assert_int_equal(redact_text_option(&r, "test", REDACT_TEXT_KEY, "+*pin"), 0);
    assert_true(secret_has_key(redact_text_secret(&r), "password"));
    assert_true(secret_has_key(redact_text_secret(&r), "card.pin"));
    assert_int_equal(redact_text_option(&r, "test", REDACT_TEXT_OFF, "all"), E_SYNTAX);
    assert_int_equal(redact_text_option(&r, "test", REDACT_TEXT_OFF, "none"), 0);
    assert_false(secret_has_key(redact_text_secret(&r), "card.pin"));
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
        cmocka_unit_test(a_value_behind_its_option_is_found_in_command_lines),
        cmocka_unit_test(arguments_lose_their_secrets_and_the_main_class_stays),
        cmocka_unit_test(the_options_choose_what_is_secret),
        cmocka_unit_test(other_text_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
