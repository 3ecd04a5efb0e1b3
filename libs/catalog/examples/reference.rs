//! Writes the generated parts of `docs/configuration.md`: `make gen`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = std::fs::read_to_string(&path)?;
    std::fs::write(&path, tarsy_catalog::renew_reference(&page))
}
