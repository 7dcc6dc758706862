/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Output to a UART by DMA on an STM32 with its HAL, which has set up the UART `huart2`, its DMA channel and its
 * interrupt. The clock is the cycle counter. */
#include "lamp.h"
#include "main.h" /* from CubeMX: the HAL, and SCB_CleanDCache_by_Addr() from CMSIS */
#include "spytui/ports/clock_dwt.h"
#include "spytui/ports/dma.h"
#include "spytui/ports/lock_primask.h"

extern UART_HandleTypeDef huart2;

static sty_dwt_t dwt;
static sty_dma_t dma;
static uint8_t received;

static void start(const uint8_t *from, uint32_t count) {
#if defined(__DCACHE_PRESENT) && __DCACHE_PRESENT == 1u
    /* Clean whole lines of 32 bytes. The DMA only reads, so neighbouring data in them does no harm. */
    uint8_t *const line = (uint8_t *)((uintptr_t)from & ~(uintptr_t)31u);
    SCB_CleanDCache_by_Addr(line, (int32_t)(from + count - line));
#endif
    HAL_UART_Transmit_DMA(&huart2, from, (uint16_t)count); /* includes a barrier before the DMA starts */
}

void HAL_UART_TxCpltCallback(UART_HandleTypeDef *uart) {
    (void)uart;
    sty_dma_done(&dma);
}

int lamp_main(void);
int lamp_main(void) {
    const sty_env_t env = {sty_dwt_now, sty_primask_lock, sty_primask_unlock, &dwt, HAL_RCC_GetHCLKFreq()};
    sty_dwt_start();
    lamp_start(&env);
    sty_dma_init(&dma, &lamp_ring, 0xFFFFu, start);
    for (uint32_t last = 0;;) {
        sty_dma_serve(&dma);
        while (HAL_UART_Receive(&huart2, &received, 1, 0) == HAL_OK) {
            lamp_receive(received);
        }
        if (HAL_GetTick() - last >= 100u) {
            last += 100u;
            lamp_step();
        }
    }
}
