# Data files as C. The tools are C programs, so that the build needs no interpreter.

# habitat_generate(NAME TOOL [ARGUMENTS a...] FILES f...): NAME.c of the library, made by the target
# TOOL, which is run as: TOOL OUTPUT.c a... f...
function(habitat_generate name tool)
  cmake_parse_arguments(PARSE_ARGV 2 make "" "" "ARGUMENTS;FILES")
  set(output ${PROJECT_BINARY_DIR}/generated/${name}.c)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
  set_target_properties(${tool} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools)
  add_custom_command(OUTPUT ${output}
                     COMMAND ${tool} ${output} ${make_ARGUMENTS} ${make_FILES}
                     DEPENDS ${tool} ${make_FILES}
                     COMMENT "Generating ${name}")
  add_custom_target(generate_${name} DEPENDS ${output})
  add_dependencies(habitat_objects generate_${name})
  set_source_files_properties(${output} TARGET_DIRECTORY habitat_objects PROPERTIES GENERATED TRUE)
  target_sources(habitat_objects PRIVATE ${output})
endfunction()
