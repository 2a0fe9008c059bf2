/* What conn.c, conn_read.c and conn_write.c share: the parts of a connection's life that both directions meet. */
#pragma once

#include "conn.h"

/* ---- conn.c ---- */

void conn_set_timer(struct conn *c, unsigned seconds);
void conn_free(struct conn *c);
/* Idle, or at the next head if it is here already. */
void conn_next_request(struct conn *c);
/* What a request holds, whether it ended well or not. */
void conn_drop_request(struct conn *c, bool may_finish);
/* Descriptors that nobody has claimed. */
void conn_drop_descriptors(struct conn *c);
/* One of them; for fds.h. */
void conn_close_client_fd(void *conn, int fd);
/* Read what comes; or only see that the client goes away; or neither. */
void conn_listen(struct conn *c);
void conn_watch(struct conn *c);
void conn_deafen(struct conn *c);

/* ---- conn_read.c ---- */

void conn_on_readable(evutil_socket_t fd, short what, void *ctx);
void conn_on_hangup(evutil_socket_t fd, short what, void *ctx);
/* Is there a whole head in what has been read?  Then its request begins. */
void conn_parse(struct conn *c);
/* A rate window is over: the body came fast enough, or it is refused. */
void conn_body_window(struct conn *c);
/* The time of a drain is over. */
void conn_end_drain(struct conn *c);

/* ---- conn_write.c ---- */

void conn_on_writable(evutil_socket_t fd, short what, void *ctx);
/* Bytes for conn_flush(), which may free the connection: nothing may touch it after that. */
void conn_put(struct conn *c, const void *at, size_t n);
void conn_flush(struct conn *c);
/* It is time for a stream's next line. */
void conn_next_line(struct conn *c);
