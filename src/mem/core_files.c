/*
 * core_files.c - see core_files.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mem/core_files.h"
#include "base/err.h"
#include "base/rooted.h"
#include "elf/elf_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map_file(int root, const char *path, struct core_file *file)
{
    struct stat st;
    int fd = rooted_open(root, path);
    if (fd < 0)
        return fd == -EINVAL ? -ENOENT : fd;
    if (fstat(fd, &st) != 0 || st.st_size == 0) {
        close(fd);
        return -ENOENT;
    }
    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int error = bytes == MAP_FAILED ? -errno : 0;
    close(fd);
    if (error == 0) {
        file->bytes = bytes;
        file->len = (size_t)st.st_size;
    }
    return error;
}

static bool is_build(const struct core_file *file, const unsigned char *build_id, int id_len)
{
    struct elf_file elf;
    const unsigned char *own;
    if (id_len <= 0)
        return true;
    return elf_file_of_bytes(file->bytes, file->len, &elf) == 0 &&
           elf_file_build_id(&elf, &own) == id_len && memcmp(own, build_id, (size_t)id_len) == 0;
}

/* Try one place. If `root` is not -1, the place is `below` in the folder `root`; `place` is the
 * same place seen from our root. Takes `place` over. Returns 1 if this is the file. */
static int try_below(int root, const char *below, struct core_file *file, char *place,
                     const unsigned char *build_id, int id_len)
{
    if (!place)
        return 0;
    int error = map_file(root, root < 0 ? place : below, file);
    if (error == 0 && is_build(file, build_id, id_len)) {
        file->found = place;
        file->error = 0;
        return 1;
    }
    if (error == 0) {
        munmap((void *)file->bytes, file->len);
        file->bytes = NULL;
        file->len = 0;
        error = E_OTHER_BUILD;
    }
    if (file->error == -ENOENT)
        file->error = error;
    free(place);
    return 0;
}

static char *join(const char *a, size_t a_len, const char *b)
{
    char *path = NULL;
    return asprintf(&path, "%.*s%s", (int)a_len, a, b) < 0 ? NULL : path;
}

static int try_place(struct core_file *file, char *place, const unsigned char *build_id, int id_len)
{
    return try_below(-1, NULL, file, place, build_id, id_len);
}

/* Try the path below the sysroot. Links lead within the sysroot, because it is a copy of another
 * machine's files. */
static int try_sysroot(const struct core_files *files, struct core_file *file,
                       const unsigned char *build_id, int id_len)
{
    int root = open(files->sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return 0;
    int found =
        try_below(root, file->path, file, join(files->sysroot, strlen(files->sysroot), file->path),
                  build_id, id_len);
    close(root);
    return found;
}

/* The kernel writes no '..' into a core: a path that has one leads elsewhere. */
static bool leads_up(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/..")) != NULL; at += 3)
        if (at[3] == '/' || at[3] == '\0')
            return true;
    return false;
}

/* If the core's program is A/bin/java and the user's is B/bin/java, then a file below A is looked
 * for below B. NULL: `path` is not below A. */
static char *beside_exe(const struct core_files *files, const char *path)
{
    const char *here = files->exe, *there = files->core_exe;
    if (!here || !there)
        return NULL;
    size_t a = strlen(here), b = strlen(there);
    while (a > 0 && b > 0 && here[a - 1] == there[b - 1]) {
        a--;
        b--;
    }
    /* Compare whole parts of the paths. */
    while (there[b] != 0 && there[b] != '/') {
        a++;
        b++;
    }
    return strncmp(path, there, b) == 0 && path[b] == '/' ? join(here, a, path + b) : NULL;
}

static char *in_folder_of_exe(const struct core_files *files, const char *path)
{
    const char *name = strrchr(path, '/');
    const char *slash = !files->exe ? NULL : strrchr(files->exe, '/');
    if (!files->exe || !name)
        return NULL;
    return !slash ? strdup(name + 1) : join(files->exe, (size_t)(slash - files->exe), name);
}

static void find(const struct core_files *files, struct core_file *file,
                 const unsigned char *build_id, int id_len)
{
    file->error = -ENOENT;
    if (leads_up(file->path))
        return;
    if (files->exe && files->core_exe && strcmp(file->path, files->core_exe) == 0 &&
        try_place(file, strdup(files->exe), build_id, id_len))
        return;
    if (files->sysroot ? try_sysroot(files, file, build_id, id_len)
                       : try_place(file, strdup(file->path), build_id, id_len))
        return;
    if (try_place(file, beside_exe(files, file->path), build_id, id_len))
        return;
    try_place(file, in_folder_of_exe(files, file->path), build_id, id_len);
}

struct core_file *core_files_get(struct core_files *files, const char *path,
                                 const unsigned char *build_id, int id_len)
{
    for (uint32_t i = 0; i < files->count; i++) {
        if (strcmp(files->rows[i]->path, path) == 0)
            return files->rows[i];
    }
    struct core_file **rows = reallocarray(files->rows, files->count + 1, sizeof(void *));
    struct core_file *file = calloc(1, sizeof(*file));
    if (rows)
        files->rows = rows;
    if (!rows || !file || !(file->path = strdup(path))) {
        free(file);
        return NULL;
    }
    rows[files->count++] = file;
    find(files, file, build_id, id_len);
    return file;
}

void core_files_done(struct core_files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        struct core_file *file = files->rows[i];
        if (file->bytes)
            munmap((void *)file->bytes, file->len);
        free(file->path);
        free(file->found);
        free(file);
    }
    free(files->rows);
    free(files->core_exe);
    memset(files, 0, sizeof(*files));
}
