/* The tokenizer of XML, against texts written by hand: each goes through it whole and in pieces of every size, and what it
 * tells must be the same. */
#include <stdarg.h>
#include <stdio.h>

#include "arena.h"
#include "harness.h"
#include "part.h"
#include "xml.h"

struct told {
	char at[1 << 16];
	size_t n;
	bool text_open; /* pieces of one text are one to whoever reads them */
};

static void say(struct told *t, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	t->n += (size_t)vsnprintf(t->at + t->n, sizeof(t->at) - t->n, format, list);
	if (t->n >= sizeof(t->at))
		t->n = sizeof(t->at) - 1;
	va_end(list);
	t->text_open = false;
}

static void say_bytes(struct told *t, struct bytes b)
{
	say(t, "%.*s", (int)b.n, (const char *)b.at);
}

static bool note_open(void *ctx, const struct xml_tag *tag)
{
	struct told *t = ctx;

	say(t, "<");
	say_bytes(t, tag->name);
	say(t, "@%u:%u", (unsigned)tag->offset, tag->depth);
	for (unsigned i = 0; i < tag->n_attributes; i++) {
		say(t, " ");
		say_bytes(t, tag->attributes[i].name);
		say(t, "@%u=", (unsigned)tag->attributes[i].offset);
		say_bytes(t, tag->attributes[i].value);
	}
	say(t, ">");
	return true;
}

static bool note_close(void *ctx, unsigned depth, uint64_t offset)
{
	(void)offset;
	say(ctx, "/%u>", depth);
	return true;
}

static bool note_text(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata)
{
	struct told *t = ctx;
	bool open = t->text_open;

	(void)offset;
	if (!open)
		say(t, cdata ? "cdata:" : "text:");
	say_bytes(t, bytes_of(at, n));
	t->text_open = true;
	return true;
}

static bool note_doctype(void *ctx, const struct xml_doctype *d)
{
	say(ctx, "doctype@%u", (unsigned)d->offset);
	say_bytes(ctx, d->text);
	say(ctx, "%s%s;", d->subset ? "+subset" : "", d->entity ? "+entity" : "");
	return true;
}

static bool note_instruction(void *ctx, struct bytes target, uint64_t offset)
{
	say(ctx, "?");
	say_bytes(ctx, target);
	say(ctx, "@%u;", (unsigned)offset);
	return true;
}

static void note_error(void *ctx, enum xml_error e, uint64_t offset, uint64_t found)
{
	static const char *const names[XML_N_ERRORS] = { "syntax", "encoding", "entity", "depth", "size", "duplicate",
		"mismatched", "trailing", "truncated" };

	(void)found;
	say(ctx, "!%s@%u", names[e], (unsigned)offset);
}

static bool walk(struct told *t, const char *text, size_t n, size_t piece)
{
	static struct xml_walker w;
	const struct xml_handler handler = { .ctx = t,
		.open = note_open,
		.close = note_close,
		.text = note_text,
		.doctype = note_doctype,
		.instruction = note_instruction,
		.error = note_error };
	struct arena arena;
	uint64_t wants = 0;
	bool ok;

	*t = (struct told){ .n = 0 };
	arena_init(&arena, (size_t)4 << 20);
	xml_begin(&w, &arena, &handler);
	for (size_t at = 0; at < n && wants != FEED_END; at += piece)
		wants = xml_feed(&w, (const uint8_t *)text + at, piece < n - at ? piece : n - at, at);
	ok = xml_finish(&w);
	arena_done(&arena);
	return ok;
}

static void check(const char *text, size_t n, bool want, const char *told)
{
	static struct told t;

	for (size_t piece = 1; piece <= n + 1; piece++) {
		bool ok = walk(&t, text, n, piece);

		ck_assert_msg(ok == want && strcmp(t.at, told) == 0, "%.60s, pieces of %zu: %d, %s\nwant %d, %s", text,
		    piece, ok, t.at, want, told);
	}
}
/* Texts as literals, which may hold zeros. */
#define READS(text, told) check(text, sizeof(text) - 1, true, told)
#define REFUSES(text, told) check(text, sizeof(text) - 1, false, told)

