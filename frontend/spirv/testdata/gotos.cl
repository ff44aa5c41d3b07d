// Kernels with gotos, of which asm/gotos.spvasm was made once by clang 15 (-cl-std=CL1.2 -target spir64 -O2 with only the first
// passes: -mllvm -opt-bisect-limit=40) and llvm-spirv 15. What TestGotos expects is what the same functions return in C.

// Duff's device: an OpSwitch into a loop.
static uint duff(uint n) {
  uint acc = 0, i = 0;
  if (n == 0) return 7;
  uint k = (n + 7) / 8;
  switch (n % 8 + (n >> 28)) {
  case 0: do { acc = acc * 3 + i++;
  case 7: acc ^= 0x11 + i++;
  case 6: acc += 5 * i++;
  case 5: acc ^= acc << 1;
  case 4: acc += i++;
  case 3: acc = acc * 7 + 1;
  case 2: acc ^= i;
  case 1: acc += 9; i++;
  } while (--k > 0);
  }
  return acc;
}

// A goto into a loop from before it and from outside of it.
static uint jumps_in(uint n) {
  uint a = n, steps = 0;
  if (n & 1) goto inside;
  while (steps < 20) {
    a = a * 1664525u + 1013904223u;
    if (a & 0x100) goto other;
inside:
    a ^= a >> 3;
    steps++;
    if ((a & 7) == 3) goto done;
    continue;
other:
    steps += 2;
    if (a & 0x1000) goto inside;
  }
  a += 17;
done:
  return a + steps;
}

// States that mostly go by way of a switch.
static uint states(uint n) {
  uint st = n % 5, acc = n, fuel = 30;
  goto dispatch;
s0: acc += 3; st = acc % 5; goto dispatch;
s1: acc ^= 0x55; if (acc & 4) goto s3; st = 2; goto dispatch;
s2: acc *= 5; if (acc & 2) goto s1f; st = 4; goto dispatch;
s1f: acc++; if (--fuel == 0) goto out; goto s1;
s3: acc -= 7; if (--fuel == 0) goto out; if (acc & 8) goto s2; st = 0; goto dispatch;
s4: acc = (acc << 3) | (acc >> 29); st = (acc >> 4) % 5;
dispatch:
  if (--fuel == 0 || fuel > 1000) goto out;
  switch (st) { case 0: goto s0; case 1: goto s1; case 2: goto s2; case 3: goto s3; default: goto s4; }
out:
  return acc;
}

// Cases that fall through, go on and return.
static uint falls(uint n) {
  uint r = 0;
  for (uint i = 0; i < 9; i++) {
    switch ((n + i) % 6) {
    case 0: r += 1; if (r & 16) continue;
    case 1: r ^= i; break;
    case 2: r += 100; if (r > 5000) return r;
    case 3: for (uint j = 0; j < 3; j++) { if (j == n % 3) break; r = r * 3 + j; if (r % 11 == 4) goto next; }
    case 4: r++; break;
    default: if (r > 1000) goto end; r += 7;
    }
    r += 2;
next: ;
  }
end:
  return r;
}

// Three loops in one another.
static uint interlocked(uint n) {
  uint a = n, fuel = 40;
  if (n & 2) goto y;
x: a += 3; if (fuel-- == 0) return a; if (a & 4) goto z;
y: a ^= 0x2b; if (fuel-- == 0) return a * 2; if (a & 1) goto x; if (a & 8) goto y;
z: a = a * 5 + 1; if (fuel-- == 0) return a * 3; if (a & 16) goto y; if (a & 32) goto x;
  return a;
}

__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void k(__global uint *buf) {
  uint i = get_global_id(0);
  uint n = buf[i];
  buf[16 + i * 5 + 0] = duff(n);
  buf[16 + i * 5 + 1] = jumps_in(n);
  buf[16 + i * 5 + 2] = states(n);
  buf[16 + i * 5 + 3] = falls(n);
  buf[16 + i * 5 + 4] = interlocked(n);
}
