/* fleet/remote.c: nothing leads anywhere but to what is listed, and not to addresses inside. */
#include "remote.h"
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static struct remote_allowed some(void)
{
	struct remote_allowed a = { .s3 = "s3.example.org" };

	ck_assert_int_eq(remote_allow_host(&a, "hub.example.org"), 0);
	ck_assert_int_eq(remote_allow_host(&a, "odd.example.org:8443"), 0);
	ck_assert_int_eq(remote_allow_host(&a, "*.cdn.example.org"), 0);
	return a;
}

static void leads_to(const char *ref, const char *url)
{
	const struct remote_allowed a = some();
	struct remote r;

	ck_assert_msg(remote_read(&a, ref, &r) == 0 && strcmp(r.url, url) == 0, "%s: %s", ref, r.url);
	ck_assert_int_eq(r.is_s3, strncmp(ref, "s3:", 3) == 0);
}

static void is_refused(const char *ref, int error)
{
	const struct remote_allowed a = some();
	struct remote r;

	ck_assert_msg(remote_read(&a, ref, &r) == error, "%s: %s", ref, r.url);
}

START_TEST(test_where_references_lead)
{
	leads_to("https://hub.example.org/a/b.gguf", "https://hub.example.org:443/a/b.gguf");
	leads_to(
	    "https://HUB.example.ORG:443/a?X-Amz-Signature=1%2f", "https://hub.example.org:443/a?X-Amz-Signature=1%2f");
	leads_to("https://odd.example.org:8443/", "https://odd.example.org:8443/");
	leads_to("https://a.cdn.example.org/a/../b", "https://a.cdn.example.org:443/a/../b");
	leads_to("s3://bucket/a b/\xc3\xa4+?%.gguf", "https://s3.example.org:443/bucket/a%20b/%C3%A4%2B%3F%25.gguf");
}
END_TEST

START_TEST(test_hosts_that_are_not_listed)
{
	is_refused("https://example.org/a", -EACCES);
	is_refused("https://hub.example.org:8443/a", -EACCES);
	is_refused("https://odd.example.org/a", -EACCES);
	is_refused("https://cdn.example.org/a", -EACCES);
	is_refused("https://evilcdn.example.org/a", -EACCES);
	is_refused("https://hub.example.org.evil.org/a", -EACCES);
	is_refused("https://s3.example.org/bucket/key", -EACCES); /* listed for what is signed only */
	is_refused("https://169.254.169.254/latest/meta-data/", -EACCES);
	is_refused("https://2852039166/", -EACCES);
}
END_TEST

START_TEST(test_what_is_no_reference)
{
	static const char *const none[] = { "https://hub.example.org", "https:///a",
		"https://hub.example.org@evil.org/a", "https://u:p@hub.example.org/a", "https://hub.example.org:/a",
		"https://hub.example.org:443443/a", "https://hub.example.org:44x/a",
		"https://hub.example.org\\@evil.org/a", "https://hub.example.org/a b", "https://hub.example.org/a#b",
		"https://hub.example.org/\xc3\xa4", "https://[::1]/a", "https://hub%2eexample.org/a",
		"https://hub.example.org?/a", "https://-hub/a", "s3://bucket", "s3://bucket/", "s3:///key",
		"s3://a/key", "s3://bu@cket/key", "s3://bu%63ket/key", "s3://../key" };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		is_refused(none[i], -EINVAL);
	is_refused("http://hub.example.org/a", -EPROTONOSUPPORT);
	is_refused("HTTPS://hub.example.org/a", -EPROTONOSUPPORT);
	is_refused("gopher://hub.example.org/a", -EPROTONOSUPPORT);
	is_refused("file:/etc/passwd", -EPROTONOSUPPORT);
	is_refused("", -EPROTONOSUPPORT);
}
END_TEST

