package core

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// atomicModel is what each operation leaves of what was in memory, its operand and its comparand, in words of its own (agx.md §7.5).
var atomicModel = []struct {
	name string
	f    func(old, v, compare int64) int64
}{
	{"add", func(old, v, _ int64) int64 { return old + v }},
	{"sub", func(old, v, _ int64) int64 { return old - v }},
	{"xchg", func(_, v, _ int64) int64 { return v }},
	{"cmpxchg", func(old, v, compare int64) int64 {
		if old == compare {
			old = v
		}
		return old
	}},
	{"umin", func(old, v, _ int64) int64 { return min(old, v) }},
	{"imin", func(old, v, _ int64) int64 { return int64(min(int32(old), int32(v))) }},
	{"umax", func(old, v, _ int64) int64 { return max(old, v) }},
	{"imax", func(old, v, _ int64) int64 { return int64(max(int32(old), int32(v))) }},
	{"and", func(old, v, _ int64) int64 { return old & v }},
	{"or", func(old, v, _ int64) int64 { return old | v }},
	{"xor", func(old, v, _ int64) int64 { return old ^ v }},
}

// atomicPlace is a form of an address: code that makes it, its operands, and the word of memory that a lane reaches.
type atomicPlace struct {
	name, code, operands string
	base                 int64 // the word that u8_u9 is the address of
	word                 func(lane int) int
}

// devicePlaces are the forms of agx.md §2.6 and 7.5. Indices count words, with a sign or without one.
var devicePlaces = []atomicPlace{
	{"an immediate", "", "u8_u9, 5, signed", 0, func(int) int { return 5 }},
	{"an immediate and a base that is elsewhere", "", "u8_u9, 9, unsigned", 24, func(int) int { return 33 }},
	{"a register", "\tand r5, r10, 15\n", "u8_u9, r5, signed", 0, func(lane int) int { return lane & 15 }},
	{"a register below zero", "\tisub r5, 0, r10\n", "u8_u9, r5, signed", 50, func(lane int) int { return 50 - lane }},
	{"a register that is above 2^31", "\tisub r5, 0, r10\n\tisub r5, r5, 1\n", "u8_u9, r5, unsigned", 50 - 1<<32, func(lane int) int { return 49 - lane }},
	{"a base in registers", "\tmov r6, u8\n\tmov r7, u9\n\tand r5, r10, 7\n", "r6_r7, r5, unsigned", 0, func(lane int) int { return lane & 7 }},
	{"a base of each lane", "\tmov r6, u8\n\tmov r7, u9\n\tiadd r6_r7, r6_r7, r10, lsl 2\n", "r6_r7, 1, signed", -1, func(lane int) int { return lane }},
}

// groupPlaces are those of threadgroup memory: a base in bytes, and an index of halves.
var groupPlaces = []atomicPlace{
	{"an immediate", "", "0, 9", 0, func(int) int { return 9 }},
	{"a half", "\tand r5l, r10l, 15\n", "0, r5l", 0, func(lane int) int { return lane & 15 }},
	{"a base in a half", "\tiadd r5h, 0, r10l, lsl 2\n", "r5h, 32", 0, func(lane int) int { return lane + 32 }},
	{"a base and an index", "\tiadd r5h, 0, r10l, lsl 2\n\tand r5l, r10l, 3\n", "r5h, r5l", 0, func(lane int) int { return lane + lane&3 }},
}

// atomicData is an operand of a lane: large and small ones, of both signs.
func atomicData(i int) uint32 { return uint32(i*i+7)*0x9e3779b1>>(i%3*9) ^ uint32(i&1)<<31 }

// The words of the input buffer of these tests: memory, what a lane puts there, what it compares with.
const (
	atomicWords    = 64
	atomicOperands = 256
	atomicCompared = 512
)

