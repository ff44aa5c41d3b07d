package emu

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nirc/ir"
)

func TestDispatchIDs(t *testing.T) {
	for _, parallel := range []int{0, 4} {
		mem := NewMemory()
		buf := mem.Alloc(4 * 3 * 2 * 4 * 150)
		p := &fakeProgram{stage: ir.StageCompute, wave: 64, size: [3]uint32{10, 5, 3}}
		p.run = func(l *Launch, _ int) (Status, error) {
			c := l.Compute
			g := c.WorkgroupID
			if c.NumSubgroups != 3 || l.NumLanes != []int{64, 64, 22}[c.SubgroupID] || c.FirstLocalInvocationIndex != 64*c.SubgroupID {
				return 0, errors.New("wrong wave shape")
			}
			if c.BaseWorkgroupID != [3]uint32{1, 2, 3} {
				return 0, errors.New("wrong base")
			}
			group := g[0] + 4*(g[1]+3*g[2])
			for i := range l.NumLanes {
				id := c.LocalID[i]
				index := id[0] + 10*(id[1]+5*id[2])
				if index != c.FirstLocalInvocationIndex+uint32(i) {
					return 0, errors.New("lanes out of order")
				}
				mem.Atomic(buf.Addr+uint64(4*(group*150+index)), 4, func(old uint64) uint64 { return old + 1 })
			}
			return StatusDone, nil
		}
		var st DispatchStats
		err := Dispatch(context.Background(), p, &Env{Mem: mem}, DispatchParams{Groups: [3]uint32{4, 3, 2}, Base: [3]uint32{1, 2, 3}, Parallel: parallel, Stats: &st})
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(buf.Data); i += 4 {
			if n := LoadBytes(buf.Data[i:], 4); n != 1 {
				t.Fatalf("invocation %d ran %d times", i/4, n)
			}
		}
		if st != (DispatchStats{Workgroups: 24, Waves: 72, Invocations: 3600}) || mem.OutOfBounds != 0 {
			t.Errorf("stats %+v, %d out of bounds", st, mem.OutOfBounds)
		}
	}
}

// TestDispatchBarrier has wave 0 write shared memory before a barrier, all add
// to it before a second one, except a wave that has ended.
func TestDispatchBarrier(t *testing.T) {
	p := &fakeProgram{stage: ir.StageCompute, wave: 4, size: [3]uint32{14, 1, 1}, share: 4}
	seen := 0
	p.run = func(l *Launch, pc int) (Status, error) {
		c := l.Compute
		switch pc {
		case 0:
			if l.Compute.Shared[0] != 0 {
				return 0, errors.New("shared memory is not clear")
			}
			if c.SubgroupID == 3 {
				return StatusDone, nil // does not hold the others up
			}
			return StatusBarrier, nil
		case 1:
			if c.SubgroupID == 1 {
				return StatusYield, nil // arrives late
			}
			c.Shared[0]++
			return StatusBarrier, nil
		case 2:
			if c.SubgroupID == 1 {
				c.Shared[0]++
				return StatusBarrier, nil
			}
		}
		seen++
		if c.Shared[0] != 3 {
			return 0, errors.New("passed the barrier too early")
		}
		return StatusDone, nil
	}
	if err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{5, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	if seen != 15 {
		t.Errorf("%d waves ended after the barrier, want 15", seen)
	}
}

func TestDispatchTimeout(t *testing.T) {
	p := &fakeProgram{stage: ir.StageCompute, wave: 64, size: [3]uint32{64, 1, 1}}
	for _, st := range []Status{StatusYield, StatusBarrier} {
		p.run = func(*Launch, int) (Status, error) { return st, nil }
		err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: Limits{Budget: 1 << 22}})
		if err == nil || !errors.Is(err, ErrTimeout) {
			t.Errorf("status %d: error %v, want ErrTimeout", st, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := Dispatch(ctx, p, &Env{}, DispatchParams{Groups: [3]uint32{1, 1, 1}}); !errors.Is(err, ErrTimeout) {
		t.Errorf("deadline: error %v, want ErrTimeout", err)
	}
	// Waves that end are charged for what they ran.
	for ran, want := range map[int]error{0: nil, 100: nil, 1000: ErrTimeout} {
		p.run = func(l *Launch, _ int) (Status, error) { l.Ran = ran; return StatusDone, nil }
		err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{1000, 1, 1}, Limits: Limits{Budget: 64 * 200 * 1000}})
		if !errors.Is(err, want) {
			t.Errorf("waves that ran %d instructions: error %v, want %v", ran, err, want)
		}
	}
}

