/* elf_kallsyms.c - names of the kernel's functions. SPDX-License-Identifier: Apache-2.0 */
#include "elf/kallsyms.h"
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"

static struct kallsyms symbols;
static char *text_of_symbols;

/* Symbols and their text are the reader's for ever, but for the test, which reads several. */
static void forget(void)
{
    if (symbols.count > 0)
        free(text_of_symbols);
    free(symbols.list);
    symbols = (struct kallsyms){0};
}

static void parse(const char *text)
{
    forget();
    text_of_symbols = strdup(text);
    kallsyms_parse(text_of_symbols, &symbols);
}

static void expect(uint64_t address, const char *name, const char *module)
{
    const struct kallsyms_symbol *s = kallsyms_at(&symbols, address);
    if (!name) {
        assert_null(s);
        return;
    }
    assert_non_null(s);
    assert_string_equal(s->name, name);
    if (module)
        assert_string_equal(s->module, module);
    else
        assert_null(s->module);
}

static void a_function_holds_what_follows_it(void **state)
{
    (void)state;
    parse("ffffffff81000100 T second\n"
          "ffffffff81000000 T first\n"
          "ffffffffc0000000 t helper\t[driver]\n");
    expect(0xffffffff80ffffff, NULL, NULL);
    expect(0xffffffff81000000, "first", NULL);
    expect(0xffffffff810000ff, "first", NULL);
    expect(0xffffffff81000100, "second", NULL);
    expect(0xffffffffc0000123, "helper", "driver");
}

static void data_and_marks_end_a_function_and_are_none(void **state)
{
    (void)state;
    parse("ffffffff81000000 T last\n"
          "ffffffff81000100 T _etext\n"
          "ffffffff81000200 D table\n");
    expect(0xffffffff81000010, "last", NULL);
    expect(0xffffffff81000110, NULL, NULL);
    expect(0xffffffff81000210, NULL, NULL);
}

static void of_several_names_one_is_the_answer(void **state)
{
    (void)state;
    parse("ffffffff81000000 T __longer_name\n"
          "ffffffff81000000 T name\n"
          "ffffffff81000000 T nama\n");
    expect(0xffffffff81000000, "nama", NULL);
}

static void zeros_and_other_lines_are_no_symbols(void **state)
{
    (void)state;
    parse("0000000000000000 T hidden\n\nno line\nffffffff81000000\n");
    assert_int_equal(symbols.count, 0);
    expect(0xffffffff81000000, NULL, NULL);
    forget();
    kallsyms_read("/no/such/file", &symbols);
    assert_int_equal(symbols.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_holds_what_follows_it),
        cmocka_unit_test(data_and_marks_end_a_function_and_are_none),
        cmocka_unit_test(of_several_names_one_is_the_answer),
        cmocka_unit_test(zeros_and_other_lines_are_no_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
