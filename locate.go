package nirc

import (
	"context"
	"errors"

	"nirc/passes"
)

// Locate gives the refusal of a shader, compiled with these options, the places
// in the module that it is about, where it came without: instructions keep
// their places only under Options.Debug, so the shader is compiled once more
// with it. Other errors come back as they are.
func (m *Module) Locate(ctx context.Context, o Options, err error) error {
	var list Diagnostics
	if !errors.As(err, &list) || o.Debug || m.SPIRV == nil || ctx.Err() != nil {
		return err
	}
	for i := range list {
		if list[i].Target == "" || list[i].Line != 0 || list[i].Word != 0 {
			return err
		}
	}
	o.Debug = true
	o.Run = passes.RunOptions{Bisect: o.Run.Bisect, Disable: o.Run.Disable, StartBefore: o.Run.StartBefore, StopAfter: o.Run.StopAfter}
	_, again := m.compile(ctx, o)
	var placed Diagnostics
	if errors.As(again, &placed) && len(placed) == len(list) && placed[0].Msg == list[0].Msg {
		return placed
	}
	return err
}
