/* Policy files: whatever the text, the reader ends with a policy or with a message that names a line; and a
 * policy that was read, shown and read again is the same policy. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "policy.h"

static void check_round_trip(const struct policy *p)
{
	char error[POLICY_ERROR_MAX];
	struct policy *again = NULL;
	char *text = policy_show(p);

	FUZZ_REQUIRE(text != NULL);
	FUZZ_REQUIRE(policy_parse((const uint8_t *)text, strlen(text), "fuzz.yaml", &again, error) == 0);
	FUZZ_REQUIRE(strcmp(policy_sha256(p), policy_sha256(again)) == 0);
	policy_free(again);
	free(text);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	char error[POLICY_ERROR_MAX];
	struct policy *p = NULL;

	if (policy_parse(data, n, "fuzz.yaml", &p, error) < 0) {
		FUZZ_REQUIRE(p == NULL);
		FUZZ_REQUIRE(strncmp(error, "fuzz.yaml:", 10) == 0);
		return 0;
	}
	check_round_trip(p);
	policy_free(p);
	return 0;
}