// TestRaysTimeout: rays that never end do when their budget has, and those that end are charged for what they ran.
func TestRaysTimeout(t *testing.T) {
	p := &fakeProgram{stage: ir.StageRaygen, wave: 4}
	rays := func(n uint32) error {
		call := func(RayLane, ShaderCall, []byte) error { return nil }
		return LaunchRays(context.Background(), p, &Env{}, [3]uint32{n, 1, 1}, 0, Limits{Budget: 1 << 22}, call)
	}
	for ran, want := range map[int]error{0: nil, 100: nil, 10000: ErrTimeout} {
		p.run = func(l *Launch, _ int) (Status, error) { l.Ran = ran; return StatusDone, nil }
		if err := rays(4 * 1000); !errors.Is(err, want) {
			t.Errorf("waves that ran %d instructions: %v, want %v", ran, err, want)
		}
	}
	p.run = func(*Launch, int) (Status, error) { return StatusYield, nil }
	if err := rays(1); !errors.Is(err, ErrTimeout) {
		t.Errorf("a wave that never ends: %v", err)
	}
	p.run = func(*Launch, int) (Status, error) { return StatusBarrier, nil }
	if err := rays(1); err == nil || !strings.Contains(err.Error(), "a barrier of a workgroup where there is none") {
		t.Errorf("a barrier: %v", err)
	}
}

// TestDispatchProgress has the first workgroup wait for the last.
func TestDispatchProgress(t *testing.T) {
	var flag atomic.Bool
	p := &fakeProgram{stage: ir.StageCompute, wave: 1, size: [3]uint32{1, 1, 1}}
	p.run = func(l *Launch, _ int) (Status, error) {
		if l.Compute.WorkgroupID[0] == 5 {
			flag.Store(true)
		}
		if !flag.Load() {
			return StatusYield, nil
		}
		return StatusDone, nil
	}
	if err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{6, 1, 1}, Limits: Limits{Budget: 1 << 24}}); err != nil {
		t.Fatal(err)
	}
}

func TestDispatchErrors(t *testing.T) {
	p := &fakeProgram{stage: ir.StageCompute, wave: 64, size: [3]uint32{64, 1, 1}}
	p.run = func(l *Launch, _ int) (Status, error) { return 0, errors.New("division of a wave") }
	err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{1, 2, 1}})
	if err == nil || !strings.Contains(err.Error(), "workgroup [0 0 0]: division of a wave") {
		t.Errorf("error %v", err)
	}
	p.size = [3]uint32{1 << 10, 1 << 10, 1}
	if err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{1, 1, 1}}); err == nil {
		t.Error("a workgroup of 2^20 invocations is no error")
	}
	p.run = func(*Launch, int) (Status, error) { return StatusDone, nil }
	for _, c := range []struct {
		size [3]uint32
		wave int
		ok   bool
	}{{[3]uint32{1 << 16, 1, 1}, 64, true}, {[3]uint32{1, 1 << 8, 1 << 8}, 64, true}, {[3]uint32{1<<16 + 1, 1, 1}, 64, false}, {[3]uint32{1 << 8, 1 << 8, 2}, 64, false}, {[3]uint32{1, 0, 1}, 64, false},
		{[3]uint32{1, 1, 1}, MaxLanes, true}, {[3]uint32{1, 1, 1}, MaxLanes + 1, false}, {[3]uint32{1, 1, 1}, 1, true}, {[3]uint32{1, 1, 1}, 0, false}} {
		q := &fakeProgram{stage: ir.StageCompute, wave: c.wave, size: c.size, run: p.run}
		if err := Dispatch(context.Background(), q, &Env{}, DispatchParams{Groups: [3]uint32{1, 1, 1}}); (err == nil) != c.ok {
			t.Errorf("workgroups of %v, waves of %d: %v", c.size, c.wave, err)
		}
	}
	p.size = [3]uint32{1, 1, 1}
	for _, params := range []DispatchParams{{Groups: [3]uint32{1, 65536, 0}}, {Groups: [3]uint32{0, 1, 2}, Base: [3]uint32{0, 0, 65534}}} {
		if err := Dispatch(context.Background(), p, &Env{}, params); err == nil || !strings.Contains(err.Error(), "a device takes 65535") {
			t.Errorf("%v workgroups from %v on: %v", params.Groups, params.Base, err)
		}
	}
	if err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{0, 5, 5}}); err != nil {
		t.Errorf("no workgroups: %v", err)
	}
}
