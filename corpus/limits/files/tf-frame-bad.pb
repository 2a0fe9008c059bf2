F
"serve;

xPlaceholder*
dtype0

eExitx*
T0"¿