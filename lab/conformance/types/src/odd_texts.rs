//! Type files with realistic and less realistic oddities.

use crate::random_types::{self, Taste};
use crate::rng::{Choose, Rng};

/// Texts written by hand, each with one oddity.
pub const BY_HAND: [&str; 61] = [
    "",
    "\n\n",
    "// only a comment\n",
    "/* only a comment */",
    "package a;",
    "package a.b.c;\n",
    "package a; package b; struct x_t { }",
    "struct a_t { }",
    "struct a_t { } struct b_t { }",
    "struct a_t\r\n{\r\n    int8_t x;\r\n}\r\n",
    "struct a_t { int8_t x; } ;",
    "struct a_t { int8_t x; };",
    "struct a_t{ int8_t x; }",
    "struct a_t {int8_t x; }",
    "struct a_t { int8_t x;}",
    "struct a_t { int8_t x, y , z; }",
    "struct a_t { int8_t x ; int8_t y [ 3 ] ; }",
    "struct a_t { int8_t x[3], y, z[2][2]; }",
    "struct a_t { int8_t/*c*/ x; }",
    "struct a_t { int8_t x//c\n; }",
    "struct a_t { int8_t x; // c\n }",
    "struct a_t { int8_t x; } // c",
    "struct a_t { int8_t x; } // c\n",
    "struct /* a */ a_t /* b */ { /* c */ int8_t /* d */ x /* e */ ; /* f */ } /* g */",
    "struct a_t { int8_t x; /* a\n * b\n */ int8_t y; }",
    "struct a_t { /* no end",
    "struct a_t { } /* no end",
    "struct .a_t { }",
    "struct a_t. { }",
    "struct 1a { int8_t x; }",
    "struct a-b { int8_t x; }",
    "struct a.b.c_t { int8_t x; }",
    "struct a_t { int8_t x-y; }",
    "struct a_t { int8_t xé; }",
    "struct a_t { int8_t 1x; }",
    "struct a_t { int8_t x; int8_t x; }",
    "struct a_t { int8_t x; } struct a_t { int8_t y; }",
    "struct a_t { int8_t n; int8_t x[n]; }",
    "struct a_t { int8_t x[n]; int8_t n; }",
    "struct a_t { int32_t n[n]; }",
    "struct a_t { byte n; int8_t x[n]; }",
    "struct a_t { double n; int8_t x[n]; }",
    "struct a_t { int8_t n[2]; int8_t x[n]; }",
    "struct a_t { int8_t x[0]; }",
    "struct a_t { int8_t x[-1]; }",
    "struct a_t { int8_t x[]; }",
    "struct a_t { int8_t x[0x10][010][1]; }",
    "struct a_t { int8_t x[3abc]; }",
    "struct a_t { int8_t x[1e3]; }",
    "struct a_t { int8_t x[4294967297]; }",
    "struct a_t { const int8_t N = 3; int8_t x[N]; }",
    "struct a_t { const int32_t N = -3; int8_t x[N]; }",
    "struct a_t { const int32_t N = 0; int8_t x[N]; }",
    "struct a_t { const int8_t N = 0x7f, M = -128; const float F = 1e-5; const double D = -.5; }",
    "struct a_t { const int8_t N = 300; }",
    "struct a_t { const int8_t N = 3abc; int8_t x; }",
    "struct a_t { const string S = 3; }",
    "struct a_t { const double N = nan; const float I = inf; int8_t x; }",
    "struct a_t { unknown_t x; }",
    "struct a_t { a_t x; }",
    "enum color_t { RED, GREEN=5, BLUE } struct a_t { color_t c; }",
];

/// A valid file with random edits: blanks, comments, and characters that are missing, doubled or wrong.
pub fn random(rng: &mut Rng) -> String {
    let taste = Taste {
        package: String::from("odd"),
        types: rng.between(1, 4),
        longest_name: 12,
        any_base: true,
        forward: true,
        largest: 9,
    };
    let mut text: Vec<char> = random_types::text(rng, &taste).chars().collect();
    for _ in 0..rng.below(4) {
        type_over(rng, &mut text);
    }
    text.into_iter().collect()
}

fn type_over(rng: &mut Rng, text: &mut Vec<char>) {
    if text.is_empty() {
        return;
    }
    let at = rng.below(text.len());
    match rng.below(6) {
        0 => {
            text.remove(at);
        }
        1 => text.insert(at, text[at]),
        2 => {
            let other = rng.below(text.len());
            text.swap(at, other);
        }
        // Where there is a blank, there may be more of them, and comments.
        3 | 4 => {
            let blanks: Vec<usize> = (0..text.len()).filter(|&i| text[i].is_whitespace()).collect();
            let at = if blanks.is_empty() { at } else { blanks[rng.below(blanks.len())] };
            let filling = [" ", "\t", "\r\n", "\x0c", " /* a */ ", " // b\n", " /* * / ; } \n */ ", "\n//\n"];
            text.splice(at..at, rng.pick(&filling).chars());
        }
        _ => {
            let signs = [
                ";", ",", "{", "}", "[", "]", "=", "-", "+", "/", ".", "0", "x", "_", "\"", "é", "struct ",
                "n",
            ];
            text.splice(at..at, rng.pick(&signs).chars());
        }
    }
}