START_TEST(test_elements_and_attributes)
{
	READS("<a/>", "<a@0:0>/0>");
	READS("<a></a >", "<a@0:0>/0>");
	READS("<a b='1' c = \"2\"\n/>", "<a@0:0 b@3=1 c@9=2>/0>");
	READS("<a><b><c/></b></a>\n", "<a@0:0><b@3:1><c@6:2>/2>/1>/0>");
	READS("<a b='x\ty\nz\"'/>", "<a@0:0 b@3=x y z\">/0>");
	READS("<p:a-b.c_1 \xc3\xa9='\xc3\xa9'/>", "<p:a-b.c_1@0:0 \xc3\xa9@11=\xc3\xa9>/0>");
}
END_TEST

START_TEST(test_text_and_sections)
{
	READS("<a>b<c/>d</a>", "<a@0:0>text:b<c@4:1>/1>text:d/0>");
	READS("<a>]] > ]></a>", "<a@0:0>text:]] > ]>/0>");
	READS("<a><![CDATA[<b>]]]]></a>", "<a@0:0>cdata:<b>]]/0>");
	READS("<a><![CDATA[]]></a>", "<a@0:0>/0>");
	REFUSES("<a>]]></a>", "<a@0:0>!syntax@5");
	REFUSES("<![CDATA[]]><a/>", "!syntax@2");
	REFUSES("<a><![cdata[]]></a>", "<a@0:0>!syntax@6");
}
END_TEST

START_TEST(test_references)
{
	READS("<a b='&lt;&gt;&amp;&quot;&apos;'/>", "<a@0:0 b@3=<>&\"'>/0>");
	READS("<a>&#65;&#x42;&#x1F600;</a>", "<a@0:0>text:AB\xf0\x9f\x98\x80/0>");
	READS("<a>&#x10FFFF;</a>", "<a@0:0>text:\xf4\x8f\xbf\xbf/0>");
	REFUSES("<a>&#x110000;</a>", "<a@0:0>!syntax@12");
	REFUSES("<a>&#0;</a>", "<a@0:0>!syntax@6");
	REFUSES("<a>&#xD800;</a>", "<a@0:0>!syntax@10");
	REFUSES("<a>&#xFFFE;</a>", "<a@0:0>!syntax@10");
	REFUSES("<a>&#;</a>", "<a@0:0>!syntax@5");
	REFUSES("<a>&#x;</a>", "<a@0:0>!syntax@6");
	REFUSES("<a>&;</a>", "<a@0:0>!entity@3");
	REFUSES("<a>&LT;</a>", "<a@0:0>!entity@3");
	REFUSES("<a b='&nbsp;'/>", "!entity@6");
	REFUSES("<a>&abcdefghijk;</a>", "<a@0:0>!entity@3");
	REFUSES("<a>& b</a>", "<a@0:0>!syntax@4");
}
END_TEST

START_TEST(test_comments)
{
	READS("<!-- a - b --><a><!----><!-- > --></a><!-- c -->", "<a@14:0>/0>");
	REFUSES("<!-- a -- b --><a/>", "!syntax@9");
	REFUSES("<!-- a ---><a/>", "!syntax@9");
	REFUSES("<!--><a/>-->", "!syntax@4");
	REFUSES("<!---><a/>-->", "!syntax@5");
	REFUSES("<!- a --><a/>", "!syntax@3");
	REFUSES("<a><!-- ", "<a@0:0>!truncated@8");
}
END_TEST

START_TEST(test_the_declaration)
{
	READS("<?xml version='1.0'?><a/>", "<a@21:0>/0>");
	READS("\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"Utf-8\" standalone='no' ?>\n<a/>", "<a@59:0>/0>");
	READS("<?xml version='1.0' encoding='US-ASCII'?><a/>", "<a@41:0>/0>");
	READS("<?xml version='1.0' encoding='ISO-8859-15'?><a b='\xe9'/>", "<a@44:0 b@47=\xe9>/0>");
	REFUSES("<?xml version='1.0' encoding='ISO-8859-'?><a/>", "!encoding@20");
	REFUSES("<?xml version='1.0' encoding='UTF-16'?><a/>", "!encoding@20");
	REFUSES("<?xml version='1.1'?><a/>", "!syntax@0");
	REFUSES("<?xml encoding='utf-8'?><a/>", "!syntax@0");
	REFUSES("<?xml version='1.0' standalone='no' encoding='utf-8'?><a/>", "!syntax@0");
	REFUSES("<?xml version='1.0' standalone='maybe'?><a/>", "!syntax@0");
	REFUSES("<?xml version='1.0' a='b'?><a/>", "!syntax@0");
	REFUSES("<?xml?><a/>", "!syntax@5");
	REFUSES("<?xml version='1.0'><a/>", "!syntax@19");
	REFUSES("<?xml version='&#49;.0'?><a/>", "!syntax@15");
	REFUSES(" <?xml version='1.0'?><a/>", "!syntax@1");
	REFUSES("<?XML version='1.0'?><a/>", "!syntax@0");
	REFUSES("\xef\xbb<a/>", "!encoding@2");
}
END_TEST

