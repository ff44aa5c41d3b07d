package core

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// Address ranges of what is no device memory. The top four bits tell.
const (
	sharedBase = uint64(2) << 60
	tlsBase    = uint64(3) << 60
	imageBase  = uint64(4) << 60 // texels: see texelAddress
	sampleBase = uint64(5) << 60 // the table of sample positions
	sinkBase   = uint64(6) << 60 // 16 bytes of zeros, and 16 of anything
	stageBase  = uint64(8) << 60 // what a driver allocates for stages: see driverMemory
	wildBase   = uint64(7) << 60 // what LEA_IMAGE makes of a texel that there is not
)

// inputs are the values that a load/store bundle's address registers have: those
// of r26 and r27 before the bundle.
type inputs struct {
	w  *wave
	t  *thread
	in [2][2]uint64
	// PC of the bundle, and the slot of the access.
	pc   uint64
	slot int
}

// vec is the whole address register.
func (s *inputs) vec(r uint8) (v [2]uint64) {
	pack := func(id [3]uint32) [2]uint64 { return [2]uint64{uint64(id[0]) | uint64(id[1])<<32, uint64(id[2])} }
	switch r {
	case isa.AddrLdSt0, isa.AddrLdSt1:
		return s.in[r]
	case isa.AddrPCSP:
		return [2]uint64{s.pc, tlsBase}
	case isa.AddrLocal:
		return [2]uint64{tlsBase, sharedBase}
	}
	c := s.w.l.Compute
	if c == nil || s.t.lane >= len(c.LocalID) {
		return v
	}
	local := c.LocalID[s.t.lane]
	switch r {
	case isa.AddrLocalID:
		return pack(local)
	case isa.AddrGroupID:
		return pack(c.WorkgroupID)
	case isa.AddrGlobal:
		var g [3]uint32
		for i := range g {
			g[i] = c.WorkgroupID[i]*s.w.p.meta.WorkgroupSize[i] + local[i]
		}
		return pack(g)
	}
	return v
}

// word is one 32-bit component.
func (s *inputs) word(a isa.AddrReg) uint32 {
	v := s.vec(a.Reg)
	return uint32(v[a.Comp>>1&1] >> (a.Comp & 1 * 32))
}

// long is the 64-bit value that starts at a component.
func (s *inputs) long(a isa.AddrReg) uint64 {
	hi := uint32(0)
	if a.Comp < 3 {
		hi = s.word(isa.AddrReg{Reg: a.Reg, Comp: a.Comp + 1})
	}
	return uint64(s.word(a)) | uint64(hi)<<32
}

// address evaluates the address expression.
func (s *inputs) address(l *isa.LoadStore) (uint64, error) {
	a := uint64(s.word(l.Arg))
	if l.Toggle {
		a = s.long(l.Arg)
	}
	if l.Op.Info().Kind != isa.KindCmpXchg && l.Index.Reg != isa.AddrZero {
		var b uint64
		switch l.Format {
		case isa.IndexU64:
			b = s.long(l.Index)
		case isa.IndexU32:
			b = uint64(s.word(l.Index))
		case isa.IndexS32:
			b = uint64(int64(int32(s.word(l.Index))))
		default:
			return 0, errors.New("the index format 0 of a memory operation is not supported")
		}
		a += b << l.Shift
	}
	return a + uint64(int64(l.Offset)), nil
}

// index is the descriptor index or the byte offset that the index register
// adds to.
func (s *inputs) index(l *isa.LoadStore) uint32 {
	if l.Index.Reg == isa.AddrZero {
		return 0
	}
	return s.word(l.Index) << l.Shift
}

// stepLdSt performs a load/store bundle.
func (w *wave) stepLdSt(t *thread, b *bundle) error {
	s := inputs{w: w, t: t, in: [2][2]uint64{t.file[isa.RegConst], t.file[isa.RegLdSt1]}, pc: uint64(b.addr)}
	if w.check {
		return w.apart(&s, b)
	}
	for i := range b.LdSt {
		l := &b.LdSt[i]
		if l.Op == isa.LdNop {
			continue
		}
		s.slot = i
		if err := w.ldst(&s, l); err != nil {
			return fmt.Errorf("slot %d: %w", i, err)
		}
	}
	return nil
}

