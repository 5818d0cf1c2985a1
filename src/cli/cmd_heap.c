/*
 * cmd_heap.c - `hprof heap INPUT [QUESTION [ID]]`: what a heap holds, and why; and
 * `hprof heap diff BEFORE... AFTER`: what grew.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "cli/heap_output.h"
#include "cli/heap_rates.h"
#include "cli/heap_target.h"
#include "command/diag_say.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"
#include "heap/allocrates.h"
#include "heap/classgroup.h"
#include "heap/heapinput.h"
#include "heap/heapspool.h"
#include "heap/heaptally.h"
#include "heap/heaptally_answer.h"
#include "heap/heaptrend.h"
#include "heap/question.h"
#include "heappage/heappage.h"
#include "jvm/max_stop.h"

enum {
    OPT_JSON = HEAP_TARGET_OPT_OWN,
    OPT_TOP,
    OPT_ALL,
    OPT_BY,
    OPT_MEMORY,
    OPT_TMP,
    OPT_DUMP,
    OPT_SIZES,
    OPT_WEAK,
    OPT_VALUES,
    OPT_VERIFY,
    OPT_MARKDOWN,
    OPT_FAIL_ABOVE,
    OPT_SHALLOW,
    OPT_INDEX,
    OPT_NO_INDEX,
    OPT_OUTPUT,
    ROWS_MAX = 1000000,
    ROWS_DEFAULT = 20,
    WORDS_MAX = 1 + HEAPTREND_MOST, /* a question, and the heaps that it compares */
};

static const struct opt options[] = {
    {OPT_JSON, 0, "json", NULL, "answer as JSON, for programs"},
    {OPT_TOP, 'n', "top", "N", "rows in each table (20); path: so many paths (1)"},
    {OPT_ALL, 0, "all", NULL, "path: one path from each root that leads to the object"},
    {OPT_BY, 0, "by", "class|loader|package", "histo: what is counted together (class)"},
    {OPT_MEMORY, 0, "memory", "SIZE", "memory to use at most (a quarter of what is left)"},
    {OPT_TMP, 0, "tmp", "FOLDER", "folder for temporary files (that of the dump, or TMPDIR)"},
    {OPT_INDEX, 0, "index", NULL, "keep what was found in FILE.hidx, for further questions"},
    {OPT_NO_INDEX, 0, "no-index", NULL, "read no FILE.hidx"},
    {OPT_DUMP, 0, "dump", "N", "which heap dump of the file, from 1 (the last one)"},
    {OPT_SIZES, 0, "sizes", "vm|mat",
     "own sizes as the JVM had them, or by Eclipse MAT's formula (vm)"},
    {OPT_WEAK, 0, "weak", NULL, "weak, soft, phantom and final references keep objects alive, too"},
    {OPT_VALUES, 0, "values", NULL,
     "JSON and Markdown have the contents of strings and primitive fields, too"},
    {OPT_VERIFY, 0, "verify", NULL, "prove dominators and retained sizes before answering"},
    {OPT_MARKDOWN, 0, "md", NULL, "answer as Markdown, for tickets"},
    {OPT_OUTPUT, 'o', "output", "FILE", "write x.html, the heap as a page; or x.md, x.json"},
    {OPT_FAIL_ABOVE, 0, "fail-above", "P%:CLASS|total",
     "diff: exit status 1 where CLASS, or the heap, retains more by P percent"},
    {OPT_SHALLOW, 0, "shallow", NULL, "histo: own sizes alone, in one pass with little memory"},
    HEAP_TARGET_ROWS,
    {0},
};

