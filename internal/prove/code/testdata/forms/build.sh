#!/bin/sh
# Makes the modules of this folder from their sources.
set -e
make() { # NAME SOURCE FLAG...
	name=$1 source=$2
	shift 2
	glslangValidator -V --quiet --target-env vulkan1.3 "$@" -o "$name.spv" "$source"
}
image() { # TYPE PLACE SIZE FLAG...
	type=$1 place=$2 size=$3
	shift 3
	for form in 0 1 2 3; do
		case $form$type in 3*1D* | 3*Buffer) continue ;; esac
		make "images_$(echo "$type" | tr '[:upper:]' '[:lower:]')_$form" images.comp -DFORM=$form "-DIMAGE=image$type" "-DUIMAGE=uimage$type" "-DPLACE=$place" "-DSIZE=$size" "$@"
	done
}
image 1D c.x ''
image 1DArray c.xy .y
image 2D c.xy .y
image 2DArray c.xyz .z
image 3D c.xyz .z
image Cube c.xyz .y
image CubeArray c.xyz .z
image 2DMS c.xy .x -DSAMPLES
image 2DMSArray c.xyz .z -DSAMPLES
image Buffer c.x ''
texture() { # TYPE FLAG...
	type=$1
	shift
	make "textures_$(echo "$type" | tr '[:upper:]' '[:lower:]')" textures.frag "-DS=$type" "$@"
	make "more_$(echo "$type" | tr '[:upper:]' '[:lower:]')" textures.frag "-DS=$type" -DMORE "$@"
}
texture sampler2D -DD=vec2 -DG=vec2 -DO=ivec2 -DGATHER -DPROJ=vec3 -DF=n.xy '-DLOD=,n.z' -DFO=ivec2 '-DQLOD=,1' -DSIZE=.x
texture usampler2DArray '-DD=vec3' -DG=vec2 -DO=ivec2 -DGATHER -DF=n.xyz '-DLOD=,n.w' -DFO=ivec2 '-DQLOD=,n.x' -DSIZE=.z
texture sampler3D -DD=vec3 -DG=vec3 -DO=ivec3 -DPROJ=vec4 -DF=n.xyz '-DLOD=,0' -DFO=ivec3 '-DQLOD=,1' -DSIZE=.z
texture samplerCube -DD=vec3 -DG=vec3 -DGATHER '-DQLOD=,1' -DSIZE=.y
texture isamplerCubeArray -DD=vec4 -DG=vec3 -DGATHER '-DQLOD=,1' -DSIZE=.z
texture sampler2DMS '-DF=n.xy' '-DLOD=,n.w' -DQLOD= -DSIZE=.x -DSAMPLES
texture sampler2DMSArray '-DF=n.xyz' '-DLOD=,2' -DQLOD= -DSIZE=.z -DSAMPLES
texture usamplerBuffer '-DF=n.x' -DLOD= -DQLOD= -DSIZE=
rm more_usamplerbuffer.spv more_sampler2dms*.spv # the same
make shadows shadows.frag
for t in int8 uint8 int16 uint16 int64 uint64; do
	v=$(echo $t | sed 's/^int\([0-9]*\)/i\1vec4/; s/^uint\([0-9]*\)/u\1vec4/')
	n=$(echo $t | tr -dc 0-9)
	make "narrow_$t" narrow.comp "-DT=${t}_t" "-DV=$v" "-DU=uint${n}_t" "-DI=int${n}_t" -DEXT=xyzw
done
make half half.comp
for t in int uint float int8_t float16_t int64_t; do
	for form in 0 1 2 3; do
		case $t$form in int64_t[23] | uint[023]) continue ;; esac
		make "subgroups_${t}_$form" subgroups.comp "-DT=$t" "-DFORM=$form"
	done
done
for f in logic memory wide; do make $f $f.comp; done
for f in all plain captured; do make ${f}_vert $f.vert; done
for n in 1 3; do make control_$n control.tesc -DCOUNT=$n; done
for m in triangles quads isolines; do make points_$m points.tese -DMODE=$m; done
make points_mode points.tese '-DMODE=triangles, point_mode, cw'
for g in points,points lines,line_strip triangles,triangle_strip lines_adjacency,points triangles_adjacency,line_strip; do
	make "units_${g%,*}" units.geom "-DIN=${g%,*}" "-DOUT=${g#*,}"
done
make streams streams.geom
for form in 0 1 2 3 4; do make all_$form all.frag -DFORM=$form; done
for form in 0 1; do
	make early_$form early.frag -DFORM=$form
	make dual_$form dual.frag -DFORM=$form
done
crowded() { # NAME T EACH GROUP FLAG...
	name=$1 t=$2 each=$3 group=$4
	shift 4
	make "crowded_$name" crowded.comp "-DT=$t" "-DEACH(M)=$each" "-DGROUP=$group" "$@"
}
for t in int float float16_t int64_t; do
	for form in few many; do
		case $form in few) each='TEN(M,x) TEN(M,y)' group=256 first=xa last=yj ;; many) each='HUNDRED(M,x) HUNDRED(M,y)' group=64 first=xaa last=yjj ;; esac
		crowded ${t}_$form $t "$each" $group -DFIRST=$first -DLAST=$last '-DLESS(a,b)=a<b' '-DCHOOSE(c,a,b)=c?a:b' '-DFROM(q)=q.x'
	done
done
crowded vec4_few vec4 'TEN(M,x)' 256 -DFIRST=xa -DLAST=xj '-DLESS(a,b)=lessThan(a,b)' '-DCHOOSE(c,a,b)=mix(b,a,c)' '-DFROM(q)=q'
crowded vec4_many vec4 'TEN(M,x) TEN(M,y) TEN(M,z) TEN(M,u) TEN(M,v) TEN(M,w)' 64 -DFIRST=xa -DLAST=wj '-DLESS(a,b)=lessThan(a,b)' '-DCHOOSE(c,a,b)=mix(b,a,c)' '-DFROM(q)=q'
