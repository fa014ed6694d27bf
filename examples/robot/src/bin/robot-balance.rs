//! `robot-balance`: the balance controller. See `saltus_robot::programs::balance`.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::process::exit(saltus_robot::role_main("balance", &args));
}