struct request {
    const struct cmd *cmd;
    struct heap_target target;
    struct graph_options options;
    struct question_asked asked;
    const struct question *question;
    const char *words[WORDS_MAX];
    int word_count;
    const char *file;    /* the heap that is asked; of several the last one */
    const char *operand; /* what stands behind the question; NULL: nothing */
    const char *output;
    enum heap_output_form form;
    struct question_limit limit;
    bool with_values, is_verified, is_shallow, has_by, is_all, keeps_index;
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

static int take_by(struct request *r, const char *value)
{
    for (int by = QUESTION_BY_CLASS; by <= QUESTION_BY_PACKAGE; by++) {
        if (strcmp(value, classgroup_word((enum question_by)by)) != 0)
            continue;
        r->asked.by = (enum question_by)by;
        r->has_by = true;
        return 0;
    }
    say("heap: --by '%s': wanted is class, loader or package", value);
    return E_SYNTAX;
}

static int say_too_many(const struct request *r, const char *word)
{
    say("heap: '%s' is one word too many; usage: hprof heap [OPTION...] %s", word,
        r->cmd->operands);
    return E_SYNTAX;
}

static int take_word(struct request *r, const char *word)
{
    if (r->word_count == WORDS_MAX)
        return say_too_many(r, word);
    r->words[r->word_count++] = word;
    return 0;
}

static int take_rows(struct request *r, const char *value)
{
    int error = values_count(r->cmd, "top", value, ROWS_MAX, &r->asked.rows);
    r->asked.paths = r->is_all ? UINT64_MAX : r->asked.rows;
    return error;
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
static int take_option(struct request *r, int id, const struct opts *opts)
{
    const char *value = opts->value;
    switch (id) {
    case OPT_JSON:
        r->asked.is_json = true;
        return 0;
    case OPT_TOP:
        return take_rows(r, value);
    case OPT_ALL:
        r->is_all = true;
        r->asked.paths = UINT64_MAX;
        return 0;
    case OPT_BY:
        return take_by(r, value);
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
    case OPT_SHALLOW:
        r->is_shallow = true;
        return 0;
    case OPT_OUTPUT:
        r->output = value;
        return heap_output_form(value, &r->form);
    case OPTS_WORD:
        return take_word(r, value);
    default:
        return heap_target_take_option(&r->target, opts, id) < 0 ? 0 : E_SYNTAX;
    }
}

/* `hprof heap diff BEFORE... AFTER`: the question stands before the files. */
static int find_comparison(struct request *r)
{
    const struct question *q = question_named(r->words[0]);
    if (!q || !q->compares)
        return 0;
    if (r->word_count < 3)
        return say("heap: %s: two heaps or more are compared; usage: hprof heap %s %s", q->name,
                   q->name, q->operand),
               E_SYNTAX;
    r->question = q;
    r->asked.several.files = r->words + 1;
    r->asked.several.count = (uint32_t)r->word_count - 1;
    r->asked.several.verifies = r->is_verified;
    r->file = r->words[r->word_count - 1]; /* what is no file can only be the last */
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

/* Whether the question can be asked as the user wrote it. */
static int check_operand(const struct request *r)
{
    const struct question *q = r->question;
    bool must_be = q->operand && q->operand[0] != '[';
    if (q->compares)
        return say("heap: two heaps or more are compared; usage: hprof heap %s %s", q->name,
                   q->operand),
               E_SYNTAX;
    if (must_be && !r->operand && q->takes_recording)
        return say("heap: %s: name a recording, as in: %s alloc.jfr", q->name, q->name), E_SYNTAX;
    if (must_be && !r->operand)
        return say("heap: %s: name an object by its id, as in: %s 0x7f0011223344", q->name,
                   q->name),
               E_SYNTAX;
    if (!q->operand && r->operand)
        return say("heap: %s: takes no argument, not '%s'", q->name, r->operand), E_SYNTAX;
    return 0;
}

/* An option that needs the graph of a heap; NULL: none was given. */
static const char *option_of_graph(const struct request *r)
{
    return r->has_by ? "--by" : r->is_verified ? "--verify" : r->keeps_index ? "--index" : NULL;
}

static bool is_histo(const struct request *r)
{
    return strcmp(r->question->name, "histo") == 0;
}

/* Whether the options are for this question. */
static int check_options(const struct request *r)
{
    const char *name = r->question->name, *of_graph = option_of_graph(r);
    if (r->asked.limit && !r->question->compares)
        return say("heap: --fail-above is for diff, which compares heaps"), E_SYNTAX;
    if (r->is_shallow && !is_histo(r))
        return say("heap: --shallow is for histo: %s needs the graph of the heap", name), E_SYNTAX;
    if (r->is_shallow && of_graph)
        return say("heap: %s needs the graph of the heap, which --shallow does without", of_graph),
               E_SYNTAX;
    if (r->has_by && !is_histo(r))
        return say("heap: --by is for histo, not for %s", name), E_SYNTAX;
    if (r->is_all && strcmp(name, "path") != 0)
        return say("heap: --all is for path, not for %s", name), E_SYNTAX;
    if (r->keeps_index && r->question->compares)
        return say("heap: --index is for a question about one heap, not for %s", name), E_SYNTAX;
    return 0;
}

static int find_question(struct request *r)
{
    int error = find_comparison(r);
    if (error < 0 || r->question)
        return error < 0 ? error : check_options(r);
    r->file = r->words[0];
    r->operand = r->word_count > 2 ? r->words[2] : NULL;
    if (r->word_count > 3)
        return say_too_many(r, r->words[3]);
    r->question = r->word_count > 1 ? question_named(r->words[1]) : question_all[0];
    if (!r->question)
        return say_questions(r->words[1]), E_NOT_FOUND;
    error = check_operand(r);
    return error < 0 ? error : check_options(r);
}

/* The object that the user named, by its id or as a class. Errors: negative after saying why. */
static int find_object(struct request *r)
{
    char *end;
    struct graph *g = r->asked.graph;
    r->asked.object = GRAPH_NONE;
    if (!r->operand || r->question->takes_recording)
        return 0;
    errno = 0;
    uint64_t id = strtoull(r->operand, &end, 16);
    bool is_id = end != r->operand && *end == '\0' && errno == 0 && r->operand[0] != '-';
    if (is_id)
        r->asked.object = graph_find(g, id);
    if (r->asked.object != GRAPH_NONE)
        return 0;
    graph_class klass = graph_class_named(g, r->operand);
    if (klass != GRAPH_NO_CLASS)
        r->asked.object = graph_class_at(g, klass)->object;
    if (r->asked.object != GRAPH_NONE)
        return 0;
    if (is_id)
        say("heap: %s: the dump has no object with the id %s", r->file, r->operand);
    else
        say("heap: %s: '%s' is no id, as in 0x7f0011223344, and the dump has no class of this name",
            r->file, r->operand);
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

/* Errors: those of the question, after saying why. */
static int ask_question(struct request *r, struct sink *out)
{
    r->asked.out = out;
    r->asked.with_values = r->with_values || (!r->asked.is_json && !r->asked.is_markdown);
    r->asked.options = &r->options;
    int error = r->question->answer(&r->asked);
    if (error < 0 && r->question->compares && r->asked.why)
        say("heap: %s", r->asked.why); /* it names the file itself */
    else if (error < 0)
        say("heap: %s: %s", r->file, r->asked.why ? r->asked.why : err_text(error));
    return error;
}

static int write_page(struct request *r, struct sink *out)
{
    struct heappage_asked asked = {.graph = r->asked.graph,
                                   .file = r->file,
                                   .with_values = r->with_values,
                                   .diag = r->options.diag};
    int error = heappage_write(&asked, out);
    if (error < 0)
        say("heap: %s: %s", r->file, asked.why ? asked.why : err_text(error));
    return error;
}

/* Writes the answer to a question whose graph is there. */
static int answer(struct request *r)
{
    struct heap_output output;
    int error = heap_output_open(r->output, r->asked.is_json || r->asked.is_markdown, &output);
    if (error < 0)
        return error;
    error = r->form == HEAP_OUTPUT_PAGE ? write_page(r, output.sink) : ask_question(r, output.sink);
    return heap_output_close(&output, error);
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
        say("heap: %s.hidx is damaged, so the answer is not to be believed; remove the file, "
            "or use --no-index",
            r->file);
    else if (error < 0)
        say("heap: %s: a temporary file failed: %s; the answer is not to be believed", r->file,
            err_text(error));
    return error;
}

/* Says what is wrong with the file, if the answer does not. Returns an exit status. */
static int judge_damage(const struct request *r, const struct graph_facts *facts)
{
    const struct graph_damage *d = &facts->damage;
    if (!d->is_cut && d->unknown_records == 0)
        return CMD_OK;
    if (d->is_cut)
        say("heap: %s: the file ends in the middle; the answer is of what is whole in it", r->file);
    else
        say("heap: %s: damaged at byte %llu; the answer is of what could be read", r->file,
            (unsigned long long)d->unknown_at);
    return CMD_FAILED;
}

/* A question about several heaps, which it opens one after the other. */
static int ask_several(struct request *r)
{
    int error = answer(r);
    if (error == 0 && r->asked.several.is_damaged)
        say("heap: a file is damaged; the answer is of what could be read");
    return error < 0 || r->asked.is_above_limit || r->asked.several.is_damaged ? CMD_FAILED
                                                                               : CMD_OK;
}

static int ask_graph(struct request *r)
{
    char why[GRAPH_WHY];
    int error = graph_open(r->file, &r->options, &r->asked.graph, why);
    if (error < 0) {
        say("heap: %s: %s", r->file, why);
        return CMD_FAILED;
    }
    error = prepare(r);
    if (error == 0)
        error = find_object(r);
    if (error == 0)
        error = answer(r);
    if (error == 0 && r->keeps_index)
        error = keep_index(r);
    if (error == 0)
        error = judge_tables(r);
    int status = error < 0 ? CMD_FAILED : judge_damage(r, graph_facts(r->asked.graph));
    graph_close(r->asked.graph);
    return status;
}

/* ---- one pass */

static int answer_tally(struct request *r, const struct heaptally *t)
{
    struct heap_output output;
    int error = heap_output_open(r->output, r->asked.is_json || r->asked.is_markdown, &output);
    if (error == 0) {
        r->asked.out = output.sink;
        heaptally_answer(t, &r->asked);
        error = heap_output_close(&output, 0);
        r->asked.out = NULL;
    }
    return error < 0 ? CMD_FAILED : judge_damage(r, heaptally_facts(t));
}

static int count_stream(struct request *r, int fd)
{
    struct heapinput in;
    struct heaptally *tally = NULL;
    char why[GRAPH_WHY];
    int error = heapinput_open_stream(&in, fd);
    if (error < 0) {
        say("heap: %s: %s", r->file, err_text(error));
        return CMD_FAILED;
    }
    error = heaptally_read(&in, &r->options, &tally, why);
    if (error < 0)
        say("heap: %s: %s", r->file, why);
    else if (in.stream->error < 0)
        say("heap: %s: %s", r->file, in.stream->why ? in.stream->why : err_text(in.stream->error));
    int status = error < 0 ? CMD_FAILED : answer_tally(r, tally);
    heaptally_free(tally);
    heapinput_close(&in);
    return status;
}

/* Counts a file, which may be a pipe with a name. */
static int count_file(struct request *r)
{
    int fd = open(r->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        say("heap: %s: %s", r->file, err_text(-errno));
        return CMD_FAILED;
    }
    int status = count_stream(r, fd);
    close(fd);
    return status;
}

/* ---- the input */

/* Asks the file that the user named. */
static int ask_named(struct request *r)
{
    if (r->question->compares)
        return ask_several(r);
    return r->is_shallow ? count_file(r) : ask_graph(r);
}

/* Asks a dump that has no name, and takes it over; of heaps that are compared it is the last. */
static int ask_taken(struct request *r, struct heapinput *in)
{
    int status;
    r->options.tmp = heapspool_folder(r->options.tmp);
    if (r->question->compares) {
        r->asked.several.last = in;
        status = ask_several(r);
    } else if (r->is_shallow) {
        status = count_stream(r, in->fd);
    } else {
        r->options.input = in;
        r->options.skips_index = true;
        status = ask_graph(r);
    }
    r->asked.several.last = r->options.input = NULL;
    heapinput_close(in);
    return status;
}

static int take_and_ask(struct request *r, enum heap_target_kind kind)
{
    struct question_origin origin;
    struct heapinput in;
    r->target.tmp = r->options.tmp;
    r->target.wants_elements =
        r->question->needs_elements || r->with_values || r->form == HEAP_OUTPUT_PAGE;
    int status = heap_target_take(&r->target, &in, &origin);
    if (in.fd >= 0) {
        r->asked.origin = kind == HEAP_TARGET_CORE ? &origin : NULL;
        int asked = ask_taken(r, &in);
        status = asked > status ? asked : status;
        if (asked == CMD_OK && kind == HEAP_TARGET_JVM && !r->question->compares)
            say("heap: the ids are those of this moment; to ask more about them, keep a dump: "
                "hprof dump-heap %s %s FILE.hprof",
                r->target.line.is_outside ? "--outside" : "--fork", r->file);
    }
    r->asked.origin = NULL;
    heap_target_origin_done(&origin);
    return status;
}

/* Whether the heaps in front of the last one may be files. A JVM's name may be that of a file which
 * is not there, and is said to be. Returns an exit status. */
static int check_files(const struct request *r)
{
    for (uint32_t i = 0; i + 1 < r->asked.several.count; i++) {
        const struct heap_target t = {.line.q.target = r->asked.several.files[i]};
        enum heap_target_kind kind = heap_target_kind(&t);
        if (kind == HEAP_TARGET_FILE || kind == HEAP_TARGET_JVM)
            continue;
        say("heap: %s: '%s' is no dump in a file; only the last heap may be a JVM, a core or "
            "standard input",
            r->question->name, t.line.q.target);
        return CMD_USAGE;
    }
    return CMD_OK;
}

static int ask(struct request *r)
{
    r->options.diag = diag_say();
    r->asked.file = r->file;
    r->target.line.q.target = r->file;
    enum heap_target_kind kind = heap_target_kind(&r->target);
    int status = heap_target_check(&r->target, kind);
    if (status == CMD_OK)
        status = check_files(r);
    if (status != CMD_OK)
        return status;
    if (r->keeps_index && kind != HEAP_TARGET_FILE) {
        say("heap: %s: --index is for a dump that lies in a file", r->file);
        return CMD_USAGE;
    }
    if (kind == HEAP_TARGET_STREAM && is_histo(r) && !option_of_graph(r))
        return count_stream(r, STDIN_FILENO);
    /* First, for the heap takes longer, and a JVM should not stand still for nothing. */
    if (r->question->takes_recording && heap_rates_read(r->operand, &r->asked.rates) < 0)
        return CMD_FAILED;
    status = kind == HEAP_TARGET_FILE ? ask_named(r) : take_and_ask(r, kind);
    allocrates_free(r->asked.rates);
    return status;
}

/* Whether -o goes together with the rest. Errors: negative after saying why. */
static int check_output(struct request *r)
{
    if (r->asked.is_json && r->asked.is_markdown)
        return say("heap: --json or --md: an answer has one form"), E_SYNTAX;
    if (r->form == HEAP_OUTPUT_PAGE &&
        (r->question != question_all[0] || r->asked.is_json || r->asked.is_markdown)) {
        say("heap: -o '%s': a page has the answers to all questions; it takes neither a "
            "question nor another form",
            r->output);
        return E_SYNTAX;
    }
    r->asked.is_json |= r->form == HEAP_OUTPUT_JSON;
    r->asked.is_markdown |= r->form == HEAP_OUTPUT_MARKDOWN;
    if (r->asked.is_json && r->asked.is_markdown)
        return say("heap: -o '%s': its suffix asks for another form than the options", r->output),
               E_SYNTAX;
    return 0;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.cmd = self,
                        .target = {.line.q.cmd = self, .max_stop_ns = max_stop_usual_ns},
                        .asked = {.rows = ROWS_DEFAULT, .paths = 1, .object = GRAPH_NONE}};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (id == OPTS_ERROR || take_option(&r, id, &opts) < 0)
            return CMD_USAGE;
    }
    if (r.word_count == 0) {
        say("heap: no dump, JVM or core named; usage: hprof heap [OPTION...] %s", self->operands);
        return CMD_USAGE;
    }
    if (find_question(&r) < 0 || check_output(&r) < 0)
        return CMD_USAGE;
    return r.output && outfile_check_folder("heap", r.output) < 0 ? CMD_FAILED : ask(&r);
}

const struct cmd cmd_heap = {
    .name = "heap",
    .group = CMD_READS,
    .help = "Tell what a heap holds, and why it is still there",
    .operands = "FILE|TARGET|CORE|- [QUESTION [ID]] | diff BEFORE... AFTER",
    .needs = "a heap dump, a live JVM or a core file",
    .others = "jhat mat",
    .options = options,
    .run = run,
};
