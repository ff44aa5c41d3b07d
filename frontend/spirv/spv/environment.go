package spv

// environments are the target environments by the names that glslc, spirv-as and amber scripts give
// them, with the latest SPIR-V version that each takes (Vulkan's appendix "Vulkan Environment for SPIR-V").
var environments = []struct {
	name    string
	version uint16 // of the header: 0x0103 is 1.3
}{
	{"spv1.0", 0x0100}, {"spv1.1", 0x0101}, {"spv1.2", 0x0102}, {"spv1.3", 0x0103}, {"spv1.4", 0x0104}, {"spv1.5", 0x0105}, {"spv1.6", 0x0106},
	{"vulkan", 0x0100}, {"vulkan1.0", 0x0100}, {"vulkan1.1", 0x0103}, {"vulkan1.1spv1.4", 0x0104}, {"vulkan1.2", 0x0105}, {"vulkan1.3", 0x0106},
}

// EnvironmentVersion is the latest SPIR-V version, as in a module's header, that a target
// environment takes; ok is false of a name that is none. As in glslc, vulkan is vulkan1.0.
func EnvironmentVersion(name string) (version uint16, ok bool) {
	for i := range environments {
		if environments[i].name == name {
			return environments[i].version, true
		}
	}
	return 0, false
}

// Environments lists the names of the target environments.
func Environments() []string {
	list := make([]string, len(environments))
	for i := range environments {
		list[i] = environments[i].name
	}
	return list
}
