package gputest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"nirc/ir"
)

// Ops runs the ALU operations of a target one by one, in vectors of each size up to
// Comps components.
type Ops struct {
	Target string
	Sizes  []uint8 // of the unsized operands
	Comps  int
	Wave   int
	// Skip, if not nil, leaves out what the pipeline lowers before the target sees it.
	Skip func(op ir.Op, bits uint8) bool
	// InRange: floats are converted to integers only where those have them: the hardware leaves others open.
	InRange bool
	// Load compiles the n-th shader and returns what Run.Differ wants.
	Differ func(n int, s *ir.Shader, r *Run, same func(i int, want, got uint32) bool) error
	runs   map[string]string // by operation and size: the numbers of components that run
}

// each yields the operations of the target at the sizes at which they run.
func (c *Ops) each(yield func(op ir.Op, bits uint8) bool) {
	for op := ir.Op(0); int(op) < ir.NumOps; op++ {
		info := op.Info()
		if info.Target != "" && info.Target != c.Target || info.Horizontal() || op == ir.OpMov || info.Out.Class == ir.ClassNone {
			continue
		}
		for _, bits := range c.Sizes {
			if RunsAt(op, bits) && (c.Skip == nil || !c.Skip(op, bits)) && !yield(op, bits) {
				return
			}
		}
	}
}

// differ runs a shader of an operation as the n-th.
func (c *Ops) differ(n int, op ir.Op, s *ir.Shader, run *Run) error {
	exact := op.Info().Out.Class != ir.ClassFloat
	return c.Differ(n, s, run, func(_ int, w, g uint32) bool { return !exact && Close32(w, g) })
}

// refused stands for no number of components.
const refused = "none"

// operation names an operation at a size.
func operation(op ir.Op, bits uint8) string { return fmt.Sprintf("%s/%d", op, bits) }

// Test compares each operation on the target with the interpreter; integers
// exactly, floats except for the last places. testdata/operations.tsv has how
// many components run of each, so that none is refused unseen.
func (c *Ops) Test(t *testing.T) {
	c.runs = make(map[string]string)
	ran := 0
	for op, bits := range c.each {
		var runs []string
		tried := false
		for n := range c.Comps {
			s, words := opShader(op, bits, uint8(n+1))
			if ir.Validate(s) != nil {
				continue // sized otherwise
			}
			tried = true
			err := c.differ(ran+n, op, s, &Run{Groups: 1, In: c.input(op, words), OutSize: 64 * 16, Wave: c.Wave})
			switch {
			case errors.Is(err, errors.ErrUnsupported):
			case err != nil:
				t.Errorf("%s of %d bits, %d components: %v", op, bits, n+1, err)
			default:
				runs = append(runs, strconv.Itoa(n+1))
			}
		}
		switch {
		case len(runs) > 0:
			ran++
			c.runs[operation(op, bits)] = strings.Join(runs, " ")
		case tried:
			c.runs[operation(op, bits)] = refused
		}
	}
	HoldTable(t, "operations.tsv", c.runs)
}

// toInteger reports whether an operation converts floats to integers.
func toInteger(op ir.Op) bool {
	return strings.HasPrefix(op.String(), "f2i") || strings.HasPrefix(op.String(), "f2u")
}

// input makes the operands of 64 threads, words each.
func (c *Ops) input(op ir.Op, words int) []byte {
	info := op.Info()
	r := rand.New(rand.NewSource(int64(op)))
	in := make([]byte, 64*4*words)
	for i := 0; i < len(in); i += 4 {
		k := i / 4 % words / 4
		v := Input(info.In[min(k, len(info.In)-1)].Class, r)
		limit := 0.0
		switch name := op.String(); {
		case op == ir.OpFsinAgx: // of a turn
			v &^= 1 << 31
			limit = 4
		case strings.HasPrefix(name, "fsin") || strings.HasPrefix(name, "fcos"):
			limit = 50
		case c.InRange && toInteger(op):
			limit = 120
			if name[2] == 'u' {
				v &^= 1 << 31
			}
			if x := math.Float32frombits(v); x != x || math.IsInf(float64(x), 0) {
				v = 0
			}
		}
		if limit != 0 {
			v = math.Float32bits(float32(math.Mod(float64(math.Float32frombits(v)), limit)))
		}
		binary.LittleEndian.PutUint32(in[i:], v)
	}
	return in
}

// opShader applies op to vectors of n components and stores the result; words
// is what a thread reads.
func opShader(op ir.Op, bits, n uint8) (s *ir.Shader, words int) {
	s, b := NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	in, out := StorageBuffer(b, 0, 0), StorageBuffer(b, 0, 1)
	info := op.Info()
	words = 4 * len(info.In)
	var srcs []*ir.Def
	for k, ty := range info.In {
		w := ty.Bits
		if w == 0 {
			w = bits
		}
		v := LoadWords(b, in, b.Iadd(b.Imul(id, b.Imm32(uint32(4*words))), b.Imm32(uint32(16*k))), n)
		srcs = append(srcs, Narrow(b, v, w, ty.Class))
	}
	res := b.ALU(op, srcs...)
	StoreWords(b, out, b.Ishl(id, b.Imm32(4)), Widen(b, res, info.Out.Class))
	return s, words
}
