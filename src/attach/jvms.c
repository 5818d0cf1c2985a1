/*
 * jvms.c - see jvms.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/jvms.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/main_class.h"
#include "base/err.h"
#include "base/proc_ids.h"
#include "base/rooted.h"
#include "perfdata/perfdata_file.h"
#include "process/process.h"
#include "process/process_ids.h"

enum { COMMAND_LINE_MAX = 2 << 20, RELEASE_MAX = 16 * 1024 };

static char *copy_text(const struct perfdata *counters, const char *name)
{
    size_t len;
    const char *text = perfdata_text_of(counters, name, &len);
    return text ? strndup(text, len) : NULL;
}

/* Read the version of a JDK. JDKs from 9 on, and most builds of JDK 8, have a file `release` with a
 * line JAVA_VERSION="25.0.3". */
static char *read_release(int root, const char *path)
{
    static const char key[] = "JAVA_VERSION=\"";
    char text[RELEASE_MAX + 1];
    int fd = rooted_open(root, path);
    ssize_t n = fd < 0 ? -1 : read(fd, text, RELEASE_MAX);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return NULL;
    text[n] = '\0';
    const char *found = strstr(text, key);
    if (!found)
        return NULL;
    found += sizeof(key) - 1;
    return strndup(found, strcspn(found, "\"\n"));
}

/* Find the version of the JDK around a libjvm.so, which lies two or three folders below the JDK:
 * lib/server, jre/lib/amd64/server. */
static char *find_version(int root, const char *libjvm)
{
    static const char name[] = "/release";
    char *folder = strdup(libjvm), *path = malloc(strlen(libjvm) + sizeof(name)), *version = NULL;
    for (char *slash;
         folder && path && !version && (slash = strrchr(folder, '/')) != NULL && slash > folder;) {
        *slash = '\0';
        memcpy(stpcpy(path, folder), name, sizeof(name));
        version = read_release(root, path);
    }
    free(path);
    free(folder);
    return version;
}

static void read_command_line(struct jvm *jvm)
{
    char *line;
    ssize_t len = process_file(jvm->process.task, "cmdline", COMMAND_LINE_MAX, &line);
    if (len < 0)
        return;
    jvm->command = main_class_of_line(line, (size_t)len, strcmp(jvm->process.name, "java") == 0);
    free(line);
}

/* Read what the JVM tells of itself in files that belong to its user. */
static void read_files(struct jvm *jvm, int root)
{
    struct perfdata_file counters;
    if (perfdata_file_open_process(&jvm->process, root, &counters) == 0) {
        jvm->has_counters = true;
        jvm->command = copy_text(&counters.data, "sun.rt.javaCommand");
        jvm->vm_args = copy_text(&counters.data, "java.rt.vmArgs");
        jvm->vm_flags = copy_text(&counters.data, "java.rt.vmFlags");
        jvm->version = copy_text(&counters.data, "java.property.java.version");
    }
    perfdata_file_close(&counters);
    if (!jvm->version)
        jvm->version = find_version(root, jvm->libjvm);
}

static void free_row(struct jvm *jvm)
{
    free(jvm->libjvm);
    free(jvm->command);
    free(jvm->vm_args);
    free(jvm->vm_flags);
    free(jvm->version);
}

static int look_at(pid_t pid, struct jvm *jvm)
{
    struct process_ids before;
    int error = process_read(pid, &jvm->process);
    if (error == 0)
        error = process_find_mapped(jvm->process.task, "libjvm.so", &jvm->libjvm);
    if (error < 0)
        return error;
    process_container(pid, jvm->container);
    int root = process_folder_root(jvm->process.task);
    if (root >= 0 && process_ids_take(&jvm->process, &before) == 0) {
        read_files(jvm, root);
        error = process_ids_back(&before);
    }
    if (root >= 0)
        close(root);
    if (!jvm->command || jvm->command[0] == '\0') {
        free(jvm->command);
        jvm->command = NULL;
        read_command_line(jvm);
    }
    return error;
}

static int add(struct jvms *jvms, pid_t pid)
{
    struct jvm jvm = {0};
    int error = look_at(pid, &jvm);
    struct jvm *rows = error < 0 ? NULL : realloc(jvms->rows, (jvms->count + 1) * sizeof(*rows));
    if (!rows) {
        bool is_hidden = error == -EACCES || error == -EPERM;
        jvms->hidden += is_hidden && strcmp(jvm.process.name, "java") == 0;
        free_row(&jvm);
        return error < 0 ? error : -ENOMEM;
    }
    jvms->rows = rows;
    rows[jvms->count++] = jvm;
    return 0;
}

int jvms_one(pid_t pid, struct jvms *ret)
{
    *ret = (struct jvms){0};
    return add(ret, pid);
}

static int compare_pids(const void *a, const void *b)
{
    pid_t x = ((const struct jvm *)a)->process.pid, y = ((const struct jvm *)b)->process.pid;
    return (x > y) - (x < y);
}

int jvms_list(struct jvms *ret)
{
    struct proc_ids all;
    int error = proc_ids_open_processes(&all);
    *ret = (struct jvms){0};
    if (error)
        return error;
    /* A process that is not a JVM, has ended, or may not be looked at is left out. */
    for (pid_t pid; error == 0 && (pid = proc_ids_next(&all)) != 0;)
        error = add(ret, pid) == -ENOMEM ? -ENOMEM : 0;
    proc_ids_close(&all);
    if (ret->count > 0)
        qsort(ret->rows, ret->count, sizeof(*ret->rows), compare_pids);
    return error;
}

void jvms_done(struct jvms *jvms)
{
    for (uint32_t i = 0; i < jvms->count; i++)
        free_row(&jvms->rows[i]);
    free(jvms->rows);
    *jvms = (struct jvms){0};
}
