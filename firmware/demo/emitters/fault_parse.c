/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fault switches as text. */
#include "spytui/fault.h"

enum { ONE_MILLION = 1000000 };

const sty_fault_switch_t sty_fault_switches[STY_FAULT_SWITCHES] = {
    {"flip", ONE_MILLION, offsetof(sty_fault_config_t, flip)},
    {"loss", ONE_MILLION, offsetof(sty_fault_config_t, loss)},
    {"noise", ONE_MILLION, offsetof(sty_fault_config_t, noise)},
    {"dup", ONE_MILLION, offsetof(sty_fault_config_t, dup)},
    {"burst", ONE_MILLION, offsetof(sty_fault_config_t, burst)},
    {"link-rate", UINT32_MAX, offsetof(sty_fault_config_t, link_rate)},
    {"reset-every", UINT32_MAX, offsetof(sty_fault_config_t, reset_every)},
    {"garbage", ONE_MILLION, offsetof(sty_fault_config_t, garbage)},
    {"seed", UINT32_MAX, offsetof(sty_fault_config_t, seed)}};

/* If `text` begins with this name and an equals sign, returns what follows, otherwise NULL. */
static const char *after_name(const char *text, const char *name) {
    for (; *name != '\0'; name++, text++) {
        if (*text != *name) {
            return NULL;
        }
    }
    return *text == '=' ? text + 1 : NULL;
}

/* Parses a decimal number; NULL if there is none, or it exceeds `most`. */
static const char *take_number(const char *text, uint32_t most, uint32_t *number) {
    const char *at = text;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9' && value <= most; at++) {
        value = value * 10u + (uint64_t)(*at - '0');
    }
    if (at == text || value > most) {
        return NULL;
    }
    *number = (uint32_t)value;
    return at;
}

/* Parses a switch; NULL if there is none. */
static const char *take_switch(sty_fault_config_t *config, const char *text) {
    for (size_t i = 0; i < STY_FAULT_SWITCHES; i++) {
        const sty_fault_switch_t *known = &sty_fault_switches[i];
        const char *number = after_name(text, known->name);
        if (number != NULL) {
            uint32_t *value = (uint32_t *)(void *)((unsigned char *)config + known->offset);
            return take_number(number, known->most, value);
        }
    }
    return NULL;
}

bool sty_fault_parse(sty_fault_config_t *config, const char *text, const char **error) {
    while (*text != '\0') {
        const char *behind = take_switch(config, text);
        if (behind == NULL || (*behind != ',' && *behind != '\0')) {
            *error = text;
            return false;
        }
        text = *behind == ',' ? behind + 1 : behind;
    }
    return true;
}
