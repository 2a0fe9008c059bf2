O
"serve*2.11.0<
5
xDebugIdentityV2*

debug_urls
grpc://evil:1"¿