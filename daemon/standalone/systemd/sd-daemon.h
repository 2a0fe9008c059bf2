/* In place of libsystemd's header, in a standalone daemon: there is no service manager.  It listens itself and notifies
 * nobody, which is what libsystemd's functions do when the daemon was not started by systemd. */
#pragma once

#define SD_LISTEN_FDS_START 3

static inline int sd_listen_fds_with_names(int unset_environment, char ***names)
{
	(void)unset_environment;
	(void)names;
	return 0;
}

static inline int sd_is_socket_unix(int fd, int type, int listening, const char *path, unsigned long length)
{
	(void)fd;
	(void)type;
	(void)listening;
	(void)path;
	(void)length;
	return 0;
}

static inline int sd_notify(int unset_environment, const char *state)
{
	(void)unset_environment;
	(void)state;
	return 0;
}
