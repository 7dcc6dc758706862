/* Fault switches as text. */
#include "spytui/fault.h"

/* Does `text` begin with this name and an equals sign? Returns what stands behind, else NULL. */
static const char *after_name(const char *text, const char *name) {
    for (; *name != '\0'; name++, text++) {
        if (*text != *name) {
            return NULL;
        }
    }
    return *text == '=' ? text + 1 : NULL;
}

/* Takes a decimal number; NULL if there is none. */
static const char *take_number(const char *text, uint32_t *number) {
    const char *at = text;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++) {
        value = value * 10u + (uint64_t)(*at - '0');
    }
    *number = (uint32_t)value;
    return at == text || value > UINT32_MAX ? NULL : at;
}

/* Takes a switch; NULL if it is none. */
static const char *take_switch(sty_fault_config_t *config, const char *text) {
    const struct {
        const char *name;
        uint32_t *value;
    } switches[] = {
        {"flip", &config->flip}, {"loss", &config->loss}, {"noise", &config->noise}, {"dup", &config->dup},
        {"burst", &config->burst}, {"link-rate", &config->link_rate}, {"reset-every", &config->reset_every},
        {"garbage", &config->garbage}, {"seed", &config->seed},
    };
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        const char *number = after_name(text, switches[i].name);
        if (number != NULL) {
            return take_number(number, switches[i].value);
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
