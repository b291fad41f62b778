/* A library for LD_PRELOAD that sees every change a program makes to the files of one folder.
 *
 * It is built and used by the tests only. Environment:
 *
 *   PRELOAD_FOLDER  the folder; calls on anything else pass untouched
 *   PRELOAD_LOG     a file to which each call that changes or syncs something in the folder is appended
 *   PRELOAD_KILL    KIND:N[:after|:torn]  SIGKILL before the N-th call of that kind, after it, or in the middle of it
 *   PRELOAD_FAIL    KIND:N:ERRNO[:ever]   the N-th call of that kind fails, or that one and all later ones
 *   PRELOAD_HOLD    KIND:N  the N-th call of that kind is told on standard error and never happens, nor does its thread go on
 *   PRELOAD_SHORT   a number: writes take at most so many bytes
 *   PRELOAD_QUOTA   a number: the files of the folder have so many bytes together, then EDQUOT
 *   PRELOAD_LOCK    a number: flock fails with that errno; 0: everybody gets every lock
 *
 * KIND is create, write, sync, rename, link, unlink, truncate, reserve, open, time, attribute, or any. A sync is one of a
 * file or of the folder itself. Opening, times and extended attributes are not in the log. One lock is held over each call and its line in the log, so the order of the log is the true one.
 *
 * The log has one line per call, tab separated, and after the line of a write its bytes:
 *
 *   create INODE NAME · write INODE OFFSET COUNT · truncate INODE SIZE · sync INODE · folder · rename FROM TO
 *   link FROM TO · unlink NAME · reserve INODE
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

enum kind { ANY, CREATE, WRITE, SYNC, RENAME, LINK, UNLINK, TRUNCATE, RESERVE, OPEN, TIME, ATTRIBUTE, KINDS };
static const char *const names[KINDS] = {"any",  "create", "write",    "sync",    "rename",
                                         "link", "unlink", "truncate", "reserve", "open",    "time", "attribute"};

/* What the environment asks to happen at the N-th call of a kind. */
struct order {
  enum kind kind;
  long number;
  int code;
  int later;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static int log_descriptor = -1;
static size_t most_bytes;
static long quota = -1;
static int lock_code = -1;
static struct order death = {KINDS, 0, 0, 0}, failure = {KINDS, 0, 0, 0}, hold = {KINDS, 0, 0, 0};
static int dies_after, dies_torn;
static long counts[KINDS];

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) {
  void *address = dlsym(RTLD_NEXT, name);
  if (address == NULL) abort();
  return address;
}

static struct order parse(const char *text) {
  struct order order = {KINDS, 0, 0, 0};
  char kind[16] = "", rest[16] = "";
  if (text == NULL) return order;
  sscanf(text, "%15[a-z]:%ld:%d:%15s", kind, &order.number, &order.code, rest);
  for (int i = 0; i < KINDS; i++)
    if (strcmp(kind, names[i]) == 0) order.kind = i;
  order.later = strcmp(rest, "ever") == 0;
  return order;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("PRELOAD_FOLDER"), *log = getenv("PRELOAD_LOG"), *kill = getenv("PRELOAD_KILL");
  if (path == NULL || realpath(path, folder) == NULL) folder[0] = 0;
  if (log != NULL) log_descriptor = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (getenv("PRELOAD_SHORT") != NULL) most_bytes = strtoul(getenv("PRELOAD_SHORT"), NULL, 10);
  if (getenv("PRELOAD_QUOTA") != NULL) quota = strtol(getenv("PRELOAD_QUOTA"), NULL, 10);
  if (getenv("PRELOAD_LOCK") != NULL) lock_code = (int)strtol(getenv("PRELOAD_LOCK"), NULL, 10);
  death = parse(kill);
  failure = parse(getenv("PRELOAD_FAIL"));
  hold = parse(getenv("PRELOAD_HOLD"));
  dies_after = kill != NULL && strstr(kill, ":after") != NULL;
  dies_torn = kill != NULL && strstr(kill, ":torn") != NULL;
}

