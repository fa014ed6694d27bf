//! `robot-lidar`: the driver of the laser: `robot-lidar [FILE [SPEED]]`. See `saltus_robot::programs::lidar`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("lidar", &args));
}
