//! `robot-arm`: a joint of the arm: `robot-arm shoulder|elbow`. See `saltus_robot::programs::arm`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("arm", &args));
}
