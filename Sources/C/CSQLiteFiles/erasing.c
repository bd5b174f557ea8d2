#include "files.h"

#include <string.h>

enum { keptLength = 1 << 20 };
static const unsigned char zeros[maxPageLength];

static int write_real(sqlite3_file *real, const void *bytes, int count, sqlite3_int64 offset) {
    return real->pMethods->xWrite(real, bytes, count, offset);
}

static int sync_real(sqlite3_file *real) {
    return real->pMethods->xSync(real, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}

/// Overwrites a part of a file, and syncs it.
static int erase(sqlite3_file *real, sqlite3_int64 start, sqlite3_int64 end) {
    int result = SQLITE_OK;
    if (start >= end) return result;
    while (result == SQLITE_OK && start < end) {
        int count = end - start < (int)sizeof zeros ? (int)(end - start) : (int)sizeof zeros;
        result = write_real(real, zeros, count, start);
        start += count;
    }
    return result == SQLITE_OK ? sync_real(real) : result;
}

int keytool_erase_journal(sqlite3_file *real, sqlite3_int64 length) {
    unsigned char header[journalHeaderLength];
    int count = length < journalHeaderLength ? (int)length : journalHeaderLength;
    int result = real->pMethods->xRead(real, header, count, 0);
    if (result != SQLITE_OK) return result;
    result = erase(real, 0, count);
    if (result != SQLITE_OK) {
        // The transaction has not ended, and is rolled back.
        write_real(real, header, count, 0);
        return result;
    }
    return erase(real, count, length) == SQLITE_OK ? SQLITE_OK : KEYTOOL_SQLITE_UNERASED;
}

// MARK: Databases

/// Overwrites a part of a database, but for what are zeros already: holes would need space.
/// - Parameter isErased: becomes 1 if something was written, which has to be synced.
static int erase_content(sqlite3_file *real, sqlite3_int64 start, sqlite3_int64 end, int *isErased) {
    unsigned char bytes[4096];
    while (start < end) {
        int count = end - start < (int)sizeof bytes ? (int)(end - start) : (int)sizeof bytes;
        int result = real->pMethods->xRead(real, bytes, count, start);
        if (result == SQLITE_OK && memcmp(bytes, zeros, (size_t)count) != 0) {
            *isErased = 1;
            result = write_real(real, zeros, count, start);
        }
        if (result != SQLITE_OK) return result;
        start += count;
    }
    return SQLITE_OK;
}

/// Overwrites the free pages whose content SQLite does not need ("leaf pages", 1.5).
static int erase_free_pages(sqlite3_file *real) {
    unsigned char page[maxPageLength];
    sqlite3_int64 length;
    int result = real->pMethods->xFileSize(real, &length), isErased = 0;
    if (result != SQLITE_OK || length < 512) return result;
    if ((result = real->pMethods->xRead(real, page, 100, 0)) != SQLITE_OK) return result;
    int pageLength = page[16] << 8 | page[17];
    if (pageLength == 1) pageLength = maxPageLength;
    if (pageLength < 512) return SQLITE_CORRUPT;
    sqlite3_int64 pages = length / pageLength, left = pages;
    for (unsigned int trunk = big_endian(page + 32); trunk != 0; trunk = big_endian(page)) {
        if (trunk > pages || left-- == 0) return SQLITE_CORRUPT;
        result = real->pMethods->xRead(real, page, pageLength, (sqlite3_int64)(trunk - 1) * pageLength);
        if (result != SQLITE_OK) return result;
        unsigned int count = big_endian(page + 4);
        if (count > (unsigned int)pageLength / 4 - 2) return SQLITE_CORRUPT;
        for (unsigned int index = 0; index < count; index++) {
            unsigned int number = big_endian(page + 8 + 4 * index);
            if (number < 2 || number > pages) return SQLITE_CORRUPT;
            sqlite3_int64 offset = (sqlite3_int64)(number - 1) * pageLength;
            result = erase_content(real, offset, offset + pageLength, &isErased);
            if (result != SQLITE_OK) return result;
        }
    }
    return isErased ? sync_real(real) : SQLITE_OK;
}

/// Overwrites what is between the cell pointers and the cells of a b-tree page (1.6). Other pages begin with a 0.
/// - Parameter start: 100 in the first page, behind the header of the database; else 0.
static void erase_gap(unsigned char *page, int length, int start) {
    int kind = page[start];
    int headerLength = kind == 2 || kind == 5 ? 12 : kind == 10 || kind == 13 ? 8 : 0;
    int first = start + headerLength + 2 * (page[start + 3] << 8 | page[start + 4]);
    int last = page[start + 5] << 8 | page[start + 6];
    if (last == 0) last = maxPageLength;
    if (headerLength != 0 && first < last && last <= length) memset(page + first, 0, (size_t)(last - first));
}

/// SQLite writes whole pages.
int keytool_database_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    unsigned char page[maxPageLength];
    if (count < 512 || count > maxPageLength || offset % count != 0)
        return write_real(real(file), bytes, count, offset);
    memcpy(page, bytes, (size_t)count);
    erase_gap(page, count, offset == 0 ? 100 : 0);
    return write_real(real(file), page, count, offset);
}

