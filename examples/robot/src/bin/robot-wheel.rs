//! `robot-wheel`: a motor driver: `robot-wheel left|right`. See `saltus_robot::programs::wheel`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("wheel", &args));
}
