/* See script_show.h. */
#include "script_show.h"

void script_show_begin(struct script_show *s, struct report *report, struct bytes member, uint64_t origin)
{
	s->report = report;
	s->member = member;
	s->origin = origin;
	s->path_n = 0;
	s->path_at = 0;
	s->fault = CALL_ALLOWED;
	s->active = s->quoted = s->escaped = s->broken = false;
	s->depth = 0;
}

void script_show_fault(struct script_show *s, enum call_standing standing)
{
	if (standing > s->fault)
		s->fault = standing;
}

static void tell(struct script_show *s)
{
	s->active = false;
	if (report_wants_call(s->report, s->fault))
		report_call(s->report,
		    (struct call_record){ .standing = s->fault, .offset = s->origin + s->path_at, .member = s->member },
		    &s->text);
	s->fault = CALL_ALLOWED;
	s->path_n = 0;
}

static void begin_call(struct script_show *s)
{
	call_text_begin(&s->text);
	call_text_name(&s->text, bytes_of(s->path, s->path_n));
	call_text_callee(&s->text);
	s->active = true;
	s->quoted = s->escaped = s->broken = false;
	s->depth = 0;
}

static bool is_of_path(uint8_t b)
{
	return b == '_' || b == '.' || (b >= '0' && b <= '9') || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
}

static void take_outside(struct script_show *s, uint8_t b, uint64_t offset)
{
	if (b == '(' && s->fault != CALL_ALLOWED && s->path_n > 0) {
		begin_call(s);
	} else if (!is_of_path(b)) {
		s->path_n = 0;
		s->fault = CALL_ALLOWED;
	} else if (s->path_n < sizeof(s->path)) {
		s->path_at = s->path_n == 0 ? offset : s->path_at;
		s->path[s->path_n++] = b;
	}
}

static void take_quoted(struct script_show *s, uint8_t b)
{
	if (s->escaped)
		s->escaped = false;
	else if (b == '\\')
		s->escaped = true;
	else if (b == '"')
		s->quoted = false;
}

/* Return: is it a part of the text? */
static bool take_plain(struct script_show *s, uint8_t b)
{
	if (b == '\n' || (s->broken && b == ' ')) {
		s->broken = true;
		return false;
	}
	if (s->broken && s->text.n > 0 && s->text.at[s->text.n - 1] == ',')
		call_text_put(&s->text, " ");
	s->broken = false;
	if (b == '"')
		s->quoted = true;
	else if (b == '(')
		s->depth++;
	else if (b == ')')
		s->depth--;
	return true;
}

void script_show_byte(struct script_show *s, uint8_t b, uint64_t offset)
{
	bool shown = true;

	if (!s->report->wants_calls)
		return;
	if (!s->active)
		take_outside(s, b, offset);
	if (!s->active)
		return;
	if (s->quoted)
		take_quoted(s, b);
	else
		shown = take_plain(s, b);
	if (shown)
		call_text_source(&s->text, b);
	if (s->depth == 0 && !s->quoted)
		tell(s);
}

void script_show_end(struct script_show *s)
{
	if (!s->active)
		return;
	call_text_cut(&s->text);
	tell(s);
}

void script_show_name(struct script_show *s, const char *name)
{
	if (!s->report->wants_calls)
		return;
	s->fault = CALL_DANGEROUS;
	s->path_at = 0;
	call_text_begin(&s->text);
	call_text_put(&s->text, name);
	call_text_callee(&s->text);
	call_text_put(&s->text, "(");
	call_text_cut(&s->text);
	call_text_put(&s->text, ")");
	tell(s);
}
