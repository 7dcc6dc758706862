/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Casts that ports need, without a warning in C++. */
#ifndef SPYTUI_PORTS_CAST_H
#define SPYTUI_PORTS_CAST_H

#ifdef __cplusplus
#define STY_PORT_CAST(type, pointer) (reinterpret_cast<type>(pointer))
#define STY_PORT_NUMBER(type, number) (static_cast<type>(number))
#else
#define STY_PORT_CAST(type, pointer) ((type)(pointer))
#define STY_PORT_NUMBER(type, number) ((type)(number))
#endif

#endif
