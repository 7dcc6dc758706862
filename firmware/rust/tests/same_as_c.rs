//! The same calls in C and Rust, byte by byte. The C library is compiled for this, with 8-byte pointers as Rust has here.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use spytui_target::{Clock, Enum, Fun, Group, Hex, Hex32, Obj, Ring, Shown, Sig, Target, Tracer, UserRecord, record};

use crate::read;

const USER: UserRecord = UserRecord::new(0);
const A: Obj = Obj(0x7E00_0100);
const BUILT: [u8; 6] = [26, 11, 22, 12, 0, 0];

/// What the C library writes.
fn by_c(what: &str) -> Vec<u8> {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(compile);
    Command::new(&*PROGRAM).arg(what).output().expect("runs").stdout
}

fn compile() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calls");
    let names = ["qs", "qs_dict", "qs_filter", "qs_info", "qs_rec", "qs_start", "qs_user", "ring", "hdlc", "bits"];
    let sources = names.map(|name| here.join(format!("../src/{name}.c")));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = Command::new(compiler)
        .args(["-std=c11", "-I../include", "-I../tests", "tests/calls.c", "-o"])
        .arg(&program)
        .args(sources)
        .current_dir(here)
        .status();
    assert!(status.expect("a C compiler").success());
    program
}

#[track_caller]
fn assert_same(rust: &[u8], c: &[u8]) {
    let frames = |bytes: &[u8]| bytes.split(|byte| *byte == 0x7E).map(<[u8]>::to_vec).collect::<Vec<_>>();
    for (rust, c) in frames(rust).into_iter().zip(frames(c)) {
        assert_eq!(format!("{rust:02x?}"), format!("{c:02x?}"));
    }
    assert_eq!(rust.len(), c.len());
    assert!(rust.len() > 50);
}

#[test]
fn every_record_of_7() {
    assert_same(&everything(Target { built: BUILT, ..Target::QP7 }), &by_c("734"));
}

#[test]
fn every_record_of_8() {
    assert_same(&everything(Target { built: BUILT, ..Target::QP8 }), &by_c("812"));
}

#[test]
fn drops_of_a_full_ring() {
    static TIME: AtomicU32 = AtomicU32::new(0);
    static RING: Ring<256> = Ring::new();
    let target = Target { built: BUILT, ..Target::QP7 };
    let tracer = Tracer::new(&RING, target, || TIME.load(Relaxed), 1000);
    let count_up = |count: u32| (0..count).for_each(|i| record!(tracer, USER, i));
    tracer.start();
    count_up(300);
    let mut sent = read(&tracer);
    sent.extend(read(&tracer));
    count_up(30);
    TIME.fetch_add(1000, Relaxed);
    count_up(2);
    sent.extend(read(&tracer));
    sent.extend(read(&tracer));
    count_up(3);
    sent.extend(read(&tracer));
    assert_same(&sent, &by_c("drops"));
    assert!(tracer.drops() > 256);
}

fn everything(target: Target) -> Vec<u8> {
    static RING: [Ring<16384>; 2] = [Ring::new(), Ring::new()];
    let time = AtomicU32::new(0);
    let ring = &RING[usize::from(target.version < 800)];
    let tracer = Tracer::new(ring, target, move || time.fetch_add(3, Relaxed) + 3, 1000);
    tracer.start();
    tracer.reset_cause("watchdog");
    tracer.name_object(A, "&a");
    tracer.name_function(Fun(0x801), "on_start");
    tracer.name_signal(5, A, "START");
    tracer.name_record(USER, "ELEMENTS ~ }");
    tracer.name_value(2, 5, "FIVE");
    tracer.info();
    send_each_layout(&tracer);
    send_each_record(&tracer);
    send_each_element(&tracer);
    tracer.filter(Group::SM, false);
    tracer.state_entry(A, Fun(0x801));
    tracer.run();
    tracer.assert_failed("calls", 77);
    read(&tracer)
}

/// As in `qs_calls.h`.
fn send_each_element(tracer: &Tracer<impl Clock>) {
    let value = Enum { group: 2, value: 5 };
    let numbers =
        (Shown(3, -2i8), value, Hex(0x7Eu8), -2i16, Shown(4, 0x1234u16), Shown(5, -2), Shown(5, 0x1234_5678u32));
    let floats = (Shown(2, 1.5f32), Shown(3, -1.5f64));
    let wide = (Shown(9, -2i64), Shown(1, 0x1_2345_6789u64));
    let signal = Sig { sig: 5, obj: A };
    record!(tracer, USER, numbers, floats, "text", [1, 0x7D], signal, A, Fun(0x801), wide, Hex32(8, 0x1234));
}

