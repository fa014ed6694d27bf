//! `robot-watch`: the slow reader of the laser. See `saltus_robot::programs::watch`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("watch", &args));
}
