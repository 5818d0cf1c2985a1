/*
 * question_page.c - the page without a question: how large the heap is, what holds it, through
 * which root, and what to ask next. SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/plural.h"
#include "heap/heapanswer.h"
#include "heap/heaviest.h"
#include "heap/heavytree.h"
#include "heap/objname.h"
#include "heap/objrow.h"
#include "heap/question.h"

enum {
    HOLDERS = 5,
    WORTH = 5,          /* percent: what holds less is not worth a line for people */
    COMMAND_ROOM = 4096 /* the name of a file, and a question */
};

struct page {
    struct question_asked *asked;
    struct heapanswer answer;
    struct heavytree tree;
};

static void put_damage(struct page *p)
{
    const struct graph_damage *d = &graph_facts(p->asked->graph)->damage;
    struct heapanswer *a = &p->answer;
    heapanswer_object(a, "damage");
    heapanswer_fact_bool(a, "is_cut", d->is_cut);
    heapanswer_fact(a, "missing_bytes", NULL, HEAPANSWER_COUNT, d->missing_bytes);
    heapanswer_fact(a, "unknown_records", NULL, HEAPANSWER_COUNT, d->unknown_records);
    heapanswer_fact(a, "duplicates", NULL, HEAPANSWER_COUNT, d->duplicates);
    heapanswer_object_end(a);
    if (d->is_cut)
        heapanswer_say(a, "  the file is cut: what is whole in it is shown");
    if (d->unknown_records > 0)
        heapanswer_say(a,
                       "  %" PRIu64 " segment%s could not be read to the end, the first one at "
                       "byte %" PRIu64,
                       d->unknown_records, plural_s(d->unknown_records), d->unknown_at);
    if (d->duplicates > 0)
        heapanswer_say(a, "  %" PRIu64 " object%s have an id that another one has", d->duplicates,
                       plural_s(d->duplicates));
}

/* The JVM that left the core. */
static void put_origin(struct page *p)
{
    const struct question_origin *o = p->asked->origin;
    struct heapanswer *a = &p->answer;
    char signal[128] = "";
    if (!o)
        return;
    if (o->signal != 0)
        snprintf(signal, sizeof(signal), ", which signal %d ended (%s)", o->signal,
                 strsignal(o->signal));
    heapanswer_say(a, "  from the core of process %d%s%s%s", o->pid, signal,
                   o->thread ? "; thread: " : "", o->thread ? o->thread : "");
    if (o->command)
        heapanswer_say(a, "  command: %s", o->command);
    if (o->flags)
        heapanswer_say(a, "  flags:   %s", o->flags);
    heapanswer_object(a, "jvm");
    heapanswer_fact(a, "pid", NULL, HEAPANSWER_COUNT, (uint64_t)o->pid);
    heapanswer_fact(a, "signal", NULL, HEAPANSWER_COUNT, (uint64_t)o->signal);
    heapanswer_fact_text(a, "thread", NULL, o->thread);
    heapanswer_fact_text(a, "command", NULL, o->command);
    heapanswer_fact_text(a, "flags", NULL, o->flags);
    heapanswer_object_end(a);
}

static void put_facts(struct page *p)
{
    const struct graph_facts *f = graph_facts(p->asked->graph);
    struct heapanswer *a = &p->answer;
    heapanswer_fact_text(a, "file", NULL, p->asked->file);
    heapanswer_fact(a, "objects", NULL, HEAPANSWER_COUNT, f->objects);
    heapanswer_fact(a, "bytes", NULL, HEAPANSWER_BYTES, f->bytes);
    heapanswer_fact(a, "reachable_objects", NULL, HEAPANSWER_COUNT, f->reachable);
    heapanswer_fact(a, "reachable_bytes", NULL, HEAPANSWER_BYTES, f->reachable_bytes);
    heapanswer_fact(a, "classes", NULL, HEAPANSWER_COUNT, f->classes);
    heapanswer_fact(a, "roots", NULL, HEAPANSWER_COUNT, f->roots);
    heapanswer_fact(a, "threads", NULL, HEAPANSWER_COUNT, graph_thread_count(p->asked->graph));
    heapanswer_fact(a, "created_ms", NULL, HEAPANSWER_CHANGE_COUNT, (uint64_t)f->created_ms);
    heapanswer_object(a, "layout");
    heapanswer_fact(a, "id_bytes", NULL, HEAPANSWER_COUNT, f->layout.id_bytes);
    heapanswer_fact(a, "ref_bytes", NULL, HEAPANSWER_COUNT, f->layout.ref_bytes);
    heapanswer_fact(a, "header_bytes", NULL, HEAPANSWER_COUNT, f->layout.header_bytes);
    heapanswer_fact(a, "alignment", NULL, HEAPANSWER_COUNT, f->layout.alignment);
    heapanswer_fact_bool(a, "is_guessed", f->layout.is_guessed);
    heapanswer_object_end(a);
}

