/*
 * attach_main_class.c - what a JVM is called by its command line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/main_class.h"
#include "cmocka_all.h"
#include <stdlib.h>
#include <string.h>

/* The name that a command line gives; words are parted by '|'. */
static char *named(const char *words, bool is_launcher)
{
    char line[256];
    size_t len = strlen(words) + 1;
    assert_true(len <= sizeof(line));
    memcpy(line, words, len);
    for (char *p = line; *p != '\0'; p++)
        if (*p == '|')
            *p = '\0';
    return main_class_of_line(line, len, is_launcher);
}

static void a_command_line_names_its_main_class_or_its_program(void **state)
{
    static const struct {
        const char *words, *name;
        bool is_launcher;
    } rows[] = {
        {"java|-cp|a.jar|-Xmx1g|x.Main|arg|-b", "x.Main arg -b", false},
        {"/opt/jdk/bin/java|--add-modules|ALL-SYSTEM|-jar|lib/x.jar|run", "lib/x.jar run", false},
        {"tomcat|-cp|a.jar|x.Main", "x.Main", true},
        /* Those of the JDK's tools are no options of java. */
        {"/opt/jdk/bin/javac|-d|out|A.java", "/opt/jdk/bin/javac -d out A.java", false},
        {"jcmd|4711|VM.version", "jcmd 4711 VM.version", false},
        {"/usr/bin/soffice.bin|--calc", "/usr/bin/soffice.bin --calc", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *name = named(rows[i].words, rows[i].is_launcher);
        assert_string_equal(name, rows[i].name);
        free(name);
    }
    assert_null(named("java|-version", false));
    assert_null(main_class_of_line("", 0, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_line_names_its_main_class_or_its_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
