/* SPDX-License-Identifier: MIT
 *
 * remember.c - see remember.h.
 */
#include "explore/remember.h"

#include <stdlib.h>
#include <string.h>

#include "memo/memo.h"
#include "util/buffer.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/stop.h"

/* What the memo has of an instance, from before this campaign. */
enum { KNOWN_COVERED = 1 };
#define KNOWN_FAILED_SHIFT 1

/* What has been stored of an instance in this campaign. */
struct stored {
    uint64_t runs;
    uint32_t attempts, failed, exposed;
    bool predicted;
};

struct remember {
    struct memo *memo;
    struct table known; /* hash of family and text → KNOWN_COVERED, and how many attempts failed */
    struct table sites; /* hashes of those that are known */
    size_t looked_up;   /* instances below this number */
    VECTOR(struct stored) stored;
    struct buffer text; /* of one instance */
};

static uint64_t key_of(const char *family, const char *text)
{
    return hash_combine(hash_string(family), hash_string(text));
}

static bool learn(const struct memo_instance *instance, void *context)
{
    struct remember *remember = context;
    uint64_t covered = instance->covered + instance->exposed > 0 ? KNOWN_COVERED : 0;
    *table_put(&remember->known, key_of(instance->family, instance->text)) = covered | instance->failed
                                                                                           << KNOWN_FAILED_SHIFT;
    return true;
}

static bool learn_site(const struct memo_site *site, void *context)
{
    struct remember *remember = context;
    *table_put(&remember->sites, hash_string(site->text)) = 1;
    return true;
}

struct remember *remember_open(const char *path, const char *program, const char *program_file, struct error *error)
{
    struct remember *remember = memory_allocate(1, sizeof *remember);
    char *build = memo_build_name(program_file);
    remember->memo = memo_open(path, file_base_name(program), build != NULL ? build : "unknown", error);
    free(build);
    if (remember->memo == NULL || !memo_each_instance(remember->memo, learn, remember, error) ||
        !memo_each_site(remember->memo, learn_site, remember, error)) {
        remember_close(remember);
        return NULL;
    }
    return remember;
}

void remember_close(struct remember *remember)
{
    if (remember == NULL)
        return;
    memo_close(remember->memo);
    table_free(&remember->known);
    table_free(&remember->sites);
    vector_free(&remember->stored);
    buffer_free(&remember->text);
    free(remember);
}

static const char *text_of(struct remember *remember, const struct coverage *coverage, const struct instance *instance)
{
    buffer_clear(&remember->text);
    instance_print(instance, coverage_sites(coverage), SITE_FULL, &remember->text);
    return buffer_text(&remember->text);
}

void remember_look_up(struct remember *remember, const struct coverage *coverage, struct maple *maple)
{
    for (; remember->looked_up < coverage_instance_count(coverage) && !stop_requested(); remember->looked_up++) {
        const struct instance *instance = coverage_instance(coverage, remember->looked_up);
        const char *text = text_of(remember, coverage, instance);
        const uint64_t *known = table_get(&remember->known, key_of(families[instance->row].name, text));
        if (known != NULL)
            maple_know(maple, remember->looked_up, (*known & KNOWN_COVERED) != 0, *known >> KNOWN_FAILED_SHIFT);
    }
}

bool remember_is_new_site(struct remember *remember, const struct coverage *coverage, uint32_t site)
{
    if (remember->sites.count == 0)
        return false;
    buffer_clear(&remember->text);
    sites_print(coverage_sites(coverage), site, SITE_FULL, &remember->text);
    return table_get(&remember->sites, hash_string(buffer_text(&remember->text))) == NULL;
}

/* What is new about the instance since it was stored last; false: nothing. */
static bool news_of(struct remember *remember, const struct coverage *coverage, const struct maple *maple,
                    size_t number, struct memo_instance *news)
{
    struct stored *stored = &remember->stored.data[number];
    struct maple_account account = {0};
    uint64_t runs = coverage_seen(coverage, number);
    if (maple != NULL)
        maple_account(maple, number, &account);
    bool predicted = coverage_is_predicted(coverage, number);
    *news = (struct memo_instance){.covered = runs - stored->runs,
                                   .exposed = account.exposed - stored->exposed,
                                   .attempts = account.attempts - stored->attempts,
                                   .failed = account.failed - stored->failed,
                                   .predicted = predicted,
                                   .verdict = account.attempts > stored->attempts ? account.verdict : NULL};
    bool changed = news->covered + news->attempts > 0 || predicted != stored->predicted;
    *stored = (struct stored){runs, account.attempts, account.failed, account.exposed, predicted};
    return changed;
}

bool remember_store(struct remember *remember, const struct coverage *coverage, const struct maple *maple,
                    struct error *error)
{
    VECTOR(struct memo_instance) all = {0};
    VECTOR(char *) texts = {0};
    while (remember->stored.count < coverage_instance_count(coverage))
        vector_push(&remember->stored, ((struct stored){0}));
    for (size_t i = 0; i < remember->stored.count && !stop_requested(); i++) {
        struct memo_instance news;
        if (!news_of(remember, coverage, maple, i, &news))
            continue;
        const struct instance *instance = coverage_instance(coverage, i);
        char *text = memory_copy_string(text_of(remember, coverage, instance));
        vector_push(&texts, text);
        news.family = families[instance->row].name;
        news.text = text;
        vector_push(&all, news);
    }
    bool good = all.count == 0 || memo_store(remember->memo, all.data, all.count, error);
    for (size_t i = 0; i < texts.count; i++)
        free(texts.data[i]);
    vector_free(&texts);
    vector_free(&all);
    return good;
}

static char *command_text(char *const *command)
{
    struct buffer text = {0};
    for (char *const *word = command; *word != NULL; word++) {
        if (word != command)
            buffer_add_char(&text, ' ');
        buffer_add_quoted(&text, *word);
    }
    char *copy = memory_copy_string(buffer_text(&text));
    buffer_free(&text);
    return copy;
}

/* Covered here, and by no earlier campaign. */
static uint64_t newly_covered(struct remember *remember, const struct coverage *coverage)
{
    uint64_t count = 0;
    for (size_t i = 0; i < coverage_instance_count(coverage) && !stop_requested(); i++) {
        if (coverage_seen(coverage, i) == 0)
            continue;
        const struct instance *instance = coverage_instance(coverage, i);
        const char *text = text_of(remember, coverage, instance);
        const uint64_t *known = table_get(&remember->known, key_of(families[instance->row].name, text));
        count += known == NULL || !(*known & KNOWN_COVERED);
    }
    return count;
}

bool remember_campaign(struct remember *remember, const struct campaign_settings *settings,
                       const struct strategies *strategies, const struct results *results, struct error *error)
{
    char *input = command_text(settings->setup.command);
    struct memo_run run = {.input = input,
                           .seed = strategies->seed,
                           .schedules = results->schedules,
                           .newly_covered = newly_covered(remember, results->coverage),
                           .seconds = results->seconds};
    bool good = memo_add_run(remember->memo, &run, error);
    free(input);
    for (size_t i = 0; good && i < results->failures.count; i++) {
        const struct result_failure *failure = &results->failures.data[i];
        struct memo_failure kept = {.key = failure->key,
                                    .kind = failure->kind,
                                    .site = failure->site,
                                    .path = failure->path,
                                    .times = failure->count > 0 ? failure->count : 1};
        good = memo_add_failure(remember->memo, &kept, error);
    }
    return good;
}