static void put_head(struct page *p)
{
    const struct graph_facts *f = graph_facts(p->asked->graph);
    char all[HEAPANSWER_BYTES_ROOM], reachable[HEAPANSWER_BYTES_ROOM], when[64] = "",
                                                                       which[64] = "";
    uint32_t threads = graph_thread_count(p->asked->graph);
    time_t seconds = (time_t)(f->created_ms / 1000);
    struct tm tm;
    if (gmtime_r(&seconds, &tm))
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
    if (f->dumps > 1)
        snprintf(which, sizeof(which), "; number %" PRIu32 " of %" PRIu32 " in the file", f->dump,
                 f->dumps);
    heapanswer_say(&p->answer,
                   "%s: %" PRIu64 " objects, %s; %s of them in %" PRIu64
                   " objects can be reached from the roots",
                   p->asked->file, f->objects, heapanswer_bytes(f->bytes, all),
                   heapanswer_bytes(f->reachable_bytes, reachable), f->reachable);
    heapanswer_say(&p->answer, "  dump of %s, %" PRIu64 " classes, %" PRIu32 " thread%s%s", when,
                   f->classes, threads, plural_s(threads), which);
    put_origin(p);
    heapanswer_say(&p->answer,
                   "  sizes%s: references of %u bytes, headers of %u, objects aligned to %u",
                   f->layout.is_guessed ? " by a guess, since the dump tells little" : "",
                   f->layout.ref_bytes, f->layout.header_bytes, f->layout.alignment);
}

/* Where most of what an object holds has come together. */
static graph_object place_in(const struct page *p, graph_object holder)
{
    uint32_t node = heavytree_find(&p->tree, holder);
    if (node == UINT32_MAX)
        return holder; /* it holds little */
    return p->tree.nodes[heavytree_accumulation(&p->tree, p->asked->graph, node)].object;
}

static void put_holder(struct page *p, graph_object holder, graph_object within)
{
    struct graph *g = p->asked->graph;
    char name[OBJNAME_ROOM], size[HEAPANSWER_BYTES_ROOM];
    objrow_put_cells(&p->answer, g, holder);
    heapanswer_number(&p->answer, graph_id(g, within));
    objrow_put_name(&p->answer, g, holder);
    if (objname_root(g, holder, name))
        heapanswer_note(&p->answer, "root: %s", name);
    else
        heapanswer_note(&p->answer, "several roots lead to it");
    if (within != holder)
        heapanswer_note(&p->answer, "most of it is in %s, %s", objname_full(g, within, name),
                        heapanswer_bytes(graph_retained(g, within), size));
}

/* Returns the object to look at first; GRAPH_NONE: nothing is held. */
static graph_object put_holders(struct page *p)
{
    static const struct heapanswer_column columns[] = {
        OBJROW_COLUMNS("retained", "share"),
        {"accumulation", NULL, HEAPANSWER_ID, 0},
        OBJROW_NAME,
    };
    struct graph *g = p->asked->graph;
    graph_object objects[HOLDERS], first = GRAPH_NONE;
    struct heaviest best = {.graph = g, .objects = objects, .room = HOLDERS};
    graph_each_dominated(g, GRAPH_ROOT, heaviest_keep, &best);
    heapanswer_table(&p->answer, "rows", "what holds it", columns, OBJROW_CELLS + 2);
    for (uint32_t i = 0; i < best.count; i++) {
        graph_object holder = best.objects[i];
        bool is_small = objrow_share(g, graph_retained(g, holder)) < WORTH;
        if (i > 0 && is_small && !p->asked->is_json)
            break; /* the others hold less */
        graph_object within = place_in(p, holder);
        first = i == 0 ? within : first;
        put_holder(p, holder, within);
    }
    heapanswer_table_end(&p->answer, "nothing can be reached");
    return first;
}

static void put_command(struct page *p, const char *question, const char *why)
{
    char command[COMMAND_ROOM];
    snprintf(command, sizeof(command), "hprof heap %s %s", p->asked->file, question);
    heapanswer_command(&p->answer, command, why);
}

static void put_next(struct page *p, graph_object first)
{
    static const struct {
        const char *word, *why;
    } about[] = {
        {"path", "why it is still there"}, {"tree", "what it holds"}, {"show", "what is in it"}};
    char question[64];
    heapanswer_heading(&p->answer, "ask next");
    for (size_t i = 0; i < sizeof(about) / sizeof(about[0]) && first != GRAPH_NONE; i++) {
        snprintf(question, sizeof(question), "%s 0x%" PRIx64, about[i].word,
                 graph_id(p->asked->graph, first));
        put_command(p, question, about[i].why);
    }
    put_command(p, "histo", "classes by what they retain");
    put_command(p, "top", "objects, classes, loaders and packages that hold most");
}

static int answer_page(struct question_asked *asked)
{
    struct page p = {.asked = asked};
    uint64_t all = graph_facts(asked->graph)->reachable_bytes;
    int error = heavytree_make_nodes(asked->graph, all / HEAVYTREE_SHARE, HEAVYTREE_MOST, &p.tree);
    if (error == 0) {
        heapanswer_begin(&p.answer, asked, "page");
        put_facts(&p);
        put_head(&p);
        put_damage(&p);
        put_next(&p, put_holders(&p));
        heapanswer_end(&p.answer);
    }
    heavytree_done(&p.tree);
    return error;
}

const struct question question_page = {
    .name = "page",
    .help = "How large the heap is, what holds it, through which root, what to ask next",
    .needs_dominators = true,
    .answer = answer_page,
};
