/* The golden table: the exported program, run by an interpreter of our own for every call number and many argument
 * vectors, allows exactly what the list below says.  The list is written apart from the filter's, in plain numbers
 * where an ABI fixes them, so that a change in either shows. */
#include <elf.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "filter.h"
#include "harness.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- classic BPF, as far as seccomp filters use it (kernel: Documentation/networking/filter.rst) ---- */

static uint32_t load_word(const struct seccomp_data *data, uint32_t at)
{
	uint32_t word;

	/* not ck_assert: it makes a system call each time, and this runs a hundred million times */
	if (at > sizeof(*data) - sizeof(word))
		ck_abort_msg("a load at %u", at);
	memcpy(&word, (const char *)data + at, sizeof(word));
	return word;
}

static uint32_t jump(const struct sock_filter *f, uint32_t a)
{
	switch (f->code) {
	case BPF_JMP | BPF_JA: return f->k;
	case BPF_JMP | BPF_JEQ | BPF_K: return a == f->k ? f->jt : f->jf;
	case BPF_JMP | BPF_JGT | BPF_K: return a > f->k ? f->jt : f->jf;
	case BPF_JMP | BPF_JGE | BPF_K: return a >= f->k ? f->jt : f->jf;
	case BPF_JMP | BPF_JSET | BPF_K: return (a & f->k) != 0 ? f->jt : f->jf;
	default: ck_abort_msg("instruction %x", f->code);
	}
	return 0;
}

static uint32_t evaluate(const struct filter *p, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < p->n; pc++) {
		const struct sock_filter *f = &p->insns[pc];

		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS: a = load_word(data, f->k); break;
		case BPF_ALU | BPF_AND | BPF_K: a &= f->k; break;
		case BPF_RET | BPF_K: return f->k;
		default: pc += jump(f, a); break;
		}
	}
	ck_abort_msg("the program has no end");
	return 0;
}

/* ---- what it must say ---- */

struct condition {
	unsigned arg;
	uint64_t mask, value;
};

static const struct golden {
	const char *call;
	struct condition conditions[2];
} golden[] = {
	{ "pread64", { { 0, 0xffffffff, 3 } } },
	{ "pread64", { { 0, 0xffffffff, 5 } } },
	{ "write", { { 0, 0xffffffff, 4 } } },
	{ "read", { { 0, 0xffffffff, 4 } } },
	{ "mmap", { { 2, 0xfffffffffffffffc, 0 }, { 3, 0xffffffffffffbfff, 0x22 } } },
	{ "munmap", { { 0 } } },
	{ "mremap", { { 3, 0xfffffffffffffffe, 0 } } },
	{ "brk", { { 0 } } },
	{ "madvise", { { 2, 0xffffffff, 4 } } },
	{ "futex", { { 1, 0xfffffffe, 0x80 } } },
	{ "clock_gettime", { { 0, 0xfffffffe, 0 } } },
	{ "exit", { { 0 } } },
	{ "exit_group", { { 0 } } },
};

/* Values around every constant above, and those that differ from one only where the kernel does not look. */
static const uint64_t arg0[] = { 0, 1, 2, 3, 4, 5, 6, 7, 0x80, UINT32_MAX, 0x100000003, 0x100000004, UINT64_MAX };
static const uint64_t arg1[] = { 0, 1, 2, 0x80, 0x81, 0x82, 0x89, 0x180, 0x100000080, UINT64_MAX };
static const uint64_t arg2[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 0x1000001, 0x100000004, 0x100000000, UINT64_MAX };
static const uint64_t arg3[] = { 0, 1, 2, 3, 0x20, 0x21, 0x22, 0x23, 0x32, 0x4022, 0x8022, 0x40022, 0x100022,
	0x100000022, 0x100000000, UINT64_MAX };

static int numbers[COUNT(golden)];

static bool golden_allows(int nr, const struct seccomp_data *data)
{
	for (size_t i = 0; i < COUNT(golden); i++) {
		bool holds = numbers[i] == nr;

		for (size_t c = 0; c < COUNT(golden[i].conditions) && holds; c++)
			holds = (data->args[golden[i].conditions[c].arg] & golden[i].conditions[c].mask) ==
				golden[i].conditions[c].value;
		if (holds)
			return true;
	}
	return false;
}

static struct filter compiled(void)
{
	struct filter f;

	ck_assert_int_eq(filter_compile(&f), 0);
	for (size_t i = 0; i < COUNT(golden); i++) {
		numbers[i] = seccomp_syscall_resolve_name(golden[i].call);
		ck_assert_int_ge(numbers[i], 0);
	}
	return f;
}

