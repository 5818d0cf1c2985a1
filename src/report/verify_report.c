/*
 * verify_report.c - see verify_report.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/verify_report.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/plural.h"
#include "command/say.h"

enum { FIELDS_MAX = 8 };

/* One line, split at its tabs; a missing field is "". */
struct line {
    char *field[FIELDS_MAX];
};

static void *grow(void *list, size_t count, size_t size)
{
    return (count & (count - 1)) == 0 ? realloc(list, (count ? 2 * count : 1) * size) : list;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

static struct verify_report_count *find(const struct verify_report *r, const char *layer,
                                        const char *word)
{
    for (size_t i = 0; i < r->count_count; i++)
        if (strcmp(r->counts[i].layer, layer) == 0 && strcmp(r->counts[i].word, word) == 0)
            return &r->counts[i];
    return NULL;
}

static int add_count(struct verify_report *r, const struct line *l)
{
    struct verify_report_count *c = find(r, l->field[2], l->field[3]), *grown;
    if (c) {
        c->value += number(l->field[4]);
        return 0;
    }
    grown = grow(r->counts, r->count_count, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    r->counts = grown;
    c = &r->counts[r->count_count];
    *c = (struct verify_report_count){.layer = strdup(l->field[2]),
                                      .word = strdup(l->field[3]),
                                      .text = strdup(l->field[5]),
                                      .value = number(l->field[4])};
    r->count_count++;
    return c->layer && c->word && c->text ? 0 : -ENOMEM;
}

static int add_example(struct verify_report *r, const struct line *l)
{
    struct verify_report_example *e, *grown = grow(r->examples, r->example_count, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    r->examples = grown;
    e = &r->examples[r->example_count++];
    *e = (struct verify_report_example){.layer = strdup(l->field[2]),
                                        .word = strdup(l->field[3]),
                                        .state = strdup(l->field[4]),
                                        .place = strdup(l->field[5]),
                                        .at = number(l->field[6]),
                                        .cause = strdup(l->field[7])};
    return e->layer && e->word && e->state && e->place && e->cause ? 0 : -ENOMEM;
}

static int add_frame(struct verify_report *r, const struct line *l)
{
    struct verify_report_example *e;
    struct verify_report_frame *f, *grown;
    if (r->example_count == 0)
        return 0;
    e = &r->examples[r->example_count - 1];
    grown = grow(e->frames, e->frame_count, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    e->frames = grown;
    f = &e->frames[e->frame_count++];
    *f = (struct verify_report_frame){.of_walk = strcmp(l->field[2], "walk") == 0,
                                      .index = number(l->field[3]),
                                      .text = strdup(l->field[4])};
    return f->text ? 0 : -ENOMEM;
}

static int add_line(struct verify_report *r, char *text)
{
    struct line l;
    const char *kind;
    for (int i = 0; i < FIELDS_MAX; i++) {
        l.field[i] = text;
        text += strcspn(text, "\t");
        if (*text != '\0')
            *text++ = '\0';
    }
    kind = l.field[0];
    if (strcmp(kind, "begin") == 0)
        r->begun++;
    else if (strcmp(kind, "end") == 0)
        r->ended++;
    else if (strcmp(kind, "jdk") == 0)
        r->jdk = (unsigned)number(l.field[2]);
    else if (strcmp(kind, "count") == 0)
        return add_count(r, &l);
    else if (strcmp(kind, "example") == 0)
        return add_example(r, &l);
    else if (strcmp(kind, "frame") == 0)
        return add_frame(r, &l);
    return 0;
}

int verify_report_read(const char *path, struct verify_report *ret)
{
    FILE *in = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int error = 0;
    *ret = (struct verify_report){0};
    if (!in)
        return -errno;
    while (error == 0) {
        ssize_t len = getline(&line, &room, in);

        /* A JVM may have died while it wrote: half a line is not a line. */
        if (len < 0 || line[len - 1] != '\n')
            break;
        line[len - 1] = '\0';
        error = add_line(ret, line);
    }
    free(line);
    (void)fclose(in);
    return error;
}

void verify_report_close(struct verify_report *r)
{
    for (size_t i = 0; i < r->count_count; i++) {
        free(r->counts[i].layer);
        free(r->counts[i].word);
        free(r->counts[i].text);
    }
    for (size_t i = 0; i < r->example_count; i++) {
        struct verify_report_example *e = &r->examples[i];
        for (size_t k = 0; k < e->frame_count; k++)
            free(e->frames[k].text);
        free(e->frames);
        free(e->layer);
        free(e->word);
        free(e->state);
        free(e->place);
        free(e->cause);
    }
    free(r->counts);
    free(r->examples);
    *r = (struct verify_report){0};
}

uint64_t verify_report_get(const struct verify_report *r, const char *layer, const char *word)
{
    const struct verify_report_count *c = find(r, layer, word);
    return c ? c->value : 0;
}

void verify_report_share(const struct verify_report *r, const char *layer, uint64_t *ret_judged,
                         uint64_t *ret_agreed)
{
    uint64_t compared = verify_report_get(r, layer, "compared");
    *ret_agreed = verify_report_get(r, layer, "agreed");
    *ret_judged = compared;
    if (strcmp(layer, "shadow") == 0 || strcmp(layer, "entry") == 0)
        *ret_judged = *ret_agreed + verify_report_get(r, layer, "disagreed");
}

enum verify_report_verdict verify_report_judge(const struct verify_report *r)
{
    uint64_t judged[3], agreed[3];
    verify_report_share(r, "entry", &judged[0], &agreed[0]);
    verify_report_share(r, "safepoint", &judged[1], &agreed[1]);
    verify_report_share(r, "shadow", &judged[2], &agreed[2]);
    if (r->begun > r->ended)
        return VERIFY_REPORT_DIED;
    if (agreed[0] < judged[0] || agreed[1] < judged[1] ||
        1000 * (judged[2] - agreed[2]) > judged[2])
        return VERIFY_REPORT_MISSED;
    return judged[1] == 0 || judged[2] == 0 ? VERIFY_REPORT_NOTHING : VERIFY_REPORT_MET;
}

/* ---- the report as a table */

static const struct {
    const char *layer, *title;
} layers[] = {
    {"entry", "a. Shadow stack against GetStackTrace, at the entry of methods"},
    {"safepoint", "b. Walk against GetStackTrace, of suspended threads"},
    {"safepoint_cause", "   why those walks failed"},
    {"walk", "c. Walks at random moments"},
    {"walk_cause", "   why they failed"},
    {"shadow", "   against the shadow stack"},
    {"asgct", "   against AsyncGetCallTrace at the same moment"},
    {"asgct_cause", "   why it gave no stack"},
    {"difference", "   its other differences, and whose error"},
    {"after", "   against GetStackTrace right after"},
    {"random", "d. Walks from damaged registers"},
};

enum { LAYERS = sizeof(layers) / sizeof(layers[0]) };

static const char *const verdicts[] = {
    [VERIFY_REPORT_MET] = "met",
    [VERIFY_REPORT_MISSED] = "missed",
    [VERIFY_REPORT_NOTHING] = "nothing_compared",
    [VERIFY_REPORT_DIED] = "jvm_died",
};

/* A count of 0 is only shown if 0 is the target, or if the whole layer depends on it. */
static bool is_shown(const struct verify_report_count *c)
{
    return c->value > 0 || strcmp(c->word, "compared") == 0 || strcmp(c->word, "disagreed") == 0 ||
           strcmp(c->word, "failed") == 0;
}

static void print_layer(FILE *out, const struct verify_report *r, const char *layer,
                        const char *title)
{
    uint64_t judged, agreed;
    bool has_title = false;
    for (size_t i = 0; i < r->count_count; i++) {
        const struct verify_report_count *c = &r->counts[i];
        if (strcmp(c->layer, layer) != 0 || !is_shown(c))
            continue;
        if (!has_title)
            fprintf(out, "%s\n", title);
        has_title = true;
        fprintf(out, "%12" PRIu64 "  %s", c->value, c->text);
        verify_report_share(r, layer, &judged, &agreed);
        if (strcmp(c->word, "agreed") == 0 && judged > 0)
            fprintf(out, ": %.3f %%", 100.0 * (double)agreed / (double)judged);
        fputc('\n', out);
    }
}

static bool is_shadow(const struct verify_report_example *e)
{
    return strcmp(e->layer, "shadow") == 0 || strcmp(e->layer, "entry") == 0;
}

static void print_side(FILE *out, const struct verify_report_example *e, int of_walk)
{
    /* For a shadow stack, `at` is the entry that the other stack lacks. */
    int marks = !of_walk || !is_shadow(e);

    for (size_t i = 0; i < e->frame_count; i++) {
        const struct verify_report_frame *f = &e->frames[i];
        if (f->of_walk != of_walk)
            continue;
        fprintf(out, "    %c %3" PRIu64 "  ", marks && f->index == e->at ? '>' : ' ', f->index);
        say_clean(out, f->text);
        fputc('\n', out);
    }
}

static void print_example(FILE *out, const struct verify_report_example *e)
{
    const char *other = is_shadow(e)                     ? "shadow stack"
                        : strcmp(e->layer, "asgct") == 0 ? "AsyncGetCallTrace"
                                                         : "GetStackTrace";
    fprintf(out, "\nexample: %s %s (thread state %s, %s%s%s)\n", e->layer, e->word, e->state,
            e->place, strcmp(e->cause, "-") == 0 ? "" : ", ",
            strcmp(e->cause, "-") == 0 ? "" : e->cause);
    fprintf(out, "  %s\n", strcmp(e->layer, "entry") == 0 ? "GetStackTrace" : "walk");
    print_side(out, e, 1);
    fprintf(out, "  %s\n", other);
    print_side(out, e, 0);
}

static bool is_known(const char *layer)
{
    for (int i = 0; i < LAYERS; i++)
        if (strcmp(layers[i].layer, layer) == 0)
            return true;
    return false;
}

void verify_report_put_table(FILE *out, const struct verify_report *r)
{
    fprintf(out, "verified %u JVM%s (JDK %u)\n", r->ended, plural_s(r->ended), r->jdk);
    for (int i = 0; i < LAYERS; i++)
        print_layer(out, r, layers[i].layer, layers[i].title);
    for (size_t i = 0; i < r->count_count; i++)
        if (!is_known(r->counts[i].layer))
            fprintf(out, "%12" PRIu64 "  %s %s\n", r->counts[i].value, r->counts[i].layer,
                    r->counts[i].word);
    fprintf(out, "%12u  crashes: JVMs that ended without a report\n", r->begun - r->ended);
    for (size_t i = 0; i < r->example_count; i++)
        print_example(out, &r->examples[i]);
}

/* ---- the report as JSON */

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_counts(FILE *out, const struct verify_report *r)
{
    const char *comma = "";
    for (size_t i = 0; i < r->count_count; i++) {
        const char *layer = r->counts[i].layer;
        bool is_first = true;
        for (size_t k = 0; k < i; k++)
            is_first &= strcmp(r->counts[k].layer, layer) != 0;
        if (!is_first)
            continue;
        fputs(comma, out);
        put_text(out, layer);
        fputs(":{", out);
        comma = "";
        for (size_t k = i; k < r->count_count; k++) {
            if (strcmp(r->counts[k].layer, layer) != 0)
                continue;
            fputs(comma, out);
            put_text(out, r->counts[k].word);
            fprintf(out, ":%" PRIu64, r->counts[k].value);
            comma = ",";
        }
        fputc('}', out);
        comma = ",";
    }
}

static void put_frames(FILE *out, const struct verify_report_example *e, int of_walk)
{
    const char *comma = "";
    for (size_t i = 0; i < e->frame_count; i++) {
        if (e->frames[i].of_walk != of_walk)
            continue;
        fprintf(out, "%s{\"index\":%" PRIu64 ",\"frame\":", comma, e->frames[i].index);
        put_text(out, e->frames[i].text);
        fputc('}', out);
        comma = ",";
    }
}

static void put_example(FILE *out, const struct verify_report_example *e)
{
    fputs("{\"layer\":", out);
    put_text(out, e->layer);
    fputs(",\"class\":", out);
    put_text(out, e->word);
    fprintf(out, ",\"at\":%" PRIu64 ",\"state\":", e->at);
    put_text(out, e->state);
    fputs(",\"place\":", out);
    put_text(out, e->place);
    fputs(",\"cause\":", out);
    put_text(out, e->cause);
    fputs(",\"walk\":[", out);
    put_frames(out, e, 1);
    fputs("],\"other\":[", out);
    put_frames(out, e, 0);
    fputs("]}", out);
}

void verify_report_put_json(FILE *out, const struct verify_report *r)
{
    fprintf(out, "{\"jdk\":%u,\"jvms\":%u,\"crashes\":%u,\"verdict\":", r->jdk, r->begun,
            r->begun - r->ended);
    put_text(out, verdicts[verify_report_judge(r)]);
    fputs(",\"counts\":{", out);
    put_counts(out, r);
    fputs("},\"examples\":[", out);
    for (size_t i = 0; i < r->example_count; i++) {
        fputs(i > 0 ? "," : "", out);
        put_example(out, &r->examples[i]);
    }
    fputs("]}\n", out);
}
