//! Writes `trajectory/schema.json`: `cargo run -p patchwright-trajectory --example schema`.

fn main() -> std::io::Result<()> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.json");
    std::fs::write(file, patchwright_trajectory::schema_text())
}