static void compare(const struct filter *f, const struct seccomp_data *data, size_t *n_allowed)
{
	const uint32_t expected =
	    golden_allows(data->nr, data) ? SECCOMP_RET_ALLOW : (uint32_t)SECCOMP_RET_KILL_PROCESS;
	const uint32_t got = evaluate(f, data);

	if (got != expected)
		ck_abort_msg("call %d(%llx, %llx, %llx, %llx): %x, not %x", data->nr, (unsigned long long)data->args[0],
		    (unsigned long long)data->args[1], (unsigned long long)data->args[2],
		    (unsigned long long)data->args[3], got, expected);
	*n_allowed += got == SECCOMP_RET_ALLOW;
}

static void compare_vectors(const struct filter *f, int nr, size_t *n_allowed)
{
	struct seccomp_data data = { .nr = nr, .arch = seccomp_arch_native() };

	for (size_t a = 0; a < COUNT(arg0); a++)
		for (size_t b = 0; b < COUNT(arg1); b++)
			for (size_t c = 0; c < COUNT(arg2); c++)
				for (size_t d = 0; d < COUNT(arg3); d++) {
					const uint64_t other = (a + d) % 2 == 0 ? 0 : UINT64_MAX;

					data.args[0] = arg0[a];
					data.args[1] = arg1[b];
					data.args[2] = arg2[c];
					data.args[3] = arg3[d];
					data.args[4] = data.args[5] = data.instruction_pointer = other;
					compare(f, &data, n_allowed);
				}
}

START_TEST(test_exactly_twelve_calls_are_allowed_with_exactly_these_arguments)
{
	const struct filter f = compiled();
	size_t n_calls = 0;

	for (int nr = 0; nr < 1024; nr++) {
		size_t n_allowed = 0;

		compare_vectors(&f, nr, &n_allowed);
		n_calls += n_allowed > 0;
	}
	ck_assert_uint_eq(n_calls, 12);
}
END_TEST

/* The calls, and the arguments of each, that one filter allows and the other does not. */
START_TEST(test_who_converts_has_one_call_more_and_only_on_its_output)
{
	const struct filter f = compiled();
	const int pwrite64 = seccomp_syscall_resolve_name("pwrite64");
	struct filter made;
	size_t n_allowed = 0;

	ck_assert_int_eq(filter_compile_made(&made), 0);
	for (int nr = 0; nr < 1024; nr++) {
		for (size_t a = 0; a < COUNT(arg0); a++)
			for (size_t b = 0; b < COUNT(arg1); b++)
				for (size_t c = 0; c < COUNT(arg2); c++) {
					const struct seccomp_data data = { .nr = nr,
						.arch = seccomp_arch_native(),
						.args = {
						    arg0[a], arg1[b], arg2[c], arg3[(a + b + c) % COUNT(arg3)] } };
					bool more = evaluate(&made, &data) != evaluate(&f, &data);

					ck_assert_msg(
					    more == (nr == pwrite64 && (uint32_t)arg0[a] == 5), "call %d", nr);
					n_allowed += more;
				}
	}
	ck_assert_uint_eq(n_allowed, COUNT(arg1) * COUNT(arg2));
}
END_TEST

START_TEST(test_numbers_beyond_the_table_are_killed)
{
	static const int far[] = { 1024, 4096, 0x3fffffff, 0x7fffffff, -1, -2 };
	const struct filter f = compiled();

	for (size_t i = 0; i < COUNT(far); i++) {
		const struct seccomp_data data = { .nr = far[i], .arch = seccomp_arch_native() };

		ck_assert_uint_eq(evaluate(&f, &data), (uint32_t)SECCOMP_RET_KILL_PROCESS);
	}
}
END_TEST

START_TEST(test_every_call_of_another_architecture_kills_the_process)
{
	static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_X86_64, AUDIT_ARCH_ARM, AUDIT_ARCH_AARCH64,
		AUDIT_ARCH_S390X, 0, UINT32_MAX };
	const struct filter f = compiled();

	for (size_t i = 0; i < COUNT(others); i++)
		for (int nr = 0; nr < 1024 && others[i] != seccomp_arch_native(); nr++) {
			const struct seccomp_data data = { .nr = nr, .arch = others[i], .args = { 3, 0x80, 4, 0x22 } };

			if (evaluate(&f, &data) != (uint32_t)SECCOMP_RET_KILL_PROCESS)
				ck_abort_msg("architecture %x, call %d", others[i], nr);
		}
}
END_TEST