// turns is how often a wave of checking mode lets others run between two accesses of a bundle, or after one.
const turns = 16

// apart performs a load/store bundle in checking mode: the slots in either order, and of
// compute threads others may run between them.
func (w *wave) apart(s *inputs, b *bundle) error {
	first := 0
	others := w.turns < turns && w.l.Compute != nil
	if b.LdSt[0].Op != isa.LdNop && b.LdSt[1].Op != isa.LdNop {
		first = w.order.Below(2)
		if others {
			s.t.late, s.t.lateSlot = &inputs{w: w, t: s.t, in: s.in, pc: s.pc}, 1-first
			w.yields = true
		}
	} else if others && w.l.Races != nil {
		w.yields = w.order.Below(4) == 0
	}
	if w.yields {
		w.turns++
	}
	for k := range b.LdSt {
		i := k ^ first
		s.slot = i
		if l := &b.LdSt[i]; l.Op != isa.LdNop && (s.t.late == nil || i == first) {
			if err := w.ldst(s, l); err != nil {
				return fmt.Errorf("slot %d: %w", i, err)
			}
		}
	}
	return nil
}

// finishLate performs the access that a bundle left.
func (w *wave) finishLate(t *thread, b *bundle) error {
	s, i := t.late, t.lateSlot
	t.late, s.slot = nil, i
	if err := w.ldst(s, &b.LdSt[i]); err != nil {
		return fmt.Errorf("slot %d: %w", i, err)
	}
	return w.advance(t, b, b.next)
}

func (w *wave) ldst(s *inputs, l *isa.LoadStore) error {
	switch l.Op.Info().Kind {
	case isa.KindLoad:
		return w.load(s, l)
	case isa.KindStore:
		return w.store(s, l)
	case isa.KindUbo:
		return w.loadUBO(s, l)
	case isa.KindAtomic, isa.KindCmpXchg:
		return w.atomic(s, l)
	case isa.KindLea:
		a, err := s.address(l)
		if err != nil {
			return err
		}
		return w.result(s.t, l, [4]uint32{uint32(a), uint32(a >> 32)})
	case isa.KindMov:
		v := words(s.vec(l.Arg.Reg))
		return w.result(s.t, l, v)
	case isa.KindPersp, isa.KindCube:
		return w.register(s, l)
	case isa.KindAttr, isa.KindVary, isa.KindSpecial, isa.KindStVary:
		return w.stageIO(s, l)
	case isa.KindTile:
		return w.loadTile(s.t, l)
	case isa.KindImage, isa.KindStImage, isa.KindLeaImage:
		return w.image(s, l)
	case isa.KindTrap:
		return fmt.Errorf("trap %d", l.Offset)
	}
	return fmt.Errorf("%s is not supported", l.Op)
}

// result writes a load's destination: component i is v[swizzle[i]].
func (w *wave) result(t *thread, l *isa.LoadStore, v [4]uint32) error {
	swz := l.Swizzle
	if k := l.Op.Info().Kind; k == isa.KindAtomic || k == isa.KindCmpXchg {
		swz = isa.XYZW
	}
	r := l.Reg
	if r >= 16 && (r < isa.RegConst || r > isa.RegTex1) {
		return fmt.Errorf("a load cannot write register %d", r)
	}
	for i := range 4 {
		if l.Mask>>i&1 == 0 {
			continue
		}
		sh, m := uint(i&1*32), mask(32)<<(i&1*32)
		t.file[r][i>>1] = t.file[r][i>>1]&^m | uint64(v[swz.Lane(i)])<<sh
		t.def[r][i>>1] |= m
	}
	return nil
}

