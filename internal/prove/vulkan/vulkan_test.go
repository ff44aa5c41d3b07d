//go:build linux && (amd64 || arm64)

package vulkan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A compute queue of a Vulkan driver that runs on the processor (lavapipe), without cgo:
// as much of Vulkan 1.0 as a dispatch on storage buffers takes. Structures are
// laid out as in vulkan_core.h on 64-bit machines.

type vkHandle uintptr

// vulkan holds the functions and objects of one device.
type vulkan struct {
	device, queue, pool, commands vkHandle
	memoryType                    uint32

	destroyDevice, destroyCommands, destroyPipeline, destroyShader, destroySetLayout, destroyLayout, destroyPool, destroyBuffer, freeMemory uintptr
	createShader, createSetLayout, createLayout, createPipelines, createDescriptorPool, allocateSets, updateSets                            uintptr
	createBuffer, requirements, allocate, bind, mapMemory, begin, end, submit, wait, bindPipeline, bindSets, dispatch                       uintptr
	createCommandPool, allocateCommands, getQueue                                                                                           uintptr

	load func(string) uintptr // an instance function
	fn   map[string]uintptr   // the functions of graphics, by name
	made []vkMade             // what a draw has made
}

// Structure types of vulkan_core.h.
const (
	stInstance, stQueue, stDevice                 = 1, 2, 3
	stSubmit, stAllocate, stBuffer, stShader      = 4, 5, 12, 16
	stStage, stCompute, stLayout                  = 18, 29, 30
	stSetLayout, stDescriptorPool, stAllocateSets = 32, 33, 34
	stWriteSet, stCommandPool, stCommands, stCmds = 35, 39, 40, 42
	descriptorStorageBuffer, stageCompute         = 7, 0x20
)

// vk calls a function; a VkResult other than success is an error.
func vk(what string, f uintptr, args ...uintptr) error {
	r, _, _ := purego.SyscallN(f, args...)
	if int32(r) != 0 {
		return fmt.Errorf("%s: VkResult %d", what, int32(r))
	}
	return nil
}

// vkKept holds what the driver was given pointers to: it stays where it is.
var vkKept []any

// arg passes a pointer to a structure.
func arg[T any](p *T) uintptr {
	vkKept = append(vkKept, p)
	return uintptr(unsafe.Pointer(p))
}

type vkAppInfo struct {
	_               uint32
	_               uintptr
	_               uintptr
	_               uint32
	_               uintptr
	_               uint32
	instanceVersion uint32
}

type vkCreate struct { // VkInstanceCreateInfo
	typ  uint32
	_    uintptr
	_    uint32
	info *vkAppInfo
	_    uint32
	_    uintptr
	_    uint32
	_    uintptr
}

type vkQueueCreate struct {
	typ        uint32
	_          uintptr
	_, _       uint32
	count      uint32
	priorities *float32
}

type vkDeviceCreate struct {
	typ    uint32
	next   uintptr
	_      uint32
	queues uint32
	queue  *vkQueueCreate
	_      uint32
	_      uintptr
	names  uint32
	name   **byte

	features *[55]uint32 // VkPhysicalDeviceFeatures
}

