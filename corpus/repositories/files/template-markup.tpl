{{/* a */}}
<script>a()</script>
