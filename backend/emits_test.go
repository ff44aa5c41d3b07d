package backend_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/ir"
	"nirc/passes"
)

// geometryOf is a geometry shader of at most nine vertices, with what build adds.
func geometryOf(build func(b *ir.Builder)) *ir.Shader {
	s := ir.NewShader(ir.StageGeometry, nil)
	s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: 9, InPrimitive: 3, OutPrimitive: ir.OutTriangleStrip}
	f := s.NewFunction("main")
	f.IsEntry = true
	build(ir.NewBuilder(ir.AtEnd(f.Impl.Start())))
	return s
}

func defaultPipelines(t *testing.T) *passes.Pipelines {
	t.Helper()
	text, err := os.ReadFile("../pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all, err := passes.Load(text, "pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// emitLists are the targets' lists of the default pipeline file that count emits.
var emitLists = []struct{ target, list string }{{"ir3", "ir3_counts"}, {"agx", "agx_emits"}, {"midgard", "midgard_emits"}}

// TestCountEmits: each target has emits counted, and takes no more vertices than a shader emits.
func TestCountEmits(t *testing.T) {
	all := defaultPipelines(t)
	for _, l := range emitLists {
		s := geometryOf(func(b *ir.Builder) {
			for range 3 {
				b.Intrinsic(ir.IntrEmitVertex, 0, 0)
			}
			b.Intrinsic(ir.IntrEmitVertex, 0, 0).Set(ir.IdxStreamId, 1)
		})
		if err := backend.CountEmits(l.target, s, all.Codegen(l.target, passes.O2, nil, nil), l.list); err != nil {
			t.Fatal(err)
		}
		if n := s.Info.Geom.MaxVertices; n != 4 {
			t.Errorf("%s: %d vertices at most, want 4", l.target, n)
		}
		counted := 0
		for _, in := range backend.Intrinsics(s.Entry().Impl) {
			if in.Intr == ir.IntrEmitVertexWithCounter {
				counted++
			}
		}
		if counted != 4 {
			t.Errorf("%s: %d vertices are counted, want 4:\n%s", l.target, counted, ir.Print(s))
		}
	}
}

// TestCountEmitsRefusals: what was counted in a way that the target does not know, and streams that do not exist.
func TestCountEmitsRefusals(t *testing.T) {
	all := defaultPipelines(t)
	for _, c := range []struct {
		want  string
		build func(b *ir.Builder)
	}{
		{"vertex stream 4 is not supported", func(b *ir.Builder) { b.Intrinsic(ir.IntrEndPrimitive, 0, 0).Set(ir.IdxStreamId, 4) }},
		{"the intrinsic emit_vertex_with_counter is not supported by the", func(b *ir.Builder) {
			b.Intrinsic(ir.IntrEmitVertexWithCounter, 0, 0, b.Imm32(0), b.Imm32(0), b.Imm32(0), b.Imm32(0))
		}},
		{"the intrinsic set_vertex_and_primitive_count is not supported by the", func(b *ir.Builder) {
			b.Intrinsic(ir.IntrSetVertexAndPrimitiveCount, 0, 0, b.Imm32(0), b.Imm32(0), b.Imm32(0))
		}},
	} {
		for _, l := range emitLists {
			err := backend.CountEmits(l.target, geometryOf(c.build), all.Codegen(l.target, passes.O2, nil, nil), l.list)
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", l.target, err, c.want)
			}
		}
	}
}
