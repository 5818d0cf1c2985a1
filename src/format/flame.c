/*
 * flame.c - see flame.h.
 *
 * The page is flamegraph.html. Its data are a JSON object in a <script> that browsers do not run.
 * The object says what was measured and where ("program", "file", "of", "values" ...). "frames" has
 * a name for each label, without the characters that it has in common with the name before. "kinds"
 * has a digit for each label. "nodes" is the tree in preorder, as text (page_number.h). "heat" and
 * "heats" (heat.h) are there if it is known when stacks were seen, "compared" if two profiles are
 * compared.
 *
 * The data keep threads apart, and also the ways in which a method ran; the page merges them if the
 * user wants that. Layout: docs/format/flamegraph.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/flame.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/sink.h"
#include "format/flamegraph_page.h"
#include "format/format.h"
#include "format/heat.h"
#include "format/json_out.h"
#include "format/left_out.h"
#include "format/page_number.h"
#include "format/stacktree.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "safe/clock.h"

enum { SHARED_MAX = 89 };

/* A page that is being written. */
struct flame {
    struct stacktree *tree;
    /* For each node, its values that the page offers; in the arena of the tree. */
    struct table own;
    /* Index of a value in a row of `own`. */
    uint32_t place_of_value[KIND_VALUES];
    /* Bit N: an event has value N. */
    uint32_t seen;
    /* For each label, its number on the page: from 0, in the order of names. */
    uint32_t *place;
    uint32_t *labels; /* the labels in the order of names */
    bool is_heat_first;
    bool has_times;
    /* Used only if `has_times`, like the members after it. */
    struct heat heat[KIND_VALUES];
    uint32_t *node_of; /* by the number of an event */
    uint32_t event_room;
    /* For each node, its number on the page: from 1, in preorder. */
    uint32_t *number_of;
    uint32_t numbered;
};

static void discard(struct flame *f)
{
    stacktree_free(f->tree);
    for (uint32_t v = 0; v < KIND_VALUES; v++)
        heat_done(&f->heat[v]);
    free(f->node_of);
    free(f->number_of);
    free(f->place);
    free(f->labels);
    free(f);
}

/* A page offers all values of the kind except levels and uncorrected times. A comparison offers
 * only the value for which the user asked. */
static bool offers(const struct writer_out *o, uint32_t value)
{
    const struct kind_value *type = &kind_all[o->kind]->values[value];
    return value == o->value || (!o->before.is_given && value < kind_value_count(o->kind) &&
                                 !type->is_raw && type->unit != KIND_UNIT_LEVEL);
}

/* Whether the page offers value `v` in addition to the value for which the user asked. */
static bool is_further(const struct writer_out *o, const struct flame *f, uint32_t v)
{
    return v != o->value && offers(o, v) && f->seen >> v & 1;
}

/* Five eighths of the memory are for the tree and one eighth is for names. The rest is for end(),
 * which walks the tree: it needs at most 24 bytes for a node, which takes 64 bytes in the tree, and
 * 8 bytes for a name. */
static int bound(const struct writer_out *o, struct stacktree *t)
{
    size_t part = o->room.bytes / 8;
    return part > 0 ? stacktree_bound(t, 5 * part, part, left_out_name) : 0;
}

static void make_room_for_values(const struct writer_out *o, struct flame *f)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < KIND_VALUES; v++)
        if (offers(o, v))
            f->place_of_value[v] = count++;
    table_init(&f->own, count * sizeof(uint64_t));
}

int flame_begin(struct writer_out *o, uint32_t cells_most, bool is_heat_first)
{
    struct flame *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    f->tree = stacktree_new(o->profile);
    make_room_for_values(o, f);
    if (f->tree)
        f->tree->parts_tiers = !o->before.is_given; /* the page can merge them */
    int r = f->tree ? bound(o, f->tree) : -ENOMEM;
    f->is_heat_first = is_heat_first;
    f->has_times = !o->before.is_given && o->timed_kinds >> o->kind & 1;
    for (uint32_t v = 0; f->has_times && v < KIND_VALUES; v++)
        heat_init(&f->heat[v], o->first_ns, o->last_ns, cells_most);
    o->state = f;
    return r;
}

