Z
"serve*2.11.0G

x
MyFunction/
-


MyFunction
xPlaceholder*
dtype0"¿