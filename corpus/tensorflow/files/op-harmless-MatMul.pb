Y
"serve*2.11.0F

xMatMulin1in1*
T0

in1Placeholder*
dtype0"¿