//! `robot-logger`: the reader of everything. See `saltus_robot::programs::logger`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("logger", &args));
}
