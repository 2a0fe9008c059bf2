/* A scan's life: every phase with every event, and what holds on every way through them. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "scan_phase.h"

#define REFUSALS (SCAN_DO_REFUSE_STUCK | SCAN_DO_REFUSE_UNMADE | SCAN_DO_REFUSE_STORAGE)
#define ANSWERS (SCAN_DO_ANSWER | REFUSALS)

static const struct scan_facts wanted = { .wanted = true };

static struct scan_facts facts_of(unsigned bits)
{
	return (struct scan_facts){ .wanted = bits & 1, .paced = bits & 2, .retried = bits & 4, .too_many = bits & 8 };
}

#define FOR_ALL(phase, event, facts)                                     \
	for (unsigned phase = 0; phase < SCAN_N_PHASES; phase++)         \
		for (unsigned event = 0; event < SCAN_N_EVENTS; event++) \
			for (unsigned facts = 0; facts < 16; facts++)

static struct scan_step step_of(unsigned phase, unsigned event, unsigned facts)
{
	return scan_step((enum scan_phase)phase, (enum scan_event)event, facts_of(facts));
}

/* ---- the table ---- */

#define ____ SCAN_N_PHASES
#define ADMT SCAN_ADMITTED
#define HELD SCAN_HELD
#define QUEU SCAN_QUEUED
#define STUC SCAN_STUCK
#define FOLL SCAN_FOLLOWING
#define EARL SCAN_EARLY
#define WORK SCAN_WORKING
#define KILL SCAN_KILLING
#define WITH SCAN_WITHDRAWING
#define JUDG SCAN_JUDGED
#define LOSI SCAN_LOSING
#define RECO SCAN_RECORDING
#define LOST SCAN_LOST
#define LORE SCAN_LOST_RECORDING
#define GONE SCAN_GONE

/* clang-format off */
/* Where it leads for a scan that somebody wants; ____: nowhere, for it cannot happen. */
static const enum scan_phase leads_to[SCAN_N_PHASES][SCAN_N_EVENTS] = {
	/*                       BODY  FOLLOWD SLOT NO_SLOT TIMER OVER PIPE_H UNMADE ZY_GON BAD  SLOW FORGET TOLD WAIT RECORDED */
	[SCAN_ADMITTED] =       { QUEU, FOLL, ____, ____, ____, ____, ____, ____, ____, ____, ____, ADMT, ____, ____, ____ },
	[SCAN_HELD] =           { ____, ____, ____, ____, QUEU, ____, ____, ____, ____, ____, ____, HELD, ____, ____, ____ },
	[SCAN_QUEUED] =         { ____, ____, WORK, STUC, ____, ____, ____, HELD, ____, ____, ____, QUEU, ____, ____, ____ },
	[SCAN_STUCK] =          { ____, ____, ____, ____, GONE, ____, ____, ____, ____, ____, ____, STUC, ____, ____, ____ },
	[SCAN_FOLLOWING] =      { EARL, ____, ____, ____, WITH, ADMT, ADMT, ADMT, ADMT, WITH, WITH, FOLL, ____, ____, ____ },
	[SCAN_EARLY] =          { ____, ____, ____, ____, WITH, JUDG, JUDG, QUEU, QUEU, KILL, ____, EARL, ____, ____, ____ },
	[SCAN_WORKING] =        { ____, ____, ____, ____, KILL, JUDG, JUDG, QUEU, QUEU, KILL, ____, WORK, ____, ____, ____ },
	[SCAN_KILLING] =        { ____, ____, ____, ____, LOSI, JUDG, JUDG, JUDG, JUDG, KILL, ____, KILL, ____, ____, ____ },
	[SCAN_WITHDRAWING] =    { WITH, ____, ____, ____, LOST, ADMT, ADMT, ADMT, ADMT, WITH, WITH, WITH, ____, ____, ____ },
	[SCAN_JUDGED] =         { ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, JUDG, GONE, RECO, ____ },
	[SCAN_LOSING] =         { ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, LOSI, LOST, LORE, ____ },
	[SCAN_RECORDING] =      { ____, ____, ____, ____, RECO, ____, ____, ____, ____, ____, ____, RECO, ____, ____, GONE },
	[SCAN_LOST] =           { ____, ____, ____, ____, LOST, GONE, ____, ____, GONE, ____, ____, LOST, ____, ____, ____ },
	[SCAN_LOST_RECORDING] = { ____, ____, ____, ____, LORE, RECO, ____, ____, RECO, ____, ____, LORE, ____, ____, LOST },
	[SCAN_GONE] =           { ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____, ____ },
};
/* clang-format on */

