package ir

// Stage is the kind of shader, in pipeline order. Zero is not a stage.
type Stage uint8

// The stages of Vulkan, and kernels, which the frontend only names in diagnostics.
const (
	StageNone Stage = iota
	StageVertex
	StageTessCtrl
	StageTessEval
	StageGeometry
	StageFragment
	StageCompute
	StageTask
	StageMesh
	StageKernel
	StageRaygen
	StageAnyHit
	StageClosestHit
	StageMiss
	StageIntersection
	StageCallable
	numStages
)

var stageNames = [numStages]string{StageNone: "none", StageKernel: "kernel"}

func init() {
	for i := range StageTable {
		stageNames[StageTable[i].Stage] = StageTable[i].Name
	}
}

// String returns the stage's name as the text form spells it.
func (s Stage) String() string {
	if int(s) < len(stageNames) {
		return stageNames[s]
	}
	return "stage?"
}

// ParseStage returns the stage of that name, or StageNone.
func ParseStage(name string) Stage {
	for i, n := range stageNames {
		if n == name {
			return Stage(i)
		}
	}
	return StageNone
}

// StageRow is what one of Vulkan's stages is called elsewhere.
type StageRow struct {
	Stage Stage
	Name  string
	// Suffix is the file name extension of GLSL, which glslang also takes as the stage's name.
	Suffix string
	// Script is the word of AmberScript, "" if it has none; VkScript writes spaces for its underscores.
	Script string
	// Models are the SPIR-V execution models.
	Models []uint32
}

// StageTable are the stages in the order of Vulkan's VkShaderStageFlagBits: row
// i is bit i. Execution models are those of the SPIR-V specification, section
// Execution Model.
var StageTable = [...]StageRow{
	{StageVertex, "vertex", "vert", "vertex", []uint32{0}},
	{StageTessCtrl, "tess_ctrl", "tesc", "tessellation_control", []uint32{1}},
	{StageTessEval, "tess_eval", "tese", "tessellation_evaluation", []uint32{2}},
	{StageGeometry, "geometry", "geom", "geometry", []uint32{3}},
	{StageFragment, "fragment", "frag", "fragment", []uint32{4}},
	{StageCompute, "compute", "comp", "compute", []uint32{5}},
	{StageTask, "task", "task", "", []uint32{5364, 5267}},
	{StageMesh, "mesh", "mesh", "", []uint32{5365, 5268}},
	{StageRaygen, "raygen", "rgen", "ray_generation", []uint32{5313}},
	{StageAnyHit, "any_hit", "rahit", "any_hit", []uint32{5315}},
	{StageClosestHit, "closest_hit", "rchit", "closest_hit", []uint32{5316}},
	{StageMiss, "miss", "rmiss", "miss", []uint32{5317}},
	{StageIntersection, "intersection", "rint", "intersection", []uint32{5314}},
	{StageCallable, "callable", "rcall", "callable", []uint32{5318}},
}

// modelKernel is the execution model of kernels, which Vulkan does not have.
const modelKernel = 6

// StageOfModel returns the stage of a SPIR-V execution model, StageNone of one that is not known.
func StageOfModel(model uint32) Stage {
	if model == modelKernel {
		return StageKernel
	}
	for i := range StageTable {
		for _, m := range StageTable[i].Models {
			if m == model {
				return StageTable[i].Stage
			}
		}
	}
	return StageNone
}

// StageOfSuffix returns the stage of GLSL files that end so (without the dot),
// or StageNone for what is no stage of the compiler's.
func StageOfSuffix(suffix string) Stage {
	for i := range StageTable {
		if r := &StageTable[i]; r.Suffix == suffix {
			return r.Stage
		}
	}
	return StageNone
}

// StageSet is a set of stages.
type StageSet uint32

// Stages makes a set.
func Stages(list ...Stage) (s StageSet) {
	for _, x := range list {
		s |= 1 << x
	}
	return s
}

// AllStages has every stage.
const AllStages StageSet = 1<<numStages - 1<<StageVertex

// RayStages are those of ray tracing pipelines; hits are those in which a ray has met a primitive.
const (
	RayStages StageSet = 1<<StageRaygen | 1<<StageAnyHit | 1<<StageClosestHit | 1<<StageMiss | 1<<StageIntersection | 1<<StageCallable
	HitStages StageSet = 1<<StageAnyHit | 1<<StageClosestHit
)

// GroupStages are those that run in workgroups.
const GroupStages StageSet = 1<<StageCompute | 1<<StageKernel | 1<<StageTask | 1<<StageMesh

// Has reports whether the set holds a stage.
func (s StageSet) Has(x Stage) bool { return s>>x&1 != 0 }
