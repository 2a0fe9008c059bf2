\
"serveQ

xPlaceholder*
dtype0+
)

f
a
r
nNega*
T0"¿