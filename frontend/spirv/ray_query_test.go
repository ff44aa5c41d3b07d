package spirv

import (
	_ "embed"
	"strings"
	"testing"

	"nirc/ir"
)

//go:embed testdata/asm/ray_query.spvasm
var rayQueryText string

// TestRayQueries: each instruction on ray queries becomes the intrinsic of its meaning.
func TestRayQueries(t *testing.T) {
	s, err := Translate(assemble(t, rayQueryText), Options{panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := ir.Print(s)
	for _, want := range []string{
		"var @2 shader_temp ray_query[2]", `uniform accel_struct[2] "scenes"`, "load_accel_struct", "rq_initialize", "rq_proceed", "rq_terminate", "rq_confirm_intersection", "rq_generate_intersection",
		"ray_query_value=intersection_candidate_aabb_opaque\n", "ray_query_value=intersection_type\n", "ray_query_value=intersection_type committed=1", "ray_query_value=tmin\n",
		"rq_load %", "ray_query_value=intersection_world_to_object committed=1 column=3", "ray_query_value=intersection_triangle_vertex_positions committed=1 column=2",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	gets := map[ir.RayQueryValue]bool{}
	for _, f := range s.Functions {
		for in := range f.Impl.Instrs() {
			if in.IsIntrinsic(ir.IntrRqLoad) {
				gets[ir.RayQueryValue(in.Get(ir.IdxRayQueryValue))] = true
			}
		}
	}
	if len(gets) != len(rayGets.Get()) {
		t.Errorf("%d values are loaded, there are %d instructions", len(gets), len(rayGets.Get()))
	}
}

// TestRayQueryErrors: what the grammar lets through and the specification does not.
func TestRayQueryErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"OpRayQueryTerminateKHR %", "OpRayQueryTerminateKHR %i ; %", "not to a ray query"},
		{"OpRayQueryGetIntersectionTriangleVertexPositionsKHR %_arr_v3float_uint_3 %qptr %int_1", "OpRayQueryGetIntersectionTriangleVertexPositionsKHR %_arr_v3float_uint_3 %qptr %int_7", "not a constant 0 (candidate) or 1"},
		{"OpRayQueryGetIntersectionTriangleVertexPositionsKHR %_arr_v3float_uint_3", "OpRayQueryGetIntersectionTriangleVertexPositionsKHR %v3float", "1 columns or elements, not 3"},
		{"OpRayQueryGetRayTMinKHR %float", "OpRayQueryGetRayTMinKHR %v3float", "gives 1 x 32 bits"},
	} {
		if !strings.Contains(rayQueryText, c.old) {
			t.Fatalf("the module has no %q", c.old)
		}
		_, err := Translate(assemble(t, strings.Replace(rayQueryText, c.old, c.new, 1)), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, it should speak of %q", c.new, err, c.want)
		}
	}
}