START_TEST(test_every_pair_leads_where_the_table_says)
{
	FOR_ALL(phase, event, facts)
	{
		const struct scan_step s = scan_step((enum scan_phase)phase, (enum scan_event)event, wanted);
		const char *p = scan_phase_text((enum scan_phase)phase), *e = scan_event_text((enum scan_event)event);

		(void)facts;
		if (leads_to[phase][event] == ____)
			ck_assert_msg(s.impossible, "%s, %s", p, e);
		else
			ck_assert_msg(!s.impossible && s.phase == leads_to[phase][event], "%s, %s: %s", p, e,
			    scan_phase_text(s.phase));
	}
}
END_TEST

/* What depends on more than phase and event: all of it. */
static bool is_exception(enum scan_phase p, enum scan_event e, unsigned bits, enum scan_phase *ret)
{
	const struct scan_facts f = facts_of(bits);
	bool has_file = p == SCAN_EARLY || p == SCAN_WORKING;

	if (p == SCAN_ADMITTED && e == SCAN_EV_BODY && f.paced)
		*ret = SCAN_HELD;
	else if (p <= SCAN_STUCK && e == SCAN_EV_FORGET && !f.wanted)
		*ret = SCAN_GONE;
	else if (has_file && e == SCAN_EV_FORGET && !f.wanted)
		*ret = SCAN_KILLING;
	else if (p == SCAN_FOLLOWING && e == SCAN_EV_FORGET && !f.wanted)
		*ret = SCAN_WITHDRAWING;
	else if (leads_to[p][e] == SCAN_ADMITTED && e != SCAN_EV_FORGET && !f.wanted)
		*ret = SCAN_GONE;
	else if (has_file && e == SCAN_EV_UNMADE && f.too_many)
		*ret = SCAN_GONE;
	else if (p == SCAN_HELD && e == SCAN_EV_TIMER && f.too_many)
		*ret = SCAN_GONE;
	else if (has_file && e == SCAN_EV_ZYGOTE_GONE && f.retried)
		*ret = SCAN_JUDGED;
	else
		return false;
	return true;
}

START_TEST(test_facts_make_a_difference_only_where_they_should)
{
	FOR_ALL(phase, event, facts)
	{
		enum scan_phase next = leads_to[phase][event];
		const struct scan_step s = step_of(phase, event, facts);

		if (next != ____)
			(void)is_exception((enum scan_phase)phase, (enum scan_event)event, facts, &next);
		ck_assert_msg(s.impossible ? next == ____ : s.phase == next, "%s, %s, facts %u",
		    scan_phase_text((enum scan_phase)phase), scan_event_text((enum scan_event)event), facts);
	}
}
END_TEST

START_TEST(test_what_cannot_happen_changes_nothing)
{
	FOR_ALL(phase, event, facts)
	{
		const struct scan_step s = step_of(phase, event, facts);

		ck_assert(!s.impossible || (s.phase == (enum scan_phase)phase && s.actions == 0));
	}
}
END_TEST

/* ---- what is done ---- */

START_TEST(test_it_is_freed_when_it_is_gone_and_never_else)
{
	FOR_ALL(phase, event, facts)
	{
		const struct scan_step s = step_of(phase, event, facts);

		ck_assert(s.impossible || (s.phase == SCAN_GONE) == !!(s.actions & SCAN_DO_FREE));
	}
}
END_TEST

START_TEST(test_a_worker_is_killed_once_and_only_if_there_is_one)
{
	FOR_ALL(phase, event, facts)
	{
		const struct scan_step s = step_of(phase, event, facts);
		bool was_killed = phase == SCAN_KILLING || phase == SCAN_WITHDRAWING;
		bool is_killed = s.phase == SCAN_KILLING || s.phase == SCAN_WITHDRAWING;

		ck_assert(s.impossible || (is_killed && !was_killed) == !!(s.actions & SCAN_DO_KILL));
		ck_assert(!(s.actions & SCAN_DO_KILL) || scan_phase_has_worker((enum scan_phase)phase));
	}
}
END_TEST

START_TEST(test_a_slot_is_lost_and_found_in_pairs)
{
	FOR_ALL(phase, event, facts)
	{
		const struct scan_step s = step_of(phase, event, facts);
		bool was_lost = phase == SCAN_LOSING || phase == SCAN_LOST || phase == SCAN_LOST_RECORDING;
		bool is_lost = s.phase == SCAN_LOSING || s.phase == SCAN_LOST || s.phase == SCAN_LOST_RECORDING;

		ck_assert(s.impossible || (is_lost && !was_lost) == !!(s.actions & SCAN_DO_LOSE));
		ck_assert(s.impossible || (was_lost && !is_lost) == !!(s.actions & SCAN_DO_FIND));
	}
}
END_TEST

