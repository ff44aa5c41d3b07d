package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/ir"
)

// topologies are their names in emu's order.
var topologies = []string{"point_list", "line_list", "line_strip", "triangle_list", "triangle_strip", "triangle_fan",
	"line_list_with_adjacency", "line_strip_with_adjacency", "triangle_list_with_adjacency", "triangle_strip_with_adjacency", "patch_list"}

// pipeline makes the fixed part of the draw and its render target.
func (d *drawFlags) pipeline(x *exec.Execution) (*emu.ImageView, error) {
	topology, err := d.primitives(x)
	if err != nil {
		return nil, err
	}
	cull := slices.Index([]string{"none", "front", "back", "both"}, d.cull)
	if cull < 0 {
		return nil, nirc.Usagef("--cull %s: want none, front, back or both", d.cull)
	}
	w, h, err := parseExtent("size", d.size)
	if err != nil {
		return nil, err
	}
	img, err := newImage(w, h, d.format)
	if err != nil {
		return nil, err
	}
	target := &emu.ImageView{Image: img}
	color, err := parseColor(d.clear, img.Format.IsInteger())
	if err != nil {
		return nil, err
	}
	if err := target.Clear(color); err != nil {
		return nil, nirc.Usagef("--format %s: %s", d.format, err)
	}
	p := &emu.Pipeline{Topology: topology, PatchControlPoints: int(d.patch), Raster: emu.RasterState{Cull: emu.CullMode(cull)},
		Color: []emu.Attachment{{View: target}}}
	count := uint32(3)
	for i, text := range d.vertices {
		n, err := d.attribute(p, i, text)
		if err != nil {
			return nil, err
		}
		if i == 0 || n < count {
			count = n
		}
	}
	if d.set.Changed("count") {
		count = d.count
	}
	x.Draw = p
	x.DrawParams = emu.DrawParams{VertexCount: count, InstanceCount: d.instances}
	return target, nil
}

// primitives is the topology that was asked for; without one tessellation shaders take patches, and others triangles.
func (d *drawFlags) primitives(x *exec.Execution) (emu.Topology, error) {
	if d.topology != "" {
		if t := slices.Index(topologies, d.topology); t >= 0 {
			return emu.Topology(t), nil
		}
		return 0, nirc.Usagef("--topology %s: want one of %s", d.topology, strings.Join(topologies, ", "))
	}
	for _, m := range x.Modules {
		entries, err := m.Select(x.Options.Entry, x.Options.Stage)
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(entries, func(e nirc.EntryPoint) bool { return e.Stage == ir.StageTessCtrl }) {
			return emu.PatchList, nil
		}
	}
	return emu.TriangleList, nil
}

// attribute adds vertex data given as LOCATION=N:VALUES and returns how many
// vertices it has.
func (d *drawFlags) attribute(p *emu.Pipeline, i int, text string) (uint32, error) {
	bad := nirc.Usagef("--vertex %s: want LOCATION=N:VALUES with N 1 to 4, or Ni or Nu for integers", text)
	place, rest, _ := strings.Cut(text, "=")
	shape, values, ok := strings.Cut(rest, ":")
	loc, err := strconv.ParseUint(place, 10, 5)
	if err != nil || !ok || shape == "" || shape[0] < '1' || shape[0] > '4' {
		return 0, bad
	}
	n := int(shape[0] - '0')
	kind := map[string][2]string{"": {"f32", "SFLOAT"}, "f": {"f32", "SFLOAT"}, "i": {"i32", "SINT"}, "u": {"u32", "UINT"}}[shape[1:]]
	if kind[0] == "" {
		return 0, bad
	}
	data, _, err := parseValues(kind[0] + ":" + values)
	if err != nil {
		return 0, err
	}
	if len(data)%(4*n) != 0 {
		return 0, nirc.Usagef("--vertex %s: %d values do not make vertices of %d", text, len(data)/4, n)
	}
	name := ""
	for _, c := range "RGBA"[:n] {
		name += fmt.Sprintf("%c32", c)
	}
	p.Bindings = append(p.Bindings, emu.VertexBinding{Binding: uint32(i), Data: data, Stride: uint32(4 * n)})
	p.Attributes = append(p.Attributes, emu.VertexAttribute{Location: uint32(loc), Binding: uint32(i), Format: emu.FormatByName(name + "_" + kind[1])})
	return uint32(len(data) / (4 * n)), nil
}

// parseColor reads R,G,B,A.
func parseColor(text string, integer bool) (c [4]uint32, err error) {
	list := strings.Split(text, ",")
	if len(list) != 4 {
		return c, nirc.Usagef("--clear %s: want R,G,B,A", text)
	}
	for i, s := range list {
		v, err := strconv.ParseFloat(s, 32)
		if err != nil {
			return c, nirc.Usagef("--clear %s: want R,G,B,A", text)
		}
		if c[i] = math.Float32bits(float32(v)); integer {
			c[i] = uint32(int32(v))
		}
	}
	return c, nil
}
