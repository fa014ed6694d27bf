//! `robot-physics`: the world and the inertial sensor. See `saltus_robot::programs::physics`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("physics", &args));
}
