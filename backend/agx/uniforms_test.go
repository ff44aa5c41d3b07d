package agx

import (
	"slices"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

// What the uniform registers have no room for is loaded from the descriptor table or made where
// it is used: constants, addresses and sizes; what there is no other way to finds room.
func TestUniformsFull(t *testing.T) {
	programs.Hold(t)
	const steps = 600
	s, b := gputest.NewShader(ir.StageCompute, 32)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	x := gputest.LoadWords(b, in, b.Ishl(id, b.Imm32(2)), 1)
	for k := range steps {
		x = b.Imul(b.Ixor(x, b.Imm32(0x12345679+uint32(k)*0x01010101)), b.Imm32(0x80003001+uint32(k)*2))
	}
	// Another handle at each access, some of them chosen by a value.
	groups := &b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def
	x = b.Iadd(x, b.Channel(groups, 0))
	buf := b.Bcsel(b.Ult(id, b.Imm32(16)), in, gputest.StorageBuffer(b, 0, 1))
	x = b.Iadd(x, gputest.LoadWords(b, buf, b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(256)), 1))
	gputest.StoreWords(b, out, b.Ishl(id, b.Imm32(2)), x)
	r := &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 1024), OutSize: 1024}
	if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
		t.Error(err)
	}
}

// The optional pieces leave what the others need, in every order of asking.
func TestUniformRoom(t *testing.T) {
	need := []abi.UniformKind{abi.UniformTable, abi.UniformHeap, abi.UniformPushAddr, abi.UniformConstData, abi.UniformNumWorkgroups, abi.UniformSamplerBiases}
	for _, reserved := range []int{0, 5, 16} {
		u := uniforms{reserved: reserved}
		for _, k := range need {
			u.keep.add(uniformRank(k), (&abi.Uniform{Kind: k}).Halves())
		}
		buffers, words := 0, 0
		for i := uint32(0); ; i++ {
			_, ok := u.take(abi.Uniform{Kind: abi.UniformBufferAddr, Binding: i}, baseHalves)
			_, bias := u.take(abi.Uniform{Kind: abi.UniformSamplerBias, Binding: i}, baseHalves)
			if !ok && !bias {
				break
			}
			buffers++
		}
		for i := uint32(0); ; i++ {
			if _, ok := u.constant(i); !ok {
				break
			}
			words++
		}
		if buffers < 25 || words < 100 {
			t.Errorf("room for %d addresses and %d constants", buffers, words)
		}
		for _, k := range need {
			budget := uniformHalves
			if uniformRank(k) < 2 {
				budget = baseHalves
			}
			if k == abi.UniformHeap {
				budget = heapHalves
			}
			if _, ok := u.take(abi.Uniform{Kind: k}, budget); !ok {
				t.Errorf("no room for kind %d after %d reserved halves", k, reserved)
			}
		}
		if _, n, err := u.layOut(); err != nil || n > uniformHalves {
			t.Errorf("%d halves: %v", n, err)
		}
	}
}

// The words that say where varyings begin, and the address of the push constants that the
// outputs are read from, find room after constants that fill the registers.
func TestVaryingsFindRoom(t *testing.T) {
	programs.Hold(t)
	const user = 28
	s, b := gputest.NewShader(ir.StageVertex, 64)
	storeOutput(b, ir.SlotPos, loadInput(b, ir.SlotAttrib0, 4))
	x := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	for k := range 600 {
		x = b.Imul(b.Ixor(x, b.Imm32(0x12345679+uint32(k)*0x01010101)), b.Imm32(0x80003001+uint32(k)*2))
	}
	for k := range ir.Slot(user) {
		x = b.Iadd(x, gputest.LoadPush(b, b.Iand(b.Ishl(x, b.Imm32(2)), b.Imm32(60)), 1, 32, 0, 64))
		storeOutput(b, ir.SlotVar0+k, b.Vec(x, x))
	}
	bin, _ := build(t, s, CompileOptions{})
	words := 0
	for _, u := range bin.Meta.Uniforms {
		if u.Kind == abi.UniformVaryingWord {
			words++
		}
	}
	if words != user || bin.Meta.UniformHalves > uniformHalves {
		t.Errorf("%d varyings have words in %d halves, want %d", words, bin.Meta.UniformHalves, user)
	}
}

