/* The digester: takes digests of files, and parses nothing.  What it is asked for is said in sandbox/digester.h. */
#pragma once

/* In a fork of the zygote, once it is confined, with the channel on SANDBOX_IN_FD. */
_Noreturn void digester_serve(void);
