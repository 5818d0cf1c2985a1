/*
 * watch_table.c - see watch_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_table.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "attach/main_class.h"
#include "base/plain.h"
#include "command/resolve.h"
#include "process/process.h"
#include "process/process_ids.h"
#include "safe/clock.h"
#include "watch/watch_conf.h"
#include "watch/watch_spool.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { GROUPS_MAX = 64 * 1024, FIRST_ROOM = 16 };

/* ---- the rules */

void watch_table_look(const struct watch_conf *conf, const struct jvm *jvm,
                      struct watch_table_look *ret)
{
    char *groups = NULL;
    *ret = (struct watch_table_look){.line = 0};
    if (process_file(jvm->process.pid, "cgroup", GROUPS_MAX, &groups) < 0)
        groups = NULL;
    watch_labels_read(&ret->labels, jvm, groups ? groups : "");
    for (size_t i = 0; i < conf->label_count; i++)
        watch_labels_set(&ret->labels, conf->labels[i].key, conf->labels[i].value);
    if (!resolve_user(jvm->process.uid, ret->user, sizeof(ret->user)))
        ret->user[0] = '\0';
    const struct watch_conf_facts facts = {.name = jvm->command,
                                           .user = ret->user,
                                           .uid = jvm->process.uid,
                                           .groups = groups ? groups : "",
                                           .labels = &ret->labels};
    const struct watch_conf_rule *rule = watch_conf_rule_for(conf, &facts);
    if (rule) {
        ret->is_attach = rule->is_attach;
        ret->line = rule->line;
    }
    free(groups);
}

uint64_t watch_table_age_ns(uint64_t began)
{
    struct timespec now;
    const long ticks = sysconf(_SC_CLK_TCK);
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0 || ticks <= 0)
        return 0;
    uint64_t now_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    uint64_t began_ns = began * (NS_PER_S / (uint64_t)ticks);
    return now_ns > began_ns ? now_ns - began_ns : 0;
}

/* ---- rows */

static struct watch_jvm *add(struct watch_table *t)
{
    if (t->count == t->room) {
        uint32_t room = t->room == 0 ? FIRST_ROOM : t->room * 2;
        struct watch_jvm **rows = reallocarray(t->rows, room, sizeof(struct watch_jvm *));
        if (!rows)
            return NULL;
        t->rows = rows;
        t->room = room;
    }
    struct watch_jvm *j = calloc(1, sizeof(*j));
    if (!j)
        return NULL;
    j->pidfd = j->tmp = j->job.result = -1;
    t->rows[t->count++] = j;
    return j;
}

void watch_table_drop(struct watch_table *t, uint32_t at)
{
    struct watch_jvm *j = t->rows[at];
    watch_job_drop(&j->job);
    if (j->pidfd >= 0)
        close(j->pidfd);
    if (j->tmp >= 0)
        close(j->tmp);
    free(j);
    t->rows[at] = t->rows[--t->count];
}

void watch_table_done(struct watch_table *t)
{
    while (t->count > 0)
        watch_table_drop(t, t->count - 1);
    free(t->rows);
    *t = (struct watch_table){0};
}

bool watch_table_has_ended(const struct watch_jvm *j)
{
    struct pollfd p = {.fd = j->pidfd, .events = POLLIN};
    if (j->is_gone)
        return true;
    if (j->pidfd >= 0)
        return poll(&p, 1, 0) > 0;
    return process_has_ended_since(j->state.pid, j->state.began);
}

static struct watch_jvm *find(const struct watch_table *t, pid_t pid, uint64_t began)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i]->state.pid == pid && t->rows[i]->state.began == began)
            return t->rows[i];
    return NULL;
}

/* ---- states of the spool */

typedef bool state_taker(void *with, const struct watch_state *s);

/* Gives each state of a recording that has ended, or has not, to `take`, until it returns true. */
static int each_state(int folder, bool is_ended, state_taker *take, void *with)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
    DIR *all = again < 0 ? NULL : fdopendir(again);
    struct watch_state *s = malloc(sizeof(*s));
    const struct dirent *one;
    uint64_t token;
    if (!all)
        error = -errno;
    if (!all && again >= 0)
        close(again);
    if (!s)
        error = -ENOMEM;
    while (all && error == 0 && (one = readdir(all)) != NULL)
        if (watch_state_parse(one->d_name, &token) && watch_state_read(s, folder, token) == 0 &&
            s->is_ended == is_ended && take(with, s))
            break;
    if (all)
        closedir(all);
    free(s);
    return error;
}

