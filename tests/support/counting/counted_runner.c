/* A runner whose instructions are known: `lab count` is held against it. x86-64 and glibc only.

   point serialize     100 turns of a loop of two instructions
   point deserialize   600 turns of the same loop
   point round-trip    as many turns as a random byte says
   process-created serialize   a memcpy of 64 KiB, which glibc chooses by the CPU's features

   Compiled with the name of a file as HELD, the program does not serialize as long as the file is there. */
#include <cpuid.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char one[1 << 16], other[1 << 16];

static void turn(uint64_t turns) {
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns) : : "cc");
}

static void random_turns(int file) {
    unsigned char byte = 0;
    if (read(file, &byte, 1) != 1) exit(1);
    turn(1000 + byte);
}

static int describe(const char *codec) {
    const char *cell = "{\"scenario\":\"%s\",\"operation\":\"%s\",\"conditions\":{}}%s";
    printf("{\"protocol\":1,\"codec\":\"%s\",\"format\":\"none\",\"library\":null,\"version\":null,\"language\":\"fake\","
           "\"compiler\":\"cc\",\"flags\":\"\",\"control\":true,\"role\":\"nothing\",\"self_describing\":false,\"cells\":[",
           codec);
    printf(cell, "point", "serialize", ",");
    printf(cell, "point", "deserialize", ",");
    printf(cell, "point", "round-trip", ",");
    printf(cell, "process-created", "serialize", "]}\n");
    return 0;
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "describe") == 0) return describe("fake/counted");
    const char *scenario = "", *operation = "", *out = "";
    uint64_t warmup = 0, samples = 0, repetitions = 0;
    for (int index = 2; index + 1 < count; index += 2) {
        const char *name = words[index], *value = words[index + 1];
        if (strcmp(name, "--scenario") == 0) scenario = value;
        if (strcmp(name, "--operation") == 0) operation = value;
        if (strcmp(name, "--out") == 0) out = value;
        if (strcmp(name, "--warmup") == 0) warmup = strtoull(value, NULL, 10);
        if (strcmp(name, "--samples") == 0) samples = strtoull(value, NULL, 10);
        if (strcmp(name, "--repetitions") == 0) repetitions = strtoull(value, NULL, 10);
    }
#ifdef HELD
    while (strcmp(operation, "serialize") == 0 && access(HELD, F_OK) == 0) usleep(10000);
#endif
    int file = open("/dev/urandom", O_RDONLY);
    uint64_t total = warmup + samples * repetitions;
    if (strcmp(scenario, "process-created") == 0) {
        void *(*volatile copy)(void *, const void *, size_t) = memcpy;
        while (total--) copy(one, other, sizeof one);
    } else if (strcmp(operation, "serialize") == 0) {
        while (total--) turn(100);
    } else if (strcmp(operation, "deserialize") == 0) {
        while (total--) turn(600);
    } else {
        while (total--) random_turns(file);
    }
    if (samples) {
        FILE *lines = fopen(out, "a");
        fprintf(lines,
                "{\"wall_ns\":1,\"cpu_ns\":1,\"repetitions\":%llu,\"encoded_bytes\":7,\"checksum\":\"crc32:00000000\","
                "\"allocations\":3,\"allocated_bytes\":40}\n",
                (unsigned long long)repetitions);
        fclose(lines);
    }
    return 0;
}

/* Never called: the program only has to hold it. */
unsigned asks_the_cpu(void) {
    unsigned a, b, c, d;
    __cpuid(0, a, b, c, d);
    return a + b + c + d;
}
