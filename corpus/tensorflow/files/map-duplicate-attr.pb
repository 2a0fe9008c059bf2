I
"serve*2.11.06
/
xPlaceholder*
T0*
T0*
dtype0"¿