static bool take_if_same(void *with, const struct watch_state *s)
{
    struct watch_jvm *j = with;
    if (s->pid != j->state.pid || s->began != j->state.began || !watch_state_is_of_boot(s))
        return false;
    j->state = *s;
    j->is_known = true;
    return true;
}

void watch_table_read_state(struct watch_jvm *j, int folder, uint64_t token)
{
    struct watch_state *fresh = malloc(sizeof(*fresh));
    if (token != 0 && fresh && watch_state_read(fresh, folder, token) == 0) {
        j->state = *fresh;
        j->is_known = !fresh->is_ended;
    } else if (token == 0) {
        (void)each_state(folder, false, take_if_same, j);
    }
    free(fresh);
}

struct taking {
    struct watch_table *table;
    int error;
};

static bool take_if_left(void *with, const struct watch_state *s)
{
    struct taking *g = with;
    if (find(g->table, s->pid, s->began) ||
        (watch_state_is_of_boot(s) && !process_has_ended_since(s->pid, s->began)))
        return false;
    struct watch_jvm *j = add(g->table);
    if (!j) {
        g->error = -ENOMEM;
        return true;
    }
    j->state = *s;
    j->is_known = j->is_gone = true;
    return false;
}

int watch_table_take_left(struct watch_table *t, int folder)
{
    struct taking g = {.table = t};
    int error = each_state(folder, false, take_if_left, &g);
    return error < 0 ? error : g.error;
}

static bool remove_if_done(void *with, const struct watch_state *s)
{
    const struct watch_spool *spool = with;
    if (!watch_spool_has_any(spool, s->token))
        watch_state_remove(s, spool->folder);
    return false;
}

void watch_table_clean(const struct watch_spool *spool)
{
    (void)each_state(spool->folder, true, remove_if_done, (void *)spool);
}

/* ---- JVMs that were found */

static void open_places(struct watch_jvm *j, const struct process *p)
{
    struct process_ids before;
    j->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    int root = process_folder_root(p->task);
    if (root >= 0 && process_ids_take(p, &before) == 0) {
        j->tmp = process_folder_open(root, "tmp");
        (void)process_ids_back(&before);
    }
    if (root >= 0)
        close(root);
}

/* `restarts`: a recording that runs begins again. */
static void decide(struct watch_jvm *j, const struct watch_conf *conf, unsigned revision,
                   const struct jvm *jvm, struct watch_table_look *look, bool restarts)
{
    watch_table_look(conf, jvm, look);
    j->wants = look->is_attach;
    j->line = look->line;
    j->labels = look->labels;
    j->restarts |= restarts;
    j->revision = revision;
    j->next_ns = j->wants || j->is_known ? 0 : UINT64_MAX;
}

static int take_new(struct watch_table *t, const struct watch_conf *conf, unsigned revision,
                    const struct jvm *jvm, uint64_t began, int folder)
{
    struct watch_table_look *look = malloc(sizeof(*look));
    struct watch_jvm *j = look ? add(t) : NULL;
    if (!j) {
        free(look);
        return -ENOMEM;
    }
    const char *command = jvm->command ? jvm->command : "";
    size_t len = main_class_len(command), front = main_class_short(command, len);
    char *name = strndup(command + front, len - front);
    plain_copy(j->name, sizeof(j->name), name ? name : "");
    free(name);
    j->state.pid = jvm->process.pid;
    j->state.began = began;
    j->state.uid = jvm->process.uid;
    j->state.gid = jvm->process.gid;
    j->was_seen = true;
    open_places(j, &jvm->process);
    if (each_state(folder, false, take_if_same, j) < 0)
        j->is_known = false;
    j->cost.level = j->state.level;
    decide(j, conf, revision, jvm, look, false);
    if (!j->is_known && process_has_our_host(jvm->process.pid) &&
        gethostname(j->state.host, sizeof(j->state.host) - 1) != 0)
        j->state.host[0] = '\0';
    free(look);
    return 0;
}

int watch_table_take(struct watch_table *t, const struct watch_conf *conf, unsigned revision,
                     const struct jvms *jvms, int folder)
{
    struct watch_table_look *look = malloc(sizeof(*look));
    int error = look ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < jvms->count && error == 0; i++) {
        const struct jvm *jvm = &jvms->rows[i];
        uint64_t began = process_began(jvm->process.pid);
        struct watch_jvm *j = find(t, jvm->process.pid, began);
        if (j && j->revision != revision)
            decide(j, conf, revision, jvm, look, t->restarts);
        if (!j && began != 0 && t->count < WATCH_TABLE_JVMS &&
            watch_table_age_ns(began) >= conf->age_ns)
            error = take_new(t, conf, revision, jvm, began, folder);
    }
    free(look);
    return error;
}
