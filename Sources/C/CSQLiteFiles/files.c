#include "CSQLiteFiles.h"
#include "files.h"

#include <string.h>

// MARK: Reading only

/// The page as the journal has it, if it does.
static int reading_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    struct file *file = (struct file *)base;
    const struct journal *journal = &file->journal;
    if (journal->length < 0) return file->real->pMethods->xRead(file->real, bytes, count, offset);
    if (offset >= journal->length) {
        memset(bytes, 0, (size_t)count);
        return SQLITE_IOERR_SHORT_READ;
    }
    const struct record *record = keytool_journal_find(journal, offset / journal->pageLength + 1);
    if (!record) return file->real->pMethods->xRead(file->real, bytes, count, offset);
    return file->journalFile->pMethods->xRead(
        file->journalFile, bytes, count, record->offset + offset % journal->pageLength);
}

static int reading_size(sqlite3_file *base, sqlite3_int64 *length) {
    struct file *file = (struct file *)base;
    if (file->journal.length < 0) return file->real->pMethods->xFileSize(file->real, length);
    *length = file->journal.length;
    return SQLITE_OK;
}

static int reading_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    (void)file, (void)bytes, (void)count, (void)offset;
    return SQLITE_READONLY;
}

static int reading_truncate(sqlite3_file *file, sqlite3_int64 length) {
    (void)file, (void)length;
    return SQLITE_READONLY;
}

// MARK: As SQLite's own

static int any_close(sqlite3_file *base) {
    struct file *file = (struct file *)base;
    // A journal of synced zeros: without them, deleting it has nothing to overwrite and sync. Best effort; errors are
    // ignored.
    if (file->database && file->length == 0) file->real->pMethods->xTruncate(file->real, 0);
    keytool_journal_release(&file->journal);
    if (file->journalFile && file->journalFile->pMethods) file->journalFile->pMethods->xClose(file->journalFile);
    return file->real->pMethods->xClose(file->real);
}
static int any_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}
static int any_sync(sqlite3_file *file, int flags) { return real(file)->pMethods->xSync(real(file), flags); }
static int any_size(sqlite3_file *file, sqlite3_int64 *length) {
    return real(file)->pMethods->xFileSize(real(file), length);
}
static int any_lock(sqlite3_file *file, int lock) { return real(file)->pMethods->xLock(real(file), lock); }
static int any_unlock(sqlite3_file *file, int lock) { return real(file)->pMethods->xUnlock(real(file), lock); }
static int any_check_lock(sqlite3_file *file, int *isLocked) {
    return real(file)->pMethods->xCheckReservedLock(real(file), isLocked);
}
static int any_control(sqlite3_file *file, int operation, void *value) {
    return real(file)->pMethods->xFileControl(real(file), operation, value);
}
static int any_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

/// Nothing that lets SQLite go without a journal, or write its header before the rest was synced.
static int any_device(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file)) & SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

#define METHODS(read, write, truncate, sync, size)                                                             \
    {1, any_close, read, write, truncate, sync, size, any_lock, any_unlock, any_check_lock, any_control, any_sector, \
     any_device}
static const sqlite3_io_methods databaseMethods =
    METHODS(any_read, keytool_database_write, keytool_database_truncate, any_sync, any_size);
static const sqlite3_io_methods journalMethods =
    METHODS(keytool_journal_read_pages, keytool_journal_write, keytool_journal_truncate, keytool_journal_sync,
            any_size);
static const sqlite3_io_methods readingMethods =
    METHODS(reading_read, reading_write, reading_truncate, any_sync, reading_size);

// MARK: Opening and deleting

static int open_real(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *result, const sqlite3_io_methods *methods) {
    struct file *file = (struct file *)base;
    *file = (struct file){.real = (sqlite3_file *)(file + 1), .length = -1, .journal = {.length = -1}};
    int code = vfs->xOpen(vfs, name, file->real, flags, result);
    if (code == SQLITE_OK) file->base.pMethods = methods;
    return code;
}

/// Closes a file that cannot be used.
static int refuse(sqlite3_file *file, int code) {
    any_close(file);
    file->pMethods = NULL;
    return code;
}

static int erasing_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *result) {
    sqlite3_vfs *own = vfs->pAppData;
    if (flags & SQLITE_OPEN_MAIN_DB) return open_real(own, name, base, flags, result, &databaseMethods);
    if (!(flags & SQLITE_OPEN_MAIN_JOURNAL)) return own->xOpen(own, name, base, flags, result);
    int code = open_real(own, name, base, flags, result, &journalMethods);
    // SQLite looks at the first byte, reading only; to restore or write, it opens the journal again.
    if (code != SQLITE_OK || !(flags & SQLITE_OPEN_READWRITE)) return code;
    struct file *file = (struct file *)base;
    file->database = sqlite3_database_file_object(name);
    code = keytool_journal_read(&file->journal, file->real, real(file->database));
    // To write, it creates or reuses it: then one that could restore something belongs to a file that somebody emptied.
    if (code == SQLITE_OK && (flags & SQLITE_OPEN_CREATE) && file->journal.length > 0) code = SQLITE_CORRUPT;
    keytool_journal_release(&file->journal);
    if (code == SQLITE_OK) code = file->real->pMethods->xFileSize(file->real, &file->length);
    file->isUnsynced = 1;
    return code == SQLITE_OK ? code : refuse(base, code);
}

