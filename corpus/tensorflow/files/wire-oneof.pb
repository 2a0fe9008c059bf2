B
"serve*2.11.0/
(
xPlaceholder*	
T0*
dtype0"¿