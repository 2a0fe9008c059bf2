R
"serve*2.11.0?
8
xPlaceholder"/job:localhost/job:worker*
dtype0"¿