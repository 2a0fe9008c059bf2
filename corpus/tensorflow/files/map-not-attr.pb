h
"serve*2.11.0U
&
xPlaceholder*
T0*
dtype0
&
yPlaceholder*
T0*
dtype0"¿