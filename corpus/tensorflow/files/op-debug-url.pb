~
"serve*2.11.0k
C
xDebugIdentityV2in7*

debug_urls
grpc://evil:1*
T0

in7Placeholder*
dtype0"¿