// data gathers the vector that a store takes from r26 or r27.
func (s *inputs) data(l *isa.LoadStore) (v [4]uint32, err error) {
	if l.Reg > 1 {
		return v, fmt.Errorf("a store cannot take its data from address register %d", l.Reg)
	}
	in := words(s.in[l.Reg])
	for i := range v {
		v[i] = in[l.Swizzle.Lane(i)]
	}
	return v, nil
}

// space finds the bytes at an address; nil outside of everything.
func (w *wave) space(t *thread, a uint64, n int) ([]byte, error) {
	var b []byte
	name := ""
	switch a & (15 << 60) {
	case sharedBase:
		name = "work-group"
		if w.l.Compute != nil {
			b = w.l.Compute.Shared
		}
	case tlsBase:
		name, b = "thread-local", t.tls
	case imageBase:
		return w.texelBytes(a), nil
	case wildBase:
		return nil, w.wild()
	case stageBase:
		if b = w.driver.bytes(a, n); b == nil && w.check {
			return nil, fmt.Errorf("%d bytes at address %#x, where a driver has allocated nothing for the stage", n, a)
		}
		return b, nil
	case sampleBase:
		return w.samplePosition(t, a)
	case sinkBase:
		return w.sink(a, n)
	default:
		if err := w.absent.At(a); err != nil {
			return nil, err
		}
		b = w.l.Env.Mem.Bytes(a, n)
		if b == nil && w.check && a&3 == 0 {
			return nil, fmt.Errorf("%d bytes at address %#x, where nothing is mapped", n, a)
		}
		return b, nil
	}
	off := a << 4 >> 4
	if off+uint64(n) <= uint64(len(b)) {
		return b[off : off+uint64(n)], nil
	}
	if w.check {
		return nil, fmt.Errorf("%d bytes at offset %#x of %d bytes of %s storage", n, off, len(b), name)
	}
	return nil, nil
}

// wild reports an access to a texel that is none of its image: it reaches other memory.
func (w *wave) wild() error {
	if w.check {
		return errors.New("an access at the address of a texel that is none of the image")
	}
	return nil
}

// sink is where accesses out of bounds go: zeros at first, then bytes that hold anything.
func (w *wave) sink(a uint64, n int) ([]byte, error) {
	off := a &^ sinkBase
	b := make([]byte, n)
	switch {
	case off+uint64(n) > 32:
		return nil, fmt.Errorf("%d bytes at byte %d of the sink", n, off)
	case off >= 16:
		w.order.Fill(b) // not what hangs on garbage: what comes from out of bounds may be anything
	}
	return b, nil
}

// samplePosition reads the table of sample positions, in which those of samples that there are not are the corner of the pixel.
func (w *wave) samplePosition(t *thread, a uint64) ([]byte, error) {
	b, n := make([]byte, 4), int(a&^sampleBase/4)
	if n >= abi.SamplePositions && w.check {
		return nil, fmt.Errorf("entry %d of the table of sample positions", n)
	}
	if w.p.meta.Stage != ir.StageFragment {
		return b[a&3:], nil
	}
	if p := w.l.Fragment[t.lane].Prim; p != nil && p.SamplePos != nil && n < max(1, p.Samples) {
		x, y := p.SamplePos(n)
		binary.LittleEndian.PutUint16(b, uint16(x*256))
		binary.LittleEndian.PutUint16(b[2:], uint16(y*256))
	}
	return b[a&3:], nil
}

