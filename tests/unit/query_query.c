/* query_query.c - questions in SQL: what is refused, names of files, conditions, functions, forms.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/sink.h"
#include "query/query.h"
#include "query/query_sums.h"

enum { TEXT = 1 << 16 };

static char told[1024]; /* the last message */

static void tell(struct diag *self, int code, const char *place, const char *text)
{
    (void)self;
    (void)code;
    snprintf(told, sizeof(told), "%s: %s", place, text);
}

static struct diag diag = {.tell = tell};

/* What a sink wrote. */
struct text {
    char bytes[TEXT];
    size_t len;
};

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct text *t = to;
    assert_true(t->len + len < TEXT);
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
    t->bytes[t->len] = '\0';
    return 0;
}

static struct query *open_file(const char *name, const struct query_options *options)
{
    char path[512];
    struct query *q;
    snprintf(path, sizeof(path), "%s/jfr/%s", getenv("TEST_DATA"), name);
    assert_int_equal(query_open(options, &q), 0);
    assert_int_equal(query_add(q, path), 0);
    assert_int_equal(query_begin(q), 0);
    return q;
}

static int run(struct query *q, const char *sql, enum query_print_form form, struct text *ret)
{
    struct sink sink;
    *ret = (struct text){.len = 0};
    *told = '\0';
    assert_int_equal(sink_init_taker(&sink, take, ret), 0);
    int error = query_run(q, sql, form, &sink);
    assert_int_equal(sink_done(&sink), 0);
    return error;
}

/* The answer of a statement as CSV without its head. */
static const char *csv(struct query *q, const char *sql, struct text *t)
{
    if (run(q, sql, QUERY_FORM_CSV, t) != 0)
        fail_msg("%s: %s", sql, told);
    const char *rows = strstr(t->bytes, "\r\n");
    assert_non_null(rows);
    return rows + 2;
}

static void a_query_only_reads(void **state)
{
    static const char *const refused[] = {
        "attach 'x.db' as x",
        "attach ':memory:' as x",
        "detach main",
        "create table t(x)",
        "create temp table t(x)",
        "create view v as select 1",
        "create virtual table f using fts5(x)",
        "insert into inputs values (1)",
        "update inputs set name = 'x'",
        "delete from inputs",
        "drop table inputs",
        "pragma journal_mode = wal",
        "pragma temp_store_directory = '/'",
        "pragma writable_schema = on",
        "update sqlite_master set sql = 'x'",
        "delete from sqlite_master",
        "pragma hard_heap_limit = 0",
        "begin",
        "savepoint s",
        "vacuum into 'x.db'",
        "reindex",
        "analyze",
        "select load_extension('x.so')",
        "select writefile('x', 'x')",
        "select readfile('/etc/passwd')",
        "select fts3_tokenizer('simple')",
        "explain attach 'x.db' as x",
    };
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("small.jfr", &options);
    struct text t;
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (run(q, refused[i], QUERY_FORM_CSV, &t) != E_SYNTAX)
            fail_msg("not refused: %s", refused[i]);
        if (t.len > 0)
            fail_msg("answered: %s", refused[i]);
    }
    assert_string_equal(csv(q, "select count(*) from sqlite_schema", &t), "0\r\n");
    assert_string_equal(csv(q, "select count(*) > 50 from pragma_function_list", &t), "1\r\n");
    query_close(q);
}

static void names_of_files_are_identifiers(void **state)
{
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("names.jfr", &options);
    struct text t;
    (void)state;
    assert_string_equal(
        csv(q,
            "select x, \"X#2\", \"rowid\", \"_rowid_\", oid, \"\"\"\", \"a b\", \"select\" "
            "from \"test.Names\"",
            &t),
        "100,101,102,103,104,105,106,107\r\n");
    /* A field counts where it has the name of a column that all types have. */
    assert_string_equal(csv(q,
                            "select start, stack, \"\x1b[2J\", \"x#2#2\", \"a.b\" "
                            "from \"test.Names\"",
                            &t),
                        "108,112,109,110,111\r\n");
    assert_string_equal(csv(q, "select other from \"TEST.names#2\"", &t), "100\r\n");
    assert_string_equal(csv(q, "select x from \"events#2\"", &t), "100\r\n");
    assert_string_equal(
        csv(q, "select \"'); drop table x; --\" from \"a\"\"; drop table \"\"x\"", &t), "100\r\n");
    assert_string_equal(csv(q, "select x from \"sqlite_master#2\"", &t), "100\r\n");
    /* 2,100 fields, of which SQLite takes less than 2,000. */
    assert_string_equal(csv(q, "select f0000, f1800 from \"test.Wide\"", &t), "100,100\r\n");
    assert_int_equal(run(q, "select f2099 from \"test.Wide\"", QUERY_FORM_CSV, &t), E_SYNTAX);
    assert_string_equal(csv(q, "select count(*) from events", &t), "8\r\n");
    /* The alias is the first type's. */
    assert_string_equal(csv(q, "select f0001 from Wide", &t), "101\r\n");
    query_close(q);
}

