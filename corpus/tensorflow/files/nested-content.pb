‚
"serve*2.11.0o
h
gConst*O
valueFBD:":

xPlaceholder*
dtype0

w	WriteFilexx"¿*
dtype0"¿