#ifdef __x86_64__
START_TEST(test_every_x32_call_kills_the_process)
{
	const struct filter f = compiled();

	for (int nr = 0; nr < 1024; nr++) {
		const struct seccomp_data data = {
			.nr = nr | 0x40000000, .arch = AUDIT_ARCH_X86_64, .args = { 3, 0x80, 4, 0x22 }
		};

		ck_assert_uint_eq(evaluate(&f, &data), (uint32_t)SECCOMP_RET_KILL_PROCESS);
	}
}
END_TEST
#else
#define test_every_x32_call_kills_the_process test_numbers_beyond_the_table_are_killed
#endif

/* ---- the zygote's ---- */

static const char *const zygote_calls[] = { "close_range", "getrandom", "kill", "prlimit64", "pwrite64",
	"rt_sigprocmask", "seccomp", "setitimer", "signalfd4" };

static const char *const digester_calls[] = { "clone", "close", "exit", "exit_group", "fadvise64", "fcntl", "ftruncate",
	"getpid", "getppid", "memfd_create", "mmap", "munmap", "poll", "ppoll", "prctl", "pread64", "read", "recvmsg",
	"restart_syscall", "sendmsg", "sendto", "set_robust_list", "setsockopt", "socketpair", "wait4" };

static bool is_among(int nr, const char *const *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_syscall_resolve_name(calls[i]) == nr)
			return true;
	return false;
}

static bool is_zygote_call(int nr)
{
	if (is_among(nr, zygote_calls, COUNT(zygote_calls)) || is_among(nr, digester_calls, COUNT(digester_calls)))
		return true;
	for (size_t i = 0; i < COUNT(golden); i++)
		if (numbers[i] == nr)
			return true;
	return false;
}

static bool is_digester_call(int nr)
{
	return is_among(nr, digester_calls, COUNT(digester_calls));
}

static void dies_but_of(const struct filter *f, bool (*may)(int nr))
{
	for (int nr = 0; nr < 1024; nr++) {
		for (size_t a = 0; a < COUNT(arg0) && !may(nr); a++)
			for (size_t b = 0; b < COUNT(arg1); b++) {
				const struct seccomp_data data = { .nr = nr,
					.arch = seccomp_arch_native(),
					.args = { arg0[a], arg1[b], arg0[b], arg1[a % COUNT(arg1)] } };

				if (evaluate(f, &data) != (uint32_t)SECCOMP_RET_KILL_PROCESS)
					ck_abort_msg("call %d", nr);
			}
	}
}

START_TEST(test_zygote_may_nothing_but_its_list_and_what_workers_and_digesters_may)
{
	struct filter f = compiled();

	ck_assert_int_eq(filter_compile_zygote(&f), 0);
	dies_but_of(&f, is_zygote_call);
}
END_TEST

START_TEST(test_digester_may_nothing_but_its_list)
{
	struct filter f;

	ck_assert_int_eq(filter_compile_digester(&f), 0);
	dies_but_of(&f, is_digester_call);
}
END_TEST

struct pinned {
	const char *call;
	uint64_t args[5];
	bool allowed;
};

static void check_pinned(const struct filter *f, const struct pinned *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct seccomp_data data = { .nr = seccomp_syscall_resolve_name(rows[i].call),
			.arch = seccomp_arch_native(),
			.args = {
			    rows[i].args[0], rows[i].args[1], rows[i].args[2], rows[i].args[3], rows[i].args[4] } };
		const bool allowed = evaluate(f, &data) == SECCOMP_RET_ALLOW;

		ck_assert_msg(allowed == rows[i].allowed, "row %zu: %s", i, rows[i].call);
	}
}

START_TEST(test_digester_arguments_are_pinned)
{
	static const struct pinned rows[] = {
		{ "recvmsg", { 3 }, true },
		{ "recvmsg", { 6 }, false },
		{ "sendmsg", { 3 }, true },
		{ "sendmsg", { 4 }, false },
		{ "fcntl", { 5, 1033 }, true }, /* F_ADD_SEALS */
		{ "fcntl", { 5, 4 }, false },
		{ "mmap", { 0, 0, 1, 1 }, true }, /* shared, and never executable */
		{ "mmap", { 0, 0, 3, 1 }, true },
		{ "mmap", { 0, 0, 5, 1 }, false },
		{ "mmap", { 0, 0, 3, 2 }, false },
		{ "mmap", { 0, 0, 3, 0x11 }, false },
		{ "sendto", { 5, 0, 8, 0, 0 }, true },
		{ "sendto", { 5, 0, 8, 0, 1 }, false }, /* to an address */
		{ "setsockopt", { 5, 1, 7 }, true },    /* SO_SNDBUF */
		{ "setsockopt", { 5, 1, 8 }, false },
		{ "setsockopt", { 5, 6, 7 }, false },
		{ "socketpair", { 1, 0x80001 }, true },
		{ "socketpair", { 1, 0x80002 }, false }, /* of datagrams */
		{ "socketpair", { 2, 0x80001 }, false },
		{ "clone", { 0x01200011 }, true },
		{ "clone", { 0x11200011 }, false },
		{ "prctl", { 1, 9 }, true },
		{ "prctl", { 4, 1 }, false },
		{ "write", { 4 }, false },
		{ "kill", { 1, 9 }, false },
	};
	struct filter f;

	ck_assert_int_eq(filter_compile_digester(&f), 0);
	check_pinned(&f, rows, COUNT(rows));
}
END_TEST

