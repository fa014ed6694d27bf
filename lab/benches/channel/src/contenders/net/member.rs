//! What the ends within one process share, such as a participant or a session. The first end that attaches creates
//! it, the last one that detaches closes it.

use crate::error::Fallible;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// See the module. Links that share a member are clones of one link.
pub struct Common<T>(Rc<RefCell<Weak<T>>>);

impl<T> Default for Common<T> {
    fn default() -> Common<T> {
        Common(Rc::default())
    }
}

impl<T> Clone for Common<T> {
    fn clone(&self) -> Common<T> {
        Common(self.0.clone())
    }
}

impl<T> Common<T> {
    /// The process's member; created if there is none.
    pub fn get(&self, make: impl FnOnce() -> Fallible<T>) -> Fallible<Rc<T>> {
        let known = self.0.borrow().upgrade();
        if let Some(known) = known {
            return Ok(known);
        }
        let made = Rc::new(make()?);
        self.0.replace(Rc::downgrade(&made));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_again_when_all_have_gone() {
        let common = Common::default();
        let other = common.clone();
        let first = common.get(|| Ok(1)).expect("made");
        assert_eq!(*other.get(|| Ok(2)).expect("known"), 1);
        drop(first);
        assert_eq!(*other.get(|| Ok(3)).expect("made again"), 3);
        assert!(common.get(|| Err("broken".into())).is_err());
    }
}
