/*
 * count_samples.c - counts the samples of a JFR recording by the method in which the thread was.
 *
 *     cc count_samples.c -o count_samples $(pkg-config --cflags --libs hprofjfr)
 *     ./count_samples app.jfr                      # events jdk.ExecutionSample
 *     ./count_samples app.jfr jdk.CPUTimeSample
 * SPDX-License-Identifier: Apache-2.0
 */
#include <hprof_jfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *method;
    unsigned long count;
};

static struct row *rows;
static size_t row_count;

/* A program for large recordings has a hash table here. */
static void count(const char *method)
{
    size_t i = 0;
    while (i < row_count && strcmp(rows[i].method, method) != 0)
        i++;
    if (i == row_count) {
        rows = realloc(rows, ++row_count * sizeof(*rows));
        rows[i] = (struct row){strdup(method), 0};
    }
    rows[i].count++;
}

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->method, y->method);
}

int main(int argc, char **argv)
{
    const char *const wanted[] = {argc > 2 ? argv[2] : "jdk.ExecutionSample", NULL};
    const struct hprof_jfr_options options = {
        .size = sizeof(options), .events = wanted, .salvage = true};
    struct hprof_jfr_error error = {.detail = "usage: count_samples FILE [EVENT]"};
    struct hprof_jfr *jfr = argc > 1 ? hprof_jfr_open_file(argv[1], &options, &error) : NULL;
    const struct hprof_jfr_event *event;
    struct hprof_jfr_stack stack;
    struct hprof_jfr_frame frame;
    char method[1024];
    int code = HPROF_JFR_ARGUMENT;
    while (jfr && (code = hprof_jfr_next(jfr, &event)) == HPROF_JFR_EVENT)
        if (hprof_jfr_event_stack(event, &stack) == HPROF_JFR_OK &&
            hprof_jfr_stack_frame(&stack, 0, &frame) == HPROF_JFR_OK) {
            snprintf(method, sizeof(method), "%s%s%s", frame.class_name ? frame.class_name : "",
                     frame.class_name ? "." : "", frame.method_name ? frame.method_name : "?");
            count(method);
        }
    if (jfr)
        error = *hprof_jfr_last_error(jfr);
    if (code < 0)
        fprintf(stderr, "count_samples: %s%s%s\n", error.detail, error.system_error ? ": " : "",
                error.system_error ? strerror(error.system_error) : "");
    hprof_jfr_close(jfr);
    if (row_count > 0)
        qsort(rows, row_count, sizeof(*rows), compare);
    for (size_t i = 0; i < row_count; i++)
        printf("%8lu  %s\n", rows[i].count, rows[i].method);
    return code < 0;
}
