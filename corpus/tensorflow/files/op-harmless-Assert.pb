~
"serve*2.11.0k
!
xAssertin10in7*	
T
0

in7Placeholder*
dtype0
 
in10Placeholder*
dtype0
"¿