// An open file, and how files are written.
#ifndef KEYTOOL_FILES_H
#define KEYTOOL_FILES_H

#include "CSQLiteFiles.h"
#include "journal.h"

enum { maxPageLength = 65536 };

/// An open file. Behind it is the file of SQLite's own functions, and when only reading that of the journal.
struct file {
    sqlite3_file base;
    sqlite3_file *real;
    /// Of a journal: the bytes from here on are zeros that were synced, if there are any. -1 before it was examined.
    sqlite3_int64 length;
    /// Of a journal: whether something was written since the last sync, and whether pages were read to restore them.
    int isUnsynced, isPlayed;
    /// Of a journal: its database.
    sqlite3_file *database;
    /// When only reading.
    sqlite3_file *journalFile;
    struct journal journal;
};

static inline sqlite3_file *real(sqlite3_file *file) { return ((struct file *)file)->real; }

/// Overwrites a whole journal, and syncs it: its transaction ends with the header.
/// - Returns: KEYTOOL_SQLITE_UNERASED if only that was overwritten; after other errors the transaction has not ended.
int keytool_erase_journal(sqlite3_file *real, sqlite3_int64 length);

int keytool_database_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset);
int keytool_database_truncate(sqlite3_file *file, sqlite3_int64 length);
int keytool_journal_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset);
int keytool_journal_read_pages(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset);
int keytool_journal_truncate(sqlite3_file *file, sqlite3_int64 length);
int keytool_journal_sync(sqlite3_file *file, int flags);

#endif
