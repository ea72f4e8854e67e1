/* Recorded by tests, never shipped: what a process does to the files below one folder.
 *
 * Loaded ahead of the C library (LD_PRELOAD), it stands before the calls with which Python and SQLite change files.
 * `recorder_start` names a folder and a log, to which every change below that folder is written with its data, in
 * order; `recorder_fault` makes the call with a number fail, or write only half. Syncs are logged and not done: what
 * they would have kept is for the model of a disk (replayed.py) to say.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { OPEN = 1, CLOSE, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR, MARK, PASSING };
enum { MOST = 4096 };

struct record {
    uint32_t kind;
    int32_t descriptor;
    int64_t offset, number;
    uint32_t flags, path, other, data; /* the last three: how many bytes of each follow */
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_size;
static int log_to = -1;
static char watched[MOST];
static int fault_code, fault_lasting, fault_kinds;
static long fault_at, calls;
static const char *last_removed; /* the process ends when it has removed a file whose name ends so */

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static void put(const void *data, size_t size) {
    for (const char *at = data; size;) {
        long done = syscall(SYS_write, log_to, at, size);
        if (done <= 0) return;
        at += done;
        size -= (size_t)done;
    }
}

static void note(uint32_t kind, int descriptor, int64_t offset, uint32_t flags, const char *path, const char *other,
                 const void *data, size_t size) {
    if (log_to < 0) return;
    size_t first = path ? strlen(path) : 0, second = other ? strlen(other) : 0;
    struct record record = {.kind = kind, .descriptor = descriptor, .offset = offset, .number = calls, .flags = flags,
                            .path = (uint32_t)first, .other = (uint32_t)second, .data = (uint32_t)size};
    put(&record, sizeof record);
    put(path, first);
    put(other, second);
    put(data, size);
}

static int inside(const char *path) {
    return root_size && !strncmp(path, root, root_size) && (path[root_size] == '/' || !path[root_size]);
}

static int ours(int descriptor) { return descriptor >= 0 && descriptor < MOST && watched[descriptor]; }

/* The whole path of a name that is given relative to an open folder. */
static const char *whole(int folder, const char *path, char *space) {
    if (path[0] == '/' || folder == AT_FDCWD) return path;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t size = readlink(link, space, PATH_MAX - 1);
    if (size < 0) return path;
    snprintf(space + size, PATH_MAX - (size_t)size, "/%s", path);
    return space;
}

/* Whether this call is the one that is to fail. */
static int fails(int kind) {
    calls++;
    if (!fault_at || !(fault_kinds & (1 << kind)) || calls < fault_at) return 0;
    if (calls > fault_at && (!fault_lasting || kind == RENAME)) return 0; /* the place of an old name is free */
    errno = fault_code;
    return 1;
}

/* --- what tests call --------------------------------------------------------------------------------------- */

void recorder_start(const char *folder, const char *log) {
    snprintf(root, sizeof root, "%s", folder);
    memset(watched, 0, sizeof watched);
    calls = fault_at = 0;
    log_to = REAL(open)(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    root_size = strlen(root);
}

void recorder_fault(long at, int code, int lasting, int kinds) {
    fault_at = at;
    fault_code = code;
    fault_lasting = lasting;
    fault_kinds = kinds;
}

void recorder_mark(void) { note(MARK, 0, 0, 0, 0, 0, 0, 0); }
void recorder_passing(void) { note(PASSING, 0, 0, 0, 0, 0, 0, 0); }
void recorder_end_with_commit(void) { last_removed = "-journal"; }

long recorder_stop(void) {
    root_size = 0;
    fault_at = 0;
    if (log_to >= 0) REAL(close)(log_to);
    log_to = -1;
    return calls;
}

/* --- calls that stand before those of the library ------------------------------------------------------------ */

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    char space[PATH_MAX];
    const char *name = whole(folder, path, space);
    if (!inside(name)) {
        int descriptor = REAL(openat)(folder, path, flags, mode);
        if (descriptor >= 0 && descriptor < MOST) watched[descriptor] = 0;
        return descriptor;
    }
    pthread_mutex_lock(&turn);
    int counts = flags & (O_CREAT | O_WRONLY | O_RDWR | O_DIRECTORY);
    int descriptor = counts && fails(OPEN) ? -1 : REAL(openat)(folder, path, flags, mode);
    if (descriptor >= 0 && descriptor < MOST) {
        watched[descriptor] = 1;
        note(OPEN, descriptor, 0, (uint32_t)flags, name, 0, 0, 0);
    }
    pthread_mutex_unlock(&turn);
    return descriptor;
}

