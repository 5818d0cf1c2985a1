/*
 * view_heap.c - see view_heap.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/view_heap.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/diag_say.h"
#include "command/say.h"
#include "heap/question.h"
#include "heappage/heappage.h"
#include "view/memory_file.h"

enum {
    STATUS_OK = 200,
    STATUS_BAD = 400,
    STATUS_NOT_FOUND = 404,
    STATUS_FAILED = 500,
    WORD = 32,
    ROWS = 20,
    ROWS_MOST = 10000,
    DECIMAL = 10,
    HEXADECIMAL = 16,
};

static int write_page(struct view_heap *v, int page)
{
    struct sink out;
    struct heappage_asked asked = {.graph = v->graph,
                                   .file = v->file,
                                   .others = v->others,
                                   .with_values = v->with_values,
                                   .is_served = true,
                                   .diag = diag_say()};
    int error = sink_init(&out, page);
    if (error < 0)
        return say("view: %s", err_text(error)), error;
    error = heappage_write(&asked, &out);
    int written = sink_done(&out);
    if (error == 0)
        error = written;
    if (error == 0) {
        error = graph_error(v->graph);
        asked.why = graph_error_why(v->graph);
    }
    if (error < 0)
        say("view: %s: %s", v->file, asked.why ? asked.why : err_text(error));
    return error;
}

int view_heap_open(struct view_heap *v, int page)
{
    char why[GRAPH_WHY];
    v->options.diag = diag_say();
    int error = graph_open(v->file, &v->options, &v->graph, why);
    if (error == E_FORMAT)
        return error;
    if (error == 0)
        error = graph_dominate(v->graph, why);
    if (error < 0)
        say("view: %s: %s", v->file, why);
    else
        error = write_page(v, page);
    return error == E_FORMAT ? -EIO : error; /* an index or a table that is damaged */
}

void view_heap_close(struct view_heap *v)
{
    graph_close(v->graph);
    v->graph = NULL;
}

/* ---- questions about single objects */

static bool take_number(const char *text, int base, uint64_t *ret_number)
{
    char *end;
    errno = 0;
    *ret_number = strtoull(text, &end, base);
    return end != text && *end == '\0' && errno == 0 && text[0] != '-' && text[0] != '+' &&
           text[0] != ' ';
}

/* Reads a count from the query; without one *ret_count stays. */
static bool take_count(const char *query, const char *name, uint64_t most, uint64_t *ret_count)
{
    char text[WORD];
    uint64_t count;
    if (!http_request_value(query, name, text, sizeof(text)))
        return true;
    if (!take_number(text, DECIMAL, &count) || count > most)
        return false;
    *ret_count = count;
    return true;
}

static int refuse(struct view_heap *v, int status, const char *why)
{
    snprintf(v->why, sizeof(v->why), "%s", why);
    return status;
}

/* Reads the query. Returns the status of an answer. */
static int take_query(struct view_heap *v, const char *query, struct question_asked *asked,
                      const struct question **ret_question)
{
    char word[WORD], id[WORD];
    uint64_t rows = ROWS, number = 0;
    const struct question *q =
        http_request_value(query, "q", word, sizeof(word)) ? question_named(word) : NULL;
    if (!q || q->compares || q->takes_recording)
        return refuse(v, STATUS_BAD, "there is no such question; ask?q=show&id=0x7f00 asks one");
    if (!take_count(query, "n", ROWS_MOST, &rows) || rows == 0)
        return refuse(v, STATUS_BAD, "n is no number of rows from 1 to 10000");
    if (!take_count(query, "from", UINT32_MAX, &asked->skip))
        return refuse(v, STATUS_BAD, "from is no number of a row");
    asked->rows = (uint32_t)rows;
    asked->object = GRAPH_NONE;
    *ret_question = q;
    bool has_id = q->operand && http_request_value(query, "id", id, sizeof(id));
    if (!has_id)
        return q->operand && q->operand[0] != '['
                   ? refuse(v, STATUS_BAD, "the question is about an object: id=0x7f00")
                   : STATUS_OK;
    if (!take_number(id, HEXADECIMAL, &number))
        return refuse(v, STATUS_BAD, "id is no id; ids are written as in 0x7f0011223344");
    asked->object = graph_find(v->graph, number);
    if (asked->object != GRAPH_NONE)
        return STATUS_OK;
    snprintf(v->why, sizeof(v->why), "the dump has no object with the id 0x%" PRIx64, number);
    return STATUS_NOT_FOUND;
}

/* Writes the answer into a file. Returns the status. */
static int answer(struct view_heap *v, struct question_asked *asked, const struct question *q,
                  int *ret_fd)
{
    struct sink out;
    int fd = memory_file_open("hprof view"), error = fd < 0 ? fd : sink_init(&out, fd);
    if (error == 0) {
        asked->out = &out;
        error = q->answer(asked);
        int written = sink_done(&out);
        error = error < 0 ? error : written;
    }
    if (error == 0) {
        error = graph_error(v->graph);
        asked->why = graph_error_why(v->graph);
    }
    *ret_fd = fd;
    if (error == 0)
        return STATUS_OK;
    if (fd >= 0)
        close(fd);
    return refuse(v, error == E_NOT_FOUND ? STATUS_NOT_FOUND : STATUS_FAILED,
                  asked->why ? asked->why : err_text(error));
}

void view_heap_answer(struct view_heap *v, const struct http_request *q,
                      struct serve_answer *ret_answer)
{
    const struct question *question = NULL;
    struct question_asked asked = {.graph = v->graph,
                                   .file = v->file,
                                   .is_json = true,
                                   .paths = 1,
                                   .with_values = v->with_values,
                                   .options = &v->options};
    int fd = -1, status = take_query(v, q->query, &asked, &question);
    if (status == STATUS_OK)
        status = answer(v, &asked, question, &fd);
    *ret_answer = (struct serve_answer){.status = status,
                                        .why = status == STATUS_OK ? NULL : v->why,
                                        .type = "application/json",
                                        .fd = status == STATUS_OK ? fd : -1,
                                        .closes = true};
}
