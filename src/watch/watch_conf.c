/*
 * watch_conf.c - see watch_conf.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_conf.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/main_class.h"
#include "base/err.h"
#include "base/units.h"
#include "base/wildcard.h"
#include "command/cmd.h"
#include "command/conffile.h"
#include "command/say.h"
#include "push/push.h"
#include "recording/agent_words.h"
#include "safe/clock.h"
#include "view/serve_place.h"
#include "watch/watch_labels.h"

enum {
    TEXTS = 1 << 20,
    LEASE_TURNS = 3,
    PERCENT = 100,
    ALLOC_RATE = 100,    /* samples of allocation in a second, at most: a burst stays small */
    ALLOC_MOST = 1 << 24 /* so that the agent takes the value of each level of thinning */
};

static const uint64_t most_ns = UINT64_C(1000) * 86400 * NS_PER_S;

struct parsing {
    struct watch_conf *conf;
    const char *name;
    unsigned line;
    char *value;
    const char *events;
};

static int refuse(const struct parsing *p, const char *why)
{
    return conffile_refuse(p->name, p->line, p->value, why);
}

/* Errors: NULL: the file has more text than is kept. */
static const char *keep(struct watch_conf *c, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(&c->arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static int take_text(struct parsing *p, const char **to)
{
    *to = keep(p->conf, p->value);
    return *to ? 0 : -ENOMEM;
}

/* `why` says what is wanted. */
static int take_time(struct parsing *p, uint64_t least_ns, const char *why, uint64_t *to)
{
    uint64_t ns;
    if (units_parse_duration(p->value, NS_PER_S, &ns) != 0 || ns < least_ns || ns > most_ns)
        return refuse(p, why);
    *to = ns;
    return 0;
}

static int take_size(struct parsing *p, uint64_t least, uint64_t most, const char *why,
                     uint64_t *to)
{
    uint64_t bytes;
    if (units_parse_size(p->value, &bytes) != 0 || bytes < least || bytes > most)
        return refuse(p, why);
    *to = bytes;
    return 0;
}

/* ---- where profiles go */

static int take_push(struct parsing *p)
{
    return take_text(p, &p->conf->push.url);
}

static int take_push_to(struct parsing *p)
{
    bool is_otlp = strcmp(p->value, "otlp") == 0;
    if (!is_otlp && strcmp(p->value, "pyroscope") != 0)
        return refuse(p, "wanted is otlp or pyroscope");
    p->conf->push.to = is_otlp ? PUSH_OTLP : PUSH_PYROSCOPE;
    return 0;
}

static int take_header(struct parsing *p)
{
    struct push_how *how = &p->conf->push;
    if (p->value[0] != '@' || p->value[1] == '\0' || how->header_file_count == PUSH_HEADER_FILES) {
        /* The value may be a secret: it is not said. */
        p->value = (char *)"...";
        return refuse(p, "wanted is @FILE, a file with a header in each line; 16 of them at most");
    }
    p->value++;
    return take_text(p, &how->header_files[how->header_file_count++]);
}

static int take_compression(struct parsing *p)
{
    if (strcmp(p->value, "gzip") != 0 && strcmp(p->value, "none") != 0)
        return refuse(p, "wanted is gzip or none");
    return take_text(p, &p->conf->push.compression);
}

static int take_timeout(struct parsing *p)
{
    return take_time(p, NS_PER_MS, "wanted is a time, as 10s", &p->conf->push.timeout_ns);
}

static int take_max_request(struct parsing *p)
{
    return take_size(p, 1024, UINT64_MAX, "wanted is a size of 1k at least, as 4m",
                     &p->conf->push.max_bytes);
}

static int take_spool(struct parsing *p)
{
    return p->value[0] == '/' ? take_text(p, &p->conf->spool)
                              : refuse(p, "wanted is a folder by its whole path");
}

static int take_spool_size(struct parsing *p)
{
    return take_size(p, 1 << 20, UINT64_MAX, "wanted is a size of 1m at least, as 256m",
                     &p->conf->spool_bytes);
}

static int take_label(struct parsing *p)
{
    struct watch_conf *c = p->conf;
    struct watch_labels one = {.count = 0};
    char *equals = strchr(p->value, '=');
    if (equals) {
        *equals = '\0';
        watch_labels_set(&one, p->value, equals + 1);
        *equals = '=';
    }
    if (one.count == 0)
        return refuse(p, "wanted is KEY=VALUE, as deployment.environment=production");
    if (c->label_count == WATCH_CONF_LABELS)
        return refuse(p, "16 labels at most");
    const char *key = keep(c, one.rows[0].key), *value = keep(c, one.rows[0].value);
    if (!key || !value)
        return -ENOMEM;
    c->labels[c->label_count++] = (struct otlp_attribute){key, value};
    return 0;
}

/* ---- what is recorded */

static int take_event(struct parsing *p)
{
    if (agent_words_check_event(p->conf->cmd, p->value) != 0)
        return -EINVAL; /* which name is wrong was said */
    return take_text(p, &p->events);
}

static int take_interval(struct parsing *p)
{
    return take_time(p, NS_PER_MS, "wanted is a time of 1ms at least, as 20ms",
                     &p->conf->rates.interval_ns);
}

static int take_alloc(struct parsing *p)
{
    return take_size(p, 1024, ALLOC_MOST, "wanted is a size from 1k to 16m, as 512k",
                     &p->conf->rates.alloc_bytes);
}

static int take_lock(struct parsing *p)
{
    return take_time(p, NS_PER_US, "wanted is a time of 1us at least, as 10ms",
                     &p->conf->rates.lock_ns);
}

static int take_agent_option(struct parsing *p)
{
    char *equals = strchr(p->value, '=');
    if (!equals || equals == p->value || strchr(p->value, ','))
        return refuse(p, "wanted is an option of the agent, NAME=VALUE");
    inject_add_raw(&p->conf->items, p->value, "agent-option");
    return p->conf->items.failed ? -EINVAL : 0;
}

static int take_rotate(struct parsing *p)
{
    return take_time(p, NS_PER_S, "wanted is a time of 1s at least, as 1min", &p->conf->rotate_ns);
}

static int take_lease(struct parsing *p)
{
    return take_time(p, NS_PER_S, "wanted is a time of 1s at least, as 1min", &p->conf->lease_ns);
}

static int take_scan(struct parsing *p)
{
    return take_time(p, NS_PER_S, "wanted is a time of 1s at least, as 1min", &p->conf->scan_ns);
}

static int take_age(struct parsing *p)
{
    return take_time(p, 0, "wanted is a time, as 10s", &p->conf->age_ns);
}

static int take_budget(struct parsing *p)
{
    char *end;
    double percent = strtod(p->value, &end);
    if (end == p->value || strcmp(end, "%") != 0 || !(percent > 0 && percent <= PERCENT))
        return refuse(p, "wanted is a share of one processor core, as 1%");
    p->conf->budget = percent / PERCENT;
    return 0;
}

static int take_metrics(struct parsing *p)
{
    struct serve_place place;
    if (serve_place_parse(p->value, &place) != 0)
        return refuse(p, "wanted is 127.0.0.1:PORT, [::1]:PORT or unix:PATH");
    if (!serve_place_is_local(&place))
        return refuse(p, "other machines could read the metrics there");
    return take_text(p, &p->conf->metrics);
}

/* ---- rules */

static int take_term(struct parsing *p, struct watch_conf_rule *rule, char *word)
{
    static const struct {
        const char *name;
        int about;
    } names[] = {{"name", WATCH_CONF_NAME},
                 {"user", WATCH_CONF_USER},
                 {"cgroup", WATCH_CONF_CGROUP},
                 {"label:", WATCH_CONF_LABEL}};
    char *equals = strchr(word, '=');
    p->value = word;
    if (!equals || equals[1] == '\0')
        return refuse(p, "wanted are conditions such as name=shop*, user=app, cgroup=*/kubepods/* "
                         "or label:service.name=shop");
    if (rule->count == WATCH_CONF_TERMS)
        return refuse(p, "8 conditions in a line at most");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        bool has_key = names[i].about == WATCH_CONF_LABEL;
        size_t len = strlen(names[i].name);
        if (strncmp(word, names[i].name, len) != 0 ||
            (has_key ? equals <= word + len : word + len != equals))
            continue;
        struct watch_conf_term *t = &rule->terms[rule->count++];
        *equals = '\0';
        t->about = names[i].about;
        t->key = has_key ? keep(p->conf, word + len) : NULL;
        t->pattern = keep(p->conf, equals + 1);
        return t->pattern && (!has_key || t->key) ? 0 : -ENOMEM;
    }
    return refuse(p, "a condition is about name, user, cgroup or label:KEY");
}

static int take_rule(struct parsing *p, bool is_attach)
{
    struct watch_conf *c = p->conf;
    struct watch_conf_rule *rule = &c->rules[c->rule_count];
    char *rest = p->value;
    int error = 0;
    if (c->rule_count == WATCH_CONF_RULES)
        return refuse(p, "64 rules at most");
    *rule = (struct watch_conf_rule){.is_attach = is_attach, .line = p->line};
    while (error == 0 && *rest != '\0')
        error = take_term(p, rule, conffile_word(rest, " \t", &rest));
    c->rule_count += error == 0;
    return error;
}

static int take_attach(struct parsing *p)
{
    return take_rule(p, true);
}

static int take_skip(struct parsing *p)
{
    return take_rule(p, false);
}

static const struct setting {
    const char *name;
    int (*take)(struct parsing *p);
} settings[] = {
    {"push", take_push},         {"push-to", take_push_to},
    {"header", take_header},     {"compression", take_compression},
    {"timeout", take_timeout},   {"max-request", take_max_request},
    {"spool", take_spool},       {"spool-size", take_spool_size},
    {"label", take_label},       {"event", take_event},
    {"interval", take_interval}, {"alloc", take_alloc},
    {"lock", take_lock},         {"agent-option", take_agent_option},
    {"rotate", take_rotate},     {"lease", take_lease},
    {"scan", take_scan},         {"min-age", take_age},
    {"budget", take_budget},     {"metrics", take_metrics},
    {"attach", take_attach},     {"skip", take_skip},
};

static int take_line(void *with, const char *name, unsigned line, char *text)
{
    struct parsing *p = with;
    char *word = conffile_word(text, " \t", &p->value);
    p->name = name;
    p->line = line;
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (strcmp(settings[i].name, word) != 0)
            continue;
        return p->value[0] == '\0' ? conffile_refuse(name, line, word, "needs a value behind it")
                                   : settings[i].take(p);
    }
    return conffile_refuse(name, line, word, "no setting is called so; see hprof-watch(1)");
}

