// print_spooler.c - a spooler thread sleeps until a document is there.
//
// kind: lost wake-up
// expect: deadlock
// wrong: spooler_add() sets `ready' and signals without the mutex: between the spooler's test and its wait, the signal wakes no thread
// where: spooler_add spooler_wait
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define DOCUMENTS 1

struct document {
    char title[32];
    int pages;
};

struct spooler {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct document queue[DOCUMENTS];
    atomic_int ready;
    int printed;
};

static struct spooler spooler = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .arrived = PTHREAD_COND_INITIALIZER,
};

static void spooler_add(const char *title, int pages)
{
    int at = atomic_load(&spooler.ready);
    strcpy(spooler.queue[at].title, title);
    spooler.queue[at].pages = pages;
    atomic_store(&spooler.ready, at + 1);
    pthread_cond_signal(&spooler.arrived);
}

static void spooler_wait(int number)
{
    pthread_mutex_lock(&spooler.lock);
    while (atomic_load(&spooler.ready) <= number)
        pthread_cond_wait(&spooler.arrived, &spooler.lock);
    pthread_mutex_unlock(&spooler.lock);
}

static void document_print(const struct document *document)
{
    for (int page = 1; page <= document->pages; page++)
        spooler.printed++;
}

static void *spool(void *arg)
{
    (void)arg;
    for (int i = 0; i < DOCUMENTS; i++) {
        spooler_wait(i);
        document_print(&spooler.queue[i]);
    }
    return NULL;
}

static void *editor(void *arg)
{
    const char *title = arg;
    spooler_add(title, 2);
    return NULL;
}

int main(void)
{
    pthread_t printer, writer;
    pthread_create(&printer, NULL, spool, NULL);
    pthread_create(&writer, NULL, editor, "letter");
    pthread_join(writer, NULL);
    pthread_join(printer, NULL);
    printf("%d pages\n", spooler.printed);
    return 0;
}
