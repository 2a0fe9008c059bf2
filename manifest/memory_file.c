/* See memory_file.h. */
#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3; newer than Debian 12's headers.  vm.memfd_noexec=2 asks for it. */
#endif

int memory_file_new(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

int memory_file_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0 ? -errno : 0;
}

int memory_file_write(int fd, const void *at, size_t n, uint64_t offset)
{
	const uint8_t *from = at;

	while (n > 0) {
		ssize_t done = pwrite(fd, from, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		from += done;
		offset += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

int memory_file_read(int fd, void *buf, size_t n, uint64_t offset)
{
	uint8_t *to = buf;

	while (n > 0) {
		ssize_t done = pread(fd, to, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		to += done;
		offset += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}
