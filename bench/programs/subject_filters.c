// SPDX-License-Identifier: MIT
// subject_filters.c - filters are added to the end of a list without a lock: of two that are added at once one is lost, or the first one
// is there while the end of the list is not.
//
// Shape: NullAppender (Log4j), addFilter; head and tail of a list, no lock.
// expect: assert|signal
#include "subject.h"

struct filter {
    int least;
    struct filter *volatile next;
};
static struct filter *volatile head, *volatile tail; // each use reads them again
static struct filter filter[4] = {{.least = 1}, {.least = 3}, {.least = 2}, {.least = 4}};
static volatile int threshold;

static void filter_add(struct filter *added)
{
    call_begin();
    if (head == NULL) {
        head = added;
        tail = added;
    } else {
        tail->next = added;
        tail = added;
    }
    call_end();
}

static bool filter_decide(int level)
{
    bool accepted = true;
    call_begin();
    if (level < threshold)
        accepted = false;
    for (const struct filter *f = head; f != NULL && accepted; f = f->next)
        accepted = level >= f->least;
    call_end();
    return accepted;
}

static void set_threshold(int to)
{
    call_begin();
    threshold = to;
    call_end();
}

static void *configure(void *unused)
{
    (void)unused;
    filter_add(&filter[0]);
    filter_add(&filter[1]);
    return NULL;
}

static void *append(void *unused)
{
    (void)unused;
    for (int level = 0; level < 5; level++)
        filter_decide(level);
    set_threshold(2);
    for (int level = 0; level < 5; level++)
        filter_decide(level);
    filter_add(&filter[2]);
    filter_add(&filter[3]);
    return NULL;
}

int main(void)
{
    int count = 0;
    subject_run(2, (subject_task[]){configure, append});
    for (const struct filter *f = head; f != NULL; f = f->next)
        count++;
    assert(count == 4);
    return 0;
}
