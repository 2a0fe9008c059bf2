/* See file_digest.h. */
#include "file_digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_BYTES ((size_t)256 << 10)

static int digest_fd(int fd, EVP_MD_CTX *ctx, uint8_t *buf, uint8_t sha256[32])
{
	ssize_t n;

	if (buf == NULL || !ctx || EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) != 1)
		return ENOMEM;
	while ((n = read(fd, buf, READ_BYTES)) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0 && EVP_DigestUpdate(ctx, buf, (size_t)n) != 1)
			return EIO;
	}
	if (n < 0)
		return errno;
	return EVP_DigestFinal_ex(ctx, sha256, NULL) == 1 ? 0 : EIO;
}

int file_digest(const char *name, uint8_t sha256[32])
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	EVP_MD_CTX *ctx;
	uint8_t *buf;
	int error;

	if (fd < 0)
		return errno;
	ctx = EVP_MD_CTX_new();
	buf = malloc(READ_BYTES);
	error = digest_fd(fd, ctx, buf, sha256);
	free(buf);
	EVP_MD_CTX_free(ctx);
	close(fd);
	return error;
}
