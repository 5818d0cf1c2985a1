/*
 * cmd_heap.c - `hprof heap FILE [QUESTION [ID]]`: what a heap dump holds, and why.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/diag_say.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/values.h"
#include "heap/question.h"
#include "jvm/outside.h"

enum {
    OPT_JSON = 1,
    OPT_TOP,
    OPT_MEMORY,
    OPT_TMP,
    OPT_DUMP,
    OPT_SIZES,
    OPT_WEAK,
    OPT_VALUES,
    OPT_VERIFY,
    OPT_MARKDOWN,
    OPT_FAIL_ABOVE,
    OPT_INDEX,
    OPT_NO_INDEX,
    ROWS_MAX = 1000000,
    ROWS_DEFAULT = 20,
};

static const struct opt options[] = {
    {OPT_JSON, 0, "json", NULL, "answer as JSON, for programs"},
    {OPT_TOP, 'n', "top", "N", "rows in each table (20)"},
    {OPT_MEMORY, 0, "memory", "SIZE", "memory to use at most (a quarter of what is left)"},
    {OPT_TMP, 0, "tmp", "FOLDER", "folder for temporary files (the folder of FILE)"},
    {OPT_INDEX, 0, "index", NULL, "keep what was found in FILE.hidx, for further questions"},
    {OPT_NO_INDEX, 0, "no-index", NULL, "read no FILE.hidx"},
    {OPT_DUMP, 0, "dump", "N", "which heap dump of the file, from 1 (the last one)"},
    {OPT_SIZES, 0, "sizes", "vm|mat",
     "own sizes as the JVM had them, or by Eclipse MAT's formula (vm)"},
    {OPT_WEAK, 0, "weak", NULL, "weak, soft, phantom and final references keep objects alive, too"},
    {OPT_VALUES, 0, "values", NULL, "JSON has the contents of strings and primitive fields, too"},
    {OPT_VERIFY, 0, "verify", NULL, "prove dominators and retained sizes before answering"},
    {OPT_MARKDOWN, 0, "md", NULL, "answer as Markdown, for tickets"},
    {OPT_FAIL_ABOVE, 0, "fail-above", "P%:CLASS|total",
     "diff: exit status 1 where CLASS, or the heap, retains more by P percent"},
    {0},
};

struct request {
    const struct cmd *cmd;
    struct graph_options options;
    struct question_asked asked;
    const struct question *question;
    const char *file, *question_word, *id;
    struct question_limit limit;
    int words;
    bool with_values, is_verified, keeps_index;
};

static int take_sizes(struct request *r, const char *value)
{
    if (strcmp(value, "vm") == 0)
        r->options.sizes = GRAPH_SIZES_VM;
    else if (strcmp(value, "mat") == 0)
        r->options.sizes = GRAPH_SIZES_MAT;
    else
        return say("heap: --sizes '%s': wanted is vm or mat", value), E_SYNTAX;
    return 0;
}

static int take_word(struct request *r, const char *word)
{
    switch (r->words++) {
    case 0:
        r->file = word;
        return 0;
    case 1:
        r->question_word = word;
        return 0;
    case 2:
        r->id = word;
        return 0;
    default:
        say("heap: '%s' is one word too many; usage: hprof heap [OPTION...] %s", word,
            r->cmd->operands);
        return E_SYNTAX;
    }
}

/* Takes "10%:java.lang.String" or "10%:total". */
static int take_limit(struct request *r, const char *value)
{
    char *end;
    r->limit.percent = strtod(value, &end);
    if (end == value || strncmp(end, "%:", 2) != 0 || end[2] == '\0' || !(r->limit.percent >= 0))
        return say("heap: --fail-above '%s': wanted is a growth, as in 10%%:java.lang.String or "
                   "10%%:total",
                   value),
               E_SYNTAX;
    r->limit.class_name = strcmp(end + 2, "total") == 0 ? NULL : end + 2;
    r->asked.limit = &r->limit;
    return 0;
}

