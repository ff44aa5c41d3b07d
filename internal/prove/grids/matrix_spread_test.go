package grids

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

//go:embed testdata/asm/matrix_spread.spvasm
var matrixSpread string

const (
	matrixStride = 300 // floats between rows, in all buffers
	matrixRoom   = 132 * matrixStride
)

// spreadModule is the module for a shape; matrices with odd sides have no squares of four.
func spreadModule(rows, cols int) string {
	square := rows%2 == 0 && cols%2 == 0
	results := 8
	r := strings.NewReplacer("ROWS", fmt.Sprint(rows), "COLS", fmt.Sprint(cols), "HALFROWS", fmt.Sprint(max(rows/2, 1)), "HALFCOLS", fmt.Sprint(max(cols/2, 1)))
	var places, stores strings.Builder
	more := ""
	if square {
		results, more = 9, "%r8 = OpCooperativeMatrixReduceEXT %quarter %m 2x2 %fadd"
	}
	for k := range results {
		fmt.Fprintf(&places, "%%place%d = OpConstant %%u32 %d\n", k, k*matrixRoom)
		fmt.Fprintf(&stores, "%%q%d = OpAccessChain %%pf %%to %%c0 %%place%d\nOpCooperativeMatrixStoreKHR %%q%d %%r%d %%c0 %%c300\n", k, k, k, k)
	}
	return r.Replace(strings.NewReplacer("PLACES", places.String(), "SQUARE", more, "STORES", stores.String(), "HALFROWS", fmt.Sprint(max(rows/2, 1)), "HALFCOLS", fmt.Sprint(max(cols/2, 1))).Replace(matrixSpread))
}

// spreadValue is component (row, col) of the matrix: whole numbers, whose sums are exact.
func spreadValue(row, col int) float64 { return float64((row*7+col*3)%11 + row) }

// wantSpread is what the k-th result has at a place.
func wantSpread(k, row, col, rows, cols int) float64 {
	sum := func(r0, r1, c0, c1 int) (s float64) {
		for r := r0; r < r1; r++ {
			for c := c0; c < c1; c++ {
				s += spreadValue(r, c)
			}
		}
		return s
	}
	switch k {
	case 2:
		return spreadValue(col, row)
	case 4:
		return float64(row*300+col) + spreadValue(row, col)*0.5 - spreadValue(row, col)
	case 5:
		return sum(row, row+1, 0, cols)
	case 6:
		return sum(0, rows, col, col+1)
	case 7:
		return sum(0, rows, 0, cols)
	case 8:
		return sum(2*row, 2*row+2, 2*col, 2*col+2)
	}
	return spreadValue(row, col)
}

// spreadShape is the size of the k-th result, 0 rows if there is none.
func spreadShape(k, rows, cols int) (h, w int) {
	switch k {
	case 2:
		return cols, rows
	case 5:
		return rows, 5
	case 6:
		return 5, cols
	case 7:
		return 2, 3
	case 8:
		if rows%2+cols%2 != 0 {
			return 0, 0
		}
		return rows / 2, cols / 2
	}
	return rows, cols
}

// spreadRun gives what a program stores of a matrix.
func spreadRun(t *testing.T, p emu.Program, rows, cols int) []byte {
	t.Helper()
	mem, table := emu.NewMemory(), &emu.Bindings{}
	in, out := mem.Alloc(4*matrixRoom), mem.Alloc(4*matrixRoom*9)
	for r := range rows {
		for c := range cols {
			binary.LittleEndian.PutUint32(in.Data[4*(r*matrixStride+c):], math.Float32bits(float32(spreadValue(r, c))))
		}
	}
	table.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: in.Addr, Size: uint64(len(in.Data))}})
	table.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: table}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatalf("%d x %d: %v", rows, cols, err)
	}
	return out.Data
}

// TestMatrixSpread: uses, transposition, operations on each component and reductions of cooperative matrices of many shapes, with
// more and fewer columns than lanes, and sides that are no powers of two, on all targets.
func TestMatrixSpread(t *testing.T) {
	names := []string{"as A", "as B", "transposed", "converted as A", "each component", "rows", "columns", "all", "squares"}
	for n, s := range [][2]int{{1, 1}, {4, 4}, {5, 6}, {16, 16}, {8, 20}, {33, 2}, {3, 40}, {2, 130}} {
		rows, cols := s[0], s[1]
		m, err := nirc.Load([]byte(spreadModule(rows, cols)), "spread.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}} {
			o.Level, o.Run = passes.Level(n%3), passes.RunOptions{VerifyEach: true}
			p, _, err := exec.Executable(t.Context(), m, o)
			if err != nil {
				t.Fatalf("%s %s, %d x %d: %v", o.Target, o.GPU, rows, cols, err)
			}
			out := spreadRun(t, p, rows, cols)
			for k, name := range names {
				h, w := spreadShape(k, rows, cols)
				for i := range h * w {
					got := float64(math.Float32frombits(binary.LittleEndian.Uint32(out[4*(k*matrixRoom+i/w*matrixStride+i%w):])))
					if want := wantSpread(k, i/w, i%w, rows, cols); got != want {
						t.Fatalf("%s %s, %d x %d: %s: component (%d, %d) is %v, want %v", o.Target, o.GPU, rows, cols, name, i/w, i%w, got, want)
					}
				}
			}
		}
	}
}
