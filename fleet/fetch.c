/* See fetch.h.
 *
 * What libcurl may do is little: one GET over TLS, to an address that is checked as the socket for it is made, so that no name can
 * mean another one by then; without proxy, redirect, cookies, .netrc, or a body of anything but 200. */
#include "fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <curl/curl.h>

#include "checked.h"
#include "credentials.h"
#include "say.h"

#define CONNECTIONS_MAX 16L /* at once; others wait for them */
#define CONNECT_S 10L
#define SLOW_BYTES 16384L /* a second, for */
#define SLOW_S 30L
#define WAIT_FDS_MAX 260

struct fetcher {
	const struct fetch_settings *set;
	CURLM *multi;
	uint64_t held_bytes;
};

struct fetch {
	struct fetcher *of;
	CURL *easy;
	struct curl_slist *headers;
	uint64_t size, held, have; /* announced, counted, arrived */
	int fd;
	bool over, refused; /* refused: the address */
	int error;          /* positive errno of our own file */
	struct fetch_end end;
};

/* ---- the file ---- */

static int open_file(const struct fetch_settings *set)
{
	int fd = set->spool != NULL ? open(set->spool, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600)
				    : memfd_create("weighlock-fleet", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? -errno : fd;
}

/* Nobody writes to it any more, and it is read from its beginning.  One in a folder cannot be sealed; it is ours alone. */
static bool close_for_writing(const struct fetch *d)
{
	return lseek(d->fd, 0, SEEK_SET) == 0 &&
	       (d->of->set->spool != NULL ||
		   fcntl(d->fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0);
}

static bool write_all(struct fetch *d, const char *at, size_t n)
{
	while (n > 0) {
		ssize_t r = write(d->fd, at, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			d->error = r < 0 ? errno : EIO;
			return false;
		}
		at += r;
		n -= (size_t)r;
	}
	return true;
}

/* ---- what libcurl asks ---- */

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
	struct fetch *d = ctx;

	if (purpose == CURLSOCKTYPE_IPCXN && remote_may_connect(&d->of->set->allowed, &to->addr))
		return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
	d->refused = true;
	return CURL_SOCKET_BAD;
}

/* Return: fewer than came: the transfer ends.  A byte more than announced is never kept. */
static size_t take_bytes(char *at, size_t one, size_t n, void *ctx)
{
	struct fetch *d = ctx;
	uint64_t have;
	long status = 0;

	(void)one; /* is 1 */
	curl_easy_getinfo(d->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200 || !add_u64(d->have, n, &have))
		return 0;
	d->have = have;
	return have <= d->size && write_all(d, at, n) ? n : 0;
}

/* ---- how it ends ---- */

static void end_as(struct fetch_end *e, enum fate_end end, const char *cause)
{
	e->end = end;
	snprintf(e->cause, sizeof(e->cause), "%s%s", end == END_OTHER_BYTES ? "" : "fetch: ", cause);
}

static void end_by_status(struct fetch *d, long status)
{
	char cause[16];

	snprintf(cause, sizeof(cause), "http-%ld", status);
	end_as(&d->end, status >= 300 && status < 400 ? END_REFUSED : END_LATER, cause);
}

/* Words of ours: libcurl's may name the URL. */
static const char *word_of(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST: return "no-such-host";
	case CURLE_COULDNT_CONNECT: return "no-connection";
	case CURLE_OPERATION_TIMEDOUT: return "too-slow";
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING: return "broken-off";
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CONNECT_ERROR: return "tls";
	default: return "failed";
	}
}

