f
"serve*2.11.0S

xPlaceholder:
8

f
a,
nDebugIdentitya*

debug_urlsJwhich"¿