/* Errors: 0; negative after saying why. */
static int take_option(struct request *r, int id, const char *value)
{
    switch (id) {
    case OPT_JSON:
        r->asked.is_json = true;
        return 0;
    case OPT_TOP:
        return values_count(r->cmd, "top", value, ROWS_MAX, &r->asked.rows);
    case OPT_MEMORY:
        return values_size(r->cmd, "memory", value, &r->options.memory_bytes);
    case OPT_TMP:
        r->options.tmp = value;
        return 0;
    case OPT_DUMP:
        return values_count(r->cmd, "dump", value, ROWS_MAX, &r->options.dump);
    case OPT_SIZES:
        return take_sizes(r, value);
    case OPT_WEAK:
        r->options.follows_weak = true;
        return 0;
    case OPT_VALUES:
        r->with_values = true;
        return 0;
    case OPT_VERIFY:
        r->is_verified = true;
        return 0;
    case OPT_INDEX:
        r->keeps_index = true;
        return 0;
    case OPT_NO_INDEX:
        r->options.skips_index = true;
        return 0;
    case OPT_MARKDOWN:
        r->asked.is_markdown = true;
        return 0;
    case OPT_FAIL_ABOVE:
        return take_limit(r, value);
    case OPTS_WORD:
        return take_word(r, value);
    default:
        return E_SYNTAX;
    }
}

/* `hprof heap diff BEFORE AFTER`: the question stands before the files. */
static int find_comparison(struct request *r)
{
    for (const struct question *const *q = question_all; *q; q++) {
        if (!(*q)->compares || strcmp((*q)->name, r->file) != 0)
            continue;
        if (!r->id)
            return say("heap: %s: two dumps are compared; usage: hprof heap %s BEFORE AFTER",
                       r->file, r->file),
                   E_SYNTAX;
        r->question = *q;
        r->asked.other = r->question_word;
        r->file = r->id;
        r->id = NULL;
        r->options.memory_bytes /= 2; /* both are open at one time */
        return 0;
    }
    return 0;
}

static void say_questions(const char *word)
{
    char names[512] = "";
    size_t len = 0;
    for (const struct question *const *q = question_all; *q && len < sizeof(names); q++)
        len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len > 0 ? ", " : "",
                                (*q)->name);
    say("heap: there is no question '%s'; there are: %s", word, names);
}

static int find_question(struct request *r)
{
    int error = find_comparison(r);
    if (error < 0 || r->question)
        return error;
    if (r->asked.limit)
        return say("heap: --fail-above is for diff, which compares two dumps"), E_SYNTAX;
    r->question = question_all[0];
    if (!r->question_word)
        return 0;
    for (const struct question *const *q = question_all; *q; q++) {
        if (strcmp((*q)->name, r->question_word) != 0)
            continue;
        r->question = *q;
        if ((*q)->compares)
            return say("heap: two dumps are compared; usage: hprof heap %s BEFORE AFTER",
                       (*q)->name),
                   E_SYNTAX;
        bool wants_id = (*q)->operand && (*q)->operand[0] != '[';
        if (wants_id && !r->id)
            return say("heap: %s: name an object by its id, as in: %s 0x7f0011223344", (*q)->name,
                       (*q)->name),
                   E_SYNTAX;
        if (!(*q)->operand && r->id)
            return say("heap: %s: takes no argument, not '%s'", (*q)->name, r->id), E_SYNTAX;
        return 0;
    }
    say_questions(r->question_word);
    return E_NOT_FOUND;
}

/* The object with the id that the user wrote. Errors: negative after saying why. */
static int find_object(struct request *r)
{
    char *end;
    r->asked.object = GRAPH_NONE;
    if (!r->id)
        return 0;
    errno = 0;
    uint64_t id = strtoull(r->id, &end, 16);
    if (end == r->id || *end != '\0' || errno != 0 || r->id[0] == '-')
        return say("heap: '%s' is no id; ids are written as in 0x7f0011223344", r->id), E_SYNTAX;
    r->asked.object = graph_find(r->asked.graph, id);
    if (r->asked.object != GRAPH_NONE)
        return 0;
    say("heap: %s: the dump has no object with the id %s", r->file, r->id);
    return E_NOT_FOUND;
}

static int prepare(struct request *r)
{
    char why[GRAPH_WHY];
    bool needs = r->question->needs_dominators || r->is_verified;
    int error = needs ? graph_dominate(r->asked.graph, why) : 0;
    if (error < 0)
        return say("heap: %s: %s", r->file, why), error;
    error = r->is_verified ? graph_verify(r->asked.graph, why) : 0;
    if (error < 0)
        say("heap: %s: not verified: %s", r->file, why);
    else if (r->is_verified)
        say("heap: %s: verified: the dominators and retained sizes of %llu objects", r->file,
            (unsigned long long)graph_facts(r->asked.graph)->reachable);
    return error;
}

