/* fuzz_query.c - tables of SQL made of a JFR file: their names, columns and values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/sink.h"
#include "fuzz.h"
#include "query/query.h"

enum { TABLES_MAX = 40, PATH = 40, COLUMNS_MAX = 2000 };

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static void tell(struct diag *self, int code, const char *place, const char *text)
{
    (void)self;
    (void)code;
    (void)place;
    (void)text;
}

/* A statement that is right whatever the file says, unless time or memory are short. */
static void ask(struct query *q, const char *sql, struct sink *out)
{
    int error = query_run(q, sql, QUERY_FORM_JSON, out);
    must(error == 0 || error == -EINTR || error == -ENOMEM, sql);
}

static void ask_of_table(struct query *q, size_t number, struct sink *out)
{
    size_t columns = 0;
    char *sql = sqlite3_mprintf("select * from \"%w\" limit 20", query_table_name(q, number));
    must(sql != NULL, "memory");
    ask(q, sql, out);
    sqlite3_free(sql);
    while (query_column_name(q, number, columns))
        columns++;
    must(columns > 0 && columns < COLUMNS_MAX,
         "a table has columns, and no more than SQLite takes");
    sql = sqlite3_mprintf("select \"%w\" from \"%w\" limit 20",
                          query_column_name(q, number, columns / 2), query_table_name(q, number));
    must(sql != NULL, "memory");
    ask(q, sql, out);
    sqlite3_free(sql);
}

static void ask_all(struct query *q, struct sink *out)
{
    static const char *const statements[] = {
        "select type, count(*), sum(duration), max(start), min(bytes) from events group by type",
        "select top_frame(stack), stack_text(stack, 3), has_frame(stack, '*a*'), thread, "
        "thread_id, "
        "enclosing(event, 'test.Trace', 'user') is null from events where type <> 'test.Trace' "
        "limit 50",
        "select count(*) from events a join events b using (thread_id) limit 5",
        "select count(*) from events where start between 1700000000000000000 and "
        "1700000000000500000 and thread = 'main' and type in ('test.Small', 'jdk.ExecutionSample')",
        "select name, line, count(*) from stacks join frames using (frame) group by 1, 2 limit 20",
        "select * from threads limit 20",
    };
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        int error = query_run(q, statements[i], QUERY_FORM_TABLE, out);
        must(error == 0 || error == -EINTR || error == -ENOMEM || error == E_SYNTAX, statements[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct diag diag = {.tell = tell};
    const struct query_options options = {
        .memory_bytes = 32 << 20, .timeout_ns = 300000000, .diag = &diag};
    struct query *q;
    struct sink out;
    char path[PATH];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && sink_init(&out, -1) == 0, "memory");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    must(query_open(&options, &q) == 0, "memory");
    if (query_add(q, path) == 0 && query_begin(q) == 0) {
        for (size_t i = 0; i < TABLES_MAX && query_table_name(q, i); i++)
            ask_of_table(q, i, &out);
        ask_all(q, &out);
        query_schema(q, NULL, &out);
    }
    query_close(q);
    sink_done(&out);
    close(fd);
    return 0;
}
