/* P2, PDF: a marker that readers accept anywhere below 1024, and what a document is made of. */
#include "probes.h"

#include "checked.h"

#define PDF_MARKER "%PDF-"
#define PDF_MARKER_BYTES 5
#define PDF_OBJECT_BYTES 32u   /* of "<int> <int> obj" */
#define PDF_MARKER_WITHIN 1024 /* readers accept the marker at any offset below */

/* Step back over at least one space, then at least one digit.  *n: the bytes in front. */
static bool step_back_number(const uint8_t *at, size_t *n)
{
	size_t end = *n, digits_end;

	while (end > 0 && (at[end - 1] == ' ' || (at[end - 1] >= '\t' && at[end - 1] <= '\r') || at[end - 1] == 0))
		end--;
	digits_end = end;
	while (end > 0 && is_digit(at[end - 1]))
		end--;
	if (digits_end == *n || end == digits_end)
		return false;
	*n = end;
	return true;
}

/* "<int> <int> obj" */
static bool has_pdf_object(struct bytes b)
{
	for (size_t i = 0; i + 3 <= b.n; i++) {
		size_t before = i;

		if (memcmp(b.at + i, "obj", 3) == 0 && step_back_number(b.at, &before) &&
		    step_back_number(b.at, &before))
			return true;
	}
	return false;
}

static bool has_pdf_structure(struct bytes b)
{
	return (b.n > 0 && memmem(b.at, b.n, "startxref", 9) != NULL) || has_pdf_object(b);
}

/* The marker with a version. */
static bool has_version(struct bytes head, size_t at)
{
	const uint8_t *version = head.at + at + PDF_MARKER_BYTES;

	return head.n - at >= PDF_MARKER_BYTES + 3 && is_digit(version[0]) && version[1] == '.' && is_digit(version[2]);
}

/* Behind a word and a space: running text. */
static bool is_mention(struct bytes head, size_t at)
{
	return at >= 2 && head.at[at - 1] == ' ' && head.at[at - 2] > ' ' && head.at[at - 2] != '"';
}

static struct bytes bytes_first(struct bytes b, size_t n)
{
	return bytes_of(b.at, n < b.n ? n : b.n);
}

/* Behind the marker, or at the end of the file. */
static bool is_document(const struct view *v, size_t at)
{
	struct bytes behind = bytes_of(v->head.at + at, v->head.n - at);

	return has_pdf_structure(bytes_first(behind, POLYGLOT_PDF_BEHIND)) ||
	       has_pdf_structure(tail_of(v, POLYGLOT_PDF_TAIL));
}

static void say(struct view *v, size_t at, bool document)
{
	found(v, WLK_F_POLYGLOT_PDF, at, "PDF",
	    document ? "a marker, and objects of a document" : "a marker with a version");
}

/* The first marker that begins a document.  In the JSON of a safetensors file a marker with a version is enough, unless it
 * is a mention, and one without is with objects: readers repair what they can, and nothing else of a name or value begins
 * like that.  Elsewhere - vocabularies hold the marker as a token - it takes both; a marker that nothing follows is worth
 * a note.  Chance: 1,024 places; 40 bits, with an object (more than 30) or a version (18). */
static bool find_pdf_near(struct view *v)
{
	struct bytes near = bytes_first(v->head, PDF_MARKER_WITHIN - 1 + PDF_MARKER_BYTES);
	bool json = v->pg->host == WLK_FORMAT_SAFETENSORS, document = false, looked = false;
	size_t mention = near.n;

	for (size_t at = 0; at < near.n; at++) {
		at += bytes_find(bytes_of(near.at + at, near.n - at), PDF_MARKER, PDF_MARKER_BYTES);
		if (at == near.n)
			break;
		/* What stands behind the first marker holds for all. */
		document = looked ? document : is_document(v, at);
		looked = true;
		if (has_version(v->head, at) ? document || (json && !is_mention(v->head, at)) : json && document) {
			say(v, at, document);
			return true;
		}
		if (mention == near.n && has_version(v->head, at))
			mention = at;
	}
	if (mention < near.n)
		found(v, WLK_F_PDF_MARKER, mention, "PDF", "a marker with a version");
	return false;
}

/* poppler 22.12 and MuPDF 1.21 search all of a file, and repair what they find [measured]: behind a marker with a version
 * an object has to follow.  Markers that others follow within reach are one.  Chance: 2^23 places; 58 bits, and 30 of an object
 * in 2^16 places. */
static bool confirm_far(struct view *v, const struct search_hit *h)
{
	uint8_t b[4096];
	uint64_t end = h->last + min_u64(v->src->size - h->last, POLYGLOT_PDF_BEHIND);

	/* Pieces overlap by what two numbers and the word take. */
	for (uint64_t at = h->at; at < end; at += sizeof(b) - PDF_OBJECT_BYTES) {
		size_t n = (size_t)min_u64(end - at, sizeof(b));

		if (!look(v, at, b, n))
			return false;
		if (has_pdf_object(bytes_of(b, n)))
			return true;
	}
	return false;
}

void find_pdf(struct view *v)
{
	if (!find_pdf_near(v))
		judge_first(
		    v, SEARCH_PDF, WLK_F_POLYGLOT_PDF, "PDF", "a marker, and objects of a document", confirm_far);
}
