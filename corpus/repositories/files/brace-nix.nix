{
  inputs.a.url = "github:a/b";
}