/// As in `qs_calls.h`.
fn send_each_record(t: &Tracer<impl Clock>) {
    let (a, f) = (A, Fun(0));
    t.state_entry(a, f);
    t.state_exit(a, f);
    t.state_init(a, f, f);
    t.init_tran(a, f);
    t.intern_tran(0, a, f);
    t.tran(0, a, f, f);
    t.ignored(0, a, f);
    t.dispatch(0, a, f);
    t.unhandled(0, a, f);
    t.defer(a, a, 0, 0, 0);
    t.recall(a, a, 0, 0, 0);
    t.subscribe(0, a);
    t.unsubscribe(0, a);
    t.post(a, 0, a, 0, 0, 0, 0);
    t.post_lifo(0, a, 0, 0, 0, 0);
    t.get(0, a, 0, 0, 0);
    t.get_last(0, a, 0, 0);
    t.recall_attempt(a, a);
    t.equeue_post(0, a, 0, 0, 0, 0);
    t.equeue_post_lifo(0, a, 0, 0, 0, 0);
    t.equeue_get(0, a, 0, 0, 0);
    t.equeue_get_last(0, a, 0, 0);
    t.new_event_attempt(0, 0);
    t.mpool_get(a, 0, 0);
    t.mpool_put(a, 0);
    t.publish(a, 0, 0, 0);
    t.new_ref(0, 0, 0);
    t.new_event(0, 0);
    t.gc_attempt(0, 0, 0);
    t.gc(0, 0, 0);
    t.tick(0, 0);
    t.timeevt_arm(a, a, 0, 0, 0);
    t.timeevt_auto_disarm(a, a, 0);
    t.timeevt_disarm_attempt(a, a, 0);
    t.timeevt_disarm(a, a, 0, 0, 0);
    t.timeevt_rearm(a, a, 0, 0, 0, 0);
    t.timeevt_post(a, 0, a, 0);
    t.delete_ref(0, 0, 0);
    t.crit_entry(0);
    t.crit_exit(0);
    t.isr_entry(0, 0);
    t.isr_exit(0, 0);
    t.post_attempt(a, 0, a, 0, 0, 0, 0);
    t.equeue_post_attempt(0, a, 0, 0, 0, 0);
    t.mpool_get_attempt(a, 0, 0);
    t.sched_preempt(0, 0);
    t.sched_restore(0, 0);
    t.sched_lock(0, 0);
    t.sched_unlock(0, 0);
    t.sched_next(0, 0);
    t.sched_idle(0);
    t.tran_hist(a, f, f);
    t.tran_ep(a, f, f);
    t.tran_xp(a, f, f);
    t.sem_take(a, 0, 0);
    t.sem_block(a, 0, 0);
    t.sem_signal(a, 0, 0);
    t.sem_block_attempt(a, 0, 0);
    t.mtx_lock(a, 0, 0);
    t.mtx_block(a, 0, 0);
    t.mtx_unlock(a, 0, 0);
    t.mtx_lock_attempt(a, 0, 0);
    t.mtx_block_attempt(a, 0, 0);
    t.mtx_unlock_attempt(a, 0, 0);
    t.defer_attempt(a, a, 0, 0, 0);
}

/// As in `calls.c`: a record of each layout, with a different number in each field.
fn send_each_layout(t: &Tracer<impl Clock>) {
    t.state_entry(Obj(0x2000_0010), Fun(0x802));
    t.state_init(Obj(0x2000_0010), Fun(0x802), Fun(0x803));
    t.init_tran(Obj(0x2000_0010), Fun(0x802));
    t.intern_tran(0x102, Obj(0x2000_0020), Fun(0x803));
    t.tran(0x102, Obj(0x2000_0020), Fun(0x803), Fun(0x804));
    t.unhandled(0x102, Obj(0x2000_0020), Fun(0x803));
    t.defer(Obj(0x2000_0010), Obj(0x2000_0020), 0x304, 14, 15);
    t.subscribe(0x102, Obj(0x2000_0020));
    t.post(Obj(0x2000_0010), 0x203, Obj(0x2000_0030), 14, 15, 16, 17);
    t.post_lifo(0x102, Obj(0x2000_0020), 13, 14, 15, 16);
    t.get(0x102, Obj(0x2000_0020), 13, 14, 15);
    t.get_last(0x102, Obj(0x2000_0020), 13, 14);
    t.recall_attempt(Obj(0x2000_0010), Obj(0x2000_0020));
    t.new_event_attempt(0x102, 0x203);
    t.mpool_get(Obj(0x2000_0010), 0x203, 0x304);
    t.mpool_put(Obj(0x2000_0010), 0x203);
    t.publish(Obj(0x2000_0010), 0x203, 13, 14);
    t.new_ref(0x102, 12, 13);
    t.tick(0x0100_0001, 12);
    t.timeevt_arm(Obj(0x2000_0010), Obj(0x2000_0020), 0x0300_0003, 0x0400_0004, 15);
    t.timeevt_auto_disarm(Obj(0x2000_0010), Obj(0x2000_0020), 13);
    t.timeevt_disarm_attempt(Obj(0x2000_0010), Obj(0x2000_0020), 13);
    t.timeevt_rearm(Obj(0x2000_0010), Obj(0x2000_0020), 0x0300_0003, 0x0400_0004, 15, 16);
    t.timeevt_post(Obj(0x2000_0010), 0x203, Obj(0x2000_0030), 14);
    t.crit_entry(11);
    t.isr_entry(11, 12);
    t.sem_take(Obj(0x2000_0010), 12, 13);
}
