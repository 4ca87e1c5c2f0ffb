# habitat_embed(SYMBOL FILE...): puts data files into the library as the array SYMBOL, declared in
# src/base/embedded.h. The tool is a C program, so that the build needs no interpreter.
if(NOT TARGET habitat_embed_tool)
  add_executable(habitat_embed_tool ${PROJECT_SOURCE_DIR}/tools/embed.c)
  set_target_properties(habitat_embed_tool PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools)
endif()

function(habitat_embed symbol)
  set(output ${PROJECT_BINARY_DIR}/generated/${symbol}.c)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
  add_custom_command(OUTPUT ${output}
                     COMMAND habitat_embed_tool ${output} ${symbol} ${ARGN}
                     DEPENDS habitat_embed_tool ${ARGN}
                     COMMENT "Embedding ${symbol}")
  add_custom_target(generate_${symbol} DEPENDS ${output})
  add_dependencies(habitat_objects generate_${symbol})
  set_source_files_properties(${output} TARGET_DIRECTORY habitat_objects PROPERTIES GENERATED TRUE)
  target_sources(habitat_objects PRIVATE ${output})
endfunction()
