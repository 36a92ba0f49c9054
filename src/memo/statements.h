/* SPDX-License-Identifier: MIT
 *
 * statements.h - all statements of the memo in one table, in the SQL of database.h.  ?1 is mostly the program.
 *
 * Counts stop at the largest number there is instead of overflowing.  The result of merging two memos does not depend
 * on their order.
 */
#ifndef RADDLE_MEMO_STATEMENTS_H
#define RADDLE_MEMO_STATEMENTS_H

#define SQL_TOP "9223372036854775807"
#define SQL_ADD(table, count)                                                                                          \
#count " = CASE WHEN excluded." #count " > " SQL_TOP " - " #table "." #count " THEN " SQL_TOP " ELSE " #table      \
           "." #count " + excluded." #count " END"
#define SQL_CHOOSE(table, count, relation)                                                                             \
#count " = CASE WHEN excluded." #count " " relation " " #table "." #count " THEN excluded." #count " ELSE " #table \
           "." #count " END"
#define SQL_LARGEST(table, count)  SQL_CHOOSE(table, count, ">")
#define SQL_SMALLEST(table, count) SQL_CHOOSE(table, count, "<")

/* Whether the build of the new row is newer (>) or older (<) than the build of the existing row. */
#define SQL_COMPARE_BUILDS(moment, relation, new, old)                                                                 \
    "(SELECT (n." moment ", n.name) " relation " (o." moment ", o.name) FROM build n, build o"                         \
    " WHERE n.id = " new " AND o.id = " old ")"
#define SQL_LATER_NAME(table)                                                                                          \
    "(SELECT n.name > o.name FROM build n, build o WHERE n.id = excluded.build AND o.id = " #table ".build)"

#define SQL_INSTANCE                                                                                                   \
    "INSERT INTO instance (program, shape, site1, site2, site3, site4, covered, exposed, attempts, failed, predicted," \
    " verdict, build, seen, impossible)"                                                                               \
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"                                       \
    " ON CONFLICT (program, shape, site1, site2, site3, site4) DO UPDATE SET " SQL_LARGEST(                            \
        instance, predicted) ", " SQL_LARGEST(instance, seen) ", "
#define SQL_INSTANCE_COUNTS(HOW)                                                                                       \
    HOW(instance, covered) ", " HOW(instance, exposed) ", " HOW(instance, attempts) ", " HOW(instance, failed) ", "
/* What was shown to be impossible in another build is not known of this one. */
#define SQL_IMPOSSIBLE                                                                                                 \
    "impossible = CASE WHEN excluded.build = instance.build AND instance.impossible > excluded.impossible THEN"        \
    " instance.impossible ELSE excluded.impossible END"
#define SQL_INSTANCE_LATER                                                                                             \
    "verdict = CASE WHEN excluded.verdict IS NULL THEN instance.verdict WHEN instance.verdict IS NULL THEN"            \
    " excluded.verdict WHEN (excluded.seen, excluded.verdict) > (instance.seen, instance.verdict) THEN"                \
    " excluded.verdict ELSE instance.verdict END, "                                                                    \
    "build = CASE WHEN excluded.seen > instance.seen OR (excluded.seen = instance.seen AND " SQL_LATER_NAME(           \
        instance) ") THEN excluded.build ELSE instance.build END"

#define SQL_CORE                                                                                                       \
    "INSERT INTO core (program, key, family, text, build, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"                       \
    " ON CONFLICT (program, key) DO UPDATE SET "
#define SQL_CORE_LATER "excluded.seen > core.seen OR (excluded.seen = core.seen AND " SQL_LATER_NAME(core) ")"

#define SQL_INSTANCE_ROWS                                                                                              \
    "SELECT shape.family, interleave(shape.text, ')@', s1.text, s2.text, s3.text, s4.text), covered, exposed,"         \
    " attempts, failed, predicted, verdict, build.name, seen, impossible FROM instance"                                \
    " JOIN shape ON shape.id = instance.shape JOIN build ON build.id = instance.build"                                 \
    " JOIN site s1 ON s1.id = site1 LEFT JOIN site s2 ON s2.id = site2"                                                \
    " LEFT JOIN site s3 ON s3.id = site3 LEFT JOIN site s4 ON s4.id = site4 WHERE instance.program = ?1"
