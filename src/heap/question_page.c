/*
 * question_page.c - the page without a question: how large the heap is, what holds it, through
 * which root, and what to ask next. SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "heap/question_text.h"

enum { HOLDERS = 5, WORTH = 5 /* percent: less holds nothing that is worth a line */ };

/* Going down from a holder stops where no child has this share of its parent, in percent. */
enum { MOST = 70, DOWN_MAX = 64 };

static void print_damage(struct question_asked *a)
{
    const struct graph_damage *d = &graph_facts(a->graph)->damage;
    if (d->is_cut)
        sink_text(a->out, "  the file is cut: what is whole in it is shown\n");
    if (d->unknown_records > 0)
        sink_printf(a->out,
                    "  %" PRIu64 " segment%s could not be read to the end, the first one at byte "
                    "%" PRIu64 "\n",
                    d->unknown_records, plural_s(d->unknown_records), d->unknown_at);
    if (d->duplicates > 0)
        sink_printf(a->out, "  %" PRIu64 " object%s have an id that another one has\n",
                    d->duplicates, plural_s(d->duplicates));
}

/* The JVM that left the core. */
static void print_origin(struct question_asked *a)
{
    const struct question_origin *o = a->origin;
    if (!o)
        return;
    sink_printf(a->out, "  from the core of process %d", o->pid);
    if (o->signal != 0)
        sink_printf(a->out, ", which signal %d ended (%s)", o->signal, strsignal(o->signal));
    if (o->thread)
        sink_printf(a->out, "; thread: %s", o->thread);
    sink_text(a->out, "\n");
    if (o->command)
        sink_printf(a->out, "  command: %s\n", o->command);
    if (o->flags)
        sink_printf(a->out, "  flags:   %s\n", o->flags);
}

static void print_json_origin(struct question_asked *a)
{
    const struct question_origin *o = a->origin;
    if (!o)
        return;
    sink_printf(a->out, ", \"jvm\": {\"pid\": %d, \"signal\": %d", o->pid, o->signal);
    const struct {
        const char *key, *value;
    } texts[] = {{"thread", o->thread}, {"command", o->command}, {"flags", o->flags}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        sink_printf(a->out, ", \"%s\": ", texts[i].key);
        if (texts[i].value)
            question_text_quoted(a, texts[i].value);
        else
            sink_text(a->out, "null");
    }
    sink_text(a->out, "}");
}

static void print_head(struct question_asked *a)
{
    const struct graph_facts *f = graph_facts(a->graph);
    char all[HEAPANSWER_BYTES_ROOM], reachable[HEAPANSWER_BYTES_ROOM], when[64] = "";
    time_t seconds = (time_t)(f->created_ms / 1000);
    struct tm tm;
    if (gmtime_r(&seconds, &tm))
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
    sink_printf(a->out, "%s: %" PRIu64 " objects, %s", a->file, f->objects,
                heapanswer_bytes(f->bytes, all));
    sink_printf(a->out, "; %s of them in %" PRIu64 " objects can be reached from the roots\n",
                heapanswer_bytes(f->reachable_bytes, reachable), f->reachable);
    sink_printf(a->out, "  dump of %s, %" PRIu64 " classes, %" PRIu32 " thread%s", when, f->classes,
                graph_thread_count(a->graph), plural_s(graph_thread_count(a->graph)));
    if (f->dumps > 1)
        sink_printf(a->out, "; number %" PRIu32 " of %" PRIu32 " in the file", f->dump, f->dumps);
    sink_text(a->out, "\n");
    print_origin(a);
    sink_printf(a->out, "  sizes%s: references of %u bytes, headers of %u, objects aligned to %u\n",
                f->layout.is_guessed ? " by a guess, since the dump tells little" : "",
                f->layout.ref_bytes, f->layout.header_bytes, f->layout.alignment);
    print_damage(a);
}

/* Goes down while one child holds most of what its parent holds. */
static graph_object find_accumulation(struct question_asked *a, graph_object from)
{
    for (int i = 0; i < DOWN_MAX; i++) {
        graph_object heir;
        struct question_text_best best = {.graph = a->graph, .objects = &heir, .room = 1};
        graph_each_dominated(a->graph, from, question_text_keep, &best);
        if (best.count == 0 ||
            graph_retained(a->graph, heir) / MOST < graph_retained(a->graph, from) / 100)
            break;
        from = heir;
    }
    return from;
}

