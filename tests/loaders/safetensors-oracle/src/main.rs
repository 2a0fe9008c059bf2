//! What the reference crate says about files.  Standard input brings a path a line; each is answered by one line:
//! `ok` and a tab before each `name dtype shape begin end` (name in hexadecimal, shape with commas), sorted by offset,
//! or `refused` and why.  Offsets are those of the data section.
use safetensors::SafeTensors;
use std::io::{self, BufRead, Write};

fn hex(name: &str) -> String {
    name.bytes().map(|b| format!("{b:02x}")).collect()
}

fn said(path: &str) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read: {e}"))?;
    let file = SafeTensors::deserialize(&bytes).map_err(|e| format!("{e:?}"))?;
    let (size, _) = SafeTensors::read_metadata(&bytes).map_err(|e| format!("{e:?}"))?;
    let data = bytes.as_ptr() as usize + size + 8;
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (name, view) in file.tensors() {
        let shape: Vec<String> = view.shape().iter().map(|n| n.to_string()).collect();
        let begin = if view.data().is_empty() { 0 } else { view.data().as_ptr() as usize - data };
        let line = format!("{} {:?} {} {} {}", hex(&name), view.dtype(), shape.join(","), begin, view.data().len());
        lines.push((begin, line));
    }
    lines.sort();
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    Ok(lines.join("\t"))
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for path in io::stdin().lock().lines() {
        match said(&path?) {
            Ok(tensors) => writeln!(out, "ok\t{tensors}")?,
            Err(why) => writeln!(out, "refused\t{}", why.replace(['\n', '\r', '\t'], " "))?,
        }
        out.flush()?;
    }
    Ok(())
}
