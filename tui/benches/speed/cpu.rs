//! CPU time and memory of child programs, and CPU time of this thread.

use std::{
    error::Error,
    fs,
    process::{Child, Command, Stdio},
    time::Duration,
};

use nix::sys::{
    resource::{UsageWho, getrusage},
    time::TimeValLike,
};

pub(crate) type Answer<T> = Result<T, Box<dyn Error>>;

/// CPU time of a child, from the kernel's accounting of ended children.
pub(crate) fn child_cpu(command: &mut Command) -> Answer<Duration> {
    let before = children()?;
    let status = command.stdout(Stdio::null()).status()?;
    if !status.success() {
        return Err(format!("{command:?}: {status}").into());
    }
    Ok(children()? - before)
}

/// Peak memory of a child, bytes; sampled, so a peak in its last moments may be missed.
pub(crate) fn child_memory(command: &mut Command) -> Answer<u64> {
    let mut child: Child = command.stdout(Stdio::null()).spawn()?;
    let mut most = 0;
    while child.try_wait()?.is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
        let kilobytes = peak.trim().trim_end_matches("kB").trim().parse().unwrap_or(0);
        most = most.max(kilobytes * 1024);
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(most)
}

pub(crate) fn thread_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// User and system time of all ended and reaped children, in microsecond resolution.
fn children() -> Answer<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros)?))
}
