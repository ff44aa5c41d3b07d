package isa

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"
)

// head is what tells an instruction from others, and its length: what all rows are asked for before one is known.
type head struct {
	op          Op
	mask, value word // fixed bits
	short, long uint8
	lbit        uint8 // length bit, among the first 64; 0: one length only
}

// heads are those of all rows. The rest of a row is compiled when a shader has the instruction: that takes ten times as long.
var heads = sync.OnceValue(func() *[NumOps]head {
	var list [NumOps]head
	for o := OpInvalid + 1; o < NumOps; o++ {
		list[o].op = o
		if err := list[o].compile(&opTable[o]); err != nil {
			panic(fmt.Sprintf("agx isa table: %s: %v", opTable[o].name, err))
		}
	}
	return &list
})

// candidates lists what may begin with each byte, most fixed bits first: what a decoder asks for.
var candidates = sync.OnceValue(func() *[256][]*head {
	var list [256][]*head
	all := heads()
	for o := OpInvalid + 1; o < NumOps; o++ {
		h := &all[o]
		mask, value := uint8(h.mask.lo), uint8(h.value.lo)
		// Each choice of the bits that are not fixed.
		for free := ^mask; ; free = (free - 1) &^ mask {
			b := value | free
			list[b] = insertBySpecificity(list[b], h)
			if free == 0 {
				break
			}
		}
	}
	return &list
})

func insertBySpecificity(list []*head, h *head) []*head {
	at := len(list)
	for at > 0 && list[at-1].mask.count() < h.mask.count() {
		at--
	}
	list = append(list, nil)
	copy(list[at+1:], list[at:])
	list[at] = h
	return list
}

func (h *head) compile(r *row) error {
	if err := h.compileSize(r.size); err != nil {
		return err
	}
	for s := range strings.FieldsSeq(r.fixed) {
		where, val, _ := strings.Cut(s, "=")
		sp, err := parseSpan(where)
		v, err2 := strconv.ParseUint(val, 16, 64)
		if err != nil || err2 != nil || bits.Len64(v) > int(sp.n) {
			return fmt.Errorf("bad fixed bits %q", s)
		}
		sp.put(&h.mask, 1<<sp.n-1)
		sp.put(&h.value, v)
	}
	return nil
}

func (h *head) compileSize(s string) error {
	lens, l, _ := strings.Cut(s, " L")
	a, b, two := strings.Cut(lens, "/")
	n, err := strconv.Atoi(a)
	h.short, h.long = uint8(n), uint8(n)
	if err == nil && two {
		n, err = strconv.Atoi(b)
		h.long = uint8(n)
	}
	if err == nil && l != "" {
		n, err = strconv.Atoi(l)
		h.lbit = uint8(n)
	}
	if err != nil || two != (l != "") || h.long > MaxBytes || h.lbit >= 64 {
		return fmt.Errorf("bad size %q", s)
	}
	return nil
}

func (h *head) length(w word) int {
	if h.lbit != 0 && w.lo>>h.lbit&1 == 0 {
		return int(h.short)
	}
	return int(h.long)
}

// candidateOf is the instruction that Unpack tries first for n bytes, OpInvalid if there is none.
func candidateOf(w word, n int) Op {
	for _, h := range candidates()[w.lo&0xff] {
		if h.length(w) == n && w.and(h.mask) == h.value {
			return h.op
		}
	}
	return OpInvalid
}
