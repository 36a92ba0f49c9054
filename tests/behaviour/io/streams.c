// SPDX-License-Identifier: MIT
// streams.c - stdio between threads: lines through a pipe, locked streams, blocks that come in pieces.
#include "io.h"

#include <sched.h>

enum { LINES = 40, BLOCK = 20000 };
static FILE *in, *out;
int inside; /* not static: libc declares flockfile a leaf, and gcc would read a static one before it is locked */

static void *print_lines(void *unused)
{
    (void)unused;
    for (int i = 0; i < LINES; i++)
        assert(fprintf(out, "line %d\n", i) > 0);
    assert(fclose(out) == 0);
    return NULL;
}

static void *get_lines(void *unused)
{
    (void)unused;
    char *line = NULL, expected[32];
    size_t room = 0;
    int count = 0;
    while (getline(&line, &room, in) > 0) {
        snprintf(expected, sizeof expected, "line %d\n", count++);
        assert(strcmp(line, expected) == 0);
    }
    assert(count == LINES && feof(in));
    free(line);
    assert(fclose(in) == 0);
    return NULL;
}

/* More than the pipe and the buffer hold. */
static void *write_block(void *unused)
{
    (void)unused;
    char *bytes = calloc(10, BLOCK);
    assert(fwrite(bytes, 10, BLOCK, out) == BLOCK);
    assert(fclose(out) == 0);
    free(bytes);
    return NULL;
}

static void *hold(void *stream)
{
    for (int i = 0; i < 3; i++) {
        flockfile(stream);
        flockfile(stream);
        assert(inside++ == 0);
        sched_yield();
        fputs("x", stream);
        assert(inside-- == 1);
        funlockfile(stream);
        funlockfile(stream);
    }
    return NULL;
}

static void *try_hold(void *stream)
{
    if (ftrylockfile(stream) == 0) {
        assert(inside == 0);
        funlockfile(stream);
    }
    fprintf(stream, "y");
    return NULL;
}

static void connect_streams(void)
{
    int fds[2];
    assert(pipe(fds) == 0);
    in = fdopen(fds[0], "r");
    out = fdopen(fds[1], "w");
}

int main(void)
{
    connect_streams();
    pthread_t a = start(print_lines, NULL), b = start(get_lines, NULL);
    finish(a);
    finish(b);

    connect_streams();
    a = start(write_block, NULL);
    char *bytes = malloc(10 * BLOCK);
    assert(fread(bytes, 1, 1, in) == 1);
    assert(fgets(bytes, 2, in) == bytes);
    assert(fgetc(in) == 0);
    assert(fread(bytes, 1, 10 * BLOCK, in) == 10 * BLOCK - 3 && feof(in));
    free(bytes);
    finish(a);
    fclose(in);

    FILE *file = tmpfile();
    a = start(hold, file);
    b = start(hold, file);
    pthread_t c = start(try_hold, file);
    finish(a);
    finish(b);
    finish(c);
    assert(ftell(file) == 7);
    fclose(file);
    return 0;
}
