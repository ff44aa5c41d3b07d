package optab

// Rows of moves and selections.
var movesOps = []Op{
	{Name: "mov", Out: U(0), In: []T{U(0)}, Eval: evalMov, Doc: "d = s (bit copy, any w incl. 1). Swizzle does the work"},
	{Name: "vec2", Out: U(0).X(2), In: []T{U(0).X(1), U(0).X(1)}, EvalVec: evalVec, Doc: "d.k = src k .x for each k"},
	{Name: "vec3", Out: U(0).X(3), In: []T{U(0).X(1), U(0).X(1), U(0).X(1)}, EvalVec: evalVec, Doc: "d.k = src k .x for each k"},
	{Name: "vec4", Out: U(0).X(4), In: []T{U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1)}, EvalVec: evalVec, Doc: "d.k = src k .x for each k"},
	{Name: "vec5", Out: U(0).X(5), In: []T{U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1)}, EvalVec: evalVec, Doc: "d.k = src k .x for each k"},
	{Name: "vec8", Out: U(0).X(8), In: []T{U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1)}, EvalVec: evalVec, Doc: "d.k = src k .x for each k"},
	{Name: "vec16", Out: U(0).X(16), In: []T{U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1), U(0).X(1)}, EvalVec: evalVec, Doc: "d.k = src k .x for each k"},
	{Name: "bcsel", Out: U(0), In: []T{B(1), U(0), U(0)}, Props: Selection, Eval: evalCsel, Doc: "d = c ? a : b, c is 1-bit; never evaluates types"},
	{Name: "b8csel", Out: U(0), In: []T{B(8), U(0), U(0)}, Props: Selection, Eval: evalCsel, Doc: "as bcsel with the condition an 8-bit 0/~0 mask"},
	{Name: "b16csel", Out: U(0), In: []T{B(16), U(0), U(0)}, Props: Selection, Eval: evalCsel, Doc: "as bcsel with the condition a 16-bit 0/~0 mask"},
	{Name: "b32csel", Out: U(0), In: []T{B(32), U(0), U(0)}, Props: Selection, Eval: evalCsel, Doc: "as bcsel with the condition a 32-bit 0/~0 mask"},
	{Name: "b32fcsel_mdg", Out: U(0), In: []T{B(32), F(0), F(0)}, Props: Selection, Target: "midgard", Eval: evalCsel, Doc: "b32csel whose a and b are float-typed so that abs/neg modifiers may be folded"},
	{Name: "fcsel", Out: F(32), In: []T{F(32), F(32), F(32)}, Props: Selection, Eval: evalFcsel, Doc: "d = (c ≠ 0.0) ? a : b (NaN counts as ≠ 0; ±0 select b)"},
	{Name: "fcsel_gt", Out: F(32), In: []T{F(32), F(32), F(32)}, Props: Selection, Eval: evalFcselGt, Doc: "d = (c > 0.0) ? a : b (NaN selects b)"},
	{Name: "fcsel_ge", Out: F(32), In: []T{F(32), F(32), F(32)}, Props: Selection, Eval: evalFcselGe, Doc: "d = (c ≥ 0.0) ? a : b (NaN selects b)"},
	{Name: "icsel_eqz", Out: I(0), In: []T{I(0), I(0), I(0)}, Props: Selection, Eval: evalIcselEqz, Doc: "d = (c = 0) ? a : b; c, a, b same w"},
	{Name: "i32csel_gt", Out: I(32), In: []T{I(32), I(32), I(32)}, Props: Selection, Eval: evalIcselGt, Doc: "d = (s(c) > 0) ? a : b"},
	{Name: "i32csel_ge", Out: I(32), In: []T{I(32), I(32), I(32)}, Props: Selection, Eval: evalIcselGe, Doc: "d = (s(c) ≥ 0) ? a : b"},
}