START_TEST(test_instructions)
{
	READS("<?a?><b><?c d ? e?></b><?f ? ?>", "?a@0;<b@5:0>?c@8;/0>?f@23;");
	REFUSES("<?a <b>?><c/>", "?a@0;!syntax@4");
	REFUSES("<? a?><b/>", "!syntax@2");
	REFUSES("<?a", "!truncated@3");
}
END_TEST

START_TEST(test_document_types_are_told_and_not_read)
{
	READS("<!DOCTYPE a><a/>", "doctype@0 a;<a@12:0>/0>");
	READS("<!DOCTYPE a PUBLIC \">\" '<['><a/>", "doctype@0 a PUBLIC \">\" '<[';<a@28:0>/0>");
	REFUSES("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "doctype@0 a +subset+entity;");
	REFUSES("<!DOCTYPE a [<!ELEMENT a ANY>]><a/>", "doctype@0 a +subset;");
	REFUSES("<!DOCTYPE a [ %b", "doctype@0 a +subset;");
	REFUSES("<!DOCTYPE a [ ", "!truncated@14");
	READS("<!DOCTYPE a [\n]><a/>", "doctype@0 a ;<a@16:0>/0>");
	REFUSES("<!DOCTYPE a><!DOCTYPE a><a/>", "doctype@0 a;!syntax@14");
	REFUSES("<a><!DOCTYPE a></a>", "<a@0:0>!syntax@5");
	REFUSES("<!doctype a><a/>", "!syntax@2");
	REFUSES("<!DOCTYPEa><a/>", "!syntax@9");
	REFUSES("<!DOCTYPE a <b><a/>", "!syntax@12");
}
END_TEST

START_TEST(test_what_is_not_well_formed)
{
	REFUSES("", "!truncated@0");
	REFUSES(" ", "!truncated@1");
	REFUSES("x<a/>", "!syntax@0");
	REFUSES("<a", "!truncated@2");
	REFUSES("<a>", "<a@0:0>!truncated@3");
	REFUSES("<a><b></a>", "<a@0:0><b@3:1>!mismatched@6");
	REFUSES("<a></A>", "<a@0:0>!mismatched@3");
	REFUSES("<ab></a>", "<ab@0:0>!mismatched@4");
	REFUSES("<a></ab>", "<a@0:0>!mismatched@3");
	REFUSES("</a>", "!syntax@1");
	REFUSES("<a/><b/>", "<a@0:0>/0>!trailing@4");
	REFUSES("<a/>x", "<a@0:0>/0>!trailing@4");
	REFUSES("<a/></a>", "<a@0:0>/0>!syntax@5");
	REFUSES("<1/>", "!syntax@1");
	REFUSES("< a/>", "!syntax@1");
	REFUSES("<a b/>", "!syntax@4");
	REFUSES("<a b=c/>", "!syntax@5");
	REFUSES("<a b='<'/>", "!syntax@6");
	REFUSES("<a b='1'c='2'/>", "!syntax@8");
	REFUSES("<a / >", "!syntax@4");
	REFUSES("<a b='1' b='2'/>", "!duplicate@9");
	READS("<a b='1' B='2' bb='3'/>", "<a@0:0 b@3=1 B@9=2 bb@15=3>/0>");
}
END_TEST

START_TEST(test_characters)
{
	READS("<a>\t\r\n \x7f\xef\xbf\xbd\xee\x80\x80</a>", "<a@0:0>text:\t\r\n \x7f\xef\xbf\xbd\xee\x80\x80/0>");
	REFUSES("<a>\0</a>", "<a@0:0>!encoding@3");
	REFUSES("<a>\x1b</a>", "<a@0:0>!encoding@3");
	REFUSES("<a>\xef\xbf\xbe</a>", "<a@0:0>!encoding@5");
	REFUSES("<a>\xed\xa0\x80</a>", "<a@0:0>!encoding@4");
	REFUSES("<a>\xe9</a>", "<a@0:0>!encoding@4");
	REFUSES("<a>\xc0\xbc</a>", "<a@0:0>!encoding@3");
	REFUSES("<a/>\xc3", "<a@0:0>/0>!trailing@4");
}
END_TEST

/* -- limits, in pairs -- */

static char large[3 << 20];

static size_t fill(size_t at, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		at += (size_t)sprintf(large + at, "%s", text);
	return at;
}

static bool takes(size_t n, const char *error)
{
	static struct told t;
	bool ok = walk(&t, large, n, n);

	ck_assert(ok || strstr(t.at, error) != NULL);
	return ok;
}

START_TEST(test_depth_is_bounded)
{
	ck_assert(takes(fill(fill(0, "<a>", XML_DEPTH_MAX), "</a>", XML_DEPTH_MAX), ""));
	ck_assert(!takes(fill(fill(0, "<a>", XML_DEPTH_MAX + 1), "</a>", XML_DEPTH_MAX + 1), "!depth@192"));
}
END_TEST

START_TEST(test_names_are_bounded)
{
	ck_assert(takes(fill(fill(fill(0, "<", 1), "a", XML_NAME_MAX), "/>", 1), ""));
	ck_assert(!takes(fill(fill(fill(0, "<", 1), "a", XML_NAME_MAX + 1), "/>", 1), "!size"));
	ck_assert(takes(fill(fill(fill(0, "<a ", 1), "a", XML_NAME_MAX), "=''/>", 1), ""));
	ck_assert(!takes(fill(fill(fill(0, "<a ", 1), "a", XML_NAME_MAX + 1), "=''/>", 1), "!size"));
}
END_TEST

START_TEST(test_names_of_all_depths_have_room)
{
	char name[XML_NAME_MAX + 1], tag[XML_NAME_MAX + 4];
	size_t n = 0;

	memset(name, 'n', XML_NAME_MAX);
	name[XML_NAME_MAX] = '\0';
	for (unsigned i = 0; i < XML_DEPTH_MAX; i++)
		n = fill(n, (sprintf(tag, "<%s>", name), tag), 1);
	for (unsigned i = 0; i < XML_DEPTH_MAX; i++)
		n = fill(n, (sprintf(tag, "</%s>", name), tag), 1);
	ck_assert(takes(n, ""));
}
END_TEST

START_TEST(test_attributes_are_bounded)
{
	for (unsigned extra = 0; extra < 2; extra++) {
		size_t n = fill(0, "<a", 1);

		for (unsigned i = 0; i < XML_ATTRIBUTES_MAX + extra; i++)
			n += (size_t)sprintf(large + n, " a%u=''", i);
		ck_assert_int_eq(takes(fill(n, "/>", 1), "!size"), extra == 0);
	}
}
END_TEST

START_TEST(test_a_tag_is_bounded)
{
	size_t room = XML_TAG_MAX - 2; /* the names of element and attribute */

	ck_assert(takes(fill(fill(fill(0, "<a b='", 1), "x", room), "'/>", 1), ""));
	ck_assert(!takes(fill(fill(fill(0, "<a b='", 1), "x", room + 1), "'/>", 1), "!size"));
}
END_TEST

START_TEST(test_spent_memory_ends_the_walk)
{
	static struct told t;
	static struct xml_walker w;
	const struct xml_handler handler = { .ctx = &t, .open = note_open, .close = note_close, .error = note_error };
	struct arena arena;

	arena_init(&arena, 16);
	xml_begin(&w, &arena, &handler);
	ck_assert_uint_eq(xml_feed(&w, (const uint8_t *)"<a/>", 4, 0), FEED_END);
	ck_assert(!xml_finish(&w) && w.no_memory && !w.broken);
	arena_done(&arena);
}
END_TEST

HARNESS("xml", test_elements_and_attributes, test_text_and_sections, test_references, test_comments,
    test_the_declaration, test_instructions, test_document_types_are_told_and_not_read, test_what_is_not_well_formed,
    test_characters, test_depth_is_bounded, test_names_are_bounded, test_names_of_all_depths_have_room,
    test_attributes_are_bounded, test_a_tag_is_bounded, test_spent_memory_ends_the_walk)
