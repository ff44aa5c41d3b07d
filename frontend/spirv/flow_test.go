package spirv_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc/internal/amber"
	"nirc/internal/refs"
)

// flowShader leaves switches and loops from every depth: breaks and continues
// that pass through a switch which had to become a loop, falls through, and
// returns from inside. flowModel is the same in Go.
const flowShader = `#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer B { int r[]; };
int f(int n) {
  int s = 0;
  for (int i = 0; i < 12; i++) {
    switch ((i + n) % 7) {
    case 0:
      if (i > 3) { if (n % 3 == 1) continue; s += 1; if (n % 2 == 0) break; }
      s += 10;
      break;
    case 1:
      s += 100;
      if (n == 5) return s;
    case 2:
      for (int j = 0; j < 4; j++) {
        if (j == n % 4) { s += 3; continue; }
        if (j > 2) break;
        switch (j) { case 1: if (n > 8) { s += 7; break; } s += 2; default: s += 5; }
        s += 1;
      }
      if (s % 5 == 0) break;
      s += 1000;
    case 4:
      s ^= i;
      break;
    default:
      if (s > 5000) { if (n > 3) return -s; s -= 5000; }
      s += 2;
    }
    s += 3;
    do { if (s % 2 == 0) break; s += 1; if (s % 3 == 0) continue; s += 4; } while (s % 4 != 0);
  }
  return s;
}
void main() { uint k = gl_WorkGroupID.x; r[k] = f(int(k)); }
`

func flowModel(n int32) int32 {
	s := int32(0)
	for i := int32(0); i < 12; i++ {
		to := (i + n) % 7
		skip := false
	cases:
		for {
			switch to {
			case 0:
				if i > 3 {
					if n%3 == 1 {
						skip = true
						break cases
					}
					s++
					if n%2 == 0 {
						break cases
					}
				}
				s += 10
				break cases
			case 1:
				s += 100
				if n == 5 {
					return s
				}
				to = 2
			case 2:
				for j := int32(0); j < 4; j++ {
					if j == n%4 {
						s += 3
						continue
					}
					if j > 2 {
						break
					}
					if j == 1 && n > 8 {
						s += 7
					} else {
						if j == 1 {
							s += 2
						}
						s += 5
					}
					s++
				}
				if s%5 == 0 {
					break cases
				}
				s += 1000
				to = 4
			case 4:
				s ^= i
				break cases
			default:
				if s > 5000 {
					if n > 3 {
						return -s
					}
					s -= 5000
				}
				s += 2
				break cases
			}
		}
		if skip {
			continue
		}
		s += 3
		for again := true; again; again = s%4 != 0 {
			if s%2 == 0 {
				break
			}
			s++
			if s%3 == 0 {
				continue
			}
			s += 4
		}
	}
	return s
}

func TestFlow(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	const n = 40
	var want strings.Builder
	for k := range int32(n) {
		fmt.Fprintf(&want, " %d", flowModel(k))
	}
	script := fmt.Sprintf("#!amber\nSHADER compute cs GLSL\n%sEND\nBUFFER buf DATA_TYPE int32 SIZE %d FILL 0\nPIPELINE compute p\n  ATTACH cs\n  BIND BUFFER buf AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p %d 1 1\nEXPECT buf IDX 0 EQ%s\n", flowShader, n, n, want.String())
	path := filepath.Join(t.TempDir(), "flow.amber")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	b := amber.Batch{Runner: &amber.Runner{Target: interpreter{}}, Timeout: 20 * time.Second}
	if r := b.RunFile(context.Background(), path); r.Verdict != amber.Pass || r.Checked == 0 {
		t.Errorf("%v: %s", r.Verdict, r.Reason)
	}
}
