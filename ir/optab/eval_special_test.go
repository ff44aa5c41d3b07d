package optab

import (
	"math"
	"testing"
)

func f32(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }

// TestSpecial holds cases that the models do not reach: NaN, infinities,
// signed zeros, denormal flushing, packing and selection.
func TestSpecial(t *testing.T) {
	inf, nan, nz := f32(math.Inf(1)), uint64(nan32), uint64(1<<31)
	flush := Mode{FlushDenorm: 2}
	for _, c := range []struct {
		op   string
		m    Mode
		w    uint8
		s    [4]uint64
		want uint64
	}{
		{"fneg", flush, 32, [4]uint64{1}, nz | 1}, {"fabs", flush, 32, [4]uint64{nz | 1}, 1}, {"mov", flush, 32, [4]uint64{1}, 1},
		{"fneg", Mode{}, 16, [4]uint64{nan16}, nan16 | 0x8000}, {"fadd", flush, 32, [4]uint64{1, 1}, 0},
		{"fadd", flush, 32, [4]uint64{nz | 1, nz | 1}, nz}, {"fmul", flush, 32, [4]uint64{0x00800000, f32(0.5)}, 0},
		{"fmul", Mode{}, 32, [4]uint64{0x00800000, f32(0.5)}, 0x00400000}, {"flt", flush, 32, [4]uint64{0, 1}, 0},
		{"flt", Mode{}, 32, [4]uint64{0, 1}, 1}, {"fadd", Mode{FlushDenorm: 1}, 32, [4]uint64{1, 1}, 2},
		{"fadd", Mode{FlushDenorm: 1}, 16, [4]uint64{1, 1}, 0}, {"fadd", Mode{FlushDenorm: 4}, 64, [4]uint64{1, 1}, 0},
		{"fadd", Mode{}, 32, [4]uint64{inf, inf | nz}, nan}, {"fmul", Mode{}, 32, [4]uint64{0, inf}, nan},
		{"fadd", Mode{}, 32, [4]uint64{nz, nz}, nz}, {"fadd", Mode{}, 32, [4]uint64{0, nz}, 0}, {"fsub", Mode{}, 32, [4]uint64{nz, 0}, nz},
		{"fmulz", Mode{}, 32, [4]uint64{0, inf}, 0}, {"fmulz", Mode{}, 32, [4]uint64{nz, nan}, 0}, {"ffmaz", Mode{}, 32, [4]uint64{inf, 0, f32(3)}, f32(3)},
		{"ffma", Mode{}, 32, [4]uint64{nz, f32(1), nz}, nz}, {"fadd", Mode{RTZ: 2}, 32, [4]uint64{0x7f7fffff, 0x7f7fffff}, 0x7f7fffff},
		{"fadd", Mode{}, 32, [4]uint64{0x7f7fffff, 0x7f7fffff}, inf}, {"frcp", Mode{}, 32, [4]uint64{nz}, inf | nz},
		{"frcp", flush, 32, [4]uint64{1}, inf}, {"frsq", Mode{}, 32, [4]uint64{0}, inf}, {"frsq", Mode{}, 32, [4]uint64{f32(4)}, f32(0.5)},
		{"fsqrt", Mode{}, 32, [4]uint64{f32(-1)}, nan}, {"fsqrt", Mode{}, 32, [4]uint64{nz}, nz},
		{"fmin", Mode{}, 32, [4]uint64{nan, f32(2)}, f32(2)}, {"fmax", Mode{}, 32, [4]uint64{f32(2), nan}, f32(2)},
		{"fmin", Mode{}, 32, [4]uint64{nan, nan | nz}, nan}, {"fmin", Mode{SignedZero: 2}, 32, [4]uint64{0, nz}, nz},
		{"fmax", Mode{SignedZero: 2}, 32, [4]uint64{nz, 0}, 0}, {"fmin_agx", flush, 32, [4]uint64{1, 2}, 1}, {"fmax_agx", flush, 32, [4]uint64{nan, 2}, 2},
		{"fsat", Mode{}, 32, [4]uint64{nan}, 0}, {"fsat", Mode{}, 32, [4]uint64{nz}, 0}, {"fsat", Mode{}, 32, [4]uint64{f32(7)}, f32(1)},
		{"fsat_signed", Mode{}, 32, [4]uint64{nan}, f32(-1)}, {"fsat_signed", Mode{}, 32, [4]uint64{f32(-3)}, f32(-1)},
		{"fclamp_pos", Mode{}, 32, [4]uint64{nan}, 0}, {"fclamp_pos", Mode{}, 32, [4]uint64{f32(3)}, f32(3)},
		{"fsign", Mode{}, 32, [4]uint64{nan}, 0}, {"fsign", Mode{}, 32, [4]uint64{nz}, nz}, {"fsign", Mode{}, 32, [4]uint64{nz | 1}, f32(-1)},
		{"ffract", Mode{}, 32, [4]uint64{f32(-1e-20)}, 0x3f7fffff}, {"ffract", Mode{}, 32, [4]uint64{inf}, nan}, {"ffract", Mode{}, 32, [4]uint64{f32(-1.25)}, f32(0.75)},
		{"fround_even", Mode{}, 32, [4]uint64{f32(2.5)}, f32(2)}, {"fceil", Mode{}, 32, [4]uint64{f32(-0.5)}, nz}, {"ftrunc", Mode{}, 32, [4]uint64{f32(-1.5)}, f32(-1)},
		{"ffloor", Mode{}, 64, [4]uint64{math.Float64bits(-0.5)}, math.Float64bits(-1)},
		{"fmod", Mode{}, 32, [4]uint64{f32(-5), f32(3)}, f32(1)}, {"frem", Mode{}, 32, [4]uint64{f32(-5), f32(3)}, f32(-2)},
		{"flrp", Mode{}, 32, [4]uint64{f32(2), f32(6), f32(0.25)}, f32(3)}, {"fpow", Mode{}, 32, [4]uint64{f32(2), f32(10)}, f32(1024)},
		{"fpow", Mode{}, 32, [4]uint64{f32(-2), f32(2)}, nan}, {"fexp2", Mode{}, 32, [4]uint64{f32(-3)}, f32(0.125)}, {"flog2", Mode{}, 32, [4]uint64{f32(8)}, f32(3)},
		{"flog2", Mode{}, 32, [4]uint64{0}, inf | nz}, {"flog2", Mode{}, 32, [4]uint64{f32(-1)}, nan}, {"fsin", Mode{}, 32, [4]uint64{f32(math.Pi / 2)}, f32(1)},
		{"fcos", Mode{}, 32, [4]uint64{0}, f32(1)}, {"fsin_agx", Mode{}, 32, [4]uint64{f32(3)}, f32(-1)}, {"fsin_mdg", Mode{}, 32, [4]uint64{f32(0.5)}, f32(1)},
		{"fcos_mdg", Mode{}, 32, [4]uint64{f32(1)}, f32(-1)}, {"fcos_mdg", Mode{}, 32, [4]uint64{f32(0.5)}, 0},
		{"ldexp", Mode{}, 32, [4]uint64{f32(1.5), 0xfffffffe}, f32(0.375)}, {"ldexp", Mode{}, 32, [4]uint64{f32(1), 0xffffff6b}, 1},
		{"ldexp", Mode{}, 32, [4]uint64{f32(1), 0x7fffffff}, inf}, {"ldexp", Mode{}, 64, [4]uint64{1, 2000}, math.Float64bits(math.Ldexp(1, 926))},
		{"frexp_sig", Mode{}, 32, [4]uint64{f32(-12)}, f32(-0.75)}, {"frexp_exp", Mode{}, 32, [4]uint64{f32(-12)}, 4}, {"frexp_exp", Mode{}, 16, [4]uint64{1}, 0xffffffe9},
		{"frexp_sig", Mode{}, 32, [4]uint64{inf}, inf}, {"frexp_exp", Mode{}, 32, [4]uint64{0}, 0},
		{"fquantize2f16", Mode{}, 32, [4]uint64{f32(-1e-5)}, nz}, {"fquantize2f16", Mode{}, 32, [4]uint64{f32(70000)}, inf}, {"fquantize2f16", Mode{}, 32, [4]uint64{f32(1.0001)}, f32(1)},
		{"fisnormal", Mode{}, 32, [4]uint64{1}, 0}, {"fisnormal", Mode{}, 32, [4]uint64{f32(-1)}, 1}, {"fisfinite", Mode{}, 64, [4]uint64{exp64}, 0}, {"fisfinite", Mode{}, 16, [4]uint64{0x8001}, 1},
		{"f2f16_rtz", Mode{}, 32, [4]uint64{f32(1e9)}, 0x7bff}, {"f2f16_rtne", Mode{RTZ: 1}, 32, [4]uint64{f32(1e9)}, 0x7c00}, {"f2f16", Mode{RTZ: 1}, 32, [4]uint64{f32(1e9)}, 0x7bff},
		{"f2f16_rtz", Mode{}, 32, [4]uint64{inf}, 0x7c00}, {"f2f32", Mode{}, 16, [4]uint64{1}, f32(math.Ldexp(1, -24))}, {"f2f32", Mode{}, 16, [4]uint64{0xfc00}, inf | nz},
		{"fltu", Mode{}, 32, [4]uint64{nan, 0}, 1}, {"fgeu", Mode{}, 32, [4]uint64{nan, 0}, 1}, {"fge", Mode{}, 32, [4]uint64{nan, 0}, 0}, {"fneu", Mode{}, 32, [4]uint64{nan, nan}, 1},
		{"fneo", Mode{}, 32, [4]uint64{nan, nan}, 0}, {"fequ", Mode{}, 32, [4]uint64{nan, 0}, 1}, {"feq", Mode{}, 32, [4]uint64{0, nz}, 1}, {"funord", Mode{}, 32, [4]uint64{0, nan}, 1},
		{"ford", Mode{}, 32, [4]uint64{0, nan}, 0}, {"flt32", Mode{}, 16, [4]uint64{0, 0x3c00}, 0xffffffff}, {"ilt8", Mode{}, 32, [4]uint64{0xffffffff, 0}, 0xff},
		{"slt", Mode{}, 16, [4]uint64{0, 0x3c00}, 0x3c00}, {"sge", Mode{}, 32, [4]uint64{nan, 0}, 0}, {"seq", Mode{}, 32, [4]uint64{0, nz}, f32(1)}, {"sne", Mode{}, 32, [4]uint64{nan, 0}, f32(1)},
		{"bcsel", Mode{}, 8, [4]uint64{1, 5, 6}, 5}, {"b32csel", Mode{}, 8, [4]uint64{0, 5, 6}, 6}, {"fcsel", Mode{}, 32, [4]uint64{nz, 5, 6}, 6}, {"fcsel", Mode{}, 32, [4]uint64{nan, 5, 6}, 5},
		{"fcsel_gt", Mode{}, 32, [4]uint64{nan, 5, 6}, 6}, {"fcsel_ge", Mode{}, 32, [4]uint64{nz, 5, 6}, 5}, {"icsel_eqz", Mode{}, 64, [4]uint64{0, 5, 6}, 5},
		{"i32csel_gt", Mode{}, 32, [4]uint64{1 << 31, 5, 6}, 6}, {"i32csel_ge", Mode{}, 32, [4]uint64{0, 5, 6}, 5},
		{"imul_2x32_64", Mode{}, 32, [4]uint64{0xffffffff, 2}, ^uint64(1)}, {"umul_2x32_64", Mode{}, 32, [4]uint64{0xffffffff, 0xffffffff}, 0xfffffffe00000001},
		{"umul_low", Mode{}, 32, [4]uint64{0x1ffff, 0x30002}, 0x1fffe}, {"imul_32x16", Mode{}, 32, [4]uint64{3, 0x1ffff}, 0xfffffffd}, {"umul_32x16", Mode{}, 32, [4]uint64{3, 0x1ffff}, 0x2fffd},
		{"imul24", Mode{}, 32, [4]uint64{0xffffff, 5}, 0xfffffffb}, {"umul24", Mode{}, 32, [4]uint64{0x1ffffff, 2}, 0x1fffffe}, {"umad24", Mode{}, 32, [4]uint64{0x01000002, 3, 4}, 10},
		{"imad24_ir3", Mode{}, 32, [4]uint64{0xffffff, 5, 7}, 2}, {"imadsh_mix16", Mode{}, 32, [4]uint64{0xabcd0003, 0x0005ffff, 2}, 0xf0002}, {"imad", Mode{}, 8, [4]uint64{20, 13, 1}, 5},
		{"iadd3", Mode{}, 8, [4]uint64{200, 100, 1}, 45}, {"imadshl_agx", Mode{}, 32, [4]uint64{2, 3, 4, 2}, 22}, {"imsubshl_agx", Mode{}, 32, [4]uint64{2, 3, 4, 2}, 0xfffffff6},
		{"ilea_agx", Mode{}, 64, [4]uint64{100, 0xffffffff, 3}, 92}, {"ulea_agx", Mode{}, 64, [4]uint64{100, 0xffffffff, 3}, 100 + 0xffffffff<<3}, {"bounds_agx", Mode{}, 32, [4]uint64{9, 4, 4}, 9},
		{"bounds_agx", Mode{}, 32, [4]uint64{9, 5, 4}, 0}, {"msad_4x8", Mode{}, 32, [4]uint64{0x05000102, 0x08ff0302, 10}, 15},
		{"shfr", Mode{}, 32, [4]uint64{0x11111111, 0x22222222, 8}, 0x11222222}, {"extr_agx", Mode{}, 32, [4]uint64{0x22222222, 0x11111111, 8, 16}, 0x2222}, {"extr_agx", Mode{}, 32, [4]uint64{1, 1, 64, 0}, 0},
		{"bitfield_select", Mode{}, 8, [4]uint64{0xf0, 0xab, 0xcd}, 0xad}, {"bfi", Mode{}, 32, [4]uint64{0xff0, 0x12, 0xffffffff}, 0xfffff12f}, {"bfi", Mode{}, 32, [4]uint64{0, 1, 7}, 7},
		{"bfm", Mode{}, 32, [4]uint64{4, 8}, 0xf00}, {"bitfield_reverse", Mode{}, 32, [4]uint64{1}, 1 << 31}, {"ifind_msb", Mode{}, 32, [4]uint64{0xffffff00}, 7}, {"ifind_msb", Mode{}, 32, [4]uint64{0xffffffff}, 0xffffffff},
		{"ufind_msb_rev", Mode{}, 32, [4]uint64{1}, 31}, {"ufind_msb_rev", Mode{}, 64, [4]uint64{1}, 63}, {"ifind_msb_rev", Mode{}, 32, [4]uint64{0}, 0xffffffff}, {"ifind_msb_rev", Mode{}, 32, [4]uint64{4}, 29},
		{"uclz", Mode{}, 32, [4]uint64{0}, 32}, {"uclz", Mode{}, 32, [4]uint64{0x00018000}, 15}, {"uclz", Mode{}, 32, [4]uint64{0xffffffff}, 0}, {"extract_u8", Mode{}, 32, [4]uint64{0x11223384, 0}, 0x84}, {"extract_i8", Mode{}, 32, [4]uint64{0x11228344, 1}, 0xffffff83}, {"extract_u16", Mode{}, 32, [4]uint64{0x81223344, 1}, 0x8122},
		{"extract_i16", Mode{}, 64, [4]uint64{0x8122000000000000, 3}, 0xffffffffffff8122}, {"extract_u8", Mode{}, 32, [4]uint64{0x11223344, 4}, 0}, {"insert_u8", Mode{}, 32, [4]uint64{0x1ff, 3}, 0xff000000}, {"insert_u16", Mode{}, 32, [4]uint64{0x1ff, 1}, 0x1ff0000},
		{"shrm_ir3", Mode{}, 32, [4]uint64{0xff0, 36, 0xf}, 0xf}, {"shlm_ir3", Mode{}, 16, [4]uint64{0xff0, 4, 0xf0f0}, 0xf000}, {"shrg_ir3", Mode{}, 32, [4]uint64{0xff0, 4, 0x100}, 0x1ff}, {"shlg_ir3", Mode{}, 32, [4]uint64{0xff, 4, 1}, 0xff1},
		{"andg_ir3", Mode{}, 32, [4]uint64{0xff, 0xf0, 1}, 0xf1}, {"i2i8", Mode{}, 32, [4]uint64{0x1ff}, 0xff}, {"i2i64", Mode{}, 8, [4]uint64{0x80}, 0xffffffffffffff80}, {"u2u64", Mode{}, 8, [4]uint64{0x80}, 0x80}, {"i2imp", Mode{}, 32, [4]uint64{0x12345}, 0x2345},
		{"imul24_relaxed", Mode{}, 32, [4]uint64{3, 5}, 15}, {"umad24_relaxed", Mode{}, 32, [4]uint64{3, 5, 1}, 16},
		{"pack_64_2x32_split", Mode{}, 32, [4]uint64{1, 2}, 2<<32 | 1}, {"unpack_64_2x32_split_y", Mode{}, 64, [4]uint64{2<<32 | 1}, 2}, {"pack_32_2x16_split", Mode{}, 16, [4]uint64{1, 2}, 0x20001},
		{"unpack_32_2x16_split_y", Mode{}, 32, [4]uint64{0x20001}, 2}, {"pack_32_4x8_split", Mode{}, 8, [4]uint64{1, 2, 3, 4}, 0x04030201}, {"unpack_half_2x16_split_y", Mode{}, 32, [4]uint64{0x3c000001}, f32(1)},
		{"unpack_half_2x16_split_x", Mode{FlushDenorm: 1}, 32, [4]uint64{0x3c000001}, 0},
	} {
		if got := row(t, c.op).Eval(c.m, c.w, &c.s); got != c.want {
			t.Errorf("%s w=%d mode %v %#x = %#x, want %#x", c.op, c.w, c.m, c.s, got, c.want)
		}
	}
}

