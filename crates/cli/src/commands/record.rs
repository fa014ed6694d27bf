//! `saltus record`: write messages to files.

mod options;
mod status;

use std::io::{self, IsTerminal};

use saltus_record::{Control, Recorder, Told};

use crate::exit::{self, Code, Failure, Outcome, note};
use crate::stop;
pub(crate) use options::Record;
use status::Status;

/// Records until a stop signal, or until the options end it.
pub(crate) fn run(url: Option<&str>, args: Record) -> Outcome {
    stop::on_signals_without_hangup()?;
    let (sources, settings) = (args.sources(url)?, args.settings()?);
    let keeps = settings.last.is_some();
    args.absent_now(url)?.iter().for_each(|words| note(format_args!("warning: {words}; waiting for it")));
    let when = args.when()?;
    let domains = sources.iter().map(|source| source.domain.clone());
    if let Some(doubt) =
        when.as_ref().filter(|_| !args.output.is_quiet()).and_then(|when| when.doubt(domains))
    {
        note(format_args!("{doubt}"));
    }
    let format = Box::new(args.format(settings.naming.template())?);
    let made = settings.naming.missing_directory().filter(|_| !keeps && !args.output.is_quiet());
    let mut recorder = Recorder::new(sources, settings, format)?;
    made.iter().for_each(|directory| note(format_args!("made the directory `{}`", directory.display())));
    if let Some(mut when) = when {
        recorder.save_when(Box::new(move |message, types| when.becomes_true(message, types)));
    }
    let control = recorder.control();
    steer(&control, keeps)?;
    let stopper = control.clone();
    stop::cancel_with(move || stopper.stop());
    let mut status = Status::new(args.output.is_json(), args.output.is_quiet());
    status.started(args.last, &recorder);
    let ended = recorder.run(|reported| match reported {
        Told::Status(now) => status.show(now),
        Told::Trouble(error) => status.trouble(&error),
    });
    let shown = status.end(&recorder);
    ended?;
    shown?;
    if recorder.status().total.has_losses() {
        return Err(Failure::Reported(Code::Lost));
    }
    let came: Vec<_> = recorder.lines().into_iter().map(|line| line.channel).collect();
    exit::for_each(args.never_appeared(url, came)?, Err)
}

#[cfg(unix)]
fn steer_by_signals(control: &Control) -> Outcome {
    let failed = |e| Failure::new(Code::Failed, format!("cannot handle signals: {e}"));
    let (hup, usr1) = (control.clone(), control.clone());
    // SAFETY: these handlers only store to an atomic, which is async-signal-safe.
    unsafe {
        signal_hook::low_level::register(libc::SIGHUP, move || hup.new_file()).map_err(failed)?;
        signal_hook::low_level::register(libc::SIGUSR1, move || usr1.save()).map_err(failed)?;
    }
    Ok(())
}

/// Requests during a recording: SIGHUP starts a new file; Enter and SIGUSR1 write the messages kept by `--last`.
fn steer(control: &Control, keeps: bool) -> Outcome {
    #[cfg(unix)]
    steer_by_signals(control)?;
    if keeps && io::stdin().is_terminal() {
        let control = control.clone();
        stop::spawn("saltus-keys", move || {
            io::stdin().lines().map_while(Result::ok).for_each(|_| control.save());
        })?;
    }
    Ok(())
}