static void end_by_code(struct fetch *d, CURLcode code)
{
	curl_off_t length = -1;
	long status = 0;

	curl_easy_getinfo(d->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(d->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	if (d->refused)
		end_as(&d->end, END_REFUSED, "address");
	else if (d->error != 0)
		end_as(&d->end, END_LATER, strerrorname_np(d->error));
	else if (status != 0 && status != 200)
		end_by_status(d, status);
	else if (d->have > d->size || (length >= 0 && (uint64_t)length != d->size) || (code == CURLE_OK && d->have < d->size))
		end_as(&d->end, END_OTHER_BYTES, "other-size");
	else if (code != CURLE_OK || status != 200)
		end_as(&d->end, END_LATER, word_of(code));
	else if (!close_for_writing(d))
		end_as(&d->end, END_LATER, "seal");
	else
		d->end.end = END_JUDGED;
	d->over = true;
}

static void drop_transfer(struct fetch *d)
{
	if (d->easy == NULL)
		return;
	curl_multi_remove_handle(d->of->multi, d->easy);
	curl_easy_cleanup(d->easy);
	curl_slist_free_all(d->headers);
	d->easy = NULL;
	d->headers = NULL;
}

/* ---- one download ---- */

static bool set_options(const struct fetch *d, const struct remote *where)
{
	const struct fetch_settings *set = d->of->set;
	CURL *e = d->easy;
	bool ok = true;

#define SET(option, value) (ok = ok && curl_easy_setopt(e, option, value) == CURLE_OK)
	SET(CURLOPT_URL, where->url);
	SET(CURLOPT_PROTOCOLS_STR, "https");
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_NOPROGRESS, 1L);
	SET(CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	SET(CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
	SET(CURLOPT_LOW_SPEED_TIME, SLOW_S);
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, d);
	SET(CURLOPT_WRITEFUNCTION, take_bytes);
	SET(CURLOPT_WRITEDATA, d);
	SET(CURLOPT_PRIVATE, d);
	if (set->ca != NULL) {
		SET(CURLOPT_CAINFO, set->ca);
		SET(CURLOPT_CAPATH, NULL);
	}
#undef SET
	return ok;
}

/* S3 wants the body's digest in a header that is signed; libcurl 7.88 does not write it by itself. */
#define NO_BODY "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* Return: false: no memory. */
static bool add_headers(struct fetch *d, const char *token)
{
	char line[CREDENTIAL_MAX + 32];
	struct curl_slist *both;

	d->headers = curl_slist_append(NULL, NO_BODY);
	if (d->headers == NULL || token[0] == '\0')
		return d->headers != NULL;
	snprintf(line, sizeof(line), "x-amz-security-token: %s", token);
	both = curl_slist_append(d->headers, line);
	explicit_bzero(line, sizeof(line));
	return both != NULL;
}

/* Version 4 signatures, by libcurl.  The daemon never sees what signs. */
static int sign(struct fetch *d)
{
	const struct fetch_settings *set = d->of->set;
	char provider[96];
	struct credentials c;
	bool ok;
	int r = credentials_read(set->credentials, &c);

	if (r < 0)
		return r;
	snprintf(provider, sizeof(provider), "aws:amz:%s:s3", set->region);
	ok = add_headers(d, c.token) && curl_easy_setopt(d->easy, CURLOPT_AWS_SIGV4, provider) == CURLE_OK &&
	     curl_easy_setopt(d->easy, CURLOPT_USERNAME, c.key) == CURLE_OK &&
	     curl_easy_setopt(d->easy, CURLOPT_PASSWORD, c.secret) == CURLE_OK &&
	     curl_easy_setopt(d->easy, CURLOPT_HTTPHEADER, d->headers) == CURLE_OK;
	explicit_bzero(&c, sizeof(c));
	return ok ? 0 : -ENOMEM;
}

static int start(struct fetch *d, const struct remote *where)
{
	int r;

	d->fd = open_file(d->of->set);
	if (d->fd < 0)
		return d->fd;
	d->easy = curl_easy_init();
	if (d->easy == NULL || !set_options(d, where))
		return -ENOMEM;
	r = where->is_s3 ? sign(d) : 0;
	if (r == 0 && curl_multi_add_handle(d->of->multi, d->easy) != CURLM_OK)
		r = -ENOMEM;
	return r;
}

/* Return: false: @ret says why it cannot be had here, or not now. */
static bool may_begin(const struct fetcher *f, const struct fleet_job *job, struct remote *where, struct fetch_end *ret)
{
	int r = remote_read(&f->set->allowed, job->ref, where);

	if (r < 0)
		end_as(ret, END_REFUSED, r == -EACCES ? "host" : r == -EPROTONOSUPPORT ? "scheme" : "reference");
	else if (job->size > f->set->budget_bytes)
		end_as(ret, END_REFUSED, "larger-than-budget");
	else if (job->size > f->set->budget_bytes - f->held_bytes)
		end_as(ret, END_UNASKED, "budget");
	else
		return true;
	return false;
}

struct fetch *fetch_begin(struct fetcher *f, const struct fleet_job *job, struct fetch_end *ret_end)
{
	struct remote where;
	struct fetch *d;
	int r;

	if (f == NULL) {
		end_as(ret_end, END_REFUSED, "scheme");
		return NULL;
	}
	if (!may_begin(f, job, &where, ret_end))
		return NULL;
	d = calloc(1, sizeof(*d));
	if (d == NULL) {
		end_as(ret_end, END_LATER, "ENOMEM");
		return NULL;
	}
	*d = (struct fetch){ .of = f, .size = job->size, .held = job->size, .fd = -1 };
	f->held_bytes += d->held; /* it is below the budget, as was checked */
	r = start(d, &where);
	if (r == 0)
		return d;
	end_as(ret_end, END_LATER, strerrorname_np(-r));
	fetch_free(d);
	return NULL;
}

void fetch_free(struct fetch *d)
{
	if (d == NULL)
		return;
	drop_transfer(d);
	if (d->fd >= 0)
		close(d->fd);
	d->of->held_bytes -= d->held;
	free(d);
}

bool fetch_is_meant(const char *ref)
{
	return strncmp(ref, "file:", 5) != 0;
}

bool fetch_is_over(const struct fetch *d, struct fetch_end *ret_end, int *ret_fd)
{
	if (!d->over)
		return false;
	*ret_end = d->end;
	*ret_fd = d->fd;
	return true;
}

/* ---- all of them ---- */

int fetcher_new(const struct fetch_settings *set, struct fetcher **ret)
{
	struct fetcher *f = calloc(1, sizeof(*f));

	if (f == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		free(f);
		return -ENOMEM;
	}
	f->set = set;
	f->multi = curl_multi_init();
	if (f->multi == NULL || curl_multi_setopt(f->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, CONNECTIONS_MAX) != CURLM_OK) {
		fetcher_free(f);
		return -ENOMEM;
	}
	*ret = f;
	return 0;
}

void fetcher_free(struct fetcher *f)
{
	if (f == NULL)
		return;
	curl_multi_cleanup(f->multi);
	free(f);
	curl_global_cleanup();
}

void fetcher_step(struct fetcher *f)
{
	CURLMsg *m;
	int left;

	if (f == NULL)
		return;
	(void)curl_multi_perform(f->multi, &left);
	while ((m = curl_multi_info_read(f->multi, &left)) != NULL) {
		const CURLcode code = m->data.result;
		struct fetch *d = NULL;

		if (m->msg != CURLMSG_DONE || curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &d) != CURLE_OK)
			continue;
		end_by_code(d, code);
		drop_transfer(d);
	}
}

void fetcher_wait(struct fetcher *f, struct pollfd *fds, size_t n, int timeout_ms)
{
	struct curl_waitfd also[WAIT_FDS_MAX];

	if (f == NULL || n > WAIT_FDS_MAX) {
		(void)poll(fds, (nfds_t)n, timeout_ms);
		return;
	}
	for (size_t i = 0; i < n; i++)
		also[i] = (struct curl_waitfd){ .fd = fds[i].fd,
			.events = (short)((fds[i].events & POLLIN ? CURL_WAIT_POLLIN : 0) |
					  (fds[i].events & POLLOUT ? CURL_WAIT_POLLOUT : 0)) };
	(void)curl_multi_poll(f->multi, also, (unsigned)n, timeout_ms, NULL);
}
