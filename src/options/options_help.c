/*
 * options_help.c - prints the text of `help` from the rows, in the original's form.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_ask.h"
#include "options/options_group.h"
#include "options/options_parse.h"

/* Writes the description of a row: "timer: perf|ctimer|monotonic". */
static void say_about(const struct options_row *row, char *ret, size_t size)
{
    size_t n = (size_t)snprintf(ret, size, "%s", row->about);
    for (int i = 0; row->names && row->names[i] && n < size; i++)
        n += (size_t)snprintf(ret + n, size - n, "%s%s", i ? "|" : ": ", row->names[i]);
}

static void print_rows(FILE *out, const struct options_row *row, enum options_row_part part)
{
    for (; row && row->name; row++) {
        char words[64], left[96], about[64];
        if (row->part != part)
            continue;
        snprintf(words, sizeof(words), "%s", row->values ? row->values : "");
        if (row->kind == OPTIONS_ROW_ASK)
            options_ask_words(row, words, sizeof(words));
        snprintf(left, sizeof(left), "%s=%s", row->name, words);
        say_about(row, about, sizeof(about));
        fprintf(out, "%-22s %-30s %s\n", left, about, row->shown);
    }
}

static void print_events(FILE *out)
{
    enum { WORDS_MAX = 32 };
    const char *words[WORDS_MAX];
    int count = options_group_words("event", words, WORDS_MAX);
    fputs("  - event= takes one or more of", out);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s %s", i ? "," : "", words[i]);
    fputs(": event=cpu+alloc.\n", out);
}

void options_help(FILE *out)
{
    fputs("\n"
          "     HPROF: heap and CPU profiling agent, version " HPROF_VERSION "\n"
          "\n"
          "hprof usage: java -agentlib:hprof=[help]|[<option>=<value>, ...]\n"
          "\n"
          "Option Name and Value  Description                    Default\n"
          "---------------------  -----------                    -------\n",
          out);
    for (int part = OPTIONS_ROW_MEASURED; part < OPTIONS_ROW_PARTS; part++) {
        print_rows(out, options_general_rows, (enum options_row_part)part);
        for (int i = 0; options_group_all[i]; i++)
            print_rows(out, options_group_all[i]->rows, (enum options_row_part)part);
    }
    fputs("\n"
          "Obsolete Options\n"
          "----------------\n"
          "gc_okay=y|n\n"
          "\n"
          "Examples\n"
          "--------\n"
          "  - Get sample cpu information every 20 millisec, with a stack depth of 3:\n"
          "      java -agentlib:hprof=cpu=samples,interval=20,depth=3 classname\n"
          "  - The same every 500 microseconds, into a binary file:\n"
          "      java -agentlib:hprof=cpu=samples,interval=500us,format=b classname\n"
          "\n"
          "Notes\n"
          "-----\n"
          "  - interval= takes a unit: 500us, 1ms; a bare number is milliseconds.\n"
          "  - In .jfr, .collapsed and .html files the default of depth is 512.\n",
          out);
    print_events(out);
    fputs("  - monitor=all counts java.util.concurrent.locks.LockSupport.park too.\n"
          "  - The option format=b cannot be used with monitor=y.\n"
          "  - The option format=b cannot be used with cpu=old|times.\n"
          "  - -Xrunhprof:[help]|[<option>=<value>, ...] behaves the same.\n"
          "  - Everything in detail: man 7 hprof-agent\n",
          out);
}
