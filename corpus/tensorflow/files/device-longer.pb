O
"serve*2.11.0<
5
xPlaceholder"/job:localhost2/task:0*
dtype0"¿