/* Makes room for index `at` in a list of rows of `size` bytes. New rows are 0. NULL: no memory. */
static void *grown(void *list, uint32_t *room, uint32_t at, size_t size)
{
    if (at < *room)
        return list;
    uint32_t more = at < 1024 ? 2048 : at * 2;
    unsigned char *all = reallocarray(list, more, size);

    if (!all)
        return NULL;
    memset(all + *room * size, 0, (more - *room) * size);
    *room = more;
    return all;
}

/* Remembers the node of the event with this number. */
static int note_node(struct flame *f, uint32_t row, uint32_t node)
{
    uint32_t *nodes = grown(f->node_of, &f->event_room, row, sizeof(*nodes));
    if (!nodes)
        return -ENOMEM;
    f->node_of = nodes;
    nodes[row] = node;
    return 0;
}

/* The offered values that are not 0, as bits. */
static uint32_t values_of(const struct writer_out *o, const uint64_t value[KIND_VALUES])
{
    uint32_t found = 0;
    for (uint32_t v = 0; v < KIND_VALUES; v++)
        if (offers(o, v) && value[v] > 0)
            found |= 1u << v;
    return found;
}

static int add_own(struct flame *f, uint32_t node, const uint64_t value[KIND_VALUES],
                   uint32_t values)
{
    uint64_t *own = table_reach(&f->own, &f->tree->arena, node);
    if (!own)
        return -ENOMEM;
    for (uint32_t v = 0; v < KIND_VALUES; v++)
        if (values >> v & 1)
            own[f->place_of_value[v]] += value[v];
    return 0;
}

int flame_add(struct writer_out *o, const struct event *event)
{
    struct flame *f = o->state;
    uint32_t values = values_of(o, event->value);
    if (!values)
        return 0;
    uint32_t node = stacktree_node_of(f->tree, event);
    int r = node ? 0 : -ENOMEM;
    if (r == 0 && o->before.is_now)
        stacktree_node(f->tree, node)->before += event->value[o->value];
    else if (r == 0)
        r = add_own(f, node, event->value, values);
    f->seen |= values;
    if (r == -ENOMEM && o->room.bytes > 0) {
        left_out_add(o, event);
        return 0;
    }
    return r == 0 && f->has_times ? note_node(f, o->row, node) : r;
}

int flame_add_moment(struct writer_out *o, uint32_t row, const struct event *event)
{
    struct flame *f = o->state;
    uint32_t node = row < f->event_room ? f->node_of[row] : 0;
    uint32_t values = node ? values_of(o, event->value) & f->seen : 0;
    int r = 0;
    for (uint32_t v = 0; v < KIND_VALUES && r == 0; v++)
        if (values >> v & 1)
            r = heat_add(&f->heat[v], node, event->time_ns, event->value[v]);
    return r;
}

static void put_text(struct sink *s, const char *name, const char *text)
{
    sink_printf(s, ",\"%s\":", name);
    json_out_text(s, text ? text : "", text ? strlen(text) : 0);
}

static void put_value(struct writer_out *o, uint32_t v)
{
    const struct kind_value *value = &kind_all[o->kind]->values[v];
    sink_printf(o->sink, "[\"%s\",\"%s\"]", value->words, kind_unit_word(value->unit));
}

/* The value for which the user asked comes first. */
static void put_values(struct writer_out *o)
{
    const struct flame *f = o->state;
    sink_text(o->sink, ",\n\"values\":[");
    put_value(o, o->value);
    for (uint32_t v = 0; v < KIND_VALUES; v++) {
        if (!is_further(o, f, v))
            continue;
        sink_text(o->sink, ",");
        put_value(o, v);
    }
    sink_text(o->sink, "]");
}

