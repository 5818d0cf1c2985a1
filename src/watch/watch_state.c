/*
 * watch_state.c - see watch_state.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_state.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plain.h"
#include "command/textbuf.h"
#include "recording/recorded.h"
#include "safe/clock.h"

#define FRONT "jvm-"
#define FIRST "hprof-watch 1"
#define NEW "new-"

enum { TOKEN = 16, BYTES_MAX = 64 << 10, MODE = 0600 };

static void read_boot(char ret[WATCH_STATE_BOOT])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, ret, WATCH_STATE_BOOT - 1);
    if (fd >= 0)
        close(fd);
    ret[n > 0 ? n : 0] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
}

void watch_state_begin(struct watch_state *s)
{
    *s = (struct watch_state){0};
    if (getrandom(&s->token, sizeof(s->token), 0) != sizeof(s->token))
        s->token = clock_monotonic_ns() ^ (uint64_t)getpid() << 48;
    s->token |= s->token == 0;
    read_boot(s->boot);
}

bool watch_state_is_of_boot(const struct watch_state *s)
{
    char boot[WATCH_STATE_BOOT];
    read_boot(boot);
    return strcmp(boot, s->boot) == 0;
}

static void name_of(uint64_t token, char ret[WATCH_STATE_NAME])
{
    snprintf(ret, WATCH_STATE_NAME, FRONT "%016" PRIx64, token);
}

bool watch_state_parse(const char *name, uint64_t *ret_token)
{
    const size_t front = sizeof(FRONT) - 1;
    if (strncmp(name, FRONT, front) != 0 || strspn(name + front, "0123456789abcdef") != TOKEN ||
        name[front + TOKEN] != '\0')
        return false;
    *ret_token = strtoull(name + front, NULL, 16);
    return *ret_token != 0;
}

/* ---- writing */

int watch_state_write(const struct watch_state *s, int folder)
{
    char name[WATCH_STATE_NAME], new[WATCH_STATE_NAME];
    struct textbuf t = {0};
    snprintf(new, sizeof(new), NEW "%016" PRIx64, s->token);
    textbuf_printf(&t, FIRST "\npid %d\nbegan %" PRIu64 "\nboot %s\nuid %u\ngid %u\n", (int)s->pid,
                   s->began, s->boot, (unsigned)s->uid, (unsigned)s->gid);
    textbuf_printf(&t, "device %" PRIu64 "\nfile %" PRIu64 "\nnext %u\nlevel %u\nended %d\n",
                   s->tmp_device, s->tmp_file, s->next, s->level, s->is_ended);
    if (s->host[0] != '\0')
        textbuf_printf(&t, "host %s\n", s->host);
    for (size_t i = 0; i < s->labels.count; i++)
        textbuf_printf(&t, "label %s %s\n", s->labels.rows[i].key, s->labels.rows[i].value);
    int fd = t.is_bad
                 ? -1
                 : openat(folder, new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, MODE);
    int error = t.is_bad ? -ENOMEM : fd < 0 ? -errno : recorded_write(fd, t.bytes, t.len);
    if (error == 0 && fsync(fd) != 0)
        error = -errno;
    if (fd >= 0)
        close(fd);
    name_of(s->token, name);
    if (error == 0 && renameat(folder, new, folder, name) != 0)
        error = -errno;
    textbuf_done(&t);
    return error;
}

void watch_state_remove(const struct watch_state *s, int folder)
{
    char name[WATCH_STATE_NAME];
    name_of(s->token, name);
    (void)unlinkat(folder, name, 0);
}

/* ---- reading */

static void take_label(struct watch_state *s, char *text)
{
    char *blank = strchr(text, ' ');
    if (!blank)
        return;
    *blank = '\0';
    watch_labels_set(&s->labels, text, blank + 1);
}

static void take_line(struct watch_state *s, const char *word, char *value)
{
    uint64_t number = strtoull(value, NULL, 10);
    if (strcmp(word, "pid") == 0)
        s->pid = (pid_t)number;
    else if (strcmp(word, "began") == 0)
        s->began = number;
    else if (strcmp(word, "boot") == 0)
        snprintf(s->boot, sizeof(s->boot), "%s", value);
    else if (strcmp(word, "uid") == 0)
        s->uid = (uid_t)number;
    else if (strcmp(word, "gid") == 0)
        s->gid = (gid_t)number;
    else if (strcmp(word, "device") == 0)
        s->tmp_device = number;
    else if (strcmp(word, "file") == 0)
        s->tmp_file = number;
    else if (strcmp(word, "next") == 0)
        s->next = (uint32_t)number;
    else if (strcmp(word, "level") == 0)
        s->level = (unsigned)number;
    else if (strcmp(word, "ended") == 0)
        s->is_ended = number != 0;
    else if (strcmp(word, "host") == 0)
        plain_copy(s->host, sizeof(s->host), value);
    else if (strcmp(word, "label") == 0)
        take_label(s, value);
}

static int take_text(struct watch_state *s, char *text)
{
    char *rest = NULL;
    const char *first = strtok_r(text, "\n", &rest);
    if (!first || strcmp(first, FIRST) != 0)
        return E_FORMAT;
    for (char *line = strtok_r(NULL, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *blank = strchr(line, ' ');
        if (!blank)
            return E_FORMAT;
        *blank = '\0';
        take_line(s, line, blank + 1);
    }
    return s->pid > 0 && s->began > 0 ? 0 : E_FORMAT;
}

int watch_state_read(struct watch_state *s, int folder, uint64_t token)
{
    char name[WATCH_STATE_NAME], *text = malloc(BYTES_MAX + 1);
    name_of(token, name);
    *s = (struct watch_state){.token = token};
    int fd = text ? openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? -1 : read(fd, text, BYTES_MAX);
    int error = !text ? -ENOMEM : n < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    if (error == 0) {
        text[n] = '\0';
        error = take_text(s, text);
    }
    free(text);
    return error;
}
