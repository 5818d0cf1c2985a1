/*
 * watch.c - see watch.h.
 *
 * There is one thread, which looks four times a second at what is due. All that can take time, or
 * that reads what a JVM has written, is a job in a child process.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/say.h"
#include "jvm/agentlib.h"
#include "metrics/metric_host.h"
#include "metrics/metric_text.h"
#include "push/push.h"
#include "safe/clock.h"
#include "view/memory_file.h"
#include "view/serve.h"
#include "watch/watch_budget.h"
#include "watch/watch_conf.h"
#include "watch/watch_counts.h"
#include "watch/watch_notify.h"
#include "watch/watch_send.h"
#include "watch/watch_spool.h"
#include "watch/watch_table.h"

enum {
    VISITS = 4,       /* at one time */
    VISIT_S = 120,    /* a visit that lasts longer is ended */
    SEND_S = 600,     /* likewise */
    SEND_LEAST_S = 1, /* the first wait after the receiver has not taken a file */
    SEND_MOST_S = 60, /* the longest of these waits, unless the receiver asks for more */
    SEND_ASKED_S = 3600,
    FAILURES_MOST = 6, /* the wait after a failed visit doubles so often */
    PACE_MOST = 16,
    LOOK_MS = 250,
};

struct watch {
    const struct cmd *cmd;
    const char *path;
    struct watch_conf conf;
    unsigned revision; /* of the configuration; the first is 1 */
    struct watch_spool spool;
    struct watch_table table;
    struct watch_counts counts;
    char *library;
    struct {
        struct watch_job job;
        uint64_t token;
        uint32_t number;
        uint64_t next_ns;
        unsigned late; /* tries without success, one after another */
    } send;
    uint64_t scan_ns, clean_ns, budget_ns, notify_ns; /* when these are due */
    uint64_t used_ns, used_at_ns; /* CPU time of this process and its children, and when */
    unsigned pace;
    struct serve serve;
    struct metric_host host;
};

static volatile sig_atomic_t is_ended, is_asked;

static void on_end(int number)
{
    (void)number;
    is_ended = 1;
}

static void on_ask(int number)
{
    (void)number;
    is_asked = 1;
}

/* ---- visits */

static void do_visit(void *with, void *ret_result)
{
    watch_visit(with, ret_result);
}

static void do_left(void *with, void *ret_result)
{
    watch_visit_left(with, ret_result);
}

static void begin_visit(struct watch *w, struct watch_jvm *j)
{
    struct watch_visit v = {.conf = &w->conf,
                            .spool = &w->spool,
                            .library = w->library,
                            .state = j->state,
                            .is_known = j->is_known,
                            .labels = &j->labels,
                            .wants = j->wants,
                            .restarts = j->restarts,
                            .level = j->cost.level,
                            .pace = w->pace,
                            .tmp = j->tmp};
    int error =
        watch_job_start(&j->job, (uint64_t)VISIT_S * NS_PER_S, sizeof(struct watch_visit_result),
                        j->is_gone ? do_left : do_visit, &v);
    if (error < 0)
        say("watch: no child can be started: %s", err_text(error));
    j->next_ns = clock_monotonic_ns() + w->conf.rotate_ns;
}

static void measure(struct watch_jvm *j, const struct watch_visit_result *r, uint64_t now_ns)
{
    bool is_same = r->level == j->state.level && !r->began && j->cost.time_ns > 0;
    double threads =
        is_same && r->agent_cpu_ns >= j->cost.cpu_ns
            ? (double)(r->agent_cpu_ns - j->cost.cpu_ns) / (double)(now_ns - j->cost.time_ns)
            : 0;
    j->cost.is_measured = is_same && r->event_rate >= 0;
    if (j->cost.is_measured)
        j->cost.share = watch_budget_share(r->event_rate, threads);
    j->cost.cpu_ns = r->agent_cpu_ns;
    j->cost.time_ns = now_ns;
}

