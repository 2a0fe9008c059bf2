/* See keeper_sign.h. */
#include "keeper_sign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chain.h"
#include "dsse.h"
#include "log.h"
#include "statement.h"
#include "hex.h"

_Static_assert(DSSE_KEYID_BYTES + DSSE_SIGNATURE_BYTES == KEEPER_SIGN_ANSWER, "key id and signature");

/* The key's file, from before the jail until it is parsed. */
static struct {
	int error; /* errno, or 0 */
	size_t n;
	uint8_t pem[DSSE_PEM_MAX];
} file;

static bool wanted(const struct settings *s)
{
	return s->config.signing_key[0] != '\0';
}

/* ---- the file ---- */

static int read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	ssize_t n;
	int r = 0;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st) < 0)
		r = errno;
	else if (!S_ISREG(st.st_mode) || (st.st_mode & S_IRWXO) != 0)
		r = EPERM;
	n = r == 0 ? read(fd, file.pem, sizeof(file.pem)) : 0;
	if (n < 0)
		r = errno;
	close(fd);
	file.n = n > 0 ? (size_t)n : 0;
	return r;
}

void keeper_sign_read(const struct settings *s)
{
	char path[SETTINGS_KEY_PATH_MAX];

	if (!wanted(s))
		return;
	file.error = settings_key_path(s->config.signing_key, path) ? read_file(path) : ENOENT;
}

static struct dsse_key *key; /* from prove_key() to open_key() */

static int prove_key(const struct settings *s)
{
	struct dsse_key *k = file.error == 0 ? dsse_private_key(bytes_of(file.pem, file.n)) : NULL;
	char hex[SHA256_HEX + 1];

	explicit_bzero(file.pem, sizeof(file.pem));
	if (file.error == EPERM)
		log_line("signing_key %s: it must be a file that others may not read", s->config.signing_key);
	else if (file.error != 0)
		log_errno(file.error, "signing_key %s", s->config.signing_key);
	else if (k == NULL)
		log_line("signing_key %s: no ed25519 private key in PEM, without a pass phrase", s->config.signing_key);
	if (k == NULL)
		return -EINVAL;
	hex_write(dsse_key_id(k), 32, hex);
	log_line("verdicts are signed with key %s", hex);
	key = k;
	return 0;
}

static int open_key(const struct settings *s, void **ret_state)
{
	(void)s;
	*ret_state = key;
	return 0;
}

static void close_key(void *state)
{
	dsse_key_free(state);
}

/* ---- requests ---- */

static void sign(void *state, struct bytes request, struct keeper_answer *answer)
{
	uint8_t signature[DSSE_SIGNATURE_BYTES];

	if (request.n == 0) {
		answer->status = KEEPER_REFUSED;
	} else if (!dsse_sign(state, STATEMENT_PAYLOAD_TYPE, request, signature)) {
		log_line("a verdict cannot be signed");
		answer->status = KEEPER_FAILED;
	} else {
		keeper_answer_add(answer, dsse_key_id(state), DSSE_KEYID_BYTES);
		keeper_answer_add(answer, signature, sizeof(signature));
	}
}

static const struct keeper_handler handlers[] = { { KEEPER_SIGN, sign } };

const struct keeper_feature keeper_sign = {
	.name = "sign",
	.wanted = wanted,
	.prove = prove_key,
	.open = open_key,
	.handlers = handlers,
	.n_handlers = sizeof(handlers) / sizeof(handlers[0]),
	.close = close_key,
};
