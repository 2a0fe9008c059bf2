/* The channel between front and zygote: what one end sends the other receives, and nothing else is believed. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "channel.h"
#include "harness.h"
#include "jail.h"

static int pair[2];

static void make_pair(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
}

static size_t open_descriptors(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Raw bytes and descriptors, as a front that is no friend might send them. */
static void send_raw(const void *at, size_t n, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)at, n };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n_fds > 0) {
		struct cmsghdr *c;

		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memset(CMSG_DATA(c), 0, n_fds * sizeof(int)); /* standard input, n times */
	}
	ck_assert_int_eq(sendmsg(pair[0], &msg, 0), (ssize_t)n);
}

START_TEST(test_message_arrives_as_it_was_sent_with_its_descriptors)
{
	struct channel_message sent = { .type = CHANNEL_JOB, .id = UINT64_MAX, .payload_n = CHANNEL_PAYLOAD_MAX }, got;
	int ends[2], fds[CHANNEL_FDS_MAX];

	make_pair();
	memset(sent.payload, 0xa5, sizeof(sent.payload));
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(channel_send(pair[0], &sent, ends, 2), 0);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
	ck_assert_int_eq(memcmp(&sent, &got, sizeof(sent)), 0);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	ck_assert_int_eq(read(ends[0], &got, 1), 1);
	ck_assert_int_eq(fcntl(fds[0], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(fcntl(fds[1], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}
END_TEST

START_TEST(test_message_without_descriptors_brings_none)
{
	struct channel_message sent = { .type = CHANNEL_PING }, got;
	int fds[CHANNEL_FDS_MAX] = { 77, 77 };

	make_pair();
	ck_assert_int_eq(channel_send(pair[0], &sent, NULL, 0), 0);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
	ck_assert_int_eq(fds[0], -1);
	ck_assert_int_eq(fds[1], -1);
}
END_TEST

START_TEST(test_nothing_yet_and_nothing_any_more_are_told_apart)
{
	struct channel_message got;
	int fds[CHANNEL_FDS_MAX];

	make_pair();
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), -EAGAIN);
	close(pair[0]);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 0);
	ck_assert_int_eq(channel_send(pair[1], &(struct channel_message){ 0 }, NULL, 0), -EPIPE);
}
END_TEST

START_TEST(test_full_channel_says_so)
{
	const struct channel_message m = { .type = CHANNEL_PING };
	int r = 0;

	make_pair();
	for (size_t i = 0; i < 100000 && r == 0; i++)
		r = channel_send(pair[0], &m, NULL, 0);
	ck_assert_int_eq(r, -EAGAIN);
}
END_TEST

START_TEST(test_message_of_another_size_is_refused_and_the_next_received)
{
	static const size_t steps[] = { 1, sizeof(struct channel_message) - 1, sizeof(struct channel_message) + 1 };
	char raw[sizeof(struct channel_message) + 1] = { 0 };
	struct channel_message got;
	int fds[CHANNEL_FDS_MAX];

	make_pair();
	for (size_t i = 0; i < 3; i++) {
		size_t before = open_descriptors();

		send_raw(raw, steps[i], 2);
		ck_assert_int_eq(channel_recv(pair[1], &got, fds), -EBADMSG);
		ck_assert_int_eq(fds[0], -1);
		ck_assert_uint_eq(open_descriptors(), before);
	}
	send_raw(raw, sizeof(struct channel_message), 0);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
}
END_TEST

START_TEST(test_one_descriptor_too_many_is_refused_and_none_is_left_open)
{
	const struct channel_message m = { .type = CHANNEL_JOB };
	struct channel_message got;
	int fds[CHANNEL_FDS_MAX];
	size_t before;

	make_pair();
	before = open_descriptors();
	send_raw(&m, sizeof(m), CHANNEL_FDS_MAX + 1);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), -EBADMSG);
	ck_assert_uint_eq(open_descriptors(), before);
	send_raw(&m, sizeof(m), CHANNEL_FDS_MAX);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
	ck_assert_uint_eq(open_descriptors(), before + CHANNEL_FDS_MAX);
}
END_TEST

START_TEST(test_peek_shows_the_message_and_opens_none_of_its_descriptors)
{
	const struct channel_message sent = { .type = CHANNEL_JOB, .id = 7 };
	struct channel_message got;
	int fds[CHANNEL_FDS_MAX];
	size_t before;

	make_pair();
	ck_assert_int_eq(channel_peek(pair[1], &got), -EAGAIN);
	send_raw(&sent, sizeof(sent), CHANNEL_FDS_MAX);
	before = open_descriptors();
	for (size_t i = 0; i < 3; i++) {
		memset(&got, 0xff, sizeof(got));
		ck_assert_int_eq(channel_peek(pair[1], &got), 1);
		ck_assert_int_eq(memcmp(&sent, &got, sizeof(sent)), 0);
		ck_assert_uint_eq(open_descriptors(), before);
	}
	/* all is still there */
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
	ck_assert_uint_eq(open_descriptors(), before + CHANNEL_FDS_MAX);
	close(pair[0]);
	ck_assert_int_eq(channel_peek(pair[1], &got), 0);
}
END_TEST