static void say_first(const struct watch_jvm *j, const struct watch_visit_result *r)
{
    if (r->end == WATCH_VISIT_OTHERS && j->last != WATCH_VISIT_OTHERS)
        say("watch: %d (%s): another 'hprof watch' records it", (int)j->state.pid, j->name);
    if (r->fetched.missing > 0)
        say("watch: %d (%s): %u file%s of its recording %s gone", (int)j->state.pid, j->name,
            r->fetched.missing, plural_s(r->fetched.missing),
            plural_of(r->fetched.missing, "was", "were"));
    if (r->fetched.is_stuck)
        say("watch: the spool takes no file: it stays with its JVM");
}

static void count_visit(struct watch *w, const struct watch_visit_result *r)
{
    w->counts.taken += r->fetched.taken;
    w->counts.odd += r->fetched.refused;
    w->counts.missing += r->fetched.missing;
    w->counts.unseen += r->is_unseen;
    w->counts.recordings += r->began;
}

/* Takes a result. Returns whether the row is done with. */
static bool end_visit(struct watch *w, struct watch_jvm *j, const struct watch_visit_result *r)
{
    uint64_t now_ns = clock_monotonic_ns();
    say_first(j, r);
    count_visit(w, r);
    watch_table_read_state(j, w->spool.folder, r->token);
    if (r->fetched.taken > 0)
        (void)watch_spool_read(&w->spool);
    bool was_gone = j->is_gone;
    j->is_gone |= r->end == WATCH_VISIT_GONE;
    j->failures = r->end == WATCH_VISIT_FAILED ? j->failures + 1 : 0;
    j->restarts &= !r->began;
    j->last = r->end;
    measure(j, r, now_ns);
    if (j->is_gone && !was_gone)
        j->next_ns = 0;
    if (j->is_gone)
        return !j->is_known || (was_gone && r->end == WATCH_VISIT_GONE && !r->fetched.is_stuck);
    unsigned times = j->failures < FAILURES_MOST ? j->failures : FAILURES_MOST;
    j->next_ns = now_ns + (w->pace * w->conf.rotate_ns << (j->is_known ? 0 : times));
    if (r->end == WATCH_VISIT_OTHERS)
        j->next_ns = now_ns + w->conf.lease_ns;
    if (!j->wants && !j->is_known)
        j->next_ns = UINT64_MAX;
    return false;
}

static void look_at_jvms(struct watch *w, uint64_t now_ns)
{
    unsigned running = 0;
    for (uint32_t i = 0; i < w->table.count; i++)
        running += w->table.rows[i]->job.child.pid > 0;
    for (uint32_t i = w->table.count; i-- > 0;) {
        struct watch_jvm *j = w->table.rows[i];
        struct watch_visit_result result;
        if (watch_job_is_over(&j->job, sizeof(result), &result)) {
            running--;
            if (end_visit(w, j, &result)) {
                watch_table_drop(&w->table, i);
                continue;
            }
        }
        if (j->job.child.pid > 0)
            continue;
        if (!j->is_gone && watch_table_has_ended(j)) {
            j->is_gone = true;
            j->next_ns = 0;
        }
        if (j->is_gone && !j->is_known) {
            watch_table_drop(&w->table, i);
        } else if (now_ns >= j->next_ns && running < VISITS) {
            begin_visit(w, j);
            running++;
        }
    }
}

/* ---- sending */

struct sending {
    const struct watch *watch;
    struct watch_spool_file file;
};

static void do_send(void *with, void *ret_result)
{
    const struct sending *s = with;
    watch_send(&s->watch->conf, &s->watch->spool, &s->file, s->watch->send.late > 0, ret_result);
}

static const struct watch_spool_file *find_sent(const struct watch *w)
{
    for (uint32_t i = 0; i < w->spool.count; i++)
        if (w->spool.files[i].token == w->send.token && w->spool.files[i].number == w->send.number)
            return &w->spool.files[i];
    return NULL;
}

