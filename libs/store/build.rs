//! Makes cargo notice a new migration.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
