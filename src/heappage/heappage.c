/*
 * heappage.c - see heappage.h.
 *
 * The page is heappage.html. Its data are an object of JSON in a <script> that browsers do not run:
 * facts, the answers to questions as `hprof heap --json` gives them, and the tree of
 * heappage_tree.h. JSON of this program has no "<" in texts (format/json_out.h), so no name can end
 * the <script>.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heappage/heappage.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/sink.h"
#include "command/textbuf.h"
#include "format/json_out.h"
#include "heap/graph.h"
#include "heap/question.h"
#include "heappage/heappage_page.h"
#include "heappage/heappage_tree.h"

enum {
    SCHEMA = 1,
    FACTS_BYTES = 100000, /* for what is neither table nor tree */
    TREE_BYTES = 2000000,
    SLACK_PERCENT = 90, /* a second answer is asked for so much of the room */
};

/* A question whose answer is in the page, the rows that are asked for, and the bytes that the
 * answer may have. The sum of the bytes leaves room for the tree. Of a page that is served the
 * answers marked `is_later` are not in it: the page asks for them when they are looked at, so that
 * the user of a large dump need not wait for all of them. */
static const struct section {
    const char *question;
    uint32_t rows, bytes;
    bool is_later;
} sections[] = {
    {"histo", 500, 350000, false},      {"top", 200, 250000, false},
    {"suspects", 20, 400000, false},    {"threads", 200, 700000, true},
    {"strings", 200, 150000, true},     {"arrays", 200, 150000, true},
    {"collections", 200, 200000, true}, {"boxes", 200, 150000, true},
    {"loaders", 200, 250000, true},     {"sites", 200, 400000, true},
    {"direct", 200, 150000, true},
};

enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

/* The answers. `rows` 0: there is none, for the reason `why`; static text. */
struct answers {
    struct textbuf text[SECTIONS];
    uint32_t rows[SECTIONS];
    const char *why[SECTIONS];
};

static int keep_bytes(void *to, const unsigned char *bytes, size_t len)
{
    struct textbuf *text = to;
    textbuf_bytes(text, (const char *)bytes, len);
    return text->is_bad ? -ENOMEM : 0;
}

static int ask_once(struct heappage_asked *a, const struct question *q, uint32_t rows,
                    struct textbuf *ret_text)
{
    struct sink out;
    int error = sink_init_taker(&out, keep_bytes, ret_text);
    if (error < 0)
        return error;
    struct question_asked asked = {.graph = a->graph,
                                   .file = a->file,
                                   .out = &out,
                                   .is_json = true,
                                   .rows = rows,
                                   .object = GRAPH_NONE,
                                   .with_values = a->with_values};
    error = q->answer(&asked);
    int written = sink_done(&out);
    if (error < 0)
        a->why = asked.why;
    return error < 0 ? error : written;
}

/* Asks for fewer rows until the answer fits. Most answers fit at once. */
static int ask(struct heappage_asked *a, struct answers *all, size_t i)
{
    const struct section *s = &sections[i];
    const struct question *q = question_named(s->question);
    struct textbuf *text = &all->text[i];
    if (q && a->is_served && s->is_later) {
        all->rows[i] = s->rows;
        return 0;
    }
    all->why[i] = "its answer is too long for this page";
    for (uint64_t rows = q ? s->rows : 0; rows > 0;) {
        text->len = 0;
        int error = ask_once(a, q, (uint32_t)rows, text);
        if (error == E_LIMIT) {
            all->why[i] = "it needs more memory: --memory";
            text->len = 0;
            return 0;
        }
        if (error < 0)
            return error;
        if (text->len <= s->bytes) {
            all->rows[i] = (uint32_t)rows;
            return 0;
        }
        uint64_t fewer = rows * s->bytes * SLACK_PERCENT / 100 / text->len;
        rows = fewer < rows ? fewer : rows - 1;
    }
    text->len = 0;
    return 0;
}

static void put_text(struct sink *out, const char *key, const char *text)
{
    sink_printf(out, ",\n\"%s\":", key);
    json_out_text(out, text, strlen(text));
}

