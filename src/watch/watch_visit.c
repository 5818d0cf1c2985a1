/*
 * watch_visit.c - see watch_visit.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_visit.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/attach.h"
#include "attach/jvms.h"
#include "base/err.h"
#include "command/cmd.h"
#include "command/say.h"
#include "jvm/agent_link.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "process/process.h"
#include "process/task_times.h"
#include "safe/clock.h"
#include "watch/watch_conf.h"
#include "watch/watch_spool.h"

enum { ANSWER_MS = 30000, TURNS_MORE = 3 };

struct visiting {
    struct watch_visit *v;
    struct watch_visit_result *result;
    struct attach attach;
    struct agent_link link;
    uint32_t number; /* of the file that the agent writes */
};

static void take_files(struct visiting *g, uint32_t end)
{
    const struct watch_fetch f = {.attach = &g->attach,
                                  .state = &g->v->state,
                                  .spool = g->v->spool->path,
                                  .folder = g->v->spool->folder,
                                  .most_bytes = g->v->conf->spool_bytes / 4};
    struct watch_fetched one, *all = &g->result->fetched;
    watch_fetch(&f, end, &one);
    all->taken += one.taken;
    all->missing += one.missing;
    all->refused += one.refused;
    all->is_stuck |= one.is_stuck;
}

/* Writes the state as this program's own user. */
static int write_state(struct visiting *g)
{
    struct attach *a = &g->attach;
    int error = process_ids_back(&a->before);
    if (error == 0)
        error = watch_state_write(&g->v->state, g->v->spool->folder);
    if (process_ids_take(&a->socket.process, &a->before) != 0)
        _exit(CMD_FAILED); /* files of that user are touched with no other rights */
    if (error < 0)
        say("watch: the spool %s: %s", g->v->spool->path, err_text(error));
    return error;
}

/* ---- what it costs */

/* The agent's own threads are named so. */
static bool is_agents(pid_t pid, pid_t tid)
{
    char name[PROCESS_THREAD_NAME];
    return process_thread_name(pid, tid, name) && strncmp(name, "HPROF ", strlen("HPROF ")) == 0;
}

static uint64_t agent_cpu_ns(pid_t pid)
{
    struct task_times all;
    uint64_t sum_ns = 0;
    if (task_times_read(pid, &all) == 0)
        for (uint32_t i = 0; i < all.count; i++)
            sum_ns += is_agents(pid, all.rows[i].tid) ? all.rows[i].cpu_ns : 0;
    task_times_done(&all);
    return sum_ns;
}

/* The agent counts the events of each file from 0 on. */
static double event_rate(const struct agent_link *l)
{
    static const char *const names[] = {"samples", "allocations", "thinned", "throttled",
                                        "locks",   "awaits",      "shorter"};
    const char *seconds = strstr(l->answer, " seconds=");
    double time = seconds ? strtod(seconds + strlen(" seconds="), NULL) : 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        sum += agent_link_number(l, names[i]);
    return time >= 1 ? (double)sum / time : -1;
}

/* ---- the recording */

/* Asks the agent, which renews the lease. Returns whether our recording runs. */
static bool is_running(struct visiting *g)
{
    struct agent_link *l = &g->link;
    uint64_t token;
    l->is_quiet = true;
    int status = agent_link_send(l, "status,name=" WATCH_VISIT_NAME);
    l->is_quiet = false;
    if (status != CMD_OK) {
        bool has_none = l->end == AGENT_LINK_REFUSED;
        g->result->end = l->end == AGENT_LINK_GONE ? WATCH_VISIT_GONE
                         : has_none                ? WATCH_VISIT_STOPPED
                                                   : WATCH_VISIT_FAILED;
        return false;
    }
    const char *file = agent_link_file(l);
    if (!file || !watch_fetch_parse(file, &token, &g->number) || !g->v->is_known ||
        token != g->v->state.token) {
        g->result->end = WATCH_VISIT_OTHERS;
        return false;
    }
    g->result->event_rate = event_rate(l);
    g->result->end = WATCH_VISIT_RECORDS;
    return true;
}

static bool stop(struct visiting *g)
{
    int status = agent_link_send(&g->link, "stop,name=" WATCH_VISIT_NAME);
    g->result->end = status == CMD_OK                 ? WATCH_VISIT_STOPPED
                     : g->link.end == AGENT_LINK_GONE ? WATCH_VISIT_GONE
                                                      : WATCH_VISIT_FAILED;
    return status == CMD_OK;
}

/* The recording is over: what it left is taken, and its state says so. */
static void finish(struct visiting *g)
{
    if (!g->v->is_known)
        return;
    take_files(g, UINT32_MAX);
    if (g->result->fetched.is_stuck)
        return;
    g->v->state.is_ended = true;
    (void)write_state(g);
}