static void put_head(struct writer_out *o)
{
    const struct flame *f = o->state;
    const struct found *found = profile_found(o->profile);
    const struct kind *type = kind_all[o->kind];
    string_id program = profile_program(o->profile) ? profile_program(o->profile) : found->program;
    uint64_t start_ns = found->from_ns ? found->from_ns : o->first_ns;
    sink_text(o->sink, "{\"program\":");
    json_out_string(o->sink, o->profile, program);
    sink_text(o->sink, ",\"jvm\":");
    json_out_string(o->sink, o->profile, found->vm);
    put_text(o->sink, "file", o->source);
    if (start_ns)
        sink_printf(o->sink, ",\"start\":%llu", (unsigned long long)(start_ns / NS_PER_MS));
    put_text(o->sink, "of", type->word);
    put_text(o->sink, "title", o->title ? o->title : type->title);
    put_values(o);
    if (o->before.is_given) {
        put_text(o->sink, "compared", o->before.source);
        put_text(o->sink, "verdict", o->before.verdict);
    }
    if (o->with_tiers)
        sink_text(o->sink, ",\"tiers\":true");
    if (o->before.is_whole)
        sink_text(o->sink, ",\"absolute\":true");
    if (f->is_heat_first)
        sink_text(o->sink, ",\"first\":\"heat\"");
}

static const struct profile_string *name_of(const struct stacktree *t, uint32_t label)
{
    return profile_string_at(t->names, stacktree_label(t, label)->name);
}

static int by_name(const void *left, const void *right, void *tree)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    int order = strcmp(name_of(tree, x)->bytes, name_of(tree, y)->bytes);
    return order ? order : stacktree_label(tree, x)->kind - stacktree_label(tree, y)->kind;
}

static int order_labels(struct flame *f)
{
    uint32_t count = f->tree->labels.count;
    f->labels = calloc(count + (size_t)1, sizeof(*f->labels));
    f->place = calloc(count + (size_t)1, sizeof(*f->place));
    if (!f->labels || !f->place)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        f->labels[i] = i + 1;
    if (count > 1)
        qsort_r(f->labels, count, sizeof(*f->labels), by_name, f->tree);
    for (uint32_t i = 0; i < count; i++)
        f->place[f->labels[i]] = i;
    return 0;
}

/* How many characters both names have in common at the beginning. Only printable ASCII counts, so
 * that characters are bytes. */
static uint32_t shared(const struct profile_string *a, const struct profile_string *b)
{
    uint32_t n = 0;
    while (n < SHARED_MAX && n < a->len && n < b->len && a->bytes[n] == b->bytes[n] &&
           a->bytes[n] >= ' ' && a->bytes[n] < '\x7f')
        n++;
    return n;
}

static void put_labels(struct writer_out *o, const struct flame *f)
{
    static const struct profile_string none = {"", 0};
    const struct stacktree *t = f->tree;
    const struct profile_string *before = &none;
    sink_text(o->sink, ",\n\"shared\":\"");
    for (uint32_t i = 0; i < t->labels.count; i++) {
        const struct profile_string *name = name_of(t, f->labels[i]);
        sink_u1(o->sink, page_number_digit(shared(before, name)));
        before = name;
    }
    before = &none;
    sink_text(o->sink, "\",\n\"frames\":[");
    for (uint32_t i = 0; i < t->labels.count; i++) {
        const struct profile_string *name = name_of(t, f->labels[i]);
        uint32_t from = shared(before, name);
        sink_text(o->sink, i > 0 ? ",\n" : "\n");
        json_out_text(o->sink, name->bytes + from, name->len - from);
        before = name;
    }
    sink_text(o->sink, "],\n\"kinds\":\"");
    for (uint32_t i = 0; i < t->labels.count; i++)
        sink_u1(o->sink, (uint8_t)('0' + stacktree_label(t, f->labels[i])->kind));
    sink_text(o->sink, "\",\n");
}

/* A node that waits to be written, and its level, which counts from 1. */
struct waiting {
    uint32_t node, level;
};

/* The nodes that wait, as a stack: the last one is written next. */
struct order {
    struct waiting *list;
    uint32_t count, room;
    uint32_t *children;
    uint32_t children_room;
};

static int push_children(struct order *order, const struct stacktree *t, struct waiting of)
{
    int64_t count = stacktree_children(t, of.node, &order->children, &order->children_room);
    if (count < 0)
        return -ENOMEM;
    if ((uint64_t)count > order->room - order->count) {
        uint32_t room = (order->count + (uint32_t)count) * 2;
        struct waiting *list = realloc(order->list, (size_t)room * sizeof(*list));
        if (!list)
            return -ENOMEM;
        order->list = list;
        order->room = room;
    }
    while (count > 0)
        order->list[order->count++] = (struct waiting){order->children[--count], of.level + 1};
    return 0;
}