START_TEST(test_peek_refuses_what_receiving_would_refuse)
{
	char raw[sizeof(struct channel_message) + 1] = { 0 };
	struct channel_message m = { .type = CHANNEL_JOB, .payload_n = CHANNEL_PAYLOAD_MAX + 1 }, got;

	make_pair();
	send_raw(raw, sizeof(m) - 1, 0);
	send_raw(raw, sizeof(m) + 1, 1);
	send_raw("", 0, 1); /* not the end of the channel */
	send_raw(&m, sizeof(m), 0);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(channel_peek(pair[1], &got), -EBADMSG);
		ck_assert_int_eq(channel_drop(pair[1]), 0);
	}
	ck_assert_int_eq(channel_peek(pair[1], &got), -EAGAIN);
}
END_TEST

START_TEST(test_dropped_message_is_gone_with_its_descriptors)
{
	struct channel_message m = { .type = CHANNEL_JOB, .id = 1 };
	int ends[2], fds[CHANNEL_FDS_MAX] = { -1, STDIN_FILENO };
	size_t before;
	char byte;

	make_pair();
	ck_assert_int_eq(pipe(ends), 0);
	fds[0] = ends[1];
	ck_assert_int_eq(channel_send(pair[0], &m, fds, 2), 0);
	close(ends[1]);
	m.id = 2;
	ck_assert_int_eq(channel_send(pair[0], &m, NULL, 0), 0);
	before = open_descriptors();
	ck_assert_int_eq(channel_drop(pair[1]), 0);
	ck_assert_uint_eq(open_descriptors(), before);
	/* the message was the last to hold the pipe's writing end */
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	ck_assert_int_eq(channel_recv(pair[1], &m, fds), 1);
	ck_assert_uint_eq(m.id, 2);
	ck_assert_int_eq(channel_drop(pair[1]), -EAGAIN);
}
END_TEST

START_TEST(test_payload_longer_than_its_place_is_refused_by_both_ends)
{
	struct channel_message m = { .type = CHANNEL_JOB, .payload_n = CHANNEL_PAYLOAD_MAX + 1 }, got;
	int fds[CHANNEL_FDS_MAX];

	make_pair();
	ck_assert_int_eq(channel_send(pair[0], &m, NULL, 0), -EINVAL);
	send_raw(&m, sizeof(m), 0);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), -EBADMSG);
	m.payload_n = CHANNEL_PAYLOAD_MAX;
	send_raw(&m, sizeof(m), 0);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
}
END_TEST

static uint8_t appendix[CHANNEL_APPENDIX_MAX + 1], got_appendix[CHANNEL_APPENDIX_MAX];

static void fill_appendix(void)
{
	for (size_t i = 0; i < sizeof(appendix); i++)
		appendix[i] = (uint8_t)(i * 7);
}

START_TEST(test_appendix_arrives_with_its_message_and_descriptors)
{
	const uint32_t lengths[] = { 0, 1, 4096, CHANNEL_APPENDIX_MAX };
	const struct channel_message next = { .type = CHANNEL_PING };
	struct channel_message got;
	int fds[CHANNEL_FDS_MAX], zero[] = { 0 };

	make_pair();
	fill_appendix();
	for (size_t i = 0; i < 4; i++) {
		const struct channel_message m = { .type = CHANNEL_JOB, .id = i, .appendix_n = lengths[i] };

		ck_assert_int_eq(channel_send_with(pair[0], &m, appendix, zero, 1), 0);
		ck_assert_int_eq(channel_send(pair[0], &next, NULL, 0), 0);
		ck_assert_int_eq(channel_peek(pair[1], &got), 1);
		ck_assert_uint_eq(got.appendix_n, lengths[i]);
		ck_assert_int_eq(channel_recv_with(pair[1], &got, got_appendix, fds), 1);
		ck_assert_uint_eq(got.id, i);
		ck_assert_uint_eq(got.appendix_n, lengths[i]);
		ck_assert_int_eq(memcmp(appendix, got_appendix, lengths[i]), 0);
		ck_assert_int_ge(fds[0], 0);
		close(fds[0]);
		ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
		ck_assert_int_eq(got.type, CHANNEL_PING);
	}
}
END_TEST

