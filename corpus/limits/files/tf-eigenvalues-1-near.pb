V
"serveK
#
itEigin1*
T0*

Tout0

in1Placeholder*
dtype0"¿