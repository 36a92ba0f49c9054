/* SPDX-License-Identifier: MIT
 *
 * icv.c - OpenMP's internal control variables as the environment sets them.
 *
 * The number of processors is fixed, so that a schedule means the same on every machine.
 */
#include <unistd.h>

#include "runtime/openmp/openmp.h"

uint32_t openmp_levels = 1;

static const char *find_variable(const char *name)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *at = *entry, *wanted = name;
        while (*wanted != '\0' && *at == *wanted)
            at++, wanted++;
        if (*wanted == '\0' && *at == '=')
            return at + 1;
    }
    return NULL;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* The word at the beginning of the text, any case; NULL: another. */
static const char *skip_word(const char *text, const char *word)
{
    text = skip_blanks(text);
    for (; *word != '\0'; text++, word++)
        if ((*text | 0x20) != *word)
            return NULL;
    return text;
}

/* A number from 1; 0: there is none. */
static uint32_t read_number(const char *text)
{
    uint32_t number = 0;
    text = skip_blanks(text);
    while (*text >= '0' && *text <= '9' && number < 100000000)
        number = number * 10 + (uint32_t)(*text++ - '0');
    return number;
}

static bool is_true(const char *name)
{
    const char *text = find_variable(name);
    return text != NULL && skip_word(text, "true") != NULL;
}

/* OMP_SCHEDULE=[modifier:]kind[,chunk] */
static void read_schedule(const char *text, struct icv *icv)
{
    static const struct {
        const char *word;
        enum schedule schedule;
    } kinds[] = {{"static", SCHEDULE_STATIC},
                 {"dynamic", SCHEDULE_DYNAMIC},
                 {"guided", SCHEDULE_GUIDED},
                 {"auto", SCHEDULE_AUTO}};
    for (const char *at = text; *at != '\0'; at++)
        if (*at == ':')
            text = at + 1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *rest = skip_word(text, kinds[i].word);
        if (rest == NULL)
            continue;
        rest = skip_blanks(rest);
        icv->schedule = kinds[i].schedule;
        icv->chunk = *rest == ',' ? read_number(rest + 1) : 0;
    }
}

static struct icv read_environment(void)
{
    struct icv icv = {.threads = OPENMP_PROCESSORS, .schedule = SCHEDULE_DYNAMIC, .chunk = 1};
    const char *text = find_variable("OMP_NUM_THREADS");
    if (text != NULL && read_number(text) > 0)
        icv.threads = read_number(text);
    text = find_variable("OMP_SCHEDULE");
    if (text != NULL)
        read_schedule(text, &icv);
    text = find_variable("OMP_MAX_ACTIVE_LEVELS");
    if (text != NULL && *skip_blanks(text) >= '0' && *skip_blanks(text) <= '9')
        openmp_levels = read_number(text);
    else if (is_true("OMP_NESTED"))
        openmp_levels = OPENMP_LEVELS;
    icv.dynamic = is_true("OMP_DYNAMIC");
    return icv;
}

/* Once: the program may change its environment, and the number of levels by a call. */
struct icv icv_from_environment(void)
{
    static struct icv initial;
    if (initial.threads == 0)
        initial = read_environment();
    return initial;
}

bool icv_cancellation(void)
{
    return is_true("OMP_CANCELLATION");
}