/* The answer of a scan with a worker is made before anything that could free what it is made of. */
START_TEST(test_what_is_answered_is_followed_by_nothing_else)
{
	FOR_ALL(phase, event, facts)
	{
		const struct scan_step s = step_of(phase, event, facts);

		if (s.actions & SCAN_DO_ANSWER)
			ck_assert_uint_eq(s.actions & ~(unsigned)(SCAN_DO_ANSWER | SCAN_DO_LOSE | SCAN_DO_BLAME_PIPE |
								  SCAN_DO_BLAME_ZYGOTE),
			    0);
		ck_assert(!(s.actions & SCAN_DO_ANSWER) || s.phase == SCAN_JUDGED || s.phase == SCAN_LOSING);
	}
}
END_TEST

/* What an early worker said before all bytes were here counts for nothing, nor what a withdrawn one says. */
START_TEST(test_no_answer_comes_from_a_worker_that_counts_for_nothing)
{
	FOR_ALL(phase, event, facts)
	{
		const struct scan_step s = step_of(phase, event, facts);

		if (phase == SCAN_FOLLOWING || phase == SCAN_WITHDRAWING)
			ck_assert(!(s.actions & SCAN_DO_ANSWER));
	}
}
END_TEST

/* ---- every way ---- */

enum told { UNTOLD, TOLD, TOLD_WHEN_RECORDED, N_TOLD };

static bool seen[SCAN_N_PHASES][N_TOLD];

static enum told told_after(enum told before, unsigned event, const struct scan_step *s)
{
	if (event == SCAN_EV_TOLD || (s->actions & (REFUSALS | SCAN_DO_TELL_RECORDED))) {
		ck_assert(before != TOLD);
		return TOLD;
	}
	if (event == SCAN_EV_WAIT) {
		ck_assert(before == UNTOLD);
		return TOLD_WHEN_RECORDED;
	}
	return before;
}

static void walk(unsigned phase, enum told told)
{
	if (seen[phase][told])
		return;
	seen[phase][told] = true;
	for (unsigned event = 0; event < SCAN_N_EVENTS; event++) {
		for (unsigned facts = 0; facts < 16; facts++) {
			const struct scan_step s = step_of(phase, event, facts);
			enum told next = s.impossible ? told : told_after(told, event, &s);

			if (s.impossible)
				continue;
			/* Only who nobody wants leaves without an answer. */
			ck_assert(s.phase != SCAN_GONE || next == TOLD || !facts_of(facts).wanted);
			ck_assert(!(s.actions & ANSWERS) || told == UNTOLD);
			walk(s.phase, next);
		}
	}
}

START_TEST(test_on_every_way_it_is_answered_once)
{
	walk(SCAN_ADMITTED, UNTOLD);
	for (unsigned p = 0; p < SCAN_N_PHASES; p++)
		ck_assert_msg(seen[p][UNTOLD] || seen[p][TOLD] || seen[p][TOLD_WHEN_RECORDED], "no way leads to %s",
		    scan_phase_text((enum scan_phase)p));
	ck_assert(!seen[SCAN_LOST][UNTOLD] && !seen[SCAN_RECORDING][UNTOLD]);
}
END_TEST

static bool ends[SCAN_N_PHASES];

START_TEST(test_from_every_phase_a_way_leads_to_the_end)
{
	bool more = true;

	ends[SCAN_GONE] = true;
	while (more) {
		more = false;
		FOR_ALL(phase, event, facts)
		{
			const struct scan_step s = step_of(phase, event, facts);

			if (ends[phase] || s.impossible || !ends[s.phase])
				continue;
			ends[phase] = more = true;
		}
	}
	for (unsigned p = 0; p < SCAN_N_PHASES; p++)
		ck_assert_msg(ends[p], "%s", scan_phase_text((enum scan_phase)p));
}
END_TEST

HARNESS("scan_phase", test_every_pair_leads_where_the_table_says, test_facts_make_a_difference_only_where_they_should,
    test_what_cannot_happen_changes_nothing, test_it_is_freed_when_it_is_gone_and_never_else,
    test_a_worker_is_killed_once_and_only_if_there_is_one, test_a_slot_is_lost_and_found_in_pairs,
    test_what_is_answered_is_followed_by_nothing_else, test_no_answer_comes_from_a_worker_that_counts_for_nothing,
    test_on_every_way_it_is_answered_once, test_from_every_phase_a_way_leads_to_the_end)
