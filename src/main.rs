//! The program. What it does stands in the library of the same name, which compiles beside the crates that it is made of.

fn main() -> std::process::ExitCode {
    patchwright::main()
}