// openVulkan opens the first device of the driver that icd describes.
func openVulkan(icd string) (*vulkan, error) {
	if err := os.Setenv("VK_ICD_FILENAMES", icd); err != nil {
		return nil, err
	}
	lib, err := purego.Dlopen("libvulkan.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	getInstance, err := purego.Dlsym(lib, "vkGetInstanceProcAddr")
	if err != nil {
		return nil, err
	}
	name := func(s string) uintptr { return arg(&append([]byte(s), 0)[0]) }
	global := func(s string) uintptr { p, _, _ := purego.SyscallN(getInstance, 0, name(s)); return p }
	var instance, physical vkHandle
	app := &vkAppInfo{instanceVersion: 1 << 22}
	if err := vk("vkCreateInstance", global("vkCreateInstance"), arg(&vkCreate{typ: stInstance, info: app}), 0, arg(&instance)); err != nil {
		return nil, err
	}
	load := func(s string) uintptr { p, _, _ := purego.SyscallN(getInstance, uintptr(instance), name(s)); return p }
	count := uint32(1)
	if r, _, _ := purego.SyscallN(load("vkEnumeratePhysicalDevices"), uintptr(instance), arg(&count), arg(&physical)); int32(r) < 0 || count == 0 {
		return nil, errors.New("the driver has no device")
	}
	v := &vulkan{load: load}
	v.functions(load)
	// Everything that the device can do is turned on.
	var features [55]uint32
	purego.SyscallN(load("vkGetPhysicalDeviceFeatures"), uintptr(physical), arg(&features))
	priority := float32(1)
	q := &vkQueueCreate{typ: stQueue, count: 1, priorities: &priority}
	feedback := &[]byte("VK_EXT_transform_feedback\x00")[0]
	next := arg(&struct {
		typ             uint32
		_               uintptr
		capture, stream uint32
	}{typ: stFeedbackFeatures, capture: 1})
	if err := vk("vkCreateDevice", load("vkCreateDevice"), uintptr(physical), arg(&vkDeviceCreate{typ: stDevice, next: next, queues: 1, queue: q, names: 1, name: &feedback, features: &features}), 0, arg(&v.device)); err != nil {
		return nil, err
	}
	purego.SyscallN(v.getQueue, uintptr(v.device), 0, 0, arg(&v.queue))
	if err := v.findMemory(load, physical); err != nil {
		return nil, err
	}
	return v, v.makeCommands()
}

func (v *vulkan) functions(load func(string) uintptr) {
	for _, f := range []struct {
		to   *uintptr
		name string
	}{
		{&v.getQueue, "vkGetDeviceQueue"}, {&v.createShader, "vkCreateShaderModule"}, {&v.createSetLayout, "vkCreateDescriptorSetLayout"},
		{&v.createLayout, "vkCreatePipelineLayout"}, {&v.createPipelines, "vkCreateComputePipelines"}, {&v.createDescriptorPool, "vkCreateDescriptorPool"},
		{&v.allocateSets, "vkAllocateDescriptorSets"}, {&v.updateSets, "vkUpdateDescriptorSets"}, {&v.createBuffer, "vkCreateBuffer"},
		{&v.requirements, "vkGetBufferMemoryRequirements"}, {&v.allocate, "vkAllocateMemory"}, {&v.bind, "vkBindBufferMemory"},
		{&v.mapMemory, "vkMapMemory"}, {&v.createCommandPool, "vkCreateCommandPool"}, {&v.allocateCommands, "vkAllocateCommandBuffers"},
		{&v.begin, "vkBeginCommandBuffer"}, {&v.end, "vkEndCommandBuffer"}, {&v.submit, "vkQueueSubmit"}, {&v.wait, "vkQueueWaitIdle"},
		{&v.bindPipeline, "vkCmdBindPipeline"}, {&v.bindSets, "vkCmdBindDescriptorSets"}, {&v.dispatch, "vkCmdDispatch"},
		{&v.destroyDevice, "vkDestroyDevice"}, {&v.destroyCommands, "vkDestroyCommandPool"}, {&v.destroyPipeline, "vkDestroyPipeline"}, {&v.destroyShader, "vkDestroyShaderModule"},
		{&v.destroySetLayout, "vkDestroyDescriptorSetLayout"}, {&v.destroyLayout, "vkDestroyPipelineLayout"},
		{&v.destroyPool, "vkDestroyDescriptorPool"}, {&v.destroyBuffer, "vkDestroyBuffer"}, {&v.freeMemory, "vkFreeMemory"},
	} {
		*f.to = load(f.name)
	}
}

// findMemory finds a memory type that the host sees and need not flush.
func (v *vulkan) findMemory(load func(string) uintptr, physical vkHandle) error {
	var p struct {
		types uint32
		typ   [32]struct{ flags, heap uint32 }
		heaps uint32
		heap  [16]struct {
			size  uint64
			flags uint32
		}
	}
	purego.SyscallN(load("vkGetPhysicalDeviceMemoryProperties"), uintptr(physical), arg(&p))
	for i := range min(p.types, 32) {
		if p.typ[i].flags&6 == 6 { // HOST_VISIBLE, HOST_COHERENT
			v.memoryType = i
			return nil
		}
	}
	return errors.New("no memory that the host sees")
}

func (v *vulkan) makeCommands() error {
	pool := struct {
		typ           uint32
		_             uintptr
		flags, family uint32
	}{typ: stCommandPool, flags: 2}
	if err := vk("vkCreateCommandPool", v.createCommandPool, uintptr(v.device), arg(&pool), 0, arg(&v.pool)); err != nil {
		return err
	}
	info := struct {
		typ          uint32
		_            uintptr
		pool         vkHandle
		level, count uint32
	}{typ: stCommands, pool: v.pool, count: 1}
	return vk("vkAllocateCommandBuffers", v.allocateCommands, uintptr(v.device), arg(&info), arg(&v.commands))
}

// vkBuffer is a storage buffer that the host sees.
type vkBuffer struct {
	buffer, memory vkHandle
	data           []byte
}

func (v *vulkan) newBuffer(size int) (*vkBuffer, error) {
	info := struct {
		typ         uint32
		_           uintptr
		flags       uint32
		size        uint64
		usage, mode uint32
		families    uint32
		_           uintptr
	}{typ: stBuffer, size: uint64(size), usage: 0x8e3} // storage, vertices, indices, copies, transform feedback
	b := &vkBuffer{}
	if err := vk("vkCreateBuffer", v.createBuffer, uintptr(v.device), arg(&info), 0, arg(&b.buffer)); err != nil {
		return nil, err
	}
	var need struct {
		size, align uint64
		types       uint32
	}
	purego.SyscallN(v.requirements, uintptr(v.device), uintptr(b.buffer), arg(&need))
	mem := struct {
		typ   uint32
		_     uintptr
		size  uint64
		index uint32
	}{typ: stAllocate, size: need.size, index: v.memoryType}
	if err := vk("vkAllocateMemory", v.allocate, uintptr(v.device), arg(&mem), 0, arg(&b.memory)); err != nil {
		return nil, err
	}
	if err := vk("vkBindBufferMemory", v.bind, uintptr(v.device), uintptr(b.buffer), uintptr(b.memory), 0); err != nil {
		return nil, err
	}
	var at *byte
	if err := vk("vkMapMemory", v.mapMemory, uintptr(v.device), uintptr(b.memory), 0, uintptr(size), 0, arg(&at)); err != nil {
		return nil, err
	}
	b.data = unsafe.Slice(at, size)
	return b, nil
}

type vkLayoutBinding struct {
	binding, typ, count, stages uint32
	_                           uintptr
}

// vkPipeline is a compute pipeline with a descriptor set of storage buffers.
type vkPipeline struct {
	shader, setLayout, layout, pipeline, pool, set vkHandle
}

// vkStage is a VkPipelineShaderStageCreateInfo.
type vkStage struct {
	typ      uint32
	_        uintptr
	_, stage uint32
	module   vkHandle
	name     *byte
	_        uintptr
}

// vkShader is a VkShaderModuleCreateInfo.
type vkShader struct {
	typ  uint32
	_    uintptr
	_    uint32
	size uintptr
	code *uint32
}

func newVkShader(words []uint32) vkShader {
	return vkShader{typ: stShader, size: uintptr(4 * len(words)), code: &words[0]}
}

func (v *vulkan) newPipeline(words []uint32, buffers []*vkBuffer) (*vkPipeline, error) {
	p, dev := &vkPipeline{}, uintptr(v.device)
	shader := newVkShader(words)
	if err := vk("vkCreateShaderModule", v.createShader, dev, arg(&shader), 0, arg(&p.shader)); err != nil {
		return nil, err
	}
	if err := v.layouts(p, buffers); err != nil {
		return nil, err
	}
	entry := []byte("main\x00")
	compute := struct {
		typ    uint32
		_      uintptr
		flags  uint32
		stage  vkStage
		layout vkHandle
		base   vkHandle
		index  int32
	}{typ: stCompute, stage: vkStage{typ: stStage, stage: stageCompute, module: p.shader, name: &entry[0]}, layout: p.layout}
	return p, vk("vkCreateComputePipelines", v.createPipelines, dev, 0, 1, arg(&compute), 0, arg(&p.pipeline))
}

// layouts makes the set of the buffers, numbered from 0, and its layouts.
func (v *vulkan) layouts(p *vkPipeline, buffers []*vkBuffer) error {
	dev := uintptr(v.device)
	list := make([]vkLayoutBinding, len(buffers))
	for i := range list {
		list[i] = vkLayoutBinding{binding: uint32(i), typ: descriptorStorageBuffer, count: 1, stages: stageCompute}
	}
	set := struct {
		typ          uint32
		_            uintptr
		flags, count uint32
		bindings     *vkLayoutBinding
	}{typ: stSetLayout, count: uint32(len(list)), bindings: &list[0]}
	if err := vk("vkCreateDescriptorSetLayout", v.createSetLayout, dev, arg(&set), 0, arg(&p.setLayout)); err != nil {
		return err
	}
	layout := struct {
		typ         uint32
		_           uintptr
		flags, sets uint32
		set         *vkHandle
		ranges      uint32
		_           uintptr
	}{typ: stLayout, sets: 1, set: &p.setLayout}
	if err := vk("vkCreatePipelineLayout", v.createLayout, dev, arg(&layout), 0, arg(&p.layout)); err != nil {
		return err
	}
	size := struct{ typ, count uint32 }{descriptorStorageBuffer, uint32(len(list))}
	pool := struct {
		typ                uint32
		_                  uintptr
		flags, sets, sizes uint32
		size               uintptr
	}{typ: stDescriptorPool, sets: 1, sizes: 1, size: arg(&size)}
	if err := vk("vkCreateDescriptorPool", v.createDescriptorPool, dev, arg(&pool), 0, arg(&p.pool)); err != nil {
		return err
	}
	alloc := struct {
		typ   uint32
		_     uintptr
		pool  vkHandle
		count uint32
		set   *vkHandle
	}{typ: stAllocateSets, pool: p.pool, count: 1, set: &p.setLayout}
	if err := vk("vkAllocateDescriptorSets", v.allocateSets, dev, arg(&alloc), arg(&p.set)); err != nil {
		return err
	}
	v.writeSet(p.set, buffers)
	return nil
}

func (v *vulkan) writeSet(set vkHandle, buffers []*vkBuffer) {
	type info struct {
		buffer        vkHandle
		offset, bytes uint64
	}
	type write struct {
		typ                     uint32
		_                       uintptr
		set                     vkHandle
		binding, _, count, kind uint32
		_                       uintptr
		info                    *info
		_                       uintptr
	}
	writes := make([]write, len(buffers))
	for i, b := range buffers {
		writes[i] = write{typ: stWriteSet, set: set, binding: uint32(i), count: 1, kind: descriptorStorageBuffer, info: &info{b.buffer, 0, 1<<64 - 1}}
	}
	purego.SyscallN(v.updateSets, uintptr(v.device), uintptr(len(writes)), arg(&writes[0]), 0, 0)
}

// run dispatches workgroups and waits for their end.
func (v *vulkan) run(p *vkPipeline, groups uint32) error {
	begin := struct {
		typ   uint32
		_     uintptr
		flags uint32
		_     uintptr
	}{typ: stCmds}
	if err := vk("vkBeginCommandBuffer", v.begin, uintptr(v.commands), arg(&begin)); err != nil {
		return err
	}
	purego.SyscallN(v.bindPipeline, uintptr(v.commands), 1, uintptr(p.pipeline))
	purego.SyscallN(v.bindSets, uintptr(v.commands), 1, uintptr(p.layout), 0, 1, arg(&p.set), 0, 0)
	purego.SyscallN(v.dispatch, uintptr(v.commands), uintptr(groups), 1, 1)
	return v.finish()
}

// finish ends the command buffer, runs it and waits for its end.
func (v *vulkan) finish() error {
	if err := vk("vkEndCommandBuffer", v.end, uintptr(v.commands)); err != nil {
		return err
	}
	submit := struct {
		typ      uint32
		_        uintptr
		waits    uint32
		_, _     uintptr
		commands uint32
		command  *vkHandle
		signals  uint32
		_        uintptr
	}{typ: stSubmit, commands: 1, command: &v.commands}
	if err := vk("vkQueueSubmit", v.submit, uintptr(v.queue), 1, arg(&submit), 0); err != nil {
		return err
	}
	return vk("vkQueueWaitIdle", v.wait, uintptr(v.queue))
}

// close gives back the device; the instance lives as long as the process.
func (v *vulkan) close() {
	purego.SyscallN(v.destroyCommands, uintptr(v.device), uintptr(v.pool), 0)
	purego.SyscallN(v.destroyDevice, uintptr(v.device), 0)
}

// freeBuffer gives back a buffer.
func (v *vulkan) freeBuffer(b *vkBuffer) {
	purego.SyscallN(v.destroyBuffer, uintptr(v.device), uintptr(b.buffer), 0)
	purego.SyscallN(v.freeMemory, uintptr(v.device), uintptr(b.memory), 0)
}

// free gives back what a pipeline holds.
func (v *vulkan) free(p *vkPipeline) {
	vkKept = vkKept[:0]
	for _, o := range []struct {
		f uintptr
		h vkHandle
	}{{v.destroyPipeline, p.pipeline}, {v.destroyPool, p.pool}, {v.destroyLayout, p.layout}, {v.destroySetLayout, p.setLayout}, {v.destroyShader, p.shader}} {
		purego.SyscallN(o.f, uintptr(v.device), uintptr(o.h), 0)
	}
}

// findLavapipe returns the description of Mesa's driver for the processor.
func findLavapipe() (string, error) {
	list, err := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
	if err == nil && len(list) == 0 {
		err = errors.New("no lavapipe (Debian's mesa-vulkan-drivers)")
	}
	if err != nil {
		return "", err
	}
	return list[0], nil
}
