O
"serve*2.11.0<
5
xPlaceholder"#/job:localhost/job:localhost/task:0"¿