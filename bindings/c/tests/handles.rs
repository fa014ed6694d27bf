//! A process has 16,384 handles at once: the next one is refused, and the others are as good as before. In a program of its own,
//! since all tests of one share the handles.

mod support;

use saltus::*;
use std::ptr::null;
use support::*;

#[test]
fn one_handle_too_many_is_an_error_and_closing_one_frees_a_place() {
    let mut domains = [none(); 16_384];
    let (mut domain, mut publisher) = (none(), none());
    let url = c"mem://".as_ptr();
    // SAFETY: strings with an end, and places for handles that live here.
    unsafe {
        domains.iter_mut().for_each(|domain| ok(saltus_domain_open(url, domain)));
        assert_eq!(saltus_domain_open(url, &mut domain), SALTUS_NO_SPACE);
        assert!(domain.id == 0);
        assert_eq!(last(), "16384 handles are open in this process: close some");
        let mut publish = || saltus_domain_publisher_open(domains[0], c"a".as_ptr(), null(), &mut publisher);
        assert_eq!(publish(), SALTUS_NO_SPACE, "of any kind");
        saltus_domain_close(domains[1]);
        ok(publish());
        ok(saltus_domain_publish(publisher, null(), 0));
        saltus_domain_publisher_close(publisher);
        domains.iter().for_each(|domain| _ = saltus_domain_close(*domain));
        ok(saltus_domain_open(url, &mut domain));
        saltus_domain_close(domain);
    }
}