/* The wait grows from a second to a minute, unless the receiver asks for another one. */
static uint64_t send_wait_ns(const struct watch *w, const struct watch_send_result *r)
{
    uint64_t s = SEND_LEAST_S;
    for (unsigned i = 1; i < w->send.late && s < SEND_MOST_S; i++)
        s *= 2;
    s = s < SEND_MOST_S ? s : SEND_MOST_S;
    if (r->retry_after_s >= 0)
        s = r->retry_after_s < SEND_ASKED_S ? (uint64_t)r->retry_after_s : SEND_ASKED_S;
    return s * NS_PER_S;
}

static void end_send(struct watch *w, const struct watch_send_result *r)
{
    const struct watch_spool_file *file = find_sent(w);
    bool is_later = r->end == WATCH_SEND_LATER || r->end == WATCH_SEND_FAILED;
    w->counts.requests += r->requests;
    w->counts.bytes += r->bytes;
    if (is_later) {
        if (w->send.late++ == 0)
            say("watch: %u file%s wait%s in the spool until the receiver takes them",
                w->spool.count, plural_s(w->spool.count), plural_of(w->spool.count, "s", ""));
        w->send.next_ns = clock_monotonic_ns() + send_wait_ns(w, r);
        return;
    }
    if (w->send.late > 0)
        say("watch: the receiver takes files again");
    w->send.late = 0;
    w->counts.samples += r->samples;
    w->counts.samples_lost += r->lost;
    w->counts.sent += r->end == WATCH_SEND_TAKEN;
    w->counts.refused += r->end == WATCH_SEND_REFUSED;
    if (file)
        watch_spool_remove(&w->spool, file);
}

static void look_at_spool(struct watch *w, uint64_t now_ns)
{
    struct watch_send_result result;
    if (watch_job_is_over(&w->send.job, sizeof(result), &result))
        end_send(w, &result);
    if (!w->conf.push.url || w->send.job.child.pid > 0 || now_ns < w->send.next_ns)
        return;
    const struct watch_spool_file *file = watch_spool_oldest(&w->spool);
    if (!file)
        return;
    struct sending s = {.watch = w, .file = *file};
    w->send.token = file->token;
    w->send.number = file->number;
    int error = watch_job_start(&w->send.job, (uint64_t)SEND_S * NS_PER_S,
                                sizeof(struct watch_send_result), do_send, &s);
    if (error < 0) {
        say("watch: no child can be started: %s", err_text(error));
        w->send.next_ns = now_ns + (uint64_t)SEND_MOST_S * NS_PER_S;
    }
}

/* ---- searching */

static uint64_t own_cpu_ns(int who)
{
    struct rusage used;
    if (getrusage(who, &used) != 0)
        return 0;
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_S +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * NS_PER_US;
}

/* Searching may cost a quarter of the budget: on a machine with many processes it is done less
 * often. */
static void search(struct watch *w, uint64_t now_ns)
{
    uint64_t began_ns = own_cpu_ns(RUSAGE_SELF);
    struct jvms jvms;
    int error = jvms_list(&jvms);
    if (error == 0)
        error = watch_table_take(&w->table, &w->conf, w->revision, &jvms, w->spool.folder);
    if (error < 0)
        say("watch: JVMs cannot be searched for: %s", err_text(error));
    jvms_done(&jvms);
    double cost_ns = (double)(own_cpu_ns(RUSAGE_SELF) - began_ns);
    uint64_t least_ns = (uint64_t)(cost_ns / (w->conf.budget / 4));
    w->scan_ns = now_ns + (least_ns > w->conf.scan_ns ? least_ns : w->conf.scan_ns);
}

/* ---- the budget */

static void set_pace(struct watch *w)
{
    unsigned pace = w->pace;
    if (w->counts.own_share > w->conf.budget / 2 && pace < PACE_MOST)
        pace *= 2;
    else if (w->counts.own_share < w->conf.budget / 8 && pace > 1)
        pace /= 2;
    if (pace == w->pace)
        return;
    w->pace = pace;
    say("watch: a file is %u time%s as long as 'rotate' says from now on", pace, plural_s(pace));
    for (uint32_t i = 0; i < w->table.count; i++)
        w->table.rows[i]->restarts = true;
}

