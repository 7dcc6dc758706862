/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A boiler without a framework, traced with the macros of QS: dropin HOST:PORT, or file:PATH. */
#include "qs_port.h"

enum { TEMPERATURE = QS_USER, FLAME };
enum { IGNITE };

static uint8_t boiler;

void QS_onReset(void) {
}

void QS_onCommand(uint8_t cmdId, uint32_t param1, uint32_t param2, uint32_t param3) {
    boiler = (uint8_t)(cmdId == IGNITE ? param1 : param2 + param3);
}

int main(int argc, char **argv) {
    if (!QS_INIT(argc > 1 ? argv[1] : NULL)) {
        return 1;
    }
    QS_GLB_FILTER(QS_GRP_UA);
    QS_OBJ_DICTIONARY(&boiler);
    QS_USR_DICTIONARY(TEMPERATURE);
    QS_USR_DICTIONARY(FLAME);
    QS_ENUM_DICTIONARY(IGNITE, QS_CMD);
    for (unsigned i = 0; i < 50; i++) {
        QS_BEGIN_ID(TEMPERATURE, 0)
            QS_OBJ(&boiler);
            QS_U16(4, 200 + i);
            QS_STR("0.1 C");
        QS_END()
        QS_RX_INPUT();
        QS_OUTPUT();
    }
    QS_EXIT();
    return 0;
}
