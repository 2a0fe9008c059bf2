<
"serve*2.11.0)
"
xPlaceholder*
T0*
T0"¿