/* ---- the whole */

/* Whether one of the names between commas is `name`. */
static bool has_event(const char *events, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = events; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

static int check(struct watch_conf *c)
{
    const char *why = NULL;
    if (c->lease_ns < LEASE_TURNS * c->rotate_ns)
        why = "the lease has to be three times as long as rotate at least: a recording ends if it "
              "is not asked for";
    else if (c->rule_count == 0)
        why = "no line 'attach': nothing would be recorded";
    else if (!c->spool)
        why = "no line 'spool' names the folder for files that wait";
    if (why)
        say("%s: %s", c->path, why);
    return why ? -EINVAL : 0;
}

/* The agent's options are checked as it checks them, before a JVM is touched. */
static int check_words(struct watch_conf *c)
{
    struct agent_words w = {.line = {.q = {.cmd = c->cmd}}};
    char *words = watch_conf_words(c, 0);
    w.items = (struct inject){.command = c->cmd->name, .text = words};
    int status = words ? agent_words_check(&w, ",loop=60s,keep=3,expand=y,file=x-%n.jfr") : 0;
    if (!words)
        say("%s: %s", c->path, strerror(ENOMEM));
    free(words);
    return words && status == 0 ? 0 : -EINVAL;
}

static int add_words(struct watch_conf *c, const char *events)
{
    const struct series *drawn = NULL;
    agent_words_add_event(c->cmd, &c->items, events, &drawn);
    c->rates.has_cpu = has_event(events, "cpu");
    c->rates.has_alloc = has_event(events, "alloc");
    c->rates.has_lock = has_event(events, "lock");
    return c->items.failed ? -EINVAL : 0;
}

int watch_conf_parse(struct watch_conf *c, const struct cmd *cmd, FILE *in, const char *path)
{
    struct parsing p = {.conf = c, .events = "cpu,alloc,lock"};
    *c = (struct watch_conf){
        .cmd = cmd,
        .path = path,
        .push = {.command = cmd->name, .compression = "gzip"},
        .spool_bytes = UINT64_C(256) << 20,
        .rotate_ns = UINT64_C(60) * NS_PER_S,
        .lease_ns = UINT64_C(600) * NS_PER_S,
        .scan_ns = UINT64_C(10) * NS_PER_S,
        .age_ns = UINT64_C(10) * NS_PER_S,
        .items = {.command = cmd->name},
        .rates = {.interval_ns = UINT64_C(20) * NS_PER_MS,
                  .alloc_bytes = UINT64_C(512) << 10,
                  .lock_ns = UINT64_C(10) * NS_PER_MS},
        .budget = 0.01,
    };
    arena_init(&c->arena, TEXTS);
    const char *state = getenv("STATE_DIRECTORY");
    if (state && *state == '/')
        c->spool = keep(c, state);
    int error = conffile_read(in, path, take_line, &p);
    if (error == 0)
        error = add_words(c, p.events);
    if (error == 0)
        error = check(c);
    return error == 0 ? check_words(c) : error;
}

int watch_conf_open(struct watch_conf *c, const struct cmd *cmd, const char *path)
{
    *c = (struct watch_conf){.cmd = cmd};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error = -errno;
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!in) {
        say("watch: %s: %s", path, strerror(fd < 0 ? -error : errno));
        if (fd >= 0)
            close(fd);
        return fd < 0 ? error : -ENOMEM;
    }
    if (conffile_is_trusted(fd, S_IWGRP | S_IWOTH)) {
        error = watch_conf_parse(c, cmd, in, path);
    } else {
        say("watch: %s: not read: it must be a file of yours, or root's, that nobody else can "
            "write: chown it, and chmod 644",
            path);
        error = -EPERM;
    }
    (void)fclose(in);
    return error;
}