// A fragment shader that asks for all that it may need finds it too.
func TestFragmentFindsRoom(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageFragment, 64)
	s.ConstantData = make([]byte, 64)
	x := loadInput(b, ir.SlotVar0, 1)
	for k := range 600 {
		x = b.Imul(b.Ixor(x, b.Imm32(0x12345679+uint32(k)*0x01010101)), b.Imm32(0x80003001+uint32(k)*2))
	}
	off := b.Iand(b.Ishl(x, b.Imm32(2)), b.Imm32(60))
	buf := b.Bcsel(b.Ult(x, b.Imm32(16)), gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1))
	constant := b.Intrinsic(ir.IntrLoadConstant, 1, 32, off)
	constant.Set(ir.IdxRange, 64).Set(ir.IdxAlignMul, 4)
	x = b.Ixor(gputest.LoadWords(b, buf, off, 1), b.Ixor(gputest.LoadPush(b, off, 1, 32, 0, 64), &constant.Def))
	x = b.Ixor(x, b.Ixor(&b.Intrinsic(ir.IntrLoadViewIndex, 1, 32).Def, loadInput(b, ir.SlotViewport, 1)))
	vertex := b.Intrinsic(ir.IntrLoadInputVertex, 1, 32, b.Imm32(1), b.Imm32(0))
	vertex.Set(ir.IdxIoSemantics, ioSemantics(ir.SlotVar0+1)).Set(ir.IdxRange, 1)
	storeOutput(b, ir.SlotData0, b.Vec(x, b.Ixor(x, &vertex.Def)))
	bin, _ := build(t, s, CompileOptions{})
	for _, k := range []abi.UniformKind{abi.UniformTable, abi.UniformConstData, abi.UniformPushAddr, abi.UniformViewIndex,
		abi.UniformSlotWritten, abi.UniformFirstFan, abi.UniformMiddleWord} {
		if !slices.ContainsFunc(bin.Meta.Uniforms, func(u abi.Uniform) bool { return u.Kind == k }) {
			t.Errorf("no %s", k)
		}
	}
}

// What selection must have is counted before anything else fills the registers.
func TestUncountedUniforms(t *testing.T) {
	var u uniforms
	u.keep.add(uniformRank(abi.UniformDrawID), 2)
	u.take(abi.Uniform{Kind: abi.UniformDrawID}, uniformHalves)
	u.constant(1)
	if err := u.checkNeeded(); err != nil {
		t.Error(err)
	}
	u.take(abi.Uniform{Kind: abi.UniformFirstFan}, uniformHalves)
	if err := u.checkNeeded(); err == nil || !strings.Contains(err.Error(), "4 halves") {
		t.Errorf("a piece that nobody counted: %v", err)
	}
}

// An odd number of words as bases leaves a word free before the address behind them, in full registers too.
func TestOddBases(t *testing.T) {
	var u uniforms
	u.keep.add(uniformRank(abi.UniformTable), 4)
	word := func(at uint32) opnd {
		n, ok := u.take(abi.Uniform{Kind: abi.UniformPush, Offset: at, Size: 4}, pushBudget)
		if !ok {
			t.Fatal("no room for a pushed word")
		}
		return opnd{kind: opUniform, bits: n}
	}
	a, b, c := word(0), word(4), word(8)
	if !u.isBase(a, b) || !u.isBase(b, c) {
		t.Fatal("pushed words are no base")
	}
	for k := uint32(0); ; k++ {
		if _, ok := u.constant(k); !ok {
			break
		}
	}
	if _, ok := u.take(abi.Uniform{Kind: abi.UniformTable}, baseHalves); !ok {
		t.Fatal("no room for the table")
	}
	if _, n, err := u.layOut(); err != nil || n > uniformHalves {
		t.Errorf("%d halves: %v", n, err)
	}
}

// TestRoomForBases: behind the driver's halves, as many as there are, words become bases until the half of the file that can be one
// is full, and stand there, whatever else fills the rest.
func TestRoomForBases(t *testing.T) {
	for reserved := range 24 {
		u := uniforms{reserved: reserved}
		var words []opnd
		for k := range uint32(140) {
			n, ok := u.take(abi.Uniform{Kind: abi.UniformPush, Offset: 4 * k, Size: 4}, pushBudget)
			if !ok {
				t.Fatal("no room for a pushed word")
			}
			words = append(words, opnd{kind: opUniform, bits: n})
		}
		bases := 0
		for k := range words[1:] {
			if u.isBase(words[k], words[k+1]) {
				bases = k + 2
			}
		}
		first := (reserved + 3) / 4 * 4
		if want := (baseHalves-first-8)/2 + 1; bases != want {
			t.Errorf("behind %d halves %d words are bases, want %d", reserved, bases, want)
		}
		for k := uint32(0); ; k++ {
			if _, ok := u.constant(k); !ok {
				break
			}
		}
		if _, n, err := u.layOut(); err != nil || n > uniformHalves {
			t.Errorf("behind %d halves: %d halves, %v", reserved, n, err)
		}
		for _, p := range u.items {
			if at := int(u.place[p.Half]); p.base && at+4 > baseHalves || at < reserved {
				t.Errorf("behind %d halves a piece stands at half %d", reserved, at)
			}
		}
	}
}

// TestLastBase: the first word that becomes a base takes a word of room for what stands after it.
func TestLastBase(t *testing.T) {
	for free := range 5 {
		for _, u := range []uniforms{{used: room{all: uniformHalves - free}}, {keep: room{all: uniformHalves - free}}, {reserved: 8, used: room{all: uniformHalves - 8 - free}}} {
			if ok := u.makeBase(&piece{}); ok != (free >= 2) {
				t.Errorf("%d halves behind %d are free: a base %v", free, u.reserved, ok)
			}
		}
	}
}
