//! The configuration record as listed by the reference host.

use crate::config::{Key, Tcfg};

/// Names and values as the reference host lists them: sizes in bits, switches 0 or 1.
pub(crate) fn lines(tcfg: &Tcfg) -> Vec<(&'static str, String)> {
    let settings = &tcfg.settings;
    let bits = |key| (settings.get(key) * 8).to_string();
    let switch = |key| settings.get(key).to_string();
    let flag = |bit: u32| (tcfg.flags >> bit & 1).to_string();
    vec![
        ("RKH_VERSION", tcfg.dotted()),
        ("TRZ_RKH_CFGPORT_TRC_SIZEOF_TSTAMP", bits(Key::Timestamp)),
        ("TRZ_RKH_CFGPORT_TRC_SIZEOF_PTR", bits(Key::Pointer)),
        ("TRZ_RKH_CFG_FWK_SIZEOF_EVT", bits(Key::Signal)),
        ("TRZ_RKH_CFG_FWK_SIZEOF_EVT_SIZE", bits(Key::Esize)),
        ("TRZ_RKH_CFG_FWK_MAX_EVT_POOL", tcfg.max_pools.to_string()),
        ("TRZ_RKH_CFG_RQ_GET_LWMARK_EN", switch(Key::QueueLwm)),
        ("TRZ_RKH_CFG_RQ_SIZEOF_NELEM", bits(Key::Nelem)),
        ("TRZ_RKH_CFG_MP_GET_LWM_EN", switch(Key::PoolLwm)),
        ("TRZ_RKH_CFG_MP_SIZEOF_NBLOCK", bits(Key::Nblock)),
        ("TRZ_RKH_CFG_MP_SIZEOF_BSIZE", bits(Key::Bsize)),
        ("TRZ_RKH_CFG_SMA_TRC_SNDR_EN", switch(Key::Sender)),
        ("TRZ_RKH_CFG_TMR_SIZEOF_NTIMER", bits(Key::Ntimer)),
        ("TRZ_RKH_CFG_TRC_RTFIL_EN", flag(1)),
        ("TRZ_RKH_CFG_TRC_USER_TRACE_EN", flag(2)),
        ("TRZ_RKH_CFG_TRC_ALL_EN", flag(3)),
        ("TRZ_RKH_CFG_TRC_MP_EN", flag(4)),
        ("TRZ_RKH_CFG_TRC_RQ_EN", flag(5)),
        ("TRZ_RKH_CFG_TRC_SMA_EN", flag(6)),
        ("TRZ_RKH_CFG_TRC_TMR_EN", flag(7)),
        ("TRZ_RKH_CFG_TRC_SM_EN", flag(8)),
        ("TRZ_RKH_CFG_TRC_FWK_EN", flag(9)),
        ("TRZ_RKH_CFG_TRC_ASSERT_EN", flag(10)),
        ("TRZ_RKH_CFG_TRC_RTFIL_SMA_EN", flag(13)),
        ("TRZ_RKH_CFG_TRC_RTFIL_SIGNAL_EN", flag(14)),
        ("TRZ_RKH_CFG_TRC_NSEQ_EN", switch(Key::Nseq)),
        ("TRZ_RKH_CFG_TRC_TSTAMP_EN", switch(Key::Tstamp)),
        ("TRZ_RKH_CFG_TRC_CHK_EN", switch(Key::Checksum)),
        ("tstamp_tick_hz", tcfg.hz.to_string()),
    ]
}
