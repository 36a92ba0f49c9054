// SPDX-License-Identifier: MIT
// hash_and_tree.c - hsearch_r with a table per thread, and a tsearch tree under a lock.
//
// expect: none
#include "correct.h"

#include <search.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tree;
static int nodes;

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void count(const void *node, VISIT which, int depth)
{
    (void)node;
    (void)depth;
    nodes += which == postorder || which == leaf;
}

static void *work(void *words)
{
    char **word = words;
    struct hsearch_data table = {0};
    CHECK(hcreate_r(8, &table));
    for (int i = 0; i < 2; i++) {
        ENTRY *entry, item = {word[i], &word[i]};
        CHECK(hsearch_r(item, ENTER, &entry, &table) && entry->data == &word[i]);
        pthread_mutex_lock(&lock);
        CHECK(tsearch(word[i], &tree, compare) != NULL);
        pthread_mutex_unlock(&lock);
    }
    hdestroy_r(&table);
    return NULL;
}

static void keep(void *word)
{
    (void)word;
}

int main(void)
{
    static char *one[] = {"apple", "pear"}, *two[] = {"pear", "plum"};
    pthread_t a = start(work, one), b = start(work, two);
    join(a);
    join(b);
    twalk(tree, count);
    CHECK(nodes == 3);
    tdestroy(tree, keep);
    return 0;
}
