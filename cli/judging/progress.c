/* See progress.h.  It hides no cursor and changes no setting of the terminal, so a command that is killed
 * leaves nothing behind but the line itself. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"

#define DELAY_MS 1000 /* a scan that is over by then needs no bar */
#define BAR_WIDTH 20
#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX 512

void progress_init(struct progress *p, bool allowed, int64_t now)
{
	const char *term = getenv("TERM");

	*p = (struct progress){ .start_ms = now, .drawn_ms = now + DELAY_MS - PROGRESS_EVERY_MS };
	p->wanted = allowed && isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

int64_t progress_next_ms(const struct progress *p)
{
	return p->wanted ? p->drawn_ms + PROGRESS_EVERY_MS : INT64_MAX;
}

static size_t columns(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col == 0)
		return COLUMNS_DEFAULT;
	return w.ws_col < COLUMNS_MAX ? w.ws_col : COLUMNS_MAX;
}

static void put_bar(FILE *f, uint64_t at, uint64_t size)
{
	double part = size == 0 ? 1 : (double)at / (double)size;
	int filled = (int)(part * BAR_WIDTH);

	fputc('[', f);
	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < filled ? '#' : '-', f);
	fprintf(f, "] %3.0f%% ", part * 100);
}

static void put_state(FILE *f, const struct progress *p, const struct progress_state *s, int64_t now)
{
	double seconds = (double)(now - p->start_ms) / 1000;
	_cleanup_(freep) char *name = s->name != NULL ? text_safe(s->name) : NULL;
	char done[TEXT_SIZE_MAX], rate[TEXT_SIZE_MAX];

	if (s->name != NULL)
		put_bar(f, s->at < s->size ? s->at : s->size, s->size);
	fprintf(f, "%zu done, %s, %s/s  %s", s->n_done, text_size(s->bytes_done, done),
	    text_size((uint64_t)((double)s->bytes_done / seconds), rate), name != NULL ? name : "");
}

/* A line that wraps could not be taken away again.  Bytes for columns: a name beyond ASCII is cut too early,
 * and never in the middle of a character. */
static void cut(char *line, size_t n)
{
	if (strlen(line) <= n)
		return;
	while (n > 0 && ((unsigned char)line[n] & 0xc0) == 0x80)
		n--;
	line[n] = '\0';
}

void progress_draw(struct progress *p, const struct progress_state *s, int64_t now)
{
	_cleanup_(freep) char *line = NULL;
	size_t n;
	FILE *f;

	if (now < progress_next_ms(p))
		return;
	p->drawn_ms = now;
	f = open_memstream(&line, &n);
	if (f == NULL)
		return;
	put_state(f, p, s, now);
	if (fclose(f) != 0 || line == NULL)
		return;
	cut(line, columns() - 1);
	fprintf(stderr, "\r%s\x1b[K", line);
	(void)fflush(stderr);
	p->shown = true;
}

void progress_clear(struct progress *p)
{
	if (!p->shown)
		return;
	fputs("\r\x1b[K", stderr);
	(void)fflush(stderr);
	p->shown = false;
}