/* The name below the folder, "" for the folder itself, or NULL for everything else. */
static const char *below(const char *path) {
  size_t length = strlen(folder);
  if (length == 0 || strncmp(path, folder, length) != 0) return NULL;
  if (path[length] == 0) return "";
  return path[length] == '/' ? path + length + 1 : NULL;
}

static const char *opened(int descriptor, char *buffer) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  if (length < 0) return NULL;
  buffer[length] = 0;
  return below(buffer);
}

static const char *named(int directory, const char *path, char *buffer) {
  char base[PATH_MAX];
  if (path == NULL) return NULL;
  if (path[0] == '/') {
    snprintf(buffer, PATH_MAX, "%s", path);
  } else if (directory == AT_FDCWD) {
    if (getcwd(base, sizeof base) == NULL) return NULL;
    snprintf(buffer, PATH_MAX, "%s/%s", base, path);
  } else {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length < 0) return NULL;
    base[length] = 0;
    snprintf(buffer, PATH_MAX, "%s/%s", base, path);
  }
  return below(buffer);
}

static unsigned long inode(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static void put(const void *bytes, size_t count) {
  while (log_descriptor >= 0 && count > 0) {
    ssize_t written = REAL(write)(log_descriptor, bytes, count);
    if (written <= 0) abort();
    bytes = (const char *)bytes + written;
    count -= written;
  }
}

static void note(const char *format, ...) {
  char line[2 * PATH_MAX + 64];
  int before = errno;
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  put(line, length);
  errno = before;
}

static int is_due(struct order order, enum kind kind) {
  if (order.kind != ANY && order.kind != kind) return 0;
  return counts[order.kind] == order.number || (order.later && counts[order.kind] > order.number);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Before a call; true if it has to fail, with errno set. */
static int before(enum kind kind) {
  counts[ANY]++;
  counts[kind]++;
  if (is_due(death, kind) && !dies_after && !dies_torn) die();
  if (is_due(hold, kind)) {
    /* The others go on. */
    pthread_mutex_unlock(&lock);
    dprintf(2, "preload: held a call\n");
    for (;;) pause();
  }
  if (!is_due(failure, kind)) return 0;
  errno = failure.code;
  return 1;
}

/* After a call that succeeded and was logged. */
static void after(enum kind kind) {
  if (is_due(death, kind) && (dies_after || dies_torn)) die();
}

/* How many bytes a file may grow to when it wants to have `end`. */
static off_t granted(int descriptor, off_t end) {
  struct stat status;
  if (quota < 0 || fstat(descriptor, &status) != 0 || end <= status.st_size) return end;
  off_t used = 0, size = status.st_size;
  DIR *list = opendir(folder);
  if (list == NULL) abort();
  for (struct dirent *entry; (entry = readdir(list)) != NULL;)
    if (fstatat(dirfd(list), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
      used += status.st_size;
  closedir(list);
  off_t most = size + (quota > used ? quota - used : 0);
  return end < most ? end : most;
}

static int change(enum kind kind, int result, const char *format, const char *one, const char *other) {
  if (result == 0) {
    note(format, one, other);
    after(kind);
  }
  return result;
}

static int on_open(int directory, const char *path, int flags, mode_t mode) {
  char buffer[PATH_MAX];
  const char *name = named(directory, path, buffer);
  if (name == NULL || *name == 0) return REAL(openat)(directory, path, flags, mode);
  pthread_mutex_lock(&lock);
  int creates = (flags & O_CREAT) != 0 && faccessat(directory, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
  enum kind kind = creates ? CREATE : OPEN;
  int result = before(kind) ? -1 : REAL(openat)(directory, path, flags, mode);
  if (result >= 0 && creates) note("create\t%lu\t%s\n", inode(result), name);
  if (result >= 0) after(kind);
  pthread_mutex_unlock(&lock);
  return result;
}

#define MODE(last)                                   \
  mode_t mode = 0;                                   \
  if ((last) & (O_CREAT | O_TMPFILE)) {              \
    va_list values;                                  \
    va_start(values, last);                          \
    mode = va_arg(values, mode_t);                   \
    va_end(values);                                  \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return on_open(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  return on_open(AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return on_open(directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) {
  MODE(flags)
  return on_open(directory, path, flags, mode);
}
int creat(const char *path, mode_t mode) { return on_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static ssize_t on_write(int descriptor, const void *bytes, size_t count, off_t offset, int has_offset) {
  char buffer[PATH_MAX];
  if (opened(descriptor, buffer) == NULL)
    return has_offset ? REAL(pwrite)(descriptor, bytes, count, offset) : REAL(write)(descriptor, bytes, count);
  pthread_mutex_lock(&lock);
  ssize_t result = -1;
  if (!before(WRITE)) {
    if (most_bytes > 0 && count > most_bytes) count = most_bytes;
    if (is_due(death, WRITE) && dies_torn && count > 1) count /= 2;
    if (!has_offset) offset = lseek(descriptor, 0, SEEK_CUR);
    off_t end = granted(descriptor, offset + (off_t)count);
    if (count > 0 && end <= offset) {
      errno = EDQUOT;
      pthread_mutex_unlock(&lock);
      return -1;
    }
    count = end - offset;
    result = has_offset ? REAL(pwrite)(descriptor, bytes, count, offset) : REAL(write)(descriptor, bytes, count);
    if (result > 0) {
      note("write\t%lu\t%ld\t%ld\n", inode(descriptor), (long)offset, (long)result);
      put(bytes, result);
      after(WRITE);
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t write(int descriptor, const void *bytes, size_t count) { return on_write(descriptor, bytes, count, 0, 0); }
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return on_write(descriptor, bytes, count, offset, 1);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return on_write(descriptor, bytes, count, offset, 1);
}

/* A change of the open file itself: a sync, a truncation or a reservation. */
#define ON_FILE(kind, descriptor, call, noting)       \
  char buffer[PATH_MAX];                              \
  const char *name = opened(descriptor, buffer);      \
  if (name == NULL) return call;                      \
  pthread_mutex_lock(&lock);                          \
  int result = before(kind) ? -1 : call;              \
  if (result == 0) {                                  \
    noting;                                           \
    after(kind);                                      \
  }                                                   \
  pthread_mutex_unlock(&lock);                        \
  return result;

static int reserve(int descriptor, int mode, off_t offset, off_t count) {
  if (granted(descriptor, offset + count) == offset + count) return REAL(fallocate)(descriptor, mode, offset, count);
  errno = EDQUOT;
  return -1;
}

int flock(int descriptor, int operation) {
  char buffer[PATH_MAX];
  if (lock_code < 0 || opened(descriptor, buffer) == NULL) return REAL(flock)(descriptor, operation);
  errno = lock_code;
  return lock_code == 0 ? 0 : -1;
}

static void note_sync(const char *name, int descriptor) {
  if (*name == 0)
    note("folder\n");
  else
    note("sync\t%lu\n", inode(descriptor));
}

int fsync(int descriptor) { ON_FILE(SYNC, descriptor, REAL(fsync)(descriptor), note_sync(name, descriptor)) }
int fdatasync(int descriptor) { ON_FILE(SYNC, descriptor, REAL(fdatasync)(descriptor), note_sync(name, descriptor)) }
int ftruncate(int descriptor, off_t size) {
  ON_FILE(TRUNCATE, descriptor, REAL(ftruncate)(descriptor, size),
          note("truncate\t%lu\t%ld\n", inode(descriptor), (long)size))
}
int ftruncate64(int descriptor, off_t size) {
  ON_FILE(TRUNCATE, descriptor, REAL(ftruncate)(descriptor, size),
          note("truncate\t%lu\t%ld\n", inode(descriptor), (long)size))
}
int fallocate(int descriptor, int mode, off_t offset, off_t count) {
  ON_FILE(RESERVE, descriptor, reserve(descriptor, mode, offset, count),
          note("reserve\t%lu\n", inode(descriptor)))
}
int fallocate64(int descriptor, int mode, off_t offset, off_t count) {
  return fallocate(descriptor, mode, offset, count);
}

/* A change of names. */
#define ON_NAMES(kind, from_directory, from, to_directory, to, call)                      \
  char one[PATH_MAX], other[PATH_MAX];                                                    \
  const char *old = named(from_directory, from, one), *new = named(to_directory, to, other); \
  if (old == NULL && new == NULL) return call;                                            \
  pthread_mutex_lock(&lock);                                                              \
  int result = before(kind) ? -1                                                          \
                            : change(kind, call, kind == LINK ? "link\t%s\t%s\n" : "rename\t%s\t%s\n", \
                                     old ? old : "/", new ? new : "/");                    \
  pthread_mutex_unlock(&lock);                                                            \
  return result;

int rename(const char *from, const char *to) {
  ON_NAMES(RENAME, AT_FDCWD, from, AT_FDCWD, to, REAL(rename)(from, to))
}
int renameat(int a, const char *from, int b, const char *to) {
  ON_NAMES(RENAME, a, from, b, to, REAL(renameat)(a, from, b, to))
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  ON_NAMES(RENAME, a, from, b, to, REAL(renameat2)(a, from, b, to, flags))
}
int link(const char *from, const char *to) { ON_NAMES(LINK, AT_FDCWD, from, AT_FDCWD, to, REAL(link)(from, to)) }
int linkat(int a, const char *from, int b, const char *to, int flags) {
  ON_NAMES(LINK, a, from, b, to, REAL(linkat)(a, from, b, to, flags))
}

static int on_unlink(int directory, const char *path, int flags) {
  char buffer[PATH_MAX];
  const char *name = named(directory, path, buffer);
  if (name == NULL) return REAL(unlinkat)(directory, path, flags);
  pthread_mutex_lock(&lock);
  int result = -1;
  /* A call for a name that is not there changes nothing: it neither counts nor fails in another way. */
  if (faccessat(directory, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
    result = REAL(unlinkat)(directory, path, flags);
  else if (!before(UNLINK))
    result = change(UNLINK, REAL(unlinkat)(directory, path, flags), "unlink\t%s\n", name, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int unlink(const char *path) { return on_unlink(AT_FDCWD, path, 0); }
int unlinkat(int directory, const char *path, int flags) { return on_unlink(directory, path, flags); }

/* What is told about a file. */
#define ON_PATH(kind, directory, path, call)          \
  char buffer[PATH_MAX];                              \
  if (named(directory, path, buffer) == NULL) return call; \
  pthread_mutex_lock(&lock);                          \
  int result = before(kind) ? -1 : call;              \
  if (result == 0) after(kind);                       \
  pthread_mutex_unlock(&lock);                        \
  return result;

int utimensat(int directory, const char *path, const struct timespec times[2], int flags) {
  ON_PATH(TIME, directory, path, REAL(utimensat)(directory, path, times, flags))
}
int setxattr(const char *path, const char *name, const void *value, size_t size, int flags) {
  ON_PATH(ATTRIBUTE, AT_FDCWD, path, REAL(setxattr)(path, name, value, size, flags))
}

/* None of these is used; a program that begins to use one must be noticed. */
static void refuse(const char *what, int descriptor) {
  char buffer[PATH_MAX];
  if (opened(descriptor, buffer) == NULL) return;
  dprintf(2, "preload: %s is not recorded\n", what);
  abort();
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  refuse("writev", descriptor);
  return REAL(writev)(descriptor, parts, count);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  refuse("pwritev", descriptor);
  return REAL(pwritev)(descriptor, parts, count, offset);
}
int syncfs(int descriptor) {
  refuse("syncfs", descriptor);
  return REAL(syncfs)(descriptor);
}
int sync_file_range(int descriptor, off_t offset, off_t count, unsigned flags) {
  refuse("sync_file_range", descriptor);
  return REAL(sync_file_range)(descriptor, offset, count, flags);
}