START_TEST(test_appendix_too_long_is_refused_by_both_ends)
{
	struct channel_message m = { .type = CHANNEL_JOB, .appendix_n = CHANNEL_APPENDIX_MAX + 1 }, got;
	static uint8_t raw[sizeof(m) + CHANNEL_APPENDIX_MAX + 1];
	int fds[CHANNEL_FDS_MAX];

	make_pair();
	ck_assert_int_eq(channel_send_with(pair[0], &m, appendix, NULL, 0), -EINVAL);
	memcpy(raw, &m, sizeof(m));
	send_raw(raw, sizeof(raw), 1);
	ck_assert_int_eq(channel_peek(pair[1], &got), -EBADMSG);
	ck_assert_int_eq(channel_recv_with(pair[1], &got, got_appendix, fds), -EBADMSG);
	ck_assert_int_eq(fds[0], -1);
}
END_TEST

START_TEST(test_appendix_of_another_length_than_said_is_refused)
{
	static const size_t lengths[] = { 0, 7, 9 };
	struct channel_message m = { .type = CHANNEL_JOB, .appendix_n = 8 }, got;
	static uint8_t raw[sizeof(m) + 9];
	int fds[CHANNEL_FDS_MAX];

	make_pair();
	memcpy(raw, &m, sizeof(m));
	for (size_t i = 0; i < 3; i++) {
		send_raw(raw, sizeof(m) + lengths[i], 1);
		ck_assert_int_eq(channel_recv_with(pair[1], &got, got_appendix, fds), -EBADMSG);
		ck_assert_int_eq(fds[0], -1);
	}
}
END_TEST

START_TEST(test_who_expects_no_appendix_takes_none)
{
	const struct channel_message m = { .type = CHANNEL_JOB, .appendix_n = 8 }, next = { .type = CHANNEL_PING };
	struct channel_message got;
	int fds[CHANNEL_FDS_MAX], zero[] = { 0 };
	size_t before;

	make_pair();
	before = open_descriptors();
	ck_assert_int_eq(channel_send(pair[0], &m, NULL, 0), -EINVAL);
	ck_assert_int_eq(channel_send_with(pair[0], &m, appendix, zero, 1), 0);
	ck_assert_int_eq(channel_send(pair[0], &next, NULL, 0), 0);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), -EBADMSG);
	ck_assert_uint_eq(open_descriptors(), before);
	ck_assert_int_eq(channel_recv(pair[1], &got, fds), 1);
	ck_assert_int_eq(got.type, CHANNEL_PING);
}
END_TEST

/* By one that may be anything: so what it gets is for whoever asked to let go of, and what is too much nobody gets. */
START_TEST(test_who_trusts_nobody_opens_one_descriptor_or_none)
{
	const struct channel_message m = { .type = CHANNEL_READY };
	struct channel_message got;
	const int zero[] = { 0, 0 };
	size_t before;
	int fd;

	make_pair();
	before = open_descriptors();
	ck_assert_int_eq(channel_recv_one(pair[1], &got, &fd), -EAGAIN);
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(channel_send(pair[0], &m, zero, 1), 0);
	ck_assert_int_eq(channel_recv_one(pair[1], &got, &fd), 1);
	ck_assert(got.type == CHANNEL_READY && fd >= 0 && close(fd) == 0);
	for (size_t n = 0; n <= 6; n++) {
		send_raw(&m, n == 6 ? 5 : sizeof(m), n);
		ck_assert_int_eq(channel_recv_one(pair[1], &got, &fd), n <= 1 ? 1 : -EBADMSG);
		ck_assert_uint_eq(open_descriptors(), before + (n > 0));
		ck_assert(fd < 0 || close(fd) == 0);
		send_raw(&m, sizeof(m), n);
		ck_assert_int_eq(channel_recv_one(pair[1], &got, NULL), n == 0 ? 1 : -EBADMSG);
		ck_assert_uint_eq(open_descriptors(), before);
	}
	close(pair[0]);
	ck_assert_int_eq(channel_recv_one(pair[1], &got, NULL), 0);
}
END_TEST

HARNESS("channel", test_message_arrives_as_it_was_sent_with_its_descriptors,
    test_message_without_descriptors_brings_none, test_nothing_yet_and_nothing_any_more_are_told_apart,
    test_full_channel_says_so, test_message_of_another_size_is_refused_and_the_next_received,
    test_one_descriptor_too_many_is_refused_and_none_is_left_open,
    test_peek_shows_the_message_and_opens_none_of_its_descriptors, test_peek_refuses_what_receiving_would_refuse,
    test_dropped_message_is_gone_with_its_descriptors, test_payload_longer_than_its_place_is_refused_by_both_ends,
    test_appendix_arrives_with_its_message_and_descriptors, test_appendix_too_long_is_refused_by_both_ends,
    test_appendix_of_another_length_than_said_is_refused, test_who_expects_no_appendix_takes_none,
    test_who_trusts_nobody_opens_one_descriptor_or_none)