#define MODE(flags, mode)                                  \
    mode_t mode = 0;                                       \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {               \
        va_list more;                                      \
        va_start(more, flags);                             \
        mode = va_arg(more, mode_t);                       \
        va_end(more);                                      \
    }

int open(const char *path, int flags, ...) { MODE(flags, mode) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, mode) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags, mode) return open_at(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags, mode) return open_at(at, path, flags, mode); }

int close(int descriptor) {
    if (!ours(descriptor)) return REAL(close)(descriptor);
    pthread_mutex_lock(&turn);
    watched[descriptor] = 0;
    note(CLOSE, descriptor, 0, 0, 0, 0, 0, 0);
    int answer = REAL(close)(descriptor);
    pthread_mutex_unlock(&turn);
    return answer;
}

/* Half of what is to be written still fits on a disk that is full then; with code 0 every write may do only half. */
static ssize_t write_at(int descriptor, const void *data, size_t size, off_t offset, int moves) {
    pthread_mutex_lock(&turn);
    ssize_t done = -1;
    int failing = fails(WRITE), fills = fault_code == ENOSPC && calls == fault_at;
    int half = failing && size > 1 && (!fault_code || fills);
    if (half) size /= 2;
    if (!failing || half || !fault_code) {
        done = syscall(SYS_pwrite64, descriptor, data, size, offset);
        if (done > 0) {
            note(WRITE, descriptor, offset, 0, 0, 0, data, (size_t)done);
            if (moves) lseek(descriptor, offset + done, SEEK_SET);
        }
    }
    pthread_mutex_unlock(&turn);
    return done;
}

ssize_t write(int descriptor, const void *data, size_t size) {
    if (!ours(descriptor)) return REAL(write)(descriptor, data, size);
    return write_at(descriptor, data, size, lseek(descriptor, 0, SEEK_CUR), 1);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
    if (!ours(descriptor)) return REAL(pwrite)(descriptor, data, size, offset);
    return write_at(descriptor, data, size, offset, 0);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
    return pwrite(descriptor, data, size, (off_t)offset);
}

int ftruncate(int descriptor, off_t size) {
    if (!ours(descriptor)) return REAL(ftruncate)(descriptor, size);
    pthread_mutex_lock(&turn);
    int answer = fails(TRUNCATE) ? -1 : REAL(ftruncate)(descriptor, size);
    if (!answer) note(TRUNCATE, descriptor, size, 0, 0, 0, 0, 0);
    pthread_mutex_unlock(&turn);
    return answer;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, (off_t)size); }

static int sync_of(int descriptor) {
    pthread_mutex_lock(&turn);
    int answer = fails(SYNC) ? -1 : 0;
    if (!answer) note(SYNC, descriptor, 0, 0, 0, 0, 0, 0);
    pthread_mutex_unlock(&turn);
    return answer;
}

int fsync(int descriptor) { return ours(descriptor) ? sync_of(descriptor) : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return ours(descriptor) ? sync_of(descriptor) : REAL(fdatasync)(descriptor); }

int rename(const char *path, const char *target) {
    if (!inside(path)) return REAL(rename)(path, target);
    pthread_mutex_lock(&turn);
    int answer = fails(RENAME) ? -1 : REAL(rename)(path, target);
    if (!answer) note(RENAME, 0, 0, 0, path, target, 0, 0);
    pthread_mutex_unlock(&turn);
    return answer;
}

int unlinkat(int folder, const char *path, int flags) {
    char space[PATH_MAX];
    const char *name = whole(folder, path, space);
    if (!inside(name)) return REAL(unlinkat)(folder, path, flags);
    pthread_mutex_lock(&turn);
    int kind = flags & AT_REMOVEDIR ? RMDIR : UNLINK;
    int answer = fails(kind) ? -1 : REAL(unlinkat)(folder, path, flags);
    if (!answer) note((uint32_t)kind, 0, 0, 0, name, 0, 0, 0);
    size_t size = strlen(name), end = last_removed ? strlen(last_removed) : size + 1;
    if (!answer && size > end && !strcmp(name + size - end, last_removed)) _exit(0);
    pthread_mutex_unlock(&turn);
    return answer;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode) {
    if (!inside(path)) return REAL(mkdir)(path, mode);
    pthread_mutex_lock(&turn);
    int answer = fails(MKDIR) ? -1 : REAL(mkdir)(path, mode);
    if (!answer) note(MKDIR, 0, 0, 0, path, 0, 0, 0);
    pthread_mutex_unlock(&turn);
    return answer;
}
