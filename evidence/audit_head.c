/* See audit_head.h. */
#include "audit_head.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit_file.h"
#include "hex.h"

#define TEMPORARY AUDIT_HEAD ".new"
#define TEXT_MAX 512u
#define TRIES 5 /* to read one that is being written, which takes no time that could be told */

/* ---- its text ---- */

static void check_of(int64_t seq, const char *head, char hex[SHA256_HEX + 1])
{
	char text[128];
	uint8_t digest[32];
	int n = snprintf(text, sizeof(text), "%" PRId64 " %s", seq, head);

	SHA256((const uint8_t *)text, (size_t)n, digest);
	hex_write(digest, 32, hex);
}

static void make_text(const struct audit_chain *c, char text[AUDIT_HEAD_BYTES])
{
	char head[SHA256_HEX + 1], check[SHA256_HEX + 1], said[AUDIT_HEAD_BYTES + 1];
	int64_t seq = (int64_t)c->next - 1;
	int n;

	hex_write(c->head, 32, head);
	check_of(seq, head, check);
	n = snprintf(said, sizeof(said),
	    "{\"schema\":\"" AUDIT_HEAD_SCHEMA "\",\"seq\":%" PRId64 ",\"head\":\"%s\",\"file\":\"" AUDIT_FILE
	    "\",\"check\":\"%s\"}",
	    seq, head, check);
	memset(text, ' ', AUDIT_HEAD_BYTES);
	memcpy(text, said, (size_t)n);
	text[AUDIT_HEAD_BYTES - 1] = '\n';
}

static bool is_whole(const json_t *o, int64_t seq, const char *head)
{
	const json_t *check = json_object_get(o, "check");
	char wanted[SHA256_HEX + 1];

	if (check == NULL)
		return true;
	check_of(seq, head, wanted);
	return json_is_string(check) && strcmp(json_string_value(check), wanted) == 0;
}

static bool read_object(const json_t *o, struct audit_chain *ret)
{
	static const uint8_t zeros[32];
	const char *schema = json_string_value(json_object_get(o, "schema"));
	const char *hex = json_string_value(json_object_get(o, "head"));
	const json_t *number = json_object_get(o, "seq");
	json_int_t seq = json_integer_value(number);

	if (schema == NULL || strcmp(schema, AUDIT_HEAD_SCHEMA) != 0 || !json_is_integer(number) || seq < -1 ||
	    seq > (json_int_t)AUDIT_SEQ_MAX || !sha256_of_hex(hex, ret->head) || !is_whole(o, seq, hex))
		return false;
	ret->next = (uint64_t)(seq + 1);
	return (memcmp(ret->head, zeros, sizeof(zeros)) == 0) == (seq == -1);
}

bool audit_head_parse(struct bytes text, struct audit_chain *ret)
{
	json_t *o = json_loadb((const char *)text.at, text.n, JSON_REJECT_DUPLICATES, NULL);
	bool good = o && read_object(o, ret);

	json_decref(o);
	return good;
}

/* ---- reading ---- */

static enum audit_head_state read_once(int dir, const char *name, struct audit_chain *ret)
{
	char text[TEXT_MAX];
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n;
	bool good;
	int e;

	if (fd < 0)
		return errno == ENOENT ? AUDIT_HEAD_NONE : AUDIT_HEAD_BAD;
	n = pread(fd, text, sizeof(text), 0);
	e = n < 0 ? errno : 0;
	good = n > 0 && audit_head_parse(bytes_of(text, (size_t)n), ret);
	close(fd);
	errno = e;
	return good ? AUDIT_HEAD_GOOD : AUDIT_HEAD_BAD;
}

enum audit_head_state audit_head_read(int dir, const char *name, struct audit_chain *ret)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	enum audit_head_state state = read_once(dir, name, ret);

	for (unsigned i = 1; i < TRIES && state == AUDIT_HEAD_BAD && errno == 0; i++) {
		nanosleep(&pause, NULL);
		state = read_once(dir, name, ret);
	}
	return state;
}

/* ---- writing ---- */

int audit_head_write(int fd, const struct audit_chain *c)
{
	char text[AUDIT_HEAD_BYTES];
	ssize_t n;

	make_text(c, text);
	n = pwrite(fd, text, sizeof(text), 0);
	if (n < 0)
		return -errno;
	return (size_t)n == sizeof(text) ? 0 : -EIO;
}

static int sync_folder(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 || fsync(fd) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

/* Its bytes last before it gets its name, or power loss could leave an empty one. */
int audit_head_create(int dir, const struct audit_chain *c)
{
	int fd = openat(dir, TEMPORARY, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r = fd < 0 ? -errno : audit_head_write(fd, c);

	if (r == 0 && (fsync(fd) < 0 || renameat(dir, TEMPORARY, dir, AUDIT_HEAD) < 0))
		r = -errno;
	if (r == 0)
		r = sync_folder(dir);
	if (r == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return r;
}
