/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pointers from `ctx` and from addresses of registers, without a warning in C++. */
#ifndef SPYTUI_PORTS_CAST_H
#define SPYTUI_PORTS_CAST_H

#ifdef __cplusplus
#define STY_PORT_CAST(type, value) (reinterpret_cast<type>(value))
#else
#define STY_PORT_CAST(type, value) ((type)(value))
#endif

#endif
