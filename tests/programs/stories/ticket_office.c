// ticket_office.c - two counters sell tickets of one show; the number that is left is read and written in two critical sections.
//
// kind: lost update
// expect: assert
// wrong: tickets_sell() reads tickets_left() and stores the new number in another critical section; another sale is lost between them
// where: tickets_left tickets_store
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SEATS 20

struct show {
    pthread_mutex_t lock;
    const char *title;
    int left;
    int revenue;
};

struct counter {
    struct show *show;
    int price;
    int wanted;
    int sold;
};

static int tickets_left(struct show *show)
{
    pthread_mutex_lock(&show->lock);
    int left = show->left;
    pthread_mutex_unlock(&show->lock);
    return left;
}

static void tickets_store(struct show *show, int left)
{
    pthread_mutex_lock(&show->lock);
    show->left = left;
    pthread_mutex_unlock(&show->lock);
}

static void revenue_add(struct show *show, int amount)
{
    pthread_mutex_lock(&show->lock);
    show->revenue += amount;
    pthread_mutex_unlock(&show->lock);
}

static int tickets_sell(struct show *show, int number, int price)
{
    int left = tickets_left(show);
    if (left < number)
        return 0;
    tickets_store(show, left - number);
    revenue_add(show, number * price);
    return number;
}

static void *counter_open(void *arg)
{
    struct counter *counter = arg;
    while (counter->wanted > 0) {
        int number = counter->wanted > 2 ? 2 : counter->wanted;
        counter->sold += tickets_sell(counter->show, number, counter->price);
        counter->wanted -= number;
    }
    return NULL;
}

static struct show *show_new(const char *title)
{
    struct show *show = calloc(1, sizeof *show);
    pthread_mutex_init(&show->lock, NULL);
    show->title = title;
    show->left = SEATS;
    return show;
}

int main(void)
{
    struct show *show = show_new("matinee");
    struct counter counters[2] = {{show, 10, 4, 0}, {show, 8, 3, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, counter_open, &counters[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int sold = counters[0].sold + counters[1].sold;
    printf("%s: %d sold, %d left, revenue %d\n", show->title, sold, show->left, show->revenue);
    assert(sold + show->left == SEATS);
    free(show);
    return 0;
}