static void keep_budget(struct watch *w, uint64_t now_ns)
{
    struct watch_budget_row *rows = calloc(w->table.count + 1, sizeof(*rows));
    uint64_t used_ns = own_cpu_ns(RUSAGE_SELF) + own_cpu_ns(RUSAGE_CHILDREN);
    unsigned level;
    w->budget_ns = now_ns + w->pace * w->conf.rotate_ns;
    w->counts.own_share = (double)(used_ns - w->used_ns) / (double)(now_ns - w->used_at_ns);
    w->used_ns = used_ns;
    w->used_at_ns = now_ns;
    w->counts.budget = w->conf.budget;
    w->counts.agents_share = 0;
    for (uint32_t i = 0; rows && i < w->table.count; i++) {
        const struct watch_jvm *j = w->table.rows[i];
        bool is_measured = j->cost.is_measured && j->cost.level == j->state.level;
        rows[i] =
            (struct watch_budget_row){.share = j->last == WATCH_VISIT_RECORDS ? j->cost.share : 0,
                                      .level = j->cost.level,
                                      .is_measured = is_measured && !j->is_gone};
        w->counts.agents_share += rows[i].share;
    }
    int at = rows ? watch_budget_choose(rows, w->table.count, w->counts.own_share, w->conf.budget,
                                        &level)
                  : -1;
    if (at >= 0) {
        struct watch_jvm *j = w->table.rows[at];
        say("watch: %d (%s): its recording costs %.2f%% of a core; from now on it takes %s samples",
            (int)j->state.pid, j->name, j->cost.share * 100,
            level > j->cost.level ? "half as many" : "twice as many");
        j->cost.level = level;
    }
    free(rows);
    set_pace(w);
}

/* ---- metrics */

static void write_set(void *with, struct sink *out)
{
    struct watch *w = with;
    watch_counts_put(&w->host.set, &w->counts, &w->spool, &w->table);
    metric_text_write(out, &w->host.set);
}

static int make_answer(struct watch *w)
{
    int error = metric_host_read(&w->host);
    return error < 0 ? error : memory_file_write("hprof watch", write_set, w);
}

static void handle(void *with, const struct http_request *q, struct serve_answer *ret_answer)
{
    if (strcmp(q->path, "/metrics") != 0)
        return;
    int fd = make_answer(with);
    *ret_answer = fd < 0 ? (struct serve_answer){.status = 500, .fd = -1}
                         : (struct serve_answer){
                               .status = 200, .type = METRIC_TEXT_TYPE, .fd = fd, .closes = true};
}

static int open_metrics(struct watch *w)
{
    struct serve *s = &w->serve;
    const struct jvms none = {0};
    int error = serve_place_parse(w->conf.metrics, &s->place);
    s->handle = handle;
    s->with = w;
    s->idle_ns = UINT64_MAX;
    s->takes_any_user = s->only_get = true;
    s->takes_any_name = serve_place_is_unix(&s->place);
    if (error == 0)
        error = metric_host_open(&w->host, &none, true);
    if (error == 0)
        error = serve_open(s);
    if (error < 0)
        say("watch: metrics %s: %s", w->conf.metrics,
            error == -EADDRINUSE ? "another program listens there" : err_text(error));
    else
        say("watch: metrics at %s%s", s->url, serve_place_is_unix(&s->place) ? "" : "/metrics");
    return error;
}

/* ---- the loop */

static void reload(struct watch *w)
{
    struct watch_conf *fresh = malloc(sizeof(*fresh));
    char text[64];
    is_asked = 0;
    snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
             clock_monotonic_ns() / NS_PER_US);
    watch_notify(text);
    if (fresh && watch_conf_open(fresh, w->cmd, w->path) == 0 &&
        (!fresh->push.url || push_check(&fresh->push) == 0)) {
        if (strcmp(fresh->spool, w->spool.path) != 0 ||
            strcmp(fresh->metrics ? fresh->metrics : "", w->conf.metrics ? w->conf.metrics : "") !=
                0)
            say("watch: 'spool' and 'metrics' change with the next start");
        w->spool.limit_bytes = fresh->spool_bytes;
        w->table.restarts = !watch_conf_records_alike(&w->conf, fresh);
        watch_conf_done(&w->conf);
        w->conf = *fresh;
        w->revision++;
        w->scan_ns = w->send.next_ns = 0;
        say("watch: %s was read again", w->path);
    } else if (fresh) {
        say("watch: the configuration from before stays");
        watch_conf_done(fresh);
    }
    free(fresh);
    watch_notify("READY=1");
}

