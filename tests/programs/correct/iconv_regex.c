// SPDX-License-Identifier: MIT
// iconv_regex.c - iconv and regexec, each thread with a descriptor of its own; the compiled pattern is shared.
//
// expect: none
#include "correct.h"

#include <iconv.h>
#include <regex.h>

static regex_t pattern;
static int matches;

static void *work(void *text)
{
    char in[] = "gr\xfc\xdf", out[16] = "";
    char *from = in, *to = out;
    size_t left = 4, room = sizeof out;
    iconv_t converter = iconv_open("UTF-8", "ISO-8859-1");
    CHECK(converter != (iconv_t)-1);
    CHECK(iconv(converter, &from, &left, &to, &room) == 0 && room == sizeof out - 6);
    iconv_close(converter);
    regmatch_t place[2];
    if (regexec(&pattern, text, 2, place, 0) == 0) {
        CHECK(place[1].rm_so == 2);
        __atomic_fetch_add(&matches, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void)
{
    CHECK(regcomp(&pattern, "a=([0-9]+)", REG_EXTENDED) == 0);
    pthread_t a = start(work, "a=15"), b = start(work, "b=15");
    join(a);
    join(b);
    regfree(&pattern);
    CHECK(matches == 1);
    return 0;
}