#define SQL_SITE_ID(parameter)      "(SELECT id FROM site WHERE program = ?1 AND text = " parameter ")"
#define SQL_SITE_OR_NONE(parameter) "CASE WHEN " parameter " IS NULL THEN 0 ELSE " SQL_SITE_ID(parameter) " END"

#define SQL_SITE                                                                                                       \
    "INSERT INTO site (program, text, first_build, last_build, hint) VALUES (?1, ?2, ?3, ?4, ?5)"                      \
    " ON CONFLICT (program, text) DO "
#define SQL_SITE_EARLIER SQL_COMPARE_BUILDS("first_seen", "<", "excluded.first_build", "site.first_build")
#define SQL_SITE_LATER   SQL_COMPARE_BUILDS("last_seen", ">", "excluded.last_build", "site.last_build")

#define SQL_FAILURE                                                                                                    \
    "INSERT INTO failure (program, key, kind, site, path, build, first_seen, last_seen, times)"                        \
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (program, key) DO UPDATE SET " SQL_SMALLEST(             \
        failure, first_seen) ", " SQL_LARGEST(failure, last_seen) ", "
#define SQL_FAILURE_LATER                                                                                              \
    "path = CASE WHEN excluded.path IS NULL THEN failure.path WHEN failure.path IS NULL THEN excluded.path"            \
    " WHEN (excluded.last_seen, excluded.path) > (failure.last_seen, failure.path) THEN excluded.path"                 \
    " ELSE failure.path END, "                                                                                         \
    "build = CASE WHEN excluded.last_seen > failure.last_seen OR (excluded.last_seen = failure.last_seen"              \
    " AND " SQL_LATER_NAME(failure) ") THEN excluded.build ELSE failure.build END"

/* Builds that are among the last ?1 of their program. */
#define SQL_KEPT_BUILDS                                                                                                \
    "(SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY program ORDER BY last_seen DESC, name DESC)"          \
    " AS place FROM build) AS numbered WHERE place <= ?1)"
#define SQL_USED_SITES                                                                                                 \
    "(SELECT site1 FROM instance UNION SELECT site2 FROM instance UNION SELECT site3 FROM instance"                    \
    " UNION SELECT site4 FROM instance)"