int keytool_database_truncate(sqlite3_file *file, sqlite3_int64 length) {
    sqlite3_int64 end;
    int isErased = 0, result = real(file)->pMethods->xFileSize(real(file), &end);
    if (result == SQLITE_OK) result = erase_content(real(file), length, end, &isErased);
    if (result == SQLITE_OK && isErased) result = sync_real(real(file));
    return result == SQLITE_OK ? real(file)->pMethods->xTruncate(real(file), length) : result;
}

// MARK: Journals

/// A write behind the end of the file may have failed: what was to be there is not.
static int clip(struct file *file) {
    sqlite3_int64 end;
    int result = file->real->pMethods->xFileSize(file->real, &end);
    if (result == SQLITE_OK && end < file->length) file->length = end;
    return result;
}

/// The end of a transaction. The file keeps some of its blocks, so that the next transaction need not allocate them.
static int end_transaction(struct file *file) {
    int result = file->isPlayed && file->database ? erase_free_pages(real(file->database)) : SQLITE_OK;
    if (result == SQLITE_OK) result = clip(file);
    if (result == SQLITE_OK) result = keytool_erase_journal(file->real, file->length);
    if (result == SQLITE_OK && file->length > keptLength) result = file->real->pMethods->xTruncate(file->real, 0);
    if (result == SQLITE_OK) file->length = file->isPlayed = file->isUnsynced = 0;
    return result;
}

/// SQLite writes the first bytes of a header when everything else is synced. Then the digest is written, too.
static int write_header(sqlite3_file *real, const void *bytes, sqlite3_int64 start) {
    unsigned char header[journalSealedLength];
    int result = real->pMethods->xRead(real, header, sizeof header, start);
    memcpy(header, bytes, journalSyncedLength);
    if (result == SQLITE_OK) result = keytool_journal_seal(header, real, start);
    return result == SQLITE_OK ? write_real(real, header, sizeof header, start) : result;
}

/// While a file is locked exclusively, SQLite ends a transaction with a header of zeros.
int keytool_journal_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    struct file *file = (struct file *)base;
    if (offset == 0 && count == journalHeaderLength && memcmp(bytes, zeros, journalHeaderLength) == 0)
        return end_transaction(file);
    // A transaction begins: what an end that failed has left must not follow its records.
    if (offset == 0 && count >= 512 && file->length > 0) {
        int result = clip(file);
        if (result == SQLITE_OK) result = keytool_erase_journal(file->real, file->length);
        if (result != SQLITE_OK) return result;
        file->length = 0;
    }
    if (file->length < offset + count) file->length = offset + count;
    file->isUnsynced = 1;
    if (count == journalSyncedLength) return write_header(file->real, bytes, offset);
    return write_real(file->real, bytes, count, offset);
}

/// SQLite reads pages of a journal only to restore them.
int keytool_journal_read_pages(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    struct file *file = (struct file *)base;
    if (count >= 512) file->isPlayed = 1;
    return file->real->pMethods->xRead(file->real, bytes, count, offset);
}

int keytool_journal_truncate(sqlite3_file *base, sqlite3_int64 length) {
    return length == 0 ? end_transaction((struct file *)base) : SQLITE_IOERR_TRUNCATE;
}

int keytool_journal_sync(sqlite3_file *base, int flags) {
    struct file *file = (struct file *)base;
    int result = file->isUnsynced ? file->real->pMethods->xSync(file->real, flags) : SQLITE_OK;
    if (result == SQLITE_OK) file->isUnsynced = 0;
    return result;
}
