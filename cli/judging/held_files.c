/* See held_files.h. */
#include "held_files.h"

#include <sys/resource.h>

#include "backend.h"

#define FDS_OTHERWISE 400u /* calls about single files, folders on the way, what the program itself has open */

size_t held_files_max(void)
{
	const rlim_t wanted = BACKEND_SET_MAX + FDS_OTHERWISE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	if (limit.rlim_cur < wanted) {
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (limit.rlim_cur >= wanted)
		return BACKEND_SET_MAX;
	return limit.rlim_cur > FDS_OTHERWISE ? (size_t)(limit.rlim_cur - FDS_OTHERWISE) : 0;
}
