/*
 * fuzz_errorlog.c - the fatal error log of a JVM, which anybody may have sent.
 *
 * Whatever the bytes are: texts end, lines are in the text, and both forms of the output can be
 * written. SPDX-License-Identifier: Apache-2.0
 */
#include "errorlog/errorlog.h"
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "errorlog/errorlog_cause.h"
#include "errorlog/errorlog_print.h"
#include "fuzz.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_text(const struct errorlog *log, const struct errorlog_text *text)
{
    must(text->line <= log->lines);
    must(memchr(text->text, '\0', sizeof(text->text)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct errorlog log;
    struct errorlog_core core = {.path = NULL};
    struct sink out;
    /* In a block of its own, so that a step beyond it is seen. */
    char *copy = malloc(len + 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, len);
    char *exact = realloc(copy, len > 0 ? len : 1);
    errorlog_parse(exact ? exact : copy, len, &log);
    check_text(&log, &log.at.head);
    check_text(&log, &log.at.message);
    check_text(&log, &log.at.thread_line);
    must(log.frame_count <= ERRORLOG_FRAMES && log.agent_count <= ERRORLOG_AGENTS);
    for (uint32_t i = 0; i < log.frame_count; i++)
        check_text(&log, &log.frames[i]);
    must(errorlog_cause_of(&log) < ERRORLOG_CAUSES);
    if (log.kind != ERRORLOG_NONE && sink_init(&out, -1) == 0) {
        errorlog_print_text(&out, "x", &log, &core);
        errorlog_print_json(&out, "x", &log, &core);
        must(sink_done(&out) == 0);
    }
    free(exact ? exact : copy);
    return 0;
}
