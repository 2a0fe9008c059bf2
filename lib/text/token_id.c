/* See token_id.h. */
#include "token_id.h"

bool tokenizer_id_is_sound(struct bytes digits, bool negative_too)
{
	uint64_t v = 0;
	size_t i = negative_too && digits.n > 0 && digits.at[0] == '-';

	if (i == digits.n)
		return false;
	for (; i < digits.n && v <= TOKENIZER_ID_MAX; i++) {
		if (digits.at[i] < '0' || digits.at[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(digits.at[i] - '0');
	}
	return v <= TOKENIZER_ID_MAX;
}