static int answer(struct request *r)
{
    struct plainout out;
    int error = prepare(r);
    if (error < 0)
        return error;
    if (find_object(r) < 0)
        return E_NOT_FOUND;
    error = plainout_open(&out, r->asked.is_json || r->asked.is_markdown);
    if (error < 0)
        return say("heap: %s", err_text(error)), error;
    r->asked.out = &out.sink;
    r->asked.with_values = r->with_values || (!r->asked.is_json && !r->asked.is_markdown);
    r->asked.options = &r->options;
    bool is_code = r->asked.is_markdown && !r->asked.is_json && !r->question->has_markdown;
    if (is_code)
        sink_text(&out.sink, "```\n");
    error = r->question->answer(&r->asked);
    if (is_code)
        sink_text(&out.sink, "```\n");
    int written = plainout_done(&out);
    if (error < 0 && r->question->compares && r->asked.why)
        say("heap: %s", r->asked.why); /* it names the file itself */
    else if (error < 0)
        say("heap: %s: %s", r->file, r->asked.why ? r->asked.why : err_text(error));
    else if (written < 0)
        say("heap: cannot write: %s", err_text(written));
    return error < 0 ? error : written;
}

/* Writes FILE.hidx, after saying how large it is. Errors: negative after saying why. */
static int keep_index(struct request *r)
{
    char why[GRAPH_WHY];
    struct graph *g = r->asked.graph;
    int error = graph_dominate(g, why);
    if (error < 0)
        return say("heap: %s: %s", r->file, why), error;
    if (graph_is_kept(g))
        return 0;
    say("heap: %s.hidx: %llu KB", r->file, (unsigned long long)graph_keep_bytes(g) >> 10);
    error = graph_keep_write(g, why);
    if (error < 0)
        say("heap: %s", why);
    return error;
}

/* Says what failed below the answer. Errors: negative after saying why. */
static int judge_tables(const struct request *r)
{
    int error = graph_error(r->asked.graph);
    if (error == E_FORMAT)
        say("heap: %s.hidx is damaged, so the answer is not to be believed; remove the file, or "
            "use "
            "--no-index",
            r->file);
    else if (error < 0)
        say("heap: %s: a temporary file failed: %s; the answer is not to be believed", r->file,
            err_text(error));
    return error;
}

/* Says what is wrong with the file, if the answer does not. Returns an exit status. */
static int judge_damage(const struct request *r)
{
    const struct graph_damage *d = &graph_facts(r->asked.graph)->damage;
    if (!d->is_cut && d->unknown_records == 0)
        return CMD_OK;
    if (d->is_cut)
        say("heap: %s: the file ends in the middle; the answer is of what is whole in it", r->file);
    else
        say("heap: %s: damaged at byte %llu; the answer is of what could be read", r->file,
            (unsigned long long)d->unknown_at);
    return CMD_FAILED;
}

/* Says why an input is no dump; of a core or a JVM, how its heap gets into one. */
static void say_no_dump(const char *input, const char *why)
{
    if (outside_is_core(input))
        say("heap: %s: a core file; write its heap first: hprof dump-heap %s FILE.hprof", input,
            input);
    else if (access(input, F_OK) != 0 && !strchr(input, '/') && !strstr(input, ".hprof"))
        say("heap: %s: %s; of a running JVM write the heap first: hprof dump-heap --fork %s "
            "FILE.hprof",
            input, why, input);
    else
        say("heap: %s: %s", input, why);
}

static int ask(struct request *r)
{
    char why[GRAPH_WHY];
    r->options.diag = diag_say();
    int error = graph_open(r->file, &r->options, &r->asked.graph, why);
    if (error < 0) {
        say_no_dump(r->file, why);
        return CMD_FAILED;
    }
    r->asked.file = r->file;
    error = answer(r);
    if (error == 0 && r->keeps_index)
        error = keep_index(r);
    if (error == 0)
        error = judge_tables(r);
    int status = error < 0 || r->asked.is_above_limit ? CMD_FAILED : judge_damage(r);
    graph_close(r->asked.graph);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.cmd = self, .asked = {.rows = ROWS_DEFAULT, .object = GRAPH_NONE}};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (id == OPTS_ERROR || take_option(&r, id, opts.value) < 0)
            return CMD_USAGE;
    }
    if (!r.file) {
        say("heap: no file named; usage: hprof heap [OPTION...] %s", self->operands);
        return CMD_USAGE;
    }
    return find_question(&r) < 0 ? CMD_USAGE : ask(&r);
}

const struct cmd cmd_heap = {
    .name = "heap",
    .group = CMD_READS,
    .help = "Tell what a heap dump holds, and why it is still there",
    .operands = "FILE [QUESTION [ID]] | diff BEFORE AFTER",
    .needs = "a file",
    .others = "jhat mat",
    .options = options,
    .run = run,
};
