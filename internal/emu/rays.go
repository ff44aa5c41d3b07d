package emu

import (
	"context"
	"errors"
	"fmt"
)

// RayLane is one invocation of a shader of ray tracing.
type RayLane struct {
	LaunchID, LaunchSize [3]uint32
	// Record is the address of the shader record.
	Record uint64
	// Data is what the caller hands on, nil of ray generation; the lane writes it back when it ends.
	Data []byte
	// Call runs what the lane calls.
	Call func(c ShaderCall, data []byte) error
	// Hit is what the stages know that a ray has reached, nil of others.
	Hit *RayHit
}

// ShaderCall is a call of other shaders: of a callable, or, with a ray, of what the ray meets.
type ShaderCall struct {
	Callable bool
	// Index is the callable's, or the miss index of a ray.
	Index uint32
	// Accel is the acceleration structure's address; flags, cull mask, offset and stride in the binding table follow.
	Accel                                 uint64
	Flags, CullMask, SBTOffset, SBTStride uint32
	Origin, Direction                     [3]float32
	TMin, TMax                            float32
}

// LaunchRays runs a ray generation shader for each point of a launch; call runs what it calls.
func LaunchRays(ctx context.Context, p Program, env *Env, size [3]uint32, record uint64, l Limits, call func(lane RayLane, c ShaderCall, data []byte) error) error {
	if p == nil || env == nil {
		return errors.New("emu: a launch without a program or environment")
	}
	if err := checkRays(size); err != nil {
		return err
	}
	return launchRays(newMeter(ctx, &l), p, env, size, record, &l, call)
}

// checkRays bounds the points of a launch.
func checkRays(size [3]uint32) error {
	if size[0] > maxGroups || size[1] > maxGroups || size[2] > 1<<30 || uint64(size[0])*uint64(size[1])*uint64(size[2]) > 1<<30 {
		return unsupported("a launch of %v is not supported", size)
	}
	return nil
}

func launchRays(m *meter, p Program, env *Env, size [3]uint32, record uint64, l *Limits, call func(lane RayLane, c ShaderCall, data []byte) error) error {
	n := uint64(size[0]) * uint64(size[1]) * uint64(size[2])
	for first := uint64(0); first < n; first += uint64(p.WaveSize()) {
		lanes := make([]RayLane, min(uint64(p.WaveSize()), n-first))
		for i := range lanes {
			at := first + uint64(i)
			lane := RayLane{LaunchSize: size, Record: record,
				LaunchID: [3]uint32{uint32(at % uint64(size[0])), uint32(at / uint64(size[0]) % uint64(size[1])), uint32(at / uint64(size[0]) / uint64(size[1]))}}
			lanes[i] = lane
			lanes[i].Call = func(c ShaderCall, data []byte) error { return call(lane, c, data) }
		}
		if err := runRays(m, p, &Launch{Env: env, NumLanes: len(lanes), Check: l.Check, Seed: fork(l.seed(), first+1), Rays: lanes}); err != nil {
			return fmt.Errorf("launch %v: %w", lanes[0].LaunchID, err)
		}
	}
	return nil
}

func runRays(m *meter, p Program, l *Launch) error {
	w := p.NewWave(l)
	for {
		fuel := m.fuel(l.NumLanes)
		switch st, err := w.Run(fuel); {
		case err != nil:
			return err
		case st == StatusDone:
			return m.ended(l)
		case st == StatusBarrier:
			return errors.New("emu: a barrier of a workgroup where there is none")
		}
		if err := m.yielded(l.NumLanes, fuel); err != nil {
			return err
		}
	}
}