static char *start_command(const struct watch_visit *v)
{
    const struct watch_conf *c = v->conf;
    const uint64_t keep = c->lease_ns / c->rotate_ns + TURNS_MORE;
    char *words = watch_conf_words(c, v->level), *command = NULL, name[WATCH_FETCH_NAME];
    watch_fetch_pattern(v->state.token, name);
    if (!words || asprintf(&command,
                           "start,verbose=n,name=" WATCH_VISIT_NAME ",lease=%" PRIu64
                           "s,%s,loop=%" PRIu64 "s,keep=%" PRIu64 ",expand=y,file=/tmp/%s",
                           v->pace * (c->lease_ns / NS_PER_S), words,
                           v->pace * (c->rotate_ns / NS_PER_S), keep, name) < 0)
        command = NULL;
    free(words);
    return command;
}

/* Begins a recording with a token of its own, whose state is on the disk before. */
static void start(struct visiting *g)
{
    struct watch_visit *v = g->v;
    struct watch_state *s = &v->state, begun;
    struct stat st;
    watch_state_begin(&begun);
    s->token = begun.token;
    memcpy(s->boot, begun.boot, sizeof(s->boot));
    s->labels = *v->labels;
    s->next = 0;
    s->level = v->level;
    s->is_ended = false;
    g->result->end = WATCH_VISIT_FAILED;
    if (fstat(g->attach.socket.tmp, &st) == 0) {
        s->tmp_device = st.st_dev;
        s->tmp_file = st.st_ino;
    }
    char *command = start_command(v);
    if (command && write_state(g) == 0) {
        g->result->token = s->token;
        if (agent_link_send(&g->link, command) == CMD_OK) {
            g->result->end = WATCH_VISIT_RECORDS;
            g->result->began = true;
        } else if (g->link.end == AGENT_LINK_REFUSED) {
            s->is_ended = true; /* nothing of it is anywhere */
            (void)write_state(g);
        }
    }
    free(command);
}

static void visit(struct visiting *g)
{
    struct watch_visit *v = g->v;
    bool runs = is_running(g);
    if (g->result->end == WATCH_VISIT_FAILED || g->result->end == WATCH_VISIT_OTHERS ||
        g->result->end == WATCH_VISIT_GONE)
        return;
    if (runs && v->wants && !v->restarts && v->level == v->state.level) {
        take_files(g, g->number);
        return;
    }
    if (runs && !stop(g))
        return;
    finish(g);
    if (v->wants && !g->result->fetched.is_stuck)
        start(g);
}

/* ---- the whole */

void watch_visit(struct watch_visit *v, struct watch_visit_result *ret)
{
    struct visiting g = {.v = v, .result = ret};
    struct jvms jvms;
    *ret =
        (struct watch_visit_result){.token = v->state.token, .level = v->level, .event_rate = -1};
    if (jvms_one(v->state.pid, &jvms) < 0 || process_began(v->state.pid) != v->state.began) {
        ret->end = WATCH_VISIT_GONE;
        jvms_done(&jvms);
        return;
    }
    const struct jvm *jvm = &jvms.rows[0];
    ret->agent_cpu_ns = agent_cpu_ns(v->state.pid);
    enum attach_cause cause =
        attach_open(&g.attach, v->state.pid, (uint64_t)ATTACH_TIMEOUT_MS * NS_PER_MS);
    g.attach.answer_ms = ANSWER_MS;
    if (cause != ATTACH_OK) {
        asking_say_cause(jvm_target_name(jvm), &g.attach, cause);
        ret->end = cause == ATTACH_GONE ? WATCH_VISIT_GONE : WATCH_VISIT_FAILED;
    } else {
        if (agent_link_open(&g.link, &g.attach, jvm, v->library) == CMD_OK)
            visit(&g);
        agent_link_close(&g.link);
    }
    attach_close(&g.attach);
    jvms_done(&jvms);
}

/* The folder of the state, where the first process of the machine or this program sees it. A
 * service may see it where it can only be read, so the other one comes first. */
static int find_tmp(const struct watch_state *s)
{
    static const char *const places[] = {"/proc/1/root/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct stat st;
        int fd = open(places[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == s->tmp_device &&
            st.st_ino == s->tmp_file)
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

void watch_visit_left(struct watch_visit *v, struct watch_visit_result *ret)
{
    struct visiting g = {.v = v, .result = ret};
    *ret = (struct watch_visit_result){
        .end = WATCH_VISIT_GONE, .token = v->state.token, .level = v->level, .event_rate = -1};
    int tmp = v->tmp >= 0 ? v->tmp : find_tmp(&v->state);
    g.attach.socket.tmp = tmp;
    g.attach.socket.process =
        (struct process){.pid = v->state.pid, .uid = v->state.uid, .gid = v->state.gid};
    if (process_ids_take(&g.attach.socket.process, &g.attach.before) != 0) {
        ret->end = WATCH_VISIT_FAILED;
        return;
    }
    ret->is_unseen = tmp < 0;
    finish(&g);
    (void)process_ids_back(&g.attach.before);
}
