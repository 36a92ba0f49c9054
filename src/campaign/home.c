/* SPDX-License-Identifier: MIT
 *
 * home.c - where the results of a program are; see home.h.
 */
#include "campaign/home.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/memory.h"

#define OWNER "program"
enum { MOST = 10000 };

char *home_program(const char *path)
{
    char *real = realpath(path, NULL), *here = realpath(".", NULL);
    char *program = real != NULL ? memory_copy_string(real) : file_absolute(path);
    size_t length = here != NULL ? strlen(here) : 0;
    if (length > 1 && strncmp(program, here, length) == 0 && program[length] == '/') {
        char *inside = memory_copy_string(program + length + 1);
        free(program);
        program = inside;
    }
    free(real);
    free(here);
    return program;
}

/* NULL: it does not say. */
static char *owner_of(const char *home)
{
    struct buffer text = {0};
    struct error error;
    char *path = file_join(home, OWNER);
    bool good = file_read(path, PATH_MAX + 1, &text, &error);
    char *owner = good ? memory_copy_string(buffer_text(&text)) : NULL;
    if (owner != NULL)
        owner[strcspn(owner, "\n")] = '\0';
    free(path);
    buffer_free(&text);
    return owner;
}

char *home_find(const char *name, const char *path)
{
    const char *base = file_base_name(name);
    char *program = home_program(path), *home = NULL;
    for (unsigned number = 1; number < MOST; number++) {
        free(home);
        home = number == 1 ? memory_format("raddle.out/%s", base) : memory_format("raddle.out/%s-%u", base, number);
        char *owner = owner_of(home);
        /* One of raddle.out/NAME-2 may be that of a program which is called so. */
        bool fits = owner == NULL ? number == 1 || !file_exists(home) : strcmp(owner, program) == 0;
        free(owner);
        if (fits)
            break;
    }
    free(program);
    return home;
}

bool home_claim(const char *home, const char *path, struct error *error)
{
    char *owner = file_join(home, OWNER), *program = home_program(path), *line = memory_format("%s\n", program);
    bool good = file_exists(owner) || file_write(owner, line, strlen(line), error);
    free(owner);
    free(program);
    free(line);
    return good;
}

void home_leave(const char *home)
{
    DIR *directory = opendir(home);
    struct dirent *entry;
    bool others = false;
    if (directory == NULL)
        return;
    while ((entry = readdir(directory)) != NULL)
        others |=
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strcmp(entry->d_name, OWNER) != 0;
    closedir(directory);
    if (others)
        return;
    char *owner = file_join(home, OWNER);
    unlink(owner);
    free(owner);
}