func TestVectors(t *testing.T) {
	v := func(x ...uint64) []uint64 { return x }
	fv := func(x ...float64) []uint64 {
		r := make([]uint64, len(x))
		for i := range x {
			r[i] = f32(x[i])
		}
		return r
	}
	vs := func(x ...[]uint64) [][]uint64 { return x }
	for _, c := range []struct {
		op   string
		m    Mode
		w    uint8
		src  [][]uint64
		want []uint64
	}{
		{"vec3", Mode{}, 8, vs(v(1), v(2), v(3)), v(1, 2, 3)},
		{"fdot3", Mode{}, 32, vs(fv(1, 2, 3), fv(4, 5, 6)), fv(32)}, {"fdot2_replicated", Mode{}, 32, vs(fv(1, 2), fv(4, 5)), fv(14, 14, 14)},
		{"fdph", Mode{}, 32, vs(fv(1, 2, 3), fv(4, 5, 6, 7)), fv(39)}, {"fsum4", Mode{}, 32, vs(fv(1, 2, 3, 4)), fv(10)},
		{"ball_fequal2", Mode{}, 32, vs(fv(0, math.NaN()), fv(0, math.NaN())), v(0)}, {"ball_fequal2", Mode{}, 32, vs(fv(0, 1), v(1<<31, f32(1))), v(1)},
		{"b32any_fnequal2", Mode{}, 32, vs(fv(0, 1), fv(0, 2)), v(0xffffffff)}, {"bany_inequal3", Mode{}, 8, vs(v(1, 2, 3), v(1, 2, 3)), v(0)}, {"b8all_iequal3", Mode{}, 32, vs(v(1, 2, 3), v(1, 2, 3)), v(0xff)},
		{"pack_64_2x32", Mode{}, 32, vs(v(1, 2)), v(2<<32 | 1)}, {"unpack_64_4x16", Mode{}, 64, vs(v(0x0004000300020001)), v(1, 2, 3, 4)}, {"pack_32_4x8", Mode{}, 8, vs(v(1, 2, 3, 255)), v(0xff030201)},
		{"unpack_32_4x8", Mode{}, 32, vs(v(0xff030201)), v(1, 2, 3, 255)}, {"pack_half_2x16", Mode{}, 32, vs(fv(1, -2)), v(0xc0003c00)}, {"pack_half_2x16_split", Mode{}, 32, vs(fv(1), fv(1e9)), v(0x7c003c00)},
		{"pack_half_2x16_rtz_split", Mode{}, 32, vs(fv(1), fv(1e9)), v(0x7bff3c00)}, {"unpack_half_2x16", Mode{}, 32, vs(v(0xc0003c00)), fv(1, -2)},
		{"pack_snorm_2x16", Mode{}, 32, vs(fv(-5, 0.5)), v(0x40008001)}, {"pack_unorm_2x16", Mode{}, 32, vs(fv(2, math.NaN())), v(0xffff)}, {"pack_unorm_2x16", Mode{}, 16, vs(v(0x3c00, 0x3800)), v(0x8000ffff)},
		{"pack_snorm_4x8", Mode{}, 32, vs(fv(1, -1, 0, 0.5)), v(0x4000817f)}, {"pack_unorm_4x8", Mode{}, 32, vs(fv(1, -1, 0, 0.5)), v(0x800000ff)},
		{"unpack_snorm_2x16", Mode{}, 32, vs(v(0x80007fff)), fv(1, -1)}, {"unpack_unorm_2x16", Mode{}, 32, vs(v(0xffff0000)), fv(0, 1)}, {"unpack_unorm_4x8", Mode{}, 32, vs(v(0xff000033)), fv(0.2, 0, 0, 1)},
		{"unpack_snorm_4x8", Mode{}, 32, vs(v(0x80817f00)), fv(0, 1, -1, -1)}, {"pack_uint_2x16", Mode{}, 32, vs(v(70000, 5)), v(0x5ffff)}, {"pack_sint_2x16", Mode{}, 32, vs(v(0xffff0000, 5)), v(0x58000)},
		{"pack_uvec2_to_uint", Mode{}, 32, vs(v(0x12345, 5)), v(0x52345)}, {"pack_uvec4_to_uint", Mode{}, 32, vs(v(1, 2, 3, 4)), v(0x04030201)},
	} {
		got := run(row(t, c.op), c.m, c.w, c.src, len(c.want))
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s %#x = %#x, want %#x", c.op, c.src, got, c.want)
				break
			}
		}
	}
}
