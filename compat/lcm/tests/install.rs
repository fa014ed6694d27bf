//! Installed, our library is found under LCM's names, by pkg-config and by CMake.

mod support;

use std::path::Path;
use std::process::Command;
use support::*;

/// `install.sh`, of the libraries that cargo has built for the tests.
fn install(arguments: &[&Path]) -> Command {
    let mut command = Command::new(package().join("install.sh"));
    command.env("BUILT", library("liblcm.so").parent().expect("a directory")).args(arguments);
    command
}

fn pkg_config(prefix: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(arguments).arg("lcm");
    run(&mut command).split_whitespace().map(String::from).collect()
}

#[test]
fn pkg_config_finds_it_shared_and_static_and_it_leaves_nothing_behind() {
    let prefix = scratch("installed");
    run(&mut install(&[&prefix]));
    run(&mut install(&[&prefix])); // again, over itself
    assert_eq!(pkg_config(&prefix, &["--modversion"]), ["1.5.3"]);
    let source = package().join("tests/c/differential.c");
    let hello = |name: &str, arguments: &[&str]| {
        let program = prefix.join(name);
        run(Command::new("cc").arg(&source).arg("-o").arg(&program).args(pkg_config(&prefix, arguments)));
        program
    };
    let shared = hello("shared", &["--cflags", "--libs"]);
    let needed = run(Command::new("readelf").arg("-d").arg(&shared));
    assert!(needed.contains("[liblcm.so.1]"), "{needed}");
    let calls =
        run(Command::new(&shared).args(["calls", "memq://"]).env("LD_LIBRARY_PATH", prefix.join("lib")));
    assert!(calls.lines().count() > 1000);

    std::fs::remove_file(prefix.join("lib/liblcm.so")).expect("the link that compilers use");
    let fixed = hello("static", &["--static", "--cflags", "--libs"]);
    let needed = run(Command::new("readelf").arg("-d").arg(&fixed));
    assert!(!needed.contains("liblcm"), "{needed}");
    assert_eq!(run(Command::new(&fixed).args(["calls", "memq://"])), calls);

    std::fs::remove_file(shared).expect("ours");
    std::fs::remove_file(fixed).expect("ours");
    run(&mut install(&[Path::new("--uninstall"), &prefix]));
    assert!(below(&prefix).is_empty(), "{:?}", below(&prefix));
}

#[test]
fn another_library_of_that_name_is_not_overwritten() {
    let prefix = scratch("taken");
    std::fs::create_dir(prefix.join("lib")).expect("a directory");
    std::fs::write(prefix.join("lib/liblcm.so.1"), "LCM's own").expect("a file");
    let output = output(&mut install(&[&prefix]));
    assert!(!output.status.success() && text(&output.stderr).contains("another liblcm.so.1"));
    assert_eq!(below(&prefix).len(), 2);
}

/// A project as users of LCM have it.
const PROJECT: &str = r#"
cmake_minimum_required(VERSION 3.20)
project(robot LANGUAGES C CXX)
find_package(lcm 1.5 REQUIRED)
include(${LCM_USE_FILE})
lcm_wrap_types(
    C_HEADERS c_headers C_SOURCES c_sources C_TYPEINFO
    CPP_HEADERS cpp_headers CPP11
    PYTHON_SOURCES python_sources
    types.lcm)
lcm_add_library(robot_c C ${c_sources} ${c_headers})
lcm_add_library(robot_cpp CPP ${cpp_headers})
add_executable(codec codec.c)
lcm_target_link_libraries(codec robot_c lcm)
add_executable(typed typed.cpp)
lcm_target_link_libraries(typed robot_cpp lcm)
add_executable(codec-static codec.c)
target_link_libraries(codec-static robot_c lcm-static)
add_custom_target(python ALL DEPENDS ${python_sources})
lcm_install_headers(DESTINATION include ${c_headers} ${cpp_headers})
lcm_install_python(DESTINATION python ${python_sources})
"#;

#[test]
fn a_cmake_project_of_lcm_builds_unchanged() {
    let (prefix, project) = (scratch("cmake-prefix"), scratch("cmake-project"));
    run(&mut install(&[&prefix]));
    std::fs::write(project.join("CMakeLists.txt"), PROJECT).expect("a file");
    for file in ["codec.c", "message.h", "typed.cpp", "types.lcm"] {
        std::fs::copy(package().join("tests/c").join(file), project.join(file)).expect("a copy");
    }
    let build = project.join("build");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(&project).arg("-B").arg(&build);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    configure.arg(format!("-DCMAKE_INSTALL_PREFIX={}", project.join("installed").display()));
    run(configure.arg(format!("-DSALTUS_EXECUTABLE={}", saltus_peers::saltus().display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    let codec = run(&mut Command::new(build.join("codec")));
    assert!(codec.contains("same 1"), "{codec}");
    assert_eq!(run(&mut Command::new(build.join("codec-static"))), codec);
    let typed = run(Command::new(build.join("typed")).arg(build.join("log")));
    assert!(typed.contains("lambda INNER 10"), "{typed}");
    run(Command::new("cmake").arg("--install").arg(&build));
    for file in ["include/p_all_t.h", "include/p/all_t.hpp", "python/p/__init__.py", "python/p/all_t.py"] {
        assert!(
            project.join("installed").join(file).is_file(),
            "{file}: {:?}",
            below(&project.join("installed"))
        );
    }
}
