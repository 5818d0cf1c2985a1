/*
 * probe_probe_pair.c - which probes are a begin and an end, by their names and by choice.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_pair.h"
#include <string.h>
#include "base/err.h"
#include "probe/probe_sites.h"
#include "cmocka_all.h"

enum { MOST = 32 };

struct table {
    struct probe_sites sites;
    struct probe_site rows[MOST];
    bool chosen[MOST];
    struct probe_pairs pairs;
    const char *wrong;
};

/* "provider name offset" of each site; a * behind it: it is chosen. */
static void fill(struct table *t, const char *const (*rows)[3], uint32_t count)
{
    memset(t, 0, sizeof(*t));
    t->sites.rows = t->rows;
    for (uint32_t i = 0; i < count; i++) {
        struct probe_site *site = &t->rows[t->sites.count++];
        bool is_call = strncmp(rows[i][0], "uprobe:", 7) == 0,
             is_return = strncmp(rows[i][0], "uretprobe:", 10) == 0;
        *site = (struct probe_site){
            .at = {.provider = rows[i][0], .name = rows[i][1], .args = "", .offset = 100 + i},
            .kind = is_call     ? PROBE_SITE_ENTRY
                    : is_return ? PROBE_SITE_RETURN
                                : PROBE_SITE_NOTE,
            .asked = rows[i][2],
            .is_usable = true};
        if (is_call || is_return)
            site->at.offset = 1000 + (uint64_t)strlen(rows[i][1]);
    }
    probe_sites_sort(&t->sites);
    for (uint32_t i = 0; i < count; i++)
        t->chosen[i] = t->rows[i].asked[0] == '*';
}

static int find(struct table *t, const struct probe_pair_wish *wish)
{
    return probe_pair_find(&t->sites, wish, t->chosen, &t->pairs, &t->wrong);
}

static uint32_t site_of(const struct table *t, const char *provider, const char *name)
{
    return probe_sites_find(&t->sites, 0, provider, name);
}

static const struct probe_pair_wish by_names = {.by_names = true};

static void test_words_make_pairs_and_choose_the_other_half(void **state)
{
    static const char *const rows[][3] = {
        {"hotspot", "gc__begin", "*"},
        {"hotspot", "gc__end", ""},
        {"hotspot", "monitor__contended__enter", ""},
        {"hotspot", "monitor__contended__entered", "*"},
        {"hotspot", "monitor__contended__exit", ""},
        {"hotspot", "monitor__wait", "*"},
        {"hotspot", "monitor__waited", ""},
        {"hotspot", "class__loaded", "*"},
        {"python", "function__entry", ""},
        {"python", "function__return", "*"},
        {"libc", "lll_lock-start", "*"},
        {"libc", "lll_lock-done", ""},
    };
    struct table t;
    (void)state;
    fill(&t, rows, sizeof(rows) / sizeof(*rows));
    assert_int_equal(find(&t, &by_names), 0);
    assert_int_equal(t.pairs.count, 5);
    uint32_t gc = t.pairs.begins[site_of(&t, "hotspot", "gc__begin")];
    assert_int_not_equal(gc, 0);
    assert_int_equal(t.pairs.ends[site_of(&t, "hotspot", "gc__end")], gc);
    assert_string_equal(t.pairs.rows[gc - 1].name, "hotspot:gc__begin..end");
    assert_int_equal(t.pairs.rows[gc - 1].by, PROBE_OPEN_NESTED);
    assert_true(t.chosen[site_of(&t, "hotspot", "gc__end")]);
    uint32_t enter = t.pairs.ends[site_of(&t, "hotspot", "monitor__contended__entered")];
    assert_string_equal(t.pairs.rows[enter - 1].name, "hotspot:monitor__contended__enter..entered");
    assert_int_equal(t.pairs.rows[enter - 1].by, PROBE_OPEN_BY_KEYS);
    assert_int_equal(t.pairs.rows[enter - 1].fields, 2);
    assert_false(t.chosen[site_of(&t, "hotspot", "monitor__contended__exit")]);
    uint32_t wait = t.pairs.begins[site_of(&t, "hotspot", "monitor__wait")];
    assert_string_equal(t.pairs.rows[wait - 1].name, "hotspot:monitor__wait..waited");
    assert_true(probe_pair_is_alone(&t.pairs, site_of(&t, "hotspot", "class__loaded")));
    assert_true(t.chosen[site_of(&t, "python", "function__entry")]);
    assert_true(t.chosen[site_of(&t, "libc", "lll_lock-done")]);
    probe_pair_done(&t.pairs);
}