/* X(NAME, text) */
#define STATEMENTS(X)                                                                                                  \
    X(PUT_PROGRAM, "INSERT INTO program (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")                             \
    X(GET_PROGRAM, "SELECT id FROM program WHERE name = ?1")                                                           \
    X(EACH_PROGRAM, "SELECT name FROM program ORDER BY name")                                                          \
    X(PUT_BUILD, "INSERT INTO build (program, name, first_seen, last_seen) VALUES (?1, ?2, ?3, ?4)"                    \
                 " ON CONFLICT (program, name) DO UPDATE SET " SQL_SMALLEST(build, first_seen) ", " SQL_LARGEST(       \
                     build, last_seen))                                                                                \
    X(GET_BUILD, "SELECT id FROM build WHERE program = ?1 AND name = ?2")                                              \
    X(IS_CHOSEN, "SELECT 1 FROM build JOIN program ON program.id = build.program WHERE program.id = ?1"                \
                 " AND program.name = ?2 AND build.id = ?3 AND build.name = ?4")                                       \
    X(EACH_BUILD, "SELECT name, first_seen, last_seen FROM build WHERE program = ?1 ORDER BY first_seen, name")        \
    X(STORE_SITE, SQL_SITE "UPDATE SET last_build = excluded.last_build, hint = CASE WHEN excluded.hint = 0 AND"       \
                           " excluded.last_build = site.last_build THEN site.hint ELSE excluded.hint END")             \
    X(KEEP_SITE, SQL_SITE "NOTHING")                                                                                   \
    X(MERGE_SITE, SQL_SITE "UPDATE SET first_build = CASE WHEN " SQL_SITE_EARLIER " THEN excluded.first_build"         \
                           " ELSE site.first_build END, last_build = CASE WHEN " SQL_SITE_LATER                        \
                           " THEN excluded.last_build ELSE site.last_build END, hint = CASE WHEN"                      \
                           " excluded.last_build = site.last_build AND excluded.hint < site.hint THEN site.hint"       \
                           " WHEN excluded.last_build = site.last_build OR " SQL_SITE_LATER                            \
                           " THEN excluded.hint ELSE site.hint END")                                                   \
    X(GET_SITE, "SELECT id, last_build, hint FROM site WHERE program = ?1 AND text = ?2")                              \
    X(EACH_SITE, "SELECT site.text, hint, a.name, b.name FROM site JOIN build a ON a.id = first_build"                 \
                 " JOIN build b ON b.id = last_build WHERE site.program = ?1 ORDER BY site.text")                      \
    X(PUT_SHAPE, "INSERT INTO shape (family, text) VALUES (?1, ?2) ON CONFLICT (family, text) DO NOTHING")             \
    X(GET_SHAPE, "SELECT id FROM shape WHERE family = ?1 AND text = ?2")                                               \
    X(STORE_INSTANCE,                                                                                                  \
      SQL_INSTANCE SQL_INSTANCE_COUNTS(                                                                                \
          SQL_ADD) "verdict = coalesce(excluded.verdict, instance.verdict), build = excluded.build, " SQL_IMPOSSIBLE)  \
    X(ADD_INSTANCE,                                                                                                    \
      SQL_INSTANCE SQL_INSTANCE_COUNTS(SQL_ADD) SQL_LARGEST(instance, impossible) ", " SQL_INSTANCE_LATER)             \
    X(LARGEST_INSTANCE,                                                                                                \
      SQL_INSTANCE SQL_INSTANCE_COUNTS(SQL_LARGEST) SQL_LARGEST(instance, impossible) ", " SQL_INSTANCE_LATER)         \
    X(EACH_INSTANCE, SQL_INSTANCE_ROWS " ORDER BY 1, 2")                                                               \
    X(FIND_INSTANCE,                                                                                                   \
      SQL_INSTANCE_ROWS " AND shape.id = (SELECT id FROM shape WHERE family = ?2 AND text = ?3)"                       \
                        " AND site1 = " SQL_SITE_ID("?4") " AND site2 = " SQL_SITE_OR_NONE(                            \
                            "?5") " AND site3 = " SQL_SITE_OR_NONE("?6") " AND site4 = " SQL_SITE_OR_NONE("?7"))       \
    X(STORE_CORE, SQL_CORE "build = excluded.build, seen = excluded.seen")                                             \
    X(MERGE_CORE, SQL_CORE "text = CASE WHEN " SQL_CORE_LATER " THEN excluded.text ELSE core.text END, "               \
                           "build = CASE WHEN " SQL_CORE_LATER                                                         \
                           " THEN excluded.build ELSE core.build END, " SQL_LARGEST(core, seen))                       \
    X(EACH_CORE, "SELECT key, family, core.text, build.name, seen FROM core JOIN build ON build.id = core.build"       \
                 " WHERE core.program = ?1 ORDER BY family, core.text, key")                                           \
    X(PUT_INPUT,                                                                                                       \
      "INSERT INTO input (program, hash, text) VALUES (?1, ?2, ?3) ON CONFLICT (program, hash, text) DO NOTHING")      \
    X(GET_INPUT, "SELECT id FROM input WHERE program = ?1 AND hash = ?2 AND text = ?3")                                \
    X(PUT_RUN, "INSERT INTO run (id, build, input, began, seed, schedules, newly_covered, seconds)"                    \
               " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING")                                 \
    X(EACH_RUN, "SELECT run.id, build.name, input.text, input.hash, began, seed, schedules, newly_covered, seconds"    \
                " FROM run JOIN build ON build.id = run.build JOIN input ON input.id = run.input"                      \
                " WHERE build.program = ?1 ORDER BY began, run.id")                                                    \
    X(STORE_FAILURE,                                                                                                   \
      SQL_FAILURE SQL_ADD(failure, times) ", path = coalesce(excluded.path, failure.path), build = excluded.build")    \
    X(ADD_FAILURE, SQL_FAILURE SQL_ADD(failure, times) ", " SQL_FAILURE_LATER)                                         \
    X(LARGEST_FAILURE, SQL_FAILURE SQL_LARGEST(failure, times) ", " SQL_FAILURE_LATER)                                 \
    X(EACH_FAILURE, "SELECT key, kind, site, path, build.name, failure.first_seen, failure.last_seen, times"           \
                    " FROM failure JOIN build ON build.id = failure.build WHERE failure.program = ?1 ORDER BY key")    \
    X(EACH_ORIGIN, "SELECT name, own FROM origin ORDER BY name")                                                       \
    X(PUT_ORIGIN, "INSERT INTO origin (name, own) VALUES (?1, 0) ON CONFLICT (name) DO NOTHING")                       \
    X(ADOPT_ORIGIN, "UPDATE origin SET name = ?1 WHERE own = 1")                                                       \
    X(FORGET_OLD_INSTANCES, "DELETE FROM instance WHERE seen < ?1")                                                    \
    X(FORGET_OLD_CORES, "DELETE FROM core WHERE seen < ?1")                                                            \
    X(FORGET_OLD_RUNS, "DELETE FROM run WHERE began < ?1")                                                             \
    X(FORGET_OLD_FAILURES, "DELETE FROM failure WHERE last_seen < ?1")                                                 \
    X(FORGET_OLD_SITES, "DELETE FROM site WHERE last_build IN (SELECT id FROM build WHERE last_seen < ?1)"             \
                        " AND id NOT IN " SQL_USED_SITES)                                                              \
    X(FORGET_OLD_BUILDS, "DELETE FROM build WHERE last_seen < ?1" SQL_UNUSED_BUILD)                                    \
    X(FORGET_BUILDS_INSTANCES, "DELETE FROM instance WHERE build NOT IN " SQL_KEPT_BUILDS)                             \
    X(FORGET_BUILDS_CORES, "DELETE FROM core WHERE build NOT IN " SQL_KEPT_BUILDS)                                     \
    X(FORGET_BUILDS_RUNS, "DELETE FROM run WHERE build NOT IN " SQL_KEPT_BUILDS)                                       \
    X(FORGET_BUILDS_FAILURES, "DELETE FROM failure WHERE build NOT IN " SQL_KEPT_BUILDS)                               \
    X(FORGET_BUILDS_SITES,                                                                                             \
      "DELETE FROM site WHERE last_build NOT IN " SQL_KEPT_BUILDS " AND id NOT IN " SQL_USED_SITES)                    \
    X(FORGET_BUILDS_BUILDS, "DELETE FROM build WHERE id NOT IN " SQL_KEPT_BUILDS SQL_UNUSED_BUILD)                     \
    X(FORGET_GIVEN_UP, "DELETE FROM instance WHERE covered = 0 AND exposed = 0 AND failed >= ?1")                      \
    X(FORGET_INPUTS, "DELETE FROM input WHERE id NOT IN (SELECT input FROM run)")                                      \
    X(FORGET_SHAPES, "DELETE FROM shape WHERE id NOT IN (SELECT shape FROM instance)")                                 \
    X(FORGET_PROGRAMS, "DELETE FROM program WHERE id NOT IN (SELECT program FROM build)")

#define SQL_UNUSED_BUILD                                                                                               \
    " AND id NOT IN (SELECT build FROM instance UNION SELECT build FROM core UNION SELECT build FROM run UNION "       \
    "SELECT build FROM failure"                                                                                        \
    " UNION SELECT first_build FROM site UNION SELECT last_build FROM site)"

enum statement {
#define X(name, text) SQL_##name,
    STATEMENTS(X)
#undef X
        STATEMENT_COUNT
};

#endif
