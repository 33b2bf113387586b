mov x13, #0x7C15
movk x13, #0x7F4A, lsl #16
movk x13, #0x79B9, lsl #32
movk x13, #0x9E37, lsl #48
mov x14, #0x7F2D
movk x14, #0x4C95, lsl #16
movk x14, #0xF42D, lsl #32
movk x14, #0x5851, lsl #48
mov x0, #1
mov x1, #2
mov x2, #3
mov x3, #4
mov x4, #5
mov x5, #6
mov x6, #7
mov x7, #8
mov x8, #9
mov x9, #10
mov x10, #11
mov x11, #12
mov x12, #13
mov w15, #196608
.p2align 6
2:
add x3, x3, x13
add x4, x4, x13
add x5, x5, x13
add x6, x6, x13
add x7, x7, x13
add x8, x8, x13
add x9, x9, x13
add x10, x10, x13
add x11, x11, x13
add x12, x12, x13
mul x0, x0, x14
add x0, x0, x13
ror x3, x3, #7
ror x4, x4, #13
ror x5, x5, #17
ror x6, x6, #23
ror x7, x7, #29
ror x8, x8, #37
ror x9, x9, #43
ror x10, x10, #47
ror x11, x11, #53
ror x12, x12, #59
mul x1, x1, x14
add x1, x1, x13
eor x3, x3, x13
eor x4, x4, x13
eor x5, x5, x13
eor x6, x6, x13
eor x7, x7, x13
eor x8, x8, x13
eor x9, x9, x13
eor x10, x10, x13
eor x11, x11, x13
eor x12, x12, x13
mul x2, x2, x14
add x2, x2, x13
subs w15, w15, #1
b.ne 2b
