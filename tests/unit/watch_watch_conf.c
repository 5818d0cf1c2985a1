/*
 * watch_watch_conf.c - the configuration of `hprof watch`: what it takes, what it refuses, and
 * which rule fits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_conf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command/cmd.h"
#include "safe/clock.h"
#include "watch/watch_labels.h"
#include "cmocka_all.h"
#include "testfile.h"

#define LEAST "spool /s\nattach name=*\n"

static const struct opt no_options[] = {{0}};
static const struct cmd watcher = {.name = "watch", .options = no_options};

static int parse(struct watch_conf *c, const char *text)
{
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(in);
    int error = watch_conf_parse(c, &watcher, in, "w.conf");
    fclose(in);
    return error;
}

static void all_settings_are_taken(void **state)
{
    (void)state;
    struct watch_conf c;
    assert_int_equal(parse(&c,
                           "# a comment\n\n push http://c:4318 \npush-to otlp\nheader @/k\n"
                           "compression none\ntimeout 3s\nmax-request 1m\nspool /s\n"
                           "spool-size 2m\nlabel a.b=c d\nevent cpu,lock\ninterval 50ms\n"
                           "lock 20ms\nrotate 30s\nlease 2min\nscan 5s\nmin-age 0\nbudget 2.5%\n"
                           "metrics 127.0.0.1:9404\nagent-option mem=8m\n"
                           "attach name=shop user=app\nskip name=*\n"),
                     0);
    assert_string_equal(c.push.url, "http://c:4318");
    assert_int_equal(c.push.header_file_count, 1);
    assert_string_equal(c.push.header_files[0], "/k");
    assert_string_equal(c.push.compression, "none");
    assert_int_equal(c.push.max_bytes, 1 << 20);
    assert_int_equal(c.spool_bytes, 2 << 20);
    assert_int_equal(c.rotate_ns, UINT64_C(30) * NS_PER_S);
    assert_int_equal(c.age_ns, 0);
    assert_true(c.budget > 0.0249 && c.budget < 0.0251);
    assert_string_equal(c.labels[0].value, "c d");
    assert_int_equal(c.rule_count, 2);
    assert_true(c.rules[0].is_attach && !c.rules[1].is_attach);
    assert_int_equal(c.rules[0].count, 2);
    assert_int_equal(c.rules[0].line, 22);
    watch_conf_done(&c);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "spool /s\n",
        "attach name=*\n",
        LEAST "attach\n",
        LEAST "attach name\n",
        LEAST "attach name=\n",
        LEAST "attach colour=red\n",
        LEAST "attach label:=x\n",
        LEAST "colour red\n",
        LEAST "push\n",
        LEAST "header Authorization: x\n",
        LEAST "compression zip\n",
        LEAST "spool relative\n",
        LEAST "spool-size 1k\n",
        LEAST "budget 1\n",
        LEAST "budget 0%\n",
        LEAST "budget nan%\n",
        LEAST "budget 101%\n",
        LEAST "rotate 0\n",
        LEAST "rotate 5min\n", /* the lease is shorter than three of them */
        LEAST "interval 10us\n",
        LEAST "alloc 1g\n",
        LEAST "event colour\n",
        LEAST "event cpu,lock=\n",
        LEAST "label x\n",
        LEAST "label a b=c\n",
        LEAST "metrics 0.0.0.0:9404\n",
        LEAST "metrics nowhere\n",
        LEAST "agent-option colour=red\n",
        LEAST "agent-option depth\n",
        LEAST "push-to somewhere\n",
    };
    struct watch_conf c;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        if (parse(&c, texts[i]) >= 0)
            fail_msg("taken: %s", texts[i]);
        watch_conf_done(&c);
    }
    assert_int_equal(parse(&c, LEAST), 0);
    watch_conf_done(&c);
}

static void the_first_rule_that_fits_decides(void **state)
{
    (void)state;
    struct watch_conf c;
    struct watch_labels labels = {.count = 0};
    watch_labels_set(&labels, "service.name", "checkout");
    assert_int_equal(parse(&c, "spool /s\n"
                               "skip user=jenkins\n"
                               "attach cgroup=*/kubepods/* label:service.name=check*\n"
                               "skip name=org.gradle.*\n"
                               "attach name=Main\n"
                               "attach user=1234\n"),
                     0);
    const struct {
        struct watch_conf_facts facts;
        unsigned line; /* 0: none fits */
    } rows[] = {
        {{"acme.Main x", "jenkins", 7, "0::/a\n", &labels}, 2},
        {{"acme.Main x", "app", 7, "0::/kubepods/pod1/c\n", &labels}, 3},
        {{"acme.Main x", "app", 7, "1:cpu:/a\n0::/kubepods/pod1/c", &labels}, 3},
        {{"org.gradle.Daemon", "app", 7, "", &labels}, 4},
        {{"acme.Main x", "app", 7, "0::/kubepods\n", &labels}, 5},
        {{"/opt/Main.jar", "app", 7, "", &labels}, 0},
        {{NULL, "", 1234, "nonsense\n:\n", &labels}, 6},
        {{NULL, "", 12345, "::\n", &labels}, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct watch_conf_rule *rule = watch_conf_rule_for(&c, &rows[i].facts);
        if ((rule ? rule->line : 0) != rows[i].line)
            fail_msg("row %zu: line %u", i, rule ? rule->line : 0);
    }
    watch_conf_done(&c);
}

static void each_level_takes_half_as_many(void **state)
{
    (void)state;
    struct watch_conf c, other;
    assert_int_equal(parse(&c, LEAST), 0);
    char *words = watch_conf_words(&c, 0), *thinned = watch_conf_words(&c, 2);
    assert_string_equal(words, "event=cpu+alloc+lock,depth=512,interval=20000us,alloc=524288,"
                               "allocrate=100/s,lock=10000us");
    assert_string_equal(thinned, "event=cpu+alloc+lock,depth=512,interval=80000us,alloc=2097152,"
                                 "allocrate=25/s,lock=40000us");
    free(words);
    free(thinned);
    assert_int_equal(parse(&other, LEAST "event cpu\n"), 0);
    words = watch_conf_words(&other, 0);
    assert_string_equal(words, "event=cpu,depth=512,interval=20000us");
    free(words);
    assert_false(watch_conf_records_alike(&c, &other));
    assert_true(watch_conf_records_alike(&c, &c));
    watch_conf_done(&other);
    watch_conf_done(&c);
}

static void a_file_that_others_can_write_is_not_read(void **state)
{
    (void)state;
    char top[] = "/tmp/hprof-watch.XXXXXX", path[64];
    struct watch_conf c;
    assert_non_null(mkdtemp(top));
    testfile_put(top, "w.conf", LEAST);
    snprintf(path, sizeof(path), "%s/w.conf", top);
    const struct {
        mode_t mode;
        int is_read;
    } rows[] = {{0644, 1}, {0600, 1}, {0664, 0}, {0646, 0}, {0666, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_int_equal(chmod(path, rows[i].mode), 0);
        assert_int_equal(watch_conf_open(&c, &watcher, path) == 0, rows[i].is_read);
        watch_conf_done(&c);
    }
    assert_true(watch_conf_open(&c, &watcher, top) < 0); /* a folder */
    watch_conf_done(&c);
    assert_true(watch_conf_open(&c, &watcher, "/nowhere/w.conf") < 0);
    watch_conf_done(&c);
    testfile_remove_folder(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_settings_are_taken),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(the_first_rule_that_fits_decides),
        cmocka_unit_test(each_level_takes_half_as_many),
        cmocka_unit_test(a_file_that_others_can_write_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
