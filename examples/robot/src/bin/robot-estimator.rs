//! `robot-estimator`: the state estimator. See `saltus_robot::programs::estimator`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("estimator", &args));
}
