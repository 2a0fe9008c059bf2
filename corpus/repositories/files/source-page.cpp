const char *page = "<html><script>a()</script></html>";