/* A condition that the reader looks at, too, gives what SQLite alone gives (a + hides the column).
 */
static void conditions_find_the_same_rows(void **state)
{
    static const char *const columns[] = {"start", "type", "thread"};
    static const char *const conditions[] = {
        "start > 1700000000000005010",
        "start >= 1700000000000005010 and start < 1700000000002000020",
        "start = 1700000000000005010",
        "start between 1.70000000000000501e18 and 1.7000000000000051e18",
        "start is null",
        "type = 'jdk.ExecutionSample'",
        "type in ('jdk.ExecutionSample', 'test.Small', 'nothing', null)",
        "type = 'JDK.ExecutionSample'",
        "type > 'jdk'",
        "type = 7",
        "thread = 'main'",
        "thread = 'gc' and type = 'test.Everything'",
        "thread in ('main', 'gc') and start > 1700000000000005000",
        "thread = 'nobody'",
    };
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("small.jfr", &options);
    struct text fast, slow;
    (void)state;
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
        char sql[512], hidden[256] = "";
        for (const char *at = conditions[i]; *at != '\0';) {
            size_t len = 1;
            for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
                if (strncmp(at, columns[c], strlen(columns[c])) == 0) {
                    strcat(hidden, "+");
                    len = strlen(columns[c]);
                }
            strncat(hidden, at, len);
            at += len;
        }
        snprintf(sql, sizeof(sql), "select type, start, thread from events where %s",
                 conditions[i]);
        csv(q, sql, &fast);
        snprintf(sql, sizeof(sql), "select type, start, thread from events where %s", hidden);
        csv(q, sql, &slow);
        assert_string_equal(fast.bytes, slow.bytes);
    }
    query_close(q);
}

/* Sums by type are made by the reader; a + keeps the statement from being such a question. */
static void sums_by_type_are_the_same(void **state)
{
    static const struct {
        const char *fast, *slow;
    } rows[] = {
        {"select type, count(*), sum(duration) from events group by type",
         "select type, count(*), sum(+duration) from events group by type"},
        {"SELECT type, Count(*) AS n, ms(max(duration)), min(duration), round(avg(duration), 1)\n"
         "FROM events GROUP BY 1 ORDER BY n DESC, type LIMIT 3;",
         "select type, count(*) as n, ms(max(+duration)), min(+duration), round(avg(+duration), 1) "
         "from events group by 1 order by n desc, type limit 3"},
        {"select count(*) as events, type from events group by type order by events + 1, type",
         "select count(*) as events, type from events where +type <> '' group by type "
         "order by events + 1, type"},
    };
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("questions.jfr", &options);
    struct text fast, slow;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *sums = query_sums_rewrite(rows[i].fast, (int)strlen(rows[i].fast));
        assert_non_null(sums);
        assert_int_equal(run(q, sums, QUERY_FORM_CSV, &slow), 0);
        sqlite3_free(sums);
        assert_null(query_sums_rewrite(rows[i].slow, (int)strlen(rows[i].slow)));
        const char *answer = csv(q, rows[i].fast, &fast);
        assert_string_equal(answer, csv(q, rows[i].slow, &slow));
    }
    csv(q, rows[0].fast, &fast);
    assert_memory_equal(fast.bytes, "type,count(*),sum(duration)\r\n", 28);
    query_close(q);
}

static void other_queries_are_not_taken_for_sums(void **state)
{
    static const char *const others[] = {
        "select type, count(*) from events",
        "select type, count(*) from events where start > 5 group by type",
        "select type, count(duration) from events group by type",
        "select type, count(distinct duration) from events group by type",
        "select type, duration from events group by type",
        "select type, group_concat(type) from events group by type",
        "select type, count(*) from events e group by type",
        "select type, count(*) from events, inputs group by type",
        "select type, count(*) from events group by type, start",
        "select type, count(*) from events group by 2",
        "select type, count(*) from events group by type having count(*) > 1",
        "select type, count(*) from events group by type union select 1, 2",
        "select \"type\", count(*) from events group by type",
        "select type, sum(duration) filter (where duration > 5) from events group by type",
        "select type, sum(count(*)) over () from events group by type",
        "select start as type, count(*) from events group by type",
        "select type, count(*) from events group by type -- all",
        "select * from (select type, count(*) from events group by type)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (query_sums_rewrite(others[i], (int)strlen(others[i])))
            fail_msg("taken for sums: %s", others[i]);
}

static void a_join_finds_all_rows(void **state)
{
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("questions.jfr", &options);
    struct text joined, crossed;
    (void)state;
    csv(q,
        "select a.gcId, ms(a.longestPause), b.heapUsed, b.\"heapSpace.committedSize\" "
        "from GarbageCollection a join GCHeapSummary b on b.gcId = a.gcId order by 1",
        &joined);
    csv(q,
        "select a.gcId, ms(a.longestPause), b.heapUsed, b.\"heapSpace.committedSize\" "
        "from GarbageCollection a, GCHeapSummary b where +b.gcId = +a.gcId order by 1",
        &crossed);
    assert_string_equal(joined.bytes, crossed.bytes);
    assert_string_equal(
        csv(q, "select count(*) from SocketRead a join SocketRead b using (host)", &joined),
        "200\r\n");
    query_close(q);
}

static void functions_do_what_they_say(void **state)
{
    static const struct {
        const char *sql, *answer;
    } rows[] = {
        {"ms(1500000)", "1.5"},
        {"ms(null)", ""},
        {"at(1700000000123456789)", "2023-11-14 22:13:20.123"},
        {"at(-1)", "1969-12-31 23:59:59.999"},
        {"bucket(1700000000123456789, '1s')", "1700000000000000000"},
        {"bucket(-1, '1ms')", "-1000000"},
        {"top_frame(999999)", ""},
        {"top_frame('x')", ""},
        {"has_frame(null, '*')", ""},
        {"stack_text(-1)", ""},
        {"enclosing(null, 'acme.Request', 'user')", ""},
        {"(select percentile(value, 99) from json_each('[1,2,3,4,5,6,7,8,9,10]'))", "9.91"},
        {"(select percentile(value, 50) from json_each('[3,1,null,2]'))", "2.0"},
        {"(select percentile(value, 0) from json_each('[]'))", ""},
        {"(select histogram(value) from json_each('[0,1,2,3,1000,\"x\"]'))",
         "\"{\"\"0\"\":1,\"\"1\"\":1,\"\"2\"\":2,\"\"512\"\":1}\""},
    };
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("questions.jfr", &options);
    struct text t;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char sql[256], answer[128];
        snprintf(sql, sizeof(sql), "select %s", rows[i].sql);
        snprintf(answer, sizeof(answer), "%s\r\n", rows[i].answer);
        assert_string_equal(csv(q, sql, &t), answer);
    }
    assert_string_equal(csv(q,
                            "select enclosing(event, 'acme.Request', 'user') as u, count(*), "
                            "sum(bytesRead) from SocketRead group by 1 order by 1",
                            &t),
                        ",1,1900\r\nalice,10,4500\r\nbob,9,12600\r\n");
    assert_string_equal(csv(q,
                            "select distinct stack_text(stack), has_frame(stack, '*.main'), "
                            "has_frame(stack, 'main') from JavaExceptionThrow",
                            &t),
                        "test.Work.main,1,0\r\n");
    assert_int_equal(run(q, "select percentile(start, 101) from events", QUERY_FORM_CSV, &t),
                     E_SYNTAX);
    assert_int_equal(run(q, "select bucket(start, 'x') from events", QUERY_FORM_CSV, &t), E_SYNTAX);
    query_close(q);
}

static void a_wrong_query_is_told_with_its_place(void **state)
{
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("questions.jfr", &options);
    struct text t;
    (void)state;
    assert_int_equal(run(q, "select 1,\n  hosst from SocketRead", QUERY_FORM_CSV, &t), E_SYNTAX);
    assert_string_equal(told,
                        "query: line 2, column 3, at 'hosst from SocketRead': no such column: "
                        "hosst; --schema=TABLE lists the columns of a table");
    assert_int_equal(run(q, "select \"hosst\" from SocketRead", QUERY_FORM_CSV, &t), E_SYNTAX);
    assert_non_null(strstr(told, "no such column: "));
    assert_int_equal(run(q, "select * from SocketReed", QUERY_FORM_CSV, &t), E_SYNTAX);
    assert_string_equal(told, "query: no such table: SocketReed; did you mean \"jdk.SocketRead\"?");
    assert_int_equal(run(q, "select 1 from", QUERY_FORM_CSV, &t), E_SYNTAX);
    assert_int_equal(run(q, " ; -- nothing", QUERY_FORM_CSV, &t), E_SYNTAX);
    query_close(q);
}

