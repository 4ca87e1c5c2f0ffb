# Tests of the CUDA recorder; included by recorder/CMakeLists.txt when it is built alone, by tests/ otherwise.
set(HABITAT_RECORDER_TESTS ${CMAKE_CURRENT_LIST_DIR})
find_package(Threads REQUIRED)
find_package(ZLIB)
find_path(HABITAT_YAJL_INCLUDE yajl/yajl_tree.h)
find_library(HABITAT_YAJL_LIBRARY yajl)

add_library(habitat_fake_cupti SHARED ${HABITAT_RECORDER_TESTS}/stubs/fake_cupti.c)
target_include_directories(habitat_fake_cupti PRIVATE ${HABITAT_RECORDER_TESTS}/../recorder)
set_target_properties(habitat_fake_cupti PROPERTIES C_STANDARD 17 C_VISIBILITY_PRESET hidden)
target_link_libraries(habitat_fake_cupti PRIVATE Threads::Threads)
add_library(habitat_fake_cuda SHARED ${HABITAT_RECORDER_TESTS}/stubs/fake_cuda.c)
target_include_directories(habitat_fake_cuda PRIVATE ${HABITAT_RECORDER_TESTS}/../recorder)
set_target_properties(habitat_fake_cuda PROPERTIES C_STANDARD 17 C_VISIBILITY_PRESET hidden NO_SONAME ON)
target_link_options(habitat_fake_cuda PRIVATE -Wl,-soname,libcuda.so.1) # as the recorder looks for it
add_executable(habitat_fake_app ${HABITAT_RECORDER_TESTS}/stubs/fake_app.c)
set_target_properties(habitat_fake_app PROPERTIES C_STANDARD 17)
target_link_libraries(habitat_fake_app PRIVATE ${CMAKE_DL_LIBS})

if(ZLIB_FOUND AND HABITAT_YAJL_INCLUDE AND HABITAT_YAJL_LIBRARY)
  add_executable(test_recorder ${HABITAT_RECORDER_TESTS}/unit/test_recorder.c)
  set_target_properties(test_recorder PROPERTIES C_STANDARD 17)
  target_include_directories(test_recorder PRIVATE ${HABITAT_RECORDER_TESTS}/unit
                                                   ${HABITAT_YAJL_INCLUDE})
  target_compile_definitions(test_recorder PRIVATE
    RECORDER="$<TARGET_FILE:habitat_cupti>" FAKE_CUPTI="$<TARGET_FILE:habitat_fake_cupti>"
    FAKE_APP="$<TARGET_FILE:habitat_fake_app>" FAKE_CUDA="$<TARGET_FILE:habitat_fake_cuda>"
    COMMA_LOCALE="sh ${HABITAT_RECORDER_TESTS}/stubs/comma_locale.sh")
  target_link_libraries(test_recorder PRIVATE habitat_launch ${HABITAT_YAJL_LIBRARY} ZLIB::ZLIB m)
  add_dependencies(test_recorder habitat_cupti habitat_fake_cupti habitat_fake_cuda habitat_fake_app)
  add_test(NAME unit.recorder COMMAND test_recorder)
  set_tests_properties(unit.recorder PROPERTIES TIMEOUT 300)
endif()

# Parts of the recorder, alone.
add_executable(test_recorder_parts ${HABITAT_RECORDER_TESTS}/unit/test_recorder_parts.c
                                   ${HABITAT_RECORDER_TESTS}/../recorder/seen.c)
set_target_properties(test_recorder_parts PROPERTIES C_STANDARD 17)
target_include_directories(test_recorder_parts PRIVATE ${HABITAT_RECORDER_TESTS}/unit)
target_compile_definitions(test_recorder_parts PRIVATE
  MASKED="${HABITAT_RECORDER_TESTS}/golden/commands_masked.txt")
target_link_libraries(test_recorder_parts PRIVATE habitat_launch m)
add_test(NAME unit.recorder_parts COMMAND test_recorder_parts)

# What follows the host program's locale has no place in code that writes or reads data there.
add_test(NAME recorder.locale_free COMMAND sh ${HABITAT_RECORDER_TESTS}/locale_free.sh
                                           ${HABITAT_RECORDER_TESTS}/../recorder)

# The vendor's headers, where there are any: never needed, only compared with.
find_path(HABITAT_CUPTI_INCLUDE cupti_activity.h
          HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include)
if(HABITAT_CUPTI_INCLUDE AND EXISTS ${HABITAT_CUPTI_INCLUDE}/cuda.h)
  add_executable(test_recorder_abi ${HABITAT_RECORDER_TESTS}/unit/test_recorder_abi.c)
  set_target_properties(test_recorder_abi PROPERTIES C_STANDARD 17)
  # c_headers comes before the machine's own folders (CPATH may name those of a C++ library).
  target_include_directories(test_recorder_abi PRIVATE ${HABITAT_RECORDER_TESTS}/stubs/c_headers
                                                       ${HABITAT_RECORDER_TESTS}/unit
                                                       ${HABITAT_RECORDER_TESTS}/../recorder)
  target_include_directories(test_recorder_abi SYSTEM PRIVATE ${HABITAT_CUPTI_INCLUDE})
  add_test(NAME unit.recorder_abi COMMAND test_recorder_abi)
endif()

# habitat_launch_run() on a command line of its own (tools/try_recorder.sh).
add_executable(recorder_launch ${HABITAT_RECORDER_TESTS}/stubs/launch_main.c)
set_target_properties(recorder_launch PROPERTIES C_STANDARD 17)
target_link_libraries(recorder_launch PRIVATE habitat_launch)
