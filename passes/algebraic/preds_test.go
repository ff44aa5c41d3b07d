package algebraic

import (
	"math"
	"testing"

	"nirc/ir"
)

// predicateCases are what conditions on constants say at the ends of what they hold of: the width of the constants, one
// constant or two, and the answer. Each that asks for constants alone has both answers.
var predicateCases = []struct {
	name string
	bits uint8
	b, c uint64
	want bool
}{
	{"is_pos_power_of_two", 32, 1, 0, true}, {"is_pos_power_of_two", 32, 1 << 30, 0, true}, {"is_pos_power_of_two", 32, 1 << 31, 0, false},
	{"is_pos_power_of_two", 32, 0, 0, false}, {"is_pos_power_of_two", 32, 3, 0, false}, {"is_pos_power_of_two", 8, 0x80, 0, false}, {"is_pos_power_of_two", 64, 1 << 62, 0, true},
	{"is_unsigned_power_of_two", 32, 1 << 31, 0, true}, {"is_unsigned_power_of_two", 32, 1, 0, true}, {"is_unsigned_power_of_two", 32, 0, 0, false},
	{"is_unsigned_power_of_two", 32, 5, 0, false},
	{"is_neg_power_of_two", 32, 0xffffffff, 0, true}, {"is_neg_power_of_two", 32, 0xfffffffe, 0, true}, {"is_neg_power_of_two", 32, 0xc0000000, 0, true},
	{"is_neg_power_of_two", 32, 0x80000000, 0, false}, {"is_neg_power_of_two", 32, 0xfffffffd, 0, false}, {"is_neg_power_of_two", 32, 2, 0, false},
	{"is_neg_power_of_two", 32, 0, 0, false}, {"is_neg_power_of_two", 64, 1<<64 - 4, 0, true}, {"is_neg_power_of_two", 8, 0xf0, 0, true},
	{"is_finite_not_zero_const", 32, f32(1), 0, true}, {"is_finite_not_zero_const", 32, f32(-3), 0, true}, {"is_finite_not_zero_const", 32, 0, 0, false},
	{"is_finite_not_zero_const", 32, f32(math.Inf(1)), 0, false}, {"is_finite_not_zero_const", 32, f32(math.NaN()), 0, false},
	{"is_finite_not_zero_const", 32, f32(0x1p122), 0, true}, {"is_finite_not_zero_const", 32, f32(0x1p123), 0, false},
	{"is_finite_not_zero_const", 32, f32(0x1p-124), 0, true}, {"is_finite_not_zero_const", 32, f32(0x1p-125), 0, false}, {"is_finite_not_zero_const", 32, 1, 0, false},
	{"is_finite_not_zero_const", 16, ir.FloatBits(0x1p10, 16), 0, true}, {"is_finite_not_zero_const", 16, ir.FloatBits(0x1p11, 16), 0, false},
	{"is_finite_not_zero_const", 16, ir.FloatBits(0x1p-12, 16), 0, true}, {"is_finite_not_zero_const", 16, ir.FloatBits(0x1p-13, 16), 0, false},
	{"is_finite_not_zero_const", 64, ir.FloatBits(0x1p1018, 64), 0, true}, {"is_finite_not_zero_const", 64, ir.FloatBits(0x1p1019, 64), 0, false},
	{"is_finite_not_zero_const", 64, ir.FloatBits(0x1p-1020, 64), 0, true}, {"is_finite_not_zero_const", 64, ir.FloatBits(0x1p-1021, 64), 0, false},
	{"is_float_power_of_two", 32, f32(1), 0, true}, {"is_float_power_of_two", 32, f32(-0.25), 0, true}, {"is_float_power_of_two", 32, f32(0x1p122), 0, true},
	{"is_float_power_of_two", 32, f32(3), 0, false}, {"is_float_power_of_two", 32, 0, 0, false}, {"is_float_power_of_two", 32, f32(0x1p126), 0, false},
	{"is_float_power_of_two", 32, f32(math.Inf(-1)), 0, false},
	{"not_bool", 1, 1, 0, false}, {"not_bool", 8, 1, 0, true},
	{"is_integral", 32, f32(7), 0, true}, {"is_integral", 32, f32(7.5), 0, false}, {"is_a_number", 32, f32(7), 0, true}, {"is_a_number", 32, f32(math.NaN()), 0, false},
	{"is_not_negative", 32, f32(7), 0, true}, {"is_not_negative", 32, 0, 0, true}, {"is_not_negative", 32, f32(-7), 0, false},
	{"is_not_positive", 32, f32(-7), 0, true}, {"is_not_positive", 32, 0, 0, true}, {"is_not_positive", 32, f32(7), 0, false},
	{"is_not_zero", 32, f32(-7), 0, true}, {"is_not_zero", 32, 0, 0, false},
	{"is_at_least_zero_number", 32, f32(7), 0, true}, {"is_at_least_zero_number", 32, f32(-7), 0, false}, {"is_at_least_zero_number", 32, f32(math.NaN()), 0, false},
	{"is_lt_zero_number", 32, f32(-7), 0, true}, {"is_lt_zero_number", 32, 0, 0, false}, {"is_lt_zero_number", 32, f32(7), 0, false}, {"is_lt_zero_number", 32, f32(math.NaN()), 0, false},
	{"is_gt_zero_number", 32, f32(7), 0, true}, {"is_gt_zero_number", 32, 0, 0, false}, {"is_gt_zero_number", 32, f32(-7), 0, false}, {"is_gt_zero_number", 32, f32(math.NaN()), 0, false},
	{"shift_sum_fits", 32, 15, 16, true}, {"shift_sum_fits", 32, 16, 16, false}, {"shift_sum_fits", 32, 32 + 15, 64 + 16, true},
	{"shift_sum_overflows", 32, 15, 16, false}, {"shift_sum_overflows", 32, 16, 16, true}, {"shift_sum_overflows", 32, 20, 31, true},
	{"shift_sum_is_size", 32, 15, 16, false}, {"shift_sum_is_size", 32, 16, 16, true}, {"shift_sum_is_size", 32, 17, 16, false}, {"shift_sum_is_size", 32, 32 + 12, 20, true},
	{"mask_covers_shift", 32, 8, 0xffffff00, true}, {"mask_covers_shift", 32, 8, 0xfffffe00, false}, {"mask_covers_shift", 32, 40, 0xffffff00, true}, {"mask_covers_shift", 32, 0, 0xffffffff, true},
	{"mask_covers_ushr", 32, 8, 0xffffff, true}, {"mask_covers_ushr", 32, 8, 0xfffffe, false}, {"mask_covers_ushr", 32, 40, 0xffffff, true},
	{"byte_in_range", 32, 3, 0, true}, {"byte_in_range", 32, 4, 0, false}, {"byte_in_range", 64, 7, 0, true}, {"byte_in_range", 64, 8, 0, false},
	{"word_in_range", 32, 1, 0, true}, {"word_in_range", 32, 2, 0, false}, {"word_in_range", 64, 3, 0, true}, {"word_in_range", 64, 4, 0, false},
	{"uint_below", 32, 6, 7, true}, {"uint_below", 32, 7, 7, false},
	{"is_sign_bit_clear", 32, 0x7fffffff, 0, true}, {"is_sign_bit_clear", 32, 0x80000000, 0, false}, {"is_sign_bit_clear", 8, 0x7f, 0, true}, {"is_sign_bit_clear", 8, 0x80, 0, false},
	{"masks_nothing", 32, 8, 15, true}, {"masks_nothing", 32, 8, 7, false}, {"masks_nothing", 32, 8, 13, false}, {"masks_nothing", 32, 0, 0, true},
	{"shares_no_bits", 32, 12, 3, true}, {"shares_no_bits", 32, 12, 4, false},
	{"is_bit_count", 32, 0, 0, false}, {"is_bit_count", 32, 1, 0, true}, {"is_bit_count", 32, 32, 0, true}, {"is_bit_count", 32, 33, 0, false},
	{"product_fits", 32, 0xffff, 0x10001, true}, {"product_fits", 32, 0x10000, 0x10000, false}, {"product_fits", 32, 0, 3, false},
	{"product_fits", 64, 1 << 32, 1 << 32, false}, {"product_fits", 64, 1 << 32, 1 << 31, true},
	{"ult_const", 32, 6, 7, true}, {"ult_const", 32, 7, 7, false},
	{"is_above_one", 32, 1, 0, false}, {"is_above_one", 32, 2, 0, true}, {"is_above_one", 32, 0x7fffffff, 0, true}, {"is_above_one", 32, 0x80000000, 0, false},
	{"fmin_orders", 32, f32(2), f32(1), true}, {"fmin_orders", 32, f32(1), f32(1), true}, {"fmin_orders", 32, f32(-2), f32(1), false},
	{"fmax_orders", 32, f32(-2), f32(1), true}, {"fmax_orders", 32, f32(1), f32(1), true}, {"fmax_orders", 32, f32(2), f32(1), false},
	{"imin_orders", 32, 2, 1, true}, {"imin_orders", 32, 1, 1, true}, {"imin_orders", 32, 0xffffffff, 1, false}, {"imin_orders", 8, 1, 0xff, true},
	{"imax_orders", 32, 0xffffffff, 1, true}, {"imax_orders", 32, 1, 1, true}, {"imax_orders", 32, 2, 1, false}, {"imax_orders", 8, 0xff, 0, true},
	{"umin_orders", 32, 0xffffffff, 1, true}, {"umin_orders", 32, 1, 1, true}, {"umin_orders", 32, 1, 2, false},
	{"umax_orders", 32, 1, 0xffffffff, true}, {"umax_orders", 32, 1, 1, true}, {"umax_orders", 32, 2, 1, false},
	{"is_minus", 32, f32(-2), f32(2), true}, {"is_minus", 32, f32(2), f32(-2), false}, {"is_minus", 32, f32(2), f32(2), false}, {"is_minus", 32, f32(0), f32(0), false},
	{"are_apart", 32, 7, 8, true}, {"are_apart", 32, 7, 7, false}, {"are_apart", 8, 0x107, 7, false}, {"are_apart", 64, 1 << 63, 0, true},
	{"is_next", 32, 7, 8, true}, {"is_next", 32, 8, 7, false}, {"is_next", 32, 7, 7, false}, {"is_next", 32, 0xffffffff, 0, false}, {"is_next", 64, 1<<64 - 1, 0, false},
	{"has_other_bits", 32, 5, 4, true}, {"has_other_bits", 32, 4, 5, false}, {"masks_apart", 32, 12, 3, true}, {"masks_apart", 32, 12, 7, false},
	{"masks_fill", 32, 0xffff0000, 0xffff, true}, {"masks_fill", 32, 0xffff0000, 0xfffe, false}, {"masks_fill", 8, 0xf0, 0x0f, true},
	{"is_odd", 32, 1, 0, true}, {"is_odd", 32, 2, 0, false}, {"is_not_zero_const", 32, 1, 0, true}, {"is_not_zero_const", 32, 0, 0, false},
	{"is_zero_to_one", 32, f32(0), 0, true}, {"is_zero_to_one", 32, f32(1), 0, true}, {"is_zero_to_one", 32, f32(1.0001), 0, false}, {"is_zero_to_one", 32, 0x80000000, 0, false},
	{"is_zero_to_one", 32, f32(-0.5), 0, false}, {"is_zero_to_one", 32, f32(math.NaN()), 0, false},
	{"fits_24_bits", 32, 1 << 24, 0, true}, {"fits_24_bits", 32, 1<<24 + 1, 0, false},
	{"has_low_bits_7", 32, 7, 0, true}, {"has_low_bits_7", 32, 0x17, 0, true}, {"has_low_bits_7", 32, 6, 0, false},
	{"has_low_bits_15", 32, 0x1f, 0, true}, {"has_low_bits_15", 32, 7, 0, false}, {"has_low_bits_31", 32, 31, 0, true}, {"has_low_bits_31", 32, 15, 0, false},
	{"has_low_bits_63", 32, 63, 0, true}, {"has_low_bits_63", 32, 31, 0, false},
	{"is_multiple_8", 32, 24, 0, true}, {"is_multiple_8", 32, 4, 0, false}, {"is_multiple_16", 32, 48, 0, true}, {"is_multiple_16", 32, 8, 0, false},
	{"is_multiple_32", 32, 96, 0, true}, {"is_multiple_32", 32, 16, 0, false}, {"is_multiple_64", 32, 192, 0, true}, {"is_multiple_64", 32, 32, 0, false},
	{"is_ult_5", 32, 4, 0, true}, {"is_ult_5", 32, 5, 0, false},
	{"is_5_to_30", 32, 4, 0, false}, {"is_5_to_30", 32, 5, 0, true}, {"is_5_to_30", 32, 30, 0, true}, {"is_5_to_30", 32, 31, 0, false},
	{"fits_i32", 64, 0x7fffffff, 0, true}, {"fits_i32", 64, 0x80000000, 0, false}, {"fits_i32", 64, 1<<64 - 1<<31, 0, true}, {"fits_i32", 64, 1<<64 - 1<<31 - 1, 0, false},
	{"fits_u32", 64, 0xffffffff, 0, true}, {"fits_u32", 64, 0x100000000, 0, false},
	{"last_is_one", 32, f32(1), 0, true}, {"last_is_one", 32, f32(2), 0, false}, {"last_is_one", 16, ir.FloatBits(1, 16), 0, true},
	{"is_const", 32, 0, 0, true}, {"is_not_const", 32, 0, 0, false},
}

