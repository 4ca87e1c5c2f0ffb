# What lets others build against an installed Habitat: pkg-config's habitat.pc and CMake's habitatConfig.cmake. Both find the rest from where they
# lie themselves, so that a tree may be installed below any prefix, and moved.
include(CMakePackageConfigHelpers)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH HABITAT_PC_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" HABITAT_PC_TO_PREFIX "${HABITAT_PC_TO_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/habitat.pc.in ${PROJECT_BINARY_DIR}/package/habitat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/habitat.pc DESTINATION ${pkgconfig_dir})

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/habitat)
set(HABITAT_LIBRARY ${CMAKE_INSTALL_LIBDIR}/libhabitat.so)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/habitatConfig.cmake.in ${PROJECT_BINARY_DIR}/package/habitatConfig.cmake
                              INSTALL_DESTINATION ${config_dir} PATH_VARS HABITAT_LIBRARY CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/habitatConfigVersion.cmake VERSION ${HABITAT_VERSION}
                                 COMPATIBILITY SameMinorVersion) # before 1.0 a minor version may change the interface
install(FILES ${PROJECT_BINARY_DIR}/package/habitatConfig.cmake ${PROJECT_BINARY_DIR}/package/habitatConfigVersion.cmake
        DESTINATION ${config_dir})
