// The rollback journal of a database (fileformat2.html, 3). Numbers are big endian.
//
//   offset  length  meaning
//        0       8  d9 d5 05 f9 20 a1 63 d7; zeros until everything else was synced, and after the transaction
//        8       4  number of records; zeros as above
//       12       4  nonce of the checksums
//       16       4  length in pages of the database before the transaction
//       20       4  length of a sector, s
//       24       4  length of a page, p
//       28       8  ours: digest of bytes 8 to 27 and of all records (64-bit FNV-1a); zeros if another program wrote it
//        s          records, each:
//
//        0       4  number of the page, from 1
//        4       p  the page before the transaction
//    4 + p       4  checksum: the nonce, and every 200th byte from p - 200 downwards, above 0
//
// A long transaction begins again with a header, at the next sector behind the records. Checksum and digest detect
// accidents, not attackers.
#ifndef KEYTOOL_JOURNAL_H
#define KEYTOOL_JOURNAL_H

#include <features.h>
#include <sqlite3.h>
#include <stddef.h>

// Every file here includes this one.
#if defined(__OPTIMIZE__) && __USE_FORTIFY_LEVEL < 3
#error "a release checks the lengths of memcpy and memset: -D_FORTIFY_SOURCE=3 is missing (Package.swift)"
#endif

/// Where a journal has the former content of a page.
struct record {
    unsigned int page;
    sqlite3_int64 offset;
};

/// The database before the transaction of a journal.
struct journal {
    /// Length of the database in bytes; -1 if nothing is to be restored.
    sqlite3_int64 length;
    int pageLength;
    /// By page.
    struct record *records;
    size_t count;
};

/// Reads a whole journal. Nothing says that it was not synced if its header is there: so a fault is damage, for which
/// SQLite would end the restoring in silence. Release the result with `keytool_journal_release`, also after an error.
/// - Returns: SQLITE_OK; SQLITE_CORRUPT; SQLITE_NOMEM; the errors of reading.
int keytool_journal_read(struct journal *journal, sqlite3_file *file, sqlite3_file *database);

enum { journalHeaderLength = 28, journalSyncedLength = 12, journalSealedLength = 36 };

/// Adds the digest to a header, whose records are in the file.
/// - Parameter header: `journalSealedLength` bytes.
int keytool_journal_seal(unsigned char *header, sqlite3_file *file, sqlite3_int64 start);

/// The record of a page, or NULL.
const struct record *keytool_journal_find(const struct journal *journal, sqlite3_int64 page);

void keytool_journal_release(struct journal *journal);

static inline unsigned int big_endian(const unsigned char *bytes) {
    return (unsigned int)bytes[0] << 24 | (unsigned int)bytes[1] << 16 | (unsigned int)bytes[2] << 8 | bytes[3];
}

#endif