void watch_conf_done(struct watch_conf *c)
{
    inject_done(&c->items);
    arena_done(&c->arena);
    *c = (struct watch_conf){0};
}

/* ---- asked later */

static bool matches(const char *pattern, const char *text, size_t len)
{
    return wildcard_matches(pattern, strlen(pattern), text, len, false);
}

/* A line of the text is "NUMBER:CONTROLLERS:PATH". */
static bool matches_group(const char *pattern, const char *groups)
{
    for (const char *line = groups; line && *line;) {
        size_t len = strcspn(line, "\n");
        const char *first = memchr(line, ':', len);
        const char *second =
            first ? memchr(first + 1, ':', (size_t)(line + len - first - 1)) : NULL;
        if (second && matches(pattern, second + 1, (size_t)(line + len - second - 1)))
            return true;
        line += len + (line[len] == '\n');
    }
    return false;
}

static bool fits(const struct watch_conf_term *t, const struct watch_conf_facts *f)
{
    char number[24];
    const char *text = NULL;
    switch (t->about) {
    case WATCH_CONF_NAME:
        if (!f->name)
            return false;
        size_t len = main_class_len(f->name), front = main_class_short(f->name, len);
        return matches(t->pattern, f->name, len) ||
               matches(t->pattern, f->name + front, len - front);
    case WATCH_CONF_USER:
        snprintf(number, sizeof(number), "%u", (unsigned)f->uid);
        return matches(t->pattern, number, strlen(number)) ||
               (f->user && matches(t->pattern, f->user, strlen(f->user)));
    case WATCH_CONF_CGROUP:
        return matches_group(t->pattern, f->groups);
    default:
        text = watch_labels_get(f->labels, t->key);
        return text && matches(t->pattern, text, strlen(text));
    }
}

