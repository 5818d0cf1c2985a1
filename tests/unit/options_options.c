/*
 * options_options.c - what the original agent said to odd option strings, and the options that are
 * new.
 *
 * golden-corpus/option_errors.txt and option_words.txt are its recorded answers; tests/jdk starts
 * JVMs with a handful of them. SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "options/options_group.h"
#include "options/options_parse.h"
#include "options/options_alloc.h"
#include "options/options_allocsample.h"
#include "options/options_ask.h"
#include "options/options_cpu.h"
#include "options/options_heapdump.h"
#include "options/options_histo.h"
#include "options/options_lock.h"
#include "options/options_monitor.h"
#include "options/options_sites.h"
#include "options/options_testing.h"
#include "options/options_times.h"
#include "options/options_wall.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testfile.h"

static struct options options;
static struct options_error why;

static const char *parse(const char *line, const char *environment)
{
    int error;
    options_done(&options);
    error = options_parse(line, environment, &options, &why);

    assert_int_equal(error != 0, why.text[0] != '\0');
    return why.text;
}

static bool wants(const struct options_group *group)
{
    return options_group_wanted(&options, group);
}

/* `from` with each `c{N}` written as N times c; free() it. */
static char *expanded(const char *from)
{
    enum { ROOM = 2 * OPTIONS_VALUE };
    char *text = malloc(ROOM), *end;
    size_t n = 0;
    assert_non_null(text);
    for (; *from; from++) {
        size_t times = from[1] == '{' ? strtoul(from + 2, &end, 10) : 1;
        assert_true(n + times < ROOM);
        memset(text + n, *from, times);
        n += times;
        if (from[1] == '{')
            from = end;
    }
    text[n] = '\0';
    return text;
}

/* status TAB words TAB command line [TAB environment] */
static void assert_answer(char *row)
{
    const char *status = strsep(&row, "\t"), *words = strsep(&row, "\t");
    char *line = expanded(strsep(&row, "\t")), *environment = row ? expanded(row) : NULL;
    if (strcmp(parse(line, environment), words) != 0)
        fail_msg("'%s' '%s': '%s' and not '%s'", line, environment ? environment : "", why.text,
                 words);
    assert_int_equal(atoi(status), !words[0] ? 0 : options.errorexit ? 9 : 1);
    free(line);
    free(environment);
}

static void refusals_have_the_words_of_the_original(void **state)
{
    size_t len;
    char *text = testfile_read("golden-corpus/option_words.txt", &len), *at = text, *row;
    int rows = 0;
    (void)state;
    while ((row = strsep(&at, "\n")) && *row) {
        assert_answer(row);
        rows++;
    }
    assert_int_equal(rows, 122);
    free(text);
}