/* Prints an object that holds much, and where in it most of that is. */
static void print_holder(struct question_asked *a, graph_object object, graph_object within)
{
    char size[HEAPANSWER_BYTES_ROOM];
    question_text_row(a, object);
    sink_text(a->out, "\n                      ");
    if (graph_root_of(a->graph, object)) {
        sink_text(a->out, "root: ");
        question_text_root(a, object);
    } else {
        sink_text(a->out, "several roots lead to it");
    }
    sink_text(a->out, "\n");
    if (within == object)
        return;
    sink_text(a->out, "                      most of it is in ");
    question_text_object(a, within);
    sink_printf(a->out, ", %s\n", heapanswer_bytes(graph_retained(a->graph, within), size));
}

/* `object` is what to look at first; GRAPH_NONE: nothing is held. */
static void print_next(struct question_asked *a, graph_object object)
{
    sink_text(a->out, "\nask next\n");
    if (object != GRAPH_NONE) {
        uint64_t id = graph_id(a->graph, object);
        sink_printf(a->out, "  hprof heap %s path 0x%" PRIx64 "   why it is still there\n", a->file,
                    id);
        sink_printf(a->out, "  hprof heap %s tree 0x%" PRIx64 "   what it holds\n", a->file, id);
        sink_printf(a->out, "  hprof heap %s show 0x%" PRIx64 "   what is in it\n", a->file, id);
    }
    sink_printf(a->out, "  hprof heap %s histo   classes by what they retain\n", a->file);
    sink_printf(a->out, "  hprof heap %s top     objects, classes and packages\n", a->file);
}

static void print_json(struct question_asked *a, const struct question_text_best *best)
{
    const struct graph_facts *f = graph_facts(a->graph);
    sink_text(a->out, "{\"question\": \"page\", \"file\": ");
    question_text_quoted(a, a->file);
    sink_printf(a->out,
                ", \"objects\": %" PRIu64 ", \"bytes\": %" PRIu64
                ", \"reachable_objects\": %" PRIu64 ", \"reachable_bytes\": %" PRIu64
                ", \"classes\": %" PRIu64 ", \"roots\": %" PRIu64,
                f->objects, f->bytes, f->reachable, f->reachable_bytes, f->classes, f->roots);
    print_json_origin(a);
    sink_printf(a->out,
                ", \"created_ms\": %" PRId64
                ", \"layout\": {\"id_bytes\": %u, \"ref_bytes\": %u, \"header_bytes\": %u, "
                "\"alignment\": %u, \"is_guessed\": %s}",
                f->created_ms, f->layout.id_bytes, f->layout.ref_bytes, f->layout.header_bytes,
                f->layout.alignment, f->layout.is_guessed ? "true" : "false");
    sink_printf(a->out,
                ", \"damage\": {\"is_cut\": %s, \"missing_bytes\": %" PRIu64
                ", \"unknown_records\": %" PRIu64 ", \"duplicates\": %" PRIu64 "}, \"rows\": [",
                f->damage.is_cut ? "true" : "false", f->damage.missing_bytes,
                f->damage.unknown_records, f->damage.duplicates);
    for (uint32_t i = 0; i < best->count; i++) {
        sink_text(a->out, i == 0 ? "\n  {" : ",\n  {");
        question_text_json(a, best->objects[i]);
        sink_printf(a->out, ", \"accumulation\": \"0x%" PRIx64 "\"}",
                    graph_id(a->graph, find_accumulation(a, best->objects[i])));
    }
    sink_text(a->out, "\n]}\n");
}

static int answer(struct question_asked *a)
{
    graph_object objects[HOLDERS];
    struct question_text_best best = {.graph = a->graph, .objects = objects, .room = HOLDERS};
    graph_each_dominated(a->graph, GRAPH_ROOT, question_text_keep, &best);
    if (a->is_json) {
        print_json(a, &best);
        return 0;
    }
    print_head(a);
    sink_printf(a->out, "\nwhat holds it\n%12s %7s  %s\n", "retained", "share", "object");
    graph_object first = GRAPH_NONE;
    for (uint32_t i = 0; i < best.count; i++) {
        graph_object holder = best.objects[i], within;
        if (i > 0 && question_text_share(a, graph_retained(a->graph, holder)) < WORTH)
            break; /* the others hold less */
        within = find_accumulation(a, holder);
        first = i == 0 ? within : first;
        print_holder(a, holder, within);
    }
    print_next(a, first);
    return 0;
}

const struct question question_page = {
    .name = "page",
    .help = "How large the heap is, what holds it, through which root, what to ask next",
    .needs_dominators = true,
    .answer = answer,
};
