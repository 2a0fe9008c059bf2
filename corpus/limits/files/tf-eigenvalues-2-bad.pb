V
"serveK
#
itEigin2*
T0*

Tout0

in2Placeholder*
dtype0"¿