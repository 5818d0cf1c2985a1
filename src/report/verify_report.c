/*
 * verify_report.c - reads and judges the report; verify_print.c prints it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/verify_report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
