mov rdx, 0x9E3779B97F4A7C15
mov r8d, 1
mov r9d, 2
mov r10d, 3
mov r12d, 4
mov r13d, 5
mov r14d, 6
mov r15d, 7
mov eax, 8
mov esi, 9
mov edi, 10
mov ecx, 240000
.p2align 6
2:
add r12, rdx
add r13, rdx
add r14, rdx
add r15, rdx
add rax, rdx
add rsi, rdx
add rdi, rdx
imul r8, r8, 0x2545f491
add r8, rdx
rol r12, 7
rol r13, 13
rol r14, 17
rol r15, 23
rol rax, 29
rol rsi, 37
rol rdi, 43
imul r9, r9, 0x3c6ef35f
add r9, rdx
xor r12, rdx
xor r13, rdx
xor r14, rdx
xor r15, rdx
xor rax, rdx
xor rsi, rdx
xor rdi, rdx
imul r10, r10, 0x5851f42d
add r10, rdx
sub ecx, 1
jnz 2b
