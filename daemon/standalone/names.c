/* A static program must not load modules of the machine's C library, which is another one: users and groups are those
 * of /etc/passwd and /etc/group, whatever /etc/nsswitch.conf says. */
#include <nss.h>

__attribute__((constructor)) static void names_from_files(void)
{
	(void)__nss_configure_lookup("passwd", "files");
	(void)__nss_configure_lookup("group", "files");
	(void)__nss_configure_lookup("initgroups", "files");
}