// atomicMachine is a machine whose lanes have all operations' operands. Half of the lanes compare with what their word had before.
func atomicMachine(place *atomicPlace) *machine {
	m := newMachine()
	m.push = binary.LittleEndian.AppendUint64(nil, m.in.Addr+uint64(4*place.base))
	put := func(i int, v uint32) { binary.LittleEndian.PutUint32(m.in.Data[4*i:], v) }
	for i := range atomicWords {
		put(i, atomicData(i))
	}
	for lane := range m.lanes {
		put(atomicOperands+lane, atomicData(lane+100))
		put(atomicCompared+lane, m.inWord(place.word(lane))+uint32(lane&1))
	}
	return m
}

// TestAtomics: each operation at each form of address, with and without a result, leaves in memory and returns what a plain model does, lane after lane. Lanes that
// are masked off do nothing.
func TestAtomics(t *testing.T) {
	const operands = "\tmov_imm r2, 7, 0b0\n\tmov_imm r3, 256, 0b0\n\tiadd r3, r3, r10\n\tdevice_load 0, i32, x, r12, u2_u3, r3, unsigned\n" +
		"\tmov_imm r3, 512, 0b0\n\tiadd r3, r3, r10\n\tdevice_load 0, i32, x, r13, u2_u3, r3, unsigned\n"
	const share = "\tdevice_load 0, i32, x, r8, u2_u3, r10, unsigned\n\tiadd r3, r10, 32\n\tdevice_load 0, i32, x, r9, u2_u3, r3, unsigned\n\twait 0\n" +
		"\tthreadgroup_store i32, x, r8, 0, r10l\n\tthreadgroup_store i32, x, r9, 0, r3l\n\tthreadgroup_barrier\n"
	for k := range atomicModel {
		op := &atomicModel[k]
		data := "r12"
		if op.name == "cmpxchg" {
			data = "r12_r13"
		}
		for _, result := range []string{"r2", "None"} {
			for i := range devicePlaces {
				place := &devicePlaces[i]
				m := atomicMachine(place)
				m.checkAtomic(t, k, place, result, operands+"\twait 0\n"+place.code+"\tif_icmp r0l, ugt, r10, 2, 1\n"+
					fmt.Sprintf("\tatomic %s, 0, %s, %s, %s, 1, 0, 1, 4, 2\n\twait 0\n", op.name, result, place.operands, data), func() []byte { return m.in.Data })
			}
			for i := range groupPlaces {
				place := &groupPlaces[i]
				m := atomicMachine(place)
				m.checkAtomic(t, k, place, result, operands+share+place.code+"\tif_icmp r0l, ugt, r10, 2, 1\n"+
					fmt.Sprintf("\tthreadgroup_atomic %s, %s, %s, %s, 0, 2, 128, 0\n", op.name, result, place.operands, data), func() []byte { return m.shared })
			}
		}
	}
}

// checkAtomic runs a body whose lanes from the third on do operation k, and compares the memory and the results.
func (m *machine) checkAtomic(t *testing.T, k int, place *atomicPlace, result, body string, memory func() []byte) {
	t.Helper()
	op := &atomicModel[k]
	words, results := make([]uint32, atomicWords), make([]uint32, m.lanes)
	for i := range words {
		words[i] = m.inWord(i)
	}
	for lane := range results {
		results[lane] = 7
		if lane <= 2 {
			continue
		}
		at := place.word(lane)
		if result != "None" {
			results[lane] = words[at]
		}
		words[at] = uint32(op.f(int64(words[at]), int64(m.inWord(atomicOperands+lane)), int64(m.inWord(atomicCompared+lane))))
	}
	name := fmt.Sprintf("%s at %s, to %s", op.name, place.operands, result)
	m.expect(t, name, body+"\tpop_exec r0l, 1", func(lane int) uint32 { return results[lane] })
	for i, want := range words {
		if got := binary.LittleEndian.Uint32(memory()[4*i:]); got != want {
			t.Errorf("%s, %s: word %d is %#x, want %#x", name, place.name, i, got, want)
			return
		}
	}
}