/* Called four times a second. Returns whether this process is to end. */
static bool look(void *with)
{
    struct watch *w = with;
    uint64_t now_ns = clock_monotonic_ns(), period_ns = watch_notify_period_ns();
    if (is_ended)
        return true;
    if (is_asked)
        reload(w);
    look_at_jvms(w, now_ns);
    look_at_spool(w, now_ns);
    if (now_ns >= w->scan_ns)
        search(w, now_ns);
    if (now_ns >= w->clean_ns) {
        watch_table_clean(&w->spool);
        w->clean_ns = now_ns + w->conf.rotate_ns;
    }
    if (now_ns >= w->budget_ns)
        keep_budget(w, now_ns);
    if (period_ns > 0 && now_ns >= w->notify_ns) {
        watch_notify("WATCHDOG=1");
        w->notify_ns = now_ns + period_ns;
    }
    return false;
}

static int loop(struct watch *w)
{
    uint64_t now_ns = clock_monotonic_ns();
    w->used_ns = own_cpu_ns(RUSAGE_SELF) + own_cpu_ns(RUSAGE_CHILDREN);
    w->used_at_ns = now_ns;
    w->budget_ns = now_ns + w->conf.rotate_ns;
    search(w, now_ns);
    int error = watch_table_take_left(&w->table, w->spool.folder);
    watch_notify("READY=1");
    if (error < 0)
        say("watch: %s: %s", w->spool.path, err_text(error));
    if (w->serve.fd >= 0) {
        w->serve.is_over = look;
        error = serve_run(&w->serve);
        if (error < 0)
            say("watch: %s", err_text(error));
        return error;
    }
    while (!look(w))
        (void)poll(NULL, 0, LOOK_MS);
    return 0;
}

static void catch_signals(void)
{
    struct sigaction end = {.sa_handler = on_end}, ask = {.sa_handler = on_ask};
    sigemptyset(&end.sa_mask);
    sigemptyset(&ask.sa_mask);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGHUP, &ask, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int open_all(struct watch *w)
{
    int error = watch_conf_open(&w->conf, w->cmd, w->path);
    if (error == 0 && w->conf.push.url)
        error = push_check(&w->conf.push);
    if (error < 0)
        return CMD_USAGE;
    if (watch_spool_open(&w->spool, "watch", w->conf.spool, w->conf.spool_bytes) < 0 ||
        agentlib_find(NULL, &w->library) < 0)
        return CMD_FAILED;
    return w->conf.metrics && open_metrics(w) < 0 ? CMD_FAILED : CMD_OK;
}

int watch_run(const struct cmd *cmd, const char *path)
{
    struct watch *w = calloc(1, sizeof(*w));
    if (!w) {
        say("watch: %s", err_text(-ENOMEM));
        return CMD_FAILED;
    }
    *w = (struct watch){.cmd = cmd,
                        .path = path,
                        .revision = 1,
                        .pace = 1,
                        .spool = {.folder = -1},
                        .serve = {.fd = -1},
                        .send.job.result = -1};
    catch_signals();
    int status = open_all(w);
    if (status == CMD_OK && loop(w) < 0)
        status = CMD_FAILED;
    watch_notify("STOPPING=1");
    watch_table_done(&w->table);
    watch_job_drop(&w->send.job);
    serve_close(&w->serve);
    metric_host_close(&w->host);
    watch_spool_close(&w->spool);
    free(w->library);
    watch_conf_done(&w->conf);
    free(w);
    return status;
}
