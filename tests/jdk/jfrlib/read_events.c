/*
 * read_events.c - prints a line for each event of a recording, with libhprofjfr: its type, start
 * and duration in ns, and a field of test.Tick.
 *
 * read_events FILE: a file; read_events FOLDER EVENT: the repository of a running JVM to its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <hprof_jfr.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    const char *const wanted[] = {argc > 2 ? argv[2] : "*", NULL};
    const struct hprof_jfr_options options = {.size = sizeof(options), .events = wanted};
    struct hprof_jfr_error error = {.detail = "no recording is named"};
    const struct hprof_jfr_event *event;
    struct hprof_jfr *jfr = NULL;
    int64_t number;
    int code = HPROF_JFR_ARGUMENT;
    if (argc == 2)
        jfr = hprof_jfr_open_file(argv[1], &options, &error);
    else if (argc == 3)
        jfr = hprof_jfr_open_repository(argv[1], &options, &error);
    while (jfr && (code = hprof_jfr_next(jfr, &event)) > 0) {
        if (code == HPROF_JFR_WAIT) {
            nanosleep(&pause, NULL);
            continue;
        }
        if (hprof_jfr_event_integer(event, "number", &number) < 0)
            number = 0;
        printf("%s %" PRId64 " %" PRId64 " %" PRId64 "\n",
               hprof_jfr_type_name(hprof_jfr_event_type(event)), hprof_jfr_event_start_ns(event),
               hprof_jfr_event_duration_ns(event), number);
        fflush(stdout);
    }
    if (code < 0)
        fprintf(stderr, "%s\n", jfr ? hprof_jfr_last_error(jfr)->detail : error.detail);
    hprof_jfr_close(jfr);
    return code < 0;
}