// swap reverses the bytes of each unit of n.
func swap(b []byte, n int) {
	for at := 0; n > 1 && at+n <= len(b); at += n {
		for i, j := at, at+n-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
}

// extend makes the words of a loaded value.
func extend(b []byte, info *isa.LdInfo) (v [4]uint32) {
	swap(b, int(info.Swap))
	switch {
	case info.Size == 1 && info.Signed:
		v[0] = uint32(int32(int8(b[0])))
	case info.Size == 1:
		v[0] = uint32(b[0])
	case info.Size == 2 && info.Signed:
		v[0] = uint32(int32(int16(binary.LittleEndian.Uint16(b))))
	case info.Size == 2:
		v[0] = uint32(binary.LittleEndian.Uint16(b))
	default:
		for i := 0; 4*i < len(b); i++ {
			v[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
	}
	return v
}

func (w *wave) load(s *inputs, l *isa.LoadStore) error {
	info := l.Op.Info()
	a, err := s.address(l)
	if err != nil {
		return err
	}
	if err := w.aligned(a, int(info.Size)); err != nil {
		return err
	}
	w.noteLoad(s, l, a, int(info.Size))
	var buf [16]byte
	b := buf[:info.Size]
	// Word by word: a vector may end outside of its buffer where nobody takes what lies there.
	n := min(4, len(b))
	for k := 0; k < len(b); k += 4 {
		from, err := w.space(s.t, a+uint64(k), n)
		if err != nil && (k == 0 || takes(l, k/4)) {
			return err
		}
		copy(b[k:k+n], from)
	}
	return w.result(s.t, l, extend(b, info))
}

// takes reports whether a component of a load's destination is a word of it.
func takes(l *isa.LoadStore, word int) bool {
	for i := range 4 {
		if l.Mask>>i&1 != 0 && l.Swizzle.Lane(i) == word {
			return true
		}
	}
	return false
}

func (w *wave) loadUBO(s *inputs, l *isa.LoadStore) error {
	info := l.Op.Info()
	if w.check && l.UBOIndex() >= len(w.p.meta.UBOs) {
		return fmt.Errorf("uniform buffer %d is read, the table has %d", l.UBOIndex(), len(w.p.meta.UBOs))
	}
	var buf [16]byte
	b, off := buf[:info.Size], uint64(l.UBOOffset())+uint64(s.index(l))
	if w.check && !s.t.helper && w.p.meta.Robust.Uniform == ir.RobustOff {
		if err := w.promised(l, off); err != nil {
			return err
		}
	}
	if w.check && !s.t.helper {
		if err := w.missingUBO(l.UBOIndex()); err != nil {
			return err
		}
	}
	w.order.Fill(b) // whether zeros come from beyond the end is not known (midgard.md §5.7)
	w.readUBO(l.UBOIndex(), off, b)
	return w.result(s.t, l, extend(b, info))
}

// promised reports a load beyond the end of a bound uniform buffer, of a program that promised to keep
// its bounds. What is loaded for nobody does not count, nor do bytes of a word that the buffer has a part of: uniform
// buffers are counted in 16 bytes (midgard.md §9.2).
func (w *wave) promised(l *isa.LoadStore, off uint64) error {
	i := l.UBOIndex()
	if i >= len(w.p.meta.UBOs) || w.p.meta.UBOs[i].Kind != abi.UBOBinding {
		return nil
	}
	u := &w.p.meta.UBOs[i]
	d := w.l.Env.Bindings.Lookup(u.Set, u.Binding, u.Element)
	last := 0
	for k := range 4 {
		if l.Mask>>k&1 != 0 {
			last = max(last, l.Swizzle.Lane(k))
		}
	}
	n := min(int(l.Op.Info().Size), 4*(last+1))
	if d.Type != emu.DescNone && off+uint64((n-1)&^3) >= d.Size {
		return fmt.Errorf("%d bytes at offset %#x of a uniform buffer of %d bytes are out of bounds, and robust access was not asked for", n, off, d.Size)
	}
	return nil
}

// aligned reports an address that is not one of the access's words, or of what is less of one.
func (w *wave) aligned(a uint64, n int) error {
	if n = min(n, 4); w.check && a%uint64(n) != 0 {
		return fmt.Errorf("the address %#x of an access is no multiple of %d", a, n)
	}
	return nil
}

// helperWrites reports a helper that writes memory other than its own: hardware lets it.
func (w *wave) helperWrites(t *thread, a uint64) error {
	if w.check && t.helper && a&(15<<60) != tlsBase {
		return errors.New("a helper thread writes memory")
	}
	return nil
}

func (w *wave) store(s *inputs, l *isa.LoadStore) error {
	info := l.Op.Info()
	a, err := s.address(l)
	if err != nil {
		return err
	}
	v, err := s.data(l)
	if err == nil {
		err = w.helperWrites(s.t, a)
	}
	if err == nil {
		err = w.aligned(a, int(info.Size))
	}
	if err != nil {
		return err
	}
	var buf [16]byte
	for i, x := range v {
		binary.LittleEndian.PutUint32(buf[4*i:], x)
	}
	b := buf[:info.Size]
	swap(b, int(info.Swap))
	unit := max(1, len(b)/4) // what a bit of the mask enables
	for i := 0; i*unit < len(b) && i < 4; i++ {
		if l.Mask>>i&1 == 0 {
			continue
		}
		to, err := w.space(s.t, a+uint64(i*unit), unit)
		if err != nil {
			return err
		}
		from := b[i*unit : (i+1)*unit]
		if to != nil && !bytes.Equal(to, from) { // what changes nothing nobody can tell
			w.note(s, a+uint64(i*unit), unit, emu.AccessWrite)
		}
		copy(to, from)
	}
	return nil
}

// combine is what an atomic leaves in memory; n is its width in bits.
func combine(op isa.AtomicOp, n uint, old, v, cmp uint64) uint64 {
	switch op {
	case isa.AtomicAdd:
		return old + v
	case isa.AtomicAnd:
		return old & v
	case isa.AtomicOr:
		return old | v
	case isa.AtomicXor:
		return old ^ v
	case isa.AtomicSmin:
		return pick(sx(n, v) < sx(n, old), v, old)
	case isa.AtomicUmin:
		return min(old, v)
	case isa.AtomicSmax:
		return pick(sx(n, v) > sx(n, old), v, old)
	case isa.AtomicUmax:
		return max(old, v)
	case isa.AtomicCmpXchg:
		return pick(old == cmp, v, old)
	}
	return v
}

func (w *wave) atomic(s *inputs, l *isa.LoadStore) error {
	info := l.Op.Info()
	if info.Swap != 0 {
		return fmt.Errorf("%s: atomics on big-endian memory are not supported", l.Op)
	}
	src := l.AtomicSrc()
	if src.Reg > 1 {
		return fmt.Errorf("an atomic cannot take its operand from address register %d", src.Reg)
	}
	a, err := s.address(l)
	if err != nil {
		return err
	}
	v, cmp := uint64(s.word(src)), uint64(s.word(l.Index))
	if info.Size == 8 {
		v, cmp = s.long(src), s.long(l.Index)
	}
	if err := w.helperWrites(s.t, a); err != nil {
		return err
	}
	n := int(info.Size)
	w.note(s, a, n, emu.AccessAtomic)
	f := func(old uint64) uint64 { return combine(info.Atomic, uint(8*n), old, v, cmp) & mask(uint(8*n)) }
	var old uint64
	switch a & (15 << 60) {
	case imageBase:
		old, err = w.texelAtomic(s, a, f)
	case wildBase:
		err = w.wild()
	case sharedBase, tlsBase, sinkBase:
		var b []byte
		if b, err = w.space(s.t, a, n); b != nil {
			old = emu.LoadBytes(b, n)
			emu.StoreBytes(b, n, f(old))
		}
	default:
		if err := w.absent.At(a); err != nil {
			return err
		}
		if w.check && w.l.Env.Mem.Bytes(a, n) == nil {
			return fmt.Errorf("an atomic at address %#x, where nothing is mapped", a)
		}
		old = w.l.Env.Mem.Atomic(a, n, f)
	}
	if err != nil {
		return err
	}
	lo, hi := uint32(old), uint32(old>>32)
	if info.Size == 4 {
		hi = lo
	}
	return w.result(s.t, l, [4]uint32{lo, hi, lo, hi}) // in each lane or half that the mask has
}