static int reading_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *result) {
    sqlite3_vfs *own = vfs->pAppData;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return own->xOpen(own, name, base, flags, result);
    int code = open_real(own, name, base, flags, result, &readingMethods), exists = 0;
    if (code != SQLITE_OK) return code;
    const char *journal = sqlite3_filename_journal(name);
    code = own->xAccess(own, journal, SQLITE_ACCESS_EXISTS, &exists);
    if (code == SQLITE_OK && exists) {
        struct file *file = (struct file *)base;
        file->journalFile = (sqlite3_file *)((char *)file->real + own->szOsFile);
        file->journalFile->pMethods = NULL;
        int journalFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_NOFOLLOW;
        code = own->xOpen(own, journal, file->journalFile, journalFlags, NULL);
        if (code == SQLITE_OK) code = keytool_journal_read(&file->journal, file->journalFile, file->real);
    }
    return code == SQLITE_OK ? code : refuse(base, code);
}

/// Whether SQLite could still restore a database from a journal.
static int is_needed(sqlite3_file *journal, int *isNeeded) {
    static const unsigned char zeros[journalSyncedLength];
    unsigned char header[journalHeaderLength] = {0};
    int result = journal->pMethods->xRead(journal, header, sizeof header, 0);
    *isNeeded = memcmp(header, zeros, sizeof zeros) != 0 && big_endian(header + 16) != 0;
    return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
}

/// A transaction ends before its journal is deleted. After errors SQLite would delete one that is needed, at the end of
/// a connection with an exclusive lock.
static int erasing_delete(sqlite3_vfs *vfs, const char *name, int isSynced) {
    static const char suffix[] = "-journal";
    sqlite3_vfs *own = vfs->pAppData;
    size_t count = strlen(name);
    if (count < strlen(suffix) || strcmp(name + count - strlen(suffix), suffix) != 0)
        return own->xDelete(own, name, isSynced);
    sqlite3_file *file = sqlite3_malloc(own->szOsFile);
    if (!file) return SQLITE_NOMEM;
    memset(file, 0, (size_t)own->szOsFile);
    sqlite3_int64 length;
    int result = own->xOpen(
        own, name, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_NOFOLLOW, NULL);
    if (result == SQLITE_OK) {
        int isNeeded = 0;
        result = is_needed(file, &isNeeded);
        if (result == SQLITE_OK && isNeeded) result = SQLITE_IOERR_DELETE;
        if (result == SQLITE_OK) result = file->pMethods->xFileSize(file, &length);
        if (result == SQLITE_OK) result = keytool_erase_journal(file, length);
        file->pMethods->xClose(file);
        if (result == SQLITE_OK) result = own->xDelete(own, name, isSynced);
    }
    sqlite3_free(file);
    return result;
}

/// There are no other files than the database, whose journal was read.
static int reading_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs, (void)name, (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int register_files(
    sqlite3_vfs *vfs, const char *name, const char *own,
    int (*open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *)) {
    sqlite3_vfs *real = sqlite3_vfs_find(own);
    if (!real) return SQLITE_ERROR;
    *vfs = *real;
    vfs->zName = name;
    vfs->pAppData = real;
    vfs->szOsFile = (int)sizeof(struct file) + 2 * real->szOsFile;
    vfs->xOpen = open;
    return SQLITE_OK;
}

int keytool_sqlite_register_files(void) {
    static sqlite3_vfs erasing, reading;
    int result = sqlite3_initialize();
    if (result == SQLITE_OK) result = register_files(&erasing, KEYTOOL_SQLITE_ERASING, "unix", erasing_open);
    if (result == SQLITE_OK) result = register_files(&reading, KEYTOOL_SQLITE_READING, "unix-none", reading_open);
    if (result != SQLITE_OK) return result;
    erasing.xDelete = erasing_delete;
    reading.xAccess = reading_access;
    result = sqlite3_vfs_register(&erasing, 0);
    return result == SQLITE_OK ? sqlite3_vfs_register(&reading, 0) : result;
}

int keytool_sqlite_erase_journal(sqlite3 *database) {
    sqlite3_vfs *vfs = NULL;
    const char *name = sqlite3_filename_journal(sqlite3_db_filename(database, "main"));
    int exists = 0, result = sqlite3_file_control(database, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
    if (result != SQLITE_OK || vfs->xOpen != erasing_open) return result;
    result = vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &exists);
    if (result != SQLITE_OK || !exists) return result;
    sqlite3_file *file = sqlite3_malloc(vfs->szOsFile);
    if (!file) return SQLITE_NOMEM;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_NOFOLLOW;
    if ((result = vfs->xOpen(vfs, name, file, flags, NULL)) == SQLITE_OK) {
        result = file->pMethods->xTruncate(file, 0);
        file->pMethods->xClose(file);
    }
    sqlite3_free(file);
    return result;
}
