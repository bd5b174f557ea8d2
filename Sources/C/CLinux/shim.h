// Linux calls that Glibc's Swift module hides: variadic ones, and those behind _GNU_SOURCE.
#ifndef KEYTOOL_CLINUX_H
#define KEYTOOL_CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif

/// open(2)'s O_TMPFILE, a file without a name: <asm-generic/fcntl.h>'s __O_TMPFILE with O_DIRECTORY.
static const int keytool_O_TMPFILE = 020000000 | O_DIRECTORY;

/// Renames, and fails with EEXIST instead of replacing.
static inline int keytool_rename_noreplace(int directory, const char *from, int target, const char *to) {
    return (int)syscall(SYS_renameat2, directory, from, target, to, RENAME_NOREPLACE);
}

/// Gives each of two files the name of the other, in one step.
static inline int keytool_rename_exchange(int directory, const char *from, int target, const char *to) {
    return (int)syscall(SYS_renameat2, directory, from, target, to, RENAME_EXCHANGE);
}

/// Again while a signal interrupts it, which happens on network file systems.
static inline int keytool_openat(int directory, const char *name, int flags, unsigned int mode) {
    int result;
    do {
        result = openat(directory, name, flags, mode);
    } while (result < 0 && errno == EINTR);
    return result;
}

/// Locks bytes of an open file for its open file description: fcntl(2), F_OFD_SETLK. Does not wait. Locks of the same
/// kind and those of other processes (F_SETLK) exclude each other.
static inline int keytool_lock_range(int file, long long start, long long count, int is_exclusive) {
    struct flock lock = {
        .l_type = is_exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = count};
    return fcntl(file, 37, &lock);  // F_OFD_SETLK
}

/// Ends such a lock, also for processes that have inherited the open file.
static inline int keytool_unlock_range(int file, long long start, long long count) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = count};
    return fcntl(file, 37, &lock);  // F_OFD_SETLK
}

/// Keeps other processes of this account from attaching, and the kernel from writing a core.
static inline int keytool_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// The inode's number, and when it was made in nanoseconds since the epoch (0 if the file system does not say). The
/// name is not followed if it is a link; an empty one means the open file `directory` itself.
static inline int keytool_file_identity(
    int directory, const char *name, unsigned long long *inode, unsigned long long *birth) {
    struct statx status;
    int flags = AT_SYMLINK_NOFOLLOW | 0x1000;  // AT_EMPTY_PATH
    int result = (int)syscall(SYS_statx, directory, name, flags, STATX_INO | STATX_BTIME, &status);
    if (result != 0) return result;
    *inode = status.stx_ino;
    *birth = status.stx_mask & STATX_BTIME
        ? (unsigned long long)status.stx_btime.tv_sec * 1000000000ULL + status.stx_btime.tv_nsec : 0;
    return 0;
}

/// open(2)'s O_PATH: the name alone, without the file's content.
static const int keytool_O_PATH = 010000000;

/// The type of the file system that a file is on, for example EXT4_SUPER_MAGIC; 0 if the system does not say.
static inline unsigned long keytool_file_system(int file) {
    struct statfs status;
    return fstatfs(file, &status) == 0 ? (unsigned int)status.f_type : 0;
}

/// Opens a path below a directory without links and on the same mount, if the kernel has all of its steps in memory;
/// else EAGAIN. Linux 5.12 or newer.
static inline int keytool_open_cached(int directory, const char *path, int flags) {
    struct open_how how = {.flags = (unsigned int)flags, .resolve = 0x20 | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};  // 0x20: RESOLVE_CACHED
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/// Reads from the beginning of a file what the kernel has in memory; EAGAIN or less than `count` if that is not all.
static inline long keytool_read_cached(int file, void *bytes, unsigned long count) {
    struct iovec piece = {bytes, count};
    return syscall(SYS_preadv2, file, &piece, 1L, 0L, 0L, 8L);  // RWF_NOWAIT
}

/// How many processors this process may run on; 0 if the system does not say.
static inline int keytool_processors(void) {
    unsigned long mask[128];
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int count = 0;
    for (long word = 0; word < bytes / (long)sizeof *mask; word++) count += __builtin_popcountl(mask[word]);
    return count;
}

/// Bounds what malloc retains: at most so many heaps, each with at most so many free bytes at its end; a larger block
/// is mapped by itself, and unmapped when it is freed. Call it before other threads exist.
static inline void keytool_bound_heaps(int heaps, int free_bytes, int largest_block) {
    mallopt(M_ARENA_MAX, heaps);
    mallopt(M_TRIM_THRESHOLD, free_bytes);
    mallopt(M_MMAP_THRESHOLD, largest_block);
}

/// Returns the free pages of all heaps to the system.
static inline void keytool_trim_heaps(void) { malloc_trim(0); }

/// A pipe that no child inherits by accident; `ends` has room for two descriptors.
static inline int keytool_pipe(int *ends) {
    return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

/// accept4(2) without the address of the client.
static inline int keytool_accept(int listener, int flags) {
    return (int)syscall(SYS_accept4, listener, (void *)0, (void *)0, flags);
}

/// Marks every open descriptor from `first` on as close-on-exec, also those of libraries; Linux 5.11 or newer.
static inline int keytool_close_on_exec_from(unsigned int first) {
    return (int)syscall(SYS_close_range, first, ~0U, 1U << 2);  // CLOSE_RANGE_CLOEXEC
}

/// The child has no descriptors from `first` on.
static inline int keytool_spawn_closing_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// The child's process group becomes the terminal's foreground group, before the program starts.
static inline int keytool_spawn_in_foreground(posix_spawn_file_actions_t *actions, int terminal) {
    return posix_spawn_file_actions_addtcsetpgrp_np(actions, terminal);
}

/// What has become of a child: CLD_EXITED, CLD_KILLED, CLD_DUMPED or CLD_STOPPED, and its exit status or signal; 0 if
/// WNOHANG is among the options and nothing has happened; -1 if it cannot be known.
static inline int keytool_wait(pid_t child, int options, int *status) {
    siginfo_t info = {0};
    int result;
    do {
        result = waitid(P_PID, (id_t)child, &info, options);
    } while (result < 0 && errno == EINTR);
    *status = info.si_status;
    return result < 0 ? -1 : info.si_pid == 0 ? 0 : info.si_code;
}

static inline int keytool_window_size(int descriptor, struct winsize *size) {
    return ioctl(descriptor, TIOCGWINSZ, size);
}

// The kernel's keyrings (keyrings(7)); the C library has no functions for them.
static const int keytool_user_keyring = KEY_SPEC_USER_KEYRING;
static const int keytool_process_keyring = KEY_SPEC_PROCESS_KEYRING;

/// Makes a key of type "user" in this process's own keyring.
static inline long keytool_add_key(const char *name, const void *payload, size_t count) {
    return syscall(SYS_add_key, "user", name, payload, count, KEY_SPEC_PROCESS_KEYRING);
}

static inline long keytool_keyctl_set_timeout(int key, unsigned int seconds) {
    return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

static inline long keytool_keyctl_set_permissions(int key, unsigned int permissions) {
    return syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions);
}

static inline long keytool_keyctl_link(int key, int keyring) {
    return syscall(SYS_keyctl, KEYCTL_LINK, key, keyring);
}

static inline long keytool_keyctl_unlink(int key, int keyring) {
    return syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring);
}

static inline long keytool_keyctl_search(int keyring, const char *name) {
    return syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", name, 0);
}

static inline long keytool_keyctl_read(int key, void *buffer, size_t count) {
    return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, count);
}

#endif