/* Ours refuses these with words of its own, or where the original only fails later. */
static const char *own_words(const char *line)
{
    static const char *const rows[][2] = {
        {"net=localhost:0", "net option port must be from 1 to 65535"},
        {"net=localhost:99999", "net option port must be from 1 to 65535"},
        {"depth=99999999999", "depth option value must be 8192 at most"},
        {"net=nosuchhost.invalid:5", ""},
        {"file=/nonexistent/x.txt", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (strcmp(rows[i][0], line) == 0)
            return rows[i][1];
    return NULL;
}

/* [opt_01] 'LINE' rc=1 OUT:  ERR: HPROF ERROR: hprof option error: WORDS (LINE) [...]| FILES: */
static void assert_recorded(char *row)
{
    static const char error[] = "HPROF ERROR: hprof option error: ";
    char *line = strchr(row, '\'') + 1, *rest = strstr(line, "' rc="), *said;
    const char *words = "", *own;
    int status = atoi(rest + 5);
    *rest++ = '\0';
    own = own_words(line);
    said = strstr(rest, error);
    if (said) {
        char tail[128];
        words = said + sizeof(error) - 1;
        snprintf(tail, sizeof(tail), " (%s) [", line);
        assert_non_null(strstr(words, tail));
        *strstr(words, tail) = '\0';
    }
    if (strcmp(parse(line, NULL), own ? own : words) != 0)
        fail_msg("'%s': '%s' and not '%s'", line, why.text, own ? own : words);
    assert_true(own || status == (!said ? 0 : options.errorexit ? 9 : 1));
    if (status == 0 && !strstr(line, "cpu=") && !strstr(line, "heap="))
        assert_true(wants(&options_heapdump) && wants(&options_sites));
}

static void the_recorded_rows_are_answered_as_in_the_original(void **state)
{
    size_t len;
    char *text = testfile_read("golden-corpus/option_errors.txt", &len), *at = text, *row;
    int rows = 0;
    (void)state;
    while ((row = strsep(&at, "\n")) && *row) {
        assert_recorded(row);
        rows++;
    }
    assert_int_equal(rows, 57);
    free(text);
}

static void what_is_asked_for_together_is_all_measured(void **state)
{
    (void)state;
    parse("heap=histo", NULL);
    assert_true(wants(&options_histo) && !options_histo_is_live(&options) && options.live);
    assert_false(wants(&options_heapdump) || wants(&options_sites));
    parse("heap=dump,heap=histo,live=y", NULL);
    assert_true(wants(&options_histo) && wants(&options_heapdump));
    assert_true(options_histo_is_live(&options) && options.live);
    parse("heap=sites,heap=dump,cpu=samples,cpu=times,monitor=y", NULL);
    assert_true(wants(&options_sites) && wants(&options_heapdump) && wants(&options_cpu) &&
                wants(&options_monitor));
    assert_int_equal(options_group_asked(&options, &options_times), OPTIONS_TIMES_METHODS);
    parse("cpu=samples", NULL);
    assert_false(wants(&options_sites) || wants(&options_heapdump) || wants(&options_monitor) ||
                 wants(&options_alloc));
    parse("cpu=times,cpu=old,depth=2,depth=3", NULL);
    assert_int_equal(options_group_asked(&options, &options_times), OPTIONS_TIMES_OLD);
    assert_int_equal(options.depth, 3);
}

static void numbers_are_read_as_the_c_library_reads_them(void **state)
{
    (void)state;
    parse("cpu=samples,depth=+3,interval= +5,cutoff=0x1p-4", NULL);
    assert_int_equal(options.depth, 3);
    assert_int_equal(options.interval_ns, 5000000);
    assert_true(options.cutoff == 0.0625);
    parse("cpu=samples,cutoff=nan,X=0x10,logflags=zz", NULL);
    assert_true(isnan(options.cutoff));
}

static void an_interval_has_a_unit(void **state)
{
    static const struct {
        const char *line;
        uint64_t ns;
    } rows[] = {
        {"interval=20", 20000000},    {"interval=500us", 500000}, {"interval=1ms", 1000000},
        {"interval=2s", 2000000000u}, {"interval=10us", 10000},   {"interval=1.5ms", 1500000},
    };
    static const char decimal[] = "interval option value must be decimal and > 0";
    static const char *const refused[][2] = {
        {"interval=0.5.5", decimal},
        {"interval=0us", decimal},
        {"interval=5w", decimal},
        {"interval=ms", decimal},
        {"interval=1us", "interval option value must be 10us at least"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(parse(rows[i].line, NULL), "");
        assert_int_equal(options.interval_ns, rows[i].ns);
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        assert_string_equal(parse(refused[i][0], NULL), refused[i][1]);
    assert_non_null(strstr(parse("interval=9999ns", NULL), "interval option value must be "));
}

static void new_options_are_checked_like_the_old_ones(void **state)
{
    static const char *const rows[][2] = {
        {"engine=", "syntax error parsing engine=name"},
        {"timer=", "syntax error parsing timer=name"},
        {"timer=a-name-of-16-long", "timer option value must be shorter"},
        {"event=", "syntax error parsing event=names"},
        {"walker=", "syntax error parsing walker=name"},
        {"signal=", "syntax error parsing signal=name"},
        {"clock=", "syntax error parsing clock=name"},
        {"manifest=", "syntax error parsing manifest=filename"},
        {"redact-key=", "syntax error parsing redact-key=globs"},
        {"redact-argument=", "syntax error parsing redact-argument=globs"},
        {"redact-keep=", "syntax error parsing redact-keep=globs"},
        {"redact-names=maybe", "redact-names option value must be y|n"},
        {"heap=dump,redact=y,redact-names=y", "redact-names=y is for binary files: format=b"},
        {"mem=", "syntax error parsing mem=size"},
        {"mem=1k", "mem option value must be a size from 1m to 64g"},
        {"mem=65g", "mem option value must be a size from 1m to 64g"},
        {"sample=2g", "sample option value must be a size below 2g"},
        {"idsize=5", "idsize option value must be 4|8"},
        {"expand=maybe", "expand option value must be y|n"},
        {"intrinsics=all", "intrinsics option value must be leave|count"},
        {"selftest=y", "Unknown option: selftest"},
        {"dumptest=1", "Unknown option: dumptest"},
        {"dumpstuck=1", "Unknown option: dumpstuck"},
        {"timesboth=y", "Unknown option: timesboth"},
        {"threadlate=1", "Unknown option: threadlate"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(parse(rows[i][0], NULL), rows[i][1]);
}

static void a_choice_of_threads_is_names_states_and_daemons(void **state)
{
    const struct options_wall *o;
    parse("event=wall,wallthreads=http-*:main,wallstates=waiting+vm,walldaemon=n", NULL);
    o = options_wall_of(&options);
    assert_string_equal(o->threads, "http-*:main");
    assert_int_equal(o->states, 1 << OPTIONS_WALL_WAITING | 1 << OPTIONS_WALL_IN_VM);
    assert_int_equal(o->daemon, OPTIONS_WALL_NO_DAEMONS);
    assert_true(options_wall_chooses(o));
    parse("event=wall,walldaemon=all,wallstates=running+native+sleeping+waiting+parked+blocked+vm",
          NULL);
    assert_false(options_wall_chooses(options_wall_of(&options)));
    assert_int_equal(options_wall_of(&options)->walkin, OPTIONS_WALL_HANDLER);
    assert_non_null(strstr(parse("wallstates=waiting+", NULL), "must be words of running|"));
    assert_non_null(strstr(parse("wallstates=wait", NULL), "must be words of running|"));
    assert_non_null(strstr(parse("walldaemon=x", NULL), "must be y|n|all"));
    parse("event=wall,walkin=thread", NULL);
    assert_int_equal(options_wall_of(&options)->walkin, OPTIONS_WALL_THREAD);
    assert_non_null(strstr(parse("walkin=x", NULL), "must be handler|thread"));
}

/* What options_parse_idle() finds: "native<cpu=samples fork<heap=dump". */
static const char *idle(const char *line)
{
    static char text[256];
    struct options_parse_idle rows[32];
    int count;
    assert_string_equal(parse(line, NULL), "");
    count = options_parse_idle(&options, rows, 32);
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s%s<%s", i ? " " : "", rows[i].name, rows[i].needed);
    return text;
}

static void a_new_option_without_effect_is_found(void **state)
{
    (void)state;
    assert_string_equal(idle("cpu=samples,include=Hello"), "include<cpu=times");
    assert_string_equal(idle("cpu=samples,wallthreads=main,wallstates=native"),
                        "wallthreads<event=wall wallstates<event=wall");
    assert_string_equal(idle("event=wall,wallthreads=main,wallstates=native"), "");
    assert_string_equal(idle("cpu=old,native=y,fork=n"),
                        "native<cpu=samples fork<heap=histo or heap=dump");
    assert_string_equal(idle("cpu=old,live=n,idsize=8"),
                        "idsize<heap=dump live<heap=histo or heap=dump or heap=sites");
    assert_string_equal(idle("heap=histo,fork=n,live=y"), "");
    assert_string_equal(idle("heap=sites,walker=vm,gc=n,sample=1k"), "walker<cpu=samples");
    assert_string_equal(idle("monitor=y,sample=1k"), "sample<heap=sites");
    assert_string_equal(idle("cpu=times,heap=dump,sample=1k,live=n,clock=tsc"), "");
    assert_string_equal(idle("cpu=samples,raw=n,live=y,cutoff=0.1"), "");
}

static void an_event_is_what_is_measured(void **state)
{
    static const struct {
        const char *line;
        bool cpu, times, sampled, monitor, lock;
    } rows[] = {
        {"event=cpu", .cpu = true},
        {"event=times,cutoff=0", .times = true},
        {"event=alloc", .sampled = true},
        {"event=cpu+alloc", .cpu = true, .sampled = true},
        {"event=cpu,alloc,interval=1ms", .cpu = true, .sampled = true},
        {"event=cpu,event=lock", .cpu = true, .lock = true},
        {"lock=10ms", .lock = true},
        {"cpu=samples,event=monitor", .cpu = true, .monitor = true},
        {"event=cpu,", .cpu = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(parse(rows[i].line, NULL), "");
        assert_int_equal(wants(&options_cpu), rows[i].cpu);
        assert_int_equal(wants(&options_times), rows[i].times);
        assert_int_equal(wants(&options_allocsample), rows[i].sampled);
        assert_false(wants(&options_sites));
        assert_false(wants(&options_alloc));
        assert_int_equal(wants(&options_monitor), rows[i].monitor);
        assert_int_equal(wants(&options_lock), rows[i].lock);
        assert_false(wants(&options_heapdump));
    }
    parse("event=lock,lock=2us", NULL);
    assert_int_equal(options_lock_of(&options)->threshold_ns[OPTIONS_LOCK_PARK], 2000);
    assert_string_equal(parse("lock=0", NULL), "");
    assert_int_equal(options_lock_of(&options)->threshold_ns[OPTIONS_LOCK_PARK], 0);
    assert_non_null(strstr(parse("event=lock+monitor", NULL), "use one of them"));
    assert_string_equal(parse("lock=long", NULL), "lock option value must be a time, such as 10ms");
    parse("event=lock", NULL);
    assert_int_equal(options_lock_of(&options)->threshold_ns[OPTIONS_LOCK_PARK], 10000);
    parse("event=monitor", NULL);
    assert_int_equal(options_group_asked(&options, &options_monitor), OPTIONS_MONITOR_ENTERED);
    parse("cpu=old,event=times", NULL);
    assert_int_equal(options_group_asked(&options, &options_times), OPTIONS_TIMES_OLD);
}

static void an_event_that_nobody_knows_is_refused_with_the_nearest(void **state)
{
    (void)state;
    assert_string_equal(
        parse("event=tims", NULL),
        "no event tims: use monitor, histo, alloc, live, cpu, times, gc, "
        "exception, thrown, lock, load, custom, classload, compile, deopt, codecache, vthread, "
        "nativemem, nativelock, io, wall or "
        "ttsp, or an event "
        "of perf, such as page-faults; did you mean times?");
    assert_string_equal(parse("event=cpu+energy", NULL),
                        "no event energy: use monitor, histo, alloc, live, cpu, times, gc, "
                        "exception, thrown, lock, load, custom, classload, compile, deopt, "
                        "codecache, vthread, nativemem, nativelock, "
                        "io, wall or ttsp, "
                        "or an event of perf, such as page-faults");
    assert_string_equal(parse("event=cpu,file", NULL),
                        "no event file: use monitor, histo, alloc, live, cpu, times, gc, "
                        "exception, thrown, lock, load, custom, classload, compile, deopt, "
                        "codecache, vthread, nativemem, nativelock, "
                        "io, wall or ttsp, "
                        "or an event of perf, such as page-faults");
    assert_string_equal(parse("event=cpu++alloc", NULL),
                        "no event '': use monitor, histo, alloc, live, cpu, times, gc, "
                        "exception, thrown, lock, load, custom, classload, compile, deopt, "
                        "codecache, vthread, nativemem, nativelock, "
                        "io, wall or ttsp, "
                        "or an event of perf, such as page-faults");
    assert_string_equal(parse("event=cpu,allocs=512k", NULL), "Unknown option: allocs");
}

/* What options_parse_check_names() says of a string that can be parsed. */
static const char *checked(const char *line)
{
    int error;
    assert_string_equal(parse(line, NULL), "");
    error = options_parse_check_names(&options, &why);
    assert_int_equal(error != 0, why.text[0] != '\0');
    return why.text;
}

static void a_name_that_nobody_knows_is_refused_also_where_it_has_no_effect(void **state)
{
    (void)state;
    assert_string_equal(checked("heap=sites,timer=prof"),
                        "no timer prof: use perf, ctimer or monotonic");
    assert_string_equal(checked("heap=sites,walker=fast"), "no walker fast: use vm, agct or jvmti");
    assert_string_equal(checked("clock=utc"), "no clock utc: use tsc, nano, tick, cpu or none");
    assert_string_equal(checked("signal=SEGV"),
                        "signal=SEGV cannot be had: use PROF, STKFLT, PWR, URG, VTALRM, or RTMIN+0 "
                        "to RTMAX");
    assert_string_equal(checked("timer=ctimer,walker=vm,clock=cpu,signal=PROF"), "");
}

static void engine_is_the_timer_of_older_command_lines(void **state)
{
    (void)state;
    assert_string_equal(checked("cpu=samples,engine=ctimer"), "");
    assert_string_equal(options_cpu_of(&options)->timer, "ctimer");
    assert_string_equal(checked("engine=prof"), "no timer prof: use perf, ctimer or monotonic");
}

static void what_tests_make_the_agent_do_are_constants(void **state)
{
    (void)state;
    parse("cpu=samples", NULL);
    assert_false(options_testing_of(&options)->selftest || options_testing_of(&options)->timesboth);
    assert_int_equal(options_testing_of(&options)->dumptest, 0);
    assert_int_equal(options_testing_of(&options)->dump_stuck_s, 60);
}

/* Each row of the help is whole, and no two owners have one name. */
static void rows_are_complete(void **state)
{
    const struct options_group *owner, *other;
    int named = 0;
    (void)state;
    for (int i = -1; i < 0 || options_group_all[i]; i++) {
        owner = i < 0 ? NULL : options_group_all[i];
        const struct options_row *row = owner ? owner->rows : options_general_rows;

        for (; row && row->name; row++, named++) {
            assert_ptr_equal(options_parse_row(row->name, &other), row);
            assert_ptr_equal(other, owner);
            assert_true(row->part == OPTIONS_ROW_QUIET || (row->about && row->shown));
            assert_true(row->kind != OPTIONS_ROW_WORD_OF || row->names || row->refuse);
            assert_true(row->kind != OPTIONS_ROW_CHOICE || row->choices);
            assert_true(!owner || row->is_unused || row->kind == OPTIONS_ROW_ASK ||
                        row->at < owner->bytes);
        }
    }
    assert_true(named > 40);
    assert_null(options_parse_row("nonsense", &other));
}

static void the_help_has_the_originals_options_first_and_in_its_order(void **state)
{
    static const char *const order[] = {
        "\nheap=dump|sites|all    heap profiling                 all\n",
        "\ncpu=samples|times|old  CPU usage                      off\n",
        "\nmonitor=y|n            monitor contention             n\n",
        "\nformat=a|b             text(txt) or binary output     a\n",
        "\nverbose=y|n            print messages about dumps     y\n",
        "\ntimer=<name>           timer: perf|ctimer|monotonic   the best\n",
        "event= takes one or more of monitor, histo, alloc, live, cpu, times, gc, exception, "
        "thrown, lock, load, custom, classload, compile, deopt, codecache, vthread, nativemem, "
        "nativelock, io, wall, "
        "ttsp: "
        "event=cpu+alloc.\n",
    };
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    const char *at;
    (void)state;
    options_help(out);
    fclose(out);
    at = text;
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    assert_null(strstr(text, "engine="));
    free(text);
}

static void ids_have_eight_bytes_in_a_large_heap_unless_told(void **state)
{
    (void)state;
    parse("heap=dump", NULL);
    assert_int_equal(options_id_bytes(&options, 0), 4);
    assert_int_equal(options_id_bytes(&options, 1), 8);
    parse("heap=dump,idsize=4", NULL);
    assert_int_equal(options_id_bytes(&options, 1), 4);
}

static int tear_down(void **state)
{
    (void)state;
    options_done(&options);
    return 0;
}

static void the_name_of_a_file_says_its_format(void **state)
{
    static const struct {
        const char *line;
        char format;
    } rows[] = {{"cpu=samples,file=a.jfr", 'j'},          {"cpu=samples,file=a.html", 'h'},
                {"cpu=samples,file=a.htm", 'h'},          {"cpu=samples,file=a.collapsed", 'c'},
                {"cpu=samples,file=a.b.folded", 'c'},     {"cpu=samples,file=a.txt", 'a'},
                {"cpu=samples,file=.html", 'a'},          {"cpu=samples,file=a.html,format=a", 'a'},
                {"cpu=samples,format=collapsed", 'c'},    {"cpu=samples,format=html", 'h'},
                {"cpu=samples,file=a.html,format=b", 'b'}};
    struct options said;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(options_parse(rows[i].line, NULL, &said, &why), 0);
        assert_int_equal(said.format, rows[i].format);
        options_done(&said);
    }
}

static void a_name_of_a_format_that_the_command_makes_is_noted(void **state)
{
    static const struct {
        const char *line;
        bool is_noted;
    } rows[] = {{"cpu=samples,file=a.pb.gz", true}, {"cpu=samples,file=a.firefox.json", true},
                {"cpu=samples,file=a.otlp", true},  {"cpu=samples,file=a.pb,format=a", false},
                {"cpu=samples,file=a.jfr", false},  {"cpu=samples,file=a.txt", false},
                {"cpu=samples,file=a", false},      {"cpu=samples,net=localhost:7000", false}};
    struct options said;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(options_parse(rows[i].line, NULL, &said, &why), 0);
        assert_int_equal(strstr(why.note, "HPROF text is written there") != NULL, rows[i].is_noted);
        options_done(&said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_of_threads_is_names_states_and_daemons),
        cmocka_unit_test(the_name_of_a_file_says_its_format),
        cmocka_unit_test(a_name_of_a_format_that_the_command_makes_is_noted),
        cmocka_unit_test(refusals_have_the_words_of_the_original),
        cmocka_unit_test(the_recorded_rows_are_answered_as_in_the_original),
        cmocka_unit_test(what_is_asked_for_together_is_all_measured),
        cmocka_unit_test(numbers_are_read_as_the_c_library_reads_them),
        cmocka_unit_test(an_interval_has_a_unit),
        cmocka_unit_test(new_options_are_checked_like_the_old_ones),
        cmocka_unit_test(a_new_option_without_effect_is_found),
        cmocka_unit_test(an_event_is_what_is_measured),
        cmocka_unit_test(an_event_that_nobody_knows_is_refused_with_the_nearest),
        cmocka_unit_test(a_name_that_nobody_knows_is_refused_also_where_it_has_no_effect),
        cmocka_unit_test(engine_is_the_timer_of_older_command_lines),
        cmocka_unit_test(what_tests_make_the_agent_do_are_constants),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(the_help_has_the_originals_options_first_and_in_its_order),
        cmocka_unit_test(ids_have_eight_bytes_in_a_large_heap_unless_told),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