func f32(f float64) uint64 { return ir.FloatBits(f, 32) }

// TestPredicates: conditions hold of constants up to their ends and not beyond, by all components that are read: one that
// does not hold makes all false, in either place, and what is not read does not count.
func TestPredicates(t *testing.T) {
	fns := make(map[string]*predicate)
	for i := range preds {
		fns[preds[i].name] = &preds[i]
	}
	type key struct {
		name string
		bits uint8
	}
	holds := make(map[key][2]uint64) // constants that each condition holds of
	for i := range predicateCases {
		if c := &predicateCases[i]; c.want {
			holds[key{c.name, c.bits}] = [2]uint64{c.b, c.c}
		}
	}
	for i := range predicateCases {
		c := &predicateCases[i]
		p := fns[c.name]
		if p == nil {
			t.Errorf("no rule has the condition %s", c.name)
			continue
		}
		other, ok := holds[key{c.name, c.bits}]
		if !ok {
			other = [2]uint64{c.b, c.c}
		}
		s := ir.NewShader(ir.StageCompute, nil)
		b := ir.NewBuilder(ir.AtEnd(s.NewFunction("main").Impl.Start()))
		ask := func(first, second int, width uint8) bool {
			l := [2][2]uint64{other, {c.b, c.c}}
			x := b.Const(c.bits, l[first][0], l[second][0])
			y := b.Const(c.bits, l[first][1], l[second][1])
			m := &matcher{root: b.Iadd(x, y).Instr}
			v, w := bind{x, ir.IdentitySwizzle, width}, bind{y, ir.IdentitySwizzle, width}
			if p.fn != nil {
				return p.fn(m, &v)
			}
			return p.fn2(m, &v, &w)
		}
		if got := ask(1, 0, 1); got != c.want {
			t.Errorf("%s of %#x and %#x with %d bits: %v", c.name, c.b, c.c, c.bits, got)
		}
		if c.name == "last_is_one" {
			continue // of one component
		}
		if got := ask(0, 1, 2); got != c.want {
			t.Errorf("%s of a second component %#x and %#x with %d bits: %v", c.name, c.b, c.c, c.bits, got)
		}
		if got := ask(1, 0, 2); got != c.want {
			t.Errorf("%s of a first component %#x and %#x with %d bits: %v", c.name, c.b, c.c, c.bits, got)
		}
	}
}
