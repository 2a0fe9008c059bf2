\
"serve*2.11.0I
B
xPlaceholder"#/job:localhost/job:localhost/task:0*
dtype0"¿