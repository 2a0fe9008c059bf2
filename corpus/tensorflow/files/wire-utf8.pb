;
"serve*2.11.0(
!
xPlaceholder"/ÿ*
dtype0"¿