/*
 * conffile.c - see conffile.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/conffile.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command/say.h"

int conffile_refuse(const char *name, unsigned line, const char *text, const char *why)
{
    say("%s:%u: '%s': %s", name, line, text, why);
    return -EINVAL;
}

char *conffile_trim(char *text)
{
    size_t len;
    text += strspn(text, " \t\r\n");
    for (len = strlen(text); len > 0 && strchr(" \t\r\n", text[len - 1]); len--)
        text[len - 1] = '\0';
    return text;
}

char *conffile_word(char *text, const char *ends, char **ret_rest)
{
    size_t len = strcspn(text, ends);
    *ret_rest = text + len + (text[len] != '\0');
    text[len] = '\0';
    *ret_rest = conffile_trim(*ret_rest);
    return text;
}

int conffile_read(FILE *in, const char *name, conffile_line *take, void *with)
{
    char *text = NULL;
    size_t room = 0;
    int error = 0;
    for (unsigned line = 1; error == 0 && getline(&text, &room, in) >= 0; line++) {
        char *words = conffile_trim(text);
        if (line > CONFFILE_LINES)
            error = conffile_refuse(name, line, "", "more than 1000 lines");
        else if (words[0] != '\0' && words[0] != '#')
            error = take(with, name, line, words);
    }
    free(text);
    if (error == -ENOMEM)
        say("%s: %s", name, strerror(ENOMEM));
    return error;
}

bool conffile_is_trusted(int fd, mode_t not_for)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & not_for) &&
           (st.st_uid == geteuid() || st.st_uid == 0);
}