START_TEST(test_zygote_arguments_are_pinned)
{
	static const struct pinned rows[] = {
		{ "clone", { 0x01200011 }, true },  /* what libc's fork says */
		{ "clone", { 0x11 }, false },       /* SIGCHLD alone */
		{ "clone", { 0x11200011 }, false }, /* CLONE_NEWUSER */
		{ "clone", { 0x01210f11 }, false }, /* CLONE_THREAD and company */
		{ "kill", { 1, 9 }, true },
		{ "kill", { 1, 10 }, true }, /* SIGUSR1 */
		{ "kill", { 1, 15 }, false },
		{ "kill", { 2, 9 }, true },
		{ "kill", { 0x200000, 10 }, true },
		{ "kill", { 0x3fffff, 9 }, true },
		{ "kill", { UINT64_C(0xffffffff00000001), 9 }, true },
		{ "kill", { 0, 9 }, false }, /* the whole group */
		{ "kill", { 0, 10 }, false },
		{ "kill", { UINT64_C(0x100000000), 9 }, false },
		{ "kill", { 0x400000, 9 }, false }, /* no process has such a number */
		{ "kill", { 0x7fffffff, 9 }, false },
		{ "kill", { 0x80000000, 9 }, false },
		{ "kill", { 0xffffffff, 9 }, false },
		{ "kill", { 0x80000000, 10 }, false },
		{ "kill", { 0xffffffff, 10 }, false },
		{ "sendmsg", { 6 }, true },
		{ "sendmsg", { 4 }, false },
		{ "recvmsg", { 6 }, true },
		{ "recvmsg", { 3 }, true }, /* a digester's channel */
		{ "recvmsg", { 4 }, false },
		{ "close_range", { 0, 2, 0 }, true },
		{ "close_range", { 0, 2, 2 }, false }, /* CLOSE_RANGE_UNSHARE */
		{ "prctl", { 1, 9 }, true },           /* PR_SET_PDEATHSIG */
		{ "prctl", { 1, 0 }, false },
		{ "prctl", { 4, 0 }, true }, /* PR_SET_DUMPABLE */
		{ "prctl", { 4, 1 }, false },
		{ "prctl", { 38, 1 }, true },  /* PR_SET_NO_NEW_PRIVS */
		{ "prctl", { 22, 1 }, false }, /* PR_SET_SECCOMP */
		{ "prlimit64", { 0 }, true },
		{ "prlimit64", { 1 }, false },
		{ "pwrite64", { 5 }, true }, /* of a worker that converts, whose filter lies above */
		{ "pwrite64", { 3 }, false },
		{ "pwrite64", { 4 }, false },
		{ "setitimer", { 0 }, true },
		{ "setitimer", { 1 }, false },
		{ "seccomp", { 1, 0 }, true },
		{ "seccomp", { 1, 8 }, false }, /* SECCOMP_FILTER_FLAG_NEW_LISTENER */
		{ "seccomp", { 0, 0 }, false },
	};
	struct filter f;

	ck_assert_int_eq(filter_compile_zygote(&f), 0);
	check_pinned(&f, rows, COUNT(rows));
}
END_TEST

HARNESS("filter", test_exactly_twelve_calls_are_allowed_with_exactly_these_arguments,
    test_who_converts_has_one_call_more_and_only_on_its_output, test_numbers_beyond_the_table_are_killed,
    test_every_call_of_another_architecture_kills_the_process, test_every_x32_call_kills_the_process,
    test_zygote_may_nothing_but_its_list_and_what_workers_and_digesters_may, test_digester_may_nothing_but_its_list,
    test_digester_arguments_are_pinned, test_zygote_arguments_are_pinned)
