package midgard

import (
	"strings"
	"testing"

	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// fragmentOf is a fragment shader around some instructions: %60 and %61 are where it is, %2 and %3 are 0 and 1, and it paints %9.
func fragmentOf(body string) string {
	return `shader fragment "main" {
  scratch_size = 16
  info { outputs_written=0x10 uses_demote io_lowered }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x4 = load_frag_coord
      %2:32 = load_const 0x0
      %3:32 = load_const 0x3f800000
      %60:32 = mov %1.x
      %61:32 = mov %1.y
` + body + `
      %90:32x4 = vec4 %9, %9, %9, %9
      store_output %90, %0 base=4 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA0 1}
  }
}`
}

// helperFields are those of the texture operations that the code has, in turn.
func helperFields(t *testing.T, text string) (fields string) {
	t.Helper()
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for pos := 0; pos < len(bin.Code); {
		b, size, err := isa.Decode(bin.Code[pos:])
		if err != nil || size == 0 {
			break // the padding
		}
		if b.Tag == isa.TagTex {
			fields += " " + map[isa.Helpers]string{isa.HelpersSkip: "skip", isa.HelpersKill: "kill", isa.HelpersNormal: "normal"}[b.Tex.Helpers]
		}
		pos += size
	}
	return strings.TrimSpace(fields)
}

// TestHelperThreads: helper threads end with the last derivative of their way, and have what later ones are made of.
func TestHelperThreads(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct{ name, body, want string }{
		{"the last", "%9:32 = ddx %60", "kill"},
		{"independent ones", "%4:32 = ddx %60\n%5:32 = ddy %61\n%9:32 = fadd %4, %5", "skip kill"},
		{"one of another", "%4:32 = ddx %60\n%5:32 = fmul %4, %1.y\n%9:32 = ddy %5", "normal kill"},
		{"two components at a time", "%4:32x4 = ddx %1\n%5:32 = fadd %4.x, %4.w\n%9:32 = fadd %5, %4.z", "skip kill"},
		{"on two ways", `%4:32 = flt32 %1.x, %1.y
    if %4 {
      b1:
      %5:32 = ddx %60
    } else {
      b2:
      %6:32 = ddy %61
    }
    b3:
      %9:32 = phi b1: %5, b2: %6`, "kill kill"},
		{"before a way without", `%4:32 = ddx %60
      %5:32 = flt32 %1.x, %1.y
    if %5 {
      b1:
      %6:32 = ddx %61
    } else {
      b2:
    }
    b3:
      %7:32 = phi b1: %6, b2: %3
      %9:32 = fadd %7, %4`, "skip kill"},
		{"of the condition of a later one", `%4:32 = ddx %60
      %5:32 = flt32 %4, %1.y
    if %5 {
      b1:
      %6:32 = ddx %61
    } else {
      b2:
    }
    b3:
      %9:32 = phi b1: %6, b2: %3`, "normal kill"},
		{"of the condition of none", `%4:32 = ddx %60
      %5:32 = flt32 %4, %1.y
    if %5 {
      b1:
      %6:32 = fmul %1.y, %1.x
    } else {
      b2:
    }
    b3:
      %9:32 = phi b1: %6, b2: %3`, "kill"},
		{"of what ends the thread", "%4:32 = ddx %60\n%5:32 = flt32 %4, %1.y\nterminate_if %5\n%9:32 = ddx %61", "normal kill"},
		{"of what ends it when none follows", "%4:32 = ddx %60\n%5:32 = flt32 %4, %1.y\nterminate_if %5\n%9:32 = fadd %1.y, %1.x", "kill"},
		{"of what is stored and loaded again", "%4:32 = ddx %60\nstore_scratch %4, %0 write_mask=x align_mul=16\n%5:32 = load_scratch %0 align_mul=16\n%9:32 = ddx %5", "normal kill"},
		{"of what is stored when none follows", "%4:32 = ddx %60\nstore_scratch %4, %0 write_mask=x align_mul=16\n%9:32 = load_scratch %0 align_mul=16", "kill"},
		{"in a loop", `
    loop {
      b1: // preds: b0 b4
        %4:32 = phi b0: %2, b4: %7
        %10:32 = phi b0: %2, b4: %8
        %5:32 = flt32 %1.y, %4
      if %5 {
        b2: // preds: b1
          break
      } else {
        b3: // preds: b1
      }
      b4: // preds: b3
        %6:32 = ddx %60
        %7:32 = fadd %4, %3
        %8:32 = fadd %10, %6
        continue
    }
    b5:
      %9:32 = fadd %4, %10`, "skip"},
		{"in a loop, of the last round's", `
    loop {
      b1: // preds: b0 b4
        %4:32 = phi b0: %2, b4: %7
        %5:32 = flt32 %1.y, %4
      if %5 {
        b2: // preds: b1
          break
      } else {
        b3: // preds: b1
      }
      b4: // preds: b3
        %6:32 = fmul %4, %1.x
        %7:32 = ddx %6
        continue
    }
    b5:
      %9:32 = fadd %4, %4`, "normal"},
	} {
		if got := helperFields(t, fragmentOf(c.body)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
