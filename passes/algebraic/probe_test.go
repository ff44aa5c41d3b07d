package algebraic

import "testing"

// TestProbedSources: a probe reads a constant, or one of two equal values, below an operation by the component that is read of
// that one's result. So no pattern may have them where sources have a width of their own.
func TestProbedSources(t *testing.T) {
	sized := 0
	for i := range rules {
		root := &nodes[rules[i].root]
		for k := range root.nsrc {
			child := &nodes[root.first+uint16(k)]
			if child.kind != patOp {
				continue
			}
			for j := range child.nsrc {
				if child.op.Info().In[j].Comps == 0 {
					continue
				}
				sized++
				if n := &nodes[child.first+uint16(j)]; n.kind != patVar || slotUses(root, n.slot) != 1 {
					t.Errorf("rule %d: source %d of %s has a width of its own, and more is wanted of it than a value", i, j, child.op)
				}
			}
		}
	}
	if sized == 0 {
		t.Error("no pattern has such an operation")
	}
}

// slotUses is how often a pattern has the variable of a slot.
func slotUses(n *node, slot int8) int {
	uses := 0
	if n.slot == slot {
		uses = 1
	}
	for k := range n.nsrc {
		uses += slotUses(&nodes[n.first+uint16(k)], slot)
	}
	return uses
}

// TestProbePlaces: with its operands in either order, a candidate asks of no source that its operations do not have.
func TestProbePlaces(t *testing.T) {
	inner := 0
	for i := range rules {
		root := &nodes[rules[i].root]
		for swap := range 8 {
			c := cand{rule: uint16(i), swap: uint8(swap)}
			p := c.probed()
			for k := range p.n {
				x := &p.probes[k]
				places := []place{x.a}
				if x.key == keyAny {
					places = append(places, x.b)
				}
				for _, at := range places {
					if at.src < 0 || uint8(at.src) >= min(2, root.nsrc) {
						t.Fatalf("rule %d, order %d: source %d of %s", i, swap, at.src, root.op)
					}
					if at.sub < 0 {
						continue
					}
					inner++
					child := &nodes[root.first+uint16(uint8(at.src)^c.flip(root))]
					if uint8(at.sub) >= child.nsrc {
						t.Fatalf("rule %d, order %d: source %d of %s", i, swap, at.sub, child.op)
					}
				}
			}
		}
	}
	if inner == 0 {
		t.Error("no candidate asks of the sources of an operation")
	}
}
