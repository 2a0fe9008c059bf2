/* An audit log as whoever can write in its folder could have left it: the bytes before the first 0xFF are AUDIT_HEAD, those
 * behind it AUDIT_FILE.  Whatever is in them, checking them comes to an end, and the log is opened, gone on with, and closed.
 * Nothing that was there is gone.  A log without a head is an alarm; where the check found the file whole and the head is
 * that of one of its lines, nothing is called one, and the check finds it whole afterwards, too.  After an alarm the check never does. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit_file.h"
#include "audit_texts.h"
#include "fuzz.h"

#define RECORD "{\"kind\":\"verdict\",\"name\":\"a\"}"
#define GROWTH_MAX 2048u /* bytes of the lines that opening and one record add */

/* ---- a folder ---- */

static char path[64];

static void remove_folder(void)
{
	(void)rmdir(path);
}

static int folder(void)
{
	static int dir = -1;

	if (dir >= 0)
		return dir;
	snprintf(path, sizeof(path), "%s/weighlock-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	FUZZ_REQUIRE(mkdtemp(path) != NULL);
	(void)atexit(remove_folder);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_REQUIRE(dir >= 0);
	return dir;
}

static void write_file(int dir, const char *name, struct bytes b)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	FUZZ_REQUIRE(fd >= 0 && write(fd, b.at, b.n) == (ssize_t)b.n);
	close(fd);
}

/* @name: free() what it returns; NULL where there is none. */
static uint8_t *read_file(int dir, const char *name, size_t *ret_n)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *at;

	if (fd < 0)
		return NULL;
	FUZZ_REQUIRE(fstat(fd, &st) == 0);
	at = malloc((size_t)st.st_size + 1);
	FUZZ_REQUIRE(at != NULL && read(fd, at, (size_t)st.st_size) == st.st_size);
	close(fd);
	*ret_n = (size_t)st.st_size;
	return at;
}

/* Return: does one of its files begin with these bytes?  They are all deleted. */
static bool empty_folder(int dir, struct bytes kept)
{
	DIR *d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *e;
	bool found = false;

	FUZZ_REQUIRE(d != NULL);
	while ((e = readdir(d))) {
		size_t n = 0;
		uint8_t *at = e->d_name[0] == '.' ? NULL : read_file(dir, e->d_name, &n);

		found = found || (at && n >= kept.n && (kept.n == 0 || memcmp(at, kept.at, kept.n) == 0));
		free(at);
		if (e->d_name[0] != '.')
			FUZZ_REQUIRE(unlinkat(dir, e->d_name, 0) == 0);
	}
	closedir(d);
	return found;
}

/* ---- the check, as `weighlock audit verify` does it ---- */

static bool check(struct bytes b, struct audit_check *c)
{
	char error[AUDIT_ERROR_MAX];

	*c = (struct audit_check){ 0 };
	audit_check_file(c);
	for (size_t at = 0, n; at < b.n; at += n) {
		const uint8_t *newline = memchr(b.at + at, '\n', b.n - at);

		n = newline ? (size_t)(newline - (b.at + at)) + 1 : b.n - at;
		n = n < AUDIT_LINE_MAX + 1 ? n : AUDIT_LINE_MAX + 1;
		error[0] = '\0';
		if (!audit_check_line(c, bytes_of(b.at + at, n), error)) {
			FUZZ_REQUIRE(error[0] != '\0');
			return false;
		}
	}
	return b.n > 0 && audit_check_end(c, error);
}

/* ---- the writer ---- */

/* Open, a record, close.  @note: AUDIT_ERROR_MAX bytes.  Return: false where the numbers have come to their end. */
static bool go_on(int dir, char *note)
{
	struct audit_chain chain;
	struct audit_file *f;
	int r = audit_file_open(dir, UINT64_MAX, &f, note);

	if (r == 0) {
		r = audit_file_append(f, bytes_of_text(RECORD), &chain);
		FUZZ_REQUIRE(audit_file_settle(f) == 0);
		audit_file_close(f);
	}
	FUZZ_REQUIRE(r == 0 || r == -EOVERFLOW);
	return r == 0;
}

static void check_again(int dir, size_t before_n, const struct audit_check *before)
{
	struct audit_check after;
	size_t n;
	uint8_t *at = read_file(dir, AUDIT_FILE, &n);

	FUZZ_REQUIRE(at != NULL && n > before_n && n - before_n <= GROWTH_MAX);
	FUZZ_REQUIRE(check(bytes_of(at, n), &after) && after.lines == before->lines + 2);
	free(at);
}

static void check_fails(int dir)
{
	struct audit_check after;
	size_t n;
	uint8_t *at = read_file(dir, AUDIT_FILE, &n);

	FUZZ_REQUIRE(at != NULL && !check(bytes_of(at, n), &after));
	free(at);
}

/* ---- what is beside it ---- */

/* A text that was erased is one of the same line, and cannot be read. */
static void check_text(struct bytes line)
{
	static char blank[AUDIT_LINE_MAX];
	struct bytes text;
	uint64_t seq, again;

	if (audit_text_read(line, &seq, &text) != AUDIT_TEXT_THERE)
		return;
	FUZZ_REQUIRE(audit_text_is_sound(text) && text.at > line.at && text.at + text.n < line.at + line.n);
	audit_text_blank(blank, line.n, seq);
	FUZZ_REQUIRE(audit_text_read(bytes_of(blank, line.n), &again, &text) == AUDIT_TEXT_ERASED && again == seq);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	const uint8_t *end = n > 0 ? memchr(data, 0xFF, n) : NULL;
	const struct bytes head = bytes_of(data, end ? (size_t)(end - data) : 0);
	const struct bytes log = end ? bytes_of(end + 1, n - head.n - 1) : bytes_of(data, n);
	char note[AUDIT_ERROR_MAX];
	struct audit_check before;
	bool opened, whole = check(log, &before), alarm;
	int dir = folder();

	check_text(log);
	if (head.n > 0)
		write_file(dir, AUDIT_HEAD, head);
	write_file(dir, AUDIT_FILE, log);
	opened = go_on(dir, note);
	alarm = strstr(note, "ALARM") != NULL;
	if (head.n == 0)
		FUZZ_REQUIRE(alarm);
	if (opened && whole && !alarm)
		check_again(dir, log.n, &before);
	if (opened && alarm)
		check_fails(dir);
	FUZZ_REQUIRE(empty_folder(dir, log));
	return 0;
}
