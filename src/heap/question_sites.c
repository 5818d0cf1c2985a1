/*
 * question_sites.c - what was allocated where and is still held, by the trace of the allocation.
 *
 * The agent writes such traces with heap=dump and heap=sites; dumps of the JVM itself have none.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include "base/plural.h"
#include "heap/heapanswer.h"
#include "heap/heapsites.h"
#include "heap/objname.h"
#include "heap/question.h"

enum { FRAMES = 6 };

static void put_site(struct question_asked *asked, struct heapanswer *a,
                     const struct heapsites_row *site)
{
    struct graph *g = asked->graph;
    char retained[HEAPANSWER_BYTES_ROOM], own[HEAPANSWER_BYTES_ROOM], name[OBJNAME_ROOM];
    heapanswer_item(a);
    heapanswer_heading(a,
                       "%s retained by %" PRIu64 " object%s of %s; the largest is %s @ 0x%" PRIx64,
                       heapanswer_bytes(site->retained, retained), site->objects,
                       plural_s(site->objects), heapanswer_bytes(site->bytes, own),
                       objname_of(g, site->largest, name), graph_id(g, site->largest));
    heapanswer_fact(a, "trace", NULL, HEAPANSWER_COUNT, site->trace);
    heapanswer_fact(a, "objects", NULL, HEAPANSWER_COUNT, site->objects);
    heapanswer_fact(a, "shallow_bytes", NULL, HEAPANSWER_BYTES, site->bytes);
    heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, site->retained);
    heapanswer_fact(a, "largest_id", NULL, HEAPANSWER_ID, graph_id(g, site->largest));
    heapanswer_fact_text(a, "largest", NULL, name);
    objname_put_frames(a, g, "frames", NULL, site->trace, asked->is_json ? UINT32_MAX : FRAMES);
    heapanswer_item_end(a);
}

static int answer_sites(struct question_asked *asked)
{
    struct heapanswer a;
    struct heapsites s;
    int error = heapsites_make(asked->graph, &s);
    if (error == 0) {
        heapanswer_begin(&a, asked, "sites");
        heapanswer_fact(&a, "objects", "objects that can be reached", HEAPANSWER_COUNT, s.objects);
        heapanswer_fact(&a, "with_trace", "objects whose allocation has a trace", HEAPANSWER_COUNT,
                        s.with_trace);
        heapanswer_list(&a, "sites");
        for (uint32_t i = 0; i < s.count && i < asked->rows; i++)
            put_site(asked, &a, &s.rows[i]);
        heapanswer_list_end(&a);
        if (s.count == 0)
            heapanswer_say(&a,
                           "the dump says of no object where it was allocated; dumps of the agent "
                           "with heap=all or heap=sites do");
        heapanswer_end(&a);
    }
    heapsites_done(&s);
    return error;
}

const struct question question_sites = {
    .name = "sites",
    .help = "What is still held, by the place where it was allocated",
    .needs_dominators = true,
    .answer = answer_sites,
};
