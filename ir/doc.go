// Package ir is the compiler's view of a shader: functions whose bodies are trees
// of blocks, ifs and loops, instructions in SSA form, variables, types and facts.
// The model is NIR's, and so are the names; docs/ir.md says what holds, with the
// rules by name, and has the grammar of the text form.
//
// A Shader owns everything in it. A Builder makes instructions, InsertIf, Extract
// and their like change the tree and keep edges and phis right, Def.RewriteUses
// replaces a value. Validate checks all rules; Impl.Require computes dominance and
// numbers, Impl.Preserve says what a change has kept. Print and Parse are the text
// form, Serialize and Deserialize the binary one, Clone and Cloner copy.
//
// What operations there are comes from the tables of ir/optab: op_gen.go and
// builder_gen.go are made of them. Nothing here changes a shader for a purpose
// (passes does), executes one (ir/interp does), or knows SPIR-V or a target.
package ir
