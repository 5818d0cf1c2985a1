/*
 * cli_jfc_choice.c - what the choices in .jfc files change, and how the files are written again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfc_choice.h"
#include "cmocka_all.h"
#include <string.h>
#include "base/err.h"
#include "command/textbuf.h"

static struct jfc_tree tree;

static void read_more(const char *text)
{
    struct jfc_tree_error error;
    if (jfc_tree_read(&tree, text, strlen(text), &error) != 0)
        fail_msg("line %u: %s", error.line, error.reason);
}

static int begin(void **state)
{
    (void)state;
    return jfc_tree_init(&tree);
}

static int end(void **state)
{
    (void)state;
    jfc_tree_done(&tree);
    return 0;
}

/* The content of the first setting of that name. */
static const char *setting(const char *name)
{
    struct jfc_element *s = NULL;
    while ((s = jfc_tree_next(tree.root, s, JFC_TREE_SETTING)) != NULL)
        if (strcmp(jfc_tree_attribute(s, "name"), name) == 0)
            return s->content;
    return NULL;
}

static int choose(const char *name, const char *value)
{
    char why[128];
    return jfc_choice_set(&tree, name, value, why, sizeof(why));
}

static const char document[] =
    "<configuration version='2.0' label='x'><event name='E'>"
    "<setting name='on' control='any'>by hand</setting><setting name='both' control='all'/>"
    "<setting name='not' control='none'/><setting name='far' control='indirect'/>"
    "<setting name='kept' control='flag'>hand</setting><setting name='rate' control='s'/>"
    "<setting name='half' control='half'>stays</setting></event><control>"
    "<selection name='s' label='S' default='b'><option name='a' label='A'>1/s</option>"
    "<option name='b' label='B'>2/s</option></selection><flag name='flag' label='F'>false</flag>"
    "<condition name='any' true='yes' false='no'><or><test name='s' operator='equal' value='1/s'/>"
    "<test name='s' operator='equal' value='3/s'/></or></condition>"
    "<condition name='all' true='yes' false='no'><and><test name='s' operator='equal' value='1/s'/>"
    "<test name='flag' operator='equal' value='true'/></and></condition>"
    "<condition name='none' true='yes' false='no'><not><test name='s' operator='equal' "
    "value='1/s'/></not></condition>"
    "<condition name='half' true='yes'><test name='s' operator='equal' value='3/s'/></condition>"
    "<condition name='indirect' true='yes' false='no'><test name='any' operator='equal' "
    "value='yes'/></condition></control></configuration>";

static void settings_follow_the_controls_that_govern_them(void **state)
{
    (void)state;
    read_more(document);
    assert_int_equal(choose("s", "a"), 0);
    assert_string_equal(setting("rate"), "1/s");
    assert_string_equal(setting("on"), "yes");
    assert_string_equal(setting("both"), "no");
    assert_string_equal(setting("not"), "no");
    assert_string_equal(setting("far"), "yes");
    assert_string_equal(setting("half"), "stays"); /* neither true nor false has a value */
    assert_int_equal(choose("s", "b"), 0);
    assert_string_equal(setting("on"), "no");
    assert_string_equal(setting("not"), "yes");
    assert_string_equal(setting("far"), "no");
}

static void settings_that_do_not_depend_on_a_choice_stay(void **state)
{
    (void)state;
    read_more(document);
    assert_int_equal(choose("flag", "true"), 0);
    assert_string_equal(setting("on"), "by hand");
    assert_string_equal(setting("both"), "no");
    assert_string_equal(setting("kept"), "true");
}

static void controls_of_one_document_do_not_govern_another(void **state)
{
    (void)state;
    read_more(document);
    read_more("<configuration version='2.0' label='y'><event name='F'>"
              "<setting name='other' control='s'>mine</setting></event></configuration>");
    assert_int_equal(choose("s", "a"), 0);
    assert_string_equal(setting("other"), "mine");
    assert_null(jfc_choice_twice(&tree));
    read_more(document);
    assert_string_equal(jfc_choice_twice(&tree), "s");
}

/* Each condition asks the next one twice: without a bound this takes 2^40 steps. */
static void conditions_that_ask_each_other_end(void **state)
{
    struct textbuf text = {0};
    (void)state;
    textbuf_text(&text, "<configuration version='2.0' label='x'><event name='E'><setting name='a' "
                        "control='c0'/></event><control><flag name='f' label='F'>true</flag>");
    for (int i = 0; i < 40; i++)
        textbuf_printf(&text,
                       "<condition name='c%d' true='y' false='y'><and>"
                       "<test name='c%d' operator='equal' value='n'/>"
                       "<test name='c%d' operator='equal' value='n'/></and></condition>",
                       i, i + 1, i + 1);
    textbuf_text(&text, "</control></configuration>");
    textbuf_char(&text, '\0');
    read_more(text.bytes);
    assert_int_equal(choose("f", "false"), E_SYNTAX);
    textbuf_done(&text);
}

static void what_is_written_can_be_read_and_is_the_same(void **state)
{
    struct textbuf first = {0}, second = {0};
    (void)state;
    read_more("<configuration version='2.0' label='a &lt; \"b\" &#8364; \xf0\x9f\x98\x80'>"
              "<Event name='E'><setting name='x'>&amp;&#x41;</setting><own><a/>t</own></Event>"
              "</configuration>");
    assert_int_equal(jfc_tree_set_attribute(&tree, tree.root, "version", "2.0"), 0);
    assert_int_equal(jfc_tree_set_attribute(&tree, tree.root, "label", "\xe2\x82\xac'"), 0);
    jfc_tree_write(&tree, &first);
    textbuf_char(&first, '\0');
    assert_non_null(strstr(first.bytes, "<configuration label=\"&#8364;&apos;\" version=\"2.0\">\n"
                                        "\n  <event name=\"E\">\n"
                                        "    <setting name=\"x\">&amp;A</setting>\n"));
    jfc_tree_done(&tree);
    assert_int_equal(jfc_tree_init(&tree), 0);
    read_more(first.bytes);
    assert_int_equal(jfc_tree_set_attribute(&tree, tree.root, "version", "2.0"), 0);
    assert_int_equal(jfc_tree_set_attribute(&tree, tree.root, "label", "\xe2\x82\xac'"), 0);
    jfc_tree_write(&tree, &second);
    textbuf_char(&second, '\0');
    assert_string_equal(second.bytes, first.bytes);
    textbuf_done(&first);
    textbuf_done(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(settings_follow_the_controls_that_govern_them, begin, end),
        cmocka_unit_test_setup_teardown(settings_that_do_not_depend_on_a_choice_stay, begin, end),
        cmocka_unit_test_setup_teardown(controls_of_one_document_do_not_govern_another, begin, end),
        cmocka_unit_test_setup_teardown(conditions_that_ask_each_other_end, begin, end),
        cmocka_unit_test_setup_teardown(what_is_written_can_be_read_and_is_the_same, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
