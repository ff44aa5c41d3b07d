// Package abi holds what an AGX binary says about itself: which registers
// values arrive in and leave in, what the driver puts into the uniform
// registers, which coefficient register, output word or state register stands
// for what. The code generator writes a [Meta] beside the code, package core
// reads it (and plays the driver); both see the shader through this and nothing
// else. All types are plain data that encoding/json carries unchanged. The
// conventions follow agx.md §11; where it leaves a
// choice to the driver, this package makes it.
//
// # Registers
//
// Register positions are half indices: 2n is the low half of rn (or un), 2n+1
// the high half. 32-bit values stand at even ones.
//
// At the start of a vertex shader r5 holds the vertex index (base vertex
// included), r6 the number of the instance in the draw, without the base instance; the attributes
// of Meta.Attribs stand where they say, customarily from r8 on, four registers
// each. A fragment shader with PerSample finds in r1l the mask of the sample
// that it shades (1 << sample id); the driver runs it once a sample. Nothing
// else is defined at the start: r0l must be zeroed before the first
// control-flow instruction. Compute shaders read special registers.
//
// # Vertex shaders that run as compute
//
// With Meta.Next the shader runs as compute, on a grid of (vertices, instances, 1) invocations
// that the driver may cut into workgroups as it likes, for what follows reads
// the vertices from memory. r4 holds the vertex counted from 0 in its instance; r5, r6 and the
// attributes are as above: a prolog makes them of the place in the grid, the index buffer
// (UniformAssembly) and the base vertex. The vertex leaves its outputs in record
// instance*UniformGridVertices + vertex of those at UniformRecords: 16 bytes for each slot
// of Meta.Record; components that the shader does not write stay as they were.
//
// # Tessellation
//
// A tessellation control shader runs as compute, on a grid of (patches, instances, 1)
// workgroups of WorkgroupSize lanes, one for each output vertex. It reads the vertices of patch
// p from the records at UniformRecords, from instance*UniformGridVertices +
// p*UniformPatchVertices on, in which the slots of UniformRecordSlots stand (a bit a slot,
// ascending, 16 bytes each), and leaves patch instance*UniformPatchCount + p of those at
// UniformPatches, PatchWords(PatchSlots, len(Record), WorkgroupSize[0]) words each.
//
// A tessellation evaluation shader is a vertex shader without attributes of the hardware: r5
// is its vertex index (PatchShift), with UniformPatches, UniformPatchRecord,
// UniformPatchSlots and UniformPatchVertices it finds the vertices of the patch, whose point
// is UniformPatchPoints[patch] + point of those at UniformTessPoints. With Meta.Next it runs as
// compute and leaves record r4 of those at UniformRecords.
//
// # Geometry
//
// A geometry shader is up to three programs, one after the other in the code. A unit is an
// invocation of a primitive: number (instance*UniformPrimitives + primitive)*Invocations +
// invocation. The count program and the main program run as compute, a lane a unit, on a grid
// of (UniformPrimitives*Invocations, instances, 1) that the driver may cut as it likes.
//
// Both read the vertices of primitive p from the records at UniformRecords, from
// instance*UniformGridVertices on, in which the slots of UniformRecordSlots stand, as
// UniformTopology says of p; a draw with primitive restart must be unrolled before. The count
// program leaves CountWords words of each unit at UniformCounts; the driver puts the sum of
// those of the units before in place of each. Without a count program all units have
// the words of Geometry.Counts, and nothing is read at UniformCounts. The main program does
// what the shader does to memory; it writes the index buffer at UniformIndices, a word for
// each vertex of stream 0 and a Restart after each strip, and the transform feedback of the
// primitives for which there is room (UniformXfbLimit0 and further). The words of a unit begin
// where the sum says.
//
// A word is unit << VertexShift | vertex, counted over all streams. That is r5 of the raster
// program, a vertex shader without attributes of the hardware, which runs the shader again
// and keeps that vertex. Where running it again would not give the same, the main program leaves
// the slots of Geometry.Vertices of the vertex with that word as number at UniformVertices.
//
// # Parts
//
// With [PartMain] a shader is the main part of a program of the separate ABI:
// the linker puts a prolog before it, which fetches the attributes to where
// Meta.Attribs says, and an epilog after it, which blends Meta.Results into the
// tile. A program so linked (PartLinked) has Tile instead of Results, and runs its
// own loop over the samples. Its code fetches attributes through UniformAttribAddr.
//
// # Ends
//
// A vertex shader leaves its outputs by st_var, the words of the record being
// described by Meta.Varyings. Where there are several user varyings, their places depend on how the
// fragment program interpolates them, and the shader takes them from UniformVaryingWord: the
// driver computes them by Meta.Place, tells the hardware the words of each group, and binds the
// fragment program's coefficient registers to the words that hold its slots. A fragment shader leaves its results in
// registers (Meta.Results) for the epilog that the driver appends, which makes
// depth, stencil, blending and tile stores; or stores to the tile itself
// (Meta.Tile). It discards with sample_mask. Code ends with stop and traps.
//
// # Resources
//
// Buffers are reached by address: of a fixed binding (UniformBufferAddr,
// UniformBufferSize), or from the descriptor table for indices that are only
// known at run time. Nothing checks bounds but the shader. Where it finds an
// access out of bounds it clears the high word of the address: nothing is ever
// mapped in the low 64 GiB, where loads give 0 and stores vanish. Textures and images
// stand in state registers or in the heap, samplers in state registers or in a heap of
// their own; a storage image has an entry for
// texture_load and one for image_write, and code that wants sizes loads the
// heap's descriptors (agx.md §8.6): sizes are those of level 0 of
// the image, texel buffers have their number of elements in the word at byte
// 16; linear images have one layer. Where the texel of an atomic is, or the sample of a store to a multisampled image, code
// computes by what the write descriptor says of the image's memory (PlaceWord).
// A texel buffer is a 2D texture of width 16384. Samplers have no LOD bias: shaders add
// UniformSamplerBias, or what the table at UniformSamplerBiases has.
package abi