/* A node is written as: twice the number of levels to go up from the node before, and 1 more if it
 * has values; the number of its name; its values in the order of put_values(), and the value in the
 * earlier profile. */
static void put_node(struct writer_out *o, struct flame *f, uint32_t id, uint32_t up)
{
    static const uint64_t none[KIND_VALUES];
    const struct stacktree_node *node = stacktree_node(f->tree, id);
    const uint64_t *own = id <= f->own.count ? table_at(&f->own, id) : none;
    bool has_any = node->before > 0;
    for (uint32_t v = 0; v < f->own.row_bytes / sizeof(*own); v++)
        has_any |= own[v] > 0;
    page_number_put(o->sink, (uint64_t)up * 2 + has_any);
    page_number_put(o->sink, f->place[node->label]);
    if (has_any) {
        page_number_put(o->sink, own[f->place_of_value[o->value]]);
        for (uint32_t v = 0; v < KIND_VALUES; v++)
            if (is_further(o, f, v))
                page_number_put(o->sink, own[f->place_of_value[v]]);
        if (o->before.is_given)
            page_number_put(o->sink, node->before);
    }
    if (f->number_of)
        f->number_of[id] = ++f->numbered;
}

/* Writes the nodes in preorder. */
static int walk(struct writer_out *o, struct flame *f)
{
    struct order order = {0};
    struct waiting at = {0, 0};
    int r = push_children(&order, f->tree, at);
    while (r == 0 && order.count > 0) {
        uint32_t level_before = at.level;
        at = order.list[--order.count];
        put_node(o, f, at.node, level_before + 1 - at.level);
        r = push_children(&order, f->tree, at);
    }
    free(order.list);
    free(order.children);
    return r;
}

/* "heat" is for the first value, "heats" for the values after it, in their order. */
static int put_heats(struct writer_out *o, struct flame *f)
{
    bool is_first = true;
    uint32_t nodes = f->tree->nodes.count;
    sink_text(o->sink, ",\n\"heat\":");
    int r = heat_put(&f->heat[o->value], o->sink, f->number_of, nodes);
    for (uint32_t v = 0; v < KIND_VALUES && r == 0; v++) {
        if (!is_further(o, f, v))
            continue;
        sink_text(o->sink, is_first ? ",\n\"heats\":[" : ",\n");
        r = heat_put(&f->heat[v], o->sink, f->number_of, nodes);
        is_first = false;
    }
    sink_text(o->sink, is_first ? "" : "]");
    return r;
}

/* Writes the nodes, and when they were seen if that is known. */
static int put_nodes(struct writer_out *o, struct flame *f)
{
    if (f->has_times) {
        f->number_of = calloc(f->tree->nodes.count + (size_t)1, sizeof(*f->number_of));
        if (!f->number_of)
            return -ENOMEM;
    }
    sink_printf(o->sink, "\"count\":%u,\n\"nodes\":\"", f->tree->nodes.count);
    int r = walk(o, f);
    sink_text(o->sink, "\"");
    if (r == 0 && f->has_times)
        r = put_heats(o, f);
    sink_text(o->sink, "}\n");
    return r;
}

/* Events that found no room become one more stack. */
static int put_left_out(struct writer_out *o, struct flame *f)
{
    uint32_t values = values_of(o, o->room.left_out), node;
    if (!values || o->room.bytes == 0)
        return 0;
    f->seen |= values;
    node = stacktree_add_last(f->tree);
    return node ? add_own(f, node, o->room.left_out, values) : -ENOMEM;
}

int flame_end(struct writer_out *o)
{
    struct flame *f = o->state;
    int r = f && f->tree ? 0 : -ENOMEM;
    if (!f)
        return 0;
    if (r == 0)
        r = put_left_out(o, f);
    if (r == 0)
        r = order_labels(f);
    if (r == 0) {
        sink_bytes(o->sink, flamegraph_page_head, flamegraph_page_head_len);
        put_head(o);
        put_labels(o, f);
        r = put_nodes(o, f);
        sink_bytes(o->sink, flamegraph_page_tail, flamegraph_page_tail_len);
    }
    discard(f);
    o->state = NULL;
    return r;
}
