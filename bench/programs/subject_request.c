// SPDX-License-Identifier: MIT
// subject_request.c - parameters are parsed when the first one is asked for, and the flag that they are parsed is set before: the other
// thread looks for a parameter that is not there yet.
//
// Shape: Request (Tomcat); flag before the work, no lock.
// expect: assert
#include "subject.h"

enum { MOST = 6 };

static volatile bool parsed;
static volatile int count;
static struct {
    volatile char name;
    volatile int value;
} parameter[MOST];
static volatile int attribute[3];

static void parse(const char *text)
{
    for (; text[0] != '\0'; text += text[3] == '&' ? 4 : 3) {
        parameter[count].name = text[0];
        parameter[count].value = text[2] - '0';
        count = count + 1;
    }
}

static int get_parameter(char name)
{
    int value = -1;
    call_begin();
    if (!parsed) {
        parsed = true;
        parse("a=1&b=2&c=3&d=4");
    }
    for (int i = 0; i < count; i++)
        if (parameter[i].name == name)
            value = parameter[i].value;
    call_end();
    return value;
}

static void set_attribute(int number, int value)
{
    call_begin();
    attribute[number] = value;
    call_end();
}

static int get_attribute(int number)
{
    call_begin();
    int value = attribute[number];
    call_end();
    return value;
}

static void *show(void *unused)
{
    (void)unused;
    for (int i = 0; i < 18; i++)
        set_attribute(i % 3, i);
    assert(get_parameter('c') == 3);
    return NULL;
}

static void *log_access(void *unused)
{
    (void)unused;
    assert(get_parameter('a') == 1);
    for (int i = 0; i < 3; i++)
        assert(get_attribute(i) >= 0);
    return NULL;
}

int main(void)
{
    subject_run(2, (subject_task[]){show, log_access});
    return 0;
}
