/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Stand-in for the output of CubeMX, with the HAL of an STM32 and CMSIS: what examples/uart_dma.c uses. */
#ifndef STAND_IN_MAIN_H
#define STAND_IN_MAIN_H

#include <stdint.h>

#define __DCACHE_PRESENT 1u

typedef struct {
    int instance;
} UART_HandleTypeDef;
typedef enum { HAL_OK, HAL_TIMEOUT = 3 } HAL_StatusTypeDef;

void SCB_CleanDCache_by_Addr(volatile void *address, int32_t size);
HAL_StatusTypeDef HAL_UART_Transmit_DMA(UART_HandleTypeDef *uart, const uint8_t *bytes, uint16_t count);
HAL_StatusTypeDef HAL_UART_Receive(UART_HandleTypeDef *uart, uint8_t *bytes, uint16_t count, uint32_t timeout);
void HAL_UART_TxCpltCallback(UART_HandleTypeDef *uart);
uint32_t HAL_GetTick(void);
uint32_t HAL_RCC_GetHCLKFreq(void);

#endif
