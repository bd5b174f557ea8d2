// SQLite's functions that Swift cannot call: those with a variable number of arguments, and those that take
// SQLITE_TRANSIENT, which is a cast.
#ifndef KEYTOOL_CSQLITE_H
#define KEYTOOL_CSQLITE_H

#include <sqlite3.h>

/// Switches one of the connection's settings on (1) or off (0).
static inline int keytool_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

/// SQLite makes a copy. An empty blob is no NULL, even if the pointer is.
static inline int keytool_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}

/// SQLite makes a copy. The text is UTF-8 and ends with a NUL.
static inline int keytool_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text) {
    return sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

/// Whether the name of the open file now leads to another file, or to none: 1, 0, or -1 if that cannot be known.
static inline int keytool_sqlite_has_moved(sqlite3 *database) {
    int moved = -1;
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK ? moved : -1;
}

#endif
