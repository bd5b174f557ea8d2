// SQLite's files on disks, of which nothing is left that a transaction has replaced.
//
// In a database with a rollback journal and `secure_delete`, SQLite leaves replaced bytes in two places: in the gap of
// a b-tree page, between the cell pointers and the cells, where cells stood that were moved (fileformat2.html, 1.6),
// and in the journal, which it only truncates or deletes. Both files are written through these functions, which overwrite:
//
// - the gap of each page, when the page is written;
// - a journal at the end of its transaction, before it would be truncated or deleted. First its header, which ends the
//   transaction, and after a sync the rest: a journal that is overwritten in part would restore a part;
// - free pages after a transaction was rolled back. SQLite does not restore their content;
// - the end of a database that becomes shorter.
//
// Between transactions a journal is empty or consists of zeros. All this is synced.
#ifndef KEYTOOL_CSQLITEFILES_H
#define KEYTOOL_CSQLITEFILES_H

#include <sqlite3.h>

/// For connections that write. A journal is examined before SQLite restores the database from it; if it is damaged,
/// SQLite fails with SQLITE_CORRUPT, and nothing has changed. The database has no automatic vacuum, no log (WAL), and
/// fewer than 2^24 pages: the first byte of all others than b-tree pages is 0 then. A commit fails with
/// KEYTOOL_SQLITE_UNERASED if it was made, but the journal could not be overwritten.
#define KEYTOOL_SQLITE_ERASING "keytool-erasing"
static const int KEYTOOL_SQLITE_UNERASED = SQLITE_IOERR_DELETE;

/// For connections that only read, while others that write are excluded. They lock nothing and write nothing. If a
/// killed program has left a journal, they see the database as it would be after restoring it.
#define KEYTOOL_SQLITE_READING "keytool-reading"

/// Registers both. Call it once.
int keytool_sqlite_register_files(void);

/// Overwrites a journal that was not needed to restore the database. The connection writes, has locked the database
/// exclusively, and is in no transaction. SQLITE_CORRUPT if the journal is neither complete nor erased.
int keytool_sqlite_erase_journal(sqlite3 *database);

#endif
