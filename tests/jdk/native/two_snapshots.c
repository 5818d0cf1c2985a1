/*
 * two_snapshots.c - takes snapshots of two JVMs at once, each in a thread of its own.
 *
 * usage: two_snapshots ROUNDS PID PID
 * Prints for each process and round a line for each Java thread whose top frames are Java's:
 * "PID NAME CLASS.METHOD CLASS.METHOD", innermost first, three frames at most. Exit status 1 when a
 * snapshot failed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "snapshot/snapshot.h"

enum { SHOWN = 3, FRAMES_MAX = 2048 };

struct job {
    pid_t pid;
    int rounds, failed;
    char *text;
    size_t len;
};

static void print(FILE *out, pid_t pid, const struct snapshot *s)
{
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const struct snapshot_thread *t = &s->threads[i];
        int shown = 0;
        if (!t->java)
            continue;
        fprintf(out, "%d %s", (int)pid, t->java->name ? t->java->name : "?");
        for (uint32_t n = 0; n < t->frame_count && shown < SHOWN; n++) {
            const struct java_method *m = t->frames[n].method;
            if (m && shown++ < SHOWN)
                fprintf(out, " %s.%s", m->class_name, m->name);
        }
        putc('\n', out);
    }
}

static int take(struct job *job, FILE *out)
{
    struct mem_live live;
    struct mem_stop stop = {0};
    struct snapshot s = {0};
    const char *missing = "";
    int error = mem_live_open(job->pid, &live);
    if (error == 0)
        error = snapshot_open(&s, &live.image, 0, &missing);
    if (error == 0)
        error = mem_stop_all(&live, NULL, &stop);
    if (error == 0) {
        mem_live_age(&live);
        mem_live_refresh(&live, 0);
        error = snapshot_take(&s, SNAPSHOT_MIXED, FRAMES_MAX);
        mem_stop_end(&stop);
    }
    if (error == 0)
        print(out, job->pid, &s);
    else
        fprintf(stderr, "%d: error %d %s\n", (int)job->pid, error, missing);
    snapshot_close(&s);
    mem_live_close(&live);
    return error;
}

static void *run(void *arg)
{
    struct job *job = arg;
    FILE *out = open_memstream(&job->text, &job->len);
    for (int i = 0; i < job->rounds && !job->failed; i++)
        job->failed = take(job, out) != 0;
    fclose(out);
    return NULL;
}

int main(int argc, char **argv)
{
    struct job jobs[2];
    pthread_t threads[2];
    if (argc != 4)
        return 2;
    for (int i = 0; i < 2; i++) {
        jobs[i] = (struct job){.pid = atoi(argv[2 + i]), .rounds = atoi(argv[1])};
        if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0)
            return 2;
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        fwrite(jobs[i].text, 1, jobs[i].len, stdout);
        free(jobs[i].text);
    }
    return jobs[0].failed || jobs[1].failed;
}