START_TEST(test_without_a_place_for_buckets_there_are_none)
{
	const struct remote_allowed a = { 0 };
	struct remote r;

	ck_assert_int_eq(remote_read(&a, "s3://bucket/key", &r), -EPROTONOSUPPORT);
	ck_assert_int_eq(remote_read(&a, "https://hub.example.org/a", &r), -EACCES);
}
END_TEST

/* ---- addresses ---- */

static bool may_connect(const struct remote_allowed *a, const char *text)
{
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &to4.sin_addr) == 1)
		return remote_may_connect(a, (const struct sockaddr *)&to4);
	ck_assert_int_eq(inet_pton(AF_INET6, text, &to6.sin6_addr), 1);
	return remote_may_connect(a, (const struct sockaddr *)&to6);
}

/* The first and the last of a net, and their neighbours outside. */
static const char *const inside[] = { "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0",
	"100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0",
	"172.31.255.255", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0",
	"198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1",
	"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::a00:1", "100::1", "fc00::1", "fd00::1", "fe80::1",
	"fec0::1", "ff02::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "4000::1",
	"1fff::1" };
static const char *const outside[] = { "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
	"126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
	"192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1", "2a00::1",
	"2003::1", "::ffff:1.1.1.1" };

START_TEST(test_addresses_inside_are_refused)
{
	const struct remote_allowed a = { 0 };

	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		ck_assert_msg(!may_connect(&a, inside[i]), "%s", inside[i]);
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		ck_assert_msg(may_connect(&a, outside[i]), "%s", outside[i]);
	ck_assert(!remote_may_connect(&a, &(struct sockaddr){ .sa_family = AF_UNIX }));
}
END_TEST

START_TEST(test_unless_their_net_is_listed)
{
	struct remote_allowed a = { 0 };

	ck_assert_int_eq(remote_allow_net(&a, "10.1.0.0/15"), 0);
	ck_assert_int_eq(remote_allow_net(&a, "fd00:1::/32"), 0);
	ck_assert(may_connect(&a, "10.0.0.0") && may_connect(&a, "10.1.255.255") && may_connect(&a, "::ffff:10.1.2.3"));
	ck_assert(!may_connect(&a, "10.2.0.0") && may_connect(&a, "9.255.255.255"));
	ck_assert(may_connect(&a, "fd00:1::5") && !may_connect(&a, "fd00:2::5"));
}
END_TEST

START_TEST(test_lists_that_are_none)
{
	struct remote_allowed a = { 0 };

	ck_assert_int_eq(remote_allow_host(&a, "https://hub.example.org"), -EINVAL);
	ck_assert_int_eq(remote_allow_host(&a, "*"), -EINVAL);
	ck_assert_int_eq(remote_allow_host(&a, "*.*.org"), -EINVAL);
	ck_assert_int_eq(remote_allow_host(&a, ""), -EINVAL);
	ck_assert_int_eq(remote_allow_net(&a, "10.0.0.0"), -EINVAL);
	ck_assert_int_eq(remote_allow_net(&a, "10.0.0.0/33"), -EINVAL);
	ck_assert_int_eq(remote_allow_net(&a, "10.0.0.0/-1"), -EINVAL);
	ck_assert_int_eq(remote_allow_net(&a, "10.0.0.0/8x"), -EINVAL);
	ck_assert_int_eq(remote_allow_net(&a, "::/129"), -EINVAL);
	ck_assert_int_eq(remote_allow_net(&a, "host/8"), -EINVAL);
	ck_assert_uint_eq(a.n_hosts + a.n_nets, 0);
	for (size_t i = 0; i < REMOTE_LIST_MAX; i++)
		ck_assert_int_eq(remote_allow_host(&a, "a"), 0);
	ck_assert_int_eq(remote_allow_host(&a, "a"), -ENOSPC);
}
END_TEST

HARNESS("fleet_remote", test_where_references_lead, test_hosts_that_are_not_listed, test_what_is_no_reference,
    test_without_a_place_for_buckets_there_are_none, test_addresses_inside_are_refused, test_unless_their_net_is_listed,
    test_lists_that_are_none)