const struct watch_conf_rule *watch_conf_rule_for(const struct watch_conf *c,
                                                  const struct watch_conf_facts *facts)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        const struct watch_conf_rule *rule = &c->rules[i];
        size_t fitting = 0;
        while (fitting < rule->count && fits(&rule->terms[fitting], facts))
            fitting++;
        if (fitting == rule->count)
            return rule;
    }
    return NULL;
}

char *watch_conf_words(const struct watch_conf *c, unsigned level)
{
    char *words = NULL, rates[160] = "";
    size_t at = 0;
    unsigned most = ALLOC_RATE >> level;
    if (c->rates.has_alloc)
        at += (size_t)snprintf(rates, sizeof(rates), ",alloc=%" PRIu64 ",allocrate=%u/s",
                               c->rates.alloc_bytes << level, most > 0 ? most : 1);
    if (c->rates.has_lock)
        snprintf(rates + at, sizeof(rates) - at, ",lock=%" PRIu64 "us",
                 (c->rates.lock_ns << level) / 1000);
    if (asprintf(&words, "%s,depth=512,interval=%" PRIu64 "us%s", c->items.text,
                 (c->rates.interval_ns << level) / 1000, rates) < 0)
        return NULL;
    return words;
}

bool watch_conf_records_alike(const struct watch_conf *a, const struct watch_conf *b)
{
    char *one = watch_conf_words(a, 0), *other = watch_conf_words(b, 0);
    bool is_alike = one && other && strcmp(one, other) == 0 && a->rotate_ns == b->rotate_ns &&
                    a->lease_ns == b->lease_ns && a->label_count == b->label_count;
    for (size_t i = 0; is_alike && i < a->label_count; i++)
        is_alike = strcmp(a->labels[i].key, b->labels[i].key) == 0 &&
                   strcmp(a->labels[i].value, b->labels[i].value) == 0;
    free(one);
    free(other);
    return is_alike;
}
