// Linux calls that Glibc's Swift module hides: variadic ones, and those behind _GNU_SOURCE.
#ifndef KEYTOOL_CLINUX_H
#define KEYTOOL_CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif

/// open(2)'s O_TMPFILE, a file without a name: <asm-generic/fcntl.h>'s __O_TMPFILE with O_DIRECTORY.
static const int keytool_O_TMPFILE = 020000000 | O_DIRECTORY;

/// Renames within one folder and fails with EEXIST instead of replacing.
static inline int keytool_rename_noreplace(int folder, const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, folder, from, folder, to, RENAME_NOREPLACE);
}

static inline int keytool_openat(int folder, const char *name, int flags, unsigned int mode) {
    return openat(folder, name, flags, mode);
}

/// Keeps other processes of this account from attaching, and the kernel from writing a core.
static inline int keytool_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// A pipe that no child inherits by accident; `ends` has room for two descriptors.
static inline int keytool_pipe(int *ends) {
    return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

static inline int keytool_window_size(int descriptor, struct winsize *size) {
    return ioctl(descriptor, TIOCGWINSZ, size);
}

#endif