static void put_bool(struct sink *out, const char *key, bool value)
{
    sink_printf(out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void put_facts(const struct heappage_asked *a, struct sink *out)
{
    const struct graph_facts *f = graph_facts(a->graph);
    const struct graph_layout *l = &f->layout;
    const struct graph_damage *d = &f->damage;
    sink_printf(out, "{\"schema\":%d", SCHEMA);
    put_text(out, "program", "hprof " HPROF_VERSION);
    put_text(out, "file", a->file);
    if (a->others)
        put_text(out, "others", a->others);
    put_text(out, "version", f->version);
    put_bool(out, "served", a->is_served);
    put_bool(out, "values", a->with_values);
    sink_printf(out,
                ",\n\"objects\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"reachable\":%" PRIu64
                ",\"reachable_bytes\":%" PRIu64 ",\"classes\":%" PRIu64 ",\"threads\":%" PRIu32
                ",\"created_ms\":%" PRId64 ",\"file_bytes\":%" PRIu64 ",\"dump\":%" PRIu32
                ",\"dumps\":%" PRIu32,
                f->objects, f->bytes, f->reachable, f->reachable_bytes, f->classes,
                graph_thread_count(a->graph), f->created_ms, f->file_bytes, f->dump, f->dumps);
    sink_printf(out,
                ",\n\"layout\":{\"ref_bytes\":%u,\"header_bytes\":%u,\"alignment\":%u,"
                "\"is_guessed\":%s}",
                l->ref_bytes, l->header_bytes, l->alignment, l->is_guessed ? "true" : "false");
    sink_printf(out,
                ",\n\"damage\":{\"is_cut\":%s,\"missing_bytes\":%" PRIu64
                ",\"unknown_records\":%" PRIu64 ",\"unknown_at\":%" PRIu64
                ",\"duplicates\":%" PRIu64 "}",
                d->is_cut ? "true" : "false", d->missing_bytes, d->unknown_records, d->unknown_at,
                d->duplicates);
}

static void put_answers(const struct answers *all, struct sink *out)
{
    const char *comma = "";
    sink_text(out, ",\n\"rows\":{");
    for (size_t i = 0; i < SECTIONS; i++)
        sink_printf(out, "%s\"%s\":%" PRIu32, i == 0 ? "" : ",", sections[i].question,
                    all->rows[i]);
    sink_text(out, "},\n\"missing\":{");
    for (size_t i = 0; i < SECTIONS; i++)
        if (all->rows[i] == 0) {
            sink_printf(out, "%s\"%s\":\"%s\"", comma, sections[i].question, all->why[i]);
            comma = ",";
        }
    sink_text(out, "},\n\"answers\":{");
    comma = "";
    for (size_t i = 0; i < SECTIONS; i++) {
        if (all->text[i].len == 0)
            continue;
        sink_printf(out, "%s\n\"%s\":", comma, sections[i].question);
        sink_bytes(out, all->text[i].bytes, all->text[i].len);
        comma = ",";
    }
    sink_text(out, "}");
}

/* The part in front of the data. A page that is served may also connect to its server. */
static void put_head(const struct heappage_asked *a, struct sink *out)
{
    static const char none[] = "connect-src 'none'", own[] = "connect-src 'self'";
    const unsigned char *head = heappage_page_head;
    const unsigned char *at = memmem(head, heappage_page_head_len, none, sizeof(none) - 1);
    if (!a->is_served || !at) {
        sink_bytes(out, head, heappage_page_head_len);
        return;
    }
    size_t before = (size_t)(at - head), after = before + sizeof(none) - 1;
    sink_bytes(out, head, before);
    sink_bytes(out, own, sizeof(own) - 1);
    sink_bytes(out, head + after, heappage_page_head_len - after);
}

static uint64_t tree_room(const struct answers *all)
{
    uint64_t used = heappage_page_head_len + heappage_page_tail_len + FACTS_BYTES;
    for (size_t i = 0; i < SECTIONS; i++)
        used += all->text[i].len;
    uint64_t left = used < HEAPPAGE_BYTES ? HEAPPAGE_BYTES - used : 0;
    return left < TREE_BYTES ? left : TREE_BYTES;
}

int heappage_write(struct heappage_asked *a, struct sink *out)
{
    struct answers *all = calloc(1, sizeof(*all));
    int error = all ? 0 : -ENOMEM;
    for (size_t i = 0; i < SECTIONS && error == 0; i++) {
        error = ask(a, all, i);
        if (a->diag)
            diag_advance(a->diag, a->file, i + 1, SECTIONS + 1);
    }
    if (a->diag)
        diag_advance(a->diag, a->file, UINT64_MAX, SECTIONS + 1);
    if (error == 0) {
        put_head(a, out);
        put_facts(a, out);
        put_answers(all, out);
        sink_text(out, ",\n\"tree\":");
        error = heappage_tree_write(a->graph, tree_room(all), out);
    }
    if (error == 0) {
        sink_text(out, "}");
        sink_bytes(out, heappage_page_tail, heappage_page_tail_len);
        error = sink_error(out);
    }
    for (size_t i = 0; all && i < SECTIONS; i++)
        textbuf_done(&all->text[i]);
    free(all);
    return error;
}
