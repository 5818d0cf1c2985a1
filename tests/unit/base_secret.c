/* base_secret.c - which arguments and values are not told. SPDX-License-Identifier: Apache-2.0 */
#include "base/secret.h"
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

static void a_key_is_secret_by_its_name(void **state)
{
    static const struct {
        const char *list, *key;
        bool is_secret;
    } rows[] = {
        {NULL, "javax.net.ssl.keyStorePassword", true},
        {"", "DB_PASSWD", true},
        {"", "PWD", true},
        {"", "x.api.key", true},
        {"", "APIKEY", true},
        {"", "my.private_key", true},
        {"", "java.security.auth.login.config", true},
        {"", "author", true},
        {"", "java.class.path", false},
        {"", "key", false},
        {"none", "password", false},
        {"*pin*", "password", false},
        {"*pin*", "card.PIN", true},
        {"+*pin*", "password", true},
        {"+a;*pin*;b", "card.pin", true},
        {"+a;*pin*;b", "b", true},
        {"+a;*pin*;b", "c", false},
        {"+;", "c", false},
        {"?b", "ab", true},
        {"?b", "b", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct secret s = {.keys = rows[i].list};
        if (secret_has_key(&s, rows[i].key) != rows[i].is_secret)
            fail_msg("%s in %s", rows[i].key, rows[i].list);
    }
}

/* A '|' is the NUL between two words. What JDK 27 tells of the same arguments is the second text.
 */
static void an_argument_is_secret_by_its_look(void **state)
{
    static const struct {
        const char *list, *words, *told;
    } rows[] = {
        {"", "P|a|b", "P a b"},
        {"", "P|--password|hunter2|x", "P [REDACTED] [REDACTED] x"},
        {"", "P|--password", "P [REDACTED]"},
        {"", "P|--db-password|two words|x", "P [REDACTED] [REDACTED] x"},
        {"", "P|--token=two words|x", "P [REDACTED] x"},
        {"", "P|--auth|a|password|b", "P --auth a [REDACTED] b"},
        {"", "P|--my-api-key|--token|x", "P [REDACTED] [REDACTED] x"},
        {"", "-Xmx1g|-Dauth=a|-Da.TOKEN=b|-Dx=y", "-Xmx1g -Dauth=[REDACTED] [REDACTED] -Dx=y"},
        {"", "-Dx=my-secret", "[REDACTED]"},
        {"", "-javaagent:x.jar=apikey=1||z", "[REDACTED]  z"},
        {"none", "--password|x|-Dauth=a", "--password x -Dauth=[REDACTED]"},
        {"--pin*", "--pin=1|--password|x", "[REDACTED] --password x"},
        {"+--pin*", "--pin=1|--password|x", "[REDACTED] [REDACTED] [REDACTED]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct secret s = {.arguments = rows[i].list};
        size_t len = strlen(rows[i].words) + 1;
        char *words = strdup(rows[i].words);
        assert_non_null(words);
        for (size_t at = 0; at < len; at++)
            words[at] = words[at] == '|' ? '\0' : words[at];
        char *told = malloc(secret_room(words, len));

        assert_non_null(told);
        assert_int_equal(secret_join(&s, words, len, told), strlen(rows[i].told));
        assert_string_equal(told, rows[i].told);
        free(told);
        free(words);
    }
}

static void a_text_is_split_at_its_blanks(void **state)
{
    static const struct {
        const char *text, *words;
        size_t len;
    } rows[] = {{"", "", 0},
                {" ", "", 0},
                {"a", "a", 2},
                {"a b", "a\0b", 4},
                {"  a\t\nbc ", "a\0bc", 5},
                {"ab ", "ab", 3}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = strdup(rows[i].text);
        assert_non_null(text);
        assert_int_equal(secret_split(text), rows[i].len);
        assert_memory_equal(text, rows[i].words, rows[i].len);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_secret_by_its_name),
        cmocka_unit_test(an_argument_is_secret_by_its_look),
        cmocka_unit_test(a_text_is_split_at_its_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
