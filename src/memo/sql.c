/* SPDX-License-Identifier: MIT
 *
 * sql.c - prepares the statements of statements.h once, and binds their parameters; transactions.
 */
#include <assert.h>
#include <stdarg.h>

#include "memo/memo_private.h"

static const char *const statement_texts[STATEMENT_COUNT] = {
#define X(name, text) [SQL_##name] = text,
    STATEMENTS(X)
#undef X
};

/* ---- statements ------------------------------------------------------------------------------------------------------- */

static bool bind_all(struct database_statement *statement, const char *types, va_list values, struct error *error)
{
    bool good = true;
    for (int i = 1; *types != '\0' && good; types++, i++) {
        assert(*types == 'i' || *types == 'd' || *types == 's');
        if (*types == 'i')
            good = database_bind_number(statement, i, va_arg(values, int64_t), error);
        else if (*types == 'd')
            good = database_bind_real(statement, i, va_arg(values, double), error);
        else
            good = database_bind_text(statement, i, va_arg(values, const char *), error);
    }
    return good;
}

struct database_statement *memo_bind(struct memo *memo, enum statement which, struct error *error, const char *types,
                                     ...)
{
    struct database_statement **slot = &memo->statements[which];
    if (*slot == NULL)
        *slot = database_prepare(memo->database, statement_texts[which], error);
    if (*slot == NULL)
        return NULL;
    va_list values;
    va_start(values, types);
    bool good = bind_all(*slot, types, values, error);
    va_end(values);
    return good ? *slot : NULL;
}

int memo_next(struct database_statement *statement, struct error *error)
{
    return statement != NULL ? database_step(statement, error) : -1;
}

bool memo_perform_value(struct database_statement *statement, int64_t *value, struct error *error)
{
    bool first = true;
    int more;
    while ((more = memo_next(statement, error)) > 0) {
        if (first)
            *value = database_number(statement, 0);
        first = false;
    }
    return more == 0;
}

bool memo_perform(struct database_statement *statement, struct error *error)
{
    int64_t ignored;
    return memo_perform_value(statement, &ignored, error);
}

/* ---- transactions ------------------------------------------------------------------------------------------------------- */

bool memo_begin(struct memo *memo, struct error *error)
{
    assert(memo->database != NULL);
    return database_begin(memo->database, DATABASE_TO_WRITE, error);
}

bool memo_end(struct memo *memo, bool good, struct error *error)
{
    assert(memo->database != NULL);
    memo_rows_clear(&memo->sites);
    memo_rows_clear(&memo->shapes);
    if (good && database_commit(memo->database, error))
        return true;
    database_roll_back(memo->database);
    return false;
}
