package optab

// Evaluations of moves and selections.

func evalMov(_ Mode, _ uint8, s *[4]uint64) uint64 { return s[0] }

// evalVec gathers scalars into a vector.
func evalVec(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
	for i := range dst {
		dst[i] = src[i][0]
	}
}

func choose(c bool, s *[4]uint64) uint64 {
	if c {
		return s[1]
	}
	return s[2]
}

// evalCsel selects by a boolean of any size.
func evalCsel(_ Mode, _ uint8, s *[4]uint64) uint64 { return choose(s[0] != 0, s) }

func evalFcsel(m Mode, _ uint8, s *[4]uint64) uint64   { return choose(fload(m, 32, s[0]) != 0, s) }
func evalFcselGt(m Mode, _ uint8, s *[4]uint64) uint64 { return choose(fload(m, 32, s[0]) > 0, s) }
func evalFcselGe(m Mode, _ uint8, s *[4]uint64) uint64 { return choose(fload(m, 32, s[0]) >= 0, s) }

func evalIcselEqz(_ Mode, _ uint8, s *[4]uint64) uint64 { return choose(s[0] == 0, s) }
func evalIcselGt(_ Mode, _ uint8, s *[4]uint64) uint64  { return choose(int32(s[0]) > 0, s) }
func evalIcselGe(_ Mode, _ uint8, s *[4]uint64) uint64  { return choose(int32(s[0]) >= 0, s) }