static void time_memory_and_rows_are_bounded(void **state)
{
    static const char endless[] =
        "with recursive n(x) as (select 1 union all select x + 1 from n) ";
    const struct query_options options = {
        .diag = &diag, .timeout_ns = 50000000, .rows_max = 2, .memory_bytes = 16 << 20};
    struct query *q = open_file("questions.jfr", &options);
    struct text t;
    char sql[256];
    (void)state;
    snprintf(sql, sizeof(sql), "%s select count(*) from n", endless);
    assert_int_equal(run(q, sql, QUERY_FORM_CSV, &t), -EINTR);
    assert_int_equal(
        run(q, "select group_concat(hex(zeroblob(1000000)), '') from SocketRead, SocketRead",
            QUERY_FORM_CSV, &t),
        -ENOMEM);
    assert_string_equal(csv(q, "select gcId from GarbageCollection", &t), "0\r\n1\r\n");
    assert_non_null(strstr(told, "there are more rows"));
    query_close(q);
}

/* The reason is told once, but no later statement takes the process for one with no counters. */
static void a_process_that_is_no_jvm_fails_each_statement(void **state)
{
    const struct query_options options = {.diag = &diag};
    char pid[32];
    struct query *q;
    struct text t;
    (void)state;
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    assert_int_equal(query_open(&options, &q), 0);
    assert_int_equal(query_add(q, pid), 0);
    assert_int_equal(query_begin(q), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(q, "select count(*) from counters", QUERY_FORM_CSV, &t), E_SYNTAX);
        assert_int_equal(run(q, "select count(*) from java_threads", QUERY_FORM_CSV, &t), E_SYNTAX);
    }
    assert_true(query_is_damaged(q));
    query_close(q);
}

static void each_form_has_its_own_quotes(void **state)
{
    static const char sql[] =
        "select 'a|b' as \"<h>\", 'x\"y,' as t, 1.5 as r, null as n, x'00ff' as b, "
        "'\x1b[2J' as e";
    const struct query_options options = {.diag = &diag};
    struct query *q = open_file("small.jfr", &options);
    struct text t;
    (void)state;
    assert_int_equal(run(q, sql, QUERY_FORM_CSV, &t), 0);
    assert_string_equal(t.bytes, "<h>,t,r,n,b,e\r\na|b,\"x\"\"y,\",1.5,,00ff,\x1b[2J\r\n");
    assert_int_equal(run(q, sql, QUERY_FORM_JSON, &t), 0);
    assert_string_equal(t.bytes, "{\"\\u003ch>\":\"a|b\",\"t\":\"x\\\"y,\",\"r\":1.5,\"n\":null,"
                                 "\"b\":\"00ff\",\"e\":\"?[2J\"}\n");
    assert_int_equal(run(q, sql, QUERY_FORM_MD, &t), 0);
    assert_string_equal(t.bytes,
                        "| \\<h\\> | t | r | n | b | e |\n| --- | --- | --- | --- | --- | --- |\n"
                        "| a\\|b | x\"y, | 1.500 |  | 00ff | ?\\[2J |\n");
    assert_int_equal(run(q, sql, QUERY_FORM_TABLE, &t), 0);
    assert_string_equal(t.bytes,
                        "<h>  t         r  n  b     e\na|b  x\"y,  1.500     00ff  ?[2J\n");
    assert_int_equal(run(q, sql, QUERY_FORM_HTML, &t), 0);
    assert_non_null(strstr(t.bytes, "<th>&lt;h&gt;</th>"));
    assert_non_null(strstr(t.bytes, "<td>?[2J</td></tr>\n</table>\n"));
    query_close(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_only_reads),
        cmocka_unit_test(names_of_files_are_identifiers),
        cmocka_unit_test(conditions_find_the_same_rows),
        cmocka_unit_test(sums_by_type_are_the_same),
        cmocka_unit_test(other_queries_are_not_taken_for_sums),
        cmocka_unit_test(a_join_finds_all_rows),
        cmocka_unit_test(functions_do_what_they_say),
        cmocka_unit_test(a_wrong_query_is_told_with_its_place),
        cmocka_unit_test(time_memory_and_rows_are_bounded),
        cmocka_unit_test(a_process_that_is_no_jvm_fails_each_statement),
        cmocka_unit_test(each_form_has_its_own_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
