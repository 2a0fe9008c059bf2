/* See admission.h.  As in rate.c, a bucket is the time at which it will be full again. */
#include "admission.h"

bool admission_knock(struct admission *a, uid_t uid, unsigned most, uint64_t now_ms)
{
	uint64_t *at = &a->free_ms[uid % ADMISSION_USERS];
	uint64_t from = *at > now_ms ? *at : now_ms;
	uint64_t room_ms = ADMISSION_KNOCK_MS * (most > ADMISSION_KNOCKS_MIN ? most : ADMISSION_KNOCKS_MIN);

	if (from + ADMISSION_KNOCK_MS > now_ms + room_ms)
		return false;
	*at = from + ADMISSION_KNOCK_MS;
	return true;
}

void admission_asked(struct admission *a, uid_t uid)
{
	uint64_t *at = &a->free_ms[uid % ADMISSION_USERS];

	*at -= *at < ADMISSION_KNOCK_MS ? *at : ADMISSION_KNOCK_MS;
}

bool admission_place(unsigned held, unsigned left, unsigned all)
{
	return left > all / ADMISSION_LAST || (left > 0 && held <= left / ADMISSION_FEW);
}
