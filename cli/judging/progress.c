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
#define BAR_WIDTH 10
#define COLUMNS_DEFAULT 80
#define FILE_WORK ((uint64_t)1 << 20)
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

/* A file takes time whatever its size: as much as a megabyte, about. */
static uint64_t work_of(uint64_t n, uint64_t bytes)
{
	return n * FILE_WORK + bytes;
}

static void put_left(FILE *f, double seconds)
{
	if (seconds < 90)
		fprintf(f, ", %.0f s left", seconds);
	else if (seconds < 5400)
		fprintf(f, ", %.0f min left", seconds / 60);
	else
		fprintf(f, ", %.1f h left", seconds / 3600);
}

/* "12 of 1,000 files, 3.2 GB of 45 GB"; a + behind what is still being counted. */
static void put_counts(FILE *f, const struct progress_state *s)
{
	char done[TEXT_SIZE_MAX], all[TEXT_SIZE_MAX], n_done[TEXT_GROUPED_MAX], n_all[TEXT_GROUPED_MAX];
	const char *more = s->all.whole ? "" : "+";

	if (s->all.n == 0) {
		fprintf(f, "%zu done, %s", s->n_done, text_size(s->bytes_done, done));
		return;
	}
	fprintf(f, "%s of %s%s file%s, %s of %s%s", text_grouped(s->n_done, n_done), text_grouped(s->all.n, n_all),
	    more, s->all.n == 1 ? "" : "s", text_size(s->bytes_done, done), text_size(s->all.bytes, all), more);
}

static void put_state(FILE *f, const struct progress *p, const struct progress_state *s, int64_t now)
{
	double seconds = (double)(now - p->start_ms) / 1000;
	_cleanup_(freep) char *name = s->name != NULL ? text_safe(s->name) : NULL;
	uint64_t all = work_of(s->all.n, s->all.bytes), done = work_of(s->n_done, s->bytes_done);
	char rate[TEXT_SIZE_MAX];

	if (s->all.whole)
		put_bar(f, done < all ? done : all, all);
	else if (s->name != NULL)
		put_bar(f, s->at < s->size ? s->at : s->size, s->size);
	put_counts(f, s);
	if (s->all.whole && done > 0 && done < all)
		put_left(f, seconds * (double)(all - done) / (double)done);
	fprintf(f, ", %s/s", text_size((uint64_t)((double)s->bytes_done / seconds), rate));
	fprintf(f, "  %s", name != NULL ? name : "");
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
