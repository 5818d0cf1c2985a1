/*
 * watch_labels.c - see watch_labels.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_labels.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "base/plain.h"
#include "base/rooted.h"
#include "format/otlp.h"
#include "jvm/published.h"
#include "process/process.h"
#include "process/process_ids.h"
#include "push/push_setting.h"

#define POD_UID "k8s.pod.uid"
#define POD_NAME "k8s.pod.name"
#define NAMESPACE "k8s.namespace.name"

enum { ENVIRONMENT_MAX = 2 << 20, LIST_MAX = 8192 };

static bool is_key(const char *key)
{
    size_t len = strspn(key, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-/");
    return len > 0 && len < WATCH_LABELS_KEY && key[len] == '\0';
}

void watch_labels_set(struct watch_labels *l, const char *key, const char *value)
{
    size_t at = 0;
    if (!is_key(key) || *value == '\0')
        return;
    while (at < l->count && strcmp(l->rows[at].key, key) != 0)
        at++;
    if (at == WATCH_LABELS_MAX)
        return;
    memcpy(l->rows[at].key, key, strlen(key) + 1);
    plain_copy(l->rows[at].value, WATCH_LABELS_VALUE, value);
    l->count += at == l->count;
}

void watch_labels_set_list(struct watch_labels *l, const char *list)
{
    char copy[LIST_MAX], *rest = NULL;
    size_t len = strnlen(list, LIST_MAX - 1);
    memcpy(copy, list, len);
    copy[len] = '\0';
    for (char *part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(part, '=');
        part += strspn(part, " ");
        if (!equals || equals <= part)
            continue;
        *equals = '\0';
        push_setting_decode(equals + 1);
        watch_labels_set(l, part, equals + 1);
    }
}

const char *watch_labels_get(const struct watch_labels *l, const char *key)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->rows[i].key, key) == 0)
            return l->rows[i].value;
    return NULL;
}

/* ---- what the program says */

/* The value of a variable; NULL: it is not set. */
static const char *variable(const char *environment, size_t len, const char *name)
{
    size_t front = strlen(name);
    for (const char *at = environment; at < environment + len; at += strlen(at) + 1)
        if (strncmp(at, name, front) == 0 && at[front] == '=')
            return at + front + 1;
    return NULL;
}

/* A copy of the value of the last option that begins with `name`; NULL: there is none. An option
 * ends at a blank. */
static char *option(const char *options, const char *name)
{
    const char *found = NULL;
    size_t len = strlen(name);
    for (const char *at = options; at && (at = strstr(at, name)) != NULL; at += len)
        if (at == options || at[-1] == ' ')
            found = at + len;
    return found ? strndup(found, strcspn(found, " ")) : NULL;
}

void watch_labels_of_program(struct watch_labels *l, const char *environment, size_t len,
                             const char *options)
{
    const char *list = variable(environment, len, "OTEL_RESOURCE_ATTRIBUTES");
    const char *service = variable(environment, len, "OTEL_SERVICE_NAME");
    char *own_list = option(options, "-Dotel.resource.attributes=");
    char *own_service = option(options, "-Dotel.service.name=");
    if (own_list || list)
        watch_labels_set_list(l, own_list ? own_list : list);
    if (own_service || service)
        watch_labels_set(l, OTLP_SERVICE, own_service ? own_service : service);
    free(own_list);
    free(own_service);
}

/* ---- what the system knows */

void watch_labels_of_groups(struct watch_labels *l, const char *groups)
{
    char container[PROCESS_CONTAINER_WHOLE + 1], pod[PROCESS_POD_UID + 1];
    process_group_container_whole(groups, container);
    process_group_pod(groups, pod);
    watch_labels_set(l, OTLP_CONTAINER, container);
    watch_labels_set(l, POD_UID, pod);
}

/* The first line of a file below the root of a process. */
static void set_line(struct watch_labels *l, int root, const char *path, const char *key)
{
    char text[WATCH_LABELS_VALUE] = "";
    int fd = rooted_open(root, path);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    watch_labels_set(l, key, text);
}

/* The name of the pod is the host name of its containers, unless they use the host's. */
static void set_pod(struct watch_labels *l, const struct process *p)
{
    struct process_ids before;
    int root = process_folder_root(p->task);
    if (root >= 0 && process_ids_take(p, &before) == 0) {
        if (!process_has_our_host(p->task))
            set_line(l, root, "etc/hostname", POD_NAME);
        set_line(l, root, "var/run/secrets/kubernetes.io/serviceaccount/namespace", NAMESPACE);
        (void)process_ids_back(&before);
    }
    if (root >= 0)
        close(root);
}

static void set_published(struct watch_labels *l, pid_t task)
{
    struct otel_process published;
    if (published_read(task, &published) != 0)
        return;
    for (uint32_t i = 0; i < published.attribute_count; i++)
        watch_labels_set(l, published.attributes[i].key, published.attributes[i].value);
    otel_process_done(&published);
}

void watch_labels_read(struct watch_labels *l, const struct jvm *jvm, const char *groups)
{
    char *environment = NULL;
    ssize_t len = process_file(jvm->process.task, "environ", ENVIRONMENT_MAX, &environment);
    watch_labels_of_program(l, len > 0 ? environment : "", len > 0 ? (size_t)len : 0, jvm->vm_args);
    if (len >= 0)
        free(environment);
    set_published(l, jvm->process.task);
    watch_labels_of_groups(l, groups);
    if (watch_labels_get(l, POD_UID))
        set_pod(l, &jvm->process);
}
