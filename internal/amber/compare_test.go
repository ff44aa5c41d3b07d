package amber

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nirc/internal/emu"
)

// expectOn parses a script of declarations and one EXPECT and evaluates it on the
// buffers' first contents.
func expectOn(t *testing.T, text string) error {
	t.Helper()
	r := runText(t, &fakeTarget{}, "#!amber\n"+text+"\n")
	switch {
	case r.Verdict == Pass && r.Checked == 1:
		return nil
	case r.Verdict == Fail && r.Cause == CauseExpectation:
		return &ParseError{Msg: r.Reason}
	}
	t.Fatalf("%s: %+v", text, r)
	return nil
}

// TestLooseTolerance: what only Amber's count of an absolute tolerance lets pass is
// noted, and fails where the runner is strict.
func TestLooseTolerance(t *testing.T) {
	const text = "#!amber\nBUFFER b DATA_TYPE R8G8B8A8_UNORM WIDTH 1 HEIGHT 1 DATA 255 128 0 64 END\n"
	run := func(expect string, strict bool) Result {
		s, err := Parse("test.amber", []byte(text+"EXPECT b IDX 0 0 SIZE 1 1 EQ_RGBA "+expect+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		return (&Runner{Target: &fakeTarget{}, Strict: strict}).Run(t.Context(), s)
	}
	if r := run("255 128 0 65 TOLERANCE 1", false); r.Verdict != Pass || r.Checked != 1 || r.Notes != nil {
		t.Errorf("within a 255th: %+v", r)
	}
	r := run("0 128 0 64 TOLERANCE 1", false)
	if r.Verdict != Pass || r.Checked != 0 || len(r.Notes) != 1 || r.Notes[0].Line != 3 || !strings.Contains(r.Notes[0].Text, "got 255 128 0 64, want 0 128 0 64") {
		t.Errorf("within the range: %+v", r)
	}
	var line strings.Builder
	if err := WriteResult(&line, "x", r); err != nil || !strings.HasPrefix(line.String(), "PASS x (line 3: not checked: ") {
		t.Errorf("written as %q, %v", line.String(), err)
	}
	if r := run("0 128 0 64 TOLERANCE 1", true); r.Verdict != Fail || r.Cause != CauseExpectation || r.Notes != nil {
		t.Errorf("strict: %+v", r)
	}
	for _, expect := range []string{"0 128 0 64", "0 128 0 64 TOLERANCE 0.5", "0 128 0 64 TOLERANCE 100%"} {
		if r := run(expect, false); r.Verdict != Fail {
			t.Errorf("%s: %+v", expect, r)
		}
	}
}

// TestExpectations has each comparator both true and false, for each kind of
// number.
func TestExpectations(t *testing.T) {
	const (
		i8   = "BUFFER b DATA_TYPE int8 DATA -5 100 END\n"
		u8   = "BUFFER b DATA_TYPE uint8 DATA 251 100 END\n"
		i64  = "BUFFER b DATA_TYPE int64 DATA -9223372036854775807 9007199254740993 END\n"
		u64  = "BUFFER b DATA_TYPE uint64 DATA 18446744073709551615 9007199254740993 END\n"
		f16  = "BUFFER b DATA_TYPE float16 DATA 1.5 -2 END\n"
		f32  = "BUFFER b DATA_TYPE float DATA 0.1 -3.5 END\n"
		f64  = "BUFFER b DATA_TYPE double DATA 0.1 -3.5 END\n"
		nan  = "BUFFER b DATA_TYPE float DATA NaN 1e39 END\n"
		v2   = "BUFFER b DATA_TYPE vec2<float> DATA 1 100 2 200 END\n"
		v3   = "BUFFER b DATA_TYPE vec3<int32> DATA 1 2 3 4 5 6 END\n"
		rgba = "BUFFER b DATA_TYPE R8G8B8A8_UNORM WIDTH 2 HEIGHT 1 DATA 255 128 0 64 255 128 0 65 END\n"
		bgr  = "BUFFER b DATA_TYPE B8G8R8_UNORM WIDTH 1 HEIGHT 1 DATA 1 2 3 END\n"
		srgb = "BUFFER b DATA_TYPE R8G8B8A8_SRGB WIDTH 1 HEIGHT 1 DATA 255 188 0 128 END\n"
		flt  = "BUFFER b DATA_TYPE vec4<float> WIDTH 1 HEIGHT 1 DATA 1 0.5 0 2 END\n"
		d32  = "BUFFER b DATA_TYPE D32_SFLOAT WIDTH 2 HEIGHT 1 DATA 0 1 END\n"
		d16  = "BUFFER b DATA_TYPE D16_UNORM WIDTH 2 HEIGHT 1 DATA 0 65535 END\n"
		ab   = "BUFFER a DATA_TYPE uint8 DATA 1 2 3 END\nBUFFER b DATA_TYPE uint8 DATA 1 2 3 END\nBUFFER c DATA_TYPE uint8 DATA 1 2 5 END\nBUFFER d DATA_TYPE int8 DATA 1 2 3 END\nBUFFER e DATA_TYPE uint8 DATA 1 2 END\n"
		hist = "BUFFER a DATA_TYPE R8G8B8A8_UNORM WIDTH 2 HEIGHT 1 DATA 0 0 0 0 9 9 9 9 END\nBUFFER b DATA_TYPE R8G8B8A8_UNORM WIDTH 2 HEIGHT 1 DATA 9 9 9 9 0 0 0 0 END\nBUFFER c DATA_TYPE R8G8B8A8_UNORM WIDTH 2 HEIGHT 1 DATA 0 0 0 0 9 9 9 41 END\n"
	)
	for _, c := range []struct {
		decl, expect string
		want         bool
	}{
		{i8, "b IDX 0 EQ -5 100", true}, {i8, "b IDX 0 EQ 251", true}, {i8, "b IDX 0 EQ 5", false},
		{i8, "b IDX 0 NE 5", true}, {i8, "b IDX 0 NE -5", false},
		{i8, "b IDX 0 LT -4", true}, {i8, "b IDX 0 LT -5", false},
		{i8, "b IDX 0 LE -5", true}, {i8, "b IDX 0 LE -6", false},
		{i8, "b IDX 1 GT 99", true}, {i8, "b IDX 1 GT 100", false},
		{i8, "b IDX 1 GE 100", true}, {i8, "b IDX 1 GE 101", false},
		{u8, "b IDX 0 GT 5", true}, {u8, "b IDX 0 LT 5", false}, {u8, "b IDX 1 EQ 0x64", true},
		{i64, "b IDX 0 LT 0", true}, {i64, "b IDX 8 EQ 9007199254740993", true}, {i64, "b IDX 8 EQ 9007199254740992", false},
		{u64, "b IDX 0 GT 1", true}, {u64, "b IDX 0 EQ 18446744073709551615", true}, {u64, "b IDX 8 GT 9007199254740992", true},
		{f16, "b IDX 0 EQ 1.5 -2.0", true}, {f16, "b IDX 0 EQ 1.501", false}, {f16, "b IDX 2 LT 0", true},
		{f32, "b IDX 0 EQ 0.1 -3.5", true}, {f32, "b IDX 0 EQ 0.1001", false}, {f32, "b IDX 0 NE 0.1", false}, {f32, "b IDX 0 NE 0.2", true},
		{f32, "b IDX 4 GE -3.5", true}, {f32, "b IDX 4 GT -3.5", false},
		{f32, "b IDX 0 TOLERANCE 0.05 EQ 0.14", true}, {f32, "b IDX 0 TOLERANCE 0.05 EQ 0.16", false},
		{f32, "b IDX 0 TOLERANCE 10% EQ 0.11", true}, {f32, "b IDX 0 TOLERANCE 5% EQ 0.11", false},
		{f64, "b IDX 0 EQ 0.1", true}, {f64, "b IDX 0 EQ 0.10000001", false},
		{nan, "b IDX 0 EQ NaN", true}, {nan, "b IDX 0 EQ 1", false}, {nan, "b IDX 0 LT 1", false}, {nan, "b IDX 0 GE 1", false},
		{nan, "b IDX 0 TOLERANCE 100 EQ 1", false}, {nan, "b IDX 4 TOLERANCE 50% EQ 1e30", false}, {nan, "b IDX 4 EQ 1e40", true},
		{v2, "b IDX 0 TOLERANCE 0.5 5 EQ 1.4 104 2.4 204", true}, {v2, "b IDX 0 TOLERANCE 0.5 5 EQ 1.6 104", false}, {v2, "b IDX 0 TOLERANCE 0.5 5 EQ 1.4 106", false},
		{v2, "b IDX 8 EQ 2 200", true}, {v2, "b IDX 4 EQ 100 2", false},
		{v3, "b IDX 16 EQ 4 5 6", true}, {v3, "b IDX 0 EQ 1 2 3 4 5 6", true}, {v3, "b IDX 0 EQ 1 2 3 0", false},
		{rgba, "b IDX 0 0 SIZE 2 1 EQ_RGB 255 128 0", true}, {rgba, "b IDX 0 0 SIZE 1 1 EQ_RGBA 255 128 0 64", true},
		{rgba, "b IDX 0 0 SIZE 2 1 EQ_RGBA 255 128 0 64", false}, {rgba, "b IDX 1 0 SIZE 1 1 EQ_RGB 255 129 0", false},
		{rgba, "b IDX 0 0 SIZE 2 1 EQ_RGBA 255 128 0 64 TOLERANCE 1", true}, {rgba, "b IDX 0 0 SIZE 1 1 EQ_RGB 255 130 0 TOLERANCE 1", false},
		{rgba, "b IDX 0 0 SIZE 1 1 EQ_RGBA 255 130 0 64 TOLERANCE 0 2 0 0", true}, {rgba, "b IDX 0 0 SIZE 1 1 EQ_RGBA 255 130 0 64 TOLERANCE 2 0 0 0", false},
		{rgba, "b IDX 0 0 SIZE 1 1 EQ_RGB 255 130 0 TOLERANCE 2%", true}, {rgba, "b IDX 0 0 SIZE 1 1 EQ_RGB 255 130 0 TOLERANCE 1%", false},
		{bgr, "b IDX 0 0 SIZE 1 1 EQ_RGB 3 2 1", true}, {bgr, "b IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3", false}, {bgr, "b IDX 0 0 SIZE 1 1 EQ_RGBA 3 2 1 77", true},
		{srgb, "b IDX 0 0 SIZE 1 1 EQ_RGBA 255 128 0 128 TOLERANCE 1", true}, {srgb, "b IDX 0 0 SIZE 1 1 EQ_RGB 255 188 0", false},
		{flt, "b IDX 0 0 SIZE 1 1 EQ_RGB 255 127 0 TOLERANCE 1", true}, {flt, "b IDX 0 0 SIZE 1 1 EQ_RGBA 255 127 0 255 TOLERANCE 1", false},
		{d32, "b IDX 0 0 SIZE 1 1 EQ_RGB 0 9 9", true}, {d32, "b IDX 1 0 SIZE 1 1 EQ_RGB 255 0 0", true}, {d32, "b IDX 0 0 SIZE 1 1 EQ_RGB 1 0 0", false},
		{d16, "b IDX 1 0 SIZE 1 1 EQ_RGB 255 0 0", true}, {d16, "b IDX 0 0 SIZE 2 1 EQ_RGB 0 0 0", false},
		{ab, "a EQ_BUFFER b", true}, {ab, "a EQ_BUFFER c", false}, {ab, "a EQ_BUFFER d", false}, {ab, "a EQ_BUFFER e", false},
		{ab, "a RMSE_BUFFER c TOLERANCE 1.16", true}, {ab, "a RMSE_BUFFER c TOLERANCE 1.15", false},
		{hist, "a EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 0", true},
		{hist, "a EQ_HISTOGRAM_EMD_BUFFER c TOLERANCE 0.0625", true}, {hist, "a EQ_HISTOGRAM_EMD_BUFFER c TOLERANCE 0.0624", false},
		{ab, "a EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 1", false},
	} {
		err := expectOn(t, c.decl+"EXPECT "+c.expect)
		if (err == nil) != c.want {
			t.Errorf("%sEXPECT %s: %v, want %v", c.decl, c.expect, err, c.want)
		}
	}
}

// TestDifferingBytes: buffers that differ are told apart by how many bytes differ, and by the first of them.
func TestDifferingBytes(t *testing.T) {
	for _, at := range [][]int{{0}, {0, 1}, {0, 3, 4}, {2}, {2, 4}, {4}, {0, 1, 2, 3, 4}} {
		text := [2]string{"BUFFER a DATA_TYPE uint8 DATA", "BUFFER b DATA_TYPE uint8 DATA"}
		for k := range 5 {
			v := 10 + k
			text[0] += fmt.Sprint(" ", v)
			if slices.Contains(at, k) {
				v += 100
			}
			text[1] += fmt.Sprint(" ", v)
		}
		err := expectOn(t, text[0]+" END\n"+text[1]+" END\nEXPECT a EQ_BUFFER b")
		want := fmt.Sprintf("differ in %d bytes, first at byte %d: 0x%02x and 0x%02x", len(at), at[0], 10+at[0], 110+at[0])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", at, err, want)
		}
	}
}

func TestStencilHasNoColour(t *testing.T) {
	err := expectOn(t, "BUFFER b DATA_TYPE S8_UINT WIDTH 1 HEIGHT 1 DATA 5 END\nEXPECT b IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0")
	if err == nil || !strings.Contains(err.Error(), "no colour") {
		t.Errorf("%v", err)
	}
}

// TestHalfTowardsZero checks that halves of literals are cut off, not rounded.
func TestHalfTowardsZero(t *testing.T) {
	for _, f := range []float32{0, 1, -1, 1.0009, -2.9000001, 5.73735199, 90.5568627, -60.4349515, 65504, 1e-7, -3e-8, 6.1e-5, 0.1} {
		h := halfTowardsZero(f)
		got, next := float64(emu.HalfToFloat(h)), float64(emu.HalfToFloat(h+1))
		if math.Abs(got) > math.Abs(float64(f)) || math.Abs(next) <= math.Abs(float64(f)) || got != 0 && math.Signbit(got) != (f < 0) {
			t.Errorf("%g becomes %g, the next is %g", f, got, next)
		}
	}
	for f, want := range map[float32]uint16{float32(math.Inf(1)): 0x7c00, float32(math.Inf(-1)): 0xfc00, 1e6: 0x7c00} {
		if h := halfTowardsZero(f); h != want {
			t.Errorf("%g becomes %#x, want %#x", f, h, want)
		}
	}
}