static void test_all_sites_of_a_name_are_in_its_pair(void **state)
{
    static const char *const rows[][3] = {
        {"p", "x_begin", "*"}, {"p", "x_begin", "*"}, {"p", "x_end", ""}, {"p", "x_end", ""}};
    struct table t;
    (void)state;
    fill(&t, rows, 4);
    t.rows[3].is_usable = false;
    assert_int_equal(find(&t, &by_names), 0);
    assert_int_equal(t.pairs.count, 1);
    assert_true(t.pairs.begins[0] == 1 && t.pairs.begins[1] == 1 && t.pairs.ends[2] == 1);
    assert_int_equal(t.pairs.ends[3], 0);
    assert_false(t.chosen[3]);
    probe_pair_done(&t.pairs);
}

static void test_without_a_pair_this_is_an_error(void **state)
{
    static const char *const rows[][3] = {{"p", "x_begin", "*"}, {"q", "x_end", "*"}};
    struct table t;
    (void)state;
    fill(&t, rows, 2);
    assert_int_equal(find(&t, &by_names), E_NOT_FOUND);
    assert_null(t.wrong);
    probe_pair_done(&t.pairs);
    assert_int_equal(find(&t, &(struct probe_pair_wish){.by_names = false}), 0);
    probe_pair_done(&t.pairs);
}

static void test_the_user_names_any_two(void **state)
{
    static const char *const rows[][3] = {{"p", "a", ""}, {"p", "b", ""}, {"q", "b", ""}};
    struct table t;
    (void)state;
    fill(&t, rows, 3);
    struct probe_pair_wish wish = {.named = {{"p:b", "q:b"}, {"q:b", "a"}}, .named_count = 2};
    assert_int_equal(find(&t, &wish), 0);
    uint32_t end = site_of(&t, "q", "b");
    assert_true(t.pairs.ends[end] == 1 && t.pairs.begins[end] == 2); /* an end, and a begin */
    assert_string_equal(t.pairs.rows[0].name, "p:b..q:b");
    probe_pair_done(&t.pairs);
    wish = (struct probe_pair_wish){.named = {{"a", "b"}}, .named_count = 1};
    assert_int_equal(find(&t, &wish), E_RANGE);
    assert_string_equal(t.wrong, "b");
    probe_pair_done(&t.pairs);
    wish = (struct probe_pair_wish){.named = {{"a", "c"}}, .named_count = 1};
    assert_int_equal(find(&t, &wish), E_NOT_FOUND);
    assert_string_equal(t.wrong, "c");
    probe_pair_done(&t.pairs);
}

static void test_a_call_and_its_return_are_a_pair(void **state)
{
    static const char *const rows[][3] = {{"uprobe:libc.so.6", "read", ""},
                                          {"uretprobe:libc.so.6", "read", "*"},
                                          {"uprobe:libc.so.6", "write", "*"},
                                          {"uretprobe:libc.so.6", "write", ""}};
    struct table t;
    (void)state;
    fill(&t, rows, 4);
    assert_int_equal(find(&t, &by_names), 0);
    assert_int_equal(t.pairs.count, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(t.pairs.rows[i].by, PROBE_OPEN_BY_RETURN);
    assert_string_equal(t.pairs.rows[0].name, "uprobe:libc.so.6:write..return");
    probe_pair_done(&t.pairs);
    /* with stacks, the calls of watched returns are watched unseen */
    fill(&t, rows, 4);
    assert_int_equal(find(&t, &(struct probe_pair_wish){.has_calls = true}), 0);
    uint32_t call = site_of(&t, "uprobe:libc.so.6", "read"),
             back = site_of(&t, "uretprobe:libc.so.6", "read");
    assert_int_equal(t.pairs.count, 1);
    assert_true(t.chosen[call] && !probe_pair_is_alone(&t.pairs, call));
    assert_true(probe_pair_is_alone(&t.pairs, back));
    probe_pair_done(&t.pairs);
}

static void test_the_comma_between_two_names(void **state)
{
    (void)state;
    assert_string_equal(probe_pair_comma("a,b"), ",b");
    assert_string_equal(probe_pair_comma("uprobe:c:w(fd:int,p),uretprobe:c:w(int)"),
                        ",uretprobe:c:w(int)");
    assert_null(probe_pair_comma("a"));
    assert_null(probe_pair_comma(",b"));
    assert_null(probe_pair_comma("a,"));
    assert_null(probe_pair_comma("a,b,c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_make_pairs_and_choose_the_other_half),
        cmocka_unit_test(test_all_sites_of_a_name_are_in_its_pair),
        cmocka_unit_test(test_without_a_pair_this_is_an_error),
        cmocka_unit_test(test_the_user_names_any_two),
        cmocka_unit_test(test_a_call_and_its_return_are_a_pair),
        cmocka_unit_test(test_the_comma_between_two_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
