/* See pseudonym.h. */
#include "pseudonym.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hex.h"

static int read_key(int fd, uint8_t key[PSEUDONYM_KEY_BYTES])
{
	uint8_t text[PSEUDONYM_KEY_FILE_MAX + 1];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & S_IRWXO) != 0)
		return -EPERM;
	n = read(fd, text, sizeof(text));
	if (n < 0)
		return -errno;
	SHA256(text, (size_t)n, key);
	explicit_bzero(text, sizeof(text));
	return n < (ssize_t)PSEUDONYM_KEY_FILE_MIN || n > (ssize_t)PSEUDONYM_KEY_FILE_MAX ? -EINVAL : 0;
}

int pseudonym_key_read(const char *path, uint8_t key[PSEUDONYM_KEY_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int r = fd < 0 ? -errno : read_key(fd, key);

	if (fd >= 0)
		close(fd);
	return r;
}

const char *pseudonym_of(const uint8_t key[PSEUDONYM_KEY_BYTES], const char *name, char buf[PSEUDONYM_BYTES])
{
	uint8_t mac[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	/* Nothing that it can fail of is input; a name that was meant to be hidden is not shown for it. */
	if (HMAC(EVP_sha256(), key, (int)PSEUDONYM_KEY_BYTES, (const uint8_t *)name, strlen(name), mac, &n) == NULL)
		abort();
	memcpy(buf, "p:", 2);
	hex_write(mac, (PSEUDONYM_BYTES - 3) / 2, buf + 2);
	return buf;
}
