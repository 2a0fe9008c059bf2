|
"serve*2.11.0i

xPlaceholder*
dtype0C
A

f
a5
nDebugIdentitya*

debug_urlsJwhich*